# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> Robot: pure functions that change a robot, and the comparison of two.

    small = resize(prune(big, remove=["head"]), scale=0.5)

None of them changes the robot that it is given; all refuse unknown names before anything, and
return an equal robot where there is nothing to do. References to a link or joint follow it.
"""

from .attach import attach
from .axes import convert_axes
from .making.control import add_control
from .making.devices import add_device
from .making.joints import set_joint
from .making.links import add_link
from .making.mirror import mirror_limb
from .making.missing import list_missing
from .making.sensors import add_sensor
from .measures import measure, measure_csv
from .measures_file import read_measures, read_measures_text
from .merge import merge_fixed
from .mount import MountedAxis, mount, unmount
from .prune import prune
from .rename import rename
from .reroot import reroot
from .resize import resize
from .seat import seat_links
from .semantics import adapt_srdf
from .strip import strip
from .zero import move_zero

__all__ = [
    "MountedAxis",
    "adapt_srdf",
    "add_control",
    "add_device",
    "add_link",
    "add_sensor",
    "attach",
    "convert_axes",
    "list_missing",
    "measure",
    "measure_csv",
    "merge_fixed",
    "mirror_limb",
    "mount",
    "move_zero",
    "prune",
    "read_measures",
    "read_measures_text",
    "rename",
    "reroot",
    "resize",
    "seat_links",
    "set_joint",
    "strip",
    "unmount",
]
