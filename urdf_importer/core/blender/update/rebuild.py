# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns a standing rig into the rig of a new plan, and keeps the user's work on it.

The new rig is first built beside the old one, whole: a failure before that is done leaves the old
one unchanged. Then the old objects take over the new data of their twins, the bones are changed in
place, and the rest of the new rig goes. The order of the stages is only here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import bpy

from ...diagnostics import BuildError, Diagnostics, quote
from ...meshes import RobotFiles
from ...options import ImportOptions
from ...progress import finish
from ...rig.rig_plan import RigPlan
from ...shelves import find_hooks
from ..build.armature import sort_bones, sort_models
from ..build.build import Rig, build_rig, name_part, shows_collisions
from ..build.constraints import build_drivers
from ..build.links import update_rigid_bodies
from ..ledger import remove_datablocks
from ..modes import reachable, selection_kept
from ..standing import properties
from ..standing.armatures import check_own
from ..standing.display import show_collisions
from ..standing.links import is_users_shape
from ..standing.rests import note_bone_rests
from .actions import move_curves, plan_freed, plan_moves
from .attachments import (
    adopt_orphans,
    detach_from_bones,
    note_attachments,
    note_orphans,
    reseat_attachments,
)
from .bones import find_gone, own_bones, plan_renames, rename_bones, reshape_bones
from .images import refresh_images
from .names import NamesAside, is_named_after
from .objects import Mover, Pairing, copy_properties, move_parts, pair_objects, pairs_of_collections
from .pose import add_constraints, note_positions, remove_constraints, remove_drivers, update_pose
from .renaming import NewNames, rename_rig_bones, rename_standing, restore_rig_bones
from .shapes import ShapeUpdater
from .standing import StandingRig, find_standing


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRig:
    """The intended rig. `base` is the plan of its present description, None where that is not a
    robot any more; `before` are the options of its import. With `names` both plans have the new
    ones."""

    plan: RigPlan
    base: RigPlan | None
    options: ImportOptions
    before: ImportOptions
    names: NewNames | None = None


def check_editable(armature: Any) -> None:
    """Raises BuildError for rigs that cannot be changed here: rigs of other files, and of several
    armatures."""
    if properties.ARMATURES in armature:
        raise BuildError(
            f"the joints of {quote(armature.name)} were split into several armatures, which an "
            "update cannot follow; import the robot again"
        )
    check_own(armature, "open that file to update it")


def update_rig(armature: Any, wanted: WantedRig, files: RobotFiles) -> Rig:
    """Turns the rig into the rig of `wanted.plan`. An exception while the new parts are made leaves
    everything unchanged. Raises BuildError."""
    check_editable(armature)
    with selection_kept(armature):
        standing = find_standing(armature)
        images, widgets = set(bpy.data.images), _find_widgets(armature)
        names, renamed = NamesAside(), {}
        try:
            if wanted.names is not None:
                renamed = rename_rig_bones(armature, wanted.names)
            _put_names_aside(names, standing)
            # Data shared with the standing rig, or with other robots, could not be distinguished.
            staged = finish(build_rig(wanted.plan, wanted.options, files, shares=False))
            # Twins go again: their evaluation would be wasted.
            bpy.context.scene.collection.children.unlink(staged.collection)
        except BaseException:
            names.restore()
            if wanted.names is not None:
                restore_rig_bones(armature, renamed, wanted.names)
            raise
        textures = files.list_textures(wanted.plan.robot)
        packs = wanted.options.pack_textures
        with reachable(armature):
            refresh_images(standing.materials(), textures, packs=packs)
            if wanted.names is not None:
                rename_standing(armature, wanted.names, renamed)
                standing = find_standing(armature)
            rig = _graft(standing, staged, wanted, names, files.diagnostics)
        _remove_unused(image for image in bpy.data.images if image not in images)
        _remove_widgets(widgets)
        return rig


def _put_names_aside(names: NamesAside, standing: StandingRig) -> None:
    """Puts the names of all parts aside; links last, as other names are made from theirs."""
    robot = standing.robot.name
    names.put(standing.armature, robot)
    names.put(standing.armature.data, robot)
    if standing.collection != bpy.context.scene.collection:
        names.put(standing.collection, robot)
    for part, collection in standing.parts.items():
        # Before it was named after the robot, a part's collection was named after the part alone.
        names.put(
            collection, part if is_named_after(collection.name, part) else name_part(robot, part)
        )
    for item, wanted in _list_names(standing):
        names.put(item, wanted)
    elsewhere = standing.used_elsewhere()
    for datablock in [*standing.meshes(), *standing.materials()]:
        if datablock not in elsewhere:
            names.put(datablock)


def _list_names(standing: StandingRig) -> list[tuple[Any, str | None]]:
    """Lists (datablock, an import's name for it) of objects, and of the meshes of limit marks."""
    found: list[tuple[Any, str | None]] = []
    for (part, link), shapes in standing.shapes.items():
        called = f"{standing.links[link].name}_{part.lower().removesuffix('s')}"
        for shape in (shape for shape in shapes if shape is not None):
            found.append((shape, shape[properties.SHAPE].get("name") or called))
    for link, inertial in standing.inertials.items():
        found.append((inertial, f"{standing.links[link].name}_inertial"))
    for joint, mark in standing.marks.items():
        found += [(mark, f"{joint}_limits"), (mark.data, f"{joint}_limits")]
    for name, sensor in standing.sensors.items():
        found += [(sensor, name)] + ([(sensor.data, name)] if sensor.data is not None else [])
    return found + [(empty, link) for link, empty in standing.links.items()]


def _graft(
    standing: StandingRig,
    staged: Rig,
    wanted: WantedRig,
    names: NamesAside,
    diagnostics: Diagnostics,
) -> Rig:
    """Changes the standing rig. From here on nothing fails: all that could was tried on the staged
    rig. Work of features that is put aside comes back when the update is recorded."""
    armature, plan = standing.armature, wanted.plan
    for put_aside in find_hooks("before_update"):
        put_aside(armature)
    pairing = pair_objects(standing, staged, wanted.before, wanted.options)
    attachments = note_attachments(standing)
    orphans = note_orphans(standing, attachments, plan, pairing.going)
    _change_bones(standing, staged, wanted, diagnostics)
    shapes = ShapeUpdater(standing, names)
    shapes.reuse(pairing.pairs, pairing.new)
    scale = (wanted.base.size if wanted.base else plan.size, plan.size)
    mover = Mover(standing, staged, scale)
    covered = _are_covered(standing)
    parts = move_parts(standing, staged)
    alike = [(old, twin) for old, twin in pairing.pairs if old.type == twin.type]
    for old, twin in alike:
        shapes.update(old, twin)
    update_rigid_bodies(alike, drop=wanted.before.rigid_bodies)
    replaced = mover.merge(pairing)
    for old, twin in pairing.pairs:
        if old in replaced:
            names.pass_on(old, twin)
    copy_properties(armature, staged.armature)
    reseat_attachments(standing, attachments, plan)
    adopt_orphans(standing, orphans)
    _report_orphans(orphans, diagnostics)
    rig = _collect(staged, mover, standing, pairing)
    described = shows_collisions(plan.robot, wanted.options)
    shown = described and not covered
    before = shows_collisions(standing.robot, wanted.before)
    if shown != before or shown != described:  # Else they are as users want.
        show_collisions(rig.collisions, standing.parts.get(properties.COLLISIONS), shown)
    _clear(standing, staged, pairing, replaced, names, shapes)
    _remove_parts(standing, parts, names)
    names.give_back()
    bpy.context.view_layer.update()
    return rig


def _are_covered(standing: StandingRig) -> bool:
    """Whether objects of the user show the links, and collision shapes are not shown so far."""
    home = standing.parts.get(properties.COLLISIONS)
    if home is not None and not home.hide_render:
        return False
    held = (item for empty in standing.links.values() for item in standing.children.get(empty, ()))
    return any(map(is_users_shape, held))


def _change_bones(
    standing: StandingRig, staged: Rig, wanted: WantedRig, diagnostics: Diagnostics
) -> None:
    armature, plan, base = standing.armature, wanted.plan, wanted.base
    if armature.data.users > 1:
        # The other object keeps its bones: it is not a rig of the importer.
        armature.data = armature.data.copy()
    positions = note_positions(armature)
    own = own_bones(armature)
    old: dict[str, list[str]] = {name: [] for name in own}
    for joint, bone in (base.bone_of_joint if base else {}).items():
        if bone in old:
            old[bone].append(joint)
    renames = plan_renames(old, plan)
    moves = plan_moves(armature, plan, renames)
    remove_drivers(armature)
    rename_bones(armature, renames, plan)
    muted = move_curves(armature, moves, renames, plan_freed(plan))
    kept = remove_constraints(armature, plan, base, renames.values())
    detach_from_bones(standing, find_gone(armature, plan))
    reshape_bones(armature, staged.armature, plan)
    sort_bones(armature, plan.bones)
    sort_models(armature, plan.links)
    note_bone_rests(armature, (bone.name for bone in plan.bones))
    update_pose(armature, staged.armature, plan, base, positions)
    add_constraints(armature, plan, kept)
    build_drivers(armature, plan.drivers)
    for joint in muted:
        diagnostics.warning(
            "muted-keyframes",
            f"joint {quote(joint)} moves differently now; its animation is muted",
            subject=joint,
        )


def _report_orphans(orphans: Iterable[Any], diagnostics: Diagnostics) -> None:
    for orphan in orphans:
        now = f"link {quote(orphan.link)}" if orphan.link else "the armature"
        diagnostics.warning(
            "moved-attachment",
            f"the parent of object {quote(orphan.item.name)} is gone; it is "
            f"attached to {now} now, in the same place",
            subject=orphan.item.name,
        )


def _collect(staged: Rig, mover: Mover, standing: StandingRig, pairing: Pairing) -> Rig:
    """Collects the parts that the result names. Shapes that the user removed are not in it."""
    removed = set(pairing.removed)

    def final(groups: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        return {
            link: [mover.final(item) for item in shapes if item not in removed]
            for link, shapes in groups.items()
        }

    return Rig(
        armature=standing.armature,
        collection=standing.collection,
        links={name: mover.final(item) for name, item in staged.links.items()},
        visuals=final(staged.visuals),
        collisions=final(staged.collisions),
        inertials={name: mover.final(item) for name, item in staged.inertials.items()},
        sensors={name: mover.final(item) for name, item in staged.sensors.items()},
    )


def _clear(
    standing: StandingRig,
    staged: Rig,
    pairing: Pairing,
    replaced: list[Any],
    names: NamesAside,
    shapes: ShapeUpdater,
) -> None:
    """Removes the rest of the staged rig, and parts that the description no longer has."""
    twins = [(old, twin) for old, twin in pairing.pairs if old.type == twin.type]
    armatures = (staged.armature, staged.armature.data)
    collections = list(pairs_of_collections(standing, staged))
    for old, twin in [
        *twins,
        *collections,
        *zip((standing.armature, standing.armature.data), armatures, strict=True),
    ]:
        names.hand_over(old, twin)
    gone = [*pairing.going, *replaced]
    for item in gone:
        names.forget(item)
    unseen = [twin for _, twin in twins] + pairing.removed
    objects = unseen + gone
    shapes.note_spent(objects)
    cameras = [item.data for item in objects if item.type == "CAMERA"]
    emptied = [part for _, part in collections]
    emptied += [part for part in staged.collection.children if part not in emptied]
    if staged.collection not in emptied:
        emptied.append(staged.collection)
    bpy.data.batch_remove([*gone, *armatures, *emptied])
    remove_datablocks(unseen)
    # Meshes first: they use materials.
    for spent in (cameras, shapes.spent_meshes(), shapes.spent_materials()):
        unused = [each for each in spent if not each.users]
        for each in unused:
            names.forget(each)
        remove_datablocks(unused)


def _remove_parts(standing: StandingRig, wanted: set[str], names: NamesAside) -> None:
    """Removes collections that the new rig does not have, unless the user put something into
    them."""
    for name, part in standing.parts.items():
        if name not in wanted and not (part.objects or part.children):
            names.forget(part)
            bpy.data.collections.remove(part)


def _remove_unused(datablocks: Iterable[Any]) -> None:
    unused = [item for item in datablocks if not item.users]
    if unused:
        bpy.data.batch_remove(unused)


def _find_widgets(armature: Any) -> set[Any]:
    """Finds the importer's bone shapes."""
    shapes = {bone.custom_shape for bone in armature.pose.bones} if armature.pose else set()
    return {shape for shape in shapes if shape is not None and properties.WIDGET in shape}


def _remove_widgets(widgets: Iterable[Any]) -> None:
    unused = [widget for widget in widgets if not widget.users]
    meshes = [widget.data for widget in unused]
    _remove_unused(unused)
    _remove_unused(meshes)
