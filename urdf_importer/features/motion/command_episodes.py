# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer episodes: animations and motions as datasets for training."""

import argparse
from pathlib import Path
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
)
from ...core.command.blends import is_blend
from ...core.command.loading import add_reading, add_robot, load_robot, plan_robot, read_checked
from ...core.command.report import Work
from ...core.command.summary import count
from ...core.command.task import Task, TaskOutput, UsageError
from ...core.progress import Progress, finish, relay
from .datasets.episodes import Episode, EpisodeOptions
from .motions import read_trajectory, write_episodes


def add_episodes(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "episodes",
        _plan,
        help="write animations or motions as a LeRobot dataset",
        description="Writes the animation of a robot in a .blend, with the pictures of its "
        "cameras, or motions of a described robot, an episode each, as a dataset of LeRobot, "
        "version 3.0.",
    )
    add_robot(parser)
    parser.add_argument("motions", nargs="*", metavar="MOTION", help="motions, an episode each")
    parser.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="the folder of the dataset"
    )
    text = "a camera in the scene whose pictures are taken (may be repeated)"
    add_own_argument(parser, "cameras", "--camera", action="append", metavar="CAMERA", help=text)
    add_option_arguments(parser, EpisodeOptions, but=("cameras",))
    add_reading(parser, heading="reading")


def _plan(given: argparse.Namespace) -> list[Task]:
    if not given.motions and not is_blend(given.robot):
        raise UsageError("episodes takes a robot in a .blend, or a description and its motions")
    output = TaskOutput(path=given.output, is_folder=True)
    return plan_robot(given, _episodes, output, beside=tuple(given.motions))


def _episodes(given: argparse.Namespace, work: Work) -> None:
    options = read_options(given, EpisodeOptions)
    if given.motions:
        files, robot = _write_motions(given, options, work)
    else:
        files, robot = _record(given, options, work)
    work.add(*files)
    work.facts = {"robot": robot.name}
    work.summary = f"{given.output}: {count(len(files), 'file')}"


def _write_motions(
    given: argparse.Namespace, options: EpisodeOptions, work: Work
) -> tuple[tuple[Path, ...], Any]:
    robot, own = read_checked(given, work), work.diagnostics
    episodes = [
        Episode(
            motion=read_trajectory(path, robot=robot, diagnostics=own.about(path)),
            task=options.task or Path(path).stem,
        )
        for path in given.motions
    ]
    work.hold()
    with work.clock("write"):
        how: Any = {"options": options, "diagnostics": own.about(given.output)}
        return write_episodes(episodes, given.output, robot=robot, **how), robot


def _record(
    given: argparse.Namespace, options: EpisodeOptions, work: Work
) -> tuple[tuple[Path, ...], Any]:
    armature = load_robot(given, "recording episodes", work)
    from .blender.episodes import record_episode_steps

    def show(done: Progress) -> None:
        work.show(done)
        work.hold()

    with work.clock("record"):
        how: Any = {"options": options, "diagnostics": work.diagnostics}
        return finish(relay(record_episode_steps(armature, given.output, **how), show)), armature
