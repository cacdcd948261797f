# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene with three robots, two of them equal but for their pose, four objects and two lights."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import forward_kinematics, get_joint_positions, import_robot, set_joint_positions

LEG = ROOT / "sample_urdfs/quadruped_leg.urdf"
GATE = ROOT / "sample_urdfs/gate.sdf"
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Lab:
    """`places` has the frame (4, 4) of each object."""

    armatures: dict[str, Any]
    places: dict[str, Matrix]

    def frames(self, name: str, *, posed: bool = True) -> dict[str, Matrix]:
        """The frames of the links of a robot in the world, by the description alone."""
        from urdf_importer import extract_robot

        armature = self.armatures[name]
        place = np.array(armature.matrix_world)
        positions = get_joint_positions(armature) if posed else {}
        frames = forward_kinematics(extract_robot(armature), positions)
        return {link: place @ frame for link, frame in frames.items()}


def make_lab() -> Lab:
    new_scene()
    first, second, gate = (import_robot(path).armature for path in (LEG, LEG, GATE))
    set_joint_positions(first, {"hip_yaw": 0.3, "knee": -0.5})
    second.location, second.rotation_euler = (2.0, 0.0, 0.25), (0.1, 0.2, 0.5)
    gate.location = (0.0, 3.0, 0.0)
    _add("table", bpy.ops.mesh.primitive_cube_add, (1.0, 1.0, 0.375), size=0.75)
    crate = _add("crate", bpy.ops.mesh.primitive_cube_add, (1.0, 1.0, 1.25), size=0.25)
    bpy.ops.rigidbody.object_add()
    crate.rigid_body.mass, crate.rigid_body.friction = 2.0, 0.75
    crate.rigid_body.collision_shape = "BOX"
    head = _add("head", bpy.ops.mesh.primitive_monkey_add, (-1.0, 1.0, 0.5))
    head.scale, head.rotation_euler = (0.25, 0.25, -0.25), (0.25, 0.0, 1.0)
    _add("ground", bpy.ops.mesh.primitive_plane_add, (0.0, 0.0, -1.25), size=10.0)
    for name, kind, place in (("lamp", "POINT", (1.0, 1.0, 3.0)), ("spot", "SPOT", (-1.0, 1, 3))):
        bpy.ops.object.light_add(type=kind, location=place)
        bpy.context.object.name = name
    bpy.ops.object.camera_add(location=(4.0, -4.0, 3.0), rotation=(1.1, 0.0, 0.75))
    bpy.context.scene.camera = bpy.context.object
    bpy.context.view_layer.update()
    places = {}
    for name in ("table", "crate", "head", "ground"):
        location, turn, _ = bpy.data.objects[name].matrix_world.decompose()
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = np.array(turn.to_matrix()), location
        places[name] = frame
    return Lab(armatures={each.name: each for each in (first, second, gate)}, places=places)


def _add(name: str, make: Any, location: tuple[float, float, float], **options: Any) -> Any:
    make(location=location, **options)
    bpy.context.object.name = name
    return bpy.context.object
