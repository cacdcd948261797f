# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays and the geometry computed from them: frames, meshes, hulls, volumes."""
