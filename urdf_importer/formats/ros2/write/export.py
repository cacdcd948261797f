# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work of an export on one page: plan -> packages -> the files that are not there yet
or are ours, all of them or none."""

import os
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ....core.diagnostics import Diagnostics, ReadError, WriteError, quote
from ....core.files.folders import Folders, walk_up
from ....core.files.outputs import check_folder, replace_files
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from ....core.gazebo import interpret_extras
from ....core.kinematics.tree import retrace_tree
from ....core.model import JointControl, Robot, Semantics
from ....core.options import FileOptions, ImportOptions
from ....core.progress import Progress, finish
from ....core.readers.formats import Description
from ....core.reshape.compare import compare_robots
from ....core.shelves import find_hooks
from ....core.writers.formats import OpenExport, OutputKind, WriterFormat, Written, count_tree
from ....core.writers.ros import make_package_name
from ...mjcf.write.export import export_mjcf
from ...mjcf.write.options import MjcfOptions
from ...srdf.files import write_srdf
from ...urdf.files import UrdfOptions, write_opened
from ...urdf.read.robot import read_urdf
from .control import copy_for_xacro, escape_xacro, list_controllers, write_bringup
from .drives import DriveSearch
from .kept import refuse_others, sift
from .moveit import list_sent, write_moveit
from .options import Ros2Options
from .packages import list_needed, write_launch, write_package
from .plan import RosPlan, choose_start, find_passive, plan_ros

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*").fullmatch
_SUFFIX = "_ros2"
_SHARED = ("packages", "package_paths", "fit_collisions")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Described:
    """Where the description is: its package, its path in that, and the robot in it."""

    package: str
    path: str
    robot: Robot

    @property
    def uri(self) -> str:
        return f"$(find {self.package})/{self.path}"


def export_ros2(found: OpenExport[Ros2Options], path: Path) -> Generator[Progress, None, Written]:
    """Writes the packages into a folder, in steps. Files that were edited there are kept. Raises
    WriteError, KinematicsError where the robot is not a tree or has not the wanted drive; nothing
    is written then."""
    options, diagnostics, given = found.options, found.diagnostics, path
    path = path.absolute()
    name = _choose_name(found.robot, options)
    own = [] if options.description == "use" else ["description"]
    check_folder(path)
    refuse_others(path, [f"{name}_{kind}" for kind in (*own, "bringup", "moveit_config")])
    with replace_files(path) as folder:
        yield Progress(share=0.0, text="description")
        described = _describe(found, folder, name)
        semantics = found.semantics()
        search = DriveSearch(
            tree=retrace_tree(described.robot),
            files=found.files,
            passive=find_passive(described.robot, semantics),
        )
        plan = plan_ros(name, search, semantics, str(options.drive), diagnostics)
        kinds = [*own, "bringup"]
        if plan.has_block:
            _report_block(diagnostics)
        if options.moveit == "auto" and list_sent(plan) and any(plan.groups.values()):
            kinds.append("moveit_config")
            plan = yield from _add_pairs(found, plan)
        yield Progress(share=0.9, text="packages")
        for kind in kinds:
            _write_kind(found, plan, kind, described, folder)
        packages = [f"{name}_{kind}" for kind in kinds]
        sifted = sift(folder, path, packages, diagnostics)
        found.list_made(folder, given)
    return Written(
        path=given,
        files=tuple(given / each for each in sifted.files),
        robot=described.robot.name,
        facts={
            **count_tree(plan.tree),
            "packages": packages,
            "controllers": {each.name: each.type for each in list_controllers(plan)},
            "groups": list(plan.groups),
            "kept": list(sifted.kept),
        },
        diagnostics=tuple(diagnostics),
    )


def suggest_package_folder(robot: str) -> str:
    """Returns a name for the folder of the packages of a robot."""
    return f"{_make_name(robot)}{_SUFFIX}"


def _make_name(robot: str) -> str:
    return make_package_name(robot).removesuffix("_description") or "robot"


def _choose_name(robot: Robot, options: Ros2Options) -> str:
    if not options.person or (options.name and not _NAME(options.name)):
        raise WriteError(
            f"{quote(options.name)} is not a name that a ROS 2 package can have: small letters, "
            "digits and single _ between them, a letter first"
        )
    for each in (robot.name, *robot.names()):
        escape_xacro(each)
    return options.name or _make_name(robot.name)


def _describe(found: OpenExport[Any], folder: Path, name: str) -> _Described:
    """Writes the description package, without the files that all packages have, or finds the
    package that the robot was read from."""
    if found.options.description == "use":
        return _find_described(found)
    package = f"{name}_description"
    own = {each: getattr(found.options, each) for each in _SHARED}
    wishes = UrdfOptions(ros_package=package, mesh_format="dae", **own)
    place = folder / package / f"{name}.urdf"
    written = write_opened(replace(found, options=wishes), place).robot
    robot = replace(written, source=found.robot.source)
    (folder / package / "package.xml").unlink()
    (folder / package / "urdf").mkdir()
    path = f"urdf/{name}.urdf"
    place.rename(folder / package / path)
    data = (folder / package / path).read_bytes()
    copy = copy_for_xacro(data.decode("utf-8", "surrogateescape"))
    copied = copy.encode("utf-8", "surrogateescape")
    described = _Described(package=package, path=path, robot=robot)
    if copied != data:
        described = replace(described, package=f"{name}_bringup", path=f"urdf/{name}_copy.urdf")
        target = folder / f"{name}_bringup" / described.path
        target.parent.mkdir(parents=True)
        target.write_bytes(copied)
    return described


def _report_block(diagnostics: Diagnostics) -> None:
    diagnostics.warning(
        "own-hardware",
        "the description has a block of ros2_control of its own, which is the only one: its plugin "
        "decides the hardware, and the launch argument hardware starts the programs around it",
    )


def _find_described(found: OpenExport[Ros2Options]) -> _Described:
    source, folders = os.path.abspath(found.robot.source), Folders()
    above = walk_up(os.path.dirname(source)) if found.robot.source else []
    folder = next(filter(folders.find_package_name, above), "")
    package = folders.find_package_name(folder) if folder else None
    if package is None:
        raise WriteError(
            "the robot was read from no ROS package, so its description must be written"
        )
    if found.armature is not None:
        from ....core.pipeline.extracting import compare_with_description

        changes = compare_with_description(found.armature)
        if changes:
            raise WriteError(
                f"the robot was changed in Blender ({changes[0]}), so its description must be "
                "written"
            )
    if not found.robot.text_of("urdf"):
        _refuse_other(found, source)
    path = Path(source).relative_to(folder).as_posix()
    return _Described(package=package, path=path, robot=found.robot)


def _refuse_other(found: OpenExport[Ros2Options], source: str) -> None:
    """Raises WriteError for a robot that a launch file, which gives xacro no arguments, would not
    read from its file."""
    own = found.options
    options = ImportOptions(packages=own.packages, package_paths=own.package_paths)
    resolver = PackageResolver(source, own.packages, own.package_paths)
    try:
        data = read_regular_file(source)
        plain = read_urdf(
            Description(
                data=data,
                source=source,
                resolver=resolver,
                options=options,
                diagnostics=Diagnostics(source),
            )
        )
    except ReadError as error:
        raise WriteError(
            f"only a description in URDF or xacro can be used from its package: {error.message}"
        ) from None
    changes = compare_robots(interpret_extras(plain), found.robot)
    if changes:
        raise WriteError(
            f"without the arguments of its xacro the robot is another ({changes[0]}), so its "
            "description must be written"
        )


def _add_pairs(found: OpenExport[Ros2Options], plan: RosPlan) -> Generator[Progress, None, RosPlan]:
    """Returns the plan with the pairs of links that MoveIt can skip, where it has none."""
    disable = next(find_hooks("disable_pairs"), None)
    if disable is None or plan.semantics.disabled_collisions:
        return plan
    options, own = found.options, Diagnostics(found.diagnostics.source)
    places = FileOptions(packages=options.packages, package_paths=options.package_paths)
    robot: Any = found.robot if found.armature is None else found.armature
    drawn = (options.collision_samples, 0)
    semantics = yield from disable(robot, plan.semantics, drawn, places, own)
    known = set(found.diagnostics)
    found.diagnostics.extend(each for each in own if each not in known)
    return replace(plan, semantics=semantics)


def _write_kind(
    found: OpenExport[Ros2Options], plan: RosPlan, kind: str, described: _Described, folder: Path
) -> None:
    """Writes a package, but for the description that is there already."""
    options, home = found.options, folder / f"{plan.name}_{kind}"
    needed = list_needed(plan, kind, options.hardware, described.package)
    needed = [each for each in needed if each != home.name]
    files = write_package(plan, kind, needed, options) | write_launch(plan, kind, options)
    if kind == "bringup":
        start = choose_start(plan, _find_shown(found))
        files |= write_bringup(plan, described.uri, options.hardware, start)
        if options.hardware == "mujoco":
            _write_mujoco(found, plan, start, home / "mujoco")
    elif kind == "moveit_config":
        files |= write_moveit(plan, options.acceleration)
        _write_semantics(plan.semantics, home / "config" / f"{plan.name}.srdf", found.diagnostics)
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8", newline="\n")


def _write_semantics(semantics: Semantics, path: Path, diagnostics: Diagnostics) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_srdf(semantics, path, diagnostics=diagnostics)


def _find_shown(found: OpenExport[Ros2Options]) -> dict[str, float]:
    """Returns the positions in the pose of a rig, else in the one that the description begins
    with."""
    if found.armature is not None:
        from ....core.blender.standing.pose import get_joint_positions

        shown = get_joint_positions(found.armature).items()
        return {name: each for name, each in shown if isinstance(each, float)}
    return {name: numbers[0] for name, numbers in found.robot.start if len(numbers) == 1}


def _write_mujoco(
    found: OpenExport[Any], plan: RosPlan, start: Mapping[str, float], folder: Path
) -> None:
    """Writes the model of MuJoCo, with a servo for each joint under its own name."""
    own = {each: getattr(found.options, each) for each in _SHARED}
    positions = tuple((name, repr(float(each))) for name, each in start.items())
    controls = tuple(
        JointControl(joint=each.name, command_interfaces=each.commands[:1])
        for each in plan.joints
        if each.commands
    )
    folder.mkdir(parents=True)
    wishes = MjcfOptions(scene=True, positions=positions, **own)
    with replace(found, options=wishes).as_shown(keeps_seats=True) as shown:
        robot = replace(shown.robot, controls=controls)
        export_mjcf(replace(shown, robot=robot), folder / f"{plan.name}.xml", plan.semantics)


def _write(found: OpenExport[Ros2Options], path: Path) -> Written:
    return finish(export_ros2(found, path))


ROS2 = WriterFormat(
    name="ros2",
    label="ROS 2",
    title="ROS 2 Packages",
    text="a folder of ROS 2 packages",
    description="Write the active robot as packages of ROS 2: its description, its controllers "
    "with ros2_control and the configuration of MoveIt. Files that were edited are kept",
    kinds=(OutputKind(name="ros2", label="ROS 2", suffix=""),),
    options=Ros2Options,
    write=_write,
    write_steps=export_ros2,
    suggest_name=suggest_package_folder,
    purpose="ROS 2",
    operator="robot_for_ros2",
)
