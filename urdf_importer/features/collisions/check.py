# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links touch, in a pose or during a motion: load shapes, once -> place links -> test."""

import os
from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from ...core.arguments import diagnostics_of, options_of, positions_of, robot_or_rig_of
from ...core.diagnostics import ArgumentError, Diagnostics, unknown_name
from ...core.files.packages import AnyPath
from ...core.geometry.transforms import invert, matrix_from_pose
from ...core.kinematics.forward import complete_positions
from ...core.kinematics.loops import close_loops
from ...core.kinematics.loops.solve import recall_closer
from ...core.kinematics.recent import Recent
from ...core.kinematics.tree import KinematicTree, retrace_tree
from ...core.model import IDENTITY, Robot, Semantics
from ...core.options import ImportOptions
from ...core.pipeline.extracting import extract_robot
from ...core.pipeline.opening import find_semantics, open_export, open_scene
from ...core.progress import Progress, finish
from ...formats.srdf.files import read_own_srdf
from ..motion.recordings.read import trajectory_of
from ..motion.trajectory import Trajectory
from .checker import Checker, Request, find_standing
from .disabled_pairs import find_tester
from .link_motion import Way
from .options import CheckOptions
from .parts import TestedPart, load_parts
from .poses import PoseFilter, PoseTester, ShownContacts
from .report import CollisionReport
from .segments import way_of_motion, way_of_pose

_MOST_KEPT = 4
_checkers: Recent[tuple[int, CheckOptions], tuple[Robot, Checker]] = Recent(_MOST_KEPT)
"""By the identity of a description, which stays the same as long as it is kept here."""


def check_collisions(
    robot_or_armature: Robot | Any,
    positions_or_trajectory: Mapping[str, Any] | Trajectory | AnyPath | None = None,
    *,
    objects: Any = (),
    options: CheckOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> CollisionReport:
    """Returns which links of a robot touch each other: in a pose, or from when to when during a
    motion, between its samples too.

    Positions are as forward_kinematics takes them; joints that they leave out are at zero, or as an
    armature shows them. A motion is a `Trajectory` or the path of one. None asks for the pose that
    an armature shows, and for zero of a `Robot`. `objects` are objects of the scene, or their
    names, that links may touch as well, or "visible" for all visible ones that belong to no robot;
    they need an armature. Links have their collision shapes or, without any, their visuals.

    Times are within a millisecond; contacts of a pair that are less than a millisecond apart are
    one. Shapes are exact with the library coal; without it round ones have 32 sides, which
    `diagnostics` say. A robot's shapes are loaded once, until it changes.

    Raises KinematicsError where the robot is not a tree, for wrong positions, and for joints,
    links and objects that are not there, ArgumentError for objects without faces or without an
    armature, BuildError for an object that is not an imported robot.
    """
    given, options = robot_or_rig_of(robot_or_armature), options_of(options, CheckOptions)
    diagnostics = diagnostics_of(diagnostics)
    own = Diagnostics(diagnostics.source)
    checker = recall_checker(given, options)
    way = _read_way(given, checker.tree, positions_or_trajectory, own)
    if not isinstance(given, Robot):
        from .blender.obstacles import find_obstacles, place_armature

        way = place_armature(given, way)
        found = find_obstacles(given, objects, way, options.start_frame)
        checker = replace(checker, parts={**checker.parts, **found.parts})
        way = replace(way, objects=found.poses)
    elif not isinstance(objects, str | tuple | list) or len(objects):
        raise ArgumentError("objects need a scene: pass the robot's armature instead of a Robot")
    for pair in options.allowed:
        for name in pair:
            if name not in checker.tree.index and name not in way.objects:
                raise unknown_name("there is no link or object", name, checker.tree.index)
    pairs = checker.list_pairs(way.objects, options.allowed)
    question = Request(way=way, pairs=pairs, margin=options.margin, distances=options.distances)
    report = finish(checker.check(question))
    for each in own:
        report = replace(report, diagnostics=(*report.diagnostics, each))
    diagnostics.extend(report.diagnostics)
    return report


def avoid_collisions(
    robot_or_armature: Robot | Any,
    *,
    options: CheckOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> PoseFilter:
    """Returns a function of joint positions that names touching links of a robot, as
    "'a' touches 'b'", and nothing where none do: for `refuse` of IKOptions and RigIKOptions, and
    for searches of your own.

    Positions are as forward_kinematics takes them; joints that they leave out are at zero, or as an
    armature shows them. Closed loops are closed. Shapes and pairs of links count as in
    check_collisions; of the options the margin and the distances do not count. A pose takes 0.2 ms
    of an arm, and some 5 ms of a humanoid. Raises KinematicsError where the robot is not a tree,
    BuildError for an object that is not an imported robot.
    """
    given, options = robot_or_rig_of(robot_or_armature), options_of(options, CheckOptions)
    checker = recall_checker(given, options)
    diagnostics_of(diagnostics).extend(checker.found)
    pairs = checker.list_pairs((), options.allowed)
    tree, in_scene = checker.tree, not isinstance(given, Robot)
    moving = {motion.joint.name for motion in tree.joint_motions if motion.moves}
    closer = recall_closer(tree) if tree.robot.loops else None
    if in_scene and closer is not None:
        from ...core.blender.standing.loops import find_loops

        # A rig whose options left its loops open does so.
        closer = None if find_loops(given) is None else closer

    def complete(positions: Mapping[str, Any]) -> Mapping[str, Any]:
        if in_scene and not moving <= positions.keys():
            from ...core.blender.standing.pose import get_joint_positions

            positions = {**get_joint_positions(given), **positions}
        found = complete_positions(tree.joint_motions, positions)
        return found if closer is None else {**found, **closer.close(positions).positions}

    return PoseFilter(PoseTester(checker.parts, pairs, checker.tester), tree, complete)


def recall_checker(given: Any, options: CheckOptions) -> Checker:
    """Returns the checker of a robot, made once for the options that it depends on."""
    key = CheckOptions(
        disabled=options.disabled,
        srdf=options.srdf,
        packages=options.packages,
        package_paths=options.package_paths,
    )
    if isinstance(given, Robot):
        return _checkers.get((id(given), key), lambda: (given, finish(_checker_steps(given, key))))[
            1
        ]
    from ...core.blender.memory import recall

    return recall(
        given, ("checker", key), lambda rig: finish(_checker_steps(rig, key)), shaped=True
    )


def watch_steps(armature: Any) -> Generator[Progress, None, ShownContacts]:
    """Makes, in steps, the test of the links of a rig that touch each other as the scene shows it,
    with the pairs of check_collisions. Raises as avoid_collisions does."""
    from ...core.blender.standing.links import links_of, name_link

    checker = yield from _checker_steps(armature, CheckOptions())
    seats = {
        joint.child: invert(matrix_from_pose(joint.child_origin))
        for joint in extract_robot(armature).joints
        if joint.child_origin != IDENTITY
    }
    yield Progress(share=1.0, text="pairs")
    tester = PoseTester(checker.parts, checker.list_pairs((), ()), checker.tester)
    empties = {name_link(empty): empty for empty in links_of(armature)}
    return ShownContacts(tester, [empties[name] for name in tester.names], seats)


def _checker_steps(given: Any, options: CheckOptions) -> Generator[Progress, None, Checker]:
    diagnostics = Diagnostics()
    tester = find_tester(diagnostics)
    export = open_export(given, options, diagnostics)
    semantics = find_semantics(export) if options.disabled == "auto" else None
    yield Progress(share=0.0, text="shapes")
    with open_scene(export) as opened:
        tree = retrace_tree(opened.robot)
        parts: dict[str, tuple[TestedPart, ...]] = {}
        for number, link in enumerate(opened.robot.links):
            yield Progress(share=number / len(tree.links), text=f"shapes of {link.name}")
            parts |= load_parts((link,), opened.files)
    yield Progress(share=1.0, text="pairs")
    disabled = _pair_up(semantics)
    if options.disabled == "auto" and disabled <= _list_excluded(export.robot, semantics):
        standing = find_standing(tree, parts, tester) - disabled
        disabled |= standing
        if standing:
            diagnostics.warning(
                "derived-pairs",
                f"there is no SRDF with pairs of links that may touch; {len(standing)} are left "
                "out, which are neighbours or touch at zero",
            )
    return Checker(
        tree=tree, parts=parts, tester=tester, disabled=disabled, found=tuple(diagnostics)
    )


def _list_excluded(robot: Robot, semantics: Semantics | None) -> set[frozenset[str]]:
    """Lists the pairs that a description itself excludes, as MuJoCo's do: beside neighbours, where
    an SRDF names all pairs."""
    if semantics is None or semantics.source:
        return set()
    return _pair_up(read_own_srdf(robot.source, robot, ImportOptions(), Diagnostics()))


def _pair_up(semantics: Semantics | None) -> set[frozenset[str]]:
    pairs = () if semantics is None else semantics.disabled_collisions
    return {frozenset((pair.link1, pair.link2)) for pair in pairs}


def _read_way(given: Any, tree: KinematicTree, asked: Any, diagnostics: Diagnostics) -> Way:
    if isinstance(asked, Trajectory | str | os.PathLike):
        return way_of_motion(tree, trajectory_of(asked, None, diagnostics), diagnostics)
    positions = dict(positions_of(asked))
    if not isinstance(given, Robot):
        from ...core.blender.standing.pose import get_joint_positions

        positions = get_joint_positions(given) | positions
    complete = complete_positions(tree.joint_motions, positions)
    if tree.robot.loops and isinstance(given, Robot):
        complete |= close_loops(tree, positions).positions
    return way_of_pose(complete)
