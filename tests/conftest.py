# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share."""

from support.session import mistakes_in_planning_loops_show as mistakes_in_planning_loops_show
from support.thinning import pytest_collection_modifyitems as pytest_collection_modifyitems
