# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation by Bullet, the engine that is part of Blender."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...collisions.parts import Part, load_parts
from ...diagnostics import Diagnostics, KinematicsError, quote
from ...files.packages import PackageResolver
from ...geometry.transforms import Matrix
from ...meshes import RobotFiles
from ...motion.trajectory import Numbers
from ...progress import Progress
from ...simulation.options import Push
from ...simulation.shapes import solids_of
from ...simulation.states import Collider, Experiment, Moment, RobotStates, StartedRobot
from ..extract.scene_source import extract_scene
from ..semantics.apply import extract_semantics
from .bodies import GroupJoint, RobotBodies
from .joints import add_joint, find_moved, measure
from .world import BulletWorld, Motor, put

_CORRECTED = 0.5
"""The share of its distance to its target that a joint makes up in a frame."""
_SLIDING = 0.1
"""Metres that count as a radian."""
_APART = 0.003
"""Metres between the anchors of a joint in a robot that is as good as whole."""
_NOWHERE = 1e6
"""Metres, from where on single precision is not worth keys."""


def bullet_steps(
    experiment: Experiment,
) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    """Runs an experiment in a scene of its own, which is gone afterwards, also where the generator
    is closed; yields once a frame.

    Raises KinematicsError where a body is nowhere, with its link and the second.
    """
    options = experiment.options
    yield Progress(share=0.0, text="bodies")
    world = BulletWorld(
        fps=experiment.fps,
        substeps=options.substeps,
        gravity=options.gravity,
        slide=options.friction,
        bounce=options.restitution,
    )
    try:
        robots = [RobotBodies(each, _load_shapes(each)) for each in experiment.robots]
        for robot in robots:
            _report_missed(robot, experiment)
        joints = [len(robot.joints) + len(robot.loops) for robot in robots]
        world.expect(min(robot.lightest for robot in robots), max(joints))
        if options.floor:
            world.add_floor()
        obstacles = list(_add_obstacles(world, experiment))
        machines = [_Machine(world, robot, experiment) for robot in robots]
        shoves = list(_plan_shoves(machines, experiment))
        world.start()
        for machine in machines:
            machine.put_at_start()
        world.rest()
        for frame in range(experiment.count):
            if frame:
                _move_obstacles(obstacles, frame)
                for shove in shoves:
                    shove.run((frame - 1) / experiment.fps, frame / experiment.fps)
                world.step()
            for machine in machines:
                machine.take(frame)
            yield Moment(
                share=(frame + 1) / experiment.count,
                text=f"{frame / experiment.fps:.1f} s by Bullet",
                read=partial(_read, machines, slice(frame, frame + 1)),
            )
    finally:
        world.remove()
    states = _read(machines, slice(None))
    _report_apart(states, experiment)
    return states


def _read(machines: Sequence["_Machine"], rows: slice) -> tuple[RobotStates, ...]:
    return tuple(machine.read(rows) for machine in machines)


def _add_obstacles(world: BulletWorld, experiment: Experiment) -> Iterator[tuple[Collider, Any]]:
    for each in experiment.colliders:
        solids = solids_of(each, experiment.diagnostics)
        yield each, world.add_obstacle(each.poses[0], solids, moves=len(each.poses) > 1)


def _move_obstacles(obstacles: Sequence[tuple[Collider, Any]], frame: int) -> None:
    for collider, item in obstacles:
        if len(collider.poses) > 1:
            put(item, collider.poses[frame])


def _report_apart(states: Sequence[RobotStates], experiment: Experiment) -> None:
    """Reports robots that came apart at their joints."""
    for robot, own in zip(experiment.robots, states, strict=True):
        if own.drift > _APART:
            experiment.diagnostics.warning(
                "joints-apart",
                f"joints of robot {quote(robot.name)} came {1000.0 * own.drift:.2g} mm apart in "
                "Bullet; the rig shows them together. More substeps may help, or MuJoCo",
                subject=robot.name,
            )


def _load_shapes(started: StartedRobot) -> dict[str, tuple[Part, ...]]:
    """Returns the shapes of each link by which it touches others, in its state in the scene."""
    unheard = Diagnostics()
    with TemporaryDirectory(prefix="urdf-importer-") as folder:
        scene = extract_scene(
            started.armature, started.robot, Path(folder), unheard, keeps_seats=True
        )
        resolver = PackageResolver(started.robot.source)
        files = RobotFiles(resolver, unheard, shown=scene.shapes, images=scene.images)
        return load_parts(scene.robot.links, files)


def _report_missed(bodies: RobotBodies, experiment: Experiment) -> None:
    """Reports properties of a robot that Bullet has no room for."""
    damped = [
        joint.name
        for joint in bodies.tree.robot.joints
        if joint.dynamics is not None and joint.dynamics.damping
    ]
    follow = sorted(bodies.tree.masters)
    found = [
        (damped, "no damping of joints: {} have none while it simulates"),
        (follow, "no joints that follow others: {} are fixed while it simulates"),
    ]
    for names, text in found:
        if names:
            which = quote(names[0]) + (f" and {len(names) - 1} more" if names[1:] else "")
            experiment.diagnostics.warning(
                "bullet-left-out",
                f"Bullet has {text.format(which)}; MuJoCo has them",
                subject=names[0],
            )


class _Machine:
    """One robot in the world of Bullet."""

    def __init__(self, world: BulletWorld, bodies: RobotBodies, experiment: Experiment) -> None:
        self._world, self._bodies = world, bodies
        self._started = started = bodies.started
        self._name = quote(started.name)
        self._fps = experiment.fps
        groups = bodies.groups
        self._frames = np.empty((experiment.count, len(groups), 4, 4))
        self._touching: dict[int, Any] = {}
        self._items = [self._add(index) for index in range(len(groups))]
        for joint in (*bodies.joints, *bodies.loops):
            add_joint(world, joint, groups, self._items)
        disabled = extract_semantics(started.armature).disabled_collisions
        for pair in bodies.find_apart(disabled, experiment.options.self_collision != "none"):
            one, other = (self._touching[index] for index in sorted(pair))
            world.add_joint("GENERIC", groups[0].model, one, other)
        self._drives = [
            self._add_drive(joint, experiment.options.position_error)
            for joint in bodies.joints
            if joint.motion.joint.name in started.targets
        ]
        self._rub()

    def plan_shove(self, push: Push) -> "_Shove | None":
        """Plans a push of one of its links; None where that is another robot's, cannot move, or the
        force is zero."""
        strength = float(np.linalg.norm(push.force))
        if push.link not in self._bodies.tree.index or not strength:
            return None
        index = self._bodies.find_group(push.link)
        if index == 0 and not self._started.is_free:
            return None
        frame = np.eye(4)
        frame[:3, 3] = (self._bodies.groups[index].model @ self._bodies.find_center(push.link))[
            :3, 3
        ]
        pair = self._world.anchor, self._items[index]
        axis = np.array(push.force) / strength
        motor = self._world.add_motor(frame, axis, *pair, turns=False)
        motor.limit(0.0)
        return _Shove(push=push, strength=strength, motor=motor)

    def put_at_start(self) -> None:
        """Puts all bodies where they start."""
        for index, group in enumerate(self._bodies.groups):
            put(self._items[index], group.start)
            if index in self._touching:
                put(self._touching[index], group.start)

    def take(self, frame: int) -> None:
        """Takes the state of a frame, and runs the motors to the next. Raises KinematicsError where
        a body is nowhere."""
        groups = self._bodies.groups
        if frame:
            self._frames[frame] = [self._world.read(item) for item in self._items]
        else:
            self._frames[frame] = [group.start for group in groups]
        lost = np.flatnonzero(~(np.abs(self._frames[frame]) < _NOWHERE).all(axis=(1, 2)))
        if len(lost):
            link = self._bodies.tree.links[groups[lost[0]].links[0]].name
            raise KinematicsError(
                f"the simulation of {self._name} fails at {frame / self._fps:.3f} s: link "
                f"{quote(link)} is nowhere"
            )
        for drive in self._drives:
            drive.run(frame, self._frames[frame], self._fps)

    def read(self, rows: slice) -> RobotStates:
        """Returns the states of these frames."""
        frames = self._frames[: rows.stop]  # From the first on: turns are counted along the way.
        positions, drifts = {}, [0.0]
        for joint in (*self._bodies.joints, *self._bodies.loops):
            found, drift = measure(joint.motion, find_moved(joint, frames))
            drifts.append(drift)
            if joint.motion.kind == "revolute":
                found += 2.0 * np.pi * np.round((joint.start - found[0]) / (2.0 * np.pi))
            positions[joint.motion.joint.name] = found[rows]
        for loop in self._bodies.loops:
            del positions[loop.motion.joint.name]
        return RobotStates(
            positions=positions,
            base=frames[rows, 0] @ self._bodies.place_in_group(0),
            drift=max(drifts),
            loads={drive.name: drive.loads[rows] for drive in self._drives},
        )

    def _add(self, index: int) -> Any:
        """Adds the bodies of a group; returns the one that carries its joints."""
        world, group = self._world, self._bodies.groups[index]
        if index == 0 and not self._started.is_free:
            item = world.add_touching(group.model, group.parts, 0.0)
            if group.parts:
                self._touching[index] = item
            return item
        share, sides = group.divide() if group.parts else (0.0, group.sides)
        item = world.add_body(group.model, sides, group.mass * (1.0 - share))
        if group.parts:
            shell = world.add_touching(group.model, group.parts, group.mass * share)
            world.add_joint("FIXED", group.model, item, shell)
            self._touching[index] = shell
        return item

    def _add_drive(self, joint: GroupJoint, error: float) -> "_Drive":
        name = joint.motion.joint.name
        motor = self._add_motor(joint, self._started.efforts[name])
        error *= 1.0 if joint.motion.kind == "revolute" else _SLIDING
        return _Drive(joint, motor, self._started.targets[name], error)

    def _add_motor(self, joint: GroupJoint, effort: float) -> Motor:
        frame = self._bodies.groups[joint.parent].model @ joint.before
        pair = self._items[joint.parent], self._items[joint.child]
        turns = joint.motion.kind == "revolute"
        motor = self._world.add_motor(frame, np.array(joint.motion.axis), *pair, turns=turns)
        motor.limit(effort)
        return motor

    def _rub(self) -> None:
        """Gives joints their friction: a motor that is to stand still, as strong as that."""
        for joint in self._bodies.joints:
            dynamics = joint.motion.joint.dynamics
            friction = (dynamics and dynamics.friction) or 0.0
            if joint.motion.is_scalar and friction > 0.0:
                self._add_motor(joint, friction)


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


class _Drive:
    """A joint whose motor takes it along its targets (n,). A motor gives all its effort where the
    joint is further than `error` from its target, as the motors of the other engine do."""

    def __init__(self, joint: GroupJoint, motor: Motor, targets: Numbers, error: float) -> None:
        self.name = joint.motion.joint.name
        self.loads = np.zeros(len(targets))
        self._joint, self._motor, self._targets = joint, motor, targets
        self._last, self._error = joint.start, error

    def run(self, frame: int, frames: Matrix, fps: float) -> None:
        """Notes how the frame went, and asks for the speed to the next; `frames` (groups, 4, 4) are
        the bodies in the world."""
        found, _ = measure(self._joint.motion, find_moved(self._joint, frames[None]))
        position = float(found[0])
        if self._joint.motion.kind == "revolute":
            turns = np.round((self._last - position) / (2.0 * np.pi))
            position += float(2.0 * np.pi * turns)
        self._last = position
        missed = self._targets[frame] - position
        self.loads[frame] = float(abs(missed) > self._error)
        if frame + 1 < len(self._targets):
            step = self._targets[frame + 1] - self._targets[frame] + _CORRECTED * missed
            self._motor.run(float(step) * fps)
