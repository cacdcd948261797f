# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the check, in one table."""

from .bodies import BODIES
from .joints import JOINTS
from .rule import Fault as Fault
from .rule import Rule as Rule
from .shapes import SHAPES
from .targets import TARGET_RULES
from .units import UNITS

RULES = (*UNITS, *BODIES, *SHAPES, *JOINTS, *TARGET_RULES)
CODES = tuple(dict.fromkeys(each.code for each in RULES))
