# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot -> URDF: everything that the readers read, written so that it reads the same again."""
