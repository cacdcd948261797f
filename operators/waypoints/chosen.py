# SPDX-License-Identifier: GPL-3.0-or-later
"""The chosen waypoint, and the last plan of each robot."""

from dataclasses import dataclass, field, replace
from typing import Any

import bpy

from ...urdf_importer import Plan, PlanOptions, get_waypoints
from ...urdf_importer.core.blender.standing.record import read_state
from ...urdf_importer.features.ik.blender.solve import suggest_link
from ...urdf_importer.features.waypoints.blender.objects import waypoint_empties_of
from ..active_robot import Refusal, active_object, active_robot
from ..session import session_state


@dataclass(slots=True)
class KeptPlan:
    """A plan of a robot's waypoints. `names` are theirs; `frame` is where the motion begins, where
    it was keyed; `key` is make_key's, by which a change is noticed."""

    names: tuple[str, ...]
    plan: Plan
    key: bytes = b""
    frame: float | None = None

    def is_wrong(self, name: str) -> bool:
        """Whether a waypoint cannot be reached as it is meant."""
        wrong = {self.names[each.waypoint] for each in self.plan.problems}
        return name in wrong


@dataclass(slots=True)
class KeptPlans:
    """The last plan of each robot, by their session's numbers."""

    found: dict[int, KeptPlan] = field(default_factory=dict)


@dataclass(slots=True)
class Chosen:
    """The place of the waypoint that was chosen last."""

    place: int = 0


def find_planned(robot: Any) -> KeptPlan | None:
    """Finds the last plan of a robot, while it has the same waypoints."""
    found = session_state(KeptPlans).found.get(robot.session_uid)
    names = tuple(each.name for each in waypoint_empties_of(robot))
    return found if found is not None and found.names == names else None


def keep_plan(robot: Any, plan: Plan, key: bytes = b"", frame: float | None = None) -> None:
    """Keeps the plan of a robot."""
    names = tuple(each.name for each in waypoint_empties_of(robot))
    session_state(KeptPlans).found[robot.session_uid] = KeptPlan(
        names=names, plan=plan, key=key, frame=frame
    )


def find_chosen(context: Any) -> Any:
    """Finds the chosen waypoint of the active robot: the active object, else the last one clicked;
    None where there are none."""
    robot = active_robot(context)
    found = [] if robot is None else waypoint_empties_of(robot)
    active = active_object(context)
    if active in found:
        session_state(Chosen).place = found.index(active)
    place = session_state(Chosen).place
    return found[min(max(place, 0), len(found) - 1)] if found else None


def need_chosen(context: Any) -> Any:
    """Returns the chosen waypoint. Raises Refusal where there are none."""
    found = find_chosen(context)
    if found is None:
        raise Refusal("Record a waypoint first")
    return found


def choose(context: Any, empty: Any) -> None:
    """Makes a waypoint the active object, and the only selected one, where it can be."""
    session_state(Chosen).place = waypoint_empties_of(active_robot(context)).index(empty)
    if context.mode != "OBJECT" or empty.name not in context.view_layer.objects:
        return
    for each in list(context.view_layer.objects.selected):
        each.select_set(False)
    empty.select_set(True)
    context.view_layer.objects.active = empty


def read_link(context: Any) -> str:
    """Returns the tool that the panel names, else the robot's hand."""
    link: str = context.window_manager.urdf_waypoint_link
    return link or suggest_link(active_robot(context))


def make_key(context: Any, robot: Any) -> bytes:
    """Returns the numbers of a robot's waypoints, and how the panel plans them: equal where nothing
    has changed, in the file of limits too."""
    limits = read_limits(context)
    rows: list[Any] = [
        options_of(context, collisions=False),
        limits,
        read_state(limits) if limits else None,
    ]
    each: Any
    for each in get_waypoints(robot):
        # Single precision moves the last digits of a pose by itself.
        pose, via = each.pose, each.via
        places = [
            [] if pose is None else [round(float(x), 6) for row in pose for x in row],
            [] if via is None else [round(float(x), 6) for x in via],
        ]
        rows.append((repr(replace(each, pose=None, via=None, move="joint", positions={"-": 0.0})),
                     each.move, each.positions, places))  # fmt: skip
    return repr(rows).encode()


def read_limits(context: Any) -> str | None:
    """Returns the file of limits that the panel Motion names."""
    return bpy.path.abspath(context.window_manager.urdf_limits_file) or None


def options_of(context: Any, *, collisions: bool) -> PlanOptions:
    """Returns the panel's options."""
    manager = context.window_manager
    return PlanOptions(
        link=manager.urdf_waypoint_link, loop=manager.urdf_waypoint_loop, collisions=collisions
    )
