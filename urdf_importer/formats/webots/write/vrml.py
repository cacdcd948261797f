# SPDX-License-Identifier: GPL-3.0-or-later
"""VRML as Webots reads it: a tree of nodes, and its text.

The tree holds Python values and knows nothing of Webots' nodes. Equal trees give equal texts.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Union

Vec = tuple[float, ...]
"""One value of several numbers: a vector, a colour, a rotation (axis x, y, z and radians)."""

Value = Union[bool, int, float, str, Vec, "Node", "Use", "Raw", None, list["Value"]]

_INDENT = "  "
# A chain of 10,000 links would otherwise be nothing but blanks.
_DEEPEST_INDENT = 24
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Use:
    """`USE name`: the node that an earlier DEF of this name made."""

    name: str


@dataclass(frozen=True, slots=True)
class Raw:
    """Text that is written verbatim, such as `IS translation`."""

    text: str


@dataclass(slots=True)
class Node:
    """`kind { fields }`, with `DEF name` before it where there is a name.

    A list is written in brackets, None as NULL; fields come in the order of the dict. Fields that
    are not in the dict are not written.
    """

    kind: str
    fields: dict[str, Value] = field(default_factory=dict)
    name: str = ""


def keep_given(fields: Mapping[str, Value]) -> dict[str, Value]:
    """Returns the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def write_node(node: Node, indent: int = 0) -> str:
    """Returns the text of a node, `indent` levels in, without a line feed at its end.

    Raises ValueError for a number that is not finite and for a value without a VRML type. Nothing
    recurses: links may nest 10,000 deep.
    """
    return "".join(_write(node, indent))


def write_value(value: Value, indent: int = 0) -> str:
    """Returns the text of the value of a field, as write_node writes it."""
    return "".join(_write(value, indent))


def write_number(number: float) -> str:
    """Returns the shortest text that reads back as the same double; no minus before zero.

    Raises ValueError for nan and inf, which VRML cannot express.
    """
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        raise ValueError(f"{number} is not a number that VRML can write")
    whole = int(number) if abs(number) < 1e15 else None
    if whole is not None and whole == number:
        return str(whole)
    return repr(float(number))


def write_string(text: str) -> str:
    """Returns the text in quotes; VRML escapes quotes and backslashes and nothing else."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write(value: Value, indent: int) -> Iterator[str]:
    """Yields the pieces of a text, by a stack of generators instead of recursion."""
    stack = [_pieces(value, indent)]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, str):
            yield piece
        else:
            stack.append(_pieces(*piece))


Piece = str | tuple[Value, int]


def _pieces(value: Value, indent: int) -> Iterator[Piece]:
    """Yields texts, and values with their indentation that are still to be written."""
    if isinstance(value, Node):
        yield from _node_pieces(value, indent)
    elif isinstance(value, list):
        yield from _list_pieces(value, indent)
    else:
        yield _write_plain(value)


def _node_pieces(node: Node, indent: int) -> Iterator[Piece]:
    opening = f"DEF {node.name} {node.kind} {{" if node.name else f"{node.kind} {{"
    if not node.fields:
        yield opening + "\n" + _blanks(indent) + "}"
        return
    yield opening
    for name, value in node.fields.items():
        yield f"\n{_blanks(indent + 1)}{name} "
        yield (value, indent + 1)
    yield "\n" + _blanks(indent) + "}"


def _list_pieces(values: list[Value], indent: int) -> Iterator[Piece]:
    if not values:
        yield "[]"
        return
    start = "\n" + _blanks(indent + 1)
    yield "["
    if any(isinstance(value, Node | Use | Raw | list) for value in values):
        for value in values:
            yield start
            yield (value, indent + 1)
    else:
        yield from _wrap([_write_plain(value) for value in values], values, start)
    yield "\n" + _blanks(indent) + "]"


def _wrap(texts: list[str], values: list[Value], start: str) -> Iterator[str]:
    """Writes one vector on a line; numbers fill lines, so that a mesh stays readable and small."""
    if any(isinstance(value, tuple) for value in values):
        separator = "," if all(isinstance(value, tuple) for value in values) else ""
        yield start + f"{separator}{start}".join(texts)
        return
    line: list[str] = []
    length = len(start)
    for text in texts:
        if line and length + len(text) + 1 > _WIDTH:
            yield start + " ".join(line)
            line, length = [], len(start)
        line.append(text)
        length += len(text) + 1
    yield start + " ".join(line)


def _blanks(indent: int) -> str:
    return _INDENT * min(indent, _DEEPEST_INDENT)


def _write_plain(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return write_number(value)
    if isinstance(value, str):
        return write_string(value)
    if isinstance(value, tuple):
        return " ".join(map(write_number, value))
    if isinstance(value, Use):
        return f"USE {value.name}"
    if isinstance(value, Raw):
        return value.text
    raise ValueError(f"VRML has no value of type {type(value).__name__}")
