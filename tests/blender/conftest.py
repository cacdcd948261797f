# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for tests."""

from support.blender.fixtures import export as export
from support.blender.fixtures import extension as extension
from support.blender.fixtures import no_watch as no_watch
from support.blender.fixtures import scene as scene
from support.blender.fixtures import three_stay_open as three_stay_open
