# SPDX-License-Identifier: GPL-3.0-or-later
"""The geometry of sensors as arrays: pictures, rays, measurements. Knows neither files nor
Blender."""
