# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a live link."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...core.options import Options, option
from ..motion.options import BASE_CHOICES, BaseKind

ProtocolKind = Literal["auto", "rosbridge", "foxglove"]
Direction = Literal["in", "out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions(Options):
    """The data that a live link carries, and the way it does."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Link", "Names", "Base", "Sending")

    direction: Direction = option(
        "in",
        "Direction",
        "Whether the rig follows or leads",
        group="Link",
        choices={
            "in": "The rig follows the joints of the robot, or of a simulator",
            "out": "The rig's pose is sent, for RViz, a simulator or another program",
        },
    )
    protocol: ProtocolKind = option(
        "auto",
        "Protocol",
        "The server's protocol",
        group="Link",
        choices={
            "auto": "Whichever of the two the server speaks",
            "rosbridge": "rosbridge, of ROS 1 and ROS 2; port 9090 as a rule",
            "foxglove": "Foxglove's, of foxglove_bridge; port 8765 as a rule",
        },
    )
    topic: str = option(
        "",
        "Topic",
        "Where the positions of joints come from; empty for /joint_states, or the only topic that "
        "has some",
        group="Link",
        entries="TOPIC",
    )
    record: bool = option(False, "Record at Once", "Record from the first message on", group="Link")
    prefix: str = option(
        "",
        "Prefix",
        "The prefix of the robot's joints on the other side; it is added when sending",
        group="Names",
        entries="P",
    )
    names: tuple[tuple[str, str], ...] = option(
        (),
        "Joint Names",
        "Names on the other side and the joints that they mean, as name:=joint",
        group="Names",
        separator=":=",
    )
    namespace: str = option(
        "",
        "Namespace",
        "The robot's name on the other side, where several run: /NAME/joint_states and so on",
        group="Names",
        entries="NAME",
    )
    base: BaseKind = option(
        "auto",
        "Base",
        "The part that moves with the robot's base, as in transforms and odometry",
        group="Base",
        choices=BASE_CHOICES,
    )
    fixed_frame: str = option(
        "",
        "Fixed Frame",
        "The frame in which the base moves, such as odom; else the outermost one",
        group="Base",
        entries="FRAME",
    )
    command_topic: str = option(
        "",
        "Send To",
        "Where the pose is sent; empty for /blender/joint_states, which no robot listens to "
        "by default",
        group="Sending",
        entries="TOPIC",
    )
    rate: float = option(
        30.0,
        "Rate",
        "How often the pose is sent at most, per second",
        group="Sending",
        bounds=(0.1, 1000.0),
    )
    send_base: bool = option(
        False,
        "Send Base",
        "Also send the robot's position, to /tf, as the frame of its root link in world",
        group="Sending",
    )
    send_sensors: bool = option(
        False,
        "Send Sensors",
        "Also send the measurements of scanners, depth cameras and IMUs, on their topics",
        group="Sending",
    )
    send_pictures: bool = option(
        False,
        "Pictures",
        "With the sensors, also send colour pictures; Blender waits while each is rendered",
        group="Sending",
    )
    sensor_rate: float = option(
        10.0,
        "Sensor Rate",
        "How often each sensor is sent at most, per second; never faster than described",
        group="Sending",
        bounds=(0.1, 100.0),
    )
