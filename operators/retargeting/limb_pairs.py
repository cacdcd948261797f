# SPDX-License-Identifier: GPL-3.0-or-later
"""Which limb of the robot would follow which of a person, for the sidebar: looked up beside the
window, drawn over the view in one colour for each limb, and corrected by hand."""

from dataclasses import dataclass, field
from typing import Any

import bpy

from ...urdf_importer import RetargetOptions, RobotError, find_pairs
from ...urdf_importer.core.blender.standing import properties
from ...urdf_importer.core.blender.standing.armatures import armatures_by_name, armatures_of
from ...urdf_importer.core.blender.standing.links import find_link
from ...urdf_importer.core.blender.standing.robot_table import find_robot, recall_table
from ..active_robot import active_robot, redraw_views
from ..gizmos.strokes import draw_lines
from ..registration import Drawers, call_later
from ..session import session_state
from ..stepping import is_busy

Given = tuple[tuple[str, str], ...]
Line = tuple[tuple[str, str], ...]
"""Points in the scene: objects, each with a bone or none."""
_WIDTH = 5.0
_COLORS = 15
"""Blender's sets of colours for bones, which have icons."""
_MOST_KEPT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LimbRow:
    """A limb that would follow, with the points of both, and the number of its colour; `link` is
    empty for one left alone."""

    limb: str
    bones: tuple[str, ...]
    link: str
    color: int
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPairs:
    """The limbs of a robot and a person, or `why` there are none."""

    rows: tuple[LimbRow, ...] = ()
    why: str = ""


@dataclass(slots=True)
class _Pairs:
    """`given` are corrections, `known` the bones of the limbs that were found so far, by their last
    bones, and `person` the choice, by the robot's session number; `is_open` while the panel is
    drawn."""

    given: dict[tuple[int, int], Given] = field(default_factory=dict)
    known: dict[tuple[int, int], dict[str, tuple[str, ...]]] = field(default_factory=dict)
    person: dict[int, str] = field(default_factory=dict)
    found: dict[tuple[Any, ...], FoundPairs] = field(default_factory=dict)
    wanted: tuple[str, str] | None = None
    is_open: bool = False
    drawers: Drawers = field(default_factory=Drawers)


def find_people(robot: Any, *, robots: bool = False) -> list[str]:
    """Returns the names of the scene's other armatures that are not robots, or of these too."""
    own = set(armatures_of(robot))
    return sorted(
        item.name
        for item in bpy.context.scene.objects
        if item.type == "ARMATURE"
        and item not in own
        and (robots or (find_robot(item) is None and properties.VIRTUAL_JOINT not in item))
    )


def find_person(robot: Any) -> Any | None:
    """Returns the chosen person of a robot, else the first one of the scene, or the first other
    robot."""
    others = find_people(robot, robots=True)
    name = session_state(_Pairs).person.get(robot.session_uid, "")
    if name not in others:
        name = next(iter(find_people(robot) or others), "")
    return bpy.context.scene.objects.get(name)


def choose_person(robot: Any, name: str) -> None:
    """Chooses whom a robot follows."""
    session_state(_Pairs).person[robot.session_uid] = name


def given_pairs(robot: Any, person: Any) -> Given:
    """Returns the corrections of this session."""
    return session_state(_Pairs).given.get((robot.session_uid, person.session_uid), ())


def correct_pairs(robot: Any, person: Any, given: Given) -> FoundPairs:
    """Takes corrections instead of those before, and returns the limbs; nothing changes where a
    correction makes no sense."""
    found = _find(robot, person, given)
    if not found.why:
        state = session_state(_Pairs)
        state.given[robot.session_uid, person.session_uid] = given
        state.found[_key(robot, person)] = found
        redraw_views()
    return found


def find_end(robot: Any, bone: Any) -> str:
    """Returns the last bone of the limb that a person's bone is in, so that a limb is corrected
    once; the bone itself where no limb is known."""
    found = recall_limbs(robot, bone.id_data)
    name, above = str(bone.name), bone
    while above is not None:
        for row in found.rows if found is not None else ():
            if above.name in row.bones:
                return row.bones[-1]
        above = above.parent
    return name


def recall_limbs(robot: Any, person: Any) -> FoundPairs | None:
    """Returns the known limbs while they are drawn, and has them found out where they are not."""
    state = session_state(_Pairs)
    found = state.found.get(_key(robot, person))
    if found is None:
        state.wanted = robot.name, person.name
        call_later(_look)
    return found


def _key(robot: Any, person: Any) -> tuple[Any, ...]:
    counts = len(robot.data.bones), len(person.data.bones)
    return robot.session_uid, person.session_uid, *counts, given_pairs(robot, person)


def _look() -> float | None:
    if is_busy():
        return 0.3
    state, objects = session_state(_Pairs), bpy.context.scene.objects
    robot, person = (objects.get(name) for name in state.wanted or ("", ""))
    if robot is not None and person is not None:
        while len(state.found) >= _MOST_KEPT:
            del state.found[next(iter(state.found))]
        given = given_pairs(robot, person)
        state.found[_key(robot, person)] = _find(robot, person, given)
        redraw_views()
    return None


def _find(robot: Any, person: Any, given: Given) -> FoundPairs:
    try:
        pairs = find_pairs(person, robot, options=RetargetOptions(pairs=given))
    except RobotError as error:
        return FoundPairs(why=error.message)
    joints, armatures = recall_table(robot).joints, armatures_by_name(robot)
    key = robot.session_uid, person.session_uid
    known = session_state(_Pairs).known.setdefault(key, {})
    for pair in pairs:
        known.setdefault(pair.bones[-1], pair.bones)
    for bone, link in given:
        if not link:
            known.setdefault(bone, (bone,))
    colors = {bone: number for number, bone in enumerate(known)}
    rows = []
    for pair in pairs:
        theirs = tuple((person.name, bone) for bone in pair.bones)
        moved = [joints[name] for name in pair.joints if name in joints]
        ours = [(armatures[each.armature].name, each.bone) for each in moved]
        lines = (theirs, (*ours, (find_link(robot, pair.link).name, "")))
        color = colors.pop(pair.bones[-1])
        rows.append(
            LimbRow(limb=pair.limb, bones=pair.bones, link=pair.link, color=color, lines=lines)
        )
    rows += [LimbRow(limb="", bones=known[b], link="", color=c) for b, c in colors.items()]
    return FoundPairs(rows=tuple(sorted(rows, key=lambda row: row.color)))


def name_color(number: int) -> str:
    """Returns the icon that has the colour of a limb."""
    return f"COLORSET_{number % _COLORS + 1:02}_VEC"


def watch_panel(*, is_open: bool) -> None:
    """Draws limbs over the view while the panel is open, as its header and content say."""
    state = session_state(_Pairs)
    state.is_open = is_open
    if is_open:
        state.drawers.start(POST_VIEW=_draw)


def _draw() -> None:
    state, view = session_state(_Pairs), bpy.context.space_data
    robot = active_robot(bpy.context)
    if not state.is_open or robot is None or not view.show_region_ui:
        return
    person = find_person(robot)
    found = state.found.get(_key(robot, person)) if person is not None else None
    if found is None or not view.overlay.show_overlays:
        return
    colors = bpy.context.preferences.themes[0].bone_color_sets
    for row in found.rows:
        lines = [[at for point in line if (at := _place(point)) is not None] for line in row.lines]
        draw_lines(lines, (*colors[row.color % _COLORS].normal, 1.0), _WIDTH)


def _place(point: tuple[str, str]) -> Any | None:
    item = bpy.context.scene.objects.get(point[0])
    if item is None or not point[1]:
        return None if item is None else item.matrix_world.translation
    bone = item.pose.bones.get(point[1])
    return None if bone is None else item.matrix_world @ bone.head
