# SPDX-License-Identifier: GPL-3.0-or-later
"""xacro -> URDF, without ROS, within bounds of time, memory and reach."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from ....core.diagnostics import Diagnostics, FragmentError, ReadError, quote, quote_path
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from ....core.markup.encoding import decode_text
from ....core.options import ImportOptions
from ....core.readers.formats import XacroArgument as XacroArgument
from .expressions import MissingArgumentError
from .files import MOST_XACRO_BYTES, check_size
from .library import Expander
from .listing import ListingExpander
from .tree import Place, write_tree
from .values import FAILURES, Allowance

_DECLARED = re.compile(rb"""<(?:robot|sdf)\b[^<>]*?\sxmlns:xacro\s*=""")
# $(find name) alone needs no expansion: the search for files knows it, more leniently. Nor do calls
# of macros alone: nothing in the file defines them, and other readers of URDF pass them over.
_TO_EXPAND = re.compile(
    rb"<xacro:(?:arg|attribute|call|element|if|include|insert_blocks?|macro|property|unless)\b"
    rb"|\$\{|\$\((?!\s*find\s)"
)
_MOST_SHOWN_OF_MESSAGE = 400
_Kind = TypeVar("_Kind", bound=Expander)


def is_xacro(raw: bytes, source: str) -> bool:
    """Whether a description must be expanded first: it is called .xacro, or its root declares
    xacro and there is something to expand outside of comments."""
    if source.lower().endswith(".xacro"):
        return True
    if b"xacro" not in raw or not _is_to_expand(raw):
        return False
    data = _without_comments(decode_text(raw, source).data)
    return bool(_DECLARED.search(data)) and _is_to_expand(data)


def _is_to_expand(data: bytes) -> bool:
    """Whether _TO_EXPAND is somewhere in the text, which has the same bytes for it in any encoding;
    faster by far than to search for so many words at once."""
    for start in (b"<xacro:", b"${", b"$("):
        place = -1
        while (place := data.find(start, place + 1)) >= 0:
            if _TO_EXPAND.match(data, place):
                return True
    return False


def expand_xacro(
    raw: bytes,
    source: str,
    resolver: PackageResolver,
    given: Iterable[tuple[str, str]],
    diagnostics: Diagnostics,
    budget: Allowance | None = None,
    *,
    environment: Iterable[tuple[str, str]] = (),
) -> bytes:
    """Expands the xacro text `raw` of the file `source` to URDF, with the arguments `given` and
    variables of the environment beside the few that may be read.

    Each element is in the line of `source` that it comes from. Raises ReadError, with file and
    line, where the text cannot be expanded or makes no robot but only macros.
    """
    known = dict(resolver.arguments)
    merged = tuple((known | dict(given)).items())
    task = _Task(raw, source, resolver, merged, tuple(environment), budget or Allowance())
    arguments = dict(task.given)
    expander = task.start(Expander, diagnostics)
    with _explained(expander, source, task.find_place):
        check_size(raw, MOST_XACRO_BYTES, source)
        root = expander.expand(raw, dict(arguments))
        _refuse_macros_alone(root, expander)
        text = write_tree(root, task.budget)
    for name in arguments.keys() - known.keys() - expander.arguments.keys() - expander.used:
        diagnostics.warning(
            "unknown-xacro-argument",
            f"the file has no argument {quote(name)}; it is ignored",
            subject=name,
        )
    return text


def list_xacro_arguments(
    resolver: PackageResolver, options: ImportOptions, seconds: float | None
) -> tuple[XacroArgument, ...]:
    """Returns the arguments that a description and its includes declare, in their order, then
    others in use that none declares; none of a file that is not xacro. Parts that cannot be
    expanded are passed over; where it takes more than `seconds`, the arguments up to there are
    returned. Raises ReadError where there is no such file."""
    source = resolver.description
    raw = read_regular_file(source)
    if not is_xacro(raw, source):
        return ()
    budget = Allowance() if seconds is None else Allowance(seconds)
    known, environment = dict(resolver.arguments), tuple(options.xacro_env)
    given = tuple((known | dict(options.xacro_args)).items())
    listed = _Task(raw, source, resolver, given, environment, budget).list_arguments()
    return tuple(
        XacroArgument(name=each.name, default=known[each.name]) if each.name in known else each
        for each in listed
    )


@dataclass(frozen=True, slots=True)
class _Task:
    """A file to expand, once or twice."""

    raw: bytes
    source: str
    resolver: PackageResolver
    given: tuple[tuple[str, str], ...]
    environment: tuple[tuple[str, str], ...]
    budget: Allowance

    def start(self, kind: type[_Kind], diagnostics: Diagnostics) -> _Kind:
        path = os.path.abspath(self.source)
        try:
            return kind(path, self.resolver, diagnostics, self.budget, self.environment)
        except ReadError as error:
            raise ReadError(error.message, source=self.source) from None

    def list_arguments(self) -> tuple[XacroArgument, ...]:
        return self._list().list_arguments()

    def find_place(self, name: str) -> Place | None:
        """Where an argument is declared that the expansion has not come to."""
        return self._list().places.get(name)

    def _list(self) -> ListingExpander:
        expander = self.start(ListingExpander, Diagnostics(self.source))
        with suppress(ReadError), _explained(expander, self.source):
            raw = check_size(self.raw, MOST_XACRO_BYTES, self.source)
            expander.expand(raw, dict(self.given))
        return expander


_OF_ROBOTS = frozenset({"link", "model", "world", "include"})
"""Children of the root of a robot, in URDF or in SDF, that the root of a file of macros does not
have."""


def _refuse_macros_alone(root: object, expander: Expander) -> None:
    children = getattr(root, "childNodes", ())
    if not expander.macros or any(child.nodeName in _OF_ROBOTS for child in children):
        return
    own = [name for name, is_main in expander.macros.items() if is_main]
    names = own or list(expander.macros)
    shown = ", ".join(quote(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
    word = "macro" if len(names) == 1 else "macros"
    raise _NoRobotError(
        f"the file defines the {word} {shown} but no robot; choose the file that uses "
        + ("it" if len(names) == 1 else "them")
    )


class _NoRobotError(ReadError):
    """About the file as a whole."""


class _MoreCalls:
    """Raises the limit of nested calls while any expansion runs, and puts it back.

    Macros call themselves in place of loops, and counting their work takes some calls more: with
    MORE, they turn as often as in xacro itself. The limit belongs to the whole process, so of
    several threads the first to come raises it and the last to go puts it back; a limit that other
    code has set meanwhile stays. Each step is one that Python does at once, without a lock; a
    thread that comes while the last one goes finds the limit raised again a moment later.
    """

    MORE = 1000

    def __init__(self) -> None:
        self._users: list[None] = []
        self._before: dict[str, int] = {}

    def __enter__(self) -> None:
        self._users.append(None)
        self._raise()

    def __exit__(self, *_error: object) -> None:
        self._users.pop()
        before = None if self._users else self._before.pop("limit", None)
        if before is not None and sys.getrecursionlimit() == before + self.MORE:
            sys.setrecursionlimit(before)
        if self._users and before is not None:
            self._raise()

    def _raise(self) -> None:
        if "limit" not in self._before:
            before = self._before.setdefault("limit", sys.getrecursionlimit())
            sys.setrecursionlimit(before + self.MORE)


more_calls = _MoreCalls()


@contextmanager
def _explained(
    expander: Expander, source: str, find_place: Callable[[str], Place | None] | None = None
) -> Iterator[None]:
    """Turns an exception into a ReadError with one sentence and a place. `find_place` finds the
    declaration of an argument that was used before it."""
    try:
        with more_calls:
            yield
    except _NoRobotError as error:
        raise FragmentError(error.message, source=source, line=1) from None
    except RecursionError:
        _refuse("macros, properties or elements are nested too deeply", expander, source)
    except ReadError as error:
        if error.source:
            shown = source if error.source == os.path.abspath(source) else error.source
            raise ReadError(error.message, source=shown, line=error.line) from None
        _refuse(error.message, expander, source)
    except (*expander.failures, *FAILURES) as error:
        missing = _find_missing(error)
        if missing is None:
            _refuse(_sentence(error), expander, source)
        place = find_place(missing.name) if find_place is not None else None
        _refuse(_explain_missing(missing, place, source), expander, source, FragmentError)


def _refuse(
    message: str, expander: Expander, source: str, kind: type[ReadError] = ReadError
) -> NoReturn:
    place = expander.place
    if place is None:
        raise kind(message, source=source) from None
    if place.file == os.path.abspath(source):
        raise kind(message, source=source, line=place.line) from None
    by = f" (because of line {expander.line} of {os.path.basename(source)})"
    raise kind(message + by, source=place.file, line=place.line) from None


def _find_missing(error: object) -> MissingArgumentError | None:
    """An exception of xacro, or its cause, about a missing argument."""
    while error is not None and not isinstance(error, MissingArgumentError):
        error = getattr(error, "exc", None)
    return error


def _explain_missing(error: MissingArgumentError, place: Place | None, source: str) -> str:
    finding = error.finding
    if place is not None and error.is_unknown:
        other = "" if place.file == os.path.abspath(source) else f" of {quote_path(place.file)}"
        finding = f"is declared in line {place.line}{other}, after its use"
    name = error.name[:80]
    return f"the argument {quote(name)} {finding}; give it with --xacro-arg {name}:=VALUE"


def _sentence(error: Exception) -> str:
    """One line with all parts of an exception of xacro: itself, its cause, its subject."""
    suffixes: list[str] = []
    macro = ""
    cause: object = error
    while getattr(cause, "exc", None) is not None and not str(_own_words(cause)):
        suffixes.append(str(getattr(cause, "suffix", None) or ""))
        cause = getattr(cause, "exc", None)
    macros = getattr(error, "macros", None)
    if macros:
        macro = f" of the macro {quote(macros[0].body.getAttribute('name'))}"
    text = _plain_words(cause) + macro
    for suffix in suffixes[:-3:-1]:
        text += f" {suffix}" if suffix else ""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN_OF_MESSAGE else line[:_MOST_SHOWN_OF_MESSAGE] + "..."


def _own_words(error: object) -> str:
    arguments = getattr(error, "args", ())
    return str(arguments[0]) if arguments and arguments[0] is not None else ""


def _plain_words(error: object) -> str:
    words = _own_words(error) or type(error).__name__
    if isinstance(error, KeyError):
        return f"there is no {quote(words)}"
    if isinstance(error, SyntaxError):
        return f"this is not an expression: {words}"
    name = re.fullmatch(r"unknown macro name: xacro:(.*)", words, re.DOTALL)
    if name is not None:
        return f"the macro {quote(name[1])} is not defined"
    return words[:1].lower() + words[1:]


def _without_comments(data: bytes) -> bytes:
    pieces: list[bytes] = []
    done = 0
    while (start := data.find(b"<!--", done)) >= 0:
        end = data.find(b"-->", start + 4)
        if end < 0:
            break
        pieces.append(data[done:start])
        done = end + 3
    return b"".join(pieces) + data[done:]
