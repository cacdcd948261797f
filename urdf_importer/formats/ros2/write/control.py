# SPDX-License-Identifier: GPL-3.0-or-later
"""The bringup package: the xacro with the block of ros2_control, the controllers, the start."""

import re
from collections.abc import Iterator, Mapping

from ....core.diagnostics import WriteError, quote
from ....core.markup.write import XmlWriter
from .plan import BROADCASTER, PlannedJoint, RosController, RosPlan
from .yaml_text import write_yaml

_UPDATE_RATE = 100
_XACRO = "http://www.ros.org/wiki/xacro"
_WORLD = "world"
_EVALUATED = re.compile(r"\$(?=[{(])")
_BEYOND_FILES = re.compile(r"\$(?=[{(])(?!\$\(\s*find\s)")
_GZ_PLUGIN = {
    "filename": "gz_ros2_control-system",
    "name": "gz_ros2_control::GazeboSimROS2ControlPlugin",
}


def _list_hardware(name: str) -> dict[str, tuple[str, Mapping[str, str]]]:
    """Returns hardware -> the plugin of ros2_control for it, and its parameters."""
    return {
        # Without calculate_dynamics wheels that are commanded by velocity get no position.
        "mock": ("mock_components/GenericSystem", {"calculate_dynamics": "true"}),
        "gz": ("gz_ros2_control/GazeboSimSystem", {}),
        "mujoco": (
            "mujoco_ros2_control/MujocoSystemInterface",
            {"mujoco_model": f"$(find {name}_bringup)/mujoco/{name}.xml"},
        ),
        "topic": (
            "joint_state_topic_hardware_interface/JointStateTopicSystem",
            {
                "joint_commands_topic": f"/{name}/joint_commands",
                "joint_states_topic": f"/{name}/joint_states",
            },
        ),
    }


def copy_for_xacro(text: str) -> str:
    """Returns a plain URDF such that xacro gives it back, but for the places of packages. Raises
    WriteError as escape_xacro does."""
    return _escape(text, _BEYOND_FILES)


def escape_xacro(text: str) -> str:
    """Returns text that xacro gives back as it is. Raises WriteError for two dollars in a row,
    which nothing in xacro can stand for."""
    return _escape(text, _EVALUATED)


def _escape(text: str, evaluated: re.Pattern[str]) -> str:
    place = text.find("$$")
    if place >= 0:
        raise WriteError(f"xacro cannot write {quote(text[max(0, place - 20) : place + 20])}")
    return evaluated.sub("$$", text)


def _write_main_xacro(plan: RosPlan, included: str, hardware: str) -> str:
    """Returns the xacro that is the robot with its hardware; `included` is the description."""
    name, xml = plan.name, XmlWriter()
    bringup = f"$(find {name}_bringup)"
    xml.declare()
    with xml.element("robot", {"name": escape_xacro(plan.robot.name), "xmlns:xacro": _XACRO}):
        xml.leaf("xacro:arg", {"name": "hardware", "default": hardware})
        start = f"{bringup}/config/initial_positions.yaml"
        xml.leaf("xacro:arg", {"name": "initial_positions_file", "default": start})
        xml.leaf("xacro:include", {"filename": included})
        if not plan.has_block:
            xml.leaf("xacro:include", {"filename": f"{bringup}/urdf/{name}.ros2_control.xacro"})
            given = {each: f"$(arg {each})" for each in ("hardware", "initial_positions_file")}
            xml.leaf(f"xacro:{name}_ros2_control", given)
    return xml.text()


def _write_control_xacro(plan: RosPlan, start: Mapping[str, float]) -> str:
    """Returns the macro with the block of ros2_control."""
    name, xml = plan.name, XmlWriter()
    given = {"name": f"{name}_ros2_control", "params": "hardware initial_positions_file"}
    xml.declare()
    with xml.element("robot", {"xmlns:xacro": _XACRO}), xml.element("xacro:macro", given):
        loaded = "${xacro.load_yaml(initial_positions_file)['initial_positions']}"
        xml.leaf("xacro:property", {"name": "start", "value": loaded})
        with xml.element("ros2_control", {"name": name, "type": "system"}):
            _write_hardware(xml, name)
            for joint in plan.joints:
                _write_joint(xml, joint, joint.name in start)
        with xml.element("xacro:if", {"value": "${hardware == 'gz'}"}):
            _write_gazebo(xml, plan)
    return xml.text()


def _write_hardware(xml: XmlWriter, name: str) -> None:
    with xml.element("hardware"):
        for hardware, (plugin, parameters) in _list_hardware(name).items():
            with xml.element("xacro:if", {"value": f"${{hardware == '{hardware}'}}"}):
                xml.leaf("plugin", text=plugin)
                for key, value in parameters.items():
                    xml.leaf("param", {"name": key}, value)


def _write_joint(xml: XmlWriter, joint: PlannedJoint, starts: bool) -> None:
    with xml.element("joint", {"name": escape_xacro(joint.name)}):
        for command in joint.commands:
            xml.leaf("command_interface", {"name": command})
        for state in joint.states:
            if state == "position" and starts:
                with xml.element("state_interface", {"name": state}):
                    value = f"${{start['{_write_index(joint.name)}']}}"
                    xml.leaf("param", {"name": "initial_value"}, value)
            else:
                xml.leaf("state_interface", {"name": state})


def _write_index(name: str) -> str:
    """Returns a name within quotes in Python in XML in xacro."""

    def escape(character: str) -> str:
        if character.isascii() and (character.isalnum() or character == "_"):
            return character
        number = ord(character)
        return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"

    return "".join(map(escape, name))


def _write_gazebo(xml: XmlWriter, plan: RosPlan) -> None:
    """Writes Gazebo's plugin; a robot with a fixed base is fixed to the world, as
    Gazebo wants it."""
    if any(each.type == "fixed" for each in plan.semantics.virtual_joints) and (
        _WORLD not in plan.tree.index and "world_joint" not in plan.tree.motion_of
    ):
        root = escape_xacro(plan.tree.links[0].name)
        xml.leaf("link", {"name": _WORLD})
        with xml.element("joint", {"name": "world_joint", "type": "fixed"}):
            xml.leaf("parent", {"link": _WORLD})
            xml.leaf("child", {"link": root})
    with xml.element("gazebo"), xml.element("plugin", _GZ_PLUGIN):
        xml.leaf("parameters", text=f"$(find {plan.name}_bringup)/config/controllers.yaml")


def _write_controllers(plan: RosPlan) -> str:
    """Returns controllers.yaml: the types of all controllers, then their parameters."""
    types = {each.name: {"type": each.type} for each in list_controllers(plan)}
    manager = {"controller_manager": {"ros__parameters": {"update_rate": _UPDATE_RATE} | types}}
    own = {each.name: {"ros__parameters": each.parameters} for each in plan.controllers}
    return write_yaml(manager | own)


def list_controllers(plan: RosPlan) -> Iterator[RosController]:
    """Yields the broadcaster of states, then the controllers."""
    kind = "joint_state_broadcaster/JointStateBroadcaster"
    yield RosController(name=BROADCASTER, type=kind, parameters={})
    yield from plan.controllers


def write_bringup(
    plan: RosPlan, included: str, hardware: str, start: Mapping[str, float]
) -> dict[str, str]:
    """Returns path -> text of the files of the bringup package beside its launch files. `start` are
    positions in rad and m."""
    files = {
        f"urdf/{plan.name}.urdf.xacro": _write_main_xacro(plan, included, hardware),
        "config/controllers.yaml": _write_controllers(plan),
        "config/initial_positions.yaml": write_yaml({"initial_positions": start}),
    }
    if not plan.has_block:
        files[f"urdf/{plan.name}.ros2_control.xacro"] = _write_control_xacro(plan, start)
    return files
