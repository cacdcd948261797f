# SPDX-License-Identifier: GPL-3.0-or-later
"""How much one expansion may cost.

All code that expands xacro announces its work: elements that come in or are copied, characters that
are read or made, steps of expressions. Each of these is bounded, and each looks at the clock. The
price: a description beyond these bounds, which are some ten times the needs of the largest real
robots, is refused and must be expanded by the program xacro first.
"""

import ast
import datetime
import math
import operator
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ....core.diagnostics import ReadError, quote

MOST_SECONDS = 10.0
"""Of CPU time of the thread that expands: a busy machine refuses nothing that a quiet one takes."""
_SPENDINGS_PER_LOOK = 64
_MUCH = 4096
MOST_ELEMENTS = 1_000_000
MOST_CHARACTERS = 64 * 1024 * 1024


# Exceptions of xacro and expressions for wrong descriptions.
FAILURES: tuple[type[Exception], ...] = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


class Allowance:
    """The rest of one expansion's time and space. Everything raises ReadError at the end of it,
    without a place: the caller adds it."""

    def __init__(
        self,
        seconds: float = MOST_SECONDS,
        elements: int = MOST_ELEMENTS,
        characters: int = MOST_CHARACTERS,
    ) -> None:
        self._seconds = seconds
        self._end = time.thread_time() + seconds
        self._unlooked = 0
        self._elements = self._elements_left = elements
        self._characters = self._characters_left = characters

    @property
    def is_spent(self) -> bool:
        """Whether nothing more can be paid for."""
        return min(self._elements_left, self._characters_left) < 0 or self._is_late()

    def spend_element(self, characters: int = 0) -> None:
        """Counts an element read, copied or looked at, with so many characters below it."""
        self._elements_left -= 1
        if self._elements_left < 0:
            raise ReadError(
                f"the xacro makes more than {self._elements} elements, which no robot has"
            )
        self.spend(characters)

    def spend(self, characters: int) -> None:
        """Counts so many characters, or things of about that size, read or made."""
        self._characters_left -= characters
        if self._characters_left < 0:
            raise ReadError(
                f"the xacro makes more than {self._characters // 2**20} MiB of text and values"
            )
        # Asking for the CPU time costs as much as expanding an element.
        self._unlooked += 1
        if characters < _MUCH and self._unlooked < _SPENDINGS_PER_LOOK:
            return
        self._unlooked = 0
        if self._is_late():
            raise ReadError(f"expanding the xacro takes more than {self._seconds:g} s of CPU time")

    def _is_late(self) -> bool:
        return time.thread_time() > self._end


MOST_WEIGHT = 1_000_000
MOST_BITS = 10_000
MOST_SMALL_NUMBER = 1000

_PLAIN: dict[type, int] = {type(None): 4, bool: 5, float: 24, complex: 50}
_COLLECTIONS = (list, tuple, set, frozenset)
_SEQUENCES = (str, list, tuple)
_LAZY = (map, filter, zip, enumerate, reversed, range)
_LONG_FIELD = re.compile(r"%[^%a-zA-Z]*?(\*|[0-9]{4})")

_QUESTIONS = ("count", "endswith", "find", "index", "rfind", "rindex", "startswith")
_KINDS = ("isalnum", "isalpha", "isdigit", "islower", "isspace", "isupper")
_CASES = ("capitalize", "lower", "swapcase", "title", "upper")
_PARTS = ("join", "partition", "rpartition", "rsplit", "split", "splitlines")
_CHANGES = ("lstrip", "removeprefix", "removesuffix", "replace", "rstrip", "strip")
STRING_METHODS = frozenset((*_QUESTIONS, *_KINDS, *_CASES, *_PARTS, *_CHANGES))
DICTIONARY_METHODS = frozenset(("get", "items", "keys", "values"))
SEQUENCE_METHODS = frozenset(("count", "index"))
# Methods that would show or make things beyond values.
REFUSED_FUNCTIONS = frozenset(("vars", "hash"))


def weigh(value: object) -> int:
    """Returns about the length of `value` as text, with shared parts counted each time they show.

    Raises ReadError beyond MOST_WEIGHT, TypeError for an object that is not a value of xacro.
    """
    weight = 0
    todo = [value]
    while todo:
        item = todo.pop()
        weight += _weigh_alone(item)
        _check_weight(weight)
        if isinstance(item, dict):
            todo += dict.keys(item)
            todo += dict.values(item)
        elif isinstance(item, _COLLECTIONS):
            todo += list.__iter__(item) if isinstance(item, list) else item
    return weight


def _weigh_alone(item: object) -> int:
    """The weight without its content's."""
    if type(item) in _PLAIN:
        return _PLAIN[type(item)]
    if isinstance(item, int):
        _check_bits(item.bit_length())
        return 1 + item.bit_length() // 3
    if isinstance(item, str | bytes):
        return 2 + len(item)
    if isinstance(item, (dict, range, *_COLLECTIONS)):
        if hasattr(type(item), "top"):
            raise TypeError("a namespace is not a value")
        return 2 + 8 * len(item)
    if callable(item) or isinstance(item, slice | datetime.date):
        return 50
    raise TypeError(f"{quote(type(item).__name__)} is not a value for an expression")


def _check_weight(weight: int) -> None:
    if weight > MOST_WEIGHT:
        raise ReadError(f"a value is longer than {MOST_WEIGHT} characters")


def _check_bits(bits: int) -> None:
    if bits > MOST_BITS:
        raise ReadError("a whole number has more than 3000 digits")


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value that may be called."""

    value: Any
    name: str


def find_attribute(value: Any, name: str) -> Any:
    """Returns the value of `value.name`: an entry of a namespace or of a dictionary from YAML, or
    one of the methods that may be called. Raises AttributeError for everything else."""
    if name.startswith("_"):
        raise AttributeError(f"{quote(name)} is a private name")
    if isinstance(value, dict):
        if name in DICTIONARY_METHODS and not dict.__contains__(value, name):
            return Method(value, name)
        if type(value) is not dict:
            return value[name]
    methods = STRING_METHODS if isinstance(value, str) else SEQUENCE_METHODS
    if isinstance(value, _SEQUENCES) and name in methods:
        return Method(value, name)
    raise AttributeError(f"expressions may not use {quote(name)} of {type(value).__name__}")


def apply_operator(kind: type[ast.operator], left: Any, right: Any) -> Any:
    """Applies an operator to two values, checked before anything large is made."""
    if isinstance(left, int) and isinstance(right, int):
        _check_integers(kind, left, right)
    elif kind is ast.Mult:
        for text, times in ((left, right), (right, left)):
            if isinstance(text, _SEQUENCES) and isinstance(times, int):
                _check_weight(weigh(text) * max(times, 0))
    elif kind is ast.Mod and isinstance(left, str):
        if _LONG_FIELD.search(left):
            raise ReadError("a format has a field of more than 999 characters")
        _check_weight(len(left) + left.count("%") * (1000 + weigh(right)))
    return OPERATORS[kind](left, right)


def _check_integers(kind: type[ast.operator], left: int, right: int) -> None:
    if kind is ast.Pow and right > 0:
        _check_bits(left.bit_length() * min(right, MOST_BITS + 1) if abs(left) > 1 else 0)
    elif kind is ast.Pow:
        _check_bits(left.bit_length())
    elif kind is ast.LShift:
        _check_bits(left.bit_length() + max(right, 0))


OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}

Call = Callable[[Any, list[Any], dict[str, Any]], Any]


def apply_function(function: Any, arguments: list[Any], named: dict[str, Any], call: Call) -> Any:
    """Returns `function(*arguments, **named)`, checked before anything large is made.

    `call` calls functions passed as arguments, with all checks.
    """
    weight = sum(weigh(each) for each in (*arguments, *named.values()))
    _check_weight(weight)
    if isinstance(function, Method):
        return _as_value(_apply_method(function, arguments, named))
    if function is map:
        rows = zip(*arguments[1:], strict=False)
        return [call(arguments[0], list(row), {}) for row in rows]
    if function is filter:
        chosen, items = arguments
        return [item for item in items if (item if chosen is None else call(chosen, [item], {}))]
    _check_arguments(function, arguments, named, weight)
    if named.get("key") is not None:
        key = named["key"]
        named = {**named, "key": lambda item: call(key, [item], {})}
    return _as_value(function(*arguments, **named))


def _as_value(result: Any) -> Any:
    """Lists instead of iterators and views, which may change or run later."""
    if isinstance(result, range):
        _check_weight(8 * len(result))
    is_view = isinstance(result, type({}.keys()) | type({}.values()) | type({}.items()))
    return list(result) if is_view or isinstance(result, _LAZY) else result


def _check_arguments(
    function: Any, arguments: list[Any], named: dict[str, Any], weight: int
) -> None:
    """Refuses calls that make much out of little."""
    if function in _COUNTING:
        _check_small(*arguments)
    elif function is round:
        _check_small(*arguments[1:], *named.values())
    elif function is sum:
        items = (*arguments[0], *arguments[1:], *named.values())
        if not all(isinstance(item, int | float | complex) for item in items):
            raise TypeError("only numbers can be summed up")
    elif function is type and len(arguments) != 1:
        raise TypeError("type takes one value")
    elif function in _OF_MATH and weight > 10 * MOST_SMALL_NUMBER:
        raise ReadError("a mathematical function is given too large numbers")


def _check_small(*numbers: Any) -> None:
    if any(isinstance(number, int) and abs(number) > MOST_SMALL_NUMBER for number in numbers):
        raise ReadError(f"a function is given a number above {MOST_SMALL_NUMBER}")


_COUNTING = (math.factorial, math.comb, math.perm)
_OF_MATH = frozenset(item for item in vars(math).values() if callable(item))


def _apply_method(method: Method, arguments: list[Any], named: dict[str, Any]) -> Any:
    value, name = method.value, method.name
    if isinstance(value, str):
        if name == "join" and len(arguments) == 1:
            _check_weight(weigh(arguments[0]) + len(value) * len(arguments[0]))
        elif name == "replace" and len(arguments) >= 2:
            old, new = arguments[:2]
            _check_weight(len(value) + (value.count(old) + 1) * len(new))
    return getattr(value, name)(*arguments, **named)
