# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in a folder whose files are called like the modules of Python and of its libraries: none of
them is run, in no process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.surfaces import make_l
from support.usd_machines import PHYSICS
from urdf_importer import export_robot, read_robot
from urdf_importer.core.geometry.triangles import Triangles
from urdf_importer.core.meshes.write import write_stl

LIBRARIES = (
    *("bpy", "coacd", "coal", "dask", "idprop", "mathutils", "mujoco", "numpy", "numpy_distutils"),
    *("pxr", "ruamel", "session", "sitecustomize", "usercustomize", "xacro", "yaml", "zstandard"),
)
COACD = """
import array, ctypes, decimal, numpy, optional_part_of_coacd
def set_log_level(level): pass
class Mesh:
    def __init__(self, vertices, faces): self.vertices, self.faces = vertices, faces
def run_coacd(mesh, max_convex_hull, seed): return [(mesh.vertices, mesh.faces)]
"""
"""The interface of the library, which looks for a module that is not installed."""
COACD = COACD.replace(
    "optional_part_of_coacd", "sys\ntry: import optional_part_of_coacd\nexcept ImportError: pass"
)


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """A folder of descriptions; each module in it leaves its name in ../ran."""
    folder = tmp_path / "strange"
    folder.mkdir()
    names = {*sys.stdlib_module_names, *LIBRARIES, "urdf_importer", "optional_part_of_coacd"}
    for name in names - {"__main__"}:
        text = f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + ' ')\n"
        (folder / f"{name}.py").write_text(text)
        if name in ("bpy", "pxr"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(text)
    (folder / "arm.urdf").write_text((ROOT / "sample_urdfs" / "two_link_arm.urdf").read_text())
    export_robot(read_robot(folder / "arm.urdf"), folder / "arm.usda", options=PHYSICS)
    vertices, faces = make_l()
    shape = Triangles(vertices.astype(np.float32), faces.ravel().astype(np.int32))
    (folder / "mesh.stl").write_bytes(write_stl(shape))
    mesh = '<geometry><mesh filename="mesh.stl"/></geometry>'
    (folder / "mesh.urdf").write_text(
        f'<robot name="m"><link name="a"><collision>{mesh}</collision></link></robot>'
    )
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "batch arm.urdf arm.usda -o ../out --to png,urdf,usda --jobs 1 --picture-size 16x16 "
        "--picture-samples 1",
        "dataset arm.urdf -o ../out --count 1 --width 16 --height 16 --samples 1 --jobs 1",
        "check arm.usda",
        "collisions mesh.urdf -o ../out.urdf --shape decomposed --decomposer coacd --no-cache",
    ],
)
def test_no_module_of_the_current_folder_runs(strange: Path, words: str) -> None:
    elsewhere = strange.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "coacd.py").write_text(COACD)
    start = (
        f"import sys; sys.path[1:1] = [{str(ROOT)!r}, {str(elsewhere)!r}]; "
        "from urdf_importer.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", start, *words.split()],
        cwd=strange,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (strange.parent / "ran").exists(), (strange.parent / "ran").read_text()
    assert "coacd-gave-up" not in done.stderr
