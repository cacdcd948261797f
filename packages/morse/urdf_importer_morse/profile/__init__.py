# SPDX-License-Identifier: GPL-3.0-or-later
"""The capabilities of MORSE's Armature actuator."""
