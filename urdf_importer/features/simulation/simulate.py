# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation: look at the scene -> run an engine -> keys."""

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...core.arguments import choice_of, diagnostics_of, number_of, options_of, rigs_of
from ...core.diagnostics import (
    ArgumentError,
    BuildError,
    Diagnostics,
    KinematicsError,
    quote,
    unknown_name,
)
from ...core.files.outputs import check_output, need_suffix, replace_files
from ...core.progress import Progress, finish, relay
from .motions import APART, list_frames, measure_drift, scale_base, to_trajectory
from .motors import find_overloads, measure_efforts, sketch_effort
from .options import SimulationOptions
from .run import MODEL, mujoco_steps
from .start_robot import begin_robot
from .states import Experiment, Moment, RobotStates, SimulatedRobot, Simulation, StartedRobot

ENGINES = ("mujoco", "bullet")
MOST_SECONDS = 3600.0
MOST_STATES = 200_000
_PREPARED, _RUN = 0.1, 0.9
"""Shares of the work that are done when engines begin, and when they end."""


def find_engine(engine: str = "auto") -> str:
    """Returns which engine runs, "mujoco" or "bullet", for the option `engine`. Raises BuildError
    where it is not installed."""
    has_mujoco = find_spec("mujoco") is not None
    if choice_of(engine, "engine", ("auto", *ENGINES)) == "auto":
        return "mujoco" if has_mujoco else "bullet"
    if engine == "mujoco" and not has_mujoco:
        raise BuildError(
            "MuJoCo is not installed: pip install urdf-importer[simulation], in Blender as the "
            "documentation says, or take engine='bullet'"
        )
    return engine


def simulate(
    armatures: Any,
    seconds: float = 2.0,
    *,
    options: SimulationOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Simulation:
    """Simulates an imported robot, or several of a scene together, and keys their motion.

    It starts at the current frame, in the pose that is shown, and ends so many seconds later.
    Joints, and the armature object where the base is free, get plain keys on each frame in one new
    action; other actions stay in the file, and nothing else is left in the scene. The same call
    gives the same keys. Joints are keyed within their limits and followers follow, whatever an
    engine let them do: `positions` of the result are as the rig shows them, `trajectory` as the
    engine had them, and `drift` is the difference.

    Raises ArgumentError for seconds and colliders that make no sense, BuildError where the engine
    is not installed or an object is linked or not an imported robot, KinematicsError for unknown
    names, and where numbers of the engine are no longer finite, WriteError where the `model` cannot
    be written; the scene is unchanged then.
    """
    return finish(
        simulation_steps(armatures, seconds=seconds, options=options, diagnostics=diagnostics)
    )


def simulation_steps(
    armatures: Any,
    seconds: float = 2.0,
    *,
    options: SimulationOptions | None = None,
    diagnostics: Diagnostics | None = None,
    live: bool = False,
) -> Generator[Progress, None, Simulation]:
    """Runs simulate in steps, for progress bars. With `live` the robots show how far they are, some
    times a second. Closing the generator takes everything back, even at its last step, whose share
    is 1: all keys are there then."""
    from .blender.keying import check_editable, current_frame

    rigs = list(dict.fromkeys(rigs_of(armatures)))
    options = options_of(options, SimulationOptions)
    if not rigs:
        raise ArgumentError("there is no robot to simulate")
    for each in rigs:
        check_editable(each)
    first, fps = current_frame()
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        empty = Experiment(
            engine=find_engine(options.engine),
            options=options,
            first=first,
            count=_count_states(seconds, fps),
            fps=fps,
            folder=Path(folder),
            diagnostics=diagnostics_of(diagnostics),
        )
        _check_model(empty)
        return (yield from _simulate(rigs, empty, live=bool(live)))


def _simulate(
    armatures: Sequence[Any], experiment: Experiment, *, live: bool
) -> Generator[Progress, None, Simulation]:
    from .blender.keying import shown_live, taken_back

    for number, each in enumerate(armatures):
        yield Progress(share=_PREPARED * number / len(armatures), text="preparing")
        robots = (*experiment.robots, begin_robot(each, experiment))
        experiment = replace(experiment, robots=robots)
    experiment = _look_around(experiment)
    with shown_live(experiment.robots) if live else nullcontext() as show:
        states = yield from _run(experiment, show)
    with taken_back(armatures):
        found = []
        for robot, own in zip(experiment.robots, states, strict=True):
            yield Progress(share=_RUN, text="keying")
            found.append(_key(robot, own, experiment))
        if experiment.options.model:
            _write_model(experiment)
        yield Progress(share=1.0, text="done")
    return Simulation(
        engine=experiment.engine,
        frames=list_frames(experiment),
        robots=tuple(found),
        diagnostics=tuple(experiment.diagnostics),
    )


@contextmanager
def shown_at_end(simulation: Simulation) -> Iterator[float]:
    """Shows the last frame of a simulation for as long as the block runs."""
    from ..motion.blender.sample import walk_frames

    yield from walk_frames([int(simulation.frames[-1])])


def _count_states(seconds: float, fps: float) -> int:
    seconds = number_of(seconds, "seconds")
    if not 0.0 < seconds <= MOST_SECONDS:
        raise ArgumentError(f"seconds is {seconds:g}; it must be above 0, and at most an hour")
    count = round(seconds * fps) + 1
    if not 2 <= count <= MOST_STATES:
        raise ArgumentError(
            f"seconds is {seconds:g}, which is {count - 1} frames; it must be from 1 to "
            f"{MOST_STATES} frames"
        )
    return count


def _check_model(experiment: Experiment) -> None:
    model = experiment.options.model
    if not model:
        return
    if experiment.engine != "mujoco":
        raise ArgumentError("only MuJoCo has a model to write, but the engine is Bullet")
    need_suffix(model, ".xml", "the model")
    check_output(model)


def _look_around(experiment: Experiment) -> Experiment:
    """Adds the surroundings of the robots. Raises KinematicsError for robots of different
    scales."""
    from .blender.colliders import read_colliders

    robots, options = experiment.robots, experiment.options
    if len({round(robot.scale, 6) for robot in robots}) > 1:
        raise KinematicsError("robots that are scaled differently cannot be simulated together")
    links = [link.name for robot in robots for link in robot.tree.links]
    for push in options.pushes:
        if push.link not in links:
            raise unknown_name("no robot has link", push.link, links)
    colliders = read_colliders(
        options.colliders,
        [robot.armature for robot in robots],
        experiment.count,
        robots[0].scale,
        experiment.diagnostics,
    )
    return replace(experiment, colliders=colliders)


def _run(
    experiment: Experiment, show: Callable[[Moment], None] | None
) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    """Runs an engine, with its share of all work; closes it in any case."""
    if experiment.engine == "mujoco":
        steps = mujoco_steps(experiment)
    else:
        from .blender.bullet import bullet_steps

        steps = bullet_steps(experiment)

    def share(step: Progress) -> Progress:
        if show is not None and isinstance(step, Moment):
            show(step)
        return Progress(share=_PREPARED + (_RUN - _PREPARED) * step.share, text=step.text)

    return (yield from relay(steps, share))


def _key(robot: StartedRobot, states: RobotStates, experiment: Experiment) -> SimulatedRobot:
    """Keys the states of a robot, and reads its rig then."""
    from .blender.keying import key_states, note_motors, read_shown

    first, count = experiment.first, experiment.count
    trajectory = to_trajectory(robot, states, experiment.fps)
    # A base that is keyed keeps its keys, however near the engine came.
    moved = states.base if robot.guide is None else robot.guide
    base = scale_base(moved, robot.scale)
    action = key_states(robot, trajectory, base, experiment.diagnostics)
    found = read_shown(robot.armature, first, count)
    shown = replace(found, base=scale_base(found.base, 1.0 / robot.scale))
    drift = measure_drift(robot.tree, states, shown)
    if drift > APART:
        experiment.diagnostics.warning(
            "simulation-drift",
            f"robot {quote(robot.name)} is up to {1000.0 * drift:.3g} mm from where the engine had "
            "it: the rig keeps the limits of joints, followers and loops, but the engine lets them "
            "yield",
            subject=robot.name,
        )
    overloads = find_overloads(states.loads, robot.efforts, first)
    efforts = measure_efforts(states, robot.efforts)
    sketches = {each.joint: sketch_effort(each, states.efforts[each.joint]) for each in efforts}
    note_motors(action, experiment.engine, overloads, sketches)
    return SimulatedRobot(
        armature=robot.armature,
        positions=found.positions,
        base=scale_base(moved, robot.scale, turned=True),
        action=action,
        trajectory=trajectory,
        drift=max(drift, states.drift),
        overloads=overloads,
        efforts=efforts,
    )


def _write_model(experiment: Experiment) -> None:
    """Writes the file that MuJoCo ran, and the meshes beside it, all or nothing."""
    path = Path(experiment.options.model)
    with replace_files(path.parent) as folder:
        for each in sorted(experiment.folder.iterdir()):
            if each.is_dir():
                shutil.copytree(each, folder / each.name)
        shutil.copyfile(experiment.folder / MODEL, folder / path.name)
