# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links of a robot touch each other, at which positions."""
