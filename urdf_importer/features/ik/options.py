# SPDX-License-Identifier: GPL-3.0-or-later
"""How questions of inverse kinematics are meant, and how long an answer may take."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from ...core.arguments import choice_of, number_of, numbers_of, switch_of, texts_of
from ...core.kinematics.conventions import Convention
from ...core.kinematics.forward import Refuse

Mode = Literal["absolute", "relative", "default"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effort:
    """How long an answer may take.

    seconds   of the work, on the average of each target; None for 0.25, in find_solutions 1
    restarts  how many random crowds are tried after the start: with 0 the answer is the nearest
              place where the error is least
    seed      of the random draws: the same question has the same answer, unless time runs out

    Raises ArgumentError for values of wrong kinds.
    """

    seconds: float | None = None
    restarts: int = 24
    seed: int = 0

    def __post_init__(self) -> None:
        if self.seconds is not None:
            number_of(self.seconds, "seconds", least=0.0)
        number_of(self.restarts, "restarts", whole=True)
        number_of(self.seed, "seed", least=0, whole=True)

    def seconds_or(self, usual: float) -> float:
        """Returns the seconds, or as many as are usual where None are stated."""
        return usual if self.seconds is None else self.seconds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IKOptions(Effort):
    """Which parts of a target count for inverse_kinematics, inverse_kinematics_many and
    find_solutions, and the joints that may move; beside these seconds, restarts and seed, which
    bound the search.

    position     whether the target's place counts
    orientation  whether the turn of a frame as target counts; a point frees the turn
    tip          the frame (4, 4) or point (3,) of the link that moves to the target
    tolerance    in m and rad
    base         the link in whose frame the target is; None is the root
    joints       the only ones to move; None are all of one number, others only where named
    refuse       why positions of joints are not an answer, such as avoid_collisions returns it:
                 other ways to the target are tried then, unless `restarts` is 0
    """

    position: bool = True
    orientation: bool = True
    tip: ArrayLike | None = None
    tolerance: tuple[float, float] = (1e-6, 1e-6)
    base: str | None = None
    joints: Collection[str] | None = None
    refuse: Refuse | None = None

    def __post_init__(self) -> None:
        Effort.__post_init__(self)
        switch_of(self.position, "position")
        switch_of(self.orientation, "orientation")
        numbers_of(self.tolerance, "tolerance", 2)
        if self.joints is not None:
            object.__setattr__(self, "joints", texts_of(self.joints, "joints"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RigIKOptions(Effort):
    """How solve_ik and bake_path understand a target; beside these seconds, restarts and seed,
    which bound the search.

    mode         "absolute": the place of the link; "relative": how far from where the rig shows
                 it; "default": how far from where it is in the default pose, with the joints of the
                 group at zero, or in the middle where limits (tightened by soft limits) leave zero
                 out, or as `state` says; all others as shown. Relative frames turn the link too
    in_frame     whose axes, and for absolute targets whose origin, the numbers are in: "armature",
                 "world", or a link's name
    orientation  None: a frame as target turns the link, a point frees its turn; "keep": a point
                 leaves the link turned as it is, or as it is in the default pose; "free"; or a
                 quaternion (x, y, z, w) in the frame's axes
    group        a group of the SRDF, or names of joints: the only ones to move; passive ones stay
    state        of the SRDF, for mode "default"
    convention   how the numbers are written; None is the robot's own way
    refuse       as in IKOptions
    """

    mode: Mode = "absolute"
    in_frame: str = "armature"
    orientation: Any = None
    group: str | Collection[str] | None = None
    state: str = ""
    convention: Convention | None = None
    refuse: Refuse | None = None

    def __post_init__(self) -> None:
        Effort.__post_init__(self)
        choice_of(self.mode, "mode", MODES)
        if isinstance(self.orientation, str):
            choice_of(self.orientation, "orientation", ("keep", "free"))
        if self.group is not None and not isinstance(self.group, str):
            object.__setattr__(self, "group", texts_of(self.group, "group"))
