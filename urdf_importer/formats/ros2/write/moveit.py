# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of MoveIt, in the files and words that MoveItConfigsBuilder reads.

No planner's own parameters are written: the builder takes its release's.
"""

from collections.abc import Iterator
from typing import Any

from ....core.kinematics.semantic_groups import describe_group, resolve_groups
from ....core.kinematics.tree import KinematicTree
from ....core.model.sensor import CameraSensor
from .plan import GRIPPER, RosController, RosPlan
from .yaml_text import write_yaml

_MANAGER = "moveit_simple_controller_manager"
_FULL_REACH = 6
"""Joints with which a tip can be turned any way."""
_VELOCITY, _ENDLESS = 1.0, 1e6
"""rad/s or m/s: where the limit is not known, and the least speed that means no limit."""
_CARTESIAN = {
    "max_trans_vel": 1.0,
    "max_trans_acc": 2.25,
    "max_trans_dec": -5.0,
    "max_rot_vel": 1.57,
}
_OCTOMAP = {
    "sensor_plugin": "occupancy_map_monitor/PointCloudOctomapUpdater",
    "max_range": 5.0,
    "point_subsample": 1,
    "padding_offset": 0.1,
    "padding_scale": 1.0,
    "max_update_rate": 1.0,
    "filtered_cloud_topic": "filtered_cloud",
}


def write_moveit(plan: RosPlan, acceleration: float) -> dict[str, str]:
    """Returns path -> text of the YAML files of the package. `acceleration` is in 1/s: times a
    joint's greatest velocity its greatest acceleration."""
    name = plan.name
    described = {"package": f"{name}_bringup", "relative_path": f"urdf/{name}.urdf.xacro"}
    assistant: dict[str, Any] = {
        "urdf": described,
        "srdf": {"relative_path": f"config/{name}.srdf"},
        "package_settings": {"author_name": "", "author_email": "", "generated_timestamp": 0},
    }
    files = {
        ".setup_assistant": write_yaml({"moveit_setup_assistant_config": assistant}),
        "config/kinematics.yaml": write_yaml(dict(_list_solvers(plan))),
        "config/joint_limits.yaml": _write_limits(plan, acceleration),
        "config/moveit_controllers.yaml": _write_controllers(plan),
        "config/pilz_cartesian_limits.yaml": write_yaml({"cartesian_limits": _CARTESIAN}),
    }
    cameras = list_depth_cameras(plan.tree)
    if cameras:
        files["config/sensors_3d.yaml"] = _write_sensors(cameras)
    return files


def _list_solvers(plan: RosPlan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields group -> its solver of inverse kinematics, for chains, however an SRDF names them."""
    chains = {each.name for each in plan.semantics.groups if each.chains}
    chains |= set(_list_named_chains(plan))
    hands = {each.group for each in plan.semantics.end_effectors}
    for group, joints in plan.groups.items():
        if group not in chains or group in hands or not joints:
            continue
        solver: dict[str, Any] = {
            "kinematics_solver": "kdl_kinematics_plugin/KDLKinematicsPlugin",
            "kinematics_solver_search_resolution": 0.005,
            "kinematics_solver_timeout": 0.05,
        }
        if len(joints) < _FULL_REACH:
            solver["position_only_ik"] = True
        yield group, solver


def _list_named_chains(plan: RosPlan) -> Iterator[str]:
    """Yields the groups whose joints are one chain and all move on their own."""
    for group, names in resolve_groups(plan.robot, plan.semantics).items():
        known = (plan.tree.motion_of[name] for name in names if name in plan.tree.motion_of)
        moving = tuple(each.joint.name for each in known if each.moves)
        if moving == plan.groups[group] and describe_group(plan.robot, group, moving).chains:
            yield group


def _write_limits(plan: RosPlan, acceleration: float) -> str:
    moved = {name for joints in plan.groups.values() for name in joints}
    moved |= {name for each in plan.controllers for name in each.joints}
    limits = {}
    for motion in plan.tree.joint_motions:
        if motion.joint.name in moved:
            limit = motion.joint.limit
            velocity = (limit.velocity if limit is not None else None) or _VELOCITY
            if velocity >= _ENDLESS:
                velocity = _VELOCITY
            limits[motion.joint.name] = {
                "has_velocity_limits": True,
                "max_velocity": float(velocity),
                "has_acceleration_limits": True,
                "max_acceleration": float(velocity) * acceleration,
            }
    factors = {f"default_{each}_scaling_factor": 0.1 for each in ("velocity", "acceleration")}
    return write_yaml({**factors, "joint_limits": limits})


def list_sent(plan: RosPlan) -> list[RosController]:
    """Lists the controllers that MoveIt sends trajectories to."""
    return [each for each in plan.controllers if each.joints]


def _write_controllers(plan: RosPlan) -> str:
    sent: dict[str, Any] = {"controller_names": [each.name for each in list_sent(plan)]}
    for each in list_sent(plan):
        is_gripper = each.type == GRIPPER
        sent[each.name] = {
            "type": "ParallelGripperCommand" if is_gripper else "FollowJointTrajectory",
            "action_ns": "gripper_cmd" if is_gripper else "follow_joint_trajectory",
            "default": True,
            "joints": each.joints,
        }
    manager = f"{_MANAGER}/MoveItSimpleControllerManager"
    return write_yaml({"moveit_controller_manager": manager, _MANAGER: sent})


def list_depth_cameras(tree: KinematicTree) -> list[CameraSensor]:
    """Lists the depth cameras of the description whose points have a topic."""
    sensors = [each for each in tree.robot.sensors if isinstance(each, CameraSensor)]
    return [each for each in sensors if each.kind in ("depth", "rgbd") and each.points_topic]


def _write_sensors(cameras: list[CameraSensor]) -> str:
    names = [f"camera_{number}" for number in range(1, len(cameras) + 1)]
    own = {
        name: _OCTOMAP | {"point_cloud_topic": each.points_topic}
        for name, each in zip(names, cameras, strict=True)
    }
    return write_yaml({"sensors": names, **own})
