# SPDX-License-Identifier: GPL-3.0-or-later
"""Update: read -> plan -> compare with the rig -> build into it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..arguments import options_of, rig_of, robot_of, texts_of
from ..diagnostics import Diagnostics, KinematicsError, MeshError, quote
from ..files.packages import AnyPath
from ..files.references import name_source
from ..files.states import FileState
from ..meshes import RobotFiles
from ..model import Robot, Semantics
from ..options import ImportOptions
from ..progress import finish
from ..reshape import adapt_srdf, rename
from ..reshape.compare import Change, compare_options, compare_renamed, compare_robots
from ..reshape.renamed import suggest_names
from ..rig import RigPlan, plan_rig
from ..shelves import find_hooks
from .files import find_files, open_files, suggest_options
from .formats import read_description
from .hooks import fit_robot
from .importing import ImportResult


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateResult(ImportResult):
    """The result of an update of a rig; the other fields are as in ImportResult.

    changes      differences of the source; if empty, nothing at all was touched
    diagnostics  oddities of the source, and effects on the user's own work
    """

    changes: tuple[Change, ...]


def compare_with_source(
    armature: Any,
    path: AnyPath | None = None,
    *,
    options: ImportOptions | None = None,
    package_paths: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> tuple[Change, ...]:
    """Returns the changes that update_robot would make, without changing anything; nothing where
    the source has not changed.

    The arguments are as for update_robot. Raises RobotError where the source cannot be read, or the
    object is not an imported robot.
    """
    armature = rig_of(armature)
    return _draft_update(armature, path, options, package_paths, names).changes


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatePreview:
    """An update before it is made: its `changes`, the joints whose keyframes would be `lost`, and
    `names` that would keep more of them, old -> new."""

    changes: tuple[Change, ...]
    lost: tuple[str, ...]
    names: Mapping[str, str]


def preview_update(
    armature: Any,
    path: AnyPath | None = None,
    *,
    package_paths: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> UpdatePreview:
    """Returns an update as it would be, with the arguments and errors of update_robot."""
    from ..blender.extract.robot import extract_robot
    from ..blender.update.actions import find_lost

    armature = rig_of(armature)
    draft = _draft_update(armature, path, None, package_paths, names)
    return UpdatePreview(
        changes=draft.changes,
        lost=find_lost(armature, draft.plan, draft.names),
        names=suggest_names(extract_robot(armature), draft.plan.robot),
    )


def compare_with_robot(
    armature: Any, robot: Robot, names: Mapping[str, str] | None = None
) -> tuple[Change, ...]:
    """Returns the changes that update_robot(armature, robot=robot, names=names) would make, without
    changing anything. Raises RobotError where that robot is not a tree, or the object is not an
    imported robot."""
    armature = rig_of(armature)
    return _draft_robot(armature, robot_of(robot), names or {}).changes


def update_robot(
    armature: Any,
    path: AnyPath | None = None,
    *,
    robot: Robot | None = None,
    names: Mapping[str, str] | None = None,
    package_paths: Sequence[str] = (),
    options: ImportOptions | None = None,
) -> UpdateResult:
    """Reads the source of a rig again and changes the rig to match it; or changes it into `robot`,
    such as a result of functions of `reshape`.

    Poses, keyframes, materials that the user changed and objects that the user attached stay.
    `path` is a file to read in place of the imported one, `options` are used in place of the
    import's. `package_paths` are folders to look in after the folders of the options; the rig
    remembers them where the update changes something. Raises RobotError (one sentence); the rig is
    then unchanged. Where nothing has changed, nothing is touched but the dates of its files.

    `names` are the new names of links and joints, old -> new: bones, keyframes, drivers and
    whatever points at them follow. Other links and joints count as new; `lost-keyframes` names
    joints whose keyframes then move nothing. With `robot`, `path` counts only for the files
    that it names.
    """
    armature = rig_of(armature)
    if robot is not None:
        draft = _draft_robot(armature, robot_of(robot), names or {}, options)
    else:
        draft = _draft_update(armature, path, options, package_paths, names)
    if not draft.changes:
        return _nothing_changed(armature, draft)
    return _change_rig(armature, draft, names)


def _change_rig(armature: Any, draft: "_Draft", names: Mapping[str, str] | None) -> UpdateResult:
    from ..blender.extract.robot import extract_robot
    from ..blender.loop_hand import settle_loops
    from ..blender.semantics.apply import apply_semantics, extract_semantics
    from ..blender.semantics.record import has_semantics
    from ..blender.standing.record import record_import
    from ..blender.update.actions import find_lost
    from ..blender.update.rebuild import WantedRig, update_rig

    wanted = WantedRig(
        plan=draft.plan,
        base=draft.base,
        options=draft.options,
        before=draft.before,
        names=draft.names,
    )
    for joint in find_lost(armature, draft.plan, draft.names):
        draft.diagnostics.warning(
            "lost-keyframes",
            f"joint {quote(joint)} does not move any more; its keyframes move nothing",
            subject=joint,
        )
    semantics = extract_semantics(armature) if has_semantics(armature) else None
    before = None if semantics is None else extract_robot(armature)
    rig = update_rig(armature, wanted, draft.files)
    if semantics is not None and before is not None:
        apply_semantics(rig.armature, _adapt(semantics, before, draft, names))
    suggest_options(draft.plan.robot, draft.files, draft.options, draft.diagnostics)
    record_import(rig.armature, draft.path, draft.options, draft.diagnostics, draft.states)
    settle_loops(rig.armature)
    for restore in find_hooks("after_update"):
        restore(rig.armature)
    return UpdateResult(
        robot=draft.plan.robot,
        armature=rig.armature,
        links=rig.links,
        bones=dict(draft.plan.bone_of_joint),
        visuals=rig.visuals,
        collisions=rig.collisions,
        diagnostics=tuple(draft.diagnostics),
        changes=draft.changes,
    )


def _adapt(
    semantics: Semantics, before: Robot, draft: "_Draft", names: Mapping[str, str] | None
) -> Semantics:
    """The SRDF as it fits now. While names stay, it stays too, with references that never had an
    effect."""
    after = draft.plan.robot
    if _names_of(before) == _names_of(after):
        return semantics
    return adapt_srdf(semantics, robot=after, names=names, diagnostics=draft.diagnostics)


def _names_of(robot: Robot) -> tuple[set[str], set[str]]:
    return {link.name for link in robot.links}, {joint.name for joint in robot.joints}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """An update before it is done. `base` is the plan of the rig's present description, None where
    parts of the rig are missing; `before` are the options of its import; `states` the states of the
    files that were read; `names` the new names of renamed parts."""

    path: str
    plan: RigPlan
    base: RigPlan | None
    options: ImportOptions
    before: ImportOptions
    changes: tuple[Change, ...]
    files: RobotFiles
    states: Mapping[str, FileState]
    diagnostics: Diagnostics
    names: Any = None


def _draft_robot(
    armature: Any,
    robot: Robot,
    names: Mapping[str, str],
    options: ImportOptions | None = None,
) -> _Draft:
    from ..blender.extract.robot import extract_robot
    from ..blender.standing.record import find_record
    from ..blender.update.rebuild import check_editable

    record = find_record(armature)
    check_editable(armature)
    options = options_of(options or record.options, ImportOptions)
    diagnostics = Diagnostics(robot.source or record.path)
    files = open_files(
        find_files(robot.source or record.path, options), diagnostics, robot, options
    )
    plan = plan_rig(robot, options=options, diagnostics=diagnostics)
    old = extract_robot(armature)
    base = _plan_again(old, record.options)
    renaming = _plan_names(old, base, names, record.options)
    base = base if renaming is None else renaming.after
    changes = [*_compare_robots(old, robot, renaming), *compare_options(record.options, options)]
    return _Draft(
        path=record.path,
        plan=plan,
        base=base,
        options=options,
        before=record.options,
        changes=tuple(changes),
        files=files,
        states=record.files,
        diagnostics=diagnostics,
        names=renaming,
    )


def _compare_robots(old: Robot, new: Robot, renaming: Any) -> tuple[Change, ...]:
    """Compares two robots; the new names of a planned renaming come first."""
    if renaming is None:
        return compare_robots(old, new)
    names = compare_renamed(renaming.links, renaming.joints)
    return (*names, *compare_robots(renaming.robot, new))


def _plan_names(
    old: Robot, base: RigPlan | None, names: Mapping[str, str], options: ImportOptions
) -> Any:
    """Plans the new names of the rig's parts; None where nothing is renamed, and where parts of the
    rig are missing, so that renamed parts are made anew."""
    from ..blender.update.renaming import NewNames

    known = {link.name for link in old.links}
    links = {name: new for name, new in names.items() if name in known and name != new}
    known = {joint.name for joint in old.joints} | {loop.name for loop in old.loops}
    joints = {name: new for name, new in names.items() if name in known and name != new}
    if base is None or not (links or joints):
        return None
    renamed = rename(old, links=links, joints=joints)
    after = _plan_again(renamed, options)
    if after is None or len(after.bones) != len(base.bones):
        return None
    return NewNames(links=links, joints=joints, robot=renamed, before=base, after=after)


def _draft_update(
    armature: Any,
    path: AnyPath | None,
    options: ImportOptions | None,
    package_paths: Sequence[str],
    names: Mapping[str, str] | None = None,
) -> _Draft:
    from ..blender.standing.record import find_record
    from ..blender.update.rebuild import check_editable
    from ..blender.update.standing import find_standing

    record = find_record(armature)
    check_editable(armature)
    path = name_source(path) if path is not None else record.path
    chosen = options_of(options or record.options, ImportOptions)
    options = _add_folders(chosen, package_paths)
    diagnostics = Diagnostics(path)
    resolver = find_files(path, options)
    robot = read_description(resolver, options, diagnostics)
    files = open_files(resolver, diagnostics, robot, options)
    robot = finish(fit_robot(robot, files, options, diagnostics))
    plan = plan_rig(robot, options=options, diagnostics=diagnostics)
    standing = find_standing(armature)
    old = standing.robot
    base = _plan_again(old, record.options)
    renaming = _plan_names(old, base, names or {}, record.options)
    changes = [*_compare_robots(old, robot, renaming), *compare_options(record.options, chosen)]
    if path != record.path:
        changes.insert(0, Change(kind="changed", subject="source", text=f"{record.path} -> {path}"))
    changes += _compare_meshes(standing, robot, record.options, files)
    if options.visuals:
        lost = any(item.lost == "texture" for item in record.diagnostics)
        changes += _compare_textures(standing, files.list_textures(robot), lost=lost)
    return _Draft(
        path=path,
        plan=plan,
        base=base if renaming is None else renaming.after,
        options=options,
        before=record.options,
        changes=tuple(changes),
        files=files,
        states=resolver.states,
        diagnostics=diagnostics,
        names=renaming,
    )


def _add_folders(options: ImportOptions, package_paths: Sequence[str]) -> ImportOptions:
    """Returns options that look into more folders. Folders alone change nothing, so this is not a
    change of the options."""
    added = texts_of(package_paths, "package_paths")
    folders = dict.fromkeys((*options.package_paths, *map(os.path.abspath, added)))
    return replace(options, package_paths=tuple(folders))


def _plan_again(robot: Robot, options: ImportOptions) -> RigPlan | None:
    """Plans the rest of a rig; None where that is not a robot any more."""
    try:
        return plan_rig(robot, options=options, diagnostics=Diagnostics())
    except KinematicsError:
        return None


def _compare_meshes(
    standing: Any, robot: Robot, options: ImportOptions, files: RobotFiles
) -> list[Change]:
    """Lists the mesh files whose content has changed since loading, each once."""
    from ..blender.extract.fingerprints import fingerprint_shape, sum_arrays
    from ..blender.update.standing import find_fingerprints

    texts: dict[str, str] = {}
    for shape, geometry, before in find_fingerprints(standing, robot, options):
        try:
            data = files.peek(geometry)
            after = fingerprint_shape(data, sum_arrays(data), shape, options)
        except MeshError:
            after = None
        if before != after:
            lost = "can no longer be loaded" if after is None else "the file changed"
            texts[geometry.filename] = "can be loaded now" if before is None else lost
    return [
        Change(kind="changed", subject="mesh", name=name, text=text) for name, text in texts.items()
    ]


def _compare_textures(standing: Any, textures: set[Path], *, lost: bool) -> list[Change]:
    """Lists packed images whose files changed and, where textures were lost, the ones found now."""
    from ..blender.update.images import find_changed, find_new

    materials = standing.materials()
    texts = dict.fromkeys(find_changed(materials, textures), "the file changed")
    if lost:
        texts |= dict.fromkeys(find_new(materials, textures), "can be loaded now")
    return [
        Change(kind="changed", subject="texture", name=path.name, text=text)
        for path, text in texts.items()
    ]


def _nothing_changed(armature: Any, draft: _Draft) -> UpdateResult:
    from ..blender.standing.record import note_files
    from ..blender.update.standing import find_standing

    note_files(armature, draft.states)
    standing = find_standing(armature)
    names = [item.link.name for item in draft.plan.links]
    shapes = {
        part: {
            name: [each for each in standing.shapes.get((part, name), ()) if each is not None]
            for name in names
            if getattr(draft.options, part.lower())
        }
        for part in ("Visuals", "Collisions")
    }
    return UpdateResult(
        robot=draft.plan.robot,
        armature=armature,
        links={name: standing.links[name] for name in names if name in standing.links},
        bones=dict(draft.plan.bone_of_joint),
        visuals=shapes["Visuals"],
        collisions=shapes["Collisions"],
        diagnostics=tuple(draft.diagnostics),
        changes=(),
    )
