# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error of the child."""


class RefusedError(Exception):
    """The stage is not read, and this sentence says why."""
