# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of MuJoCo: look at the start, compile, step, read the states."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..diagnostics import KinematicsError, one_line, quote
from ..geometry.transforms import invert, matrix_from_pose, quaternion_from_rotation
from ..model import Joint
from ..motion.trajectory import Numbers
from ..progress import Progress
from .joints import frames_of, poses_of
from .motors import find_gains
from .options import Push
from .states import Experiment, Moment, RobotStates
from .world import (
    Additions,
    Gains,
    RobotFile,
    name_collider,
    name_in_world,
    read_start,
    write_world,
)

_DEEP = 5e-4
"""Metres: bodies that are deeper in each other at the start do not touch at all."""
_GIVES_ALL = 1.0 - 1e-9
_ALL = slice(None)
MODEL = "simulation.xml"


def mujoco_steps(
    experiment: Experiment, files: Sequence[RobotFile]
) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    """Runs MuJoCo and returns the states of each robot. `files` are the robots as they were written
    into the folder of the experiment, which holds the file that was run, MODEL, afterwards. Raises
    KinematicsError where MuJoCo does not take it, or its numbers are not finite."""
    run = _Run(experiment, files)
    for frame in range(experiment.count):
        if frame:
            run.advance(frame)
        yield Moment(
            share=frame / (experiment.count - 1),
            text=f"{frame / experiment.fps:.1f} s by MuJoCo",
            read=partial(run.read_states, slice(frame, frame + 1)),
        )
    return run.read_states()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seat:
    """The places of a robot in the model: link -> its body, joint -> its places in qpos, and the
    body that carries it: of its root link; where that is MuJoCo's world and the robot is free, the
    first that is free of it."""

    bodies: Mapping[str, int]
    columns: Mapping[str, list[int]]
    base: int
    root: int


class _Run:
    """The model and its states up to a frame."""

    def __init__(self, experiment: Experiment, files: Sequence[RobotFile]) -> None:
        import mujoco

        self._mujoco = mujoco
        self._experiment = experiment
        self._files = files
        options = experiment.options
        self._step = 1.0 / (experiment.fps * options.substeps)
        with _warnings_kept(mujoco):
            self._compile(Additions())
            self._seats = [self._find_seat(place) for place in range(len(files))]
            self._driven = [
                (place, joint)
                for place, robot in enumerate(experiment.robots)
                for joint in robot.targets
                if len(self._seats[place].columns.get(joint, ())) == 1
            ]
            additions = self._look(self._find_start())
            self._compile(additions)
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
            self._motors = additions.motors
            self._targets = self._plan_targets()
            self._pushes = [self._plan_push(push) for push in options.pushes]
            mujoco.mj_forward(self.model, self.data)
        self._qpos = np.empty((experiment.count, self.model.nq))
        self._frames = np.empty((experiment.count, self.model.nbody, 7))
        self._loads = np.zeros((experiment.count, self.model.nu))
        self._movers = [each for each in experiment.colliders if len(each.poses) > 1]
        self._record(0)

    def advance(self, frame: int) -> None:
        """Takes the steps up to a frame and records it. Raises KinematicsError."""
        substeps = self._experiment.options.substeps
        efforts = np.array([motor.effort for motor in self._motors]) * _GIVES_ALL
        with _warnings_kept(self._mujoco):
            for number in range(substeps):
                self._act(frame, number / substeps)
                self._mujoco.mj_step(self.model, self.data)
                if len(efforts):
                    self._loads[frame] += np.abs(self.data.actuator_force) >= efforts
            self._loads[frame] /= substeps
            self._check(frame)
            self._mujoco.mj_kinematics(self.model, self.data)
        self._record(frame)

    def read_states(self, rows: slice = _ALL) -> tuple[RobotStates, ...]:
        """Returns the recorded states of all robots in these frames."""
        return tuple(self._read_robot(place, rows) for place in range(len(self._files)))

    def _compile(self, additions: Additions) -> None:
        text = write_world(self._experiment, self._files, additions)
        path = Path(self._experiment.folder, MODEL)
        path.write_text(text, encoding="utf-8", newline="\n")
        try:
            self.model = self._mujoco.MjModel.from_xml_path(str(path))
        except ValueError as problem:
            raise KinematicsError(f"MuJoCo does not take it: {one_line(problem)}") from None
        self.data = self._mujoco.MjData(self.model)

    def _find_seat(self, place: int) -> _Seat:
        file, model = self._files[place], self.model
        own = partial(name_in_world, self._experiment, place)
        bodies = {
            link: 0 if name == "world" else int(model.body(own(name)).id)
            for link, name in file.bodies.items()
        }
        columns = {
            joint: [int(model.joint(own(name)).qposadr[0]) for name in names]
            for joint, names in file.joints.items()
        }
        root = bodies[file.root]
        base = root
        if not root and self._experiment.robots[place].is_free:
            base = next((body for body in bodies.values() if self._is_free(body)), 0)
        return _Seat(bodies=bodies, columns=columns, base=base, root=root)

    def _is_free(self, body: int) -> bool:
        joint = self.model.body_jntadr[body]
        return bool(joint >= 0 and self.model.jnt_type[joint] == self._mujoco.mjtJoint.mjJNT_FREE)

    def _find_start(self) -> Numbers:
        """Returns the positions of all joints at the start, in the order of the file."""
        qpos: Numbers = self.model.qpos0.copy()
        for seat, file in zip(self._seats, self._files, strict=True):
            own = [each for columns in seat.columns.values() for each in columns]
            if self._is_free(seat.base):
                own.append(int(self.model.jnt_qposadr[self.model.body_jntadr[seat.base]]))
            start = read_start(file)
            if start:
                qpos[min(own) : min(own) + len(start)] = start
        return qpos

    def _look(self, qpos: Numbers) -> Additions:
        """Looks at the start: which bodies are in each other, and the inertia of each joint."""
        self.data.qpos[:] = qpos
        self._mujoco.mj_forward(self.model, self.data)
        return Additions(
            excluded=self._find_excluded(), motors=self._plan_motors(), qpos=qpos.tolist()
        )

    def _find_excluded(self) -> list[tuple[str, str]]:
        """Lists pairs of a robot's bodies: those deep in each other, and the neighbours of links
        that are fixed in the world, which MuJoCo does not pass over."""
        owners = self._owners()
        model = self.model
        robots = self._experiment.robots
        pairs: dict[tuple[int, int], None] = {}
        sunk: dict[str, None] = {}
        for contact in self.data.contact[: self.data.ncon]:
            one, other = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
            if contact.dist < -_DEEP and owners[one] == owners[other]:
                pairs[one, other] = None
            elif contact.dist < -_DEEP and one == 0 and not robots[owners[other]].is_free:
                pairs[one, other] = None
                sunk[model.body(other).name] = None
        if sunk:
            self._experiment.diagnostics.warning(
                "starts-below-floor",
                f"links of a robot that is fixed ({len(sunk)}, such as {quote(min(sunk))}) are in "
                "the floor at the start; they pass through it",
                subject=min(sunk),
            )
        pairs |= dict.fromkeys(self._find_neighbours(owners))
        return [(model.body(one).name, model.body(other).name) for one, other in sorted(pairs)]

    def _find_neighbours(self, owners: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yields pairs of links that are fixed in the world and the next that move."""
        model = self.model
        weld = model.body_weldid
        fixed: dict[int, list[int]] = {}
        for body in range(1, model.nbody):
            if weld[body] == 0:
                fixed.setdefault(owners[body], []).append(body)
        for body in range(1, model.nbody):
            above = weld[model.body_parentid[weld[body]]]
            if weld[body] and above == 0 and model.body_geomnum[body]:
                for base in fixed.get(owners[body], ()):
                    if owners[body] >= 0 and model.body_geomnum[base]:
                        yield min(base, body), max(base, body)

    def _owners(self) -> list[int]:
        """Returns whose each body is: the place of its robot, -1 of the world and the scene."""
        owners = [-1] * self.model.nbody
        for place, seat in enumerate(self._seats):
            for body in filter(None, seat.bodies.values()):
                owners[body] = place
        return owners

    def _plan_motors(self) -> list[Gains]:
        model, count = self.model, self.model.nv
        inverse, own = np.zeros((count, count)), np.zeros(count)
        if count:
            self._mujoco.mj_solveM(model, self.data, inverse, np.eye(count))
        found = []
        for place, joint in self._driven:
            name = name_in_world(self._experiment, place, self._files[place].joints[joint][0])
            dof = int(model.joint(name).dofadr[0])
            alone = np.zeros(count)
            alone[dof] = 1.0
            self._mujoco.mj_mulM(model, self.data, own, alone)
            robot = self._experiment.robots[place]
            effort, target = robot.efforts[joint], float(robot.targets[joint][0])
            kp, kd = find_gains(
                effort,
                self._experiment.options.position_error,
                (float(own[dof]), 1.0 / float(inverse[dof, dof])),
                self._step,
                slides=bool(model.joint(name).type[0] == self._mujoco.mjtJoint.mjJNT_SLIDE),
            )
            found.append(Gains(joint=name, kp=kp, kd=kd, effort=effort, target=target))
        return found

    def _plan_targets(self) -> Numbers:
        """Returns (n, motors) the targets of motors, in the order of the file."""
        robots = self._experiment.robots
        columns = [robots[place].targets[joint] for place, joint in self._driven]
        return np.stack(columns, axis=1) if columns else np.zeros((self._experiment.count, 0))

    def _plan_push(self, push: Push) -> tuple[int, int, int, Numbers]:
        """Returns a body, the steps between which it is pushed, and the force."""
        body = next(seat.bodies[push.link] for seat in self._seats if push.link in seat.bodies)
        begin, end = push.start / self._step, (push.start + push.seconds) / self._step
        return body, round(begin), round(end), np.array(push.force)

    def _act(self, frame: int, share: float) -> None:
        """Sets forces, targets and objects for a step between the frame before and this one. A
        target that moves is led by its speed, so that damping does not hold the joint back."""
        before, data = frame - 1, self.data
        step = before * self._experiment.options.substeps + round(
            share * self._experiment.options.substeps
        )
        if self._pushes:
            data.xfrc_applied[:] = 0.0
        for body, begin, end, force in self._pushes:
            if begin <= step < end:
                data.xfrc_applied[body, :3] += force
        if self._motors:
            moved = self._targets[frame] - self._targets[before]
            lead = np.array([motor.kd / motor.kp for motor in self._motors])
            speed = moved * self._experiment.fps
            data.ctrl[:] = self._targets[before] + share * moved + lead * speed
        for collider in self._movers:
            mocap = self.model.body(name_collider(collider.name)).mocapid[0]
            one, other = collider.poses[before], collider.poses[frame]
            data.mocap_pos[mocap] = (1.0 - share) * one[:3, 3] + share * other[:3, 3]
            data.mocap_quat[mocap] = _mix(one, other, share)

    def _check(self, frame: int) -> None:
        """Raises KinematicsError where numbers are not finite, or beyond all sense."""
        speeds = np.abs(np.append(self.data.qvel, self.data.qacc))
        if np.isfinite(self.data.qpos).all() and (speeds < 1e10).all():
            return
        worst = int(np.argmax(~(speeds < 1e10))) % max(self.model.nv, 1)
        link = self.model.body(int(self.model.dof_bodyid[worst])).name
        raise KinematicsError(
            f"the simulation breaks at {frame / self._experiment.fps:.3f} s, at link "
            f"{quote(link)}: its numbers are not finite; more substeps may hold it"
        )

    def _record(self, frame: int) -> None:
        self._qpos[frame] = self.data.qpos
        self._frames[frame, :, :3] = self.data.xpos
        self._frames[frame, :, 3:] = self.data.xquat[:, [1, 2, 3, 0]]

    def _read_robot(self, place: int, rows: slice) -> RobotStates:
        robot, seat = self._experiment.robots[place], self._seats[place]
        base = self._read_frames(seat.base, rows)
        if not (robot.is_free and seat.root):
            base = base @ invert(self._read_frames(seat.base, slice(1))[0]) @ robot.base
        positions: dict[str, Numbers] = {}
        for joint in robot.robot.joints:
            if joint.name not in seat.columns or joint.name not in robot.positions:
                continue
            start = robot.positions[joint.name]
            numbers = self._qpos[rows, seat.columns[joint.name]]
            if isinstance(start, float):
                numbers = numbers[:, 0]
            elif len(start) > 3:
                root = self._files[place].root
                own = joint.parent == root and not seat.root
                parent = base if own else self._read_frames(seat.bodies[joint.parent], rows)
                moved = _find_motion(
                    joint, parent, self._read_frames(seat.bodies[joint.child], rows)
                )
                numbers = moved[:, -len(start) :]
            positions[joint.name] = numbers
        loads = {
            joint: self._loads[rows, number]
            for number, (owner, joint) in enumerate(self._driven)
            if owner == place
        }
        return RobotStates(positions=positions, base=base, loads=loads)

    def _read_frames(self, body: int, rows: slice) -> Numbers:
        return frames_of(self._frames[rows, body])


def _find_motion(joint: Joint, parent: Numbers, child: Numbers) -> Numbers:
    """Returns (n, 7): how a joint that turns freely moves its child, of both links' frames."""
    seated = child @ invert(matrix_from_pose(joint.child_origin))
    return poses_of(np.linalg.solve(parent @ matrix_from_pose(joint.origin), seated))


def _mix(one: Numbers, other: Numbers, share: float) -> Numbers:
    """Returns a turn between two, as MuJoCo has quaternions; frames are near each other."""
    a, b = (np.array(quaternion_from_rotation(pose[:3, :3])) for pose in (one, other))
    mixed = (1.0 - share) * a + share * (b if a @ b >= 0.0 else -b)
    x, y, z, w = mixed / np.linalg.norm(mixed)
    return np.array([w, x, y, z])


@contextmanager
def _warnings_kept(mujoco: Any) -> Iterator[None]:
    """Keeps MuJoCo from writing its warnings into a file in the user's folder."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_pass_over)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def _pass_over(_text: str) -> None:
    """Numbers that make no sense are found by _check."""
