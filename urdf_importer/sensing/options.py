# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of measurements."""

from dataclasses import dataclass
from typing import ClassVar

from ..options import Options, option


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseOptions(Options):
    """How sensors measure. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Sight", "Flaws")

    own_robot: bool = option(
        True, "Own Robot", "Sensors see the parts of their own robot", group="Sight"
    )
    samples: int = option(
        16,
        "Samples",
        "Samples of each pixel of a picture of colours",
        group="Sight",
        bounds=(1, 4096),
    )
    labels: bool = option(
        False,
        "Labels",
        "Cameras of any kind also measure depths, and which link is in each pixel",
        group="Sight",
    )
    distort: bool = option(
        False, "Distort", "Pictures are distorted by the described lenses", group="Flaws"
    )
    noise: bool = option(
        False, "Noise", "Distances and depths get the described noise, by the seed", group="Flaws"
    )
    seed: int = option(0, "Seed", "The seed of the noise", group="Flaws", bounds=(0, 2_147_483_647))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions(SenseOptions):
    """The recording of a robot's sensors: which of them, and when. Every field has a sensible
    default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Recording", "Sight", "Flaws")

    sensors: tuple[str, ...] = option(
        (),
        "Sensors",
        "The names of the sensors that are recorded; all without any",
        group="Recording",
    )
    start_frame: float | None = option(
        None, "Start Frame", "The first frame; else the first of the motion", group="Recording"
    )
    end_frame: float | None = option(
        None, "End Frame", "The last frame; else the last of the motion", group="Recording"
    )
    rate: float | None = option(
        None,
        "Rate",
        "Messages a second of each topic, never more than the sensor's own; else the sensor's own, "
        "and one for each frame where it has none",
        group="Recording",
        bounds=(0.001, 100_000.0),
    )
    compressed: bool = option(
        False, "Compressed", "Pictures of colours are CompressedImages, as PNG", group="Recording"
    )
