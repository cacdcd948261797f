# SPDX-License-Identifier: GPL-3.0-or-later
"""MoveIt's joint_limits.yaml: limits beside a description, which go before its own.

    default_velocity_scaling_factor: 0.5
    joint_limits:
      shoulder:
        has_velocity_limits: true
        max_velocity: 1.5
        has_acceleration_limits: true
        max_acceleration: 3.0

at the top, or below robot_description_planning, also in a ROS 2 file of parameters.
"""

from collections.abc import Mapping

from ...core.diagnostics import Diagnostics, ReadError, quote
from ...core.files.regular import read_regular_file
from ...core.markup.yaml_tree import YamlNode, parse_yaml
from .limits import LimitTable

MOST_BYTES = 1024 * 1024
MOST_JOINTS = 10_000
_CALLED = "the file of limits"
_ABOVE = ("/**", "ros__parameters", "robot_description_planning")
_BOUNDS = {
    "velocity": ("has_velocity_limits", "max_velocity"),
    "acceleration": ("has_acceleration_limits", "max_acceleration"),
    "jerk": ("has_jerk_limits", "max_jerk"),
    "effort": ("has_effort_limits", "max_effort"),
}
_ENDS = {"lower": "min_position", "upper": "max_position"}
_SCALES = ("default_velocity_scaling_factor", "default_acceleration_scaling_factor")


def read_joint_limits(path: str, diagnostics: Diagnostics) -> LimitTable:
    """Reads limits. Raises ReadError, with the line, where the file is not such a table or a number
    makes no sense; a bound of zero means that none is stated, with a warning."""
    root = parse_yaml(
        read_regular_file(path), path, diagnostics, called=_CALLED, most_bytes=MOST_BYTES
    )
    reader = _Reader(path, diagnostics)
    for key in _ABOVE:
        below = reader.pairs(root).get(key)
        if below is not None and below.pairs is not None:
            root = below
    found = reader.pairs(root)
    joints = found.get("joint_limits")
    if joints is None or joints.pairs is None:
        raise ReadError(f"{_CALLED} has no joint_limits", source=path, line=root.line)
    if len(joints.pairs) > MOST_JOINTS:
        raise ReadError(f"{_CALLED} has more than {MOST_JOINTS} joints", source=path)
    velocity, acceleration = (reader.scale(found, key) for key in _SCALES)
    return LimitTable(
        joints={name: reader.joint(name, each) for name, each in joints.pairs.items()},
        velocity_scale=velocity,
        acceleration_scale=acceleration,
    )


class _Reader:
    def __init__(self, path: str, diagnostics: Diagnostics) -> None:
        self.path = path
        self.diagnostics = diagnostics

    def pairs(self, node: YamlNode) -> Mapping[str, YamlNode]:
        """Returns the keys of a mapping; none of anything else."""
        return node.pairs or {}

    def joint(self, name: str, node: YamlNode) -> dict[str, float | None]:
        """Reads the bounds of a joint, None where it explicitly has none."""
        if node.pairs is None and not node.is_null:
            raise self._refusal(f"the limits of joint {quote(name)} are not a mapping", node)
        said: dict[str, float | None] = {}
        for kind, (switch, key) in _BOUNDS.items():
            is_on = self._flag(node, switch)
            bound = self._number(node, key)
            if is_on is False:
                said[kind] = None
            elif bound is not None:
                said[kind] = self._above_zero(name, key, bound, node)
        if self._flag(node, "has_position_limits") is False:
            return said | dict.fromkeys(_ENDS)
        ends = {end: self._number(node, key) for end, key in _ENDS.items()}
        return said | {end: bound for end, bound in ends.items() if bound is not None}

    def scale(self, found: Mapping[str, YamlNode], key: str) -> float:
        """Reads a scaling factor, above 0 to 1; 1 where there is none."""
        node = found.get(key)
        if node is None:
            return 1.0
        number = node.number()
        if number is None or not 0.0 < number <= 1.0:
            raise self._refusal(f"{key} must be above 0 and at most 1", node)
        return number

    def _flag(self, node: YamlNode, key: str) -> bool | None:
        found = self.pairs(node).get(key)
        if found is not None and found.flag() is None:
            raise self._refusal(f"{key} must be true or false", found)
        return None if found is None else found.flag()

    def _number(self, node: YamlNode, key: str) -> float | None:
        found = self.pairs(node).get(key)
        if found is None or found.is_null:
            return None
        if found.number() is None:
            raise self._refusal(f"{key} must be a number", found)
        return found.number()

    def _above_zero(self, name: str, key: str, bound: float, node: YamlNode) -> float | None:
        line = self.pairs(node)[key].line
        if bound < 0.0:
            raise self._refusal(f"{key} is below zero", self.pairs(node)[key])
        if bound == 0.0:
            self.diagnostics.warning(
                "velocity-not-stated",
                f"{key} of joint {quote(name)} is 0, which is taken as not stated",
                subject=name,
                line=line,
                source=self.path,
            )
            return None
        return bound

    def _refusal(self, problem: str, node: YamlNode) -> ReadError:
        return ReadError(f"{_CALLED}: {problem}", source=self.path, line=node.line)
