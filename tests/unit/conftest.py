# SPDX-License-Identifier: GPL-3.0-or-later
"""Small robots said in a few words."""

from support.small_robots import chain as chain
from support.small_robots import check as check
from support.small_robots import edges as edges
from support.small_robots import faces as faces
from support.small_robots import make_joint as make_joint
from support.small_robots import make_robot as make_robot
from support.small_robots import plan_clean as plan_clean
from support.small_robots import volume as volume
