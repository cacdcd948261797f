# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot descriptions as exact, native Blender rigs.

    import urdf_importer

    result = urdf_importer.import_robot("robot.urdf")
    urdf_importer.set_joint_positions(result.armature, {"elbow": 0.5})
    urdf_importer.link_pose(result.armature, "hand")

    urdf_importer.export_robot(urdf_importer.read_robot("robot.urdf"), "Arm.proto")
    urdf_importer.export_robot(result.armature, "Posed.proto")

Reading, planning, exporting and forward kinematics need no Blender; the rest needs bpy when it is
called.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .core import reshape
from .core.diagnostics import (
    ArgumentError,
    BuildError,
    ConnectError,
    Diagnostic,
    Diagnostics,
    KinematicsError,
    MeshError,
    ReadError,
    RobotError,
    Severity,
    WriteError,
)
from .core.kinematics.conventions import Convention
from .core.kinematics.drive import DriveOptions
from .core.kinematics.link_path_file import write_link_path
from .core.kinematics.loops import close_loops, forward_kinematics, trace_loops
from .core.kinematics.semantic_groups import group_joints
from .core.model import CollisionPair, Pose, Robot, Semantics
from .core.options import ExportOptions, FileOptions, ImportOptions, PlacementOptions, StartOptions
from .core.pipeline.converting import convert_description
from .core.pipeline.exporting import WriterFormat, Written, export_robot
from .core.pipeline.extracting import compare_with_description, extract_robot, find_reshaped
from .core.pipeline.formats import (
    ReaderFormat,
    find_offered,
    find_writer,
    reader_formats,
    writer_formats,
)
from .core.pipeline.importing import (
    ImportResult,
    XacroArgument,
    import_robot,
    import_steps,
    list_models,
    list_xacro_arguments,
    read_robot,
)
from .core.pipeline.locating import find_package_folders, locate_package
from .core.pipeline.reshaping import Reshaping, reshape_robot
from .core.pipeline.updating import UpdateResult, compare_with_source, update_robot
from .core.progress import Progress
from .core.reshape import adapt_srdf
from .core.reshape.compare import Change
from .core.rig import RigPlan, plan_rig
from .core.sensors.placed import PlacedSensor
from .features.collisions.check import avoid_collisions, check_collisions
from .features.collisions.disabled_pairs import find_disabled_collisions, replace_disabled
from .features.collisions.fit import CollisionOptions, FittedCollisions, FittedLink, fit_collisions
from .features.collisions.options import CheckOptions
from .features.collisions.report import CollisionReport, LinkContact
from .features.ik import (
    IKOptions,
    IKResult,
    RigIKOptions,
    find_solutions,
    inverse_kinematics,
    inverse_kinematics_many,
)
from .features.live.link import LiveLink
from .features.live.options import LiveOptions
from .features.motion.limits import JointLimits, Violation
from .features.motion.motions import (
    check_trajectory,
    find_limits,
    read_trajectory,
    retime_trajectory,
    write_trajectory,
)
from .features.motion.options import MotionOptions, RetimeOptions
from .features.motion.recordings.formats import motion_formats
from .features.motion.recordings.read import list_topics
from .features.motion.recordings.topics import Topic
from .features.motion.trajectory import FrameTrack, Trajectory
from .features.retargeting.options import Contact, LimbReport, Pair, RetargetOptions, RetargetResult
from .features.retargeting.retarget import find_pairs, retarget, retarget_steps
from .features.sensing.dataset import DatasetOptions
from .features.sensing.options import RecordOptions, SenseOptions
from .features.sensing.reading import Reading
from .features.sensing.record import record_sensors
from .features.sensing.sense import find_sensors, sense
from .features.simulation.options import Push, SimulationOptions
from .features.simulation.simulate import simulate, simulation_steps
from .features.simulation.states import MotorEffort, Overload, SimulatedRobot, Simulation
from .formats.engines.export import EngineOptions
from .formats.mjcf.write.options import MjcfOptions
from .formats.sdf.write.options import SdfOptions
from .formats.srdf.files import apply_srdf, find_srdf, read_srdf, write_srdf
from .formats.urdf.files import UrdfOptions, write_urdf
from .formats.webots.write.options import WebotsOptions
from .formats.worlds.export import export_world
from .formats.worlds.importing import World, import_world, import_world_steps

if TYPE_CHECKING:
    from .core.blender.curves import set_frame_rate
    from .core.blender.save import new_file, open_blend, save_blend
    from .core.blender.semantics.apply import extract_semantics
    from .core.blender.standing.finishes import set_material_preset
    from .core.blender.standing.mirrored import mirror_pose
    from .core.blender.standing.placing import place_robots
    from .core.blender.standing.pose import get_joint_positions, link_pose, set_joint_positions
    from .core.blender.standing.robot_table import find_robots
    from .core.blender.standing.whole import delete_robot, duplicate_robot
    from .core.blender.update.reset import reset_parts
    from .features.driving.blender.bake import bake_drive
    from .features.driving.blender.grasp import grasp, release
    from .features.driving.blender.velocity import bake_velocity
    from .features.ik.blender.bake import bake_ik, bake_path, trace_path
    from .features.ik.blender.live import add_ik, remove_ik
    from .features.ik.blender.solve import solve_ik
    from .features.live.blender.live import connect
    from .features.motion.blender.apply import apply_trajectory
    from .features.motion.blender.sample import sample_trajectory
    from .features.studio.blender.asset import mark_as_asset
    from .features.studio.blender.render import render_preview
    from .features.studio.blender.stage import build_studio, remove_studio

__all__ = [
    "ArgumentError",
    "BatchOptions",
    "BatchRecord",
    "BatchResult",
    "BuildError",
    "Change",
    "CheckOptions",
    "CollisionOptions",
    "CollisionPair",
    "CollisionReport",
    "ConnectError",
    "Contact",
    "Convention",
    "DatasetOptions",
    "DatasetResult",
    "Diagnostic",
    "Diagnostics",
    "DriveOptions",
    "EngineOptions",
    "ExportOptions",
    "FileOptions",
    "FittedCollisions",
    "FittedLink",
    "FrameTrack",
    "IKOptions",
    "IKResult",
    "ImportOptions",
    "ImportResult",
    "JointLimits",
    "KinematicsError",
    "LimbReport",
    "LinkContact",
    "LiveLink",
    "LiveOptions",
    "MeshError",
    "MjcfOptions",
    "MorseOptions",
    "MotionOptions",
    "MotorEffort",
    "Overload",
    "Pair",
    "PlacedSensor",
    "PlacementOptions",
    "Pose",
    "Progress",
    "Push",
    "ReadError",
    "ReaderFormat",
    "Reading",
    "RecordOptions",
    "Reshaping",
    "RetargetOptions",
    "RetargetResult",
    "RetimeOptions",
    "RigIKOptions",
    "RigPlan",
    "Robot",
    "RobotError",
    "SdfOptions",
    "Semantics",
    "SenseOptions",
    "Severity",
    "SimulatedRobot",
    "Simulation",
    "SimulationOptions",
    "StartOptions",
    "Topic",
    "Trajectory",
    "UpdateResult",
    "UrdfOptions",
    "Violation",
    "WebotsOptions",
    "World",
    "WriteError",
    "WriterFormat",
    "Written",
    "XacroArgument",
    "adapt_srdf",
    "add_ik",
    "apply_srdf",
    "apply_trajectory",
    "avoid_collisions",
    "bake_drive",
    "bake_ik",
    "bake_path",
    "bake_velocity",
    "batch",
    "build_studio",
    "check_collisions",
    "check_morse_profile",
    "check_trajectory",
    "close_loops",
    "compare_with_description",
    "compare_with_source",
    "connect",
    "convert_description",
    "delete_robot",
    "duplicate_robot",
    "export_robot",
    "export_world",
    "extract_robot",
    "extract_semantics",
    "find_disabled_collisions",
    "find_limits",
    "find_package_folders",
    "find_pairs",
    "find_reshaped",
    "find_robots",
    "find_sensors",
    "find_solutions",
    "find_srdf",
    "find_writer",
    "fit_collisions",
    "forward_kinematics",
    "get_joint_positions",
    "grasp",
    "group_joints",
    "import_robot",
    "import_steps",
    "import_world",
    "import_world_steps",
    "inverse_kinematics",
    "inverse_kinematics_many",
    "link_pose",
    "list_models",
    "list_topics",
    "list_xacro_arguments",
    "locate_package",
    "make_dataset",
    "mark_as_asset",
    "mirror_pose",
    "motion_formats",
    "new_file",
    "open_blend",
    "place_robots",
    "plan_rig",
    "read_robot",
    "read_srdf",
    "read_trajectory",
    "reader_formats",
    "record_sensors",
    "release",
    "remove_ik",
    "remove_studio",
    "render_preview",
    "replace_disabled",
    "reset_parts",
    "reshape",
    "reshape_robot",
    "retarget",
    "retarget_steps",
    "retime_trajectory",
    "sample_trajectory",
    "save_blend",
    "sense",
    "set_frame_rate",
    "set_joint_positions",
    "set_material_preset",
    "simulate",
    "simulation_steps",
    "solve_ik",
    "trace_loops",
    "trace_path",
    "update_robot",
    "write_builder_script",
    "write_link_path",
    "write_srdf",
    "write_trajectory",
    "write_urdf",
    "writer_formats",
]

_IN_BLENDER = {
    "features.motion.blender.apply": ("apply_trajectory",),
    "core.blender.curves": ("set_frame_rate",),
    "features.live.blender.live": ("connect",),
    "features.motion.blender.sample": ("sample_trajectory",),
    "features.driving.blender.bake": ("bake_drive",),
    "features.driving.blender.grasp": ("grasp", "release"),
    "features.driving.blender.velocity": ("bake_velocity",),
    "features.ik.blender.bake": ("bake_ik", "bake_path", "trace_path"),
    "features.ik.blender.live": ("add_ik", "remove_ik"),
    "features.ik.blender.solve": ("solve_ik",),
    "features.studio.blender.asset": ("mark_as_asset",),
    "features.studio.blender.render": ("render_preview",),
    "features.studio.blender.stage": ("build_studio", "remove_studio"),
    "core.blender.save": ("new_file", "open_blend", "save_blend"),
    "core.blender.semantics.apply": ("extract_semantics",),
    "core.blender.standing.finishes": ("set_material_preset",),
    "core.blender.standing.mirrored": ("mirror_pose",),
    "core.blender.standing.placing": ("place_robots",),
    "core.blender.standing.pose": ("get_joint_positions", "link_pose", "set_joint_positions"),
    "core.blender.standing.robot_table": ("find_robots",),
    "core.blender.standing.whole": ("delete_robot", "duplicate_robot"),
    "core.blender.update.reset": ("reset_parts",),
}
"""Functions that need Blender: module -> names, loaded at their first use."""


def __getattr__(name: str) -> Any:
    """Returns the object of Blender's layer or an optional part with this name, loaded on first
    use; of an absent part, a function that raises when it is called."""
    for module, names in _IN_BLENDER.items():
        if name in names:
            return _find_in_blender(module, name)
    if name == "__version__":
        from .core.files.version import find_version

        return find_version()
    try:
        return find_offered(name)
    except AttributeError:
        if name not in __all__:
            raise
    return _raise_when_called(
        ModuleNotFoundError(
            f"{name} is in a part of the library that is not installed; all parts come with "
            "pip install 'urdf-importer[morse]'"
        )
    )


def _find_in_blender(module: str, name: str) -> Any:
    """Returns a function that needs Blender; without Blender, one that raises when it is called, so
    that a script's imports work anywhere."""
    try:
        return getattr(import_module(f".{module}", __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in ("bpy", "bmesh", "mathutils"):
            raise
        return _raise_when_called(error)


def _raise_when_called(missing: ModuleNotFoundError) -> Any:
    def raise_missing(*_given: Any, **_named: Any) -> Any:
        """Needs Blender or a part of the library, which is not there."""
        raise missing

    return raise_missing


def __dir__() -> list[str]:
    return __all__
