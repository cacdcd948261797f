# SPDX-License-Identifier: GPL-3.0-or-later
"""Signatures and calls in the documentation are those of the functions."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import urdf_importer
from support.paths import ROOT
from urdf_importer.core import reshape

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
_ELLIPSIS = re.compile(r",? *(\*, *)?\.\.\.$")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def find_function(name: str) -> Callable[..., Any] | None:
    found = getattr(urdf_importer, name, None) or getattr(reshape, name, None)
    return found if inspect.isfunction(found) else None


def read_signatures(text: str) -> Iterator[tuple[str, str]]:
    """(name, arguments) of what is bold and looks like a function."""
    for code in re.findall(r"\*\*`([^`]*)`\*\*", text):
        found = re.fullmatch(r"(\w+)\((.*?)\)( -> .*)?", " ".join(code.split()))
        if found is not None and find_function(found[1]) is not None:
            yield found[1], _ELLIPSIS.sub("", found[2])


def read_calls(text: str) -> Iterator[ast.Call]:
    """Calls in blocks of Python, and of whole expressions in a line of the text."""
    codes = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    prose = re.sub(r"```.*?```|\*\*`[^`]*`\*\*", "", text, flags=re.DOTALL)
    codes += [" ".join(code.split()) for code in re.findall(r"`([^`]+\))`", prose)]
    for code in codes:
        try:
            tree = ast.parse(code.replace("(...)", "()").replace(", ...)", ")"))
        except SyntaxError:
            continue
        partial = "..." in code
        yield from (each for each in ast.walk(tree) if isinstance(each, ast.Call) and not partial)


def describe_wrong(call: ast.Call) -> str | None:
    """Returns what is wrong with a call of a public function."""
    target = call.func
    if isinstance(target, ast.Attribute):
        room = target.value.id if isinstance(target.value, ast.Name) else ""
        name = target.attr if room in ("urdf_importer", "reshape") else ""
    else:
        name = target.id if isinstance(target, ast.Name) else ""
    function = find_function(name) if name else None
    spread = any(isinstance(each, ast.Starred) for each in call.args)
    if function is None or spread or any(each.arg is None for each in call.keywords):
        return None
    try:
        given = {str(each.arg): None for each in call.keywords}
        inspect.signature(function).bind(*call.args, **given)
    except TypeError as error:
        return f"{ast.unparse(call)}: {error}"
    return None


def compare(name: str, written: str) -> list[str]:
    """Returns where a written signature differs; it may end before the real one does."""
    function = find_function(name)
    assert function is not None
    real = list(inspect.signature(function).parameters.values())
    try:
        node = ast.parse(f"def f({written}): ...").body[0]
    except SyntaxError:
        return [f"{name}: {written} is no signature"]
    assert isinstance(node, ast.FunctionDef)
    by_name = {each.name: each for each in real}
    wrong = []
    ours = [each.arg for each in node.args.args]
    positional = [each.name for each in real if each.kind is each.POSITIONAL_OR_KEYWORD]
    if ours != positional[: len(ours)]:
        wrong.append(f"{name}: {ours} are not {positional}")
    for each in node.args.kwonlyargs:
        if each.arg not in by_name or by_name[each.arg].kind is not by_name[each.arg].KEYWORD_ONLY:
            wrong.append(f"{name}: {each.arg} is no keyword")
    defaults = dict(zip(ours[::-1], node.args.defaults[::-1], strict=False))
    defaults |= {
        each.arg: value
        for each, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if value is not None
    }
    for argument in [*ours, *(each.arg for each in node.args.kwonlyargs)]:
        known = by_name[argument].default if argument in by_name else inspect.Parameter.empty
        value = defaults.get(argument)
        said = inspect.Parameter.empty if value is None else ast.literal_eval(value)
        if argument in by_name and said != known:
            wrong.append(f"{name}: {argument} is {known} by default, not {said}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_calls_can_be_made(page: Path) -> None:
    calls = read_calls(page.read_text("utf-8"))
    assert [wrong for wrong in map(describe_wrong, calls) if wrong] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_signatures_are_those_of_the_functions(page: Path) -> None:
    found = read_signatures(page.read_text("utf-8"))
    assert [wrong for each in found for wrong in compare(*each)] == []


def test_the_reference_has_signatures_and_the_pages_have_calls() -> None:
    texts = [page.read_text("utf-8") for page in PAGES]
    assert sum(len(list(read_signatures(text))) for text in texts) > 50
    assert sum(len(list(read_calls(text))) for text in texts) > 50
