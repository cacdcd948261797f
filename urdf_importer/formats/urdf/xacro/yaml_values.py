# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML as xacro reads it, by PyYAML's safe loader: its words, numbers, times, merges and units.

Kinder than PyYAML in one respect: 1e-3 and 1.5e3 are numbers, not texts. Of mappings that are
merged as a list, the first counts, as YAML and PyYAML up to 6.0.3 have it.
"""

import base64
import datetime
import math
import re
from collections.abc import Callable
from typing import Any

from ....core.diagnostics import one_line, quote
from ....core.markup.yaml_events import Item, YamlReader
from .values import FAILURES, Allowance

# Units of numbers that xacro knows -> in SI.
UNITS = {
    "!radians": 1.0,
    "!degrees": math.pi / 180.0,
    "!meters": 1.0,
    "!millimeters": 0.001,
    "!foot": 0.3048,
    "!inches": 0.0254,
}

_BOOLS = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
_TIME = re.compile(
    r"(?=.{10})([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:[Tt]|[ \t]+)([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]*))?"
    r"(?:[ \t]*(Z|([-+])([0-9]{1,2})(?::([0-9]{2}))?))?)?"
).fullmatch


class _Merge(str):
    """The key of mappings that are merged, which a quoted text of these letters is not."""


_MERGE = _Merge("<<")


def _to_whole(text: str) -> int:
    digits = text.replace("_", "").lstrip("+-")
    if ":" in digits:
        number = int(_add_sixtieths([int(part) for part in digits.split(":")]))
    else:
        is_octal = digits[0] == "0" and digits != "0"
        number = int(digits, {"0b": 2, "0x": 16}.get(digits[:2], 8 if is_octal else 10))
    return -number if text.startswith("-") else number


def _to_real(text: str) -> float:
    digits = text.replace("_", "").lower().lstrip("+-")
    if ":" in digits:
        number = float(_add_sixtieths([float(part) for part in digits.split(":")]))
    else:
        number = float({".inf": "inf", ".nan": "nan"}.get(digits, digits))
    return -number if text.startswith("-") else number


def _add_sixtieths(parts: list[Any]) -> Any:
    """1:30 is 90, as in hours and minutes."""
    return sum(part * 60**power for power, part in enumerate(reversed(parts)))


def _to_time(text: str) -> datetime.date:
    match = _TIME(text)
    if match is None:
        raise ValueError("this is not a time")
    *numbers, fraction, zone, sign, hours, minutes = match.groups()
    if numbers[3] is None:
        return datetime.date(*map(int, numbers[:3]))
    ahead = datetime.timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    clock = datetime.timezone(-ahead if sign == "-" else ahead) if zone else None
    year, month, day, hour, minute, second = map(int, numbers)
    micros = int((fraction or "")[:6].ljust(6, "0"))
    return datetime.datetime(year, month, day, hour, minute, second, micros, clock)


_KINDS: dict[str, Callable[[str], Any]] = {
    "bool": lambda text: _BOOLS[text.lower()],
    "int": _to_whole,
    "float": _to_real,
    "null": lambda text: None,
    "timestamp": _to_time,
    "binary": lambda text: base64.decodebytes(text.encode("ascii")),
    "str": str,
}
_PLAIN = {
    "bool": re.compile("|".join(f"{w}|{w.title()}|{w.upper()}" for w in _BOOLS)).fullmatch,
    "int": re.compile(
        r"[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)"
    ).fullmatch,
    "float": re.compile(
        r"[-+]?[0-9][0-9_]*(?:\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)"
        r"|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    ).fullmatch,
    "null": re.compile("~|null|Null|NULL|").fullmatch,
    "timestamp": _TIME,
}
"""How a kind is known where no tag names it."""


class XacroYaml(YamlReader):
    """Reads one file: None, bool, int, float, str, bytes, times, lists, sets and dictionaries.

    `evaluate` gives the value of a number with a unit; `warn` receives the key and line of a key
    that comes twice, where the last one counts.
    """

    def __init__(
        self,
        source: str,
        budget: Allowance,
        evaluate: Callable[[str], Any],
        warn: Callable[[str, int], None],
    ) -> None:
        super().__init__("the YAML", source)
        self._budget = budget
        self._evaluate = evaluate
        self._warn = warn

    def handle(self, event: Any) -> None:
        """Takes the next event, looking at the clock. Raises ReadError."""
        self._budget.spend(1)
        super().handle(event)

    def make_scalar(self, event: Any) -> Any:
        text, tag = str(event.value), _tag_of(event)
        plain = (kind for kind, is_one in _PLAIN.items() if event.implicit[0] and is_one(text))
        try:
            if tag in UNITS:
                return float(self._evaluate(text)) * UNITS[tag]
            if event.implicit[0] and text == _MERGE:
                return _MERGE
            return self._made_by(_KINDS, event, next(plain, "str"))(text)
        except FAILURES as error:
            problem = f"{quote(text)} is not a value ({one_line(error)})"
            raise self.refusal(problem, event.start_mark.line + 1) from None

    def make_list(self, event: Any, items: list[Item]) -> list[Any]:
        make = self._made_by({"seq": _itself, "omap": _to_pair, "pairs": _to_pair}, event, "seq")
        try:
            return [make(value) for value, _ in items]
        except FAILURES:
            raise self.refusal(
                "a list of pairs holds something else", event.start_mark.line + 1
            ) from None

    def make_mapping(self, event: Any, pairs: list[tuple[Item, Item]]) -> Any:
        own: dict[Any, Any] = {}
        merged: dict[Any, Any] = {}
        for (key, line), (value, _) in pairs:
            if isinstance(key, dict | list | set):
                raise self.refusal("a key is a list or a mapping", line)
            if isinstance(key, _Merge):
                sources = value if isinstance(value, list) else [value]
                if not all(isinstance(source, dict) for source in sources):
                    raise self.refusal("'<<' merges mappings, and this is not a mapping", line)
                for source in reversed(sources):
                    merged.update(source)
                continue
            if key in own:
                self._warn(str(key), line)
            own[key] = value
        return self._made_by({"map": dict, "set": set}, event, "map")(merged | own)

    def _made_by(self, kinds: dict[str, Callable[..., Any]], event: Any, default: str) -> Any:
        """The maker of a value for its tag, else for the default. Raises ReadError."""
        tag = _tag_of(event)
        kind = tag.removeprefix("tag:yaml.org,2002:") if tag else default
        if kind not in kinds:
            raise self.refusal(f"the tag {quote(tag)} is unknown", event.start_mark.line + 1)
        return kinds[kind]


def _tag_of(event: Any) -> str:
    tag = str(event.tag or "")
    return "" if tag == "!" else tag


def _itself(value: Any) -> Any:
    return value


def _to_pair(value: dict[Any, Any]) -> tuple[Any, Any]:
    (pair,) = value.items()
    return pair
