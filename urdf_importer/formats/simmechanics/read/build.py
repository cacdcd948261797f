# SPDX-License-Identifier: GPL-3.0-or-later
"""Spanning tree -> Robot: links depth first, user frames as links, sensors and looks as extras."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np

from ....core.geometry.transforms import matrix_from_pose
from ....core.model import IDENTITY, Extra, Joint, Link, Pose, Robot
from .assembly import Assembly
from .joints import JointMaker
from .links import HasFile, LinkMaker, pose_of, relative
from .mechanism.graph import Matrix
from .parameters.joint_table import JointTable
from .parameters.keys import ForceSensorChoice, FrameChoice, LinkSensor, SensorChoice
from .placing import Placed
from .sensor_xml import look_extras, pose_extra, sensor_extras
from .tree import SpanningTree


@dataclass(slots=True)
class _Exported:
    """A user's frame as a link; `drawn` is where the user drew it, before `transform`."""

    name: str
    body: int
    drawn: Matrix
    transform: Pose = IDENTITY

    @property
    def matrix(self) -> Matrix:
        return self.drawn @ matrix_from_pose(self.transform)


class RobotMaker:
    """Makes the robot of an assembly whose tree is planned and whose links are placed."""

    def __init__(
        self,
        assembly: Assembly,
        tree: SpanningTree,
        placed: dict[int, Placed],
        table: JointTable,
        has_file: HasFile,
    ) -> None:
        self.assembly = assembly
        self.parameters = assembly.parameters
        self.tree = tree
        self.placed = placed
        self.values = assembly.values
        self.links = LinkMaker(assembly, placed, has_file)
        self.joints = JointMaker(assembly, placed, table)
        self.child_of: dict[str, int] = {}
        self.made_links: list[Link] = []
        self.made_joints: list[Joint] = []
        self.extras: list[Extra] = []

    def make(self) -> Robot:
        """Returns the robot; names in parameters that match nothing are reported on the way."""
        exported = self._exported_frames()
        at_body: dict[int, list[_Exported]] = {}
        for frame in exported:
            at_body.setdefault(frame.body, []).append(frame)
        for body in self.tree.bodies():
            self._add_body(body)
            for frame in at_body.get(body, ()):
                joint, link = self.joints.make_frame_link(frame.name, body, frame.matrix)
                self._add([joint], [link])
        loops = []
        for connection in self.tree.loops:
            loop, joints, links = self.joints.make_loop(connection)
            loops.append(loop)
            self._add(joints, links)
        self._add_extras(exported)
        self.joints.report_unused_rows()
        mechanism = self.assembly.mechanism
        last = max([x.line for x in self.made_links] + [x.line for x in self.made_joints])
        return Robot(
            name=self.parameters.robot_name
            or mechanism.name
            or PurePath(mechanism.source).stem
            or "robot",
            links=tuple(self.made_links),
            joints=tuple(self.made_joints),
            loops=tuple(loops),
            # Behind all links, where a writer goes by lines.
            extras=tuple(replace(extra, line=last) for extra in self.extras),
            source=mechanism.source,
        )

    def _add(self, joints: Iterable[Joint], links: Iterable[Link]) -> None:
        self.made_joints += joints
        self.made_links += links

    def _add_body(self, body: int) -> None:
        if self.placed[body].branch is not None:
            joints, links = self.joints.make(body)
            self._add(joints, links)
            for joint in joints:
                self.child_of[joint.name] = body
        link = self.links.make(body)
        self.made_links.append(link)
        look = self.links.look(body)
        self.extras += look_extras(link.name, look) if look is not None else ()

    # Frames of users

    def _exported_frames(self) -> list[_Exported]:
        parameters, names = self.parameters, self.assembly.names
        found: list[_Exported] = []
        for wish in parameters.exported_frames:
            place = self._choose(wish, "exportedFrames")
            if place is not None and names.giver.claim(wish.name):
                found.append(_Exported(wish.name, *place, wish.transform))
            elif place is not None:
                self._refuse_name("exportedFrames", wish.name, wish.frame_line)
        for sensor in (*parameters.sensors, *parameters.force_sensors):
            if sensor.is_exported and sensor.frame:
                self._export_sensor(sensor, found)
        known = {(frame.body, frame.drawn.tobytes()) for frame in found}
        for body, drawn in self.assembly.frames.drawn() if parameters.export_all else ():
            if self.tree.holds(body) and (body, drawn.matrix.tobytes()) not in known:
                found.append(_Exported(names.giver.give(drawn.label), body, drawn.matrix))
        return found

    def _export_sensor(self, sensor: SensorChoice, found: list[_Exported]) -> None:
        place = self._choose(self._place_of(sensor), "sensors")
        name = sensor.exported_name or sensor.name or sensor.frame
        if place is not None and self.assembly.names.giver.claim(name):
            found.append(_Exported(name, *place))
        elif place is not None and not any(frame.name == name for frame in found):
            self._refuse_name("sensors", name, sensor.line)

    def _refuse_name(self, key: str, name: str, line: int) -> None:
        self.values.bad(key, f"the name {name!r} is taken already", line)

    def _place_of(self, sensor: SensorChoice) -> FrameChoice:
        """A force-torque sensor's frame is looked for in its link, else in its joint's child."""
        if not isinstance(sensor, ForceSensorChoice) or sensor.reference:
            return sensor
        child = self._child_of_joint(sensor.owner)
        return sensor if child < 0 else replace(sensor, reference=self.assembly.link_name(child))

    def _choose(self, choice: FrameChoice, key: str) -> tuple[int, Matrix] | None:
        """The body and the frame that a user means; None, and reported, where it is not there."""
        place = self.assembly.frames.choose(choice, key)
        if place is not None and not self.tree.holds(place[0]):
            self.values.bad(key, f"frame {choice.frame!r} is on no link", choice.frame_line)
            return None
        return place

    # Extras

    def _add_extras(self, exported: list[_Exported]) -> None:
        parameters = self.parameters
        for sensor in parameters.sensors:
            self.extras += self._sensor(sensor, exported)
        for measured in parameters.force_sensors:
            self.extras += self._sensor(measured, exported)
        if parameters.origin_xyz is not None or parameters.origin_rpy is not None:
            zero = (0.0, 0.0, 0.0)
            pose = Pose(xyz=parameters.origin_xyz or zero, rpy=parameters.origin_rpy or zero)
            self.extras.append(pose_extra(pose))
        self.extras += parameters.blobs

    def _sensor(
        self, sensor: LinkSensor | ForceSensorChoice, exported: list[_Exported]
    ) -> list[Extra]:
        names = self.assembly.names
        owner = sensor.owner
        if isinstance(sensor, ForceSensorChoice):
            key, problem, body = "forceTorqueSensors", names.no_joint, self._child_of_joint(owner)
        else:
            key, problem, body = "sensors", names.no_link, names.body_of.get(owner, -1)
        if not self.tree.holds(body):
            self.values.bad(key, problem(owner), sensor.line)
            return []
        pose = self._sensor_pose(sensor, key, body, exported)
        if pose is None:
            return []
        default = owner
        if isinstance(sensor, ForceSensorChoice):
            owner = next(joint for joint, below in reversed(self.child_of.items()) if below == body)
        else:
            default = f"{owner}_{sensor.frame or sensor.type}"
        return sensor_extras(sensor, owner, sensor.name or default, pose)

    def _child_of_joint(self, key: str) -> int:
        """The body below a joint of the tree; -1 where there is none."""
        names = {
            self.assembly.names.joints[index] for index in self.assembly.names.find_joints(key)
        }
        names.add(key)
        for body, placed in self.placed.items():
            joint = placed.branch.joint if placed.branch is not None else None
            if joint is not None and joint.name in names:
                return body
        return -1

    def _sensor_pose(
        self, sensor: SensorChoice, key: str, body: int, exported: list[_Exported]
    ) -> Pose | None:
        """The pose in the frame of a link: of the exported frame where there is one, with the added
        pose. None where the frame is not there, which is reported."""
        if not sensor.frame:
            return Pose()
        place = self._choose(self._place_of(sensor), key)
        if place is None:
            return None
        body_of_frame, drawn = place
        same = (
            frame.matrix
            for frame in exported
            if frame.body == body_of_frame and np.array_equal(frame.drawn, drawn)
        )
        matrix = next(same, drawn)
        return pose_of(relative(self.placed[body].frame, matrix))
