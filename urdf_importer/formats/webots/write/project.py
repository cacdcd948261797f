# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller in Python of an exported robot: text, for Webots' own interpreter."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from ....core.diagnostics import quote
from ....core.files.outputs import write_text
from ....core.writers.formats import OpenExport
from .options import WebotsOptions
from .ros2.description import unpublished, write_ros_urdf
from .ros2.interface import (
    RosRobot,
    controllers_of,
    fill_template,
    make_package_name,
    plan_ros,
    write_control,
)
from .structure.links import AxisPlan, SolidTreePlan
from .world import Planned


def write_controller(name: str, plan: SolidTreePlan) -> str:
    """Returns the text of controllers/<name>/<name>.py. A joint with several degrees of freedom has
    one entry for each degree, under the name of its motor or sensor.
    """
    counts = Counter(axis.joint for axis in plan.axes())
    entries = [_entry(axis, counts[axis.joint]) for axis in plan.axes()]
    joints = "{\n" + "".join(f"    {entry},\n" for entry in entries) + "}"
    robot = plan.root.name
    return fill_template(
        "controller.py",
        robot=_escape_docstring(robot),
        argument=_escape_docstring(shlex.quote(robot)),
        controller=name,
        joints=joints,
    )


def _escape_docstring(text: str) -> str:
    """Returns text that stays within a string in triple quotes."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _entry(axis: AxisPlan, count: int) -> str:
    """Returns the entry of an axis. A follower has no motor here: a command goes to the leader of
    its group."""
    follows = bool(axis.leader) and axis.leader != axis.joint
    name = axis.joint if count == 1 else axis.motor or axis.sensor
    values = {
        "motor": "" if follows else axis.motor,
        "sensor": axis.sensor,
        "offset": float(axis.offset),
    }
    return f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(values, ensure_ascii=False)}"


PROJECT_CONTROLLER = "<extern>"
"""The controller of a project's robot runs outside of Webots: ROS 2's, or the one here."""
_SETUP = "[develop]\nscript_dir=$base/lib/{0}\n[install]\ninstall_scripts=$base/lib/{0}\n"
_MARKS = re.compile(r"[\\`*<>\[\]&|~]")
"""Characters with a meaning in Markdown."""
_FOLDERS = ("launch", "protos", "resource", "worlds")


def write_project(
    folder: Path, name: str, world: str, planned: Planned, found: OpenExport[WebotsOptions]
) -> None:
    """Writes into `folder` the rest of a project beside protos/ and worlds/. `name` is the name of
    the PROTO, `world` the file name of the world."""
    plan, sensors = planned.plan, planned.sensors
    robot = plan.root.name
    package = make_package_name(robot)
    urdf = f"{package}.urdf"
    ros = plan_ros(plan)
    words = {
        "robot": robot,
        "world": world,
        "controller": name,
        "package": package,
        "urdf": urdf,
        "description": f"The robot {robot} in Webots.",
    }
    python = _write_python(words, ros)
    xml = {word: escape(text) for word, text in words.items()}
    files = {
        f"controllers/{name}/{name}.py": write_controller(name, plan),
        f"resource/{urdf}": write_ros_urdf(
            ros, sensors, planned.shapes.mesh_files, f"package://{package}/protos/"
        ),
        "resource/ros2_control.yml": write_control(ros.joints, found.options.time_step),
        # An empty file by which ROS finds the package.
        f"resource/{package}": "",
        f"{package}/__init__.py": "",
        "launch/robot_launch.py": fill_template("robot_launch.py", **python),
        "setup.py": fill_template("setup.py", **python),
        "setup.cfg": _SETUP.format(package),
        "package.xml": fill_template("package.xml", **xml),
        "README.md": _write_readme(robot, words),
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / path, text)
    for sensor, device in unpublished(sensors):
        found.diagnostics.warning(
            "webots-ros-sensor",
            f"ROS gets nothing of sensor {quote(sensor.name)}: Webots' driver publishes no "
            f"{device.kind}; the controller in Python reads it",
            subject=sensor.name,
            line=sensor.line,
        )


def _write_readme(robot: str, words: Mapping[str, str]) -> str:
    own = {"robot": _MARKS.sub(r"\\\g<0>", robot), "argument": shlex.quote(robot)}
    return fill_template("README.md", **{**words, **own})


def _write_python(words: Mapping[str, str], ros: RosRobot) -> dict[str, str]:
    """Returns texts as Python writes them, in double quotes, and its lists for the templates."""
    written = {word: json.dumps(text, ensure_ascii=False) for word, text in words.items()}
    controllers = json.dumps(list(controllers_of(ros.joints)))
    return {**written, "controllers": controllers, "folders": json.dumps(_FOLDERS)}
