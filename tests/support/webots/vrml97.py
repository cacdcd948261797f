# SPDX-License-Identifier: GPL-3.0-or-later
"""A PROTO of Webots as plain VRML 97, for parsers that never heard of Webots.

The text of the PROTO stays as it is, letter by letter, but for the first line and `subdivision`,
which round shapes have in Webots only. Before it come declarations of the nodes that VRML 97 does
not have, each a PROTO itself: what moves and holds becomes a Transform or a Group, an appearance an
Appearance, a device nothing that is seen. So the parser checks the whole syntax, the name and the
type of each field, and finds the shapes in their places.
"""

import json
import re
from pathlib import Path
from typing import Any

HEADER = "#VRML_SIM R2025a utf8\n"
# Nodes that mean the same in both.
STANDARD = {
    "Box", "Coordinate", "Cylinder", "Group", "ImageTexture", "IndexedFaceSet", "Normal", "Shape",
    "Sphere", "TextureCoordinate",
}  # fmt: skip
PLACED = "Transform { translation IS translation rotation IS rotation children IS children }"
BODIES = {
    "Pose": PLACED,
    "Solid": PLACED,
    "Robot": PLACED,
    "HingeJoint": "Group { children IS endPoint }",
    "Hinge2Joint": "Group { children IS endPoint }",
    "BallJoint": "Group { children IS endPoint }",
    "SliderJoint": "Group { children IS endPoint }",
    "Capsule": "Sphere { radius IS radius }",
    "PBRAppearance": (
        "Appearance { texture IS baseColorMap material Material {"
        " diffuseColor IS baseColor transparency IS transparency } }"
    ),
}
_NODES: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("webots_nodes.json").read_text("utf-8")
)["nodes"]


def to_vrml97(proto: str, name: str) -> str:
    """The text of a .proto and one instance of it, `name`."""
    assert proto.startswith(HEADER)
    body = re.sub(r"^ *subdivision \d+\n", "", proto.removeprefix(HEADER), flags=re.MULTILINE)
    nodes = sorted(set(re.findall(r"\b([A-Z]\w*) \{", body)) - STANDARD)
    declared = "\n".join(_declare(node) for node in nodes)
    return f"#VRML V2.0 utf8\n{declared}\n{body}\n{name} {{ }}\n"


def _declare(node: str) -> str:
    fields = _NODES[node]["fields"].items()
    lines = [
        f"  field {_type(name, field)} {name} {_default(name, field)}" for name, field in fields
    ]
    return "\n".join([f"PROTO {node} [", *lines, "]", f"{{ {BODIES.get(node, 'Group { }')} }}"])


def _type(name: str, field: dict[str, Any]) -> str:
    # Of one node, but that is a list too: so that a Group can hold it.
    return "MFNode" if name == "endPoint" else str(field["type"])


def _default(name: str, field: dict[str, Any]) -> str:
    kind, value = _type(name, field), field["default"]
    if kind == "SFNode":
        return "NULL"
    if kind == "MFNode" or value == []:
        return "[ ]"
    if kind.startswith("MF"):
        return f"[ {', '.join(_tell(item) for item in value)} ]"
    return _tell(value)


def _tell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return " ".join(_tell(item) for item in value)
    return repr(value)
