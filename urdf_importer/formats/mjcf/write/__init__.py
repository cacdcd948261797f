# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> MJCF, the format of the simulator MuJoCo."""
