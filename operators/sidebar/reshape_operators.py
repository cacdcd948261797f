# SPDX-License-Identifier: GPL-3.0-or-later
"""Reshaping the active robot: the dialog lists the changes first, and each function is one step of
undo. Keyframes, materials and whatever is attached to the robot stay."""

from collections.abc import Iterable, Iterator
from typing import Any

import bpy

from ...urdf_importer import (
    Diagnostics,
    Pose,
    Robot,
    RobotError,
    extract_robot,
    find_reshaped,
    read_robot,
)
from ...urdf_importer.core import reshape
from ...urdf_importer.core.blender.standing.selection import measure_selection
from .. import props
from ..active_robot import RobotOperator, active_robot
from .panel import DataSubPanel
from .reshape_dialog import Made, ReshapeOperator


def _link_names(operator: Any, context: Any, text: str) -> list[str]:
    return sorted(link.name for link in extract_robot(active_robot(context)).links)


def _joint_names(operator: Any, context: Any, text: str) -> list[str]:
    return sorted(joint.name for joint in extract_robot(active_robot(context)).joints)


def _all_names(operator: Any, context: Any, text: str) -> list[str]:
    robot = extract_robot(active_robot(context))
    return sorted(_names_of(robot))


def _names_of(robot: Robot) -> set[str]:
    """Returns the names of all links and joints."""
    names = {link.name for link in robot.links} | {joint.name for joint in robot.joints}
    return names | {loop.name for loop in robot.loops}


def _words(text: str) -> list[str]:
    """Names, one to a line or separated by semicolons or commas."""
    parts = text.replace("\n", ";").replace(",", ";").split(";")
    return [part.strip() for part in parts if part.strip()]


class RenameParts(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_rename"
    bl_label = "Rename"
    bl_description = (
        "Give a link or joint another name, or put a prefix before all names. Bones, keyframes, "
        "drivers and whatever points at them follow"
    )
    fields = ("old", "new", "prefix")

    old: props.text(
        "Link or Joint", "The present name of the link or joint", search=_all_names, kept=False
    )
    new: props.text("New Name", "The name that the link or joint gets", kept=False)
    prefix: props.text("Prefix", "Put before the names of all links and joints", kept=False)

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        given = {self.old: self.new} if self.old and self.new else {}
        made = reshape.rename(robot, given, prefix=self.prefix)
        names = {name: self.prefix + given.get(name, name) for name in _names_of(robot)}
        return made, {old: new for old, new in names.items() if old != new}


class ResizeRobot(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_resize"
    bl_label = "Resize"
    bl_description = (
        "Give the robot other measures: by a factor, by a factor for one link, by the distance of "
        "one joint, by a table of origins and lengths, on both sides alike. The distance is "
        "measured between two selected objects or bones, or along one bone"
    )
    fields = (
        "scale", "link", "factor", "joint", "length", "text", "filepath", "symmetric", "masses",
    )  # fmt: skip

    scale: props.number(
        "Scale", "The factor for the whole robot", default=1.0, min=1e-6, soft_max=10.0, kept=False
    )
    link: props.text("Link", "A link with a factor of its own", search=_link_names, kept=False)
    factor: props.vector(
        "Link Factors", "Factors along the axes of this link, for its shapes and the places of "
        "its children",
        default=(1.0, 1.0, 1.0), min=1e-6, kept=False,
    )  # fmt: skip
    joint: props.text(
        "Joint", "A joint that gets another distance from its parent link", search=_joint_names,
        kept=False,
    )  # fmt: skip
    length: props.number(
        "Joint Distance", "The distance from the frame of the parent link, in the same direction; "
        "measured between the selected objects", min=0.0, precision=4, unit="LENGTH", kept=False,
    )  # fmt: skip
    text: props.text(
        "Table", "A text block with a table of measures, as Measure writes it", kept=False
    )
    filepath: props.text(
        "Table File", "A table of measures: YAML, JSON or CSV", subtype="FILE_PATH", kept=False
    )
    symmetric: props.switch(
        "Symmetric", "Change the other side of the robot as well, by the names of its joints and "
        "links",
        kept=False,
    )  # fmt: skip
    masses: props.choice(
        "Masses", "Treatment of masses and inertias", items=(
            ("density", "Follow the Volume", "The material stays"),
            ("mass", "Keep Masses", "Inertias follow the size"),
            ("keep", "Keep Both", "Masses and inertias stay"),
        ),
    )  # fmt: skip

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        if not self.properties.is_property_set("length"):
            self.take_measure(context)
        return super().invoke(context, event)

    def take_measure(self, context: Any) -> None:
        """Fills in the distance between the selected objects, in the robot's own size."""
        robot: Any = active_robot(context)
        size = sum(robot.matrix_world.to_scale()) / 3.0
        self.length = (measure_selection() or 0.0) / (size or 1.0)

    def draw_field(self: Any, layout: Any, name: str) -> None:
        if name == "text":
            layout.prop_search(self, name, bpy.data, "texts")
        else:
            layout.prop(self, name)

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        # Blender holds numbers in single precision; 0.1 is meant where 0.1 was written.
        factors = _shorten(self.factor)
        if self.link and factors != (1.0, 1.0, 1.0):
            robot = reshape.resize(
                robot,
                factors={self.link: factors},
                symmetric=self.symmetric,
                masses=self.masses,
                diagnostics=diagnostics,
            )
        if self.joint:
            lengths = {self.joint: float(f"{self.length:.7g}")}
            robot = reshape.resize(
                robot, lengths=lengths, symmetric=self.symmetric, diagnostics=diagnostics
            )
        for table in self._tables():
            robot = reshape.resize(
                robot,
                origins=table.origins,
                lengths=table.lengths,
                factors=table.factors,
                scale=table.scale,
                symmetric=table.symmetric or self.symmetric,
                masses=self.masses,
                diagnostics=diagnostics,
            )
        scale = float(f"{self.scale:.7g}")
        made = reshape.resize(robot, scale=scale, masses=self.masses, diagnostics=diagnostics)
        return made, {}

    def _tables(self) -> Iterator[Any]:
        if self.text:
            text = bpy.data.texts.get(self.text)
            if text is None:
                raise RobotError(f"there is no text {self.text!r} in this file")
            yield reshape.read_measures_text(text.as_string().encode(), self.text)
        if self.filepath:
            yield reshape.read_measures(bpy.path.abspath(self.filepath))


class MeasureRobot(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.measure"
    bl_label = "Measure"
    bl_description = (
        "Write the positions of all joints in their parent links into a text block: a table to "
        "edit and give to Resize"
    )

    def run(self: Any, context: Any, robot: Any) -> str:
        robot = find_reshaped(robot)
        text = bpy.data.texts.new(f"{robot.name} measures")
        text.write(reshape.measure(robot))
        text.cursor_set(0)
        return f"Wrote the text '{text.name}'"


_PARTS = (
    ("gazebo", "Gazebo", "Tags of Gazebo"),
    ("transmission", "Transmissions", "Transmissions of ros_control"),
    ("ros2_control", "ros2_control", "Tags of ros2_control"),
    ("extras", "All Further XML", "All that URDF does not define"),
    ("visuals", "Visuals", "The links' visuals"),
    ("collisions", "Collisions", "Collision shapes"),
    ("inertials", "Inertials", "Masses and inertias"),
    ("materials", "Unused Materials", "Materials that nothing uses"),
    ("calibration", "Calibration", "Reference positions"),
    ("safety_controller", "Safety Controllers", "Soft limits"),
    ("dynamics", "Dynamics", "Damping and friction"),
    ("limits", "Limits", "Limits of joints"),
    ("mimic", "Mimic", "Followers move by themselves"),
)


class StripRobot(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_strip"
    bl_label = "Strip Parts"
    bl_description = "Remove parts of the description from the robot"
    fields = ("parts", "tags")

    parts: props.choice(
        "Parts", "The parts to remove", items=_PARTS, options={"ENUM_FLAG", "SKIP_SAVE"}
    )
    tags: props.text(
        "Other Tags", "Names of further elements to remove, separated by commas", kept=False
    )

    def draw_field(self: Any, layout: Any, name: str) -> None:
        if name == "parts":
            layout.column(align=True).props_enum(self, name)
        else:
            layout.prop(self, name)

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        wanted = [name for name, _, _ in _PARTS if name in self.parts] + _words(self.tags)
        return reshape.strip(robot, wanted), {}


class PruneRobot(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_prune"
    bl_label = "Prune"
    bl_description = (
        "Remove limbs from the robot. Objects that you attached to them move to the remaining links"
    )
    fields = ("limb", "remove", "keep", "unused_frames")

    limb: props.text(
        "Remove", "A link, or the child link of a joint, that is removed with all below",
        search=_all_names, kept=False,
    )  # fmt: skip
    remove: props.text(
        "Further Links",
        "More links, or child links of joints, that are removed with all below, separated by "
        "commas",
        kept=False,
    )
    keep: props.text(
        "Keep Only", "Links to keep, with all links from the root to them, separated by commas. "
        "Empty: all", kept=False,
    )  # fmt: skip
    unused_frames: props.switch(
        "Unused Frames", "Also remove links on fixed joints without shape and mass", kept=False
    )

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        made = reshape.prune(
            robot,
            keep=_words(self.keep) or None,
            remove=[*([self.limb] if self.limb else []), *_words(self.remove)],
            unused_frames=self.unused_frames,
            diagnostics=diagnostics,
        )
        return made, {}


class MergeFixed(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_merge"
    bl_label = "Merge Fixed"
    bl_description = "Merge links on fixed joints into the links that carry them"
    fields = ("keep",)

    keep: props.text("Keep", "Links or joints that stay, separated by commas", kept=False)

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        return reshape.merge_fixed(robot, keep=_words(self.keep), diagnostics=diagnostics), {}


class RerootRobot(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_reroot"
    bl_label = "Reroot"
    bl_description = "Make another link the root of the robot; frames, signs and limits are kept"
    fields = ("link", "frames")

    link: props.text("Root", "The new root link", search=_link_names, kept=False)
    frames: props.choice(
        "Frames", "Treatment of the frames of links on the way", items=(
            ("keep", "Keep", "Every link keeps its frame; frames are added where joints turn"),
            ("move", "Move", "No frame is added; the old parents' frames move onto the joints"),
        ),
    )  # fmt: skip

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        return (reshape.reroot(robot, self.link, frames=self.frames) if self.link else robot), {}


class AttachRobot(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_attach"
    bl_label = "Attach"
    bl_description = "Put another robot, such as a gripper, on a link by a fixed joint"
    fields = ("filepath", "link", "xyz", "rpy", "prefix")

    filepath: props.text(
        "Robot", "The description of the other robot", subtype="FILE_PATH", kept=False
    )
    link: props.text(
        "On Link", "The link that carries the other robot", search=_link_names, kept=False
    )
    xyz: props.vector(
        "Place", "The place of the other robot's root in the frame of the link",
        subtype="TRANSLATION", unit="LENGTH",
        kept=False,
    )  # fmt: skip
    rpy: props.vector(
        "Rotation", "Roll, pitch and yaw of the other robot's root in the frame of the link",
        subtype="EULER",
        unit="ROTATION", kept=False,
    )  # fmt: skip
    prefix: props.text(
        "Prefix", "Put before the names of the other robot where they clash", kept=False
    )

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        if not (self.filepath and self.link):
            return robot, {}
        tool = read_robot(bpy.path.abspath(self.filepath), diagnostics=diagnostics)
        origin = Pose(xyz=_shorten(self.xyz), rpy=_shorten(self.rpy))
        made = reshape.attach(robot, tool, self.link, origin=origin, prefix=self.prefix)
        return made, {}


class ConvertAxes(ReshapeOperator, bpy.types.Operator):
    bl_idname = "urdf.reshape_axes"
    bl_label = "Convert Axes"
    bl_description = (
        "Write the robot along other axes, such as Z up instead of Y up. The robot turns with them"
    )
    fields = ("axes",)

    axes: props.text(
        "Axes", "The old axis for each new one: zxy turns a robot from Y up to Z up", default="xyz",
        kept=False,
    )  # fmt: skip

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        return reshape.convert_axes(robot, self.axes), {}


def _shorten(numbers: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (float(f"{number:.7g}") for number in numbers)
    return x, y, z


RESHAPERS: tuple[Any, ...] = (
    RenameParts, ResizeRobot, StripRobot, PruneRobot, MergeFixed, RerootRobot, AttachRobot,
    ConvertAxes,
)  # fmt: skip


_ICONS = {
    "Rename": "SORTALPHA",
    "Resize": "FULLSCREEN_ENTER",
    "Strip Parts": "TRASH",
    "Prune": "UNLINKED",
    "Merge Fixed": "AUTOMERGE_ON",
    "Reroot": "OUTLINER",
    "Attach": "LINKED",
    "Convert Axes": "ORIENTATION_GLOBAL",
}


class ReshapePanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_reshape"
    bl_label = "Reshape"
    bl_order = 55

    def draw(self, context: Any) -> None:
        grid = self.layout.grid_flow(columns=2, align=True, even_columns=True, row_major=True)
        for each in RESHAPERS:
            grid.operator(each.bl_idname, icon=_ICONS[each.bl_label])
        self.layout.operator(MeasureRobot.bl_idname, icon="DRIVER_DISTANCE")
