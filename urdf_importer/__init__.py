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

from typing import Any

from . import reshape
from .diagnostics import (
    BuildError,
    Diagnostic,
    DiagnosticGroup,
    Diagnostics,
    FragmentError,
    KinematicsError,
    MeshError,
    ReadError,
    RobotError,
    Severity,
    WriteError,
    describe_missing,
    group_diagnostics,
)
from .kinematics import IKResult, find_solutions, forward_kinematics, inverse_kinematics
from .kinematics.conventions import Convention
from .kinematics.semantic_groups import group_joints
from .model import CollisionPair, Pose, Robot, Semantics
from .motion.options import MotionOptions
from .motion.trajectory import FrameTrack, Trajectory
from .options import FileOptions, ImportOptions, PlacementOptions, StartOptions
from .pipeline import (
    CONVERT_MODES,
    ConvertMode,
    ExportOptions,
    ExportResult,
    ImportResult,
    ReaderFormat,
    Reshaping,
    UpdateResult,
    UrdfOptions,
    UrdfResult,
    WebotsOptions,
    WriterFormat,
    Written,
    XacroArgument,
    add_ik,
    apply_srdf,
    bake_ik,
    collision_steps,
    compare_with_description,
    compare_with_robot,
    compare_with_source,
    convert_description,
    delete_robot,
    duplicate_robot,
    export_robot,
    extract_robot,
    extract_semantics,
    find_disabled_collisions,
    find_package_folders,
    find_reshaped,
    find_robots,
    find_srdf,
    find_writer,
    get_joint_positions,
    import_robot,
    import_steps,
    link_pose,
    list_xacro_arguments,
    locate_package,
    mark_as_asset,
    mirror_pose,
    new_file,
    open_blend,
    place_robots,
    read_own_srdf,
    read_robot,
    read_srdf,
    reader_formats,
    remove_ik,
    render_preview,
    replace_disabled,
    reset_parts,
    reshape_robot,
    save_blend,
    set_joint_positions,
    solve_ik,
    suggest_name,
    suggest_proto_name,
    update_robot,
    write_format,
    write_srdf,
    write_urdf,
    writer_formats,
)
from .pipeline.formats import find_offered
from .progress import Progress
from .recordings.read import list_topics, read_trajectory
from .recordings.topics import Topic
from .recordings.write import write_trajectory
from .reshape import adapt_srdf
from .reshape.compare import Change
from .rig import RigPlan, plan_rig

__all__ = [
    "CONVERT_MODES",
    "BatchProgress",
    "BatchRecord",
    "BatchResult",
    "BuildError",
    "BuilderScript",
    "Change",
    "CollisionPair",
    "Convention",
    "ConvertMode",
    "Diagnostic",
    "DiagnosticGroup",
    "Diagnostics",
    "ExportOptions",
    "ExportResult",
    "FileOptions",
    "FragmentError",
    "FrameTrack",
    "IKResult",
    "ImportOptions",
    "ImportResult",
    "KinematicsError",
    "MeshError",
    "MorseOptions",
    "MotionOptions",
    "PlacementOptions",
    "Pose",
    "Progress",
    "ReadError",
    "ReaderFormat",
    "Reshaping",
    "RigPlan",
    "Robot",
    "RobotError",
    "Semantics",
    "Severity",
    "StartOptions",
    "Topic",
    "Trajectory",
    "UpdateResult",
    "UrdfOptions",
    "UrdfResult",
    "WebotsOptions",
    "WriteError",
    "WriterFormat",
    "Written",
    "XacroArgument",
    "adapt_srdf",
    "add_ik",
    "apply_srdf",
    "bake_ik",
    "batch",
    "check_morse_profile",
    "collision_steps",
    "compare_with_description",
    "compare_with_robot",
    "compare_with_source",
    "convert_description",
    "delete_robot",
    "describe_missing",
    "duplicate_robot",
    "export_robot",
    "extract_robot",
    "extract_semantics",
    "find_disabled_collisions",
    "find_package_folders",
    "find_reshaped",
    "find_robots",
    "find_solutions",
    "find_srdf",
    "find_writer",
    "forward_kinematics",
    "get_joint_positions",
    "group_diagnostics",
    "group_joints",
    "import_robot",
    "import_steps",
    "inverse_kinematics",
    "link_pose",
    "list_topics",
    "list_xacro_arguments",
    "locate_package",
    "mark_as_asset",
    "mirror_pose",
    "new_file",
    "open_blend",
    "place_robots",
    "plan_rig",
    "read_own_srdf",
    "read_robot",
    "read_srdf",
    "read_trajectory",
    "reader_formats",
    "remove_ik",
    "render_preview",
    "replace_disabled",
    "reset_parts",
    "reshape",
    "reshape_robot",
    "save_blend",
    "set_joint_positions",
    "solve_ik",
    "suggest_name",
    "suggest_proto_name",
    "suggest_script_name",
    "update_robot",
    "write_builder_script",
    "write_format",
    "write_srdf",
    "write_trajectory",
    "write_urdf",
    "writer_formats",
]


def __getattr__(name: str) -> Any:
    """Returns what an optional part offers under this name, loaded when it is asked for."""
    return find_offered(name)
