# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of measurements."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ...core.options import Options, option

_sight, _flaw, _recording = (
    partial(option, group=name) for name in ("Sight", "Flaws", "Recording")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseOptions(Options):
    """How sensors measure. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Sight", "Flaws")

    own_robot: bool = _sight(True, "See Own Robot", "Let sensors see the parts of their own robot")
    samples: int = _sight(
        16, "Samples", "Render samples of each pixel of a colour picture", bounds=(1, 4096)
    )
    labels: bool = _sight(
        False, "Labels", "Cameras of any kind also measure depths, and which link is in each pixel"
    )
    distort: bool = _flaw(False, "Distort", "Distort pictures as the described lenses do")
    noise: bool = _flaw(
        False, "Noise", "Add the described noise to distances and depths, by the seed"
    )
    seed: int = _flaw(0, "Seed", "The seed of the noise", bounds=(0, 2_147_483_647))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions(SenseOptions):
    """The recording of a robot's sensors: which of them, and when. Every field has a sensible
    default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Recording", "Sight", "Flaws")

    sensors: tuple[str, ...] = _recording(
        (), "Sensors", "The names of the sensors to record; empty for all"
    )
    start_frame: float | None = _recording(
        None, "Start Frame", "The first frame; else the first of the motion"
    )
    end_frame: float | None = _recording(
        None, "End Frame", "The last frame; else the last of the motion"
    )
    rate: float | None = _recording(
        None,
        "Rate",
        "Measurements a second of each sensor, never more than its own rate; else its own, and one "
        "for each frame where it has none",
        bounds=(0.001, 100_000.0),
    )
    motion_rate: float | None = _recording(
        None,
        "Motion Rate",
        "Messages a second of the motion: /joint_states, /tf and /odom; else one for each frame",
        bounds=(0.001, 100_000.0),
    )
    compressed: bool = _recording(
        False, "Compressed", "Write colour pictures as CompressedImage messages, in PNG"
    )
