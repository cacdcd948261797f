# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot descriptions as exact, native Blender rigs.

    import urdf_importer

    result = urdf_importer.import_robot("robot.urdf")
    urdf_importer.set_joint_positions(result.armature, {"elbow": 0.5})
    urdf_importer.link_pose(result.armature, "hand")

Reading, planning and forward kinematics need no Blender; the rest needs bpy when it is called.
"""

from .changes import Change
from .diagnostics import (
    BuildError,
    Diagnostic,
    Diagnostics,
    KinematicsError,
    MeshError,
    ReadError,
    RobotError,
    Severity,
    WriteError,
)
from .kinematics import RigPlan, forward_kinematics, plan_rig
from .model import Robot
from .options import ImportOptions
from .pipeline import (
    ImportResult,
    UpdateResult,
    XacroArgument,
    compare_with_source,
    get_joint_positions,
    import_robot,
    import_steps,
    link_pose,
    list_xacro_arguments,
    new_file,
    read_robot,
    render_preview,
    save_blend,
    set_joint_positions,
    update_robot,
)
from .progress import Progress

__all__ = [
    "BuildError",
    "Change",
    "Diagnostic",
    "Diagnostics",
    "ImportOptions",
    "ImportResult",
    "KinematicsError",
    "MeshError",
    "Progress",
    "ReadError",
    "RigPlan",
    "Robot",
    "RobotError",
    "Severity",
    "UpdateResult",
    "WriteError",
    "XacroArgument",
    "compare_with_source",
    "forward_kinematics",
    "get_joint_positions",
    "import_robot",
    "import_steps",
    "link_pose",
    "list_xacro_arguments",
    "new_file",
    "plan_rig",
    "read_robot",
    "render_preview",
    "save_blend",
    "set_joint_positions",
    "update_robot",
]
