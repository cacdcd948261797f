# SPDX-License-Identifier: GPL-3.0-or-later
"""The descriptions that launch files in Python give to xacro, with their arguments.

The files are parsed and never run: texts, lists of texts, paths, variables of one assignment, and
the defaults of launch arguments are followed. A value that only a run would give is unknown; an
argument with such a value is left out, a path with one is passed over.
"""

import ast
import re
import shlex
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

_SHARE = "$(find:"
"""Of one word, as a command line is split into words."""
UNKNOWN = "\0"
"""In the place of a part of a text that only a run would give."""
_MOST_STEPS = 20_000
_MOST_DEPTH = 60
_LONGEST = 4096
_SHARES = ("FindPackageShare", "get_package_share_directory", "get_package_share_path")
_AS_IS = ("ParameterValue", "TextSubstitution", "Path", "PurePath", "str", "as_posix", "perform")
_JOINED = ("PathJoinSubstitution", "PathSubstitution", "join", "joinpath")
_READERS = ("process_file", "Xacro", "load_xacro", "robot_description")
_PATHS, _MAPPINGS = ("file_path", "input_file_name"), ("mappings",)
_WORD = re.compile(r"([^\s:=]+):=(.*)", re.DOTALL).fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchedXacro:
    """A file that a launch file expands; `path` begins with $(find NAME) where it is in a package,
    and `arguments` may have such places too."""

    path: str
    arguments: tuple[tuple[str, str], ...]


def read_launch(text: str) -> list[LaunchedXacro]:
    """Returns the files that a launch file expands, each once; none for text that is not Python."""
    try:
        with warnings.catch_warnings():
            # Of escapes in texts of others.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: dict[str, LaunchedXacro] = {}
    for each in _Launch(tree).list_expanded():
        if each.path and UNKNOWN not in each.path:
            given = tuple((name, _show(value)) for name, value in each.arguments)
            path = _show(each.path)
            found.setdefault(path, LaunchedXacro(path=path, arguments=given))
    return list(found.values())


def _show(text: str) -> str:
    return text.replace(_SHARE, "$(find ")


class _Launch:
    def __init__(self, tree: ast.AST) -> None:
        self._calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)]
        self._values: dict[str, ast.expr] = {}
        self._defaults: dict[str, ast.expr] = {}
        self._steps = _MOST_STEPS
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self._values.setdefault(node.targets[0].id, node.value)
        for call in self._calls:
            if _name(call) == "DeclareLaunchArgument":
                default = _find(call, 99, "default_value")
                if default is not None:
                    self._defaults[self._read(_find(call, 0, "name"))] = default

    def list_expanded(self) -> Iterator[LaunchedXacro]:
        for call in self._calls:
            name = _name(call)
            if name == "Command":
                yield from self._split(self._read(_find(call, 0, "command")))
            elif name in _READERS:
                path = self._read(_find(call, 0, *_PATHS))
                given = _find(call, 1, *_MAPPINGS)
                yield LaunchedXacro(path=path, arguments=self._read_mappings(given))

    def _split(self, command: str) -> Iterator[LaunchedXacro]:
        """Yields the file of a command line of xacro, whose words are a shell's."""
        with suppress(ValueError):
            program, path, *words = shlex.split(command)
            if program.rpartition("/")[2] == "xacro":
                pairs = [match.groups() for match in map(_WORD, words) if match]
                known = tuple((a, b) for a, b in pairs if UNKNOWN not in a + b)
                yield LaunchedXacro(path=path, arguments=known)

    def _read_mappings(self, given: ast.expr | None) -> tuple[tuple[str, str], ...]:
        if isinstance(given, ast.Name):
            given = self._values.get(given.id)
        if not isinstance(given, ast.Dict):
            return ()
        pairs = (
            (self._read(a), self._read(b)) for a, b in zip(given.keys, given.values, strict=True)
        )
        return tuple((a, b) for a, b in pairs if a and UNKNOWN not in a + b)

    def _read(self, node: ast.expr | None, depth: int = 0) -> str:
        """Returns the text of an expression, with UNKNOWN where it is not known."""
        self._steps -= 1
        if node is None or depth > _MOST_DEPTH or self._steps < 0:
            return UNKNOWN
        text = self._read_kind(node, depth + 1)
        return text if len(text) <= _LONGEST else UNKNOWN

    def _read_kind(self, node: ast.expr, depth: int) -> str:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Constant(value=bool() | float() as number):
                return str(number)
            case ast.Constant(value=int(number)):
                return str(number) if number.bit_length() < 64 else UNKNOWN
            case ast.Name(id=name):
                return self._read(self._values.get(name), depth)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.JoinedStr(values=parts):
                return "".join(self._read(part, depth) for part in parts)
            case ast.FormattedValue(value=value):
                return self._read(value, depth)
            case ast.BinOp(left=left, op=ast.Add() | ast.Div() as op, right=right):
                between = "/" if isinstance(op, ast.Div) else ""
                return f"{self._read(left, depth)}{between}{self._read(right, depth)}"
            case ast.Call():
                return self._read_call(node, depth)
        return UNKNOWN

    def _read_call(self, call: ast.Call, depth: int) -> str:
        name = _name(call)
        first = _find(call, 0, "package", "variable_name", "text", "value", "name")
        own = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name in _SHARES:
            return f"{_SHARE}{self._read(first, depth)})"
        if name == "FindExecutable":
            return self._read(first, depth)
        if name == "LaunchConfiguration":
            known = self._defaults.get(self._read(first, depth))
            return self._read(known or _find(call, 1, "default"), depth)
        if name in _JOINED or (name == "Path" and len(call.args) > 1):
            parts = self._list_parts(call.args)
            before = [own] if name == "joinpath" and own is not None else []
            return "/".join(self._read(part, depth) for part in (*before, *parts))
        if name in _AS_IS:
            is_method = name in ("as_posix", "perform")
            return self._read(own if is_method else first, depth)
        return UNKNOWN

    def _list_parts(self, given: Sequence[ast.expr]) -> Sequence[ast.expr]:
        if len(given) == 1 and isinstance(given[0], ast.List | ast.Tuple):
            return given[0].elts
        return given


def _name(call: ast.Call) -> str:
    """Returns the last name of a called function."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _find(call: ast.Call, place: int, *names: str) -> ast.expr | None:
    """Returns an argument by its place or by one of its names."""
    for each in call.keywords:
        if each.arg in names:
            return each.value
    return call.args[place] if place < len(call.args) else None
