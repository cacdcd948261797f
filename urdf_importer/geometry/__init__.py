# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays and what is worked out from them: frames, meshes, hulls, volumes."""
