# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture that compressions and depths treat differently in its parts."""

import numpy as np

from urdf_importer.core.images import Pixels


def picture(width: int = 37, height: int = 23) -> Pixels:
    """Gradients, a flat patch (for run lengths) and noise; RGBA."""
    y, x = np.mgrid[:height, :width]
    red, green = x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1)
    blue = np.random.default_rng(3).integers(0, 256, (height, width))
    blue[height // 2 :] = 40
    alpha = np.where(x > width // 2, 255, 100)
    return np.stack([red, green, blue, alpha], axis=2).astype(np.uint8)
