# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions onto the active robot, and out of it; also dropped on the 3D view."""

import os
from pathlib import Path
from typing import Any

import bpy
from bpy_extras.io_utils import ExportHelper

from ...urdf_importer import (
    Diagnostics,
    MotionOptions,
    RobotError,
    Trajectory,
    apply_trajectory,
    motion_formats,
    read_trajectory,
    sample_trajectory,
    write_servo_frames,
    write_trajectory,
)
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.features.motion.blender.servos import find_servos, keep_servos
from ...urdf_importer.features.motion.fitting.fit import settled_options
from ...urdf_importer.features.motion.recordings.formats import COUNTS
from .. import props
from ..active_robot import ActingOperator, active_robot, ask, browse
from ..exporting.exported_robot import ExportOperator
from ..option_properties import add_option_properties, draw_options, read_options
from ..registration import add_to_menus, make_drop_handler
from ..reports import report_diagnostics

_READ = [each.suffix for each in motion_formats()]
_WRITTEN = [each.suffix for each in motion_formats() if each.is_written]
_LAYOUTS = (
    ("none", "By File Type", "Everything that this type of file can hold"),
    ("unitree", "Unitree (.csv)", "The base and all joints, 30 rows a second, without a heading"),
    ("tracking", "Tracking (.npz)", "Joints and bodies with velocities, 50 a second, for mjlab"),
    ("isaac", "Isaac Lab (.npz)", "The same in the order of Isaac Lab"),
)
_NO_ROBOT = "there is no robot to move: import one, or select it, then import its motion"
_NOT_NOW = "Leave the mode you are in first: motions are put on robots in object and pose mode"


class ImportMotion(ActingOperator, bpy.types.Operator):
    """It has no poll for a robot, so that a file that is dropped before there is one is
    reported."""

    bl_idname = "urdf.import_motion"
    bl_label = "Import Robot Motion"
    bl_description = (
        "Put a recording (a ROS bag, MCAP, a table) or a planned trajectory on the active robot: "
        "keyframes in a new action, at the recorded times"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    filepath: props.file("The recording or table to import")
    filter_glob: props.pattern(*_READ, options=props.OF_THIS_TIME)
    topic: props.text(
        "Topic", "Which topic of a recording; empty for /joint_states, or the only one that has "
        "positions of joints",
    )  # fmt: skip

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return "" if context.mode in ("OBJECT", "POSE") else _NOT_NOW

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if not os.path.isfile(self.filepath):
            return browse(self, context)
        if bpy.app.background or active_robot(context) is None:
            return set(self.execute(context))
        title = f"Import {bpy.path.basename(self.filepath)}"
        return ask(self, context, width=400, title=title, confirm_text="Import")

    def draw(self: Any, context: Any) -> None:
        self.layout.prop(self, "topic", placeholder="/joint_states")
        draw_options(self.layout, self, MotionOptions)

    def run(self: Any, context: Any, robot: Any) -> str:
        path = bpy.path.abspath(self.filepath)
        diagnostics = Diagnostics(path)
        if robot is None or not robot.is_editable:
            raise RobotError(_NO_ROBOT)
        options = read_options(self, MotionOptions)
        motion = read_trajectory(
            path, topic=self.topic or None, robot=robot, options=options, diagnostics=diagnostics
        )
        settled = settled_options(options, motion)
        apply_trajectory(robot, motion, options=settled, diagnostics=diagnostics)
        report_diagnostics(self, robot.name, tuple(diagnostics), "motion")
        return f"{os.path.basename(path)}: {_describe_size(motion)}, {motion.duration:.2f} s"


add_option_properties(ImportMotion, MotionOptions)


class ExportMotion(ExportOperator, bpy.types.Operator, ExportHelper):
    bl_idname = "export_scene.robot_motion"
    bl_label = "Export Robot Motion"
    bl_description = (
        "Write the motion of the active robot, from its first keyframe to its last, after IK, "
        "limits, drivers and NLA, as a trajectory: the file's ending says how"
    )

    filename_ext = ".json"
    filter_glob: props.pattern(*_WRITTEN, COUNTS)
    rate: props.number(
        "Samples per Second", "How many samples a second the motion gets; 0 for one in each frame",
        min=0.0,
        max=10_000.0,
    )  # fmt: skip
    form: props.choice("Layout", "For programs that train policies", items=_LAYOUTS)
    servos: props.text(
        "Servos", "A table of servos: write their counts, as .csv, .json or .h for programs in C. "
        "The robot keeps it: .h needs it once",
        subtype="FILE_PATH",
    )  # fmt: skip
    check_extension = None

    def run(self: Any, context: Any, robot: Any) -> str:
        path = Path(bpy.path.abspath(self.filepath))
        motion = sample_trajectory(robot, frame_range=None, rate=self.rate or None)
        layout = "" if self.form == "none" else self.form
        table = bpy.path.abspath(self.servos)
        if not table and path.suffix.lower() == COUNTS:
            table = find_servos(robot)
            if not table:
                raise RobotError("the robot keeps no table of servos: name one in Servos")
        if table:
            diagnostics = Diagnostics(str(path))
            how: Any = {"rate": self.rate or 50.0, "diagnostics": diagnostics}
            write_servo_frames(motion, path, table, **how)
            if keep_servos(robot, table):
                bpy.ops.ed.undo_push(message="Keep Servos")
            report_diagnostics(self, robot.name, tuple(diagnostics), "motion")
        else:
            rate = self.rate or None
            write_trajectory(motion, path, layout=layout, robot=robot, rate=rate)
        return f"Wrote {path.name}: {_describe_size(motion)}"


def _describe_size(motion: Trajectory) -> str:
    return f"{count(len(motion.names), 'joint')}, {count(len(motion.times), 'sample')}"


DropMotion = make_drop_handler(
    __name__, "IO_FH_robot_motion", "Robot Motion", ImportMotion.bl_idname, _READ
)


def draw_import_motion(menu: Any, context: Any) -> None:
    """Draws the entry of File > Import."""
    menu.layout.operator(ImportMotion.bl_idname, text="Robot Motion (.bag, .mcap, .csv, .npz, ...)")


def draw_export_motion(menu: Any, context: Any) -> None:
    """Draws the entry of File > Export."""
    menu.layout.operator(ExportMotion.bl_idname, text="Robot Motion (.json, .csv, .bag, ...)")


def register() -> None:
    """Adds the entries to the menus of robots."""
    add_to_menus(draw_import_motion, "TOPBAR_MT_urdf_import")
    add_to_menus(draw_export_motion, "TOPBAR_MT_urdf_export")
