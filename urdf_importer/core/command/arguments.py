# SPDX-License-Identifier: GPL-3.0-or-later
"""The command's arguments for options: one for each field, made from its metadata.

Arguments that the user does not write are not in the namespace, so defaults are written only in the
options.
"""

import argparse
import math
import os
from collections.abc import Callable, Container, Mapping
from dataclasses import Field, fields
from functools import partial
from typing import Any, NoReturn, TypeVar, get_args, get_type_hints

from ..options import ImportOptions, group_options
from ..options import Options as OptionBase
from .task import Plan

EPILOG = "Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted."
Options = TypeVar("Options", bound=OptionBase)


class CommandParser(argparse.ArgumentParser):
    """Reports in two lines the error in the words and the place of help: usage is pages long here,
    and would hide it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\nsee {self.prog} --help\n")


def add_option_arguments(
    parser: argparse.ArgumentParser,
    *kinds: type[Any],
    only: Container[str] | None = None,
    but: Container[str] = (),
    heading: str = "",
) -> None:
    """Adds the arguments of these classes of options, in their groups, or in one under a heading.
    With `only`, the arguments of the fields named there; none of the fields named in `but`."""
    hints: dict[str, Any] = {}
    for kind in reversed(kinds):
        hints |= get_type_hints(kind)
    group = parser.add_argument_group(heading) if heading else None
    for title, members in group_options(*kinds).items():
        chosen = [each for each in members if only is None or each.name in only]
        chosen = [each for each in chosen if each.name not in but]
        if chosen:
            under = group or parser.add_argument_group(title.lower())
            for field in chosen:
                _add_argument(under, field, hints[field.name])


def add_format_arguments(parser: argparse.ArgumentParser, kinds: Mapping[str, type[Any]]) -> None:
    """Adds the arguments of the options of formats (label -> class): a group for each format, then
    one for each company of formats that have some in common."""
    holders: dict[str, list[str]] = {}
    for label, kind in kinds.items():
        for field in fields(kind):
            holders.setdefault(field.name, []).append(label)
    for company in sorted(dict.fromkeys(map(tuple, holders.values())), key=len):
        *others, last = company
        title = f"{', '.join(others)} and {last}" if others else last
        only = [name for name, labels in holders.items() if tuple(labels) == company]
        heading = f"for all formats ({title})" if len(company) == len(kinds) else f"for {title}"
        own = [kinds[label] for label in company]
        add_option_arguments(parser, *own, only=only, heading=heading)


def read_options(
    namespace: argparse.Namespace, kind: type[Options], only: Container[str] | None = None
) -> Options:
    """Reads the options that were written, with `only` the options of fields named there;
    everything else has its default. A choice that only exports have under the same name is not an
    option of an import."""
    written = vars(namespace)
    found = {}
    for field in fields(kind):
        if only is not None and field.name not in only:
            continue
        value, choices = written.get(_place_of(field.name)), field.metadata.get("choices")
        is_foreign = issubclass(kind, ImportOptions) and choices and value not in choices
        if _place_of(field.name) in written and not (is_foreign and isinstance(value, str)):
            found[field.name] = value
    return kind(**found)


def is_written(namespace: argparse.Namespace, name: str) -> bool:
    """Whether an argument of the command, or else of an option, of this name was written."""
    return getattr(namespace, name, getattr(namespace, _place_of(name), None)) is not None


def _place_of(name: str) -> str:
    """Where an option's argument is in the namespace: not where an argument of the command is that
    has the same name and another meaning, such as the --srdf of convert."""
    return f"option {name}"


def add_own_argument(parser: Any, name: str, flag: str, **how: Any) -> None:
    """Adds an argument for the option `name` in another form than add_option_arguments would."""
    parser.add_argument(flag, dest=_place_of(name), default=argparse.SUPPRESS, **how)


def _add_argument(group: Any, field: "Field[Any]", hint: Any) -> None:
    flag, text = f"--{field.name.replace('_', '-')}", field.metadata["help"].replace("%", "%%")
    entries, how = field.metadata.get("entries"), dict[str, Any]()
    if isinstance(field.default, bool):
        how["action"] = argparse.BooleanOptionalAction
        text = f"{text} (default: {'yes' if field.default else 'no'})"
    elif entries and isinstance(field.default, tuple):
        names = tuple(entries.split())
        how = {"nargs": len(names), "type": _read_finite, "metavar": names}
        text = f"{text} (default: {' '.join(f'{number:g}' for number in field.default)})"
    elif entries:
        how["metavar"] = entries.split()[0]
    elif isinstance(field.default, tuple):
        reader, metavar = _entry_reader(field, hint)
        how = {"action": "append", "type": reader, "metavar": metavar}
        flag, text = flag.removesuffix("s"), f"{text} (may be repeated)"
    elif "choices" in field.metadata:
        _add_choices(group, field, flag, text)
        return
    else:
        how = {"type": _number_reader(field), "metavar": "N"}
        text = text if field.default is None else f"{text} (default: {field.default})"
    add_own_argument(group, field.name, flag, help=text, **how)


def _add_choices(group: Any, field: "Field[Any]", flag: str, text: str) -> None:
    """Adds the argument of a choice; where it is a switch whose default is neither off nor on, that
    is a flag, which stays away for the default."""
    choices: dict[str, str] = field.metadata["choices"]
    off, on = field.metadata.get("switch", (None, None))
    meaning = "; ".join(f"{key}: {what}" for key, what in choices.items())
    text = f"{text}. {meaning.replace('%', '%%')} (default: {field.default})"
    how: dict[str, Any] = {"choices": list(choices)}
    if on is not None and field.default not in (off, on):
        text, how = f"{text}; the flag is {on}", {"action": "store_const", "const": on}
    add_own_argument(group, field.name, flag, help=text, **how)
    if off is not None:
        text = f"The same as {flag} {off}" if field.default in (off, on) else f"{flag}: {off}"
        negated = flag.replace("--", "--no-", 1)
        add_own_argument(group, field.name, negated, action="store_const", const=off, help=text)


def split_names(text: str) -> tuple[str, ...]:
    """Returns the names in a text with commas between them."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _read_finite(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number


def _number_reader(field: "Field[Any]") -> Callable[[str], float]:
    kind: Callable[[str], float] = int if isinstance(field.default, int) else float
    least, most = field.metadata.get("minimum"), field.metadata.get("maximum")

    def read(text: str) -> float:
        number = kind(text)
        # Written this way round, a NaN is outside.
        inside = (least is None or number >= least) and (most is None or number <= most)
        if not inside:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return number

    # argparse's names of the expected kinds, if a text is not a number.
    read.__name__ = int.__name__ if kind is int else float.__name__
    return read


def _entry_reader(field: "Field[Any]", hint: Any) -> tuple[Callable[[str], Any], str]:
    """Returns the reader of one entry of a tuple, and the form of an entry in the help."""
    separator = field.metadata.get("separator")
    if separator is not None:
        return partial(_read_pair, separator), f"NAME{separator}VALUE"
    pairs = bool(get_args(get_args(hint)[0]))
    return (_read_named_folder, "NAME=FOLDER") if pairs else (_read_folder, "FOLDER")


def _read_folder(text: str) -> str:
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return text


def _read_named_folder(text: str) -> tuple[str, str]:
    name, folder = _read_pair("=", text)
    return name, _read_folder(folder)


def _read_pair(separator: str, text: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not (name and found):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME{separator}VALUE")
    return name, value


def add_command(
    commands: Any, name: str, plan: Plan, form: str = "", **texts: str
) -> argparse.ArgumentParser:
    """Adds a command, with the arguments that all have; `texts` are its help and description. With
    a `form` it takes several inputs of that form."""
    parser: argparse.ArgumentParser = commands.add_parser(name, epilog=EPILOG, **texts)
    parser.set_defaults(parser=parser, plan=plan)
    if form:
        parser.usage = f"%(prog)s {form} ... [options]"
        parser.add_argument("inputs", nargs="+", metavar=form, help="the robot description")
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="write a report, one line of JSON for each input, failed inputs included; "
        "- for standard output",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="treat every warning and error as a failure: nothing is written",
    )
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")
    return parser
