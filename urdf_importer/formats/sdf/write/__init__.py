# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> SDF, the format of Gazebo, Drake and other simulators."""
