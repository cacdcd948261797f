# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work of an export on one page: plan -> text -> files, all of them or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ....core.diagnostics import Diagnostics, WriteError, quote
from ....core.files.outputs import check_output, replace_files
from ....core.geometry.transforms import matrix_from_pose
from ....core.kinematics.forward import (
    AT_REST,
    POSITION_SIZES,
    complete_positions,
    place_links,
    zero_frames,
)
from ....core.kinematics.loops import start_closed
from ....core.kinematics.motion import JointMotion
from ....core.kinematics.tree import KinematicTree, plan_tree
from ....core.markup.xml import parse_fragment
from ....core.model import GroupState, Pose, Robot, Semantics
from ....core.model.world import Surroundings
from ....core.names import Claims
from ....core.writers.file_folder import FileFolder
from ....core.writers.formats import Facts, OpenExport, Written, count_tree
from ....core.writers.start import read_positions
from ....core.writers.textures import Textures
from ..read.semantics import START
from .constraints import exclude, list_excluded, plan_loops, plan_mimics
from .contacts import find_contacts, list_neighbours, report_contacts
from .document import MjcfDocument, write_document, write_scene
from .masses import weigh_bodies
from .motors import find_armatures, plan_actuators
from .options import MjcfOptions
from .plan import PlannedElement, StructurePlan, make_qpos, plan_structure
from .sensors import Mount, plan_sensors
from .shapes import GeomWriter
from .sites import plan_sites

"""The keyframe of the joints at their start."""
_READ = ("contact", "keyframe", "size")
_MEASURED = ("rangefinder", "accelerometer", "gyro", "framequat")
Positions = dict[str, float | tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MjcfExport(Written):
    """The result of an export to MuJoCo.

    bodies  link -> its body
    joints  joint that moves -> its joints there, of planar and some floating ones several
    """

    bodies: Mapping[str, str]
    joints: Mapping[str, Sequence[str]]


def export_mjcf(
    found: OpenExport[MjcfOptions],
    path: Path,
    semantics: Semantics | None,
    world: Surroundings | None = None,
    *,
    checks_start: bool = False,
) -> MjcfExport:
    """Writes a robot, its meshes and images in a folder beside it; and the lights and the camera of
    a `world`, whose things are links of the robot. With `checks_start` links are looked for that
    touch at the start. Raises KinematicsError where the
    robot is not a tree or an option names a joint that it does not have, WriteError where the files
    cannot be written; nothing is written then."""
    options, diagnostics = found.options, found.diagnostics
    given, path = path, path.absolute()
    if path.parent.is_dir():
        check_output(path)
    _report_kept(found.robot, diagnostics)
    tree = plan_tree(found.robot, diagnostics)
    place = matrix_from_pose(Pose(xyz=options.translation, rpy=options.rotation))
    is_free = find_freedom(options, semantics, tree)
    plan = plan_structure(tree, place, is_free=is_free, diagnostics=diagnostics)
    with replace_files(path.parent) as folder:
        document = _fill_document(found, plan, folder, path.stem, semantics)
        neighbours = list_neighbours(plan, document.collisions, by_root=world is not None)
        excluded = list_excluded(plan, semantics, neighbours)
        if checks_start:
            _report_world(plan, diagnostics)
            excluded += _part_at_start(found, document, excluded)
        document = replace(document, world=world, excluded=excluded)
        try:
            text = write_document(document)
        except ValueError as problem:
            raise WriteError(f"the robot cannot be written: {problem}") from None
        (folder / path.name).write_text(text, encoding="utf-8", newline="\n")
        if options.scene:
            scene = write_scene(document.name, path.name, _find_floor(found, plan))
            (folder / f"{path.stem}_scene.xml").write_text(scene, encoding="utf-8", newline="\n")
        files = found.list_made(folder, given.parent)
    return MjcfExport(
        path=given,
        files=files,
        robot=document.name,
        facts=_count(plan, document),
        diagnostics=tuple(diagnostics),
        bodies=plan.body_names,
        joints={name: tuple(each.name for each in own) for name, own in plan.joints.items()},
    )


def _report_kept(robot: Robot, diagnostics: Diagnostics) -> None:
    """Reports content of a MuJoCo model beyond the robot, which is kept word for word and is not
    written anew."""
    tags: set[str] = set()
    for extra in robot.extras:
        section = parse_fragment(extra.xml.encode()) if extra.tag == "mujoco" else None
        for child in section if section is not None else ():
            if child.tag == "actuator" and len(child) <= len(robot.transmissions):
                continue
            if child.tag == "sensor" and all(each.tag in _MEASURED for each in child):
                continue
            if child.tag not in _READ:
                tags.add(f"<{child.tag}>")
    if tags:
        diagnostics.warning(
            "mjcf-kept",
            f"{', '.join(sorted(tags))} of the model that was read are not written anew",
            subject=robot.name,
        )


def _report_world(plan: StructurePlan, diagnostics: Diagnostics) -> None:
    """Reports the link that has no body."""
    for link in (body.link for body in plan.bodies if body.is_world):
        diagnostics.remark(
            "mjcf-world",
            f"link {quote(link.name)} is MuJoCo's own world, without a body",
            subject=link.name,
            line=link.line,
        )


def find_freedom(options: MjcfOptions, semantics: Semantics | None, tree: KinematicTree) -> bool:
    """Whether the root link is free to move: as the options say, else as a virtual joint does."""
    if options.base != "auto" or semantics is None:
        return options.base == "free"
    roots = {link.name for link, parent in zip(tree.links, tree.parents, strict=True) if parent < 0}
    return any(
        joint.type == "floating" and joint.child_link in roots for joint in semantics.virtual_joints
    )


def _fill_document(
    found: OpenExport[MjcfOptions],
    plan: StructurePlan,
    folder: Path,
    stem: str,
    semantics: Semantics | None,
) -> MjcfDocument:
    robot, options, diagnostics = found.robot, found.options, found.diagnostics
    beside = f"{stem}_assets"
    files = FileFolder(folder / beside, "")
    textures = Textures(
        files, found.convert_image, diagnostics, keeps_jpeg=False, needs_alpha=False
    )
    shapes = GeomWriter(robot, found.files, files, textures, diagnostics)
    weigh_bodies(plan, options.small_mass, shapes.measure, diagnostics)
    sites = Claims()
    alone = plan_sites(plan, sites)
    mounts, readings = plan_sensors(robot, sites, diagnostics) if options.sensors else ([], [])
    ends, closings = plan_loops(plan, sites, diagnostics)
    actuators = list(plan_actuators(plan, options, semantics))
    links = [body.link for body in plan.bodies]
    visuals = {link.name: list(shapes.draw(link)) for link in links if options.visuals}
    collisions = {link.name: list(shapes.collide(link)) for link in links if options.collisions}
    return MjcfDocument(
        name=robot.name or stem,
        folder=beside if (folder / beside).is_dir() else "",
        armature=options.rotor_inertia,
        armatures=find_armatures(actuators, options.rotor_inertia, diagnostics),
        plan=plan,
        sites=alone,
        visuals=visuals,
        collisions=collisions,
        assets=shapes.assets,
        mounts=_by_link([*mounts, *ends]),
        excluded=(),
        equalities=[*plan_mimics(plan), *closings],
        actuators=actuators,
        readings=readings,
        keys=_plan_keys(plan, options, semantics, diagnostics),
    )


def _part_at_start(
    found: OpenExport[MjcfOptions], document: MjcfDocument, excluded: Sequence[PlannedElement]
) -> list[PlannedElement]:
    """Reports the bodies that touch at the start, and returns pairs to exclude for it."""
    tree, options = document.plan.tree, found.options
    motions = tree.joint_motions
    given = complete_positions(motions, read_positions(options))
    # The keyframe's loops were reported.
    frames = place_links(tree, start_closed(tree, _find_start(motions, given), Diagnostics()))
    contacts = find_contacts(document.plan, document.collisions, frames, excluded)
    parts = options.start_contacts == "exclude"
    if contacts:
        report_contacts(contacts, found.diagnostics, excluded=parts)
    return [exclude(*pair) for pair in contacts] if parts else []


def _by_link(mounts: Sequence[Mount]) -> dict[str, list[Mount]]:
    found: dict[str, list[Mount]] = {}
    for mount in mounts:
        found.setdefault(mount.link, []).append(mount)
    return found


def _plan_keys(
    plan: StructurePlan,
    options: MjcfOptions,
    semantics: Semantics | None,
    diagnostics: Diagnostics,
) -> dict[str, list[float]]:
    """The joints as they start, where that is not at zero, and the named poses of the SRDF; loops
    are closed."""
    tree, motions = plan.tree, plan.tree.joint_motions
    at_zero: Positions = {
        motion.joint.name: 0.0 if motion.is_scalar else AT_REST[motion.kind]
        for motion in motions
        if motion.moves
    }
    given = complete_positions(motions, read_positions(options))
    start = start_closed(tree, _find_start(motions, given), diagnostics)
    names, keys = Claims(), {}
    if make_qpos(plan, start) != make_qpos(plan, at_zero):
        keys[names.claim(START)] = make_qpos(plan, start)
    for state in semantics.group_states if semantics is not None else ():
        posed = _find_start(motions, {**start, **_find_pose(motions, state)})
        closed = start_closed(tree, posed, diagnostics, start=start)
        keys[names.claim(state.name)] = make_qpos(plan, closed)
    return keys


def _find_start(
    motions: Sequence[JointMotion], given: Mapping[str, float | tuple[float, ...]]
) -> Positions:
    """Returns positions of all joints that move: given ones, else the nearest to zero that the
    limits allow; mimic joints follow."""
    positions: Positions = {
        motion.joint.name: given.get(
            motion.joint.name,
            motion.nearest_valid(0.0) if motion.is_scalar else AT_REST[motion.kind],
        )
        for motion in motions
        if motion.moves
    }
    return complete_positions(motions, positions)


def _find_pose(motions: Sequence[JointMotion], state: GroupState) -> Positions:
    """Returns the positions that a state gives joints of the robot."""
    sizes = {each.joint.name: POSITION_SIZES.get(each.kind, 1) for each in motions if each.moves}
    return {
        name: numbers[0] if len(numbers) == 1 else numbers
        for name, numbers in state.positions
        if sizes.get(name) == len(numbers)
    }


def _find_floor(found: OpenExport[MjcfOptions], plan: StructurePlan) -> float:
    """Returns how high the floor is: under the robot with its joints at zero, but not above 0."""
    frames = plan.base @ zero_frames(plan.tree)
    lowest = 0.0
    for link, frame in zip(plan.tree.links, frames, strict=True):
        for shape in link.shapes:
            data = found.files.load_or_report(shape, link)
            if data is not None:
                row = (frame @ matrix_from_pose(shape.origin))[2]
                lowest = min(lowest, float((data.vertices @ row[:3]).min() + row[3]))
    return lowest


def _count(plan: StructurePlan, document: MjcfDocument) -> Facts:
    geoms = chain(document.visuals.values(), document.collisions.values())
    return count_tree(plan.tree) | {
        "bodies": sum(not body.is_joined for body in plan.bodies) - len(document.sites),
        "geoms": sum(map(len, geoms)),
        "equalities": len(document.equalities),
        "actuators": [str(each.attributes["name"]) for each in document.actuators],
        "keyframes": list(document.keys),
    }
