# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> Robot, one step of making each: links, joints, limbs, sensors, control, devices."""
