# SPDX-License-Identifier: GPL-3.0-or-later
"""How a person's motion is put on a robot, and the result."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Literal

from ...core.diagnostics import ArgumentError
from ...core.options import Options, option
from ..motion.limits import Violation
from ..motion.trajectory import Trajectory

PartKind = Literal["auto", "body", "upper", "arms", "hands"]
FeetKind = Literal["pin", "free"]
RootKind = Literal["auto", "none", "object", "drive"]
SpeedKind = Literal["report", "retime", "hold"]
RetargetKeys = Literal["frames", "reduced"]
_limb, _ground, _limit, _key = (
    partial(option, group=name) for name in ("Limbs", "Ground", "Limits", "Keys")
)
_FAR = 0.0872665
"""Radians, 5 degrees: limbs that are farther off are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetargetOptions(Options):
    """How a person's motion is put on a robot. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Limbs", "Ground", "Limits", "Keys")

    pairs: tuple[tuple[str, str], ...] = _limb(
        (),
        "Pairs",
        "Which limb of the robot follows a limb of the person, as bone:=link or bone:=joint; with "
        "nothing behind :=, no limb does. The rest is found",
        separator=":=",
    )
    parts: PartKind = _limb(
        "auto",
        "Parts",
        "The parts of the robot that move",
        choices={
            "auto": "All limbs that match, their fingers, and the trunk",
            "body": "The same without fingers",
            "upper": "Arms and trunk; legs and base stay",
            "arms": "Arms alone",
            "hands": "Hands at the places of the person's hands, in the robot's size",
        },
    )
    scale: float | None = _limb(
        None,
        "Scale",
        "How large the robot is beside the person; else by the lengths of their legs, or arms",
        bounds=(1e-6, 1e6),
        blank="from the lengths of legs",
    )
    feet: FeetKind = _ground(
        "pin",
        "Feet",
        "How standing feet are treated",
        choices={
            "pin": "Stay in their place, level and on the ground",
            "free": "Move as the legs do",
        },
    )
    ground: float = _ground(0.0, "Ground", "Height of the ground below the robot's feet, in metres")
    base: RootKind = _ground(
        "auto",
        "Base",
        "The part that moves with the person's hips",
        choices={
            "auto": "Of a robot with legs, its planar or floating joint, else its object; a robot "
            "without legs stays",
            "none": "Nothing: the person is seen from their own heading",
            "object": "The armature object, of a robot with legs",
            "drive": "The base drives along the person's way, forward and backward alone",
        },
    )
    velocity: SpeedKind = _limit(
        "report",
        "Speeds",
        "How joints that would be too fast are treated",
        choices={
            "report": "They are reported",
            "retime": "The motion is slowed down where they are",
            "hold": "They move as fast as they can, and miss the person's pose",
        },
    )
    smooth: float = _limit(
        0.1,
        "Smooth (s)",
        "Seconds over which positions are averaged, without lag; 0 averages nothing",
        bounds=(0.0, 10.0),
    )
    frames: tuple[float, float] = _key(
        (0.0, 0.0),
        "Frames (0 0 = All)",
        "The first and the last frame of the person's motion; 0 and 0 for all",
        entries="A B",
    )
    fps: float | None = _key(
        None,
        "Frames per Second",
        "How many frames of the person are a second, where the scene or the file has another rate "
        "than the motion had; keys stay beside the person's",
        bounds=(1e-3, 1e6),
        blank="the scene's, or the file's",
    )
    start_frame: float | None = _key(
        None,
        "Start Frame",
        "The frame of the first key; else where the person's motion starts",
        blank="where the person starts",
    )
    keys: RetargetKeys = _key(
        "frames",
        "Keys",
        "Where keyframes are placed",
        choices={"frames": "On every frame", "reduced": "As few as keep within the tolerance"},
    )
    tolerance: float = _key(
        0.001,
        "Tolerance",
        "How far reduced keys may be off, in radians and metres",
        bounds=(0.0, 1.0),
    )
    action: str = _key("", "Action", "Name of the action; the person's by default", entries="NAME")
    set_range: bool = _key(True, "Widen Frame Range", "Let the scene's range hold the motion")

    def __post_init__(self) -> None:
        # super() needs the class of the cell, which slots replace.
        Options.__post_init__(self)
        if self.frames[0] > self.frames[1]:
            raise ArgumentError(
                f"frames are {self.frames}; they must be the first and the last frame"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A limb of the person and the limb of the robot that follows it: names of bones from the root
    of the limb on, the robot's joints, and its last link."""

    limb: str
    bones: tuple[str, ...]
    joints: tuple[str, ...]
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimbReport:
    """How well a limb follows: the angles between its parts and the person's, in radians, their
    median, the one that 95 of 100 frames keep, and the worst with its frame, from the start frame
    on; and the joints that were at a limit in the worst frames."""

    limb: str
    median: float
    most: float
    worst: float
    frame: float
    limited: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A foot on the ground from one frame to another, both counted."""

    link: str
    first: float
    last: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RetargetResult:
    """A robot's motion made of a person's.

    trajectory  the joints that move, and the base as a frame without names, where it moves
    pairs       which limb follows which
    scale       the robot's size beside the person's, in the person's unit of length
    limbs       how well each follows
    contacts    when feet stand
    slide       the farthest that a standing foot comes from its place, in metres
    limits      where the motion is beyond the robot's limits, as check_trajectory
    unmatched   parts of person and robot that were left alone, each with the reason
    held        joints that would have turned farther from frame to frame than the person's limb,
                each with how far that keeps them from their place
    action      the action on the robot in Blender; None without it
    """

    trajectory: Trajectory
    pairs: tuple[Pair, ...]
    scale: float
    limbs: tuple[LimbReport, ...]
    contacts: tuple[Contact, ...] = ()
    slide: float = 0.0
    limits: tuple[Violation, ...] = ()
    unmatched: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    action: Any = field(default=None, compare=False)

    @property
    def message(self) -> str:
        """One line: how many limbs follow, how well, which are farther off than five degrees with
        their joints at limits, and the faults."""
        worst = max((each.most for each in self.limbs), default=0.0)
        count = len(self.pairs)
        follow = "limb follows" if count == 1 else "limbs follow"
        text = f"{count} {follow}, within {worst * 57.29578:.1f} degrees"
        far = [_describe(each) for each in self.limbs if each.most > _FAR]
        if far:
            text += f"; beyond 5: {', '.join(far)}"
        if self.contacts:
            text += f"; standing feet creep by {self.slide * 1000:.1f} mm"
        if self.limits:
            joints = len({each.joint for each in self.limits})
            text += f"; {joints} {'joint is' if joints == 1 else 'joints are'} beyond a limit"
        return text


def _describe(limb: LimbReport) -> str:
    """Returns the limb, its degrees, and the joints at limits."""
    at = f" (at limits: {' '.join(limb.limited)})" if limb.limited else ""
    return f"{limb.limb} {limb.most * 57.29578:.1f}{at}"
