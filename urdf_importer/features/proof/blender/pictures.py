# SPDX-License-Identifier: GPL-3.0-or-later
"""Two pictures for the page of a proof: the robot, and the robot in its file."""

import tempfile
from pathlib import Path
from typing import Any

from ....core.blender.standing.pose import get_joint_positions, set_joint_positions
from ....core.model import Robot
from ....core.options import FileOptions
from ....core.pipeline.extracting import extract_robot
from ....core.pipeline.importing import import_robot
from ....core.shelves import find_hook
from ....formats.engines.blender.stage import working_apart
from ..readers import find_file

SIZE = {"width": 320, "height": 240, "samples": 8}


def picture_both(given: Robot | Any, path: Path, options: FileOptions) -> tuple[bytes, ...]:
    """Returns a PNG of a robot, in its pose, and one of the robot in its file in the same pose; the
    scene stays unchanged. Raises RobotError where one of them cannot be imported."""
    robot = given if isinstance(given, Robot) else extract_robot(given)
    file, reading = find_file(path, robot.source, options)
    first = () if given is robot else (_take(given),)
    with working_apart():
        shown: Any = given if first else import_robot(robot, options=reading).armature
        first = first or (_take(shown),)
        read = import_robot(file, options=reading).armature
        read.matrix_world = shown.matrix_world
        there = get_joint_positions(read)
        wanted = get_joint_positions(shown).items()
        set_joint_positions(
            read, {name: at for name, at in wanted if type(there.get(name)) is type(at)}
        )
        return (*first, _take(read))


def _take(armature: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "robot.png")
        find_hook("render_preview", "a picture")(armature, place, **SIZE)
        return place.read_bytes()
