# SPDX-License-Identifier: GPL-3.0-or-later
"""What shapes look like: colours and images."""

from ....geometry.mesh_data import MeshMaterial
from ....model import Color
from ...textures import Textures
from ..vrml import Node, Value

_WITHOUT_COLOR: Color = (0.8, 0.8, 0.8, 1.0)
_DIGITS = 6


class Appearances:
    """`find` gives the same node for the same look, so that it is written once.

    Colours go in as they are: Webots takes them as sRGB, like RViz. A description knows neither
    metal nor gloss, so all is matt.
    """

    def __init__(self, textures: Textures) -> None:
        self._textures = textures
        self._nodes: dict[tuple[Color, str], Node] = {}

    def find(self, look: MeshMaterial | None, subject: str, line: int) -> Node:
        """Returns the appearance of a look; `subject` (a link's name) and `line` are for
        diagnostics."""
        color = _rounded(look.color if look is not None else _WITHOUT_COLOR)
        url = self._textures.find(look, subject, line) if look is not None else None
        key = (color, url or "")
        if key not in self._nodes:
            self._nodes[key] = _make(color, url)
        return self._nodes[key]


def _make(color: Color, url: str | None) -> Node:
    """Makes an appearance. An image takes the place of the colour, which Webots would multiply it
    by."""
    fields: dict[str, Value] = {"baseColor": (1.0, 1.0, 1.0) if url else color[:3]}
    if url:
        fields["baseColorMap"] = Node("ImageTexture", {"url": [url]})
    if color[3] < 1.0:
        fields["transparency"] = round(1.0 - color[3], _DIGITS)
    fields["roughness"] = 1.0
    fields["metalness"] = 0.0
    return Node("PBRAppearance", fields)


def _rounded(color: Color) -> Color:
    red, green, blue, alpha = (round(min(max(part, 0.0), 1.0), _DIGITS) for part in color)
    return (red, green, blue, alpha)
