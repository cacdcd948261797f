# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's motion on a robot: read or look at the person -> find limbs -> solve -> key."""

import math
import os
from collections.abc import Generator, Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any

from ...core.arguments import diagnostics_of, options_of, rig_of, robot_or_rig_of
from ...core.diagnostics import BuildError, Diagnostics, KinematicsError, RobotError, quote
from ...core.files.packages import AnyPath
from ...core.geometry.transforms import matrix_from_pose
from ...core.kinematics.drive import Wheels, find_wheels, measure_reach
from ...core.kinematics.loops import find_freedom
from ...core.kinematics.tree import retrace_tree
from ...core.model import Robot
from ...core.options import FileOptions
from ...core.pipeline.opening import open_export, open_scene
from ...core.progress import Progress, finish
from ..motion.check import check_motion
from ..motion.limits import RobotLimits, limits_of
from ..motion.motions import robot_of_rig
from ..motion.options import RetimeOptions
from ..motion.retime import retime
from .bvh import read_bvh
from .closing import close_result
from .limbs import LoadShapes, Soles, foot_links
from .options import Pair, RetargetOptions, RetargetResult
from .person import Person, bridge_frames
from .run import Found, find_match, follow

_UNCLEAR = math.radians(45.0)


def retarget(
    source: AnyPath | Any,
    robot: Robot | Any,
    *,
    options: RetargetOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> RetargetResult:
    """Puts a person's motion on a robot.

    `robot` is a `Robot`, or an imported robot, which then gets the motion as keys in a new action:
    its other actions stay. `source` is the path of a BVH file, or any animated armature in Blender.
    Limbs of both are found by geometry, without tables. Directions of upper arms, forearms,
    thighs and shins, turns of pelvis and chest, and the way of the hips, in the robot's size, are
    followed within limits; standing feet stay in their place, on the ground.

    Raises RobotError, and nothing has changed then: ReadError for other files than BVH,
    KinematicsError where there is no motion or no limb that matches, or where pairs name nothing;
    BuildError for an object that is not an armature, or not an imported robot.
    """
    return finish(retarget_steps(source, robot, options=options, diagnostics=diagnostics))


def retarget_steps(
    source: AnyPath | Any,
    robot: Robot | Any,
    *,
    options: RetargetOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, RetargetResult]:
    """Runs retarget in steps, for progress bars. Nothing changes before the last one."""
    options = options_of(options, RetargetOptions)
    diagnostics = diagnostics_of(diagnostics)
    yield Progress(share=0.0, text="person")
    given = robot_or_rig_of(robot)
    read = yield from _read_person(source, given, options, diagnostics)
    person = bridge_frames(read, diagnostics)
    described = robot_of_rig(given)
    found = _find(described, person, options, partial(load_shapes, given))
    limits = limits_of(described, None, Diagnostics())
    held = {} if isinstance(given, Robot) else _find_held(given, limits)
    feet = foot_links(found.machine, found.anatomy) if found.matched.has_legs else set()
    soles = load_shapes(given, feet - found.anatomy.shapes.keys())
    wheels = _find_wheels(given, found) if options.base == "drive" else None
    result = yield from follow(found, options, soles, _fix(limits, held), wheels)
    free = [name for name in result.trajectory.names if name not in held]
    result = replace(result, trajectory=result.trajectory.select(free))
    if isinstance(given, Robot) and given.loops:
        # Rigs are closed as their keys are made.
        yield Progress(share=0.92, text="loops")
        result = close_result(given, result, limits, person.start(options.start_frame))
    result = _judge(result, limits, options)
    _report(result, diagnostics)
    if isinstance(given, Robot):
        return result
    yield Progress(share=0.95, text="keys")
    from .blender.keys import key_result

    return key_result(given, result, options, person, diagnostics)


def find_pairs(
    source: AnyPath | Any,
    robot: Robot | Any,
    *,
    options: RetargetOptions | None = None,
) -> tuple[Pair, ...]:
    """Returns which limb of a robot would follow which limb of a person, without solving anything;
    arguments and errors are as in retarget. An armature is taken as it is shown
    now."""
    options = options_of(options, RetargetOptions)
    given = robot_or_rig_of(robot)
    read = finish(_read_person(source, given, options, Diagnostics(), moving=False))
    person = bridge_frames(read, Diagnostics())
    return _find(robot_of_rig(given), person, options).describe()


def open_person(path: AnyPath, name: str | None = None) -> Any:
    """Brings a person of a file that Blender reads into the scene, and returns the armature of this
    name, or the only one. Raises ReadError."""
    from .blender.files import open_person as open_in_blender

    return open_in_blender(os.fspath(path), name)


def _read_person(
    source: Any,
    robot: Any,
    options: RetargetOptions,
    diagnostics: Diagnostics,
    *,
    moving: bool = True,
) -> Generator[Progress, None, Person]:
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        diagnostics.source = diagnostics.source or path
        return _time(_cut(read_bvh(path, diagnostics), options), options)
    armature = rig_of(source)
    if armature == robot:
        raise BuildError(f"{quote(armature.name)} cannot follow itself")
    from .blender.person import read_person

    diagnostics.source = diagnostics.source or armature.name
    person = yield from read_person(armature, options.frames, moving=moving)
    # Errors name the file of the person, where the caller knows one.
    return _time(replace(person, source=diagnostics.source), options)


def _time(person: Person, options: RetargetOptions) -> Person:
    """Returns the person in as many frames a second as the options say."""
    return person if options.fps is None else replace(person, rate=options.fps)


def _cut(person: Person, options: RetargetOptions) -> Person:
    """Returns the frames of a file that the options ask for, counted from 1."""
    if not any(options.frames):
        return person
    first, last = max(int(options.frames[0]), 1), int(options.frames[1])
    kept = slice(first - 1, last)
    points, turns = person.points[kept], person.turns[kept]
    if not len(points):
        raise KinematicsError(
            f"the motion has {len(person.points)} frames, and none from {first} to {last}",
            source=person.source,
        )
    return replace(person, points=points, turns=turns, first_frame=float(first))


def _find(
    robot: Robot, person: Person, options: RetargetOptions, load: LoadShapes | None = None
) -> Found:
    tree = retrace_tree(robot)
    held = frozenset(find_freedom(tree).followers) if robot.loops else frozenset()
    return find_match(tree, person, options, held, load)


def _find_wheels(given: Any, found: Found) -> Wheels | None:
    """Finds the two wheels that drive a robot, or rows of them; None where it has none."""
    if not isinstance(given, Robot):
        from ..driving.blender.driven import find_wheels_of

        return find_wheels_of(given)
    tree = found.machine.tree
    try:
        wheels = find_wheels(tree, base=tree.links[found.machine.root].name)
    except KinematicsError:
        return None
    radius = wheels.radius
    if radius is None:
        sides = wheels.left + wheels.right
        shapes = load_shapes(given, {each.link for each in sides})
        placed = [
            (points @ frame[:3, :3].T + frame[:3, 3], each.axis)
            for each in sides
            for points, origin in shapes.get(each.link, ())
            for frame in (matrix_from_pose(origin),)
        ]
        radius = max((measure_reach(*both) for both in placed), default=0.0)
    return Wheels(found=wheels, radius=radius, distance=wheels.distance) if radius else None


def _find_held(armature: Any, limits: RobotLimits) -> dict[str, float]:
    """Finds the held joints of a rig, and where they are shown."""
    from ...core.blender.standing.joints import list_held
    from ...core.blender.standing.pose import get_joint_positions

    shown: Mapping[str, Any] = get_joint_positions(armature)
    return {name: float(shown[name]) for name in list_held(armature) & limits.joints.keys()}


def _fix(limits: RobotLimits, held: Mapping[str, float]) -> RobotLimits:
    """Returns the limits, between which held joints cannot move."""
    fixed = {name: replace(limits.joints[name], lower=at, upper=at) for name, at in held.items()}
    return replace(limits, joints={**limits.joints, **fixed})


def load_shapes(given: Any, names: Set[str]) -> Soles:
    """Returns the shapes of some links, but for shapes that cannot be loaded."""
    if not names:
        return {}
    shapes: Soles = {}
    try:
        with open_scene(open_export(given, FileOptions(), Diagnostics())) as opened:
            for link in opened.robot.links:
                if link.name not in names:
                    continue
                loaded = [
                    (opened.files.load_or_report(shape, link), shape.origin)
                    for shape in link.collisions or link.visuals
                ]
                shapes[link.name] = [
                    (data.vertices, origin) for data, origin in loaded if data is not None
                ]
    except RobotError:
        return {}
    return shapes


def _judge(result: RetargetResult, limits: RobotLimits, options: RetargetOptions) -> RetargetResult:
    """Returns the result with its violations, slowed down first where that is asked for."""
    trajectory = result.trajectory
    names = {name: name for name in trajectory.names if name in limits.joints}
    violations = check_motion(trajectory, limits, names)
    if options.velocity == "retime" and any(each.kind == "velocity" for each in violations):
        slower = RetimeOptions(only_slower=True)
        trajectory = retime(trajectory, limits, names, slower)
        violations = check_motion(trajectory, limits, names)
    return replace(result, trajectory=trajectory, limits=violations)


def _report(result: RetargetResult, diagnostics: Diagnostics) -> None:
    speeds = [each for each in result.limits if each.kind == "velocity"]
    if speeds:
        worst = speeds[0]
        which = "a joint" if len(speeds) == 1 else f"{len(speeds)} joints"
        diagnostics.warning(
            "retarget-too-fast",
            f"the motion is too fast for {which}, joint {quote(worst.joint)} the most: "
            f"{worst.value:.3g} of {worst.limit:.3g} rad/s or m/s at {worst.time:.2f} s",
            subject=worst.joint,
        )
    unclear = [each for each in result.limbs if each.most > _UNCLEAR and not each.limited]
    for limb in unclear:
        diagnostics.warning(
            "retarget-limb-unclear",
            f"the {limb.limb} is {math.degrees(limb.most):.0f} degrees off and no joint is at a "
            "limit: the limb was not understood; give a pair, unless it has too few joints",
            subject=limb.limb,
        )
    if result.held:
        diagnostics.warning(
            "retarget-held-back",
            f"held back, as the person's limb does not turn so fast: {'; '.join(result.held)}",
        )
    if result.unmatched:
        diagnostics.warning("retarget-left-alone", f"left alone: {'; '.join(result.unmatched)}")
