# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of five real robots with materials and textures, against ones that were looked at.

Small and of few samples, so compared in blocks of 8 by 8: noise averages out, a lost texture,
colour or part does not. Running this file makes them anew; look at them
before they are kept.
"""

import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[4]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.blender.rigs import new_scene  # noqa: E402
from support.real_robots import ROOT as ROBOTS  # noqa: E402
from urdf_importer import import_robot, render_preview  # noqa: E402

GOLDEN = ROOT / "tests" / "golden" / "renders"
PICTURES = {
    "anymal_b": "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_b_kinova": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "anymal_c": "anymal_c_simple_description/urdf/anymal.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "laikago": "laikago_description/urdf/laikago.urdf",
}
BLOCK = 8
MOST_OFF, MOST_OFF_ON_AVERAGE = 0.12, 0.012


def render(name: str, path: Path) -> None:
    new_scene()
    result = import_robot(ROBOTS / PICTURES[name], options=None)
    render_preview(result.armature, path, width=160, height=120, samples=16)


def read_blocks(path: Path) -> np.ndarray:
    """(15, 20, 3) mean colours of blocks, 0 to 1."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    pixels = np.empty(4 * width * height, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    shape = (height // BLOCK, BLOCK, width // BLOCK, BLOCK, 4)
    return pixels.reshape(shape).mean(axis=(1, 3))[..., :3]


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_robot_looks_as_it_should(name, tmp_path):
    render(name, tmp_path / "made.png")
    off = np.abs(read_blocks(tmp_path / "made.png") - read_blocks(GOLDEN / f"{name}.png"))
    assert off.max() < MOST_OFF
    assert off.mean() < MOST_OFF_ON_AVERAGE


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for picture in PICTURES:
        render(picture, GOLDEN / f"{picture}.png")
