# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of options with their texts for the front ends, and fields that several classes share."""

from copy import copy
from dataclasses import Field, dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from ..arguments import check_option

UpAxis = Literal["ignore", "file"]
FitCollisions = Literal[
    "never", "auto", "box", "cylinder", "capsule", "sphere", "hull", "decomposed"
]
FITS = {
    "box": "The smallest box, in any direction",
    "cylinder": "The smallest cylinder, in any direction",
    "capsule": "The smallest capsule, in any direction",
    "sphere": "The smallest sphere",
    "hull": "The convex hull",
    "decomposed": "Convex parts",
    "auto": "Convex parts where these are much smaller than the hull, else a simple shape where "
    "it is hardly larger, else the hull",
}
"""The shapes that are fitted around meshes; the last is the usual one."""

AUTO = "auto"
"""In place of a file: the nearby one."""


Base = Literal["auto", "fixed", "free"]
BASES = {
    "auto": "Fixed where the root link is named world and something is fixed to it; for MuJoCo "
    "everywhere but where the SRDF has a floating virtual joint",
    "fixed": "Fixed in the world",
    "free": "Free to move and to fall",
}
"""The choices of `base` in all formats that have it."""


def option(
    default: Any,
    label: str,
    text: str,
    *,
    group: str,
    bounds: tuple[float | None, float | None] = (None, None),
    choices: dict[str, str] | None = None,
    separator: str | None = None,
    entries: str | None = None,
    blank: str | None = None,
) -> Any:
    """Makes a field with the texts for the front ends: `label`, help `text`, `group`, range,
    choices.

    Pairs of texts are written with `separator` between them; without one they are name=folder.
    `entries` names the numbers of a vector ("X Y Z") or the meaning of a text ("LINK"), `blank`
    describes an empty field. Choices with a "never" take False for it, and True for
    the last other choice.
    """
    minimum, maximum = bounds
    known: dict[str, Any] = {
        "label": label,
        "help": text,
        "group": group,
        "minimum": minimum,
        "maximum": maximum,
        "choices": choices,
        "separator": separator,
        "entries": entries,
        "blank": blank,
    }
    if choices and "never" in choices:
        known["switch"] = ("never", [key for key in choices if key != "never"][-1])
    given = {key: value for key, value in known.items() if value is not None}
    return field(default=default, metadata=given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Base of all classes of options: fields made by `option`, whose values are checked when
    options are made, in Python as by the command. Raises ArgumentError."""

    GROUPS: ClassVar[tuple[str, ...]] = ()
    """The titles of groups in the order of the front ends, where fields have another order."""

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, check_option(each, getattr(self, each.name)))


def packages_option() -> Any:
    return option(
        (),
        "Packages",
        "Where a package named in package:// lies, as name=folder",
        group="Files",
    )


def package_paths_option() -> Any:
    return option(
        (),
        "Package Folders",
        "Folders in which to look for packages; files in them may be read",
        group="Files",
    )


def up_axis_option(group: str) -> Any:
    return option(
        "ignore",
        "Up Axis",
        "How to treat the axis that a COLLADA file calls up",
        group=group,
        choices={
            "ignore": "Z is up, as in RViz: right for nearly all descriptions",
            "file": "The mesh is turned as its file says: for descriptions whose meshes lie on "
            "their sides otherwise",
        },
    )


def fit_collisions_option(group: str) -> Any:
    """Makes the option that fits collision shapes on the way; True is "auto"."""
    return option(
        "never",
        "Fit Collisions",
        "The shapes that collide in the place of meshes; links without collision shapes get them "
        "around their visuals",
        group=group,
        choices={"never": "The meshes collide as they are", **FITS},
    )


def group_options(*kinds: type[Options]) -> dict[str, list["Field[Any]"]]:
    """Returns title -> fields of classes of options, as front ends show them. Of fields of one
    name the first counts, with the choices of all."""
    groups: dict[str, list[Field[Any]]] = {}
    for kind in kinds:
        groups |= {title: [] for title in kind.GROUPS if title not in groups}
    seen: dict[str, Field[Any]] = {}
    for each in (each for kind in kinds for each in fields(kind)):
        if each.name not in seen:
            seen[each.name] = copy(each)
            groups.setdefault(each.metadata["group"], []).append(seen[each.name])
        elif "choices" in each.metadata:
            first = seen[each.name]
            known = each.metadata["choices"] | first.metadata.get("choices", {})
            first.metadata = MappingProxyType({**first.metadata, "choices": known})
    return {title: members for title, members in groups.items() if members}
