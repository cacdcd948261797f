# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of imports and exports that formats and features do, where options ask for them."""

from collections.abc import Generator

from ..diagnostics import Diagnostics
from ..files.packages import AnyPath
from ..meshes import RobotFiles
from ..model import Robot, Semantics
from ..options import FileOptions, ImportOptions
from ..progress import Progress
from ..shelves import find_hook, has_hook


def fit_robot(
    robot: Robot,
    files: RobotFiles,
    options: ImportOptions | FileOptions,
    diagnostics: Diagnostics,
) -> Generator[Progress, None, Robot]:
    """Returns, in steps, the robot with the collision shapes that the options of an import or
    export want. Raises RobotError where they want some and no feature fits them."""
    if getattr(options, "fit_collisions", "never") == "never":
        return robot
    fit = find_hook("fit_robot", "the option fit_collisions")
    fitted: Robot = yield from fit(robot, files, options, diagnostics)
    return fitted


def read_semantics(
    path: AnyPath, robot: Robot, options: ImportOptions, diagnostics: Diagnostics
) -> Semantics | None:
    """Reads the SRDF that the options ask for; where they ask for none, the semantics in the
    description itself, as MuJoCo's have them, or None. Raises ReadError, also where a requested
    file is missing, and RobotError where one is requested and nothing reads SRDF."""
    if not options.srdf and not has_hook("read_semantics"):
        return None
    read = find_hook("read_semantics", "the option srdf")
    semantics: Semantics | None = read(path, robot, options, diagnostics)
    return semantics
