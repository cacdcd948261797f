# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts for MORSE's own builder, unmodified, on today's Blender."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from morse_support.builder_runs import ROOT, Scene, run_script

BEGIN = """\
from urdf_importer_morse import compat
compat.install()
from morse.builder import *
import os
import bpy
from mathutils import Vector
"""

CAMERAS = """
def game_of(scene):
    kept = scene.game_settings
    return [kept.physics_engine, kept.fps, kept.physics_step_sub, kept.material_mode]

# As in Blender's start file: what is added goes into a collection, which scenes may share.
mine = bpy.data.collections.new("Mine")
bpy.context.scene.collection.children.link(mine)
layer = bpy.context.view_layer
layer.active_layer_collection = layer.layer_collection.children["Mine"]

robot = FakeRobot()
wide = VideoCamera()
wide.properties(cam_width=640, cam_height=480)
robot.append(wide)
close = VideoCamera()
close.properties(cam_width=128, cam_height=128)
robot.append(close)
twin = VideoCamera()
twin.properties(cam_width=128, cam_height=128)
robot.append(twin)
fast = Pose()
fast.frequency(120)
robot.append(fast)
camera = close.camera._bpy_object.data
env = Environment("empty")
env.set_horizon_color((0.25, 0.5, 0.75))
env.set_gravity(1.5)
env.select_display_camera(wide)
env.create()
report = {
    "camera": [camera.lens, camera.sensor_width, camera.clip_end],
    "sizes": {s.name: [s.render.resolution_x, s.render.resolution_y] for s in bpy.data.scenes},
    "game": {s.name: game_of(s) for s in bpy.data.scenes},
    "horizon": list(bpy.context.scene.world.color),
    "gravity": list(bpy.context.scene.gravity),
    "seen_through": bpy.context.scene.camera.name,
    "directions": {
        "close": list(close.camera._bpy_object.matrix_world.to_3x3() @ Vector((0, 0, -1))),
    },
}
"""

SAVED = """
from morse.builder.abstractcomponent import timer
report = {}
robot = ATRV("atrv")
robot.set_mass(12.5)
robot.set_friction(0.25)
tyres = [slot.material.name for slot in robot._bpy_object.material_slots]
scan = Hokuyo()
robot.append(scan)
scan.add_stream("socket")
env = Environment("empty", fastmode=True)
env.properties(longitude=43.5, when=timer(2.5))
env.create()
env.save(os.path.abspath("saved.blend"))
bpy.ops.wm.open_mainfile(filepath=os.path.abspath("saved.blend"))
report["components"] = [each.name for each in AbstractComponent.components]
report["mass"] = bpy.data.objects["atrv"].game.mass
report["physics"] = bpy.data.objects["atrv"].game.physics_type
report["mode"] = bpy.context.scene.game_settings.material_mode
report["friction"] = sorted({bpy.data.materials[name].physics.friction for name in tyres})
"""


def run(folder: Path, text: str, root: Path, **environment: str) -> Scene:
    return run_script(folder, BEGIN + text, morse_root=root, environment=environment)


def test_every_size_of_camera_has_a_scene_of_its_own(tmp_path: Path, morse_root: Path) -> None:
    scene = run(tmp_path, CAMERAS, morse_root)
    report = scene.report
    assert scene.active_scene == "S.MORSE_LOGIC"
    assert report["sizes"] == {
        "S.MORSE_LOGIC": [800, 600],
        "S.640x480": [640, 480],
        "S.128x128": [128, 128],
    }
    assert report["game"] == {
        "S.MORSE_LOGIC": ["BULLET", 120, 2, "GLSL"],
        "S.640x480": ["NONE", 120, 1, "MULTITEXTURE"],
        "S.128x128": ["NONE", 120, 1, "MULTITEXTURE"],
    }
    everywhere = {"S.MORSE_LOGIC", "S.640x480", "S.128x128"}
    assert set(scene.objects["robot.close"].scenes) == everywhere
    # What MORSE adds after it made them is in the main scene only.
    for name in ("CameraFP", "Scene_Script_Holder", "__morse_dt_analyser"):
        assert scene.objects[name].scenes == ("S.MORSE_LOGIC",), name
    assert report["camera"] == [35.0, 32.0, 100.0]
    assert report["horizon"] == [0.25, 0.5, 0.75]
    assert report["gravity"] == [0.0, 0.0, -1.5]
    assert report["seen_through"] == "CameraFP"
    # Cameras of MORSE look along the robot's X.
    assert report["directions"]["close"] == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
    assert scene.objects["Screen"].properties["Visible"] is True
    assert scene.objects["CameraID_text"].properties["Text"] == "robot.wide"


def test_game_data_is_there_after_saving_and_opening(tmp_path: Path, morse_root: Path) -> None:
    scene = run(tmp_path, SAVED, morse_root)
    assert scene.report["mass"] == 12.5
    assert scene.report["physics"] == "RIGID_BODY"
    assert scene.report["friction"] == [0.25]
    # With fastmode; MORSE tries SINGLETEXTURE first, which Blender has not since 2.70.
    assert scene.report["mode"] == "MULTITEXTURE"
    assert scene.report["components"] == []
    assert scene.objects["atrv.scan"].properties["scan_window"] == 270.0
    assert scene.config["component_datastream"].keys() == {"atrv.scan"}
    holder = scene.objects["Scene_Script_Holder"]
    assert holder.properties["longitude"] == 43.5
    given = scene.objects["MORSE.Properties"].game["properties"]
    kinds = {record["name"]: record["type"] for record in given}
    assert kinds == {"longitude": "FLOAT", "when": "TIMER"}


def test_an_environment_is_created_when_the_script_ends(tmp_path: Path, morse_root: Path) -> None:
    text = 'robot = FakeRobot()\nrobot.append(Pose("pose"))\nenv = Environment("empty")\n'
    scene = run(tmp_path, text, morse_root)
    assert scene.config["component_service"] == {}
    assert scene.objects["Scene_Script_Holder"].properties["environment_file"] == "empty"


def test_saving_creates_what_a_script_left(tmp_path: Path, morse_root: Path) -> None:
    """A function in the script keeps its variables alive; Blender may save before Python tidies."""
    text = """
import runpy
from pathlib import Path
script = "from morse.builder import *\\ndef f(): pass\\nenv = Environment('empty')\\n"
Path("inner.py").write_text(script)
import gc
gc.disable()
runpy.run_path("inner.py", run_name="__main__")
before = "Scene_Script_Holder" in bpy.data.objects
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("saved.blend"))
report = {"before": before, "after": "Scene_Script_Holder" in bpy.data.objects}
"""
    scene = run(tmp_path, text, morse_root)
    assert scene.report == {"before": False, "after": True}


def test_an_environment_that_fails_is_not_tried_again(tmp_path: Path, morse_root: Path) -> None:
    text = """
class Broken(FakeRobot):
    calls = 0
    def after_renaming(self):
        Broken.calls += 1
        raise ValueError("not today")

robot = Broken()
env = Environment("empty")
try:
    env.create()
except ValueError:
    pass
del env
try:
    Environment("no such place")
except FileNotFoundError:
    pass
report = {"calls": Broken.calls}
"""
    assert run(tmp_path, text, morse_root).report == {"calls": 1}


def test_python_ends_in_peace(tmp_path: Path, morse_root: Path) -> None:
    """A script of Python's own, with Blender as a module: at the end of the process Blender goes
    first, and then there is no scene in which an environment could be created."""
    script = tmp_path / "script.py"
    script.write_text(
        "import bpy\nbpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)\n"
        f"{BEGIN}def f():\n    return env\nenv = Environment('empty')\nprint('built')\n"
    )
    profile = {"BLENDER_USER_RESOURCES": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, **profile, "MORSE_ROOT": str(morse_root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "built" in done.stdout
    assert "Exception" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def test_passive_objects_keep_what_their_file_says(tmp_path: Path, morse_root: Path) -> None:
    text = """
mine = bpy.data.objects.new("SmallTable", None)
bpy.context.scene.collection.objects.link(mine)
first = PassiveObject("props/objects", "SmallTable")
first.setgraspable()
second = PassiveObject("props/objects", "SmallTable", keep_pose=True)
table = second._bpy_object
report = {
    "mine": [mine.name, "morse_game" in mine],
    "names": [first._bpy_object.name, table.name],
    "children": [[c.name for c in each._bpy_object.children] for each in (first, second)],
    "location": list(first.location),
}
tape = PassiveObject("props/objects", "BlackVideotape")
report["tape"] = [tape.name, [c.name for c in tape._bpy_object.children]]
"""
    scene = run(tmp_path, text, morse_root)
    # Blender numbers what comes later, and each has the data of its own original.
    assert scene.report["mine"] == ["SmallTable", False]
    assert scene.report["names"] == ["SmallTable.001", "SmallTable.002"]
    assert scene.report["location"] == [0.0, 0.0, 0.0]
    assert scene.report["tape"] == ["BlackVideotape", ["BlackVideotape_mesh"]]
    graspable = scene.objects["SmallTable.001"]
    assert graspable.properties["Object"] is True and graspable.properties["Graspable"] is True
    assert "Graspable" not in scene.objects["SmallTable.002"].properties
    first, second = (scene.objects[name].game["settings"] for name in scene.report["names"])
    assert second and {**first, **second} == first


def test_a_scene_of_another_file_can_be_the_environment(tmp_path: Path, morse_root: Path) -> None:
    text = """
for name in ("Main", "Other"):
    scene = bpy.data.scenes.new(name)
    for kind in ("ground", "wall"):
        item = bpy.data.objects.new(f"{name} {kind}", bpy.data.meshes.new(kind))
        scene.collection.objects.link(item)
        item.game.physics_type = "SENSOR"
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("place.blend"))
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
robot = FakeRobot()
env = Environment("place.blend", main_scene="Main")
env.create()
report = {
    "scenes": bpy.data.scenes.keys(),
    "here": sorted(o.name for o in bpy.context.scene.objects if "Main" in o.name),
    "physics": bpy.data.objects["Main wall"].game.physics_type,
}
"""
    report = run(tmp_path, text, morse_root).report
    assert report["here"] == ["Main ground", "Main wall"]
    assert report["physics"] == "SENSOR"
    assert "S.MORSE_LOGIC" in report["scenes"] and "Main" not in report["scenes"]


def test_a_robot_that_grasps_looks_out_for_things(tmp_path: Path, morse_root: Path) -> None:
    text = """
robot = B21()
robot.make_grasper(robot.name)
zone = Zone("charging")
zone.size = [2, 3, 4]
spot = Spot("lamp", "HEMI")
mark = Coordsys("mark")
pose = Pose()
robot.append(pose)
pose.profile()
report = {"debug": bpy.context.scene.game_settings.show_debug_properties,
          "light": spot._bpy_object.data.type, "size": mark._bpy_object.empty_display_size}
"""
    scene = run(tmp_path, text, morse_root)
    near = [each for each in scene.objects["b21"].game["sensors"] if each["name"] == "Near"]
    assert near[0]["settings"] == {
        "distance": 5.0,
        "reset_distance": 0.075,
        "property": "Graspable",
    }
    assert near[0]["controllers"] == ["And"]
    assert scene.report == {"debug": True, "light": "SUN", "size": pytest.approx(0.1)}
    shown = [each for each in scene.objects["Empty"].game["properties"] if each.get("show_debug")]
    names = ["profile", "profile_action", "profile_modifiers", "profile_datastreams"]
    assert [each["name"] for each in shown] == names
    zone = next(item for item in scene.objects.values() if "Zone_Tag" in item.properties)
    assert zone.properties["Type"] == "charging"


def test_nodes_share_the_robots(tmp_path: Path, morse_root: Path) -> None:
    text = """
near = ATRV()
near.append(Pose("pose"))
near.add_default_interface("socket")
far = ATRV()
far.add_default_interface("socket")
env = Environment("empty")
env.configure_multinode(
    protocol="socket", distribution={"one": [near.name], "two": [far.name]}
)
"""
    scene = run(tmp_path, text, morse_root, MORSE_NODE="one")
    assert scene.configs["multinode_config.py"]["node_config"]["node_name"] == "one"
    assert scene.objects["near"].properties["Robot_Tag"] is True
    far = scene.objects["far"]
    assert "Robot_Tag" not in far.properties and far.properties["External_Robot_Tag"] is True
    assert far.game["settings"]["physics_type"] == "STATIC"
    assert scene.objects["near"].game["settings"]["physics_type"] == "RIGID_BODY"


def test_another_file_begins_another_script(tmp_path: Path, morse_root: Path) -> None:
    """Several scenes in one session: MORSE's lists of components know nothing of closed files."""
    text = """
first = FakeRobot("first")
scan = Hokuyo()
first.append(scan)
scan.add_stream("socket")
lost = Environment("empty")
nameless = FakeRobot()
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
report = {"left": len(AbstractComponent.components)}
report["armatures"] = [bpymorse.armatures.new("late").name, len(bpymorse.armatures)]
second = FakeRobot("second")
scan = Hokuyo()
second.append(scan)
scan.add_stream("socket")
env = Environment("empty")
env.create()
del lost
"""
    scene = run(tmp_path, text, morse_root)
    assert scene.report == {"left": 0, "armatures": ["late", 1]}
    assert scene.config["component_datastream"].keys() == {"second.scan"}
    assert "first" not in scene.objects


def test_components_can_be_forgotten(tmp_path: Path, morse_root: Path) -> None:
    text = """
first = FakeRobot("first")
first.append(Pose("pose"))
first.add_default_interface("socket")
env = Environment("empty")
env.create()
env.multinode_distribution["x"] = []
lost = Environment("empty")
compat.forget_components()
del lost
created = "__morse_dt_analyser.001" in bpy.data.objects
report = {"left": len(AbstractComponent.components), "nodes": Environment.multinode_distribution,
          "created": created}
second = FakeRobot("second")
pose = Pose("pose")
second.append(pose)
second.add_default_interface("socket")
env = Environment("empty")
env.create()
"""
    scene = run(tmp_path, text, morse_root)
    assert scene.report == {"left": 0, "nodes": {}, "created": False}
    assert scene.config["component_datastream"].keys() == {"second.pose"}


def test_a_script_writes_over_no_text_of_the_user(tmp_path: Path, morse_root: Path) -> None:
    """MORSE takes the last text in Blender's list, which is in order of names, for the newest."""
    text = """
mine = bpy.data.texts.new("walk.py")
mine.write("precious = True")
env = Environment("empty")
env.create()
"""
    scene = run(tmp_path, text, morse_root)
    assert scene.texts["walk.py"] == "precious = True"
    assert "component_service" in scene.config


def test_what_is_not_in_the_scene_is_refused_in_one_sentence(
    tmp_path: Path, morse_root: Path
) -> None:
    text = """
from urdf_importer import RobotError
collection = bpy.data.collections.new("Excluded")
bpy.context.scene.collection.children.link(collection)
armature = bpy.data.objects.new("hidden arm", bpy.data.armatures.new("arm"))
collection.objects.link(armature)
bpy.context.view_layer.layer_collection.children["Excluded"].exclude = True
try:
    Armature(armature_name="hidden arm")
except RobotError as error:
    report = {"said": str(error)}
"""
    said = run(tmp_path, text, morse_root).report["said"]
    assert "'hidden arm'" in said and "\n" not in said


def test_colours_and_lights_look_as_they_were_meant(tmp_path: Path, morse_root: Path) -> None:
    text = """
robot = Morsy()
robot.set_color((0.5, 0.25, 0.125))
cube = Cube("cube")
cube.color(1.0, 0.5, 0.25)
robot.append(cube)
ghost = ATRV()
ghost.make_ghost(alpha=0.25)
zone = Zone("test")
lamp = Light()
robot.append(lamp)
lamp.properties(size=1.0, distance=7.5, color="(1,0,1)")
report = {}
def look(material):
    nodes = material.node_tree.nodes if material.node_tree else []
    inputs = [n.inputs for n in nodes if n.type == "BSDF_PRINCIPLED"]
    shown = list(material.diffuse_color)
    colors = [(i["Base Color"].default_value, i["Alpha"].default_value) for i in inputs]
    return [shown] + [[*color[:3], alpha] for color, alpha in colors]
report["cube"] = look(cube._bpy_object.active_material)
mesh = robot.get_child("morsy_mesh")
report["body"] = look([s.material for s in mesh.material_slots if s.name.startswith("body")][0])
ghosts = [s.material for c in [ghost._bpy_object, *ghost._bpy_object.children]
          for s in c.material_slots]
report["ghost"] = sorted({m.diffuse_color[3] for m in ghosts})
report["render"] = sorted({m.surface_render_method for m in ghosts})
light = lamp.light._bpy_object.data
report["light"] = [light.type, light.spot_size, light.distance, light.cutoff_distance,
                   light.use_custom_distance, *light.color]
"""
    report = run(tmp_path, text, morse_root).report
    assert all(each == [1.0, 0.5, 0.25, 1.0] for each in report["cube"])
    assert all(each == [0.5, 0.25, 0.125, 1.0] for each in report["body"])
    assert report["ghost"] == [0.25] and report["render"] == ["BLENDED"]
    assert report["light"] == ["SPOT", 1.0, 7.5, 7.5, True, 1.0, 0.0, 1.0]


def test_sounds_stay_in_the_file(tmp_path: Path, morse_root: Path) -> None:
    text = """
import wave
with wave.open("beep.wav", "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(8000)
    file.writeframes(bytes(1600))
robot = FakeRobot()
horn = Sound()
robot.append(horn)
horn.open("beep.wav")
name = horn.name
actuator = horn._bpy_object.game.actuators[-1]
report = {"sound": actuator.sound.name, "far": actuator.distance_3d_max}
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("saved.blend"))
bpy.ops.wm.open_mainfile(filepath=os.path.abspath("saved.blend"))
actuator = bpy.data.objects[name].game.actuators[-1]
report["again"] = actuator.sound.name
"""
    report = run(tmp_path, text, morse_root).report
    assert report == {"sound": "beep.wav", "far": 10000.0, "again": "beep.wav"}


def test_collada_models_come_in(tmp_path: Path, morse_root: Path) -> None:
    text = """
robot = FakeRobot()
body = Pose()
robot.append(body)
there = set(bpy.data.objects)
made = body.append_collada("robot.dae")
meshes = [each for each in made if each.type == "MESH"]
corners = [each.matrix_world @ Vector(corner) for each in meshes for corner in each.bound_box]
report = {
    "new": len(set(bpy.data.objects) - there) == len(made),
    "parents": sorted({each.parent == body._bpy_object for each in made if each.parent}),
    "faces": sum(len(each.data.polygons) for each in meshes),
    "size": [max(c[i] for c in corners) - min(c[i] for c in corners) for i in range(3)],
}
"""
    model = tmp_path / "robot.dae"
    model.write_bytes((ROOT / "tests/data/quirks/q_pkg/meshes/yup.dae").read_bytes())
    report = run(tmp_path, text, morse_root).report
    assert report["new"] and report["faces"] > 0 and report["parents"] == [True]
    assert all(length > 0.0 for length in report["size"])


def test_objects_of_the_script_itself_are_there_at_once(tmp_path: Path, morse_root: Path) -> None:
    """Made, linked and given a game property without an update between; after another was removed
    while it was selected."""
    scene = run_script(
        tmp_path,
        "import bpy\nimport urdf_importer.morse\nurdf_importer.morse.enable()\n"
        "from morse.builder import *\nfrom morse.builder import bpymorse\n"
        "gone = bpy.data.objects.new('gone', None)\n"
        "bpy.context.scene.collection.objects.link(gone)\nbpymorse.select_only(gone)\n"
        "bpy.data.objects.remove(gone)\n"
        "box = bpy.data.objects.new('box', None)\nbpy.context.scene.collection.objects.link(box)\n"
        "bpymorse.properties(box, Object=True)\n"
        "robot = FakeRobot()\nenv = Environment('empty')\nenv.create()\n",
        morse_root=morse_root,
    )
    assert scene.objects["box"].properties == {"Object": True}
