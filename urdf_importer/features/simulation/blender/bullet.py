# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation by Bullet, the engine that is part of Blender."""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ....core.diagnostics import KinematicsError, quote
from ....core.geometry.inertia import report_small_mass
from ....core.geometry.transforms import Matrix, invert, make_frame, matrix_from_pose
from ....core.model import Dynamics, Mimic
from ....core.progress import Progress
from ...motion.trajectory import Numbers
from ..motions import APART, hold
from ..motors import find_error
from ..options import Push
from ..shapes import Solid, report_sunk
from ..states import Experiment, Moment, RobotStates, StartedRobot
from .bodies import GroupJoint, RobotBodies
from .joints import JointReader, add_joint, read_several
from .world import BulletWorld, Motor, outline_part, outline_solid, put

_CORRECTED = 0.5
"""The share of its distance to its target that a joint makes up in a frame."""
_FIRM = 100.0, 1000.0
"""Times the mass that a follower carries, the torque and the force that take it to its place: of
a hundred times its weight, at a tenth of a metre. With more, light fingers come apart."""
_FINER = 1, 2, 4
"""Times the steps of a frame in one run after the other, until the joints hold together."""
_NOWHERE = 1e6
"""Metres, from where on single precision is not worth keys."""
_FLOOR = Solid(
    vertices=np.empty((0, 3)),
    size=np.array((100.0, 100.0, 10.0)),
    frame=make_frame(point=(0.0, 0.0, -10.0)),
)


def bullet_steps(experiment: Experiment) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    """Runs an experiment in a scene of its own, which is gone afterwards, also where the generator
    is closed; yields once a frame.

    Raises KinematicsError where a body has no finite place, with its link and the second.
    """
    yield Progress(share=0.0, text="bodies")
    for times in _FINER:
        substeps = times * experiment.options.substeps
        states = yield from _run(experiment, substeps, is_last=times == _FINER[-1])
        if states is not None:
            break
    assert states is not None
    for robot, own in zip(experiment.robots, states, strict=True):
        _report_losses(robot, own, experiment)
    return states


def _run(
    experiment: Experiment, substeps: int, *, is_last: bool
) -> Generator[Progress, None, tuple[RobotStates, ...] | None]:
    """Runs an experiment in so many steps a frame; returns None, at once, where joints come apart
    and it is not the last try."""
    world = BulletWorld(experiment, substeps)
    try:
        robots = [RobotBodies(each) for each in experiment.robots]
        joints = [len(robot.joints) + len(robot.loops) for robot in robots]
        world.expect(min(robot.lightest for robot in robots), max(joints))
        if experiment.options.floor:
            world.floor = world.add_compound(np.eye(4), [outline_solid(_FLOOR)])
        obstacles = [
            world.add_compound(
                each.poses[0], map(outline_solid, each.solids), moves=len(each.poses) > 1
            )
            for each in experiment.colliders
        ]
        machines = [_Machine(world, robot, experiment) for robot in robots]
        shoves = list(_plan_shoves(machines, experiment))
        world.start()
        for machine in machines:
            machine.put_at_start()
        world.rest()
        for frame in range(experiment.count):
            if frame:
                # Whatever does not move is left alone: putting it again spoils contacts at random.
                for collider, item in zip(experiment.colliders, obstacles, strict=True):
                    if len(collider.poses) > 1:
                        put(item, collider.poses[frame])
                for shove in shoves:
                    shove.run((frame - 1) / experiment.fps, frame / experiment.fps)
                world.step()
            for machine in machines:
                machine.record(frame)
                machine.carry(min(frame + 1, experiment.count - 1))
            if not is_last and any(machine.apart > APART for machine in machines):
                return None
            yield Moment(
                share=(frame + 1) / experiment.count,
                text=f"{frame / experiment.fps:.1f} s by Bullet",
                read=partial(_read, machines, slice(frame, frame + 1)),
            )
    finally:
        world.remove()
    return _read(machines, slice(None))


def _read(machines: Sequence["_Machine"], rows: slice) -> tuple[RobotStates, ...]:
    return tuple(machine.read(rows) for machine in machines)


def _report_losses(robot: StartedRobot, states: RobotStates, experiment: Experiment) -> None:
    """Reports properties of a robot that Bullet has no room for, and joints that came apart."""
    bodies = RobotBodies(robot)
    for link, mass in bodies.assumed.items():
        report_small_mass(bodies.tree.links[bodies.tree.index[link]], mass, experiment.diagnostics)
    if experiment.options.floor and not robot.is_free:
        sunk = bodies.find_sunk().values()
        report_sunk({link for links in sunk for link in links}, experiment.diagnostics)
    damped = [
        motion.joint.name
        for motion in robot.tree.joint_motions
        if motion.joint.dynamics is not None
        and (
            motion.joint.dynamics.damping
            or (motion.joint.dynamics.armature and motion.kind != "revolute")
            or (motion.joint.dynamics.stiffness and not motion.is_scalar)
        )
    ]
    if damped:
        which = quote(damped[0]) + (f" and {len(damped) - 1} more" if damped[1:] else "")
        experiment.diagnostics.warning(
            "bullet-left-out",
            "Bullet has no damping of joints, no rotors on joints that slide and no springs in "
            f"ball joints: {which} have none while it simulates; MuJoCo has them",
            subject=damped[0],
        )
    if states.drift > APART:
        experiment.diagnostics.warning(
            "joints-apart",
            f"joints of robot {quote(robot.name)} came {1000.0 * states.drift:.2g} mm apart in "
            "Bullet, in finer steps too; the rig shows them together, and MuJoCo may hold them",
            subject=robot.name,
        )


class _Machine:
    """One robot in the world of Bullet."""

    def __init__(self, world: BulletWorld, bodies: RobotBodies, experiment: Experiment) -> None:
        self._world, self._bodies, self._started = world, bodies, bodies.started
        self._fps, self._options = experiment.fps, experiment.options
        self._touching: dict[int, Any] = {}
        self._items = [self._add(index) for index in range(len(bodies.groups))]
        joints = [*bodies.joints, *bodies.loops]
        for joint in joints:
            add_joint(world, joint, bodies.groups, self._items)
        for pair in bodies.find_apart(experiment.options.self_collision):
            touching = [self._touching[index] for index in pair]
            world.add_joint("GENERIC", bodies.groups[0].model, *touching)
        if world.floor is not None and not self._started.is_free:
            self._pass_through(world.floor)
        self._reader = JointReader(joints)
        self._base = np.empty((experiment.count, 4, 4))
        self._moved = np.empty((experiment.count, len(joints), 4, 4))
        self._found = np.tile([joint.start for joint in joints], (experiment.count, 1))
        self.apart = 0.0
        self._steady: list[tuple[Motor, float]] = []
        self._drives = list(self._add_drives())

    def _pass_through(self, floor: Any) -> None:
        """Lets links of a fixed robot that are in the floor at the start pass through it."""
        for index in self._bodies.find_sunk():
            pair = floor, self._touching[index]
            self._world.add_joint("GENERIC", self._bodies.groups[0].model, *pair)

    def plan_shove(self, push: Push) -> "_Shove | None":
        """Plans a push of one of its links; None where that is another robot's, cannot move, or the
        force is zero."""
        strength = float(np.linalg.norm(push.force))
        if push.link not in self._bodies.tree.index or not strength:
            return None
        index = self._bodies.find_group(push.link)
        if index == 0 and not self._started.is_free:
            return None
        link = self._bodies.tree.links[self._bodies.tree.index[push.link]]
        seat = self._bodies.groups[index].model @ self._bodies.place_in_group(push.link)
        if link.inertial is not None:
            seat = seat @ matrix_from_pose(link.inertial.origin)
        frame = make_frame(point=seat[:3, 3])
        pair = self._world.anchor, self._items[index]
        axis = np.array(push.force) / strength
        motor = self._world.add_motor(frame, axis, pair, 0.0, turns=False)
        return _Shove(push=push, strength=strength, motor=motor)

    def put_at_start(self) -> None:
        """Puts all bodies where they start."""
        for index, group in enumerate(self._bodies.groups):
            put(self._items[index], group.start)
            if index in self._touching:
                put(self._touching[index], group.start)

    def carry(self, frame: int) -> None:
        """Puts a base that its keys move where it is in a frame."""
        guide = self._started.guide
        if guide is not None:
            put(self._items[0], guide[frame] @ invert(guide[0]) @ self._bodies.groups[0].start)

    def record(self, frame: int) -> None:
        """Takes the state of a frame, and runs the motors to the next. Raises KinematicsError where
        a body has no finite place."""
        groups = self._bodies.groups
        read = [self._world.read(item) for item in self._items]
        frames = np.array(read if frame else [group.start for group in groups])
        lost = np.flatnonzero(~(np.abs(frames) < _NOWHERE).all(axis=(1, 2)))
        if len(lost):
            link = self._bodies.tree.links[groups[lost[0]].links[0]].name
            raise KinematicsError(
                f"the simulation of {quote(self._started.name)} fails at "
                f"{frame / self._fps:.3f} s: link {quote(link)} has no finite place"
            )
        self._base[frame] = frames[0]
        self._moved[frame] = moved = self._reader.find_moved(frames)
        self._found[frame], apart = self._reader.read(moved, self._found[max(frame - 1, 0)])
        self.apart = max(self.apart, float(apart.max(initial=0.0)))
        for motor, force in () if frame else self._steady:
            motor.push(force)
        for drive in self._drives:
            drive.run(frame, self._found, self._fps)

    def read(self, rows: slice) -> RobotStates:
        """Returns the states of these frames; locked joints, which have no body, stay."""
        positions = {
            joint.motion.joint.name: self._found[rows, place]
            if joint.motion.is_scalar
            else read_several(joint.motion, self._moved[rows, place])
            for place, joint in enumerate(self._bodies.joints)
        }
        for motion in self._bodies.tree.joint_motions:
            name, start = motion.joint.name, self._started.positions.get(motion.joint.name)
            if motion.is_locked and start is not None:
                positions.setdefault(name, hold(start, len(self._base[rows])))
        root = self._bodies.tree.links[0].name
        errors = {
            joint.motion.joint.name: find_error(
                self._options, slides=joint.motion.kind == "prismatic"
            )
            for joint in self._bodies.joints
        }
        return RobotStates(
            positions=positions,
            base=self._base[rows] @ self._bodies.place_in_group(root),
            drift=self.apart,
            loads={
                name: (np.abs(targets[rows] - positions[name]) > errors[name]).astype(float)
                for name, targets in self._started.targets.items()
                if name in positions
            },
        )

    def _add(self, index: int) -> Any:
        """Adds the bodies of a group; returns the one that carries its joints."""
        world, group = self._world, self._bodies.groups[index]
        shapes = [outline_part(part, at) for part, at in group.parts]
        started = self._started
        if index == 0 and not (started.is_free and started.guide is None):
            item = world.add_compound(group.model, shapes, moves=started.guide is not None)
            if shapes:
                self._touching[index] = item
            return item
        share, sides = group.divide() if shapes else (0.0, group.sides)
        item = world.add_body(group.model, sides, group.mass * (1.0 - share))
        if shapes:
            self._touching[index] = world.add_compound(group.model, shapes, group.mass * share)
            world.add_joint("FIXED", group.model, item, self._touching[index])
        return item

    def _add_drives(self) -> Iterator["_Drive"]:
        """Yields the motors of joints, and the motors that take followers along; and gives joints
        their friction: a motor that is never run, as strong as that."""
        masters = self._bodies.tree.masters
        places = {joint.motion.joint.name: at for at, joint in enumerate(self._bodies.joints)}
        for name, place in places.items():
            joint, targets = self._bodies.joints[place], self._started.targets.get(name)
            slides = joint.motion.kind == "prismatic"
            dynamics = joint.motion.joint.dynamics or Dynamics()
            if joint.motion.is_scalar and (dynamics.friction or 0.0) > 0.0:
                self._add_motor(joint, dynamics.friction or 0.0)
            if joint.motion.is_scalar and dynamics.stiffness:
                self._add_spring(joint, dynamics.stiffness, dynamics.reference or 0.0)
            if targets is not None:
                motor = self._add_motor(joint, self._started.efforts[name])
                yield _Drive(place, motor, np.append(targets, targets[-1]))
            elif name in masters:
                firm = _FIRM[slides] * self._bodies.weigh_below(joint)
                master = masters[name]
                leader = (places[master.joint], master) if master.joint in places else None
                targets = np.full(len(self._base) + 1, joint.start)
                yield _Drive(place, self._add_motor(joint, firm), targets, leader)

    def _add_spring(self, joint: GroupJoint, stiffness: float, reference: float) -> None:
        """Adds a spring that rests where joints are made, and the constant force by which one that
        rests elsewhere differs from it."""
        frame, pair, turns = self._place_motor(joint)
        axis, force = np.array(joint.motion.axis), stiffness * (reference - joint.model)
        self._world.add_spring(frame, axis, pair, stiffness, turns=turns)
        if force:
            axis = math.copysign(1.0, force) * axis
            motor = self._world.add_motor(frame, axis, pair, 0.0, turns=turns)
            self._steady.append((motor, abs(force)))

    def _place_motor(self, joint: GroupJoint) -> tuple[Matrix, tuple[Any, Any], bool]:
        frame = self._bodies.groups[joint.parent].model @ joint.before
        pair = self._items[joint.parent], self._items[joint.child]
        return frame, pair, joint.motion.kind == "revolute"

    def _add_motor(self, joint: GroupJoint, effort: float) -> Motor:
        frame, pair, turns = self._place_motor(joint)
        return self._world.add_motor(frame, np.array(joint.motion.axis), pair, effort, turns=turns)


def _plan_shoves(machines: Sequence[_Machine], experiment: Experiment) -> Iterator["_Shove"]:
    for push in experiment.options.pushes:
        found = (machine.plan_shove(push) for machine in machines)
        yield from islice((shove for shove in found if shove is not None), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shove:
    """A push of `strength` N, by a motor that can never reach its speed."""

    push: Push
    strength: float
    motor: Motor

    def run(self, begin: float, end: float) -> None:
        """Pushes from one second to another: a force is the same for a frame, so a push that begins
        or ends within one has its impulse, not its force."""
        over = min(end, self.push.start + self.push.seconds) - max(begin, self.push.start)
        self.motor.push(self.strength * max(0.0, over) / (end - begin))


@dataclass(frozen=True, slots=True)
class _Drive:
    """A joint, by its place, whose motor takes it along `targets` (frames + 1,), or to where its
    leader has it, by that one's place."""

    place: int
    motor: Motor
    targets: Numbers
    leader: tuple[int, Mimic] | None = None

    def run(self, frame: int, found: Numbers, fps: float) -> None:
        """Asks for the speed to the next frame; `found` (frames, joints) are the positions."""
        targets = self.targets
        if self.leader is not None:
            place, mimic = self.leader
            targets[frame] = mimic.multiplier * found[frame, place] + mimic.offset
            targets[frame + 1] = 2.0 * targets[frame] - targets[max(frame - 1, 0)]
        step = targets[frame + 1] - targets[frame]
        missed = targets[frame] - found[frame, self.place]
        self.motor.run(float(step + _CORRECTED * missed) * fps)
