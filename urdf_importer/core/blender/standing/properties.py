# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties: the content of the description, kept in the .blend.

The schema is documented in docs/reference/rig_properties.md. Model classes become groups of their
fields; unset values (None, empty) are left out, since custom properties cannot hold None. A group
of a shape also holds its `type`. Further attributes are one list of names and values in turn. Lines
of the source are left out.
"""

from dataclasses import is_dataclass
from typing import Any, get_args

from ...diagnostics import BuildError, quote
from ...model import IDENTITY, Geometry
from ...model.extra import list_fields

SCHEMA_VERSION = 1
SCHEMA = "urdf_schema"
ROBOT = "urdf_robot"
LINK = "urdf_link"
JOINT = "urdf_joint"
JOINTS = "urdf_joints"
SHAPE = "urdf_shape"
MASS = "urdf_mass"
CENTER_OF_MASS = "urdf_center_of_mass"
INERTIA = "urdf_inertia"
IMPORT = "urdf_import"
ARMATURE = "urdf_armature"
ARMATURES = "urdf_armatures"
PART = "urdf_part"
WIDGET = "urdf_widget"
LOOP_NUMBER = "urdf_loop_{}"
LIMITS_OF = "urdf_limits_of"
CONSTRAINTS = "urdf_constraints"
NAMED = "urdf_named"
FINGERPRINT = "urdf_fingerprint"
DIGEST = "urdf_digest"
PACKED = "urdf_packed"
LOOK = "urdf_look"
LOOKS = "urdf_looks"
REST = "urdf_rest"
BUILT = "urdf_built"
CONTENT = "urdf_content"
DECIMATED = "urdf_decimated"
MOUNTED = "urdf_mounted"
"""On an object that a program put on a link: it and its children are not shapes of the robot."""
THING = "urdf_thing"
"""On the object of a thing of a world, or on an empty that holds its shapes: how it is beyond its
looks."""
WORLD = "urdf_world"
"""On the collection of a world of SDF: all of its text that became nothing in the scene."""
SEMANTICS = "urdf_semantics"
GROUP = "urdf_group"
STATE = "urdf_state"
IK = "urdf_ik"
WAYPOINT = "urdf_waypoint"
"""On an empty that is a waypoint: its place in the order. Beside it flat properties, since library
overrides lose groups: WAYPOINT with _link, _joints, _positions and the fields of a Waypoint."""
WAYPOINT_LINK, WAYPOINT_JOINTS = "urdf_waypoint_link", "urdf_waypoint_joints"
WAYPOINT_MARKERS = "urdf_waypoint_markers"
"""On an armature object: the markers that its last plan put on the timeline."""
VIA = "urdf_via"
"""On a waypoint that is reached on an arc: the empty that is its via point."""
MOTION = "urdf_motion"
SERVOS = "urdf_servos"
"""On an armature object: the text of a table of servos."""
VIRTUAL_JOINT = "urdf_virtual_joint"
PASSIVE = "urdf_passive"
JOINT_PROPERTIES = "urdf_joint_properties"
SENSOR = "urdf_sensor"
"""On the object of a sensor: the sensor's name."""
READING = "urdf_reading"
"""On an image, or an object of points, that shows a measurement: the names of robot and sensor."""
AXIS_FROM = "urdf_axis_from"
USERS = (AXIS_FROM, SERVOS)
"""Properties that updates leave alone."""

# The content of a collection: the armature, or the part that an object under a link's empty
# represents.
RIG = "Rig"
VISUALS = "Visuals"
COLLISIONS = "Collisions"
INERTIALS = "Inertials"
SENSORS = "Sensors"
HIDDEN = (COLLISIONS, INERTIALS)
"""Parts that an import hides, by their collections' own switch, so that copies, other scenes and
other files that take the collection keep them hidden."""

SHAPE_TYPES = {kind: kind.__name__.lower() for kind in get_args(Geometry)}

MOST_TEXT = 8 * 1024 * 1024
_PLAIN = frozenset({str, float, int, bool})
_LISTS = frozenset({tuple, list})
_EMPTY = frozenset({tuple, str})


def read_group(item: Any, key: str, *texts: str) -> Any | None:
    """Returns a group of properties that an import kept, None where there is none: all readers of
    kept groups come through here. Raises BuildError for anything but a group, and for one that
    lacks one of these texts."""
    kept = item.get(key)
    if kept is None:
        return None
    if not hasattr(kept, "to_dict") or any(not isinstance(kept.get(each), str) for each in texts):
        raise edited_by_hand(item, key)
    return kept


def edited_by_hand(item: Any, key: str) -> BuildError:
    """Returns the error for a property that no import writes in this way."""
    return BuildError(
        f"the property {quote(key)} of {quote(item.name)} was edited by hand and cannot be read: "
        "undo the edit, or import the robot again"
    )


def pack(value: Any) -> Any:
    """Packs a model value as custom properties hold it: groups, lists, numbers, text."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in _LISTS:
        return [item if type(item) in _PLAIN else pack(item) for item in value]
    return _pack_fields(value) if is_dataclass(value) else value


def pack_text(text: bytes) -> str:
    """Returns the URDF that was read, kept so that edits can be minimal; empty where a property
    cannot hold it: not UTF-8, or beyond MOST_TEXT bytes."""
    if len(text) > MOST_TEXT or b"\0" in text:
        return ""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _pack_fields(value: Any) -> dict[str, Any]:
    packed: dict[str, Any] = {}
    shape = SHAPE_TYPES.get(type(value))
    if shape is not None:
        packed["type"] = shape
    for name in list_fields(type(value)):  # type: ignore[arg-type]
        item = getattr(value, name)
        if item is None or (not item and type(item) in _EMPTY):
            continue
        if (name == "child_origin" and item == IDENTITY) or (name == "bare" and not item):
            continue
        if name == "attributes":
            packed[name] = [text for pair in item for text in pair]
        else:
            packed[name] = pack(item)
    return packed
