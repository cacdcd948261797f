# SPDX-License-Identifier: GPL-3.0-or-later
"""Reshape as a list of wishes: strip, prune, attach, rename, reroot, resize, scale, axes, merge."""

from dataclasses import dataclass, fields
from typing import get_args

from ..arguments import diagnostics_of, options_of, pairs_of, robot_of, texts_of
from ..diagnostics import Diagnostics
from ..model import Robot
from ..options import ImportOptions
from ..reshape import attach, convert_axes, merge_fixed, prune, rename, reroot, resize, strip
from ..reshape.measures_file import Measures, read_measures
from .importing import read_robot


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshaping:
    """The changes wished for a robot, in the order of the work, whatever the order of the words.

    strip        tags and parts to leave out
    prune        links, or joints, that go with all below
    keep         links that stay, with the ways to them; nothing: all
    attach       (file, link): robots to put on links
    rename       (old, new) of links and joints
    prefix       goes before all names
    reroot       the link that becomes the root; empty: none
    resize       a table of measures; empty: none
    scale        a factor of everything
    symmetric    the other side follows the table
    axes         the new axes, such as zxy; empty: unchanged
    merge_fixed  links on fixed joints become parts of others
    keep_frames  but these
    """

    strip: tuple[str, ...] = ()
    prune: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    attach: tuple[tuple[str, str], ...] = ()
    rename: tuple[tuple[str, str], ...] = ()
    prefix: str = ""
    reroot: str = ""
    resize: str = ""
    scale: float = 1.0
    symmetric: bool = False
    axes: str = ""
    merge_fixed: bool = False
    keep_frames: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            if isinstance(each.default, tuple):
                read = pairs_of if get_args(get_args(each.type)[0]) else texts_of
                object.__setattr__(self, each.name, read(getattr(self, each.name), each.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reshaped:
    """A reshaped robot. `names`: old -> new name of its links and joints, for adapt_srdf."""

    robot: Robot
    names: dict[str, str]


def reshape_robot(
    robot: Robot,
    wishes: Reshaping,
    *,
    options: ImportOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Reshaped:
    """Returns the robot with the changes; `options` are for reading the robots to attach.

    Raises KinematicsError for impossible changes, ReadError for files that cannot be read; nothing
    is written.
    """
    robot, wishes = robot_of(robot), options_of(wishes, Reshaping)
    options = options_of(options, ImportOptions)
    diagnostics = diagnostics_of(diagnostics, robot.source)
    if wishes.strip:
        robot = strip(robot, wishes.strip)
    if wishes.prune or wishes.keep:
        keep = wishes.keep or None
        robot = prune(robot, keep=keep, remove=wishes.prune, diagnostics=diagnostics)
    for file, link in wishes.attach:
        robot = attach(robot, read_robot(file, options=options, diagnostics=diagnostics), link)
    names = _new_names(robot, wishes)
    robot = rename(robot, dict(wishes.rename), prefix=wishes.prefix)
    if wishes.reroot:
        robot = reroot(robot, wishes.reroot)
    robot = _resize(robot, wishes, diagnostics)
    if wishes.axes:
        robot = convert_axes(robot, wishes.axes)
    if wishes.merge_fixed:
        robot = merge_fixed(robot, keep=wishes.keep_frames, diagnostics=diagnostics)
    return Reshaped(robot=robot, names=names)


def _new_names(robot: Robot, wishes: Reshaping) -> dict[str, str]:
    given = dict(wishes.rename)
    names = [link.name for link in robot.links] + [joint.name for joint in robot.joints]
    return {name: wishes.prefix + given.get(name, name) for name in names}


def _resize(robot: Robot, wishes: Reshaping, diagnostics: Diagnostics) -> Robot:
    table = read_measures(wishes.resize) if wishes.resize else Measures()
    robot = resize(
        robot,
        origins=table.origins,
        lengths=table.lengths,
        factors=table.factors,
        scale=table.scale,
        symmetric=table.symmetric or wishes.symmetric,
        diagnostics=diagnostics,
    )
    return resize(robot, scale=wishes.scale, diagnostics=diagnostics)
