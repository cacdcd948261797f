# SPDX-License-Identifier: GPL-3.0-or-later
"""Rides from files, and things that are picked up and put down."""

from typing import Any

import bpy

from ...urdf_importer import DriveOptions, RobotError, bake_drive, grasp, release
from ...urdf_importer.core.blender.standing.robot_table import find_robot
from .. import props
from ..active_robot import Refusal, RobotOperator, browse
from ..ik.operators import chosen_link

_EXAMPLE = "time,left,right in rad/s or time,v,w in m/s and rad/s"


class BakeDrive(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.bake_drive"
    bl_label = "Bake Drive"
    bl_description = (
        "Key the ride of the active robot from a table of speeds, CSV with the head "
        "time,left,right or time,v,w: the robot drives, and its wheels roll"
    )
    level = "WARNING"

    filepath: props.text("File", f"The table: {_EXAMPLE}", subtype="FILE_PATH", kept=False)
    filter_glob: props.pattern(".csv", ".txt")
    start: props.integer("Start", "The frame in which the ride begins", default=1)
    radius: props.number(
        "Radius", "Radius of the wheels; 0 to measure it at their shapes", min=0.0, precision=4,
        unit="LENGTH",
    )  # fmt: skip
    distance: props.number(
        "Distance", "Between left and right wheels; 0 to measure it at their joints", min=0.0,
        precision=4, unit="LENGTH",
    )  # fmt: skip
    left: props.text("Left", "Joints of the left wheels, with commas between; empty to find them")
    right: props.text(
        "Right", "Joints of the right wheels, with commas between; empty to find them"
    )

    def invoke(self, context: Any, event: Any) -> set[str]:
        return browse(self, context)

    def draw(self, context: Any) -> None:
        self.layout.use_property_split = True
        for name in ("start", "radius", "distance", "left", "right"):
            self.layout.prop(self, name)

    def run(self: Any, context: Any, robot: Any) -> str:
        if not self.filepath:
            raise RobotError(f"Choose a table: {_EXAMPLE}")
        baked = bake_drive(
            robot, bpy.path.abspath(self.filepath), start_frame=self.start,
            options=DriveOptions(
                radius=self.radius or None, distance=self.distance or None,
                left=_split(self.left), right=_split(self.right),
            ),
        )  # fmt: skip
        ride = baked.ride
        assert ride is not None
        return (
            f"Keyed frames {baked.first} to {baked.last}, wheels of {ride.radius:.4g} m, "
            f"{ride.distance:.4g} m apart"
        )


class GraspObjects(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.grasp"
    bl_label = "Grasp"
    bl_description = (
        "Let the selected objects that are not part of the active robot follow the link that is "
        "chosen for inverse kinematics, else its hand, from this frame on, from where they are now"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        link = chosen_link(context)
        items = [each for each in context.selected_objects if find_robot(each) != robot]
        if not items:
            raise Refusal("Select the robot and the objects for it to hold")
        held, failed = [], ""
        for item in items:
            try:
                grasp(robot, link, item=item)
                held.append(item.name)
            except RobotError as error:
                failed = str(error)
        if failed and not held:
            raise Refusal(failed)
        if failed:
            self.report({"WARNING"}, failed)
        return "" if failed else f"Link {link} holds {', '.join(held)}"


class ReleaseObjects(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.release"
    bl_label = "Release"
    bl_description = (
        "Let go of the selected objects that a robot holds, from this frame on: they stay where "
        "they are now"
    )

    def run(self: Any, context: Any, robot: Any) -> None:
        released = 0
        for item in context.selected_objects:
            try:
                release(item)
                released += 1
            except RobotError:  # Values that nothing holds stay unchanged.
                continue
        if not released:
            raise Refusal("None of the selected objects is held in this frame")


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(",") if name.strip())
