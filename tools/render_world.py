# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the pictures of the pages about worlds, SDF and USD; tools/render-pictures runs it."""

import math
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import bpy
import mathutils
from render_pictures import join_pictures, take_material

import urdf_importer

ROOT = Path(__file__).resolve().parent.parent
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
REACH = {"shoulder_lift_joint": -1.0, "elbow_joint": 1.7, "wrist_1_joint": -2.2}
WOOD, GREEN, FLOOR = (0.35, 0.2, 0.1, 1.0), (0.1, 0.35, 0.12, 1.0), (0.5, 0.5, 0.52, 1.0)
HEIGHT = 0.7
"""Of the table, in metres."""


def render_world() -> None:
    """Writes a scene, and beside it the same scene that went to a world of MuJoCo and came back."""
    with tempfile.TemporaryDirectory() as folder:
        pictures = [Path(folder, name) for name in ("scene.png", "world.png")]
        build_scene()
        render(pictures[0])
        world = urdf_importer.export_world(Path(folder, "lab.xml"))
        urdf_importer.new_file()
        found = urdf_importer.import_world(world.path)
        bpy.context.scene.camera = found.camera
        render(pictures[1])
        join_pictures(pictures, ROOT / "docs" / "images" / "world.png", columns=2)


def build_scene() -> None:
    """Makes an arm on a table, with a crate and a ball before it, and a cart on the floor."""
    urdf_importer.new_file()
    arm = urdf_importer.import_robot(ROBOTS / "ur_description/urdf/ur5_robot.urdf").armature
    arm.location = (0.0, 0.0, HEIGHT)
    urdf_importer.set_joint_positions(arm, REACH)
    cart = urdf_importer.import_robot(ROOT / "sample_urdfs" / "differential_drive.urdf").armature
    cart.location, cart.rotation_euler.z = (0.9, -0.9, 0.0), 2.2
    add_box("floor", (6.0, 6.0, 0.02), (0.0, 0.0, -0.01), FLOOR)
    add_box("table top", (1.6, 1.0, 0.04), (0.35, 0.0, HEIGHT - 0.02), WOOD)
    for x in (-0.35, 1.05):
        for y in (-0.4, 0.4):
            add_box("leg", (0.06, 0.06, HEIGHT - 0.04), (x, y, 0.5 * (HEIGHT - 0.04)), WOOD)
    add_box("crate", (0.16, 0.16, 0.16), (0.85, 0.25, HEIGHT + 0.08), GREEN)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.07, location=(0.8, -0.25, HEIGHT + 0.07))
    bpy.context.object.data.materials.append(take_material((0.8, 0.2, 0.03, 1.0)))
    add_eye()


def add_box(
    name: str, size: tuple[float, ...], place: tuple[float, ...], color: tuple[float, ...]
) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
    bpy.context.object.name = name
    bpy.context.object.scale = size
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    bpy.context.object.data.materials.append(take_material(color))


def add_eye() -> None:
    """Adds a lamp, a bright background, and the camera."""
    scene = bpy.context.scene
    bpy.ops.object.light_add(type="SUN", rotation=(0.6, 0.3, 0.8))
    bpy.context.object.data.energy = 3.0
    bpy.ops.object.camera_add(location=(3.2, -2.4, 2.2))
    eye: Any = bpy.context.object
    aim = mathutils.Vector((0.4, -0.3, 0.36)) - eye.location
    eye.rotation_euler = aim.to_track_quat("-Z", "Y").to_euler()
    eye.data.angle = math.radians(41.0)
    scene.camera = eye
    scene.world = scene.world or bpy.data.worlds.new("World")
    scene.world.color = (0.5, 0.55, 0.6)


def render(path: Path) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 24, True
    scene.render.resolution_x, scene.render.resolution_y = 480, 360
    scene.render.filepath = str(path)
    scene.view_settings.view_transform = "Standard"
    bpy.ops.render.render(write_still=True)


STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "cell" (
    prepend variantSets = "robot"
)
{{
    variantSet "robot" = {{
{choices}
    }}
}}
"""
CHOICES = {
    "panda": ("panda_description/urdf/panda.urdf", {"panda_joint4": -1.6, "panda_joint6": 1.6}),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", REACH),
    "kinova": ("kinova_description/robots/kinova.urdf", {}),
}


def render_stage() -> None:
    """Writes the robots of one stage of USD side by side: each is a choice of its variant."""
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for name, (path, _) in CHOICES.items():
            robot = urdf_importer.read_robot(ROBOTS / path)
            options = urdf_importer.EngineOptions(engine="isaac")
            urdf_importer.export_robot(robot, Path(folder, f"{name}.usda"), options=options)
            lines.append(f'"{name}" (prepend references = @./{name}.usda@) {{}}')
        stage = Path(folder, "cell.usda")
        stage.write_text(STAGE.format(choices="\n".join(lines)))
        pictures = []
        for name, (_, pose) in CHOICES.items():
            urdf_importer.new_file()
            options = urdf_importer.ImportOptions(variants=(("robot", name),))
            armature = urdf_importer.import_robot(stage, options=options).armature
            pictures.append(take_picture(armature, pose, Path(folder, f"{name}.png")))
        join_pictures(pictures, ROOT / "docs" / "images" / "usd_variants.png", columns=3)


def render_written() -> None:
    """Writes the rig of a URDF and the rig of the SDF that was written of it side by side."""
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "panda.sdf")
        pictures = []
        path, pose = CHOICES["panda"]
        for source in (ROBOTS / path, model):
            urdf_importer.new_file()
            armature = urdf_importer.import_robot(source).armature
            urdf_importer.export_robot(armature, model)
            pictures.append(take_picture(armature, pose, Path(folder, f"{len(pictures)}.png")))
        join_pictures(pictures, ROOT / "docs" / "images" / "sdf_written.png", columns=2)


def take_picture(armature: Any, pose: dict[str, float], path: Path) -> Path:
    urdf_importer.set_joint_positions(armature, pose)
    urdf_importer.render_preview(armature, path, width=280, height=300, samples=48, bones=True)
    return path


if __name__ == "__main__":
    render_stage()
    render_written()
    render_world()
