# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of reading a motion, and of putting it on a rig."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from ...core.options import Options, option

Clock = Literal["stamp", "log"]
KeyKind = Literal["samples", "frames", "reduced"]
BaseKind = Literal["auto", "none", "object"]
OrderKind = Literal["auto", "file", "mujoco", "isaac"]
TimeUnit = Literal["auto", "s", "ms", "us", "ns"]
BASE_CHOICES = {
    "auto": "The planar or floating joint on the root link, else the armature object",
    "none": "Nothing",
    "object": "The armature object",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionOptions(Options):
    """How a recording becomes a motion, and a motion keyframes."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Keys", "Names", "Base", "Reading")

    keys: KeyKind = option(
        "samples",
        "Keys",
        "Where keyframes are placed",
        group="Keys",
        choices={
            "samples": "Where the samples are, between frames too: exactly the recorded lines, and "
            "the splines of commands",
            "frames": "On whole frames, for editing",
            "reduced": "As few as keep within the tolerance",
        },
    )
    tolerance: float = option(
        0.0001,
        "Tolerance",
        "How far reduced keys, and lines in place of quintics, may be off, in radians or metres",
        group="Keys",
        bounds=(1e-9, 1.0),
    )
    start: float = option(
        0.0,
        "Start (s)",
        "Leave out so many seconds at the beginning of the motion",
        group="Keys",
        bounds=(0.0, None),
    )
    end: float = option(
        0.0,
        "End (s, 0 = All)",
        "Leave out everything after this second of the motion; 0 keeps all of it",
        group="Keys",
        bounds=(0.0, None),
    )
    speed: float = option(
        1.0,
        "Speed",
        "The motion plays this many times as fast",
        group="Keys",
        bounds=(0.001, 1000.0),
    )
    start_frame: float | None = option(
        None,
        "Start Frame",
        "The frame of its first sample; else the scene's first",
        group="Keys",
        blank="the scene's first",
    )
    unwrap: bool = option(
        True,
        "Unwrap Turns",
        "Let joints that turn without end go on turning where a recording jumps by a full turn",
        group="Keys",
    )
    clamp: bool = option(
        False, "Clamp", "Key the limit where a position is beyond it", group="Keys"
    )
    set_range: bool = option(
        True, "Widen Frame Range", "Let the scene's range hold the motion", group="Keys"
    )
    action: str = option(
        "", "Action", "Name of the action; the file's name by default", group="Keys", entries="NAME"
    )
    names: tuple[tuple[str, str], ...] = option(
        (),
        "Joint Names",
        "Names in the motion and the joints that they mean, as name:=joint",
        group="Names",
        separator=":=",
    )
    prefix: str = option(
        "", "Prefix", "The prefix of the names in the motion", group="Names", entries="P"
    )
    base: BaseKind = option(
        "auto",
        "Base",
        "The part that moves with the robot's base",
        group="Base",
        choices=BASE_CHOICES,
    )
    fixed_frame: str = option(
        "",
        "Fixed Frame",
        "The frame in which the base moves, such as odom; else the outermost one",
        group="Base",
        entries="FRAME",
    )
    clock: Clock = option(
        "stamp",
        "Clock",
        "The times of a recording that count",
        group="Reading",
        choices={
            "stamp": "Stamps in the messages, where they have some; else the times of recording",
            "log": "When each message was recorded",
        },
    )
    degrees: bool = option(
        False, "Degrees", "The angles are in degrees; travel is in metres", group="Reading"
    )
    units: tuple[tuple[str, str], ...] = option(
        (),
        "Units",
        "The units of joints, as name:=unit, with * for all joints that can have it: rad, deg or "
        "turns; m, cm or mm; percent or signed (0 or -100 to 100 of the limits); counts of servos",
        group="Reading",
        separator=":=",
    )
    servos: str = option(
        "",
        "Servos",
        "A table of servos, or LeRobot's calibration, for the units signed and counts",
        group="Reading",
        entries="FILE",
    )
    order: OrderKind = option(
        "auto",
        "Order",
        "The order of the joints in a file that does not name them",
        group="Reading",
        choices={
            "auto": "Found by the places of bodies, where the file has them; else as its program "
            "writes it",
            "file": "As the description lists them",
            "mujoco": "Depth first, as MuJoCo and mjlab",
            "isaac": "Breadth first, as Isaac Lab",
        },
    )
    time_unit: TimeUnit = option(
        "auto",
        "Time Unit",
        "The unit of a table's column of times",
        group="Reading",
        choices={
            "auto": "As its name or its size says, else seconds",
            "s": "Seconds",
            "ms": "Milliseconds",
            "us": "Microseconds",
            "ns": "Nanoseconds",
        },
    )
    rate: float = option(
        0.0,
        "Rate",
        "Lines per second of a table without a column of times; 0 for a table that has one",
        group="Reading",
        bounds=(0.0, 1e6),
    )
    columns: str = option(
        "",
        "Columns",
        "The names of a table's columns, with commas between them, where it has no heading",
        group="Reading",
        entries="A,B,C",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RetimeOptions(Options):
    """How a motion is given other times within limits."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Retiming",)

    only_slower: bool = option(
        False,
        "Only Slower",
        "Never faster than recorded, so that pauses stay: only too fast parts are slowed down",
        group="Retiming",
    )
    velocity_scale: float = option(
        0.0,
        "Velocity Scale (0 = As Is)",
        "The share of the velocity limits that is used; 0 for the share in the limits' file, "
        "or all",
        group="Retiming",
        bounds=(0.0, 1.0),
    )
    acceleration_scale: float = option(
        0.0,
        "Acceleration Scale (0 = As Is)",
        "The share of the acceleration limits that is used; 0 for the share in the limits' "
        "file, or all",
        group="Retiming",
        bounds=(0.0, 1.0),
    )
    tolerance: float = option(
        0.01,
        "Rounding",
        "How far from the lines between samples the smooth curve through them may be, in radians "
        "or metres; where it would be further off, the motion stops at the sample",
        group="Retiming",
        bounds=(0.0, 10.0),
    )
