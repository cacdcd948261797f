# SPDX-License-Identifier: GPL-3.0-or-later
"""Small robots for ROS 2, as URDF: on wheels of each kind, and an arm with odd names."""

from collections.abc import Iterable
from html import escape

from urdf_importer import Robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.formats.urdf.read.robot import read_robot_text

_LIMIT = '<limit lower="{}" upper="{}" effort="10" velocity="2"/>'


def read_text(text: str) -> Robot:
    """The robot of a text that is in no file."""
    return read_robot_text(text.encode(), "", Diagnostics())


def link(name: str, radius: float = 0.0, inside: str = "") -> str:
    """A link, a wheel where it has a radius."""
    shape = f'<geometry><cylinder radius="{radius}" length="0.05"/></geometry>'
    shapes = f"<collision>{shape}</collision>" if radius else ""
    return f'<link name="{name}">{shapes}{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, **own: str) -> str:
    """A joint; `own` are xyz, axis, and low and high of its limit."""
    limit = _LIMIT.format(own["low"], own["high"]) if "low" in own else ""
    more = own.get("inside", "")
    return (
        f'<joint name="{escape(name)}" type="{kind}">'
        f'<parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{own.get("xyz", "0 0 0")}"/><axis xyz="{own.get("axis", "0 1 0")}"/>'
        f"{limit}{more}</joint>"
    )


def make_platform(
    corners: dict[str, str], axis: str = "0 1 0", rollers: str = "", inside: str = ""
) -> Robot:
    """A base with a wheel of 0.1 m at each of the corners, name -> xyz."""
    parts = [link("base_link")]
    for name, xyz in corners.items():
        parts.append(link(f"{name}_wheel", 0.1))
        parts.append(joint(name, "continuous", "base_link", f"{name}_wheel", xyz=xyz, axis=axis))
        if rollers:
            parts.append(f'<gazebo reference="{name}_wheel"><fdir1>{rollers}</fdir1></gazebo>')
    return read_text(f'<robot name="platform">{"".join(parts)}{inside}</robot>')


FOUR = {
    "front_left": "0.2 0.15 0",
    "front_right": "0.2 -0.15 0",
    "rear_left": "-0.2 0.15 0",
    "rear_right": "-0.2 -0.15 0",
}


def make_block(names: Iterable[str], command: str) -> str:
    """A block of ros2_control with this command for each of the joints."""
    joints = "".join(
        f'<joint name="{name}"><command_interface name="{command}"/>'
        '<state_interface name="position"/><state_interface name="velocity"/></joint>'
        for name in names
    )
    hardware = "<hardware><plugin>a/B</plugin></hardware>"
    return f'<ros2_control name="own" type="system">{hardware}{joints}</ros2_control>'


def make_car() -> Robot:
    """A car: two steered free wheels in front, two driven ones behind."""
    parts = [link("chassis")]
    for side, y in (("left", 0.2), ("right", -0.2)):
        steer = {"axis": "0 0 1", "low": "-0.6", "high": "0.6"}
        knuckle, wheel = f"{side}_knuckle", f"{side}_front"
        parts += [link(knuckle), link(wheel, 0.12), link(f"{side}_rear", 0.12)]
        parts += [
            joint(f"steer_{side}", "revolute", "chassis", knuckle, xyz=f"0.5 {y} 0", **steer),
            joint(f"roll_{side}", "continuous", knuckle, wheel),
            joint(f"drive_{side}", "continuous", "chassis", f"{side}_rear", xyz=f"-0.3 {y} 0"),
        ]
    return read_text(f'<robot name="Toy Car">{"".join(parts)}</robot>')


def make_arm(names: tuple[str, ...], *, inside: str = "") -> Robot:
    """An arm with a joint of each name, and a gripper of two fingers, one of which follows. Its
    third joint cannot be at zero."""
    parts, above = [link("stand")], "stand"
    for number, name in enumerate(names):
        low = "0.5" if number == 2 else "-1"
        own = {"xyz": "0 0 0.2", "low": low, "high": "1.5"}
        parts += [link(f"part_{number}"), joint(name, "revolute", above, f"part_{number}", **own)]
        above = f"part_{number}"
    mimic = '<mimic joint="jaw" multiplier="-1"/>'
    slide = {"low": "0", "high": "0.04"}
    parts += [
        link("hand"),
        joint("mount", "fixed", above, "hand", xyz="0 0 0.1"),
        link("finger_a"),
        joint("jaw", "prismatic", "hand", "finger_a", **slide),
        link("finger_b"),
        joint("jaw_b", "prismatic", "hand", "finger_b", low="-0.04", high="0", inside=mimic),
    ]
    return read_text(f'<robot name="arm">{"".join(parts)}{inside}</robot>')


SIX = tuple(f"joint_{number}" for number in range(1, 7))
