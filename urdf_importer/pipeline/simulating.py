# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation: look at the scene -> run an engine -> keys."""

from collections.abc import Generator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..arguments import choice_of, diagnostics_of, number_of, options_of, rigs_of
from ..diagnostics import ArgumentError, BuildError, Diagnostics
from ..progress import Progress, finish
from ..simulation.options import SimulationOptions
from ..simulation.states import Experiment, RobotStates, Simulation

ENGINES = ("mujoco", "bullet")
MOST_SECONDS = 3600.0


def find_engine(engine: str = "auto") -> str:
    """Returns which engine runs, "mujoco" or "bullet", for the option `engine`. Raises BuildError
    where it is not installed."""
    has_mujoco = find_spec("mujoco") is not None
    if choice_of(engine, "engine", ("auto", *ENGINES)) == "auto":
        return "mujoco" if has_mujoco else "bullet"
    if engine == "mujoco" and not has_mujoco:
        raise BuildError(
            "MuJoCo is not installed: pip install urdf-importer[simulation], or take "
            "engine='bullet'"
        )
    return engine


def simulate(
    armature: Any,
    seconds: float = 2.0,
    *,
    options: SimulationOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Simulation:
    """Simulates an imported robot, or several together, from the current frame and the pose that is
    shown, and keys the result, in one new action for each."""
    return finish(simulation_steps(armature, seconds, options=options, diagnostics=diagnostics))


def simulation_steps(
    armature: Any,
    seconds: float = 2.0,
    *,
    options: SimulationOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, Simulation]:
    """Runs simulate in steps, for progress bars. Closing the generator takes everything back, even
    at its last step, whose share is 1: all keys are there then."""
    armatures = rigs_of(armature)
    options = options_of(options, SimulationOptions)
    diagnostics = diagnostics_of(diagnostics)
    if not armatures:
        raise ArgumentError("there is no robot to simulate")
    if not 0.0 < number_of(seconds, "seconds") <= MOST_SECONDS:
        raise ArgumentError(f"seconds is {seconds}; it has to be above 0, at most an hour")
    engine = find_engine(options.engine)
    yield Progress(share=0.0, text=f"preparing {engine}")
    raise BuildError("simulations are not there yet")


def run_bullet(experiment: Experiment) -> Generator[Progress, None, tuple[RobotStates, ...]]:
    """Runs Blender's own engine: `bullet_steps(experiment)` of `blender/simulating/bullet.py`.

    It yields Progress of shares 0 to 1, about once a frame, and returns the states of
    each robot, in the order of `experiment.robots`. It makes its objects in a scene of its own,
    steps it, and removes all of it in a `finally`, so that closing the generator, and any error,
    leaves the .blend as it was; it sets no keys. It raises KinematicsError, with the second and
    the link, where numbers are not finite, and one for pushes, which Bullet has no forces for.
    Link shapes for contacts it reads from the rig's collision objects, by itself.
    """
    try:
        bullet = import_module("..blender.simulating.bullet", __package__)
    except ModuleNotFoundError:
        raise BuildError("Bullet simulates nothing yet: take engine='mujoco'") from None
    return (yield from bullet.bullet_steps(experiment))
