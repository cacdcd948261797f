# SPDX-License-Identifier: GPL-3.0-or-later
"""Every diagnostic code is spelled out in the code and explained in docs/reference/diagnostics/.

A code gets into a diagnostic through a parameter, field or variable called `code`, or as the first
argument of a `report`: the test follows these. A code made of parts at run time
(f"missing-{kind}") counts as a pattern, of which at least one must be documented.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from support.source_tree import ROOT, Source, sources_of

PAGES = sorted((ROOT / "docs" / "reference" / "diagnostics").glob("*.md"))
# A code's own entry: the first cell of a table row, or a heading.
ENTRY = re.compile(r"^(?:\|\s*|#+\s*)`([^`]+)`", re.MULTILINE)
KEBAB_CASE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@dataclass(slots=True)
class Codes:
    """What was found: code or pattern (a regular expression) -> a place where it is written."""

    literals: dict[str, str] = field(default_factory=dict)
    patterns: dict[str, str] = field(default_factory=dict)
    unclear: list[str] = field(default_factory=list)

    def add(self, value: ast.expr, place: str) -> None:
        match value:
            case ast.Constant(value=""):
                pass  # "no code": the field of something that may be in order
            case ast.Constant(value=str(code)):
                self.literals.setdefault(code, place)
            case ast.JoinedStr(values=pieces):
                self.patterns.setdefault("".join(_piece_pattern(piece) for piece in pieces), place)
            case ast.IfExp(body=one, orelse=other):
                self.add(one, place)
                self.add(other, place)
            case ast.Name(id="code") | ast.Attribute(attr="code"):
                pass  # handed on; where it comes from is looked at too
            case _:
                self.unclear.append(f"{place}: {ast.unparse(value)}")


def _piece_pattern(piece: ast.expr) -> str:
    return re.escape(str(piece.value)) if isinstance(piece, ast.Constant) else "[a-z0-9-]+"


def collect_codes(sources: tuple[Source, ...]) -> Codes:
    codes = Codes()
    everywhere: dict[str, int] = {}
    for source in sources:
        everywhere |= dict(_takers(source.tree))
    for source in sources:
        takers = everywhere | dict(_takers(source.tree)) | {"report": 0}
        for node in ast.walk(source.tree):
            if isinstance(node, ast.expr | ast.stmt):
                for value in _values_of_code(node, takers):
                    codes.add(value, source.place(node))
            elif isinstance(node, ast.arguments):
                for value in _defaults_of_code(node):
                    codes.add(value, source.name)
    return codes


def _takers(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Functions and classes that take a `code`: their name, and its place among the arguments."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.posonlyargs + node.args.args]
            if "code" in names:
                yield node.name, names.index("code") - (names[0] in ("self", "cls"))
        elif isinstance(node, ast.ClassDef):
            fields = [ast.unparse(s.target) for s in node.body if isinstance(s, ast.AnnAssign)]
            if "code" in fields:
                yield node.name, fields.index("code")


def _values_of_code(node: ast.AST, takers: dict[str, int]) -> Iterator[ast.expr]:
    """The expressions that this node gives to something called `code`."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "code")
            index = takers.get(name)
            if index is not None and index < len(node.args):
                yield node.args[index]
        case ast.Assign(targets=[target], value=value):
            yield from _bound_to_code(target, value)
        case ast.AnnAssign(target=ast.Name(id="code"), value=ast.expr() as value):
            yield value
        case ast.For(target=target, iter=ast.Tuple(elts=rows) | ast.List(elts=rows)):
            for value in rows:
                yield from _bound_to_code(target, value)


def _bound_to_code(target: ast.expr, value: ast.expr) -> Iterator[ast.expr]:
    match target, value:
        case ast.Name(id="code"), _:
            yield value
        case ast.Tuple(elts=targets), ast.Tuple(elts=values):
            for one, its_value in zip(targets, values, strict=True):
                yield from _bound_to_code(one, its_value)


def _defaults_of_code(arguments: ast.arguments) -> Iterator[ast.expr]:
    names = arguments.posonlyargs + arguments.args
    late = list(zip(reversed(names), reversed(arguments.defaults), strict=False))
    for argument, default in late + list(
        zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ):
        if argument.arg == "code" and default is not None:
            yield default


# The front ends, and what lets MORSE run, have reports of another kind.
OTHER_REPORTS = ("cli", "command", "headless", "__main__")
CODES_OF_MORSE = ("script", "sensors", "profile", "split")


def has_codes(source: Source) -> bool:
    top, part = (*source.parts, "")[:2]
    return part in CODES_OF_MORSE if top == "urdf_importer_morse" else part not in OTHER_REPORTS


@pytest.fixture(scope="module")
def codes() -> Codes:
    sources = sources_of("urdf_importer", "urdf_importer_morse")
    return collect_codes(tuple(each for each in sources if has_codes(each)))


def documented_codes() -> list[str]:
    return [code for page in PAGES for code in ENTRY.findall(page.read_text(encoding="utf-8"))]


def test_codes_are_spelled_out_in_kebab_case(codes: Codes) -> None:
    assert not codes.unclear
    assert not [
        f"{place}: {code}"
        for code, place in codes.literals.items()
        if not KEBAB_CASE.fullmatch(code)
    ]


def test_every_code_is_documented(codes: Codes) -> None:
    documented = set(documented_codes())
    missing = {code: place for code, place in codes.literals.items() if code not in documented}
    missing |= {
        pattern: place
        for pattern, place in codes.patterns.items()
        if not any(re.fullmatch(pattern, code) for code in documented)
    }
    assert not missing


def test_every_documented_code_exists_once(codes: Codes) -> None:
    documented = documented_codes()
    assert len(documented) == len(set(documented))
    unused = [
        code
        for code in documented
        if code not in codes.literals
        and not any(re.fullmatch(pattern, code) for pattern in codes.patterns)
    ]
    assert not unused
