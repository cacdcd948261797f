# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots that follow a server of ROS, and are followed."""

from typing import Any

from ..arguments import diagnostics_of, options_of, rig_of
from ..diagnostics import Diagnostics
from ..live.link import LiveLink
from ..live.options import LiveOptions


def connect(
    armature: Any,
    url: str | None = None,
    options: LiveOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> LiveLink:
    """Connects an imported robot to a rosbridge or Foxglove server, and returns at once: the robot
    follows the server's joint states, or with `direction="out"` the server gets what the rig shows.

    In Blender's window a timer polls the link; a script calls `link.poll()` itself. Without an
    address it is $ROSBRIDGE_URL, port 9090 of $ROS_MASTER_URI's host, or ws://localhost:9090. Other
    computers take Blender's permission to go online. A robot has one link: a new one ends that
    before. A link ends with its robot, when another file is opened, and when Blender ends.

    Raises ConnectError for a bad address, without permission, and where another robot sends to
    the same topic; KinematicsError for names that are no joints, BuildError for an object that is
    not an imported robot.
    """
    from ..blender.animation import live

    armature = rig_of(armature)
    diagnostics = diagnostics_of(diagnostics, url or "")
    return live.connect(armature, url, options_of(options, LiveOptions), diagnostics)
