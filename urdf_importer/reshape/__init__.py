# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot to Robot: how two differ."""
