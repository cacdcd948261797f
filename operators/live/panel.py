# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-panel "Live": the active robot follows a server, or is followed; recording, sending."""

from collections.abc import Iterable
from typing import Any, ClassVar

import bpy

from ...urdf_importer import (
    LiveOptions,
    RobotError,
    Trajectory,
    Violation,
    check_trajectory,
    connect,
    sample_trajectory,
)
from ...urdf_importer.core.blender.standing.robot_table import recall_table
from ...urdf_importer.features.live.address import read_address
from ...urdf_importer.features.live.blender.live import (
    default_address,
    find_ended,
    find_live_link,
    stop_watching,
)
from .. import props
from ..active_robot import PolledOperator, Refusal, RobotOperator, active_robot, ask
from ..importing.import_choices import ImportChoices
from ..option_properties import add_option_properties, draw_options, read_options
from ..registration import add_property, add_to_menus, at_end
from ..reports import refuse, report_diagnostics
from ..sidebar.panel import ROBOT_PANEL, DataSubPanel, needs_hint
from ..wrapped_text import draw_wrapped

_CONTROLLER = "/joint_trajectory_controller/joint_trajectory"
_MOST_SHOWN = 5
_STATES = {
    "connecting": ("Connecting", "SORTTIME"),
    "connected": ("Connected", "LINKED"),
    "waiting": ("Waiting", "SORTTIME"),
    "closed": ("Not Connected", "UNLINKED"),
}


def _search_topics(settings: Any, context: Any, text: str) -> Iterable[str]:
    """Lists the topics that the server announces."""
    robot = active_robot(context)
    link = find_live_link(robot) if robot is not None else None
    return sorted(link.topics) if link is not None else ()


# Blender 4.2 as a module crashes when it ends if a property has a function; there, no one types.
_WITH_TOPICS: Any = {"search": _search_topics} if bpy.app.binary_path else {}


class LiveSettings(bpy.types.PropertyGroup):
    """The settings of the panel's buttons, for this session: no file brings an address along."""

    bl_idname = "urdf_live"

    address: props.text(
        "Address", "Where rosbridge or foxglove_bridge runs, such as ws://localhost:9090 or "
        "ws://localhost:8765; empty for the address in ROSBRIDGE_URL or ROS_MASTER_URI, else "
        "ws://localhost:9090",
    )  # fmt: skip
    tried: props.text("Tried", "The address of the last link: why that ended is shown with it")
    controller: props.text(
        "Controller", "The topic on which a controller takes a JointTrajectory",
        default=_CONTROLLER, **_WITH_TOPICS,
    )  # fmt: skip


add_option_properties(LiveSettings, LiveOptions)
LiveSettings.__annotations__["topic"] = props.text(
    "Topic",
    "Where the positions of joints come from; empty for /joint_states, or the only "
    "topic that has some. Once connected, the server's topics are listed",
    **_WITH_TOPICS,
)


class Connect(RobotOperator, bpy.types.Operator):
    bl_idname = "urdf.live_connect"
    bl_label = "Connect"
    bl_description = (
        "Link the active robot to a server of ROS: it follows the running robot, or a simulator, "
        "or these follow it. Connects in the background, and again after a loss"
    )
    bl_options = {"REGISTER"}

    def run(self: Any, context: Any, robot: Any) -> None:
        settings = context.window_manager.urdf_live
        settings.tried = settings.address
        link = connect(
            robot, url=settings.address or None, options=read_options(settings, LiveOptions)
        )
        report_diagnostics(self, robot.name, tuple(link.diagnostics), "live link")


class ImportRunning(PolledOperator, bpy.types.Operator):
    """It leaves the undo step to the operator that does the work."""

    bl_idname = "urdf.live_import"
    bl_label = "Import Robot"
    bl_description = (
        "Import the robot of the running node at this address, from its topic robot_description or "
        "the parameter. Blender waits for it, 10 seconds at most"
    )
    bl_options: ClassVar[set[str]] = {"REGISTER"}

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        return ImportChoices.why_disabled(context)

    def invoke(self, context: Any, event: Any) -> set[str]:
        return self._import(context, "INVOKE_DEFAULT")

    def execute(self, context: Any) -> set[str]:
        return self._import(context)

    def _import(self, context: Any, *way: str) -> set[str]:
        try:
            url = str(read_address(context.window_manager.urdf_live.address or default_address()))
        except RobotError as error:
            return refuse(self, error)
        return set(bpy.ops.import_scene.urdf_run(*way, filepath=url))


class LinkOperator(RobotOperator):
    """Base of the operators for robots that are linked; they act on the link."""

    bl_options = {"REGISTER"}

    @staticmethod
    def find_robot(context: Any) -> Any:
        return find_live_link(active_robot(context))

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        why = super().why_disabled(context)
        return why or ("" if cls.find_robot(context) is not None else "Connect the robot first")


class Disconnect(LinkOperator, bpy.types.Operator):
    bl_idname = "urdf.live_disconnect"
    bl_label = "Disconnect"
    bl_description = "End the active robot's link; a recording in progress becomes keyframes first"
    bl_options = {"REGISTER", "UNDO"}
    level = "WARNING"

    def run(self, context: Any, link: Any) -> str:
        try:
            return _stop(link) if link.recorded else ""
        finally:
            link.close()


class Record(LinkOperator, bpy.types.Operator):
    bl_idname = "urdf.live_record"
    bl_label = "Record"
    bl_description = "Record everything that the server sends about the active robot from now on"

    def run(self, context: Any, link: Any) -> None:
        link.record()


class StopRecording(LinkOperator, bpy.types.Operator):
    bl_idname = "urdf.live_stop"
    bl_label = "Stop"
    bl_description = "End the recording: it becomes keyframes in a new action of the active robot"
    bl_options = {"REGISTER", "UNDO"}
    level = "WARNING"

    def run(self, context: Any, link: Any) -> str:
        return _stop(link)


def _stop(link: Any) -> str:
    action = link.stop()
    first, last = action.frame_range
    return f"Action {action.name}: frames {first:.0f} to {last:.0f}"


class SendSensors(LinkOperator, bpy.types.Operator):
    bl_idname = "urdf.live_sensors"
    bl_label = "Send Sensors"
    bl_description = (
        "Send the measurements of the active robot's scanners and depth cameras to the server, as "
        "the scene is shown; a second press ends that"
    )

    pictures: props.switch(
        "Pictures", "Send colour pictures as well; Blender waits while each is rendered"
    )

    @classmethod
    def why_disabled(cls, context: Any) -> str:
        why = super().why_disabled(context)
        link = cls.find_robot(context) if not why else None
        if link is None or link.state == "connected" or link.options.send_sensors:
            return why
        return f"No server listens: the link is {link.state}"

    def run(self: Any, context: Any, link: Any) -> None:
        link.send_sensors(not link.options.send_sensors, pictures=self.pictures)


class SendMotion(LinkOperator, bpy.types.Operator):
    bl_idname = "urdf.live_send"
    bl_label = "Send Motion"
    bl_description = (
        "Send the motion of the active robot, all that is keyed of it, to a controller, as one "
        "JointTrajectory, after a look at its limits: the real robot moves"
    )

    beyond_limits: props.switch(
        "Send Beyond Limits", "Send the motion although the robot cannot follow it, or not safely",
        kept=False,
    )  # fmt: skip
    rate: props.number(
        "Samples per Second", "How many points the trajectory has; 0 for one in each frame",
        min=0.0, max=1000.0,
    )  # fmt: skip

    def invoke(self, context: Any, event: Any) -> set[str]:
        robot: Any = active_robot(context)
        try:
            self._violations = _check(context, robot, _sample(robot, self.rate))
        except RobotError as error:
            return refuse(self, error)
        title = "Send to the Real Robot?"
        return ask(self, context, width=420, title=title, confirm_text="Send")

    def draw(self, context: Any) -> None:
        self.layout.label(text=f"To {context.window_manager.urdf_live.controller}")
        self.layout.prop(self, "rate")
        for each in self._violations[:_MOST_SHOWN]:
            draw_wrapped(self.layout, context, _describe(each), icon="ERROR")
        if self._violations:
            self.layout.prop(self, "beyond_limits")
        else:
            self.layout.label(text="It is within the robot's limits", icon="CHECKMARK")

    def run(self: Any, context: Any, link: Any) -> str:
        robot: Any = active_robot(context)
        motion = _sample(robot, self.rate)
        found = _check(context, robot, motion)
        if found and not self.beyond_limits:
            raise RobotError(f"not sent: {_describe(found[0])}")
        if not link.send(motion, context.window_manager.urdf_live.controller):
            raise Refusal("Not sent: there is no connection now")
        return f"Sent {len(motion.times)} points, {motion.duration:.2f} s"


def _sample(robot: Any, rate: float) -> Trajectory:
    """Samples the joints that a controller takes: not followers."""
    motion = sample_trajectory(robot, frame_range=None, rate=rate or None)
    joints = recall_table(robot).joints
    return motion.select([name for name in motion.names if not joints[name].mimics])


def _check(context: Any, robot: Any, motion: Trajectory) -> tuple[Violation, ...]:
    """Checks a motion against the limits that the panel Motion checks against."""
    limits = bpy.path.abspath(context.window_manager.urdf_limits_file) or None
    return check_trajectory(robot, motion, limits=limits)


def _describe(violation: Violation) -> str:
    return (
        f"joint {violation.joint}: {violation.kind} {violation.value:.4g}, limit "
        f"{violation.limit:.4g}, at {violation.time:.2f} s"
    )


class LivePanel(DataSubPanel, bpy.types.Panel):
    bl_idname = "VIEW3D_PT_urdf_live"
    bl_label = "Live"
    bl_order = 60

    def draw_header_preset(self, context: Any) -> None:
        """Shows the link's state, also while the panel is folded."""
        link = find_live_link(active_robot(context))
        if link is not None:
            icon = "REC" if link.recording else _STATES[link.state][1]
            self.layout.label(text="", icon=icon)

    def draw(self, context: Any) -> None:
        layout, settings = self.layout, context.window_manager.urdf_live
        robot = active_robot(context)
        link = find_live_link(robot)
        if link is None:
            _draw_choices(layout, settings)
            why = find_ended(robot)
            if why and settings.tried == settings.address:
                draw_wrapped(layout, context, why, icon="ERROR")
        else:
            _draw_state(layout, context, link)
            _draw_buttons(layout, settings, link)
            if link.error:
                draw_wrapped(layout, context, link.error, icon="ERROR")


def _draw_choices(layout: Any, settings: Any) -> None:
    column = layout.column(align=True)
    column.prop(settings, "address", text="", icon="URL", placeholder=default_address())
    row = column.row(align=True)
    row.prop_enum(settings, "direction", "in", text="Follow")
    row.prop_enum(settings, "direction", "out", text="Lead")
    column.operator(Connect.bl_idname, icon="LINKED")
    column.operator(ImportRunning.bl_idname, icon="IMPORT")
    header, body = layout.panel("urdf_live_options", default_closed=True)
    header.label(text="Options")
    if body is not None:
        draw_options(body, settings, LiveOptions)


def _draw_running(panel: Any, context: Any) -> None:
    """Draws the import of a running robot where no robot is active."""
    if active_robot(context) is not None or not needs_hint(context):
        return
    header, body = panel.layout.panel("urdf_live_import", default_closed=True)
    header.label(text="Running Robot")
    if body is not None:
        settings = context.window_manager.urdf_live
        body.prop(settings, "address", text="", icon="URL", placeholder=default_address())
        body.operator(ImportRunning.bl_idname, icon="IMPORT")


def _draw_state(layout: Any, context: Any, link: Any) -> None:
    name, icon = _STATES[link.state]
    detail = f", {link.detail}" if link.detail else ""
    layout.label(text=f"{name}{detail}", icon=icon)
    place = layout.row()
    place.enabled = False
    place.label(text=link.url if link.options.direction == "in" else f"{link.sends_to}")


def _draw_buttons(layout: Any, settings: Any, link: Any) -> None:
    if link.options.direction == "in":
        row = layout.row(align=True)
        row.enabled = link.state == "connected" or link.recording
        if link.recording:
            stop = f"Stop ({link.recorded} messages)"
            row.alert = True
            row.operator(StopRecording.bl_idname, text=stop, icon="SNAP_FACE")
        else:
            row.operator(Record.bl_idname, icon="REC")
    column = layout.column(align=True)
    column.enabled = link.state == "connected"
    column.label(text="Controller")
    column.prop(settings, "controller", text="")
    column.operator(SendMotion.bl_idname, icon="EXPORT")
    row = layout.row(align=True)
    on = link.options.send_sensors
    send = row.operator(SendSensors.bl_idname, icon="OUTLINER_OB_CAMERA", depress=on)
    send.pictures = settings.send_pictures
    row.prop(settings, "send_pictures", text="", icon="IMAGE_DATA")
    layout.operator(Disconnect.bl_idname, icon="UNLINKED")


def register() -> None:
    """Adds the settings; all links end with them."""
    at_end(stop_watching)
    settings = bpy.props.PointerProperty(
        type=LiveSettings, name="Live", description="The texts of the panel Live"
    )
    add_property(bpy.types.WindowManager, "urdf_live", settings)
    add_to_menus(_draw_running, ROBOT_PANEL)
