# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the pictures of the page about collision shapes; tools/render-pictures runs it."""

import colorsys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from render_pictures import join_pictures, take_material

import urdf_importer
from urdf_importer.core.model import Collision, Material, Visual

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
ROBOTS = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
UR5 = ROBOTS / "ur_description/urdf/ur5_robot.urdf"
POSE = {"shoulder_lift_joint": -1.1, "elbow_joint": 1.5, "wrist_1_joint": -1.9}
FOLDED = {"shoulder_lift_joint": -1.1, "elbow_joint": 2.9, "wrist_1_joint": -2.6}
RED = (0.8, 0.03, 0.02, 1.0)
CLEAR = 0.45


def render_collisions() -> None:
    """Writes UR5 with its fitted shapes around it, and three moments of a motion in which its wrist
    comes to its upper arm."""
    robot = urdf_importer.read_robot(UR5)
    options = urdf_importer.CollisionOptions(source="visuals")
    fitted = urdf_importer.fit_collisions(robot, options=options).robot
    sizes = {"width": 600, "height": 450, "samples": 24}
    with tempfile.TemporaryDirectory() as folder:
        armature = build(wear_shapes(fitted), Path(folder, "shapes.urdf"))
        urdf_importer.set_joint_positions(armature, POSE)
        urdf_importer.render_preview(armature, IMAGES / "collision_shapes.png", **sizes)
        paths = render_moments(robot, Path(folder))
        join_pictures(paths, IMAGES / "collision_motion.png", columns=len(paths))


def build(robot: urdf_importer.Robot, path: Path) -> Any:
    """Imports a robot into an empty scene by way of a file."""
    urdf_importer.new_file()
    urdf_importer.export_robot(robot, path)
    options = urdf_importer.ImportOptions(package_paths=(str(ROBOTS.parents[1]),))
    return urdf_importer.import_robot(path, options=options).armature


def wear_shapes(robot: urdf_importer.Robot) -> urdf_importer.Robot:
    """Returns a robot that shows its collision shapes too, each in another colour, through which
    the link can be seen."""
    count, links = 0, []
    for link in robot.links:
        visuals = list(link.visuals)
        for shape in link.collisions:
            color = (*colorsys.hsv_to_rgb(0.618 * count % 1.0, 0.9, 0.9), CLEAR)
            visuals.append(paint(shape, color))
            count += 1
        links.append(replace(link, visuals=tuple(visuals), collisions=()))
    return replace(robot, links=tuple(links))


def paint(shape: Collision, color: tuple[float, float, float, float]) -> Visual:
    name = "paint " + " ".join(f"{each:.3f}" for each in color)
    material = Material(name=name, color=color)
    return Visual(geometry=shape.geometry, origin=shape.origin, material=material)


def render_moments(robot: urdf_importer.Robot, folder: Path) -> Sequence[Path]:
    """Renders the motion at its beginning, on its way and where links have begun to touch, which
    are red."""
    names = tuple(POSE)
    ends = np.array([[pose[name] for name in names] for pose in (POSE, FOLDED)])
    motion = urdf_importer.Trajectory(names=names, times=np.array([0.0, 1.0]), positions=ends)
    # Their meshes touch in every pose.
    options = urdf_importer.CheckOptions(allowed=(("base_link", "upper_arm_link"),))
    contacts = urdf_importer.check_collisions(robot, motion, options=options).contacts
    urdf_importer.new_file()
    result = urdf_importer.import_robot(UR5)
    paths = []
    for moment in (0.0, 0.6, contacts[0].start + 0.01):
        now = [each for each in contacts if each.start <= moment <= each.end]
        redden(result, {name for each in now for name in (each.link1, each.link2)})
        position = (1.0 - moment) * ends[0] + moment * ends[1]
        shown = dict(zip(names, position.tolist(), strict=True))
        urdf_importer.set_joint_positions(result.armature, shown)
        paths.append(folder / f"{len(paths)}.png")
        urdf_importer.render_preview(result.armature, paths[-1], width=300, height=300, samples=16)
    return paths


def redden(result: urdf_importer.ImportResult, links: set[str]) -> None:
    for link, shapes in result.visuals.items():
        for slot in (slot for shape in shapes for slot in shape.material_slots):
            if link in links:
                slot.link = "OBJECT"
                slot.material = take_material(RED)


if __name__ == "__main__":
    render_collisions()
