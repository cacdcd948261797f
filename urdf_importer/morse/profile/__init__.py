# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Armature actuator of MORSE can drive."""
