# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of ROS 2 about packages that were written, by others' parsers where there are some.

Parameters of controllers are held against the declarations of ros2_controllers that jazzy 4.42.1,
kilted 5.17.0 and the master at 6.9.0 have in common: parameter -> its type, with ! where it has to
be given. Rules about names are MoveIt's and component_parser.cpp's.
"""

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from catkin_pkg.package import parse_package

from support.paths import ROOT
from support.xacro_truth import expand_with_xacro

DECLARED: Mapping[str, Mapping[str, str]] = json.loads(
    (ROOT / "tests/data/ros2/controllers.json").read_text()
)
HARDWARE = ("mock", "gz", "mujoco", "topic")
_TYPES = {"string": str, "double": float, "bool": bool, "int": int}


class Packages:
    """The packages in a folder, parsed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parsed = {
            file.parent.name: parse_package(str(file)) for file in folder.glob("*/package.xml")
        }
        (bringup,) = (name for name in self.parsed if name.endswith("_bringup"))
        self.name = bringup.removesuffix("_bringup")

    def path(self, kind: str, file: str) -> Path:
        return self.folder / f"{self.name}_{kind}" / file

    def yaml(self, kind: str, file: str) -> Any:
        return yaml.safe_load(self.path(kind, file).read_text(encoding="utf-8"))

    def expand(self, hardware: str = "mock", **find: str) -> str:
        """The robot with its hardware, as the program xacro expands it."""
        packages = {name: str(self.folder / name) for name in self.parsed} | find
        file = self.path("bringup", f"urdf/{self.name}.urdf.xacro")
        text = expand_with_xacro(packages, [file], hardware=hardware)[str(file)]
        assert text is not None
        return text

    def find_faults(self, **find: str) -> list[str]:
        """All rules that are broken, as sentences."""
        found = list(self._judge_packages())
        expanded = ElementTree.fromstring(self.expand(**find))
        block = {joint.get("name"): joint for joint in expanded.findall("ros2_control/joint")}
        found += _judge_block(expanded)
        manager = self.yaml("bringup", "config/controllers.yaml")
        found += _judge_controllers(manager, block)
        if self.path("moveit_config", "package.xml").exists():
            found += self._judge_moveit(manager, expanded)
        return found

    def _judge_packages(self) -> Iterator[str]:
        for name, package in self.parsed.items():
            needed = [each.name for each in package.exec_depends]
            if package.name != name or package.package_format != 3 or needed != sorted(set(needed)):
                yield f"package.xml of {name}"
            package.validate()

    def _judge_moveit(self, manager: Any, expanded: Any) -> Iterator[str]:
        moveit = self.yaml("moveit_config", "config/moveit_controllers.yaml")
        sent = moveit["moveit_simple_controller_manager"]
        kinds = {
            "FollowJointTrajectory": "follow_joint_trajectory",
            "ParallelGripperCommand": "gripper_cmd",
        }
        for name in sent["controller_names"]:
            own, known = sent[name], manager[name]["ros__parameters"]
            joints = known.get("joints") or [known["joint"]]
            if kinds[own["type"]] != own["action_ns"] or own["joints"] != joints:
                yield f"controller {name} of MoveIt"
        joints = {each.get("name"): each for each in expanded.findall("joint")}
        links = {each.get("name") for each in expanded.findall("link")}
        srdf = ElementTree.parse(self.path("moveit_config", f"config/{self.name}.srdf")).getroot()
        groups = {each.get("name"): each for each in srdf.findall("group")}
        virtual = {each.get("name") for each in srdf.findall("virtual_joint")}
        yield from _judge_groups(srdf, groups, links, joints.keys() | virtual)
        limits = self.yaml("moveit_config", "config/joint_limits.yaml")
        for name, limit in limits["joint_limits"].items():
            numbers = [value for value in limit.values() if not isinstance(value, bool)]
            if name not in joints or not all(isinstance(n, float) and n > 0.0 for n in numbers):
                yield f"limits of joint {name}"
        for group in self.yaml("moveit_config", "config/kinematics.yaml"):
            if group not in groups:
                yield f"solver of group {group}"


def _judge_block(robot: Any) -> Iterator[str]:
    """The rules of component_parser.cpp."""
    described = {each.get("name"): each for each in robot.findall("joint")}
    for block in robot.findall("ros2_control"):
        names = [each.get("name") for each in block.findall("joint")]
        if len(names) != len(set(names)) or block.find("hardware/plugin") is None:
            yield "the block"
        for joint in block.findall("joint"):
            name = joint.get("name")
            own = described.get(name)
            if own is None or own.get("type") == "fixed":
                yield f"joint {name} is not in the description, or fixed"
                continue
            mimic = own.find("mimic")
            if mimic is not None and joint.findall("command_interface"):
                yield f"follower {name} is commanded"
            if mimic is not None and mimic.get("joint") not in names:
                yield f"the leader of {name} is elsewhere"


def _judge_controllers(manager: Any, block: Mapping[Any, Any]) -> Iterator[str]:
    claimed: list[str] = []
    types = manager["controller_manager"]["ros__parameters"]
    for name, entry in types.items():
        if name == "update_rate":
            continue
        given = dict(_flatten(manager.get(name, {}).get("ros__parameters", {})))
        yield from (f"{name}: {each}" for each in _judge_parameters(entry["type"], given))
        for joint, command in _list_claims(entry["type"], given):
            there = [each.get("name") for each in block[joint].findall("command_interface")]
            if command not in there:
                yield f"{name} commands the {command} of {joint}, which has none"
            claimed.append(f"{joint}/{command}")
    if len(claimed) != len(set(claimed)):
        yield "an interface is claimed twice"


def _judge_parameters(kind: str, given: Mapping[str, Any]) -> Iterator[str]:
    declared = DECLARED[kind]
    for key, value in given.items():
        known = declared.get(key) or declared.get(_with_star(key), "")
        word = known.rstrip("!").removesuffix("_array")
        values = value if isinstance(value, list) else [value]
        is_list = known.rstrip("!").endswith("_array")
        fits = bool(known) and all(type(each) is _TYPES[word] for each in values)
        if not fits or is_list != isinstance(value, list):
            yield f"parameter {key} is {value!r}, declared as {known or 'nothing'}"
    for key, known in declared.items():
        if known.endswith("!") and not given.get(key):
            yield f"parameter {key} is not given"


def _with_star(key: str) -> str:
    parts = key.split(".")
    return ".".join([parts[0], "*", *parts[2:]])


def _flatten(content: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{start}{key}.")
        else:
            yield f"{start}{key}", value


def _list_claims(kind: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "JointTrajectory" in kind:
        yield from ((j, c) for j in given["joints"] for c in given["command_interfaces"])
    elif "Gripper" in kind:
        yield given["joint"], "position"
    else:
        for key, value in given.items():
            if key.endswith(("wheel_names", "traction_joints_names", "_command_joint_name")):
                yield from ((j, "velocity") for j in ([value] if isinstance(value, str) else value))
        yield from ((joint, "position") for joint in given.get("steering_joints_names", ()))


def _judge_groups(srdf: Any, groups: Mapping[Any, Any], links: Any, joints: Any) -> Iterator[str]:
    for name, group in groups.items():
        if not len(group):
            yield f"group {name} is empty"
        ends = [end for chain in group.findall("chain") for end in chain.attrib.values()]
        named = [each.get("name") for each in group.findall("joint")]
        if not links.issuperset(ends) or not joints >= set(named):
            yield f"group {name} names parts that are not there"
        if not groups.keys() >= {each.get("name") for each in group.findall("group")}:
            yield f"group {name} needs another that is not there"
    yield from _judge_others(srdf, groups, links)


def _judge_others(srdf: Any, groups: Mapping[Any, Any], links: Any) -> Iterator[str]:
    for state in srdf.findall("group_state"):
        if state.get("group") not in groups:
            yield f"state {state.get('name')}"
    for hand in srdf.findall("end_effector"):
        if not {hand.get("group"), hand.get("parent_group") or hand.get("group")} <= groups.keys():
            yield f"end effector {hand.get('name')}"
        if hand.get("parent_link") not in links:
            yield f"parent link of {hand.get('name')}"
    for each in srdf.findall("virtual_joint"):
        if each.get("child_link") not in links:
            yield f"virtual joint {each.get('name')}"
