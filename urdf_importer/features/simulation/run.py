# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of MuJoCo: look at the start, compile, step, read the states."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ...core.diagnostics import KinematicsError, one_line, quote
from ...core.geometry.transforms import Matrix, invert, matrix_from_pose
from ...core.model import Joint
from ...core.progress import Progress
from ..motion.trajectory import Numbers
from .motions import frames_of, poses_of
from .motors import Gains, find_error, find_gains
from .options import Push
from .shapes import DEEP, report_sunk
from .states import Experiment, Moment, RobotStates, StartedRobot
from .world import (
    Additions,
    file_of,
    name_collider,
    name_guide,
    name_in_world,
    read_start,
    write_world,
)

_GIVES_ALL = 1.0 - 1e-9
_LEAD = 5
"""Steps by which a weld of this stiffness comes late: damping by stiffness, and its own step."""
_FINER = 4
"""Times the steps of a frame in the second try of a run that breaks."""
_ALL = slice(None)
MODEL = "simulation.xml"


def mujoco_steps(experiment: Experiment) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    """Runs MuJoCo and returns the states of each robot. The folder of the experiment has the robots
    as they were written, and afterwards the file that was run, MODEL. Raises KinematicsError where
    MuJoCo does not take it, or its numbers are not finite: then it tries finer steps as far as
    that, so that only a remedy that helps is named."""
    try:
        return (yield from _run(experiment))
    except _BrokenError as problem:
        finer = min(_FINER * experiment.options.substeps, 1000)
        options = replace(experiment.options, substeps=finer)
        again = replace(experiment, options=options, count=problem.frame + 1)
        try:
            yield from _run(again)
        except _BrokenError:
            raise KinematicsError(str(problem)) from None
        raise KinematicsError(f"{problem}; {finer} substeps hold it") from None


class _BrokenError(KinematicsError):
    """Numbers that are not finite, in a frame after the first."""

    def __init__(self, message: str, frame: int) -> None:
        super().__init__(message)
        self.frame = frame


def _run(experiment: Experiment) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    run = _Run(experiment)
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
    """The places of a robot in the model: link -> its body, joint -> its joints there, and the body
    that carries it: of its root link; where that is MuJoCo's world and the robot is free, the
    first that is free of it."""

    robot: StartedRobot
    bodies: Mapping[str, int]
    joints: Mapping[str, list[int]]
    base: int
    root: int


class _Run:
    """The model and its states up to a frame."""

    def __init__(self, experiment: Experiment) -> None:
        import mujoco

        self._mujoco = mujoco
        self._experiment = experiment
        with _warnings_kept(mujoco):
            self._compile(Additions())
            self._seats = [self._find_seat(robot) for robot in experiment.robots]
            self._driven = [
                (seat, joint)
                for seat in self._seats
                for joint in seat.robot.targets
                if len(seat.joints.get(joint, ())) == 1
            ]
            additions = self._look(self._find_start())
            self._compile(additions)
            mujoco.mj_resetDataKeyframe(self.model, self.data, 0)
            mujoco.mj_forward(self.model, self.data)
        columns = [seat.robot.targets[joint] for seat, joint in self._driven]
        self._targets = np.array(columns).T
        self._efforts = np.array([motor.effort for motor in additions.motors]) * _GIVES_ALL
        self._leads = np.array([motor.kd / motor.kp for motor in additions.motors])
        self._pushes = [self._plan_push(push) for push in experiment.options.pushes]
        self._movers = [
            (self.model.body(name_collider(each.name)).mocapid[0], poses_of(each.poses), 0)
            for each in experiment.colliders
            if len(each.poses) > 1
        ]
        for seat in self._seats:
            if seat.robot.guide is not None and seat.robot.name in additions.guides:
                carried = invert(seat.robot.guide[0]) @ additions.guides[seat.robot.name][1]
                mover = self.model.body(name_guide(seat.robot.name)).mocapid[0]
                self._movers.append((mover, poses_of(seat.robot.guide @ carried), _LEAD))
        self._qpos = np.empty((experiment.count, self.model.nq))
        self._frames = np.empty((experiment.count, self.model.nbody, 7))
        self._loads = np.zeros((experiment.count, self.model.nu))
        self._forces = self._loads.copy()
        self._forces[0] = self.data.actuator_force
        self._peaks = np.abs(self._forces[0])
        self._record(0)

    def advance(self, frame: int) -> None:
        """Takes the steps up to a frame and records it. Raises KinematicsError."""
        substeps = self._experiment.options.substeps
        with _warnings_kept(self._mujoco):
            for number in range(substeps):
                self._act(frame, number)
                self._mujoco.mj_step(self.model, self.data)
                force = self.data.actuator_force
                self._loads[frame] += np.abs(force) >= self._efforts
                self._forces[frame] += force
                self._peaks = np.maximum(self._peaks, np.abs(force))
            self._loads[frame] /= substeps
            self._forces[frame] /= substeps
            self._check(frame)
            self._mujoco.mj_kinematics(self.model, self.data)
        self._record(frame)

    def read_states(self, rows: slice = _ALL) -> tuple[RobotStates, ...]:
        """Returns the recorded states of all robots in these frames."""
        return tuple(self._read_robot(seat, rows) for seat in self._seats)

    def _compile(self, additions: Additions) -> None:
        text = write_world(self._experiment, additions)
        path = Path(self._experiment.folder, MODEL)
        path.write_text(text, encoding="utf-8", newline="\n")
        try:
            self.model = self._mujoco.MjModel.from_xml_path(str(path))
        except ValueError as problem:
            raise KinematicsError(f"MuJoCo does not take it: {one_line(problem)}") from None
        self.data = self._mujoco.MjData(self.model)

    def _find_seat(self, robot: StartedRobot) -> _Seat:
        file, model = file_of(robot), self.model
        own = partial(name_in_world, self._experiment, robot)
        bodies = {
            link: 0 if name == "world" else int(model.body(own(name)).id)
            for link, name in file.bodies.items()
        }
        joints = {
            joint: [int(model.joint(own(name)).id) for name in names]
            for joint, names in file.joints.items()
        }
        root = bodies[robot.tree.links[0].name]
        base = root
        if not root and robot.is_free:
            base = next((body for body in bodies.values() if self._is_free(body)), 0)
        return _Seat(robot=robot, bodies=bodies, joints=joints, base=base, root=root)

    def _is_free(self, body: int) -> bool:
        joint = self.model.body_jntadr[body]
        return bool(joint >= 0 and self.model.jnt_type[joint] == self._mujoco.mjtJoint.mjJNT_FREE)

    def _find_start(self) -> Numbers:
        """Returns the positions of all joints at the start, in the order of the file."""
        qpos: Numbers = self.model.qpos0.copy()
        for seat in self._seats:
            own = [each for joints in seat.joints.values() for each in joints]
            if self._is_free(seat.base):
                own.append(int(self.model.body_jntadr[seat.base]))
            start = read_start(file_of(seat.robot))
            if start:
                first = self.model.jnt_qposadr[min(own)]
                qpos[first : first + len(start)] = start
        return qpos

    def _look(self, qpos: Numbers) -> Additions:
        """Looks at the start: which bodies are in each other, and the inertia of each joint."""
        self.data.qpos[:] = qpos
        self._mujoco.mj_forward(self.model, self.data)
        return Additions(
            excluded=self._find_excluded(),
            motors=self._plan_motors(),
            qpos=qpos.tolist(),
            qvel=self._find_speeds().tolist(),
            guides={
                seat.robot.name: (
                    self.model.body(seat.base).name,
                    frames_of(self._where(seat.base)[None])[0],
                )
                for seat in self._seats
                if seat.robot.guide is not None and seat.base
            },
        )

    def _where(self, body: int) -> Numbers:
        """Returns the pose (7,) of a body."""
        return np.append(self.data.xpos[body], self.data.xquat[body, [1, 2, 3, 0]])

    def _find_speeds(self) -> Numbers:
        """Returns the speeds at the start, which is at rest: half a step of gravity less for free
        bodies, since MuJoCo takes a step's speed at its end for all of it."""
        speeds: Numbers = np.zeros(self.model.nv)
        for joint in np.flatnonzero(self.model.jnt_type == self._mujoco.mjtJoint.mjJNT_FREE):
            first = self.model.jnt_dofadr[joint]
            speeds[first : first + 3] = -0.5 * self._experiment.step * self.model.opt.gravity
        return speeds

    def _find_excluded(self) -> list[tuple[str, str]]:
        """Lists pairs of a robot's bodies: those deep in each other, and the neighbours of links
        that are fixed in the world, which MuJoCo does not pass over."""
        owners: list[_Seat | None] = [None] * self.model.nbody
        for seat in self._seats:
            for body in filter(None, seat.bodies.values()):
                owners[body] = seat
        model = self.model
        pairs = set(self._find_neighbours(owners))
        if self._experiment.options.self_collision == "none":
            for seat in self._seats:
                own = {body for body in seat.bodies.values() if body and model.body_geomnum[body]}
                pairs.update(combinations(sorted(own), 2))
        sunk = set()
        for contact in self.data.contact[: self.data.ncon]:
            one, other = sorted(int(model.geom_bodyid[geom]) for geom in contact.geom)
            owner = owners[other]
            if contact.dist >= -DEEP:
                continue
            if owners[one] is owner:
                pairs.add((one, other))
            elif one == 0 and owner is not None and not owner.robot.is_free:
                pairs.add((one, other))
                sunk.add(model.body(other).name)
        report_sunk(sunk, self._experiment.diagnostics)
        return [(model.body(one).name, model.body(other).name) for one, other in sorted(pairs)]

    def _find_neighbours(self, owners: Sequence[_Seat | None]) -> Iterator[tuple[int, int]]:
        """Yields pairs of links that are fixed in the world and the next that move."""
        model, weld = self.model, self.model.body_weldid
        solid = [body for body in range(1, model.nbody) if owners[body]]
        for body in solid:
            if weld[body] and weld[model.body_parentid[weld[body]]] == 0:
                for base in solid:
                    if weld[base] == 0 and owners[base] is owners[body]:
                        yield min(base, body), max(base, body)

    def _plan_motors(self) -> list[Gains]:
        model, count = self.model, self.model.nv
        inverse, own = np.zeros((count, count)), np.zeros(count)
        if count:
            self._mujoco.mj_solveM(model, self.data, inverse, np.eye(count))
        found = []
        for seat, name in self._driven:
            (joint,) = seat.joints[name]
            dof = model.jnt_dofadr[joint]
            self._mujoco.mj_mulM(model, self.data, own, np.eye(count)[dof])
            slides = bool(model.jnt_type[joint] == self._mujoco.mjtJoint.mjJNT_SLIDE)
            stiffness = seat.robot.efforts[name] / find_error(
                self._experiment.options, slides=slides
            )
            inertia = float(own[dof]), 1.0 / float(inverse[dof, dof])
            kp, kd = find_gains(stiffness, inertia, self._experiment.step)
            found.append(
                Gains(
                    joint=model.joint(joint).name,
                    kp=kp,
                    kd=kd,
                    effort=seat.robot.efforts[name],
                    target=float(seat.robot.targets[name][0]),
                )
            )
        return found

    def _plan_push(self, push: Push) -> tuple[int, int, int, Numbers]:
        """Returns a body, the steps between which it is pushed, and the force."""
        body = next(seat.bodies[push.link] for seat in self._seats if push.link in seat.bodies)
        step = self._experiment.step
        begin, end = push.start / step, (push.start + push.seconds) / step
        return body, round(begin), round(end), np.array(push.force)

    def _act(self, frame: int, number: int) -> None:
        """Sets forces, targets and objects for a step between the frame before and this one. A
        target that moves is led by its speed, so that damping does not hold the joint back."""
        before, data, substeps = frame - 1, self.data, self._experiment.options.substeps
        step, share = before * substeps + number, number / substeps
        data.xfrc_applied[:] = 0.0
        for body, begin, end, force in self._pushes:
            if begin <= step < end:
                data.xfrc_applied[body, :3] += force
        if self._driven:
            moved = self._targets[frame] - self._targets[before]
            speed = moved * self._experiment.fps
            data.ctrl[:] = self._targets[before] + share * moved + self._leads * speed
        for mocap, poses, lead in self._movers:
            at = min((step + lead) / substeps, len(poses) - 1.0)
            row = min(int(at), len(poses) - 2)
            # Frames are so near each other that MuJoCo may make the mixed turns whole.
            mixed = (1.0 - at + row) * poses[row] + (at - row) * poses[row + 1]
            data.mocap_pos[mocap], data.mocap_quat[mocap] = mixed[:3], mixed[[6, 3, 4, 5]]

    def _check(self, frame: int) -> None:
        """Raises KinematicsError where numbers are not finite, or beyond all sense."""
        speeds = np.abs(np.append(self.data.qvel, self.data.qacc))
        if np.isfinite(self.data.qpos).all() and (speeds < 1e10).all():
            return
        worst = int(np.argmax(~(speeds < 1e10))) % max(self.model.nv, 1)
        link = self.model.body(int(self.model.dof_bodyid[worst])).name
        raise _BrokenError(
            f"the simulation breaks at {frame / self._experiment.fps:.3f} s, at link "
            f"{quote(link)}: its numbers are not finite",
            frame,
        )

    def _record(self, frame: int) -> None:
        self._qpos[frame] = self.data.qpos
        self._frames[frame, :, :3] = self.data.xpos
        self._frames[frame, :, 3:] = self.data.xquat[:, [1, 2, 3, 0]]

    def _read_robot(self, seat: _Seat, rows: slice) -> RobotStates:
        robot = seat.robot
        base = self._read_frames(seat.base, rows)
        if not (robot.is_free and seat.root):
            base = base @ invert(self._read_frames(seat.base, slice(1))[0]) @ robot.base
        positions: dict[str, Numbers] = {}
        for motion in robot.tree.joint_motions:
            joint, size = motion.joint, np.size(robot.positions.get(motion.joint.name, ()))
            if joint.name not in seat.joints or not size:
                continue
            numbers = self._qpos[rows, self.model.jnt_qposadr[seat.joints[joint.name]]]
            if size > 3:
                # The root link may be a part of MuJoCo's world, which has no frame of its own.
                body = seat.bodies[joint.parent]
                parent = self._read_frames(body, rows) if body else base
                child = self._read_frames(seat.bodies[joint.child], rows)
                numbers = poses_of(_find_motion(joint, parent, child))[:, -size:]
            positions[joint.name] = numbers[:, 0] if size == 1 else numbers
        own = {joint: k for k, (owner, joint) in enumerate(self._driven) if owner is seat}
        return RobotStates(
            positions=positions,
            base=base,
            loads={joint: self._loads[rows, k] for joint, k in own.items()},
            efforts={joint: self._forces[rows, k] for joint, k in own.items()},
            peaks={joint: float(self._peaks[k]) for joint, k in own.items()},
        )

    def _read_frames(self, body: int, rows: slice) -> Numbers:
        return frames_of(self._frames[rows, body])


def _find_motion(joint: Joint, parent: Matrix, child: Matrix) -> Matrix:
    """Returns (n, 4, 4), how a joint that turns freely moves its child, of both links' frames."""
    seated = child @ invert(matrix_from_pose(joint.child_origin))
    moved: Matrix = np.linalg.solve(parent @ matrix_from_pose(joint.origin), seated)
    return moved


@contextmanager
def _warnings_kept(mujoco: Any) -> Iterator[None]:
    """Keeps MuJoCo from writing its warnings into a file in the user's folder; numbers that make no
    sense are found by _check."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _text: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
