# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours that only Gazebo knows: <gazebo reference="link"><material>Gazebo/Red</material>.

Gazebo's standard materials go by name. Many descriptions colour their links by these alone, and
some name them in a plain <material> that nothing defines.
"""

import re
from collections.abc import Iterable

from .extra import Extra
from .material import Color, Material

_GREY = (0.7, 0.7, 0.7)
_COLORS = {
    "grey": _GREY,
    "gray": _GREY,
    "darkgrey": (0.175, 0.175, 0.175),
    "darkgray": (0.175, 0.175, 0.175),
    "white": (1.0, 1.0, 1.0),
    "flatblack": (0.1, 0.1, 0.1),
    "black": (0.0, 0.0, 0.0),
    "red": (1.0, 0.0, 0.0),
    "redbright": (0.87, 0.26, 0.07),
    "green": (0.0, 1.0, 0.0),
    "blue": (0.0, 0.0, 1.0),
    "skyblue": (0.13, 0.44, 0.70),
    "yellow": (1.0, 1.0, 0.0),
    "zincyellow": (0.9725, 0.9529, 0.2078),
    "darkyellow": (0.7, 0.7, 0.0),
    "purple": (1.0, 0.0, 1.0),
    "turquoise": (0.0, 1.0, 1.0),
    "orange": (1.0, 0.5088, 0.0468),
    "indigo": (0.33, 0.0, 0.5),
    "gold": (0.8, 0.6491, 0.0),
}
_PREFIX = "gazebo/"
_REFERENCE = re.compile(r"""<gazebo\b[^<>]*?\sreference\s*=\s*["']([^"'<>]*)["']""")
_MATERIAL = re.compile(r"<material\b[^<>]*>\s*(?:<script>\s*)?(?:<name>\s*)?([\w/]+)")


def find_gazebo_color(name: str) -> Color | None:
    """The colour of Gazebo's standard material of this name, with or without `Gazebo/`.

    Upper and lower case count alike; `Transparent` at the end halves the alpha, `Glow` changes
    nothing here.
    """
    key = name.strip().lower().removeprefix(_PREFIX)
    plain = key.removesuffix("overlay")
    base = plain.removesuffix("transparent").removesuffix("glow")
    color = _COLORS.get(base)
    return None if color is None else (*color, 0.5 if plain.endswith("transparent") else 1.0)


def gazebo_materials(extras: Iterable[Extra]) -> dict[str, Material]:
    """Link name -> material, of the links that a <gazebo> element of the robot colours by a
    standard material; the first such element of a link counts."""
    found: dict[str, Material] = {}
    for extra in extras:
        if extra.tag != "gazebo":
            continue
        text = _without_comments(extra.xml)
        reference, material = _REFERENCE.match(text.lstrip()), _MATERIAL.search(text)
        if reference is None or material is None:
            continue
        name = material[1]
        color = find_gazebo_color(name) if name.lower().startswith(_PREFIX) else None
        if color is not None:
            found.setdefault(reference[1], Material(name=name, color=color, line=extra.line))
    return found


def _without_comments(text: str) -> str:
    """In one pass: a regular expression takes quadratic time where none of them ends."""
    kept, *comments = text.split("<!--")
    return kept + "".join(comment.partition("-->")[2] for comment in comments)
