# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts in Blender's programs, as MORSE ran them: blender --python SCRIPT."""

import os
import subprocess
from pathlib import Path

import pytest

from support.paths import MORSE, ROOT

PROGRAMS = Path(os.environ.get("BLENDER_PROGRAMS", "/var/cache/urdf-blender")) / "bin"

SCRIPT = f"""
import sys
sys.path[:0] = {[str(ROOT), str(MORSE)]!r}
from urdf_importer_morse import compat
compat.install()
from morse.builder import *
robot = ATRV()
camera = VideoCamera()
robot.append(camera)
camera.add_stream("socket")
env = Environment("empty", fastmode=True)
"""
# A function holds on to the variables of the script it is in, until Python looks for such rings.
RING = "\ndef f():\n    return env\n"
SAVE = "import bpy; bpy.ops.wm.save_as_mainfile(filepath='saved.blend')"
LOOK = """
import bpy
item = bpy.data.objects.get("Scene_Script_Holder")
kept = item and item.get("morse_game")
print("HOLDER", bool(kept), "component_config.py" in bpy.data.texts, len(bpy.data.scenes))
"""
WATCH = """
env.create()
import bpy
def look():
    window = bpy.context.window_manager.windows[0]
    for area in window.screen.areas:
        if area.type == "VIEW_3D":
            space = area.spaces.active
            print("VIEW", space.shading.type, space.clip_end, space.region_3d.view_perspective)
    print("SCENE", window.scene.name, window.view_layer.objects.active.name, flush=True)
    bpy.ops.wm.quit_blender()
bpy.app.timers.register(look, first_interval=1.0)
"""


@pytest.fixture(params=["5", "4"])
def number(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    if not (PROGRAMS / f"blender-{found}").exists():
        pytest.skip(f"needs Blender's program: tools/get-blender {PROGRAMS.parent} {found}")
    return found


def start(program: str, folder: Path, root: Path, *words: str) -> str:
    done = subprocess.run(
        [str(PROGRAMS / program), *words],
        cwd=folder,
        # Blender takes the working folder from PWD.
        env={
            **os.environ,
            "BLENDER_USER_RESOURCES": str(folder),
            "MORSE_ROOT": str(root),
            "PWD": str(folder),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0 and "Error" not in done.stdout, done.stdout
    return done.stdout


@pytest.mark.parametrize("ending", ["", RING], ids=["plain", "with a function"])
def test_a_script_and_then_save(tmp_path: Path, morse_root: Path, number: str, ending: str) -> None:
    """An environment that the script does not create itself is in the file all the same."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + ending)
    background = ("-b", "--factory-startup")
    words = (*background, "--python", str(script), "--python-expr", SAVE)
    start(f"blender-{number}", tmp_path, morse_root, *words)
    opened = ("-b", "--factory-startup", "saved.blend", "--python-expr", LOOK)
    said = start(f"blender-{number}", tmp_path, morse_root, *opened)
    # Its own scene, and that of the camera; the start file's is its own.
    assert "HOLDER True True 2" in said


def test_windows_show_what_the_script_asks_for(
    tmp_path: Path, morse_root: Path, number: str
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + WATCH)
    words = ("blender", "--factory-startup", "--python", str(script))
    said = start(f"xvfb-{number}", tmp_path, morse_root, *words)
    assert "VIEW WIREFRAME 1000.0 CAMERA" in said
    assert "SCENE S.MORSE_LOGIC __morse_dt_analyser" in said
