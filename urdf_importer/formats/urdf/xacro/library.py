# SPDX-License-Identifier: GPL-3.0-or-later
"""The package xacro, with everything that it reaches or computes in our hands.

xacro keeps its state in its module, so each expansion gets a copy of the module of its own, which
nothing else sees: runs are independent, and nothing needs to be restored after errors. In the copy,
expressions, $(...) and files go through the Evaluator and XacroFiles, and the elements that are
worked on are counted and remembered for messages. The meaning of the language stays xacro's
business: macros, blocks, properties, scopes, conditions, includes, namespaces. The price: this
relies on the names in REPLACED, so the version of xacro is pinned and a test compares them with it.
"""

import importlib
import importlib.util
import keyword
import os
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any
from xml.dom import minidom

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.files.packages import PackageResolver
from .expressions import Evaluator, MissingArgumentError, Substitutions
from .files import XacroFiles
from .output import Output
from .tree import Place, is_bare_instruction, mark_line, parse_tree, place_of, replace_node
from .values import FAILURES, REFUSED_FUNCTIONS, Allowance, weigh

MOST_INCLUDES_DEEP = 40
MOST_TEXT = 1_000_000
MOST_PARAMETERS = 20_000

_TOKEN = re.compile(
    r"(?P<escaped>\$\$+[{(])|(?P<expression>\$\{[^}]*\})|(?P<substitution>\$\([^)]*\))"
    r"|(?P<text>[^$]+|\$[^{($]+|\$\Z)"
)
# xacro's own pattern for the parameters of a macro, but without ways that fork: with them, a
# parameter of a few dozen characters and one quote takes years.
_PARAMETER = re.compile(
    r"^\s*([^\s:=]+)\s*:?=\s*(\^\|?)?"
    r"(\$\{.*?\}(?=\s|$)|\$\(.*?\)(?=\s|$)|(?:'[^']*+'|\"[^\"]*+\"|[^\s'\"]++)++|)"
    r"(?:\s+|$)(.*)"
)
_WILDCARD = re.compile(r"[*?[]")

REPLACED = {
    "_global_symbols": None,
    "check_attrs": "(tag, required, optional)",
    "error": "(*args, **kwargs)",
    "eval_all": "(node, macros, symbols)",
    "eval_extension": "(s)",
    "eval_text": "(text, symbols)",
    "get_include_files": "(filename_spec, symbols)",
    "grab_macro": "(elt, macros)",
    "handle_macro_call": "(node, macros, symbols)",
    "is_valid_name": "(name)",
    "load_yaml": "(filename)",
    "message": "(msg, *args, **kwargs)",
    "parse": "(inp, filename=None)",
    "print_location": "()",
    "process_include": "(elt, macros, symbols, func)",
    "re_macro_arg": None,
    "remove_previous_comments": "(node)",
    "replace_node": "(node, by, content_only=False)",
    "reqd_attrs": "(tag, attrs)",
    "safe_eval": "(expr, globals, locals=None)",
    "tokenize": "(s, sep=',; ', skip_empty=True)",
    "warning": "(*args, **kwargs)",
}
"""The names of the module xacro that its copy gets anew: how xacro's own functions are called, None
for other objects."""

USED = {
    "XacroException": None,
    "YamlListWrapper": None,
    "create_global_symbols": "()",
    "filestack": None,
    "init_stacks": "(file)",
    "macrostack": None,
    "process_doc": "(doc, mappings=None, **kwargs)",
}
"""The other names of the module xacro that are relied on."""


def load_library() -> Any:
    """Returns a copy of the module xacro that nothing else has.

    Raises ReadError where xacro is not installed, or a version that lacks names relied on.
    """
    # At its first import it gives all of Python's DOM another way to be written.
    kept = minidom.Element.writexml
    try:
        importlib.import_module("xacro")
    except ImportError:
        raise ReadError(
            "expanding xacro needs the Python package xacro, which is not installed"
        ) from None
    finally:
        minidom.Element.writexml = kept  # type: ignore[method-assign]
    spec = importlib.util.find_spec("xacro")
    assert spec is not None and spec.loader is not None
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    missing = sorted(name for name in (*REPLACED, *USED) if not hasattr(library, name))
    if missing:
        raise ReadError(
            f"this version of the Python package xacro has no {missing[0]}; install xacro 2.1"
        )
    return library


class Expander:
    """One expansion of one file.

    While it runs and afterwards: `place` is where the work is or has failed, `line` the line of the
    main file that led there; `arguments` (name -> default, None without one) and `macros` (name ->
    whether it is the main file's) are the declared ones so far, `used` the names of the arguments
    asked for, `places` the places of the declarations.
    """

    def __init__(
        self,
        source: str,
        resolver: PackageResolver,
        diagnostics: Diagnostics,
        budget: Allowance,
        environment: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.place: Place | None = None
        self.line = 0
        self._calls: list[Any] = []
        self._is_robot = False
        self.arguments: dict[str, str | None] = {}
        self.places: dict[str, Place | None] = {}
        self.macros: dict[str, bool] = {}
        self._source = source
        self._output = Output(diagnostics, lambda: self.line)
        self._files = XacroFiles(resolver, self._output.warn_once, budget)
        self._budget = budget
        self._missing: dict[str, str] = {}
        self._library = load_library()
        self.failures: tuple[type[Exception], ...] = (self._library.XacroException,)
        self._replace_names()
        self._substitutions = Substitutions(
            self._files, self._folder, dict(environment), self._output.warn_of_variable
        )

    @property
    def used(self) -> set[str]:
        return self._substitutions.used

    def expand(self, raw: bytes, given: dict[str, str]) -> Any:
        """Returns the expanded tree's root. Raises ReadError, and whatever xacro raises: see
        `failures`."""
        library = self._library
        library.init_stacks(self._source)
        document = parse_tree(raw, self._source, self._budget)
        root: Any = document.documentElement
        self._is_robot = root.tagName == "robot"
        self._substitutions.arguments = given
        library.process_doc(document, mappings=given, verbosity=0)
        return root

    def _replace_names(self) -> None:
        library = self._library
        self._own = {name: getattr(library, name) for name in REPLACED}
        replacements = {
            "check_attrs": self._check_attributes,
            "error": self._output.error,
            "eval_all": self._eval_all,
            "eval_extension": None,  # only xacro's own eval_text calls it
            "eval_text": self._eval_text,
            "get_include_files": self._list_includes,
            "grab_macro": self._grab_macro,
            "handle_macro_call": self._handle_macro_call,
            "is_valid_name": _is_valid_name,
            "load_yaml": self._load_yaml,
            "message": self._output.message,
            "parse": self._parse_include,
            "print_location": self._output.print_location,
            "process_include": self._process_include,
            "re_macro_arg": _PARAMETER,
            "remove_previous_comments": _do_nothing,  # there are none
            "replace_node": replace_node,
            "reqd_attrs": self._require_attributes,
            "safe_eval": self._evaluate,
            "tokenize": _tokenize,
            "warning": self._output.warning,
        }
        for name, replacement in replacements.items():
            setattr(library, name, replacement)
        # Last, since the symbols hold functions replaced before.
        library._global_symbols = symbols = library.create_global_symbols()
        dict.__setitem__(symbols["xacro"], "arg", lambda name: self._substitutions.find(name))
        self._evaluator = Evaluator(self._budget, _collect_functions(symbols))

    # Where the work is

    def _visit(self, node: Any) -> None:
        place = place_of(node)
        if place is not None:
            self.place = place
            if len(self._library.filestack) == 1 and not self._library.macrostack:
                self.line = place.line
        mark_line(node, self.line)

    def _eval_all(self, node: Any, macros: Any, symbols: Any) -> None:
        self._budget.spend_element()
        before = self.place
        self._visit(node)
        lacks_prefix = self._warn_of_prefix(node)
        self._own["eval_all"](node, macros, symbols)
        if lacks_prefix and node.tagName == "include":
            replace_node(node, by=None)  # Else the reader of URDF warns, too.
        self.place = before

    def _warn_of_prefix(self, node: Any) -> bool:
        """Warns of a tag that lacks its "xacro:", once for all copies; whether it does."""
        place = place_of(node)
        if place is None or not self._is_robot or not is_bare_instruction(node, self._calls):
            return False
        self._output.warn_once(
            "missing-xacro-prefix",
            f"<{node.tagName}> is written without 'xacro:' and does nothing",
            subject=node.getAttribute("name") or node.getAttribute("filename"),
            source="" if place.file == self._source else place.file,
            line=place.line,
        )
        return True

    def _handle_macro_call(self, node: Any, macros: Any, symbols: Any) -> Any:
        self._visit(node)
        self._calls.append(node)
        is_call = self._own["handle_macro_call"](node, macros, symbols)
        self._calls.pop()
        return is_call

    def _check_attributes(self, tag: Any, required: list[str], optional: list[str]) -> Any:
        self._visit(tag)
        if tag.tagName == "xacro:arg":
            return self._declare_argument(tag)
        return self._own["check_attrs"](tag, required, optional)

    def _declare_argument(self, tag: Any) -> tuple[str, str]:
        """Unlike in xacro, an argument may lack a default; then it must be given."""
        name, default = self._own["check_attrs"](tag, ["name"], ["default"])
        has_value = self._has_value(name)
        self.arguments.setdefault(name, default)
        self.places.setdefault(name, self.place)
        if default is None and not has_value:
            raise MissingArgumentError(name, is_unknown=False)
        return name, default or ""

    def _has_value(self, name: str) -> bool:
        return name in self._substitutions.arguments

    def _require_attributes(self, tag: Any, names: list[str]) -> Any:
        self._visit(tag)
        return self._own["reqd_attrs"](tag, names)

    def _grab_macro(self, element: Any, macros: Any) -> None:
        self._visit(element)
        if len(element.getAttribute("params")) > MOST_PARAMETERS:
            raise ReadError("a macro has too many parameters")
        is_main = len(self._library.filestack) == 1
        self.macros[element.getAttribute("name").removeprefix("xacro:")] = is_main
        self._own["grab_macro"](element, macros)

    # Text

    def _eval_text(self, text: Any, symbols: Any) -> Any:
        """The value of a text: the value of its only expression, or a text of all parts."""
        text = str(text)
        if len(text) > MOST_TEXT:
            raise ReadError(f"a text is longer than {MOST_TEXT} characters")
        self._budget.spend(len(text))
        if "$" not in text:
            return text
        results: list[Any] = []
        length = position = 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None:
                raise self._library.XacroException(f"invalid expression {quote(text[position:])}")
            position = token.end()
            result = self._value_of(token, symbols)
            if position == len(text) and not results:
                return result
            results.append(str(result))
            length += len(results[-1])
            if length > MOST_TEXT:
                raise ReadError(f"a text becomes longer than {MOST_TEXT} characters")
        self._budget.spend(length)
        return "".join(results)

    def _value_of(self, token: re.Match[str], symbols: Any) -> Any:
        text = token[0]
        if token.lastgroup == "escaped":
            return text[1:]
        if token.lastgroup == "text":
            return text
        inner = self._eval_text(text[2:-1], symbols)
        try:
            if token.lastgroup == "expression":
                return self._evaluate(str(inner), symbols)
            return self._substitutions.substitute(str(inner), self._evaluator)
        except (ReadError, RecursionError):
            raise
        except (*self.failures, *FAILURES) as error:
            raise self._library.XacroException(exc=error, suffix=f"in {quote(text)}") from None

    def _evaluate(self, text: str, names: Any, _locals: Any = None) -> Any:
        return self._evaluator.evaluate(text, names)

    # Files

    def _folder(self) -> str:
        path: str = self._library.filestack[-1]
        return os.path.dirname(os.path.abspath(path))

    def _list_includes(self, spec: str, symbols: Any) -> Iterator[str]:
        uri = str(self._eval_text(spec, symbols))
        folder = self._folder()
        if _WILDCARD.search(uri):
            paths = self._files.list_files(uri, folder)
            if not paths:
                self._output.add(f"no file fits the include of {quote(uri)}")
            yield from paths
            return
        try:
            path = self._files.resolve_file(uri, folder)
        except ReadError as error:
            # It becomes an error when it is opened: an include may be optional.
            self._missing[uri] = error.message
            path = uri
        yield path

    def _parse_include(self, _text: None, path: str) -> Any:
        library = self._library
        if path in self._missing:
            library.filestack.pop()
            raise library.XacroException(self._missing[path], exc=FileNotFoundError())
        return parse_tree(self._files.read_xacro(path), path, self._budget)

    def _process_include(self, element: Any, macros: Any, symbols: Any, func: Any) -> None:
        self._visit(element)
        if len(self._library.filestack) > MOST_INCLUDES_DEEP:
            raise ReadError(f"more than {MOST_INCLUDES_DEEP} files include each other")
        self._own["process_include"](element, macros, symbols, func)

    def _load_yaml(self, name: Any) -> Any:
        library = self._library
        path = self._files.resolve_file(str(name), self._folder())
        symbols = library._global_symbols
        warn = partial(self._output.warn_of_key, path)
        data = self._files.load_yaml(path, lambda text: self._evaluate(text, symbols), warn)
        self._budget.spend(weigh(data))
        return library.YamlListWrapper.wrap(data)


def _collect_functions(symbols: Any) -> list[Any]:
    """Returns the functions that expressions may call.

    Old names, for which xacro only warns, become the names of their namespaces: someone who looks
    at a robot cannot change them.
    """
    functions: list[Any] = []
    for space in ("python", "math", "xacro"):
        for name, item in dict.items(symbols[space]):
            if name not in REFUSED_FUNCTIONS:
                functions.append(item)
            if name in symbols and callable(item):
                dict.__setitem__(symbols, name, item)
    return [function for function in functions if callable(function)]


def _do_nothing(_node: Any) -> None:
    pass


def _is_valid_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """The parts of `text` between the characters of `sep`."""
    first = sep[:1] or " "
    for other in sep[1:]:
        text = text.replace(other, first)
    return [part for part in text.split(first) if part or not skip_empty]
