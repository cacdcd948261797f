# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work on one page: read -> plan -> build."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from .changes import Change, compare_options, compare_robots
from .diagnostics import Diagnostic, Diagnostics, KinematicsError, MeshError
from .kinematics import RigPlan, plan_rig
from .kinematics.forward import Position
from .kinematics.transforms import Matrix
from .meshes import KnownFiles, load_geometry
from .model import Geometry, Robot
from .options import ImportOptions
from .packages import FileKind, PackageResolver
from .progress import Progress
from .readers import XacroArgument as XacroArgument
from .readers import list_xacro_arguments as _list_xacro_arguments
from .readers import read_robot as _read_robot

AnyPath = str | PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What an import made.

    armature     the armature object
    links        link name -> its empty, standing in the URDF link frame
    bones        joint name -> name of the bone that holds it; joints without a bone are not in it
    visuals      link name -> its visual objects, in the order of the description
    collisions   link name -> its collision objects
    diagnostics  everything that was substituted or lost, in the order of the work
    """

    robot: Robot
    armature: Any
    links: dict[str, Any]
    bones: dict[str, str]
    visuals: dict[str, list[Any]]
    collisions: dict[str, list[Any]]
    diagnostics: tuple[Diagnostic, ...]


def read_robot(
    path: AnyPath, diagnostics: Diagnostics | None = None, options: ImportOptions | None = None
) -> Robot:
    """The robot that a description, URDF or xacro, says, exactly, without Blender.

    `diagnostics` collects what is odd about the file; of the options, those about files and xacro
    count. Raises ReadError where there is no robot.
    """
    options = options or ImportOptions()
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(str(path))
    resolver = _find_files(path, options)
    return _read_robot(path, diagnostics, resolver=resolver, xacro_args=options.xacro_args)


def list_xacro_arguments(
    path: AnyPath, options: ImportOptions | None = None, *, seconds: float | None = None
) -> tuple[XacroArgument, ...]:
    """The arguments that a xacro file and its includes declare, in their order, with their defaults
    as they are written; none of other files. Where the file cannot be expanded (an argument may be
    missing, or it takes more than `seconds`), those declared up to there. Raises ReadError where it
    cannot be read at all."""
    options = options or ImportOptions()
    resolver = _find_files(path, options)
    return _list_xacro_arguments(
        path, resolver=resolver, xacro_args=options.xacro_args, seconds=seconds
    )


def _find_files(path: AnyPath, options: ImportOptions) -> PackageResolver:
    return PackageResolver(str(path), options.packages, options.package_paths)


def import_robot(path: AnyPath, options: ImportOptions | None = None) -> ImportResult:
    """Imports a robot description into the current scene of Blender.

    Raises RobotError (one sentence, with file and line) where no robot can be made; the scene is
    then as it was. Everything milder is in the result's diagnostics.
    """
    steps = import_steps(path, options)
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            result: ImportResult = finished.value
            return result


def import_steps(
    path: AnyPath, options: ImportOptions | None = None, diagnostics: Diagnostics | None = None
) -> Generator[Progress, None, ImportResult]:
    """import_robot in steps, for progress bars. Closing the generator takes everything back, also
    at its last step, whose share is 1: the robot is there then, and only waits for the end.

    `diagnostics` fills while the work goes on, also when it fails.
    """
    from .blender.build import build_rig
    from .blender.record import record_import

    options = options or ImportOptions()
    diagnostics = diagnostics if diagnostics is not None else Diagnostics(str(path))
    yield Progress(share=0.0, text="reading")
    # One for all: what xacro writes for a package that it found, the meshes find as well.
    resolver = _find_files(path, options)
    robot = _read_robot(path, diagnostics, resolver=resolver, xacro_args=options.xacro_args)
    yield Progress(share=0.0, text=f"planning {len(robot.links)} links")
    plan = plan_rig(robot, options, diagnostics)
    load = partial(_load_shape, resolver, {})
    resolve = partial(_resolve_texture, resolver)
    rig = yield from build_rig(plan, options, load, diagnostics, resolve)
    record_import(rig.armature, str(path), options, diagnostics)
    return ImportResult(
        robot=robot,
        armature=rig.armature,
        links=rig.links,
        bones=dict(plan.bone_of_joint),
        visuals=rig.visuals,
        collisions=rig.collisions,
        diagnostics=tuple(diagnostics),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateResult(ImportResult):
    """What an update made of a rig, as ImportResult says it of an import.

    changes      what was different in the source; where it is empty, nothing at all was touched
    diagnostics  what was odd about the source, and what happened to things of the user
    """

    changes: tuple[Change, ...]


def compare_with_source(
    armature: Any, path: AnyPath | None = None, options: ImportOptions | None = None
) -> tuple[Change, ...]:
    """What update_robot would change, without changing anything; empty where nothing is different.

    `path` and `options` as there. Raises RobotError where the source cannot be read, or the object
    is no imported robot.
    """
    return _draft_update(armature, path, options).changes


def update_robot(
    armature: Any, path: AnyPath | None = None, options: ImportOptions | None = None
) -> UpdateResult:
    """Reads the source of a rig again and makes the rig what it says now.

    Poses, keyframes, materials that the user changed and objects that he attached stay. `path` is
    another file in place of the one that was imported, `options` others than those of the import.
    Raises RobotError (one sentence); the rig is then as it was. Where nothing is different nothing
    is touched.
    """
    from .blender.record import record_import
    from .blender.update.graft import Wanted, update_rig

    draft = _draft_update(armature, path, options)
    if not draft.changes:
        return _nothing_changed(armature, draft)
    wanted = Wanted(plan=draft.plan, base=draft.base, options=draft.options, before=draft.before)
    load = partial(_load_shape, draft.resolver, {})
    resolve = partial(_resolve_texture, draft.resolver)
    rig = update_rig(armature, wanted, load, draft.diagnostics, resolve)
    record_import(rig.armature, draft.path, draft.options, draft.diagnostics)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """An update before it is done. `base` is the plan of what the rig says now, None where parts of
    the rig are missing; `before` are the options of its import."""

    path: str
    plan: RigPlan
    base: RigPlan | None
    options: ImportOptions
    before: ImportOptions
    changes: tuple[Change, ...]
    resolver: PackageResolver
    diagnostics: Diagnostics


def _draft_update(armature: Any, path: AnyPath | None, options: ImportOptions | None) -> _Draft:
    from .blender.extract import extract_robot
    from .blender.record import find_record
    from .blender.update.graft import check_editable

    record = find_record(armature)
    check_editable(armature)
    path = str(Path(path).absolute()) if path is not None else record.path
    options = options or record.options
    diagnostics = Diagnostics(path)
    resolver = _find_files(path, options)
    robot = _read_robot(path, diagnostics, resolver=resolver, xacro_args=options.xacro_args)
    plan = plan_rig(robot, options, diagnostics)
    old = extract_robot(armature)
    changes = [*compare_robots(old, robot), *compare_options(record.options, options)]
    if path != record.path:
        text = f"{record.path} -> {path}"
        changes.insert(0, Change(kind="changed", subject="source", text=text))
    changes += _compare_meshes(armature, robot, record.options, resolver)
    return _Draft(
        path=path,
        plan=plan,
        base=_plan_again(old, record.options),
        options=options,
        before=record.options,
        changes=tuple(changes),
        resolver=resolver,
        diagnostics=diagnostics,
    )


def _plan_again(robot: Robot, options: ImportOptions) -> RigPlan | None:
    """None where what is left of a rig makes no robot."""
    try:
        return plan_rig(robot, options, Diagnostics())
    except KinematicsError:
        return None


def _compare_meshes(
    armature: Any, robot: Robot, options: ImportOptions, resolver: PackageResolver
) -> list[Change]:
    """Mesh files that say something else than when they were loaded, each once."""
    from .blender.fingerprints import fingerprint_shape
    from .blender.update.standing import find_fingerprints

    known: KnownFiles = {}
    texts: dict[str, str] = {}
    loaded: dict[Geometry, Any] = {}
    for shape, geometry, before in find_fingerprints(armature, robot, options):
        if geometry not in loaded:
            try:
                loaded[geometry] = _load_shape(resolver, known, geometry, Diagnostics(), "", 0)
            except MeshError:
                loaded[geometry] = None
        data = loaded[geometry]
        after = None if data is None else fingerprint_shape(data, shape, options)
        if before != after:
            lost = "can no longer be loaded" if after is None else "the file changed"
            texts[geometry.filename] = "can be loaded now" if before is None else lost
    return [
        Change(kind="changed", subject="mesh", name=name, text=text) for name, text in texts.items()
    ]


def _nothing_changed(armature: Any, draft: _Draft) -> UpdateResult:
    from .blender.update.standing import find_standing

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


def _load_shape(
    resolver: PackageResolver,
    known: KnownFiles,
    geometry: Geometry,
    diagnostics: Diagnostics,
    subject: str,
    line: int,
) -> Any:
    report = partial(diagnostics.warning, subject=subject, line=line)

    def resolve_beside(mesh: Path, uri: str, kind: FileKind) -> Path:
        return resolver.resolve_file(uri, report, kind=kind, base=mesh.parent)

    resolve = partial(resolver.resolve_file, report=report)
    return load_geometry(geometry, resolve, report, resolve_beside, known)


def _resolve_texture(
    resolver: PackageResolver, uri: str, diagnostics: Diagnostics, subject: str, line: int
) -> Path:
    report = partial(diagnostics.warning, subject=subject, line=line)
    return resolver.resolve_file(uri, report, kind="texture")


def set_joint_positions(armature: Any, positions: Mapping[str, Position]) -> None:
    """Poses an imported robot, also one in a re-opened .blend.

    `positions`: joint name -> radians (revolute, continuous) or metres (prismatic); (x, y, yaw) for
    planar joints, (x, y, z, qx, qy, qz, qw) for floating ones, (qx, qy, qz, qw) for ball joints.
    Joints that mimic another follow it, whatever is said of them; limits hold what is shown.

    Raises KinematicsError for an unknown joint or a wrong position (and moves nothing), BuildError
    for an object that is no imported robot.
    """
    from .blender import pose

    pose.set_joint_positions(armature, positions)


def get_joint_positions(armature: Any) -> dict[str, float | tuple[float, ...]]:
    """Joint name -> position as the rig shows it, after limits, IK and drivers; of all moving
    joints, in the units and tuples of set_joint_positions. Raises BuildError."""
    from .blender import pose

    return pose.get_joint_positions(armature)


def link_pose(armature: Any, link: str) -> Matrix:
    """The evaluated frame (4, 4) of a link in armature space. Raises KinematicsError."""
    from .blender import pose

    return pose.link_pose(armature, link)


def new_file() -> None:
    """Opens a new file in Blender, empty and with Blender's own settings. What is open is lost."""
    from .blender import save

    save.new_file()


def save_blend(path: AnyPath) -> None:
    """Saves what is open in Blender as a compressed .blend, whole or not at all, without backups.

    An existing file is overwritten. Raises WriteError.
    """
    from .blender import save

    save.save_scene(path)


def render_preview(
    armature: Any,
    path: AnyPath,
    *,
    width: int = 960,
    height: int = 720,
    samples: int = 24,
    bones: bool = False,
) -> None:
    """Renders an imported robot, as it is posed, into a PNG file; works without a window.

    `width` and `height` are in pixels, `samples` per pixel. `bones` shows the rig through a
    transparent robot. The scene stays as it is; an existing file is overwritten. Raises BuildError
    for an object that is no imported robot, WriteError where the file cannot be written.
    """
    from .blender import preview

    preview.render_preview(armature, path, width=width, height=height, samples=samples, bones=bones)
