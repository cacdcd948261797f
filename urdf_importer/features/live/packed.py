# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of any type that recordings can pack, for servers: as they are, or as JSON."""

import json
import math
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...core.diagnostics import ConnectError, WriteError
from ..motion.recordings.definitions import (
    PRIMITIVES,
    TIMES,
    Definition,
    Encoding,
    Field,
    read_definition,
    text_of,
)
from ..motion.recordings.encode import COMMANDS, FRAMES, STATES, TYPES, encode, pack_transforms
from ..motion.recordings.layouts import Decoder
from ..motion.recordings.trees import Tree
from ..motion.trajectory import NANOSECONDS, Numbers, Trajectory


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A message: its topic, its type as ROS 1 spells it, and `pack`, which returns its bytes.

    `say` returns its content for JSON, for types that are sent often or at length; None where the
    content comes of the bytes, which takes some ten times as long and has bounds.
    """

    topic: str
    type: str
    pack: Callable[[Encoding], bytes]
    say: Callable[[], dict[str, Any]] | None = None


def pack_motion(topic: str, motion: Trajectory) -> Packed:
    """Returns a motion as one message: the last sample of all its frames; without frames its last
    state, or with splines a command. Missing velocities and accelerations are zero."""
    zeros = {
        name: np.nan_to_num(array)
        for name in ("velocities", "accelerations")
        if (array := getattr(motion, name)) is not None
    }
    motion = replace(motion, **zeros)
    is_command = motion.interpolation == "spline"
    kind = FRAMES if motion.frames else COMMANDS if is_command else STATES
    say = partial(_SAYINGS[kind], motion)
    return Packed(topic=topic, type=TYPES[kind], pack=partial(_pack, motion), say=say)


def _pack(motion: Trajectory, encoding: Encoding) -> bytes:
    if motion.frames:
        return pack_transforms(motion.frames, -1, motion.start_time, encoding)
    try:
        return next(encode(motion, encoding)).data
    except WriteError as error:
        raise ConnectError(error.message) from None


def _say_time(nanoseconds: int) -> dict[str, int]:
    seconds, rest = divmod(nanoseconds, NANOSECONDS)
    return {"sec": seconds, "nanosec": rest, "secs": seconds, "nsecs": rest}


def _say_row(array: Numbers | None, row: int) -> list[float]:
    found: list[float] = [] if array is None else array[row].tolist()
    return found


def _say_state(motion: Trajectory) -> dict[str, Any]:
    return {
        "header": {"stamp": _say_time(motion.start_time), "frame_id": ""},
        "name": list(motion.names),
        "position": _say_row(motion.positions, -1),
        "velocity": _say_row(motion.velocities, -1),
        "effort": [],
    }


def _say_command(motion: Trajectory) -> dict[str, Any]:
    """Leaves the header out, whose stamp a server would make the time of now: without one the
    motion begins when it is received."""
    points = [
        {
            "positions": _say_row(motion.positions, row),
            "velocities": _say_row(motion.velocities, row),
            "accelerations": _say_row(motion.accelerations, row),
            "time_from_start": _say_time(round(time * NANOSECONDS)),
        }
        for row, time in enumerate(motion.times.tolist())
    ]
    return {"joint_names": list(motion.names), "points": points}


def _say_frames(motion: Trajectory) -> dict[str, Any]:
    stamp = _say_time(motion.start_time)
    return {
        "transforms": [
            {
                "header": {"stamp": stamp, "frame_id": track.parent},
                "child_frame_id": track.child,
                "transform": {
                    "translation": dict(zip("xyz", track.translations[-1].tolist(), strict=True)),
                    "rotation": dict(zip("xyzw", track.quaternions[-1].tolist(), strict=True)),
                },
            }
            for track in motion.frames
        ]
    }


_SAYINGS: dict[str, Callable[[Trajectory], dict[str, Any]]] = {
    STATES: _say_state,
    COMMANDS: _say_command,
    FRAMES: _say_frames,
}


def to_json(message: Packed) -> str:
    """Returns a message as rosbridge takes it: bytes in base 64, and infinity as a number that is
    too large, which JSON can express. Raises ConnectError for one beyond all bounds."""
    if message.say is not None:
        return json.dumps(message.say(), allow_nan=False)
    definition, decoder = _decoder_of(message.type)
    found = decoder.decode([message.pack("cdr")])
    if not found:
        raise ConnectError(f"a message on {message.topic} is too large for rosbridge")
    return _say_message(found[0][1], definition.type, definition)


@lru_cache(maxsize=32)
def _decoder_of(kind: str) -> tuple[Definition, Decoder]:
    definition = read_definition(kind, text_of(kind, "cdr"), "cdr")
    return definition, Decoder(definition, "cdr")


def _say_message(tree: Tree, kind: str, definition: Definition) -> str:
    said = (
        f"{json.dumps(each.name)}: {_write_field(tree[each.name], each, definition)}"
        for each in definition.types[kind]
    )
    return "{" + ", ".join(said) + "}"


def _write_field(tree: Tree, field: Field, definition: Definition) -> str:
    if field.type in PRIMITIVES:
        return _say_numbers(tree[0], field)
    if field.type in TIMES:
        return json.dumps(_say_time(int(tree[0])))
    if field.type in definition.types:
        many = tree if isinstance(tree, list) else [tree]
        said = [_say_message(each, field.type, definition) for each in many]
        return "[" + ", ".join(said) + "]" if field.count >= 0 else said[0]
    return json.dumps(tree)


def _say_numbers(values: Any, field: Field) -> str:
    if field.count >= 0 and field.type in ("uint8", "byte", "char"):
        return json.dumps(b64encode(values.astype(np.uint8).tobytes()).decode())
    said = [_say_number(each, field.type) for each in np.atleast_1d(values).tolist()]
    return "[" + ", ".join(said) + "]" if field.count >= 0 else said[0]


def _say_number(value: float, kind: str) -> str:
    if not kind.startswith("float"):
        return json.dumps(bool(value) if kind == "bool" else int(value))
    if math.isfinite(value):
        return repr(value)
    return "null" if math.isnan(value) else f"{'-' if value < 0 else ''}1e999"
