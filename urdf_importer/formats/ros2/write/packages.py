# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest of the packages: package.xml, CMakeLists.txt, and the launch and RViz files."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from ....core.kinematics.forward import zero_frames
from ....core.markup.write import XmlWriter
from ....core.writers.ros import fill_template
from .control import list_controllers
from .moveit import list_depth_cameras, list_sent
from .options import Ros2Options
from .plan import RosPlan
from .yaml_text import write_text_value

_TEMPLATES = Path(__file__).with_name("templates")
_LAUNCHED = ("ament_index_python", "launch", "launch_ros", "rviz2")
_NEEDED = {
    "description": (
        *_LAUNCHED,
        "joint_state_publisher",
        "joint_state_publisher_gui",
        "robot_state_publisher",
    ),
    "bringup": (*_LAUNCHED, "controller_manager", "robot_state_publisher", "xacro"),
    "moveit_config": (
        *_LAUNCHED,
        "moveit_configs_utils",
        "moveit_kinematics",
        "moveit_planners",
        "moveit_ros_move_group",
        "moveit_ros_visualization",
        "moveit_simple_controller_manager",
        "tf2_ros",
    ),
}
_OF_HARDWARE = {
    "mock": ("hardware_interface",),
    "gz": ("gz_ros2_control", "ros_gz_bridge", "ros_gz_sim"),
    "mujoco": ("mujoco_ros2_control",),
    "topic": ("joint_state_topic_hardware_interface",),
}
_OTHERWISE_CALLED = {"parallel_gripper_action_controller": "parallel_gripper_controller"}
"""Packages of controllers that are not called as the namespace of their types."""
_TEXTS = {
    "description": "The description of the robot {}",
    "bringup": "Starts the robot {} with ros2_control",
    "moveit_config": "The configuration of MoveIt for the robot {}",
}
_MODELS = {"gazebo_model_path": "${prefix}/.."}
_ASSISTANT = '\ninstall(FILES .setup_assistant DESTINATION "share/${PROJECT_NAME}")\n'


def list_needed(plan: RosPlan, kind: str, hardware: str, described: str) -> list[str]:
    """Lists the packages that a package needs as it runs; `described` has the description."""
    needed = {*_NEEDED[kind]}
    if kind == "bringup":
        types = [each.type.partition("/")[0] for each in list_controllers(plan)]
        needed |= {described, *_OF_HARDWARE[hardware]}
        needed |= {_OTHERWISE_CALLED.get(each, each) for each in types}
    elif kind == "moveit_config":
        needed.add(f"{plan.name}_bringup")
        needed |= {"moveit_ros_perception"} if list_depth_cameras(plan.tree) else set()
    return sorted(needed)


def write_package(
    plan: RosPlan, kind: str, needed: Iterable[str], options: Ros2Options
) -> dict[str, str]:
    """Returns path -> text of package.xml and CMakeLists.txt of a package of this kind."""
    package, xml = f"{plan.name}_{kind}", XmlWriter()
    name, mail = options.person
    xml.declare()
    with xml.element("package", {"format": "3"}):
        xml.leaf("name", text=package)
        xml.leaf("version", text="0.0.0")
        xml.leaf("description", text=_TEXTS[kind].format(plan.robot.name))
        xml.leaf("maintainer", {"email": mail}, name)
        xml.leaf("license", text=options.license or "unknown")
        xml.leaf("buildtool_depend", text="ament_cmake")
        for each in needed:
            xml.leaf("exec_depend", text=each)
        with xml.element("export"):
            xml.leaf("build_type", text="ament_cmake")
            if kind == "description":
                # Gazebo finds the meshes of package:// by it.
                xml.leaf("gazebo_ros", _MODELS)
    more = _ASSISTANT if kind == "moveit_config" else ""
    return {
        "package.xml": xml.text(),
        "CMakeLists.txt": _fill("CMakeLists.txt", package, more=more),
    }


def write_launch(plan: RosPlan, kind: str, options: Ros2Options) -> dict[str, str]:
    """Returns path -> text of the launch and RViz files of a package of this kind."""
    root = plan.tree.links[0].name
    reach = float(abs(zero_frames(plan.tree)[:, :3, 3]).max(initial=0.0))
    words = {"distance": f"{max(1.0, round(3.0 * reach, 1))}", "hardware": options.hardware}
    fixed = [
        [each.parent_frame or "world", each.child_link]
        for each in plan.semantics.virtual_joints
        if each.type == "fixed"
    ]
    files: Mapping[str, str]
    if kind == "moveit_config":
        words |= {"frame": write_text_value(fixed[0][0] if fixed else root)}
        words |= {"group": write_text_value(_choose_group(plan)), "frames": _write_list(fixed)}
        files = {
            "launch/demo.launch.py": "demo.launch.py",
            "launch/move_group.launch.py": "move_group.launch.py",
            "rviz/moveit.rviz": "moveit.rviz",
        }
    else:
        shown = "display" if kind == "description" else "bringup"
        names = [each.name for each in list_controllers(plan)]
        words |= {"frame": write_text_value(root), "controllers": json.dumps(names)}
        files = {
            f"launch/{shown}.launch.py": f"{shown}.launch.py",
            f"rviz/{shown}.rviz": "robot.rviz",
        }
    return {path: _fill(template, plan.name, **words) for path, template in files.items()}


def _fill(template: str, name: str, **words: str) -> str:
    return fill_template(_TEMPLATES / f"{template}.txt", name=name, package=name, **words)


def _choose_group(plan: RosPlan) -> str:
    """Returns the group that RViz begins with: the first that MoveIt can send somewhere."""
    sent = {joint for each in list_sent(plan) for joint in each.joints}
    hands = {each.group for each in plan.semantics.end_effectors}
    groups = [name for name, joints in plan.groups.items() if joints and sent.issuperset(joints)]
    return next((name for name in groups if name not in hands), next(iter(plan.groups), ""))


def _write_list(pairs: Iterable[Iterable[str]]) -> str:
    """Returns a list of lists of texts as Python reads it."""
    rows = (", ".join(map(write_text_value, each)) for each in pairs)
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"
