# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of servos: which counts a joint's positions are.

counts = zero + scale * position, rounded and held within least and most.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....core.diagnostics import ReadError, WriteError, name_choices, quote, quote_value
from ....core.files.outputs import write_text
from ....core.files.packages import AnyPath
from ....core.files.regular import decode_utf8, naming_file, read_regular_file
from ....core.markup.yaml_events import Item
from ..recordings.trees import PlainYaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Servo:
    """A servo of a joint.

    joint        the joint, by the robot's name or a recorded one
    id           its number on the bus
    zero, scale  its counts at position 0, and counts for a radian or metre, negative where it
                 turns the other way
    least, most  the counts that it takes
    speed        the most counts a second; None where that is not known
    is_turned    whether LeRobot's percent and signed numbers fall as counts rise
    """

    joint: str
    id: int = 0
    zero: float = 2048.0
    scale: float = 4096 / math.tau
    least: int = 0
    most: int = 4095
    speed: float | None = None
    is_turned: bool = False


_PWM = 180.0
_PRESETS: dict[str, tuple[float, float, int, int]] = {
    "dynamixel": (2048.0, 4096 / math.tau, 0, 4095),
    "feetech": (2048.0, 4096 / math.tau, 0, 4095),
    "scs": (512.0, 1024 / math.tau, 0, 1023),
    "pca9685": (307.0, 410 / math.radians(_PWM), 102, 512),
    "pwm": (1500.0, 2000 / math.radians(_PWM), 500, 2500),
}
"""Zero, counts for a radian, least and most: Dynamixel's X series and Feetech's STS (4096 a turn),
Feetech's SCS (1024), the PCA9685 at 50 Hz (102 to 512 over half a turn), and pulses in us."""
_MOST_BYTES, _MOST_SERVOS, _MOST_COUNTS, _MOST_VALUES = 2**20, 1000, 65_535, 20_000
_LEAST_RANGE = 1e-3
"""Degrees, or a joint would have counts without end."""
_KEYS = ("id", "zero", "sign", "counts", "range", "speed")
_CALIBRATED = ("id", "drive_mode", "homing_offset", "range_min", "range_max")
_RESOLUTION = 4095


class _Plain(PlainYaml):
    def make_mapping(self, event: Any, pairs: list[tuple[Item, Item]]) -> dict[str, Any]:
        return _pairs([(str(key), value) for (key, _), (value, _) in pairs], pairs)


def read_servos(path: AnyPath) -> tuple[Servo, ...]:
    """Returns the servos of a table: YAML or JSON with `preset` and `servos`, or the calibration of
    a LeRobot follower, whose zero is the middle of its range (4095 counts are a turn).

    Raises ReadError for joints that come twice, unknown words, and numbers that make no sense.
    """
    source = "the rig's table of servos" if _is_text(path) else os.fspath(path)
    with naming_file(source):
        return read_servos_text(load_table(path))


def servos_by_joint(path: AnyPath) -> dict[str, Servo]:
    """Returns joint -> servo of a table; none without a path. Raises as read_servos does."""
    return {each.joint: each for each in read_servos(path)} if path else {}


def load_table(path: AnyPath) -> str:
    """Returns the text of a table of servos, of its path, with a line break at its end; a text as
    rigs keep it stays unchanged. Raises ReadError."""
    if _is_text(path):
        return str(path)
    source = os.fspath(path)
    data = read_regular_file(source, most_bytes=_MOST_BYTES, called="table of servos")
    text = decode_utf8(data, source)
    return text if text.endswith("\n") else f"{text}\n"


def _is_text(path: AnyPath) -> bool:
    """Whether it is a table itself: a mapping of JSON, or several lines."""
    return isinstance(path, str) and (path.lstrip().startswith("{") or "\n" in path)


def read_servos_text(text: str) -> tuple[Servo, ...]:
    """Does as read_servos, for a text."""
    try:
        content = _parse(text)
    except RecursionError:
        raise ReadError("the table of servos is nested too deeply") from None
    if not isinstance(content, dict) or not content:
        raise ReadError("the table of servos has no `servos`")
    if "servos" not in content and all(_is_calibrated(each) for each in content.values()):
        found = [_calibrate(name, each) for name, each in content.items()]
    else:
        found = _read_table(content)
    return tuple(found)


def _parse(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, object_pairs_hook=_pairs)
        except ValueError as error:
            line = getattr(error, "lineno", 0)
            raise ReadError("this is not JSON", line=line) from None
    documents = _Plain("the file", most_levels=8, most_values=_MOST_VALUES).read(text)
    return documents[0] if documents else None


def _pairs(pairs: list[tuple[str, Any]], places: Sequence[Any] = ()) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for at, (key, value) in enumerate(pairs):
        if key in made:
            raise ReadError(f"{quote(key)} comes twice", line=places[at][0][1] if places else 0)
        made[key] = value
    return made


def _is_calibrated(each: Any) -> bool:
    return isinstance(each, Mapping) and {"range_min", "range_max"} <= each.keys()


def _calibrate(name: str, given: Mapping[str, Any]) -> Servo:
    _check_keys(name, given, _CALIBRATED)
    least, most = (round(_number(name, given, key, 0)) for key in ("range_min", "range_max"))
    if least >= most:
        raise ReadError(f"the servo {quote(name)} has an empty range: {least} to {most}")
    return Servo(
        joint=name,
        id=round(_number(name, given, "id", 0)),
        zero=(least + most) / 2,
        scale=_RESOLUTION / math.tau,
        least=least,
        most=most,
        is_turned=bool(_number(name, given, "drive_mode", 0)),
    )


def _read_table(content: Mapping[str, Any]) -> list[Servo]:
    _check_keys("", content, ("preset", "servos"))
    preset = content.get("preset", "dynamixel")
    if not isinstance(preset, str) or preset not in _PRESETS:
        raise ReadError(f"preset is {name_choices(list(_PRESETS))}, not {quote_value(preset)}")
    servos = content.get("servos")
    if not isinstance(servos, Mapping) or not 0 < len(servos) <= _MOST_SERVOS:
        raise ReadError("`servos` are one for each joint, by their names")
    return [_read_servo(name, each or {}, _PRESETS[preset]) for name, each in servos.items()]


def _read_servo(name: str, given: Any, preset: tuple[float, float, int, int]) -> Servo:
    _check_keys(name, given, _KEYS)
    zero, scale, least, most = preset
    if "counts" in given:
        counts = given["counts"]
        if not isinstance(counts, Sequence) or isinstance(counts, str) or len(counts) != 2:
            raise ReadError(f"the servo {quote(name)} has no two `counts`, the least and the most")
        pair = dict(zip(("least", "most"), counts, strict=True))
        least, most = (round(_number(name, pair, key, 0)) for key in pair)
    if not 0 <= least < most <= _MOST_COUNTS:
        raise ReadError(
            f"the servo {quote(name)} has the counts {least} to {most}; they rise between 0 and "
            f"{_MOST_COUNTS}"
        )
    if "range" in given:
        span = _number(name, given, "range", 0)
        if span < _LEAST_RANGE:
            raise ReadError(f"the servo {quote(name)} has no range above zero")
        scale = (most - least) / math.radians(span)
    sign = _number(name, given, "sign", 1)
    if sign not in (1, -1):
        raise ReadError(f"the servo {quote(name)} has the sign {sign:g}, not 1 or -1")
    speed = _number(name, given, "speed", 0) or None
    return Servo(
        joint=name,
        id=round(_number(name, given, "id", 0)),
        zero=_number(name, given, "zero", zero),
        scale=sign * scale,
        least=least,
        most=most,
        speed=speed,
    )


def _check_keys(name: str, given: Any, known: Sequence[str]) -> None:
    what = f"the servo {quote(name)}" if name else "the table"
    if not isinstance(given, Mapping):
        raise ReadError(f"{what} is not a mapping of {name_choices(known)}")
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        raise ReadError(f"{what} has {quote(str(unknown))}; known are {', '.join(known)}")


def _number(name: str, given: Mapping[str, Any], key: str, otherwise: float) -> float:
    value = given.get(key, otherwise)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        what = f"of the servo {quote(name)}"
        raise ReadError(f"`{key}` {what} is not a number: {quote_value(value)}")
    return float(value)


def write_servos(servos: Sequence[Servo], path: AnyPath) -> None:
    """Writes a table of servos that read_servos reads: YAML, or JSON where the path ends so. Raises
    WriteError."""
    turned = next((each for each in servos if each.is_turned), None)
    if turned is not None:
        raise WriteError(
            f"the servo {quote(turned.joint)} comes from a calibration; keep that file"
        )
    rows = {}
    for each in servos:
        span = math.degrees((each.most - each.least) / abs(each.scale))
        rows[each.joint] = {
            "id": each.id,
            "zero": each.zero,
            "sign": 1 if each.scale > 0 else -1,
            "counts": [each.least, each.most],
            "range": span,
        } | ({} if each.speed is None else {"speed": each.speed})
    if Path(path).suffix.lower() == ".json":
        write_text(path, json.dumps({"servos": rows}, indent=2) + "\n")
        return
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    write_text(path, "\n".join(["servos:", *lines]) + "\n")
