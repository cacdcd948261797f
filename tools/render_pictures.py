# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/images from the sample robots; tools/render-pictures runs it."""

import math
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import mathutils
import numpy as np

import urdf_importer
from urdf_importer.core.blender.standing.joints import joints_of

ROOT = Path(__file__).resolve().parent.parent

LEG = {
    "hip_yaw": -0.3,
    "hip_roll": 0.25,
    "hip_pitch": -0.7,
    "knee": 1.2,
    "ankle_pitch": -0.4,
}
ARM = {
    "shoulder_pitch": -0.9,
    "shoulder_roll": 0.4,
    "shoulder_yaw": 0.3,
    "elbow": -1.1,
    "forearm_yaw": 0.3,
    "wrist_pitch": 0.4,
    "wrist_roll": 0.3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """`positions` are radians by joint; `bones` shows the rig through the robot."""

    name: str
    robot: str
    positions: Mapping[str, float]
    width: int
    height: int
    bones: bool


PICTURES = (
    Picture(
        name="quadruped_leg", robot="quadruped_leg", positions=LEG, width=440, height=560,
        bones=False,
    ),
    Picture(
        name="quadruped_leg_rig", robot="quadruped_leg", positions=LEG, width=440, height=560,
        bones=True,
    ),
    Picture(
        name="humanoid_arm_rig", robot="humanoid_arm", positions=ARM, width=640, height=460,
        bones=True,
    ),
)  # fmt: skip


def render_picture(picture: Picture) -> None:
    urdf_importer.new_file()
    result = urdf_importer.import_robot(ROOT / "sample_urdfs" / f"{picture.robot}.urdf")
    urdf_importer.set_joint_positions(result.armature, picture.positions)
    urdf_importer.render_preview(
        result.armature,
        ROOT / "docs" / "images" / f"{picture.name}.png",
        width=picture.width,
        height=picture.height,
        samples=64,
        bones=picture.bones,
    )


def render_turn(turns: int, width: int, height: int) -> None:
    """Writes pictures of the pumpjack side by side: a whole turn of its motor, the one free joint
    of its loop."""
    urdf_importer.new_file()
    sample = ROOT / "sample_urdfs" / "pumpjack"
    options = urdf_importer.ImportOptions(
        parameters=f"{sample}.yaml", joint_parameters=f"{sample}.csv"
    )
    armature = urdf_importer.import_robot(f"{sample}.xml", options=options).armature
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(turns)]
        for number, path in enumerate(paths):
            urdf_importer.set_joint_positions(armature, {"motor": number * math.tau / turns})
            size = {"width": width, "height": height}
            urdf_importer.render_preview(armature, path, samples=32, **size)
        target = ROOT / "docs" / "images" / "pumpjack_turn.png"
        join_pictures(paths, target, columns=turns)


def render_gate() -> None:
    """Writes pictures of the sample gate side by side, closed and open: its motor turns twenty
    times as far as its wing."""
    urdf_importer.new_file()
    options = urdf_importer.ImportOptions(model="gate")
    armature = urdf_importer.import_robot(
        ROOT / "sample_urdfs" / "gate.sdf", options=options
    ).armature
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(2)]
        for turned, path in zip((0.0, -20.0), paths, strict=True):
            urdf_importer.set_joint_positions(armature, {"spin": turned})
            urdf_importer.render_preview(
                armature, path, width=380, height=320, samples=32, bones=True
            )
        join_pictures(paths, ROOT / "docs" / "images" / "gate.png", columns=2)


HEXAPOD = (
    (-0.06, -0.06, -0.06, -0.06, -0.06, -0.06),
    (-0.06, 0.0, 0.06, 0.06, 0.0, -0.06),
    (0.02, 0.065, 0.05, -0.05, -0.065, -0.02),
    (0.0, 0.07, 0.0, 0.07, 0.0, 0.07),
)
"""How far the legs of a hexapod grow: low, tilted two ways, and turned."""


def render_hexapod(width: int, height: int) -> None:
    """Writes pictures of the hexapod side by side: only its six legs are set."""
    urdf_importer.new_file()
    armature = urdf_importer.import_robot(ROOT / "sample_urdfs" / "hexapod.xml").armature
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.png" for number in range(len(HEXAPOD))]
        for path, lengths in zip(paths, HEXAPOD, strict=True):
            legs = {f"leg_{number}": length for number, length in enumerate(lengths, start=1)}
            urdf_importer.set_joint_positions(armature, legs)
            urdf_importer.render_preview(armature, path, samples=32, width=width, height=height)
        target = ROOT / "docs" / "images" / "hexapod_poses.png"
        join_pictures(paths, target, columns=len(paths))


CASSIE = {
    "left-knee-op": -1.1,
    "right-knee-op": -0.5,
    "left-pitch-op": 0.5,
    "right-pitch-op": 0.2,
    "left-tarsus-crank-joint": -1.5,
    "right-tarsus-crank-joint": -1.2,
}


GREY, ORANGE = (0.32, 0.34, 0.38, 1.0), (0.8, 0.2, 0.03, 1.0)


def render_cassie() -> None:
    """Writes a picture of Cassie, of the package example-robot-data, with both knees bent. Cassie
    is black: here it is grey, and what its loops move is orange."""
    urdf_importer.new_file()
    robots = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
    result = urdf_importer.import_robot(robots / "cassie_description" / "robots" / "cassie_v2.sdf")
    urdf_importer.set_joint_positions(result.armature, CASSIE)
    color_followers(result)
    target = ROOT / "docs" / "images" / "cassie_legs.png"
    urdf_importer.render_preview(result.armature, target, width=420, height=520, samples=16)


def color_followers(result: urdf_importer.ImportResult) -> None:
    """Makes a robot grey, and the links that follow others orange."""
    followers = {joint.name for joint in joints_of(result.armature) if joint.mimics}
    moved = {joint.child for joint in result.robot.joints if joint.name in followers}
    for link, shapes in result.visuals.items():
        for shape in shapes:
            for slot in shape.material_slots:
                slot.link = "OBJECT"
                slot.material = take_material(ORANGE if link in moved else GREY)


def take_material(color: tuple[float, float, float, float]) -> Any:
    """Returns a material of a colour, made the first time that it is asked for."""
    name = f"Picture {color[0]:g}"
    known = bpy.data.materials.get(name)
    if known is not None:
        return known
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = color
    shader.inputs["Roughness"].default_value = 0.5
    return material


GALLERY: dict[str, dict[str, Mapping[str, float] | str]] = {
    "arms": {
        "panda_description/urdf/panda.urdf": {
            "panda_joint2": -0.5, "panda_joint4": -2.2, "panda_joint6": 1.8,
        },
        "ur_description/urdf/ur5_robot.urdf": {
            "shoulder_lift_joint": -1.1, "elbow_joint": 1.5, "wrist_1_joint": -1.9,
        },
        "xarm_description/urdf/xarm7.urdf": {"joint2": -0.4, "joint4": 1.2, "joint6": 1.4},
        "so_arm_description/urdf/so101.urdf": {},
    },
    "legs": {
        "anymal_c_simple_description/urdf/anymal.urdf": "standing",
        "solo_description/robots/solo12.urdf": "standing",
        "hyq_description/robots/hyq_no_sensors.urdf": "standing",
        "bolt_description/robots/bolt.urdf": "standing",
    },
    "people": {
        "g1_description/urdf/g1_29dof_rev_1_0.urdf": {},
        "talos_data/robots/talos_full_v2.urdf": "half_sitting",
        "romeo_description/urdf/romeo.urdf": "half_sitting",
        "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf": {},
    },
    "wheels": {
        "tiago_description/robots/tiago.urdf": {},
        "pr2_description/urdf/pr2.urdf": {},
        "baxter_description/urdf/baxter.urdf": {},
        "centauro_description/urdf/centauro.urdf": {},
    },
}  # fmt: skip
"""Robots of the package example-robot-data whose licences allow it, each with positions of its
joints or the state of its SRDF."""


def render_gallery(width: int, height: int) -> None:
    """Writes a picture for each group of robots, side by side."""
    robots = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
    for group, members in GALLERY.items():
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, pose in members.items():
                urdf_importer.new_file()
                result = urdf_importer.import_robot(robots / name)
                if isinstance(pose, str):
                    pose = read_state(
                        next((robots / name).parents[1].rglob("*.srdf")), pose, result
                    )
                urdf_importer.set_joint_positions(result.armature, pose)
                paths.append(Path(folder, f"{len(paths)}.png"))
                size = {"width": width, "height": height}
                urdf_importer.render_preview(result.armature, paths[-1], samples=16, **size)
            target = ROOT / "docs" / "images" / f"gallery_{group}.png"
            join_pictures(paths, target, columns=len(paths))


def read_state(path: Path, name: str, result: urdf_importer.ImportResult) -> dict[str, Any]:
    """Returns the positions of a state of an SRDF, of the joints that the robot has."""
    states = urdf_importer.read_srdf(path, robot=result.robot).group_states
    own = urdf_importer.get_joint_positions(result.armature)
    (state,) = (state for state in states if state.name == name)
    return {
        joint: values[0] if len(values) == 1 else values
        for joint, values in state.positions
        if joint in own
    }


MOMENTS = (0.0, 1.0, 1.8, 2.6, 3.3, 4.0, 4.8, 5.6)
"""Seconds of the sample motion that its picture shows."""


def render_motion() -> None:
    """Renders moments of the sample motion, as frames of a clip, into one picture."""
    urdf_importer.new_file()
    result = urdf_importer.import_robot(ROOT / "sample_urdfs" / "humanoid_arm.urdf")
    urdf_importer.build_studio([result.armature], turntable="none")
    motion = urdf_importer.read_trajectory(ROOT / "sample_urdfs" / "pick_and_place.mcap")
    urdf_importer.apply_trajectory(result.armature, motion)
    scene = bpy.context.scene
    prepare_clip(scene)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, moment in enumerate(MOMENTS):
            frame = 1 + moment * scene.render.fps / scene.render.fps_base
            scene.frame_set(int(frame), subframe=frame % 1)
            paths.append(Path(folder, f"{number}.png"))
            scene.render.filepath = str(paths[-1])
            bpy.ops.render.render(write_still=True)
        join_pictures(paths, ROOT / "docs" / "images" / "pick_and_place.png", columns=4)


FALLS = {
    (0.0, 0.5, 1.2): {"height": 0.6},
    (0.1, 0.45, 0.9): {"height": 0.0, "motors": "hold", "pushes": ("base,0,700,0,0.1,0.25",)},
}
"""Seconds of a robot's simulations that their picture shows: loose joints, and a push."""
FAST = 8.0
"""How many times as fast as recorded a motion is too fast for its motors."""


def render_simulations(width: int, height: int) -> None:
    """Writes moments of simulations in rows: a drop, a push, a motion as it is keyed, and what
    its motors make of it."""
    robots = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
    legged = robots / "anymal_b_simple_description/robots/anymal.urdf"
    stance = {
        f"{leg}_{joint}": angle * (1 if leg[1] == "F" else -1)
        for leg in ("LF", "RF", "LH", "RH")
        for joint, angle in (("HFE", 0.7), ("KFE", -1.2))
    }
    with tempfile.TemporaryDirectory() as folder:
        paths: list[Path] = []

        def take(armature: Any, seconds: float) -> None:
            scene = bpy.context.scene
            scene.frame_set(1 + round(seconds * scene.render.fps))
            paths.append(Path(folder, f"{len(paths)}.png"))
            urdf_importer.render_preview(
                armature, paths[-1], width=width, height=height, samples=24
            )

        for moments, wishes in FALLS.items():
            urdf_importer.new_file()
            urdf_importer.set_frame_rate(60)
            armature = urdf_importer.import_robot(legged).armature
            urdf_importer.set_joint_positions(armature, stance)
            options = urdf_importer.SimulationOptions(base="free", **wishes)
            urdf_importer.simulate(armature, seconds=1.5, options=options)
            for moment in moments:
                take(armature, moment)
        urdf_importer.new_file()
        urdf_importer.set_frame_rate(60)
        armature = urdf_importer.import_robot(ROOT / "sample_urdfs" / "humanoid_arm.urdf").armature
        motion = ROOT / "sample_urdfs" / "pick_and_place.mcap"
        fast = urdf_importer.MotionOptions(speed=FAST)
        urdf_importer.apply_trajectory(armature, motion, options=fast)
        for follows in (False, True):
            bpy.context.scene.frame_set(1)
            if follows:
                options = urdf_importer.SimulationOptions(motors="follow")
                urdf_importer.simulate(armature, seconds=0.8, options=options)
            for moment in (0.1, 0.2, 0.35):
                take(armature, moment)
        join_pictures(paths, ROOT / "docs" / "images" / "simulation.png", columns=3)


def prepare_clip(scene: bpy.types.Scene) -> None:
    """Leaves room for the arm beside the robot, under a bright sky."""
    camera = scene.camera
    bpy.context.view_layer.update()
    world = camera.matrix_world.copy()
    aside = world.to_3x3() @ mathutils.Vector((0.2, 0.03, 0.15))
    camera.matrix_world = mathutils.Matrix.Translation(aside) @ world
    camera.data.lens *= 1.6
    sky = bpy.data.worlds.new("Sky")
    if sky.node_tree is None:
        sky.use_nodes = True
    light = sky.node_tree.nodes["Background"].inputs
    light["Color"].default_value, light["Strength"].default_value = (0.75, 0.78, 0.82, 1), 0.9
    scene.world = sky
    scene.view_settings.view_transform = "Standard"
    scene.render.engine, scene.cycles.samples = "CYCLES", 64
    scene.render.resolution_x = scene.render.resolution_y = 200
    scene.render.resolution_percentage = 100


def join_pictures(paths: Sequence[Path], target: Path, *, columns: int) -> None:
    """Writes pictures of one size side by side, in rows."""
    pictures = []
    for path in paths:
        image = bpy.data.images.load(str(path))
        pixels = np.empty(4 * image.size[0] * image.size[1], dtype=np.float32)
        image.pixels.foreach_get(pixels)
        pictures.append(pixels.reshape(image.size[1], image.size[0], 4))
    rows = [
        np.concatenate(pictures[start : start + columns], axis=1)
        for start in range(0, len(pictures), columns)
    ]
    # Blender counts rows from below.
    sheet = np.concatenate(rows[::-1])
    image = bpy.data.images.new("sheet", sheet.shape[1], sheet.shape[0], alpha=False)
    image.pixels.foreach_set(np.ascontiguousarray(sheet).ravel())
    image.file_format, image.filepath_raw = "PNG", str(target)
    image.save()


if __name__ == "__main__":
    (ROOT / "docs" / "images").mkdir(parents=True, exist_ok=True)
    for each in PICTURES:
        render_picture(each)
    render_turn(turns=4, width=260, height=260)
    render_gate()
    render_hexapod(width=240, height=220)
    render_cassie()
    render_motion()
    render_gallery(width=216, height=252)
    render_simulations(width=147, height=120)
