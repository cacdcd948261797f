# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot that stands in a scene: what it is, how it is posed, what is shown of it."""
