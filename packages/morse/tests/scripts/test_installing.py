# SPDX-License-Identifier: GPL-3.0-or-later
"""Where MORSE is found, and that neither finding nor the compat layer leaves anything behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from morse_support.builder_runs import ROOT, run_script

LOOK = """
import bpy

TYPES = ("Object", "Scene", "World", "Light", "Material", "bpy_struct", "ID", "Text", "Sound")

def look(builder=None):
    seen = {name: sorted(vars(getattr(bpy.types, name))) for name in TYPES}
    seen["listed"] = {name: dir(getattr(bpy.types, name)) for name in TYPES}
    for name in ("load_pre", "load_post", "save_pre"):
        seen[name] = len(getattr(bpy.app.handlers, name))
    if builder is not None:
        for module in (builder.bpymorse, builder.abstractcomponent):
            seen[module.__name__] = {k: id(v) for k, v in vars(module).items()}
        for kind in (builder.AbstractComponent, builder.Environment, builder.BarePR2):
            seen[kind.__name__] = {k: id(v) for k, v in vars(kind).items()}
    return seen
"""


def test_uninstalling_leaves_everything_as_it_was(tmp_path: Path, morse_root: Path) -> None:
    text = f"""{LOOK}
from urdf_importer_morse import compat
from urdf_importer_morse.locate import find_morse
before = look(builder := find_morse())
compat.install()
during = look(builder)
assert compat.install() is builder
again = look(builder)
compat.uninstall()
compat.uninstall()
after = look(builder)
compat.install()
robot = builder.FakeRobot()
robot.properties(value=1)
compat.uninstall()
last = look(builder)
report = dict(
    changed=[k for k in before if before[k] != during[k]],
    twice=during == again,
    left=[k for k in before if before[k] != after[k]],
    left_last=[k for k in before if before[k] != last[k]],
    kept="morse_game" in robot._bpy_object,
    gone=not hasattr(robot._bpy_object, "game"),
)
"""
    report = run_script(tmp_path, text, morse_root=morse_root).report
    assert {"Object", "Material", "Environment", "save_pre"} <= set(report["changed"])
    assert report["left"] == [] and report["left_last"] == []
    assert report["twice"] and report["kept"] and report["gone"]


def test_what_blender_has_is_left_alone(tmp_path: Path, morse_root: Path) -> None:
    """As in a Blender that has the game engine: its own Object.game and operators are used."""
    text = """
import bpy
from urdf_importer_morse import compat

class Engine:
    properties = sensors = controllers = actuators = ()

class OBJECT_OT_game_property_new(bpy.types.Operator):
    bl_idname = "object.game_property_new"
    bl_label = "New"

own = property(lambda item: Engine)
bpy.types.Object.game = own
bpy.types.Light.distance = bpy.props.FloatProperty(default=3.0)
bpy.utils.register_class(OBJECT_OT_game_property_new)
builder = compat.install()
functions = builder.bpymorse
report = {
    "game": vars(bpy.types.Object)["game"] is own,
    "light": bpy.data.lights.new("l", "SPOT").distance,
    "operators": [type(functions.new_game_property).__name__, type(functions.add_sensor).__name__],
    "hide": hasattr(bpy.types.Object, "hide"),
}
compat.uninstall()
report["still"] = vars(bpy.types.Object)["game"] is own
"""
    report = run_script(tmp_path, text, morse_root=morse_root).report
    assert report["game"] and report["still"] and report["hide"]
    assert report["light"] == 3.0
    assert set(report["operators"]) != {"function"}


def test_finding_changes_nothing_of_the_process(tmp_path: Path, morse_root: Path) -> None:
    text = """
import sys, os, warnings
from urdf_importer_morse.locate import find_morse
before = (sys.executable, list(sys.path), sys.excepthook, list(warnings.filters))
builder = find_morse()
after = (sys.executable, list(sys.path), sys.excepthook, list(warnings.filters))
import morse.core.mathutils, mathutils
try:
    import pymorse
except ImportError:
    leaked = False
else:
    leaked = True
report = {
    "same": [a == b for a, b in zip(before, after)],
    "vectors": morse.core.mathutils.Vector is mathutils.Vector,
    "leaked": leaked,
    "again": find_morse() is builder and find_morse(ROOT) is builder,
}
""".replace("ROOT", repr(str(morse_root)))
    scene = run_script(tmp_path, text, morse_root=morse_root)
    assert scene.report == {
        "same": [True] * 4,
        "vectors": True,
        "leaked": False,
        "again": True,
    }
    assert "WARNING" not in scene.stdout and "Warning" not in scene.stderr


def test_a_root_is_given_or_python_finds_morse(tmp_path: Path, morse_root: Path) -> None:
    """Without MORSE_ROOT; it is set then, since MORSE looks there for its data."""
    path = next(morse_root.glob("lib/python3*/dist-packages"))
    given = f"find_morse({str(morse_root)!r})"
    found = f"__import__('sys').path.append({str(path)!r})\nfind_morse()"
    for how in (given, found):
        text = f"""
import os
from urdf_importer_morse.locate import find_morse
{how}
from morse.builder import data
report = {{"root": os.environ["MORSE_ROOT"], "data": data.MORSE_COMPONENTS}}
"""
        report = run_script(tmp_path, text, morse_root=None).report
        assert report["root"] == str(morse_root)
        assert report["data"] == str(morse_root / "share/morse/data")


def test_a_script_may_import_morse_first(tmp_path: Path, morse_root: Path) -> None:
    """MORSE then thinks that it runs outside of Blender, and would end it at the next mistake."""
    path = next(morse_root.glob("lib/python3*/dist-packages"))
    text = f"""
import sys, warnings
warnings.simplefilter("ignore")
sys.path.append({str(path)!r})
from morse.builder import *
hooked = sys.excepthook is not sys.__excepthook__
import os
os.environ["MORSE_ROOT"] = {str(morse_root)!r}
from urdf_importer_morse import compat
compat.install()
robot = ATRV()
env = Environment("empty")
env.create()
from morse.core import mathutils
report = {{
    "hooked": hooked,
    "hook": sys.excepthook is sys.__excepthook__,
    "vector": list(mathutils.Vector((1, 2, 3))),
}}
"""
    scene = run_script(tmp_path, text, morse_root=None)
    assert scene.report == {"hooked": True, "hook": True, "vector": [1.0, 2.0, 3.0]}
    assert scene.objects["robot"].properties["classpath"] == "morse.robots.atrv.ATRV"


def test_another_root_than_the_loaded_one_is_refused(tmp_path: Path, morse_root: Path) -> None:
    other = tmp_path / "other"
    (other / "lib/python3/dist-packages/morse/builder").mkdir(parents=True)
    (other / "lib/python3/dist-packages/morse/builder/bpymorse.py").touch()
    text = f"""
from urdf_importer import RobotError
from urdf_importer_morse.locate import find_morse
find_morse()
try:
    find_morse({str(other)!r})
except RobotError as error:
    report = {{"said": str(error)}}
"""
    said = run_script(tmp_path / "run", text, morse_root=morse_root).report["said"]
    assert "loaded" in said and "\n" not in said


def test_a_broken_morse_leaves_no_half_of_it(tmp_path: Path, morse_root: Path) -> None:
    package = next(morse_root.glob("lib/python3*/dist-packages")) / "morse"
    copied = tmp_path / "broken/lib/python3/dist-packages/morse"
    shutil.copytree(package, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "builder/sensors.py").write_text("raise ValueError('broken')")
    text = """
import sys
from urdf_importer_morse.locate import find_morse
hook = sys.excepthook
try:
    find_morse()
except ValueError:
    report = {
        "modules": [n for n in sys.modules if n.partition(".")[0] == "morse"],
        "hook": sys.excepthook is hook,
        "name": sys.executable.endswith("blender"),
    }
"""
    report = run_script(tmp_path / "run", text, morse_root=tmp_path / "broken").report
    assert report == {"modules": [], "hook": True, "name": False}


@pytest.mark.parametrize("how", ["argument", "variable", "nothing", "another package"])
def test_no_morse_is_one_clear_sentence(tmp_path: Path, how: str) -> None:
    """Also where there is another package of the name, which is not imported."""
    if how == "another package":
        (tmp_path / "morse").mkdir()
        (tmp_path / "morse/__init__.py").write_text("raise SystemExit('dots and dashes')")
    argument = repr(str(tmp_path)) if how == "argument" else ""
    text = f"from urdf_importer.morse.locate import find_morse\nfind_morse({argument})\n"
    variable = {"MORSE_ROOT": str(tmp_path / "none")} if how == "variable" else {}
    left = {name: value for name, value in os.environ.items() if name != "MORSE_ROOT"}
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**left, **variable, "PYTHONPATH": os.pathsep.join((str(ROOT), str(tmp_path)))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = done.stderr.strip().splitlines()[-1]
    assert said.startswith("urdf_importer.core.diagnostics.BuildError: ")
    assert "MORSE" in said and done.returncode == 1
    if how != "argument":
        return
    assert str(tmp_path) in said
