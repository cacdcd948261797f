# SPDX-License-Identifier: GPL-3.0-or-later
"""The self-contained style in the eyes of an unrelated parser: tovrmlx3d, of Debian's view3dscene.

It is looked for at $TOVRMLX3D and on the path; tools/get-vrml-parser fetches it.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.real_robots import descriptions
from support.webots.vrml97 import to_vrml97
from urdf_importer import Diagnostics, WebotsOptions, export_robot, read_robot

PROGRAM = os.environ.get("TOVRMLX3D") or shutil.which("tovrmlx3d") or ""
SAMPLES = ROOT / "sample_urdfs"
LISTS = ("point", "vector", "coordIndex", "normalIndex", "texCoordIndex")
# Webots lets a geometry stand alone in a Group that collides, VRML 97 in a Shape only.
ONLY_IN_WEBOTS = (
    'tovrmlx3d: Warning: X3D: Node "IndexedFaceSet" is not allowed in the field "children" of the '
    'node "Group"'
)

pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="tovrmlx3d is not here; tools/get-vrml-parser FOLDER fetches it"
)


def export(stem: str, folder: Path) -> str:
    sources = (*sorted(SAMPLES.glob("*.urdf")), *descriptions())
    source = next(path for path in sources if path.stem == stem)
    target = folder / "Read.proto"
    options = WebotsOptions(geometry="vrml")
    result = export_robot(read_robot(source), target, options=options, diagnostics=Diagnostics())
    # All meshes are in the text.
    assert {file.suffix for file in result.files} <= {".proto", ".png", ".jpg"}
    return target.read_text("utf-8")


def read(proto: str, folder: Path) -> tuple[str, list[str]]:
    """What the parser writes of what it read, and what it says about it."""
    source = folder / "read.wrl"
    source.write_text(to_vrml97(proto, "Read"), encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, str(source)], capture_output=True, text=True, cwd=folder, timeout=120
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line != ONLY_IN_WEBOTS]
    return done.stdout, said


def numbers(text: str, field: str) -> list[np.ndarray]:
    found = re.findall(rf"\b{field}\s*\[([^\]]*)\]", text)
    return [np.array(re.split(r"[\s,]+", part.strip(" \n\t,")), np.float64) for part in found]


@pytest.mark.parametrize("stem", ["humanoid_arm", "quadruped_leg", "hyq_no_sensors", "a1"])
def test_every_mesh_is_read_as_it_is(stem: str, tmp_path: Path) -> None:
    proto = export(stem, tmp_path)
    assert proto.count("IndexedFaceSet {") > 2
    assert ("texCoordIndex" in proto) == (stem == "a1")
    again, said = read(proto, tmp_path)
    assert said == []
    for field in LISTS:
        written, found = numbers(proto, field), numbers(again, field)
        assert len(written) == len(found)
        for one, other in zip(written, found, strict=True):
            assert one.shape == other.shape
            assert np.abs(one - other).max() <= 1e-6 * max(1.0, np.abs(one).max())


@pytest.mark.parametrize("right, wrong", [
    ("point [", "point"),
    ("baseColor", "baseColour"),
    ("roughness 1\n", "roughness 1 2\n"),
    ("mass ", 'mass "heavy" '),
    ("HingeJoint {", "HingeJoint ["),
    ("coordIndex [", "coordIndex [ 0.5 "),
])  # fmt: skip
def test_the_parser_sees_what_is_wrong(right: str, wrong: str, tmp_path: Path) -> None:
    proto = export("humanoid_arm", tmp_path)
    assert right in proto
    _, said = read(proto.replace(right, wrong, 1), tmp_path)
    assert said != []
