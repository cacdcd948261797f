# SPDX-License-Identifier: GPL-3.0-or-later
"""Where joints start, as the options of an export give it."""

from ..diagnostics import KinematicsError, quote
from ..options import StartOptions


def read_positions(options: StartOptions) -> dict[str, tuple[float, ...]]:
    """Reads the numbers of each position, by joint: radians or metres, several for joints of
    several degrees of freedom. Raises KinematicsError for text that is not a number."""
    return {name: _read_position(name, written) for name, written in options.positions}


def _read_position(name: str, written: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in written.split(","))
    except ValueError as error:
        raise KinematicsError(
            f"the position {quote(written)} of joint {quote(name)} is not a number"
        ) from error
