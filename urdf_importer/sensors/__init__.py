# SPDX-License-Identifier: GPL-3.0-or-later
"""What a description says of sensors, as numbers that belong to no simulator."""
