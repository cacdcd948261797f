# SPDX-License-Identifier: GPL-3.0-or-later
"""A project folder around a PROTO and its world, which is a package for ROS 2 as well.

controllers/<name>/<name>.py      a controller in Python
resource/<robot>_webots.urdf      the robot for ROS, with the devices of Webots
resource/ros2_control.yml         what ROS commands
launch/robot_launch.py            starts it all
package.xml, setup.py, ...        so that colcon builds it
README.md                         what to do with it
"""

from collections.abc import Sequence
from pathlib import Path

from ...diagnostics import Diagnostics, quote
from ...files.outputs import write_text
from ...options import ExportOptions
from .controller import write_controller
from .ros2 import (
    fill_template,
    make_package_name,
    write_control,
    write_launch,
    write_package,
    write_setup,
)
from .ros2_joints import plan_ros
from .ros2_urdf import FindFiles, unpublished, write_ros_urdf
from .sensor_plan import SensorPlan
from .structure import StructurePlan

PROJECT_CONTROLLER = "<extern>"
"""The controller of a project's robot runs outside of Webots: that of ROS 2, or the one here."""


def write_project(
    folder: Path,
    name: str,
    world: str,
    plan: StructurePlan,
    sensors: Sequence[SensorPlan],
    find_files: FindFiles,
    options: ExportOptions,
    diagnostics: Diagnostics,
) -> None:
    """Writes into `folder` what a project has beside protos/ and worlds/. `name` is that of the
    PROTO, `world` the file name of the world; `find_files` knows the exported meshes."""
    robot = plan.root.name
    package = make_package_name(robot)
    urdf = f"{package}.urdf"
    ros = plan_ros(plan)
    readme = {"robot": robot, "world": world, "controller": name, "package": package, "urdf": urdf}
    files = {
        f"controllers/{name}/{name}.py": write_controller(name, plan),
        f"resource/{urdf}": write_ros_urdf(
            ros, sensors, find_files, f"package://{package}/protos/"
        ),
        "resource/ros2_control.yml": write_control(ros.joints, options.time_step),
        # An empty file by which ROS finds the package.
        f"resource/{package}": "",
        f"{package}/__init__.py": "",
        "launch/robot_launch.py": write_launch(package, robot, world, urdf, ros.joints),
        "setup.py": write_setup(package, robot),
        "setup.cfg": _setup_config(package),
        "package.xml": write_package(package, robot),
        "README.md": fill_template("README.md", **readme),
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_text(folder / path, text)
    for sensor, device in unpublished(sensors):
        diagnostics.warning(
            "webots-ros-sensor",
            f"ROS gets nothing of sensor {quote(sensor.name)}: Webots' driver publishes no "
            f"{device.kind}; the controller in Python reads it",
            subject=sensor.name,
            line=sensor.line,
        )


def _setup_config(package: str) -> str:
    return (
        f"[develop]\nscript_dir=$base/lib/{package}\n"
        f"[install]\ninstall_scripts=$base/lib/{package}\n"
    )
