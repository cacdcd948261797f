# SPDX-License-Identifier: GPL-3.0-or-later
"""What every simulator has to know of a robot's sensors: on which link, and in what frame."""
