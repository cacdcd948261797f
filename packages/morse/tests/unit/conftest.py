# SPDX-License-Identifier: GPL-3.0-or-later
"""Small robots said in a few words."""

from support.small_robots import chain as chain
from support.small_robots import make_joint as make_joint
from support.small_robots import make_robot as make_robot
