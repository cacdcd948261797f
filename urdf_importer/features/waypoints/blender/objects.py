# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints in a .blend: empties, in an order, with flat properties. They can be dragged, keyed,
parented and copied as any object, and are read by this module alone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import bpy
import mathutils
import numpy as np

from ....core.arguments import rig_of
from ....core.blender.semantics.markers import markers_of, new_marker, remove_marker
from ....core.blender.standing import properties
from ....core.blender.standing.links import find_link
from ....core.blender.standing.pose import get_joint_positions, link_pose
from ....core.diagnostics import KinematicsError, quote, unknown_name
from ....core.geometry.transforms import Matrix, nearest_rotation
from ....core.kinematics.loops import forward_kinematics
from ...ik.blender.solve import choose_unlocked, recall_rig, suggest_link
from ...ik.blender.targets import world_from_armature
from ..model import MOVES, Waypoint

NUMBERS = ("blend", "speed", "tool_speed", "pause", "swivel")
TEXTS = ("move", "program", "after")
_KEY = properties.WAYPOINT
_PART = "Waypoints"
"""Of the robot's collection."""
_NUMBERED = re.compile(r"\.\d{3,}$")

_RANGES: dict[str, dict[str, Any]] = {
    "urdf_waypoint_blend": {"min": 0.0, "soft_max": 1.0, "subtype": "DISTANCE",
                            "description": "Radius within which the corner here is cut"},
    "urdf_waypoint_speed": {"min": 0.001, "max": 1.0,
                            "description": "Share of the joints' velocity limits"},
    "urdf_waypoint_tool_speed": {"min": 0.0, "soft_max": 5.0,
                                 "description": "Metres a second at most; 0 for no bound"},
    "urdf_waypoint_pause": {"min": 0.0, "soft_max": 60.0, "subtype": "TIME_ABSOLUTE",
                            "description": "Seconds of rest here"},
}  # fmt: skip
"""How the sidebar shows numbers."""


def waypoint_empties_of(armature: Any) -> list[Any]:
    """Lists the empties that are waypoints of a rig, in their order."""
    found = [item for item in markers_of(armature, _PART) if _KEY in item]
    return sorted(found, key=lambda each: (float(each[_KEY]), each.name))


def rename_in_waypoints(armature: Any, links: Mapping[str, str], joints: Mapping[str, str]) -> None:
    """Renames the links and joints that waypoints of a rig name: old name -> new name."""
    for point in waypoint_empties_of(armature):
        link = point.get(properties.WAYPOINT_LINK, "")
        point[properties.WAYPOINT_LINK] = links.get(link, link)
        named = point.get(properties.WAYPOINT_JOINTS, "").split("\n")
        point[properties.WAYPOINT_JOINTS] = "\n".join(joints.get(each, each) for each in named)


def key_of(field: str) -> str:
    """Returns the property of a waypoint's field."""
    return f"{_KEY}_{field}"


def record_waypoint(
    armature: Any, *, link: str = "", name: str = "", move: str = "linear", after: str = ""
) -> Any:
    """Records where a link of an imported robot is shown, and the joints that move it, as a
    waypoint; returns its empty. `link` is the tool, the robot's hand if it is empty; `move` how one
    arrives there. It comes behind the waypoint called `after`, else it is the last.

    Raises KinematicsError for unknown names, and BuildError for an object that is not an imported
    robot.
    """
    armature = rig_of(armature)
    link = link or suggest_link(armature)
    if move not in MOVES:
        raise unknown_name("there is no move", move, MOVES)
    bpy.context.view_layer.update()
    order = waypoint_empties_of(armature)
    names = [each.name for each in order]
    if after and after not in names:
        raise unknown_name("the robot has no waypoint", after, names)
    place = names.index(after) + 1 if after else len(names)
    positions = _read_positions(armature, link)
    point = Waypoint(
        name=name or f"{link} {len(order) + 1}",
        pose=link_pose(armature, link),
        positions=positions,
        move="joint" if move == "circular" else move,
        link=link,
    )
    made = _make(_Shown(armature), point)
    if move == "circular":
        bend_way(armature, made, order[place - 1] if place else None)
    order.insert(place, made)
    sort_waypoints(order)
    bpy.context.view_layer.update()
    return made


def get_waypoints(armature: Any) -> tuple[Waypoint, ...]:
    """Returns the waypoints of an imported robot, in their order, with their poses as they are
    shown now, in the root link's frame. Taught positions of joints that the robot does not have are
    left out, as of a rail that was taken off. Raises BuildError for an object that is not an
    imported robot."""
    armature = rig_of(armature)
    order = waypoint_empties_of(armature)
    names = name_waypoints(order)
    return tuple(_read(armature, *each) for each in zip(order, names, strict=True))


def name_waypoints(order: Sequence[Any]) -> list[str]:
    """Returns the names of waypoints: the given ones, where Blender alone has added a number to an
    empty's, once in each program; else the names of the empties."""
    taken, names = set(), []
    for empty in order:
        program, given = (str(empty.get(key_of(key), "")) for key in ("program", "name"))
        is_given = given and _NUMBERED.sub("", empty.name) == given
        name = given if is_given and (program, given) not in taken else empty.name
        taken.add((program, name))
        names.append(name)
    return names


def set_waypoints(armature: Any, waypoints: Iterable[Waypoint], *, link: str = "") -> list[Any]:
    """Gives an imported robot these waypoints in the place of all that it has, and returns their
    empties; of no waypoints the robot has none. `link` is the tool of waypoints that name none, the
    robot's hand if it is empty. Empties in a `frame` are attached to that link.

    Raises KinematicsError for unknown links and joints, BuildError for an object that is not an
    imported robot; nothing has changed then.
    """
    armature, points = rig_of(armature), tuple(waypoints)
    rig = recall_rig(armature)
    usual = link or (suggest_link(armature) if points else "")
    for point in points:
        for each in (point.link or usual, point.frame or usual):
            if each not in rig.tree.index:
                raise unknown_name("the robot has no link", each, rig.tree.index)
        for name in point.positions or ():
            if name not in rig.motions:
                raise unknown_name("the robot has no joint", name, rig.motions)
    remove_waypoints(waypoint_empties_of(armature))
    bpy.context.view_layer.update()
    shown = _Shown(armature)
    made = [_make(shown, point, usual) for point in points]
    sort_waypoints(made)
    bpy.context.view_layer.update()
    return made


def remove_waypoints(empties: Sequence[Any]) -> None:
    """Removes waypoints, with their via points."""
    for each in empties:
        via = find_via(each)
        for item in (each, *([via] if via is not None else ())):
            remove_marker(item)


def sort_waypoints(order: Sequence[Any]) -> None:
    """Numbers waypoints anew."""
    for place, each in enumerate(order):
        if each.get(_KEY) != place:
            _put(each, _KEY, place)


def update_waypoint(armature: Any, empty: Any) -> None:
    """Brings a waypoint to where its link is shown, with the joints as they are shown."""
    link = str(empty.get(properties.WAYPOINT_LINK, "")) or suggest_link(armature)
    _put_joints(empty, _read_positions(armature, link))
    _place(world_from_armature(armature), empty, link_pose(armature, link))


def bend_way(armature: Any, empty: Any, before: Any) -> Any:
    """Makes the way to a waypoint an arc: its via point, an empty, begins beside the middle of the
    line from the waypoint before."""
    end = np.array(empty.matrix_world)[:3, 3]
    start = end if before is None else np.array(before.matrix_world)[:3, 3]
    away = end - start
    side = np.cross(away, np.eye(3)[int(np.abs(away).argmin())])
    via = find_via(empty)
    via = _new_via(armature, empty) if via is None else via
    frame = np.eye(4)
    frame[:3, 3] = 0.5 * (start + end) + 0.25 * side
    via.matrix_world = mathutils.Matrix(frame.tolist())
    _put(empty, key_of("move"), "circular")
    return via


def find_via(empty: Any) -> Any:
    """Finds the via point of a waypoint; None where there is none."""
    found = empty.get(properties.VIA)
    return found if isinstance(found, bpy.types.Object) else None


def _read_positions(armature: Any, link: str) -> dict[str, float]:
    shown = get_joint_positions(armature)
    names = choose_unlocked(armature, recall_rig(armature), link, None)
    found = {name: at for name in names if isinstance(at := shown[name], float)}
    if not found:
        raise KinematicsError(f"no joint that may move moves link {quote(link)}")
    return found


class _Shown:
    """A rig as it is shown: its positions and frames are read once for all waypoints."""

    def __init__(self, armature: Any) -> None:
        self.armature = armature
        self.world = world_from_armature(armature)
        self._positions: Mapping[str, Any] | None = None
        self._frames: dict[str, Matrix] = {"": np.eye(4)}

    def find_frame(self, link: str) -> Matrix:
        """Returns the frame (4, 4) of a link in the armature's; the identity of no link."""
        if link not in self._frames:
            self._frames[link] = link_pose(self.armature, link)
        return self._frames[link]

    def find_pose(self, point: Waypoint, link: str) -> Matrix:
        """Returns the pose (4, 4) of a waypoint in the armature's frame."""
        if point.pose is not None:
            found: Matrix = self.find_frame(point.frame) @ np.asarray(point.pose)
            return found
        if self._positions is None:
            self._positions = get_joint_positions(self.armature)
        at = dict(self._positions) | dict(point.positions or {})
        rig = recall_rig(self.armature)
        known = {name: value for name, value in at.items() if name in rig.motions}
        return forward_kinematics(rig.robot, known)[link]


def _new_via(armature: Any, waypoint: Any) -> Any:
    name = f"{waypoint.name}_via"
    made = new_marker(armature, _PART, name, kind="PLAIN_AXES", share=0.02)
    waypoint[properties.VIA] = made
    return made


def _make(shown: _Shown, point: Waypoint, usual: str = "") -> Any:
    armature, link = shown.armature, point.link or usual
    made = new_marker(armature, _PART, point.name or link)
    _put(made, _KEY, 0)
    _put(made, properties.WAYPOINT_LINK, link)
    if point.name:
        _put(made, key_of("name"), point.name)
    for field in TEXTS:
        _put(made, key_of(field), str(getattr(point, field)))
    for field in NUMBERS:
        number = getattr(point, field)
        if number is not None:
            _put(made, key_of(field), float(number))
    _put_joints(made, point.positions or {})
    if point.frame:
        made.parent = find_link(armature, point.frame)
    _place(shown.world, made, shown.find_pose(point, link))
    if point.via is not None:
        via = _new_via(armature, made)
        base, goal = shown.find_frame(point.frame), np.eye(4)
        goal[:3, 3] = base[:3, :3] @ np.asarray(point.via) + base[:3, 3]
        _place(shown.world, via, goal)
    return made


def _put(empty: Any, key: str, value: Any) -> None:
    """Sets a property that a library override may change."""
    empty[key] = value
    empty.property_overridable_library_set(f'["{key}"]', True)
    if key in _RANGES:
        empty.id_properties_ui(key).update(**_RANGES[key])


def _put_joints(empty: Any, positions: Mapping[str, float]) -> None:
    _put(empty, properties.WAYPOINT_JOINTS, "\n".join(positions))
    _put(empty, key_of("positions"), [float(each) for each in positions.values()] or [0.0])


def _place(world: Matrix, empty: Any, frame: Matrix) -> None:
    empty.matrix_world = mathutils.Matrix((world @ frame).tolist())


def _shown(armature: Any, empty: Any) -> Matrix:
    depsgraph = bpy.context.evaluated_depsgraph_get()
    world = np.array(empty.evaluated_get(depsgraph).matrix_world, dtype=np.float64)
    frame: Matrix = np.linalg.solve(world_from_armature(armature), world)
    frame[:3, :3] = nearest_rotation(frame[:3, :3])
    return frame


def _read(armature: Any, empty: Any, name: str) -> Waypoint:
    names = str(empty.get(properties.WAYPOINT_JOINTS, "")).split("\n")
    taught, known = empty.get(key_of("positions"), ()), recall_rig(armature).motions
    positions = {
        joint: float(at) for joint, at in zip(names, taught, strict=False) if joint in known
    }
    said: dict[str, Any] = {key: str(empty.get(key_of(key), "")) for key in TEXTS}
    said |= {key: float(empty[key_of(key)]) for key in NUMBERS if key_of(key) in empty}
    via = find_via(empty)
    if said["move"] not in MOVES or (said["move"] == "circular" and via is None):
        said["move"] = "linear"
    return Waypoint(
        name=name,
        pose=_shown(armature, empty),
        positions=positions or None,
        via=None if via is None else _shown(armature, via)[:3, 3],
        link=str(empty.get(properties.WAYPOINT_LINK, "")),
        **said,
    )
