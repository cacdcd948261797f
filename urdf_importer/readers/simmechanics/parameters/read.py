# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter file -> Parameters: one read_ function for each key that is more than a word."""

import math
from collections.abc import Callable, Mapping
from functools import partial

from ....diagnostics import Diagnostics
from ....markup.yaml_tree import Node, parse_yaml
from ....model import Pose
from .keys import (
    ExportedFrame,
    ExtraJoint,
    JointChange,
    LinkFrame,
    NewFrame,
    Parameters,
)
from .read_parts import (
    FRAME,
    line_of,
    read_blobs,
    read_choice,
    read_colors,
    read_force_sensors,
    read_inertias,
    read_masses,
    read_mirrored,
    read_pose,
    read_sensors,
    read_shapes,
    read_workaround,
)
from .values import Values

_MOST_BYTES = 256 * 1024

_JOINT_WORDS = ("continuous", "revolute", "prismatic", "fixed", "planar", "floating", "spherical")
_LIMITS = ("lower", "upper", "effort", "velocity")
_CHANGES = ("name", "type", "axis", "referenceFrame", "axisReferenceFrame", "limits")

# Marks a file as one of robotology's converter.
ROBOTOLOGY_KEYS = frozenset(
    (
        "filenameformatchangeext", "stringToRemoveFromMeshFileName", "robotName", "rename",
        "originXYZ", "originRPY", "epsilon", "linkFrames", "exportedFrames", "exportAllUseradded",
        "reverseRotationAxis", "assignedMasses", "assignedInertias", "mirroredInertia",
        "inertiaWorkaround", "assignedColors", "assignedCollisionGeometry", "damping", "friction",
        "effort_limit", "velocity_limit", "forceTorqueSensors", "sensors", "XMLBlobs",
    )
)  # fmt: skip

Reader = Callable[[Node, str, Parameters, Values], None]


def read_parameters(
    data: bytes, source: str, diagnostics: Diagnostics, *, has_table: bool, generation: int
) -> Parameters:
    """Returns the parameters that a file says; `has_table`: a table of joints is given beside it.

    Raises ReadError for what is not YAML or not a mapping, and for a root, a base frame or a format
    of filenames that cannot be meant; an ERROR diagnostic tells of other values that are wrong.
    """
    root = parse_yaml(
        data, source, diagnostics, called="the parameter file", most_bytes=_MOST_BYTES
    )
    assert root.pairs is not None
    parameters = Parameters(source=source)
    values = Values(source, diagnostics)
    choose_dialect(parameters, root.pairs, values, has_table=has_table, generation=generation)
    for key, node in root.pairs.items():
        line = root.lines.get(key, node.line)
        parameters.lines[key, ""] = line
        reader = READERS.get(key)
        if reader is None:
            values.unknown(key, line, READERS)
        elif not node.is_null:
            reader(node, key, parameters, values)
    _check_formats(parameters, root, values)
    return parameters


def choose_dialect(
    parameters: Parameters,
    pairs: Mapping[str, Node],
    values: Values,
    *,
    has_table: bool,
    generation: int,
) -> None:
    """Settles the dialect and what hangs on it before all other keys."""
    said = pairs.get("dialect")
    word = said.text.strip() if said is not None and said.is_scalar else ""
    is_robotology = generation == 2 or has_table or not ROBOTOLOGY_KEYS.isdisjoint(pairs)
    if word in ("ros", "robotology"):
        is_robotology = word == "robotology"
    elif said is not None:
        values.bad("dialect", "it is neither ros nor robotology; it is left out", said.line)
    parameters.dialect = "robotology" if is_robotology else "ros"
    parameters.lower_case = is_robotology


def _check_formats(parameters: Parameters, root: Node, values: Values) -> None:
    keys = [key for key in ("filenameformat", "filenameformatchangeext") if key in root.lines]
    if len(keys) == 2:
        raise values.refusal(
            keys[1], "it stands beside filenameformat, and only one can count", root.lines[keys[1]]
        )
    rest = parameters.filename_format.replace("%%", "")
    if keys and (rest.count("%") != 1 or rest.count("%s") != 1):
        raise values.refusal(
            keys[0], "it must hold %s exactly once, and %% for a percent sign", root.lines[keys[0]]
        )


# Words and numbers


def _read_text(name: str, node: Node, key: str, parameters: Parameters, values: Values) -> None:
    text = values.text(node, key)
    if text is not None:
        setattr(parameters, name, text)


def _read_flag(name: str, node: Node, key: str, parameters: Parameters, values: Values) -> None:
    flag = values.flag(node, key)
    if flag is not None:
        setattr(parameters, name, flag)


def _read_names(name: str, node: Node, key: str, parameters: Parameters, values: Values) -> None:
    setattr(parameters, name, values.names(node, key))
    for item in node.items or ():
        parameters.lines.setdefault((key, item.text.strip()), item.line)


def _read_vector(name: str, node: Node, key: str, parameters: Parameters, values: Values) -> None:
    vector = values.vector(node, key)
    if vector is not None:
        setattr(parameters, name, vector)


def _read_amount(name: str, node: Node, key: str, parameters: Parameters, values: Values) -> None:
    number = values.number(node, key)
    if number is not None and number < 0.0:
        values.bad(key, "it is negative; it is left out", node.line)
    elif number is not None:
        setattr(parameters, name, number)


def _read_epsilon(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    number = values.positive(node, key)
    if number is not None:
        parameters.epsilon = number


def _read_dialect(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    """Settled before; see choose_dialect."""


def _read_changed_format(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    _read_text("filename_format", node, key, parameters, values)
    parameters.drops_extension = True


def _read_scale(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    numbers = values.numbers(node, key, (1, 3))
    if numbers is None:
        return
    if not all(numbers):
        values.bad(key, "a factor is zero; it is left out", node.line)
        return
    x, y, z = numbers if len(numbers) == 3 else numbers * 3
    parameters.scale = (x, y, z)


def _read_choice(
    words: Mapping[str, bool], name: str, node: Node, key: str, parameters: Parameters,
    values: Values,
) -> None:  # fmt: skip
    text = values.text(node, key)
    if text is not None and text not in words:
        values.bad(key, f"it can only be {' or '.join(words)}; it is left out", node.line)
    elif text is not None:
        setattr(parameters, name, words[text])


# Joints and frames


def _read_redefined(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for name, entry in values.pairs(node, key).items():
        change = _read_change(entry, key, _CHANGES, values)
        parameters.lines[key, name] = change.line
        parameters.redefined[name] = change


def _read_change(node: Node, key: str, known: tuple[str, ...], values: Values) -> JointChange:
    """What can be read of a joint's attributes."""
    found: dict[str, object] = {}
    for attribute, value in values.pairs(node, key).items():
        if value.is_null:
            continue
        if attribute not in known:
            values.bad(key, f"a joint has no attribute {attribute[:80]!r}", value.line)
        elif attribute == "axis":
            axis = values.vector(value, f"{key}: axis")
            if axis is not None and math.hypot(*axis) < 1e-9:
                values.bad(key, "an axis has no length; it is left out", value.line)
            elif axis is not None:
                found["axis"] = axis
        elif attribute == "limits":
            found |= _read_limits(value, key, values)
        else:
            text = values.text(value, f"{key}: {attribute}")
            name = "axis_frame" if attribute.lower().endswith("referenceframe") else attribute
            if name == "type" and text not in _JOINT_WORDS:
                values.bad(key, f"{text!r} is not a type of joint; it is left out", value.line)
            elif text:
                found[name] = text
    return JointChange(line=node.line, **found)  # type: ignore[arg-type]


def _read_limits(node: Node, key: str, values: Values) -> dict[str, float]:
    found = {}
    for name, value in values.pairs(node, f"{key}: limits").items():
        number = values.number(value, f"{key}: {name}") if name in _LIMITS else None
        if name not in _LIMITS:
            values.bad(key, f"limits have no attribute {name[:80]!r}", value.line)
        elif number is not None:
            found[name] = number
    return found


def _read_extra_joints(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    known = ("pid", "cid", "jorigin", "attributes")
    for name, entry in values.pairs(node, key).items():
        pairs = values.pairs(entry, key)
        for attribute in pairs:
            if attribute not in known:
                values.bad(key, f"a joint has no attribute {attribute[:80]!r}", entry.line)
        ends = [values.needed(pairs, end, key, entry.line) for end in known[:3]]
        if not all(ends):
            continue
        attributes = pairs.get("attributes", Node(line=entry.line, pairs={}))
        change = _read_change(attributes, key, _CHANGES, values)
        parameters.extra_joints.append(
            ExtraJoint(
                name=name, parent=ends[0], child=ends[1], origin=ends[2], change=change,
                line=entry.line,
            )
        )  # fmt: skip


def _read_more_frames(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for entry in values.entries(node, key, ("offset", "orientation", "parent", "child")):
        line = min((value.line for value in entry.values()), default=node.line)
        child = values.needed(entry, "child", key, line)
        parent = values.needed(entry, "parent", key, line) if child else ""
        if not parent:
            continue
        offset: tuple[float, ...] | None = (0.0, 0.0, 0.0)
        turn: tuple[float, ...] | None = (0.0, 0.0, 0.0, 1.0)
        if "offset" in entry:
            offset = values.numbers(entry["offset"], f"{key}: offset", (3,))
        if "orientation" in entry:
            turn = values.numbers(entry["orientation"], f"{key}: orientation", (4,))
        if offset is None or turn is None:
            continue
        norm = math.hypot(*turn)
        if not 1e-9 < norm < 1e30:
            values.bad(key, f"the orientation of {child!r} is a quaternion of length zero", line)
            continue
        x, y, z, w = (part / norm for part in turn)
        parameters.more_frames.append(
            NewFrame(
                child=child, parent=parent, offset=(offset[0], offset[1], offset[2]),
                orientation=(x, y, z, w), line=line,
            )
        )  # fmt: skip


def _read_link_frames(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for entry in values.entries(node, key, ("linkName", *FRAME)):
        line = line_of(entry, node)
        link = values.needed(entry, "linkName", key, line)
        if link and values.needed(entry, "frameName", key, line):
            parameters.link_frames.append(
                LinkFrame(link=link, choice=read_choice(entry, key, link, values))
            )


def _read_exported_frames(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    known = (*FRAME, "exportedFrameName", "additionalTransformation")
    for entry in values.entries(node, key, known):
        frame = values.needed(entry, "frameName", key, line_of(entry, node))
        if not frame:
            continue
        transform = Pose()
        if "additionalTransformation" in entry:
            numbers = values.numbers(
                entry["additionalTransformation"], f"{key}: additionalTransformation", (6,)
            )
            if numbers is None:
                continue
            transform = read_pose(numbers)
        name = values.text(entry["exportedFrameName"], key) if "exportedFrameName" in entry else ""
        parameters.exported_frames.append(
            ExportedFrame(
                name=name or frame, choice=read_choice(entry, key, "", values), transform=transform
            )
        )


def _read_rename(node: Node, key: str, parameters: Parameters, values: Values) -> None:
    for old, value in values.pairs(node, key).items():
        new = values.text(value, key)
        if new:
            parameters.rename[old] = new
            parameters.lines[key, old] = value.line


_TREES = {"first": False, "stiff": True}
_PRIMITIVES = {"chain": True, "fixed": False}

READERS: dict[str, Reader] = {
    "root": partial(_read_text, "root"),
    "baseframe": partial(_read_text, "baseframe"),
    "filenameformat": partial(_read_text, "filename_format"),
    "filenameformatchangeext": _read_changed_format,
    "stringToRemoveFromMeshFileName": partial(_read_text, "removed_text"),
    "forcelowercase": partial(_read_flag, "lower_case"),
    "scale": _read_scale,
    "remove": partial(_read_names, "remove"),
    "freeze": partial(_read_names, "freeze"),
    "freezeAll": partial(_read_flag, "freeze_all"),
    "redefinedjoints": _read_redefined,
    "extrajoints": _read_extra_joints,
    "moreframes": _read_more_frames,
    "robotName": partial(_read_text, "robot_name"),
    "rename": _read_rename,
    "originXYZ": partial(_read_vector, "origin_xyz"),
    "originRPY": partial(_read_vector, "origin_rpy"),
    "epsilon": _read_epsilon,
    "linkFrames": _read_link_frames,
    "exportedFrames": _read_exported_frames,
    "exportAllUseradded": partial(_read_flag, "export_all"),
    "reverseRotationAxis": partial(_read_names, "reversed_axes"),
    "assignedMasses": read_masses,
    "assignedInertias": read_inertias,
    "mirroredInertia": read_mirrored,
    "inertiaWorkaround": read_workaround,
    "assignedColors": read_colors,
    "assignedCollisionGeometry": read_shapes,
    "damping": partial(_read_amount, "damping"),
    "friction": partial(_read_amount, "friction"),
    "effort_limit": partial(_read_amount, "effort_limit"),
    "velocity_limit": partial(_read_amount, "velocity_limit"),
    "forceTorqueSensors": read_force_sensors,
    "sensors": read_sensors,
    "XMLBlobs": read_blobs,
    "dialect": _read_dialect,
    "multiPrimitiveJoints": partial(_read_choice, _PRIMITIVES, "has_chains"),
    "jointParameters": partial(_read_text, "joint_parameters"),
    "tree": partial(_read_choice, _TREES, "is_stiff"),
    "freezeHeld": partial(_read_flag, "freezes_held"),
}
