# SPDX-License-Identifier: GPL-3.0-or-later
"""XML of either generation -> Mechanism: bodies, frames and joints as a graph."""
