# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: one module for each task, from its beginning to its end."""
