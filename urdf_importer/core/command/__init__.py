# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of the command urdf-importer. A front end: it knows the public API only."""
