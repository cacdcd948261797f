# SPDX-License-Identifier: GPL-3.0-or-later
"""What blurs a measurement: Gaussian noise in its units."""

from dataclasses import dataclass

from ..markup.elements import Element


@dataclass(frozen=True, slots=True)
class Noise:
    """`deviation` is never negative."""

    deviation: float = 0.0
    mean: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.deviation or self.mean)


def read_noise(noise: Element | None) -> Noise:
    """What stands in a <noise>, if there is one."""
    if noise is None:
        return Noise()
    return Noise(abs(noise.number("stddev") or 0.0), noise.number("mean") or 0.0)


def has_noise(element: Element) -> bool:
    """Whether any noise within is not zero."""
    words = ("stddev", "bias_mean", "bias_stddev", "mean")
    return any(e.tag in words and e.text.strip("0. ") for e in element.walk())
