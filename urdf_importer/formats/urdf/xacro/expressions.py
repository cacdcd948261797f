# SPDX-License-Identifier: GPL-3.0-or-later
"""The value of an expression of xacro, such as ${2 * radius}.

xacro's expressions are Python's, and xacro hands them to eval. Here they are parsed by Python but
walked through by hand: everything not listed below is refused, nothing can reach beyond the values
that the expression was given, and each step is paid for. The price: no lambda, no f-string, no
dictionary displays, and only the methods that xacro_values lists. Expressions that real
descriptions use have none of these.
"""

import ast
import operator
import os
import re
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from typing import Any

from ....core.diagnostics import ReadError, quote
from .files import ENVIRONMENT, XacroFiles
from .values import (
    OPERATORS,
    REFUSED_FUNCTIONS,
    Allowance,
    Method,
    apply_function,
    apply_operator,
    find_attribute,
    weigh,
)

MOST_CHARACTERS = 10_000
MOST_LEVELS = 60
MOST_PARSED = 10_000

Names = MutableMapping[str, Any]

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    # As ~, which Python advises against for booleans.
    ast.Invert: lambda value: -1 - operator.index(value),
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


class Evaluator:
    """Evaluates expressions; may call the `functions` and nothing else."""

    def __init__(self, budget: Allowance, functions: Iterable[Any]) -> None:
        self._budget = budget
        self._functions = {id(function): function for function in functions}
        self._parsed: dict[str, ast.expr] = {}

    def evaluate(self, text: str, names: Names) -> Any:
        """Returns the value of the expression `text`, where `names[name]` is the value of a name.

        Raises ReadError beyond the bounds, and Python's own exceptions for wrong expressions.
        """
        text = text.strip()
        self._budget.spend(len(text))
        value = self._value(self._parse(text), names)
        self._budget.spend(weigh(value))
        return value

    def _parse(self, text: str) -> ast.expr:
        if text not in self._parsed:
            if len(text) > MOST_CHARACTERS:
                raise ReadError(f"an expression is longer than {MOST_CHARACTERS} characters")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    tree = ast.parse(text, mode="eval").body
                except (MemoryError, RecursionError):
                    raise ReadError("an expression is nested too deeply") from None
            _check_levels(tree)
            if len(self._parsed) >= MOST_PARSED:
                self._parsed.clear()
            self._parsed[text] = tree
        return self._parsed[text]

    def _value(self, node: ast.expr, names: Names) -> Any:
        self._budget.spend(1)
        match node:
            case ast.Constant(value=value):
                if not isinstance(value, str | int | float | complex | None):
                    raise SyntaxError(f"{quote(repr(value))} is not a value for an expression")
                return value
            case ast.Name(id=name):
                return _look_up(name, names)
            case ast.Attribute(value=of, attr=name):
                return find_attribute(self._value(of, names), name)
            case ast.Subscript(value=of, slice=index):
                return self._value(of, names)[self._value(index, names)]
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = (lower, upper, step)
                return slice(*(None if end is None else self._value(end, names) for end in ends))
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self._value(operand, names))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                sides = self._value(left, names), self._value(right, names)
                return self._paid(apply_operator(type(op), *sides))
            case ast.IfExp(test=test, body=body, orelse=other):
                return self._value(body if self._value(test, names) else other, names)
            case _:
                return self._compound(node, names)

    def _compound(self, node: ast.expr, names: Names) -> Any:
        match node:
            case ast.BoolOp(op=op, values=[*operands, last]):
                for operand in operands:
                    value = self._value(operand, names)
                    if bool(value) is isinstance(op, ast.Or):
                        return value
                return self._value(last, names)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._compare(left, ops, others, names)
            case ast.Call(func=function, args=arguments, keywords=keywords):
                named = {word.arg: self._value(word.value, names) for word in keywords if word.arg}
                if len(named) != len(keywords):
                    raise SyntaxError("expressions may not use **")
                called = self._value(function, names)
                return self._call(called, self._items(arguments, names), named)
            case ast.List(elts=elements):
                return self._paid(self._items(elements, names))
            case ast.Tuple(elts=elements):
                return self._paid(tuple(self._items(elements, names)))
            case (
                ast.ListComp(elt=element, generators=loops)
                | ast.GeneratorExp(elt=element, generators=loops)
            ):
                scopes = self._loop(loops, names)
                return self._paid([self._paid(self._value(element, scope)) for scope in scopes])
            case _:
                raise SyntaxError(f"expressions may not use {type(node).__name__}")

    def _compare(
        self, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], names: Names
    ) -> Any:
        value = self._value(left, names)
        result: Any = True
        for op, other in zip(ops, others, strict=True):
            right = self._value(other, names)
            result = _COMPARISONS[type(op)](value, right)
            if not result:
                break
            value = right
        return result

    def _call(self, function: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        self._budget.spend(1)
        if not isinstance(function, Method) and id(function) not in self._functions:
            raise TypeError("this call is not of a function that expressions may use")
        return self._paid(apply_function(function, arguments, named, self._call))

    def _items(self, elements: list[ast.expr], names: Names) -> list[Any]:
        items: list[Any] = []
        for element in elements:
            if isinstance(element, ast.Starred):
                items += self._paid(list(self._value(element.value, names)))
            else:
                items.append(self._value(element, names))
        return items

    def _loop(self, loops: list[ast.comprehension], names: Names) -> Iterator[Names]:
        """The names at every turn of the loops of a comprehension."""
        first, *rest = loops
        for item in self._value(first.iter, names):
            self._budget.spend(1)
            scope = ChainMap[str, Any]({}, names)
            _bind(first.target, item, scope)
            if all(self._value(condition, scope) for condition in first.ifs):
                if rest:
                    yield from self._loop(rest, scope)
                else:
                    yield scope

    def _paid(self, value: Any) -> Any:
        self._budget.spend(weigh(value))
        return value


def _look_up(name: str, names: Names) -> Any:
    if name.startswith("__") or name in REFUSED_FUNCTIONS:
        raise NameError(f"{quote(name)} may not be used")
    try:
        return names[name]
    except KeyError:
        raise NameError(f"{quote(name)} is not defined", name=name) from None


def _bind(target: ast.expr, value: Any, variables: Names) -> None:
    """for a, b in ...: names and flat tuples of names."""
    if isinstance(target, ast.Name):
        variables[target.id] = value
        return
    if not isinstance(target, ast.Tuple | ast.List):
        raise SyntaxError("a loop needs a name")
    for part, item in zip(target.elts, value, strict=True):
        if not isinstance(part, ast.Name):
            raise SyntaxError("a loop needs names")
        variables[part.id] = item


def _check_levels(tree: ast.AST) -> None:
    level = [tree]
    for _ in range(MOST_LEVELS):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise ReadError(f"an expression is nested more than {MOST_LEVELS} levels deep")


_FIND = re.compile(r"\$\(\s*find\s+([^\s()$]+)\s*\)")
_COMMANDS = "arg, cwd, dirname, env, eval, find and optenv"


class Substitutions:
    """Evaluates $(...) in one expansion.

    `arguments` are the given and declared ones so far; `folder` is the folder of the file being
    read. `used` are the names of the arguments that may matter, `asked` of the ones asked for by
    name. `given` are variables of the environment beside ENVIRONMENT; `warn` receives the names of
    others that are set.
    """

    def __init__(
        self,
        files: XacroFiles,
        folder: Callable[[], str],
        given: Mapping[str, str],
        warn: Callable[[str], None],
    ) -> None:
        self.arguments: dict[str, str] = {}
        self.used: set[str] = set()
        self.asked: dict[str, None] = {}
        self._files = files
        self._folder = folder
        self._given = given
        self._warn = warn

    def substitute(self, text: str, evaluator: Evaluator) -> str:
        """Returns the replacement of `$(text)`. Raises ReadError for a missing package and
        ValueError for meaningless text."""
        command, *words = text.split() or [""]
        if command == "eval":
            names = {name: _convert(str(text)) for name, text in self.arguments.items()}
            names |= {"true": True, "false": False}
            self.used |= self.arguments.keys()
            return str(evaluator.evaluate(text.strip().removeprefix("eval"), names))
        if command in ("dirname", "cwd") and not words:
            # xacro's $(cwd) is the folder it is started in, which says nothing about a robot.
            return self._folder()
        if command == "optenv" and words:
            value = self._find_variable(words[0])
            return " ".join(words[1:]) if value is None else value
        if command not in ("arg", "find", "env") or len(words) != 1:
            raise ValueError(f"{quote(f'$({text})')} is not one of the substitutions {_COMMANDS}")
        return self._substitute_name(command, words[0])

    def _substitute_name(self, command: str, name: str) -> str:
        if command == "find":
            return self._files.find_package(name)
        if command == "arg":
            return _FIND.sub(lambda match: self._files.find_package(match[1]), self.find(name))
        variable = self._find_variable(name)
        if variable is None:
            raise ReadError(
                f"the environment variable {quote(name)} is not given; give it with --xacro-env "
                f"{name[:80]}:=VALUE"
            )
        return variable

    def find(self, name: str) -> str:
        """Returns the text of an argument. Raises MissingArgumentError."""
        self.used.add(name)
        self.asked[name] = None
        if name not in self.arguments:
            raise MissingArgumentError(name, is_unknown=True)
        return str(self.arguments[name])

    def _find_variable(self, name: str) -> str | None:
        """A variable of the environment that is given or may be read. Others stay unread: a
        description must not see its user's secrets."""
        if name in self._given:
            return self._given[name]
        if name in ENVIRONMENT:
            return os.environ.get(name)
        if name in os.environ:
            self._warn(name)
        return None


class MissingArgumentError(ValueError):
    """An argument that the user must give; one that is unknown was not declared so far."""

    def __init__(self, name: str, *, is_unknown: bool) -> None:
        super().__init__(name)
        self.name = name
        self.is_unknown = is_unknown
        self.finding = "is neither declared nor given" if is_unknown else "has no default"


def _convert(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
