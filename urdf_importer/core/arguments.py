# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of callers, converted to their one possible meaning, or refused in a sentence."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, is_dataclass
from typing import Any, TypeVar, get_args

from .diagnostics import ArgumentError, Diagnostics, name_choices, quote_value
from .model import Robot

Kind = TypeVar("Kind")


def rig_of(given: Any) -> Any:
    """Returns the armature of a robot in Blender, given as itself or as the result of an import. It
    may be any armature, not only a robot's. Raises ArgumentError for anything but an object of
    Blender."""
    try:
        rig = getattr(given, "armature", given)
        is_object = hasattr(rig, "session_uid")
    except ReferenceError:
        raise ArgumentError("the robot's armature is no longer in Blender") from None
    if not is_object:
        raise ArgumentError(
            "a robot in Blender is given by its armature, or by the result of import_robot, not by "
            + quote_value(given)
        )
    return rig


def rigs_of(given: Any) -> list[Any]:
    """Returns the results of rig_of for one robot or several."""
    several = None if isinstance(given, str) else _entries_of(given)
    return [rig_of(each) for each in ([given] if several is None else several)]


def robot_of(given: Any) -> Robot:
    """Returns the given `Robot`, or the one in an import's result. Raises ArgumentError."""
    robot = getattr(given, "robot", given)
    if not isinstance(robot, Robot):
        raise ArgumentError(
            "a description is given as a Robot, which read_robot and extract_robot return, not as "
            + quote_value(given)
        )
    return robot


def robot_or_rig_of(given: Any) -> Any:
    """Returns a `Robot` unchanged; treats anything else as rig_of does."""
    return given if isinstance(given, Robot) else rig_of(given)


def options_of(given: Kind | None, kind: type[Kind]) -> Kind:
    """Returns the options that were given, or the defaults of a class. Raises ArgumentError for
    anything else."""
    if given is not None and not isinstance(given, kind):
        name = kind.__name__
        raise ArgumentError(f"options must be {name}(...), not {quote_value(given)}")
    return kind() if given is None else given


def several_options_of(given: Any, kind: type[Kind]) -> tuple[Kind, ...]:
    """Returns one set of options or several, as a tuple."""
    several = [given] if isinstance(given, kind) else _entries_of(given)
    return tuple(options_of(each, kind) for each in ([given] if several is None else several))


def diagnostics_of(given: Any, source: object = "") -> Diagnostics:
    """Returns the given collector of diagnostics, or a new one about `source`. Raises ArgumentError
    for anything else, such as options in its place."""
    if given is not None and not isinstance(given, Diagnostics):
        hint = "; options are given by name: options=..." if is_dataclass(given) else ""
        raise ArgumentError(f"diagnostics must be Diagnostics(), not {quote_value(given)}{hint}")
    return Diagnostics(str(source)) if given is None else given


def positions_of(given: Any) -> Mapping[str, Any]:
    """Returns joint positions by the names of the joints; none of None. Raises ArgumentError."""
    if given is not None and not isinstance(given, Mapping):
        raise ArgumentError(f"joint positions must be {{joint: number}}, not {quote_value(given)}")
    return given or {}


def texts_of(given: str | os.PathLike[str] | Iterable[Any], name: str) -> tuple[str, ...]:
    """Returns the texts of an argument that takes several. A single text or path is one entry,
    never a list of letters. Raises ArgumentError."""
    one = _text_of(given)
    if one is not None:
        return (one,)
    entries = _entries_of(given)
    texts = None if entries is None else [_text_of(entry) for entry in entries]
    if texts is None or None in texts:
        raise _refusal(name, given, "texts or paths, such as ('a', 'b')")
    return tuple(text for text in texts if text is not None)


def pairs_of(given: Any, name: str) -> tuple[tuple[str, str], ...]:
    """Returns the pairs of texts of an argument that takes several. A mapping is read as its pairs,
    and a number in a pair as its text. Raises ArgumentError."""
    entries = given.items() if isinstance(given, Mapping) else given
    found = None if isinstance(given, str) else _entries_of(entries)
    pairs: list[tuple[str, str]] = []
    for entry in found or ():
        both = None if isinstance(entry, str) else _entries_of(entry)
        texts = [_text_of(part, numbers=True) for part in both or ()]
        if len(texts) == 2 and texts[0] is not None and texts[1] is not None:
            pairs.append((texts[0], texts[1]))
    if found is None or len(pairs) != len(found):
        raise _refusal(name, given, "pairs of texts, such as {'a': 'b'} or (('a', 'b'),)")
    return tuple(pairs)


def number_of(given: Any, name: str, *, least: float = -math.inf, whole: bool = False) -> float:
    """Returns a number of an argument; infinity counts as one that is not whole. Raises
    ArgumentError."""
    endless = isinstance(given, float) and given == math.inf and not whole
    number = given if endless else _number_of(given)
    if number is None or number < least or (whole and number != math.floor(number)):
        bound = "" if least == -math.inf else f" of at least {least:g}"
        raise _refusal(name, given, ("a whole number" if whole else "a number") + bound)
    return number


def numbers_of(
    given: Any, name: str, count: int, *, least: float = -math.inf, whole: bool = False
) -> tuple[float, ...]:
    """Returns the numbers of an argument that takes so many, each as number_of does. Raises
    ArgumentError."""
    entries = None if isinstance(given, str) else _entries_of(given)
    if entries is None or len(entries) != count:
        raise _refusal(name, given, f"{count} numbers")
    return tuple(number_of(entry, name, least=least, whole=whole) for entry in entries)


def switch_of(given: Any, name: str) -> bool:
    """Returns True or False of an argument. Raises ArgumentError."""
    # 0 and 1 of any kind of number, numpy's own truth too, but nothing that has a length.
    if hasattr(given, "__len__") or given not in (False, True):
        raise _refusal(name, given, "True or False")
    return bool(given)


def choice_of(given: Any, name: str, choices: Sequence[str]) -> str:
    """Returns one of the texts that an argument may be. Raises ArgumentError."""
    if not isinstance(given, str) or given not in choices:
        raise _refusal(name, given, name_choices([repr(each) for each in choices]))
    return given


def check_option(field: "Field[Any]", given: Any) -> Any:
    """Returns the value of an option in its own type, by the metadata that `option()` gave its
    field. Raises ArgumentError for values that the command would refuse too."""
    meta, default = field.metadata, field.default
    if "switch" in meta and isinstance(given, bool):
        return meta["switch"][given]
    if "choices" in meta:
        return choice_of(given, field.name, meta["choices"])
    if isinstance(default, bool):
        return switch_of(given, field.name)
    if isinstance(default, str):
        text = _text_of(given) if meta.get("entries") == "FILE" else given
        if not isinstance(text, str):
            raise _refusal(field.name, given, "a text")
        return text
    if not isinstance(default, tuple):
        return given if given is None and default is None else _check_number(field, given)
    if "entries" in meta:
        return _check_vector(field, given)
    if get_args(get_args(field.type)[0]):
        return pairs_of(given, field.name)
    return texts_of(given, field.name)


def _check_number(field: "Field[Any]", given: Any) -> float:
    least = field.metadata.get("minimum", -math.inf)
    most = field.metadata.get("maximum", math.inf)
    whole = isinstance(field.default, int)
    number = _number_of(given)
    inside = number is not None and least <= number <= most
    if number is None or not inside or (whole and number != math.floor(number)):
        kind = "a whole number" if whole else "a number"
        bounds = f" of at least {least:g}" if math.isinf(most) else f" from {least:g} to {most:g}"
        raise _refusal(field.name, given, kind + ("" if math.isinf(least) else bounds))
    return int(number) if whole else number


def _check_vector(field: "Field[Any]", given: Any) -> tuple[float, ...]:
    kinds = get_args(field.type)
    entries = None if isinstance(given, str) else _entries_of(given)
    numbers = [_number_of(entry) for entry in entries or ()]
    if entries is None or None in numbers or (... not in kinds and len(numbers) != len(kinds)):
        wanted = "numbers" if ... in kinds else f"{len(kinds)} numbers"
        raise _refusal(field.name, given, f"{wanted}: {field.metadata['entries']}")
    return tuple(number for number in numbers if number is not None)


def _text_of(given: Any, *, numbers: bool = False) -> str | None:
    """Returns a text, or a path as text; None for anything else."""
    if isinstance(given, os.PathLike):
        given = os.fspath(given)
    if numbers and not isinstance(given, bool) and isinstance(given, int | float):
        return repr(given)
    return given if isinstance(given, str) else None


def _number_of(given: Any) -> float | None:
    """Returns a finite number; None for anything else, also for texts and truths."""
    if isinstance(given, str | bytes | bool):
        return None
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _entries_of(given: Any) -> list[Any] | None:
    """Returns the entries of a container, in their order; None for anything else."""
    if isinstance(given, bytes | bytearray | Mapping) or not isinstance(given, Iterable):
        return None
    return list(given)


def _refusal(name: str, given: Any, wanted: str) -> ArgumentError:
    return ArgumentError(f"{name} is {quote_value(given)}; it must be {wanted}")
