# SPDX-License-Identifier: GPL-3.0-or-later
"""Import: read -> plan -> build."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from ..arguments import diagnostics_of, options_of
from ..diagnostics import Diagnostic, Diagnostics
from ..files.packages import AnyPath, PackageResolver
from ..files.references import is_address
from ..model import Robot
from ..options import ImportOptions
from ..progress import Progress, finish
from ..readers.formats import XacroArgument as XacroArgument
from ..readers.formats import reader_formats
from ..rig import plan_steps
from ..shelves import find_hooks
from .files import find_files, open_files, refuse_folder, suggest_options
from .formats import find_recorded, open_description, read_description
from .hooks import fit_robot, read_semantics


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of an import.

    armature     the armature object
    links        link name -> its empty, in the URDF link frame
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
    path: AnyPath,
    *,
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Robot:
    """Reads the robot of a description (URDF, xacro or another of reader_formats()), exactly, and
    without Blender.

    `diagnostics` collects oddities of the file; of the options, the ones about files and xacro
    matter. Raises ReadError where no robot can be read.
    """
    options = options_of(options, ImportOptions)
    diagnostics = diagnostics_of(diagnostics, path)
    resolver = find_files(path, options)
    return read_description(resolver, options, diagnostics)


def list_xacro_arguments(
    path: AnyPath, *, seconds: float | None = None, options: ImportOptions | None = None
) -> tuple[XacroArgument, ...]:
    """Lists the arguments that a xacro file and its includes declare, in their order, with their
    defaults as written, then others in use that none declares; other files have none.
    Parts that cannot be expanded are passed over; where it takes more than `seconds`, lists the
    arguments up to there. Raises ReadError where the file cannot be read at all."""
    options = options_of(options, ImportOptions)
    resolver = find_files(path, options)
    source = resolver.description
    if is_address(source) or find_recorded(source, Diagnostics()) is not None:
        return ()
    refuse_folder(source)
    listed = (list_them(resolver, options, seconds) for list_them in find_hooks("list_arguments"))
    return tuple(each for arguments in listed for each in arguments)


def list_models(path: AnyPath, *, options: ImportOptions | None = None) -> tuple[str, ...]:
    """Lists the names of the models in a file of SDF, MJCF or USD, or in a folder that is a model,
    in their order: valid values of the option `model`. Raises ReadError for other files."""
    options = options_of(options, ImportOptions)
    resolver = find_files(path, options)
    found, given = open_description(resolver, options, Diagnostics())
    # Of files of one robot, the first format with models reports that they have none.
    listers = (each.list_models for each in (found, *reader_formats()))
    return next(filter(None, listers))(given)


def import_robot(
    path_or_robot: AnyPath | Robot,
    *,
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> ImportResult:
    """Imports a robot description into the current scene of Blender, or a `Robot` that was made or
    changed in Python.

    Raises RobotError (one sentence, with file and line) where no robot can be made; the scene is
    then unchanged. Everything milder is in the result's diagnostics, and in `diagnostics`, also
    when the import fails.
    """
    return finish(import_steps(path_or_robot, options=options, diagnostics=diagnostics))


def import_steps(
    path_or_robot: AnyPath | Robot,
    *,
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, ImportResult]:
    """Runs import_robot in steps, for progress bars. Closing the generator takes everything back,
    even at its last step, whose share is 1: the robot is complete then.

    `diagnostics` fills while the work runs, also when it fails.
    """
    given: Robot | None = None
    if isinstance(path_or_robot, Robot):
        given = path_or_robot
        path: AnyPath = given.source or f"{given.name}.urdf"
    else:
        path = path_or_robot
    options = options_of(options, ImportOptions)
    diagnostics = diagnostics_of(diagnostics, path)
    yield Progress(share=0.0, text="reading")
    # One resolver for both, so that meshes are found in the packages that xacro found.
    resolver = find_files(path, options)
    robot = given or read_description(resolver, options, diagnostics)
    made = yield from build_steps(path, robot, resolver, options, diagnostics)
    return made


def build_steps(
    path: AnyPath,
    robot: Robot,
    resolver: PackageResolver,
    options: ImportOptions,
    diagnostics: Diagnostics,
) -> Generator[Progress, None, ImportResult]:
    """Plans and builds a robot that was read from `path`, as import_steps does."""
    from ..blender.build.build import build_rig
    from ..blender.loop_hand import settle_loops
    from ..blender.semantics.apply import apply_semantics
    from ..blender.standing.pose import set_joint_positions
    from ..blender.standing.record import record_import
    from ..blender.standing.whole import delete_robot

    files = open_files(resolver, diagnostics, robot, options)
    robot = yield from fit_robot(robot, files, options, diagnostics)
    yield Progress(share=0.0, text=f"planning {len(robot.links)} links")
    plan = yield from plan_steps(robot, options, diagnostics)
    semantics = read_semantics(path, robot, options, diagnostics)
    rig = yield from build_rig(plan, options, files)
    suggest_options(robot, files, options, diagnostics)
    try:
        if semantics is not None:
            apply_semantics(rig.armature, semantics)
        record_import(rig.armature, str(path), options, diagnostics, resolver.states)
        if robot.start:
            set_joint_positions(rig.armature, dict(robot.start), diagnostics=diagnostics)
        settle_loops(rig.armature)
    except BaseException:
        delete_robot(rig.armature)
        raise
    return ImportResult(
        robot=robot,
        armature=rig.armature,
        links=rig.links,
        bones=dict(plan.bone_of_joint),
        visuals=rig.visuals,
        collisions=rig.collisions,
        diagnostics=tuple(diagnostics),
    )
