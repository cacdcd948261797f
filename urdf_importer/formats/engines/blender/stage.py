# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of an export, in a scene of its own: an armature with one bone a link, one mesh, and
clips.

When the block ends all of it is gone again. Names in the file are lent by the user's datablocks for
as long.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix as BlenderMatrix
from numpy.typing import NDArray

from ....core.blender.arrays import read_array
from ....core.blender.build.armature import build_bones, rest_matrices
from ....core.blender.curves import PlannedCurve, new_action, write_curve
from ....core.blender.extract.meshes import copy_shown_mesh
from ....core.blender.extract.robot import group_children
from ....core.blender.extract.shapes import shape_objects
from ....core.blender.ledger import drop_mesh
from ....core.blender.standing import properties
from ....core.blender.standing.links import SHOWN_TYPES, shows_link
from ....core.geometry.transforms import Matrix, quaternion_from_rotation
from ....core.kinematics.keys import Keys
from ....core.rig.rig_plan import BonePlan
from ..skeleton import EngineSkeleton
from .joining import join_meshes
from .materials import Wardrobe, lending_names
from .motion import Motion, own_scene

ARMATURE = "Armature"
"""The name of the armature object: of an object of this name Unreal makes no bone."""
_UVS = "UVMap"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """The scene with its one armature, and the meshes of the levels of detail."""

    scene: Any
    armature: Any
    meshes: tuple[Any, ...]

    @property
    def context(self) -> Any:
        """Lets Blender's operators work in this scene."""
        return bpy.context.temp_override(
            scene=self.scene,
            view_layer=self.scene.view_layers[0],
            object=self.armature,
            active_object=self.armature,
            selected_objects=[],
        )


@contextmanager
def staged(
    skeleton: EngineSkeleton, empties: Mapping[str, Any], name: str, shares: Sequence[float]
) -> Iterator[Stage]:
    """Gives a stage with the skeleton and the shapes below links' empties, as they look in the
    scene. `name` is the robot's; `shares` are the shares of triangles in each level of detail."""
    with ExitStack() as held:
        several = len(shares) > 1
        names = [f"{name}_LOD{i}" if several else f"{name}_mesh" for i in range(len(shares))]
        held.enter_context(lending_names(bpy.data.objects, [ARMATURE, *names]))
        wardrobe = Wardrobe(name, held.enter_context(ExitStack()))
        scene = held.enter_context(own_scene("~ export"))
        with bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
            armature = _build_armature(scene, skeleton)
            mesh = _join(scene, _copy_shapes(skeleton, empties, wardrobe))
            meshes = [] if mesh is None else _make_levels(scene, mesh, names, shares)
        for each in meshes:
            each.parent = armature
            each.modifiers.new("Armature", "ARMATURE").object = armature
        yield Stage(scene=scene, armature=armature, meshes=tuple(meshes))


@contextmanager
def working_apart() -> Iterator[None]:
    """Works in an empty scene; objects that the block makes are gone afterwards."""
    with (
        own_scene("~ robot") as scene,
        bpy.context.temp_override(scene=scene, view_layer=scene.view_layers[0]),
    ):
        yield


def _build_armature(scene: Any, skeleton: EngineSkeleton) -> Any:
    data = bpy.data.armatures.new(ARMATURE)
    armature = bpy.data.objects.new(ARMATURE, data)
    scene.collection.objects.link(armature)
    length = 0.05 * skeleton.scale
    bones = [
        BonePlan(
            name=bone.name,
            parent=bone.parent,
            rest=bone.rest,
            length=length,
            collection="",
            exact="xyz",
        )
        for bone in skeleton.bones
    ]
    build_bones(armature, bones)
    for pose_bone in armature.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
    return armature


def _copy_shapes(
    skeleton: EngineSkeleton, empties: Mapping[str, Any], wardrobe: Wardrobe
) -> list[tuple[Any, str]]:
    """Copies the visuals into the frame of the skeleton: each mesh with its bone."""
    rests = {bone.name: bone.rest for bone in skeleton.bones}
    size = np.diag([skeleton.scale] * 3 + [1.0])
    children, copies = group_children(), []
    for link, empty in empties.items():
        bone, place = skeleton.carriers[link]
        for item, local in shape_objects(empty, children):
            if item.type not in SHOWN_TYPES or (properties.PART in item and not shows_link(item)):
                continue
            carried = np.array(place)
            carried[:3, 3] *= skeleton.scale
            mesh = _copy_shape(item, rests[bone] @ carried @ size @ local)
            wardrobe.dress(mesh)
            copies.append((mesh, bone))
    return copies


def _copy_shape(item: Any, place: Matrix) -> Any:
    mesh = copy_shown_mesh(item)
    for key in list(mesh.keys()):
        del mesh[key]
    mesh.transform(BlenderMatrix(place.tolist()))
    if np.linalg.det(place[:3, :3]) < 0.0:
        mesh.flip_normals()
    part_twins(mesh)
    if len(mesh.uv_layers) == 1:
        mesh.uv_layers[0].name = _UVS
    _fill_slots(mesh, item)
    return mesh


def _fill_slots(mesh: Any, item: Any) -> None:
    """Puts into a mesh the materials that the object shows, wherever it has them from."""
    for index, slot in enumerate(item.material_slots):
        if index < len(mesh.materials):
            mesh.materials[index] = slot.material
        else:
            mesh.materials.append(slot.material)


def _join(scene: Any, copies: Sequence[tuple[Any, str]]) -> Any | None:
    """Makes one object of all meshes, each on its bone alone; None of none."""
    if not copies:
        return None
    meshes = [mesh for mesh, _ in copies]
    joined = bpy.data.objects.new(ARMATURE, join_meshes(meshes))
    scene.collection.objects.link(joined)
    groups: dict[str, Any] = {}
    first = 0
    for mesh, bone in copies:
        if bone not in groups:
            groups[bone] = joined.vertex_groups.new(name=bone)
        last = first + len(mesh.vertices)
        groups[bone].add(range(first, last), 1.0, "REPLACE")
        first = last
    for mesh in meshes:
        drop_mesh(mesh)
    return joined


def _make_levels(scene: Any, mesh: Any, names: Sequence[str], shares: Sequence[float]) -> list[Any]:
    """Makes the levels of detail; the first takes the place of the mesh."""
    levels = []
    for name, share in zip(names, shares, strict=True):
        level = mesh.copy()
        level.data = mesh.data.copy()
        scene.collection.objects.link(level)
        if share < 1.0:
            level.modifiers.new("share", "DECIMATE").ratio = share
            made = copy_shown_mesh(level)
            level.modifiers.clear()
            level.data = made
        level.name = level.data.name = name
        levels.append(level)
    bpy.data.meshes.remove(mesh.data)
    return levels


def pose_bones(skeleton: EngineSkeleton, names: Sequence[str], motion: Motion) -> dict[str, Matrix]:
    """Returns bone -> (F, 4, 4), its frames in the armature, turned and scaled. `names` are the
    links in the order of the motion."""
    index = {name: place for place, name in enumerate(names)}
    links, children = motion.links, skeleton.tree.child_frames
    if children is not None:  # The frames of the joints above.
        links = links @ np.linalg.inv(children[[skeleton.tree.index[name] for name in names]])
    frames = {
        bone.name: motion.base @ links[:, index[bone.link]]
        for bone in skeleton.bones
        if bone.link in index
    }
    count = len(motion.base)
    root = skeleton.bones[0]
    if root.name not in frames:
        frames[root.name] = motion.base
    if skeleton.mover in index:
        carried = links[:, index[skeleton.mover]]
        zero = _zero_of(skeleton, skeleton.mover)
        frames[root.name] = motion.base @ carried @ np.linalg.inv(zero)
    shown = {name: skeleton.into_engine(each) for name, each in frames.items()}
    rests = {bone.name: bone.rest for bone in skeleton.bones}
    for bone in skeleton.bones:
        # A link whose empty is gone stays where it was on its parent.
        if bone.name not in shown:
            held = np.linalg.inv(rests[bone.parent]) @ bone.rest
            shown[bone.name] = shown[bone.parent] @ np.tile(held, (count, 1, 1))
    return shown


def _zero_of(skeleton: EngineSkeleton, link: str) -> Matrix:
    """The frame of a link's joint with all joints at zero, in metres."""
    (rest,) = (bone.rest for bone in skeleton.bones if bone.link == link)
    zero = np.array(rest)
    zero[:3, 3] /= skeleton.scale
    zero[:3] = skeleton.turn.T @ zero[:3]
    return zero


def basis_of(
    armature: Any, skeleton: EngineSkeleton, poses: Mapping[str, Matrix]
) -> dict[str, tuple[Matrix, Matrix]]:
    """Returns bone -> (locations (F, 3), quaternions (F, 4) as w, x, y, z) of its own transform,
    against the rest that Blender made. Neighbouring quaternions lie in one hemisphere."""
    rests, planned = rest_matrices(armature), {bone.name: bone.rest for bone in skeleton.bones}
    found = {}
    for bone in skeleton.bones:
        rest, shown = rests[bone.name], poses[bone.name]
        # Blender's version of the link's frame is a hair off: so is the pose.
        shown = shown @ np.linalg.inv(bone.rest) @ rest
        if bone.parent:
            above = poses[bone.parent] @ np.linalg.inv(planned[bone.parent])
            above = above @ rests[bone.parent]
            rest = np.linalg.inv(rests[bone.parent]) @ rest
            shown = np.linalg.inv(above) @ shown
        own = np.linalg.inv(rest) @ shown
        found[bone.name] = own[:, :3, 3], _quaternions(own[:, :3, :3])
    return found


def _quaternions(rotations: Matrix) -> Matrix:
    found = np.array([quaternion_from_rotation(each) for each in rotations])[:, [3, 0, 1, 2]]
    signs = np.where(np.einsum("ij,ij->i", found[1:], found[:-1]) < 0.0, -1.0, 1.0)
    found[1:] *= np.cumprod(signs)[:, None]
    return found


def bake_clip(armature: Any, name: str, basis: Mapping[str, tuple[Matrix, Matrix]]) -> None:
    """Makes an action of the bones' motion, from frame 0 on, with linear keys."""
    action = new_action(armature, name)
    for bone, (locations, quaternions) in basis.items():
        frames = np.arange(len(locations), dtype=np.float64)
        for prop, numbers in (("location", locations), ("rotation_quaternion", quaternions)):
            for index, values in enumerate(numbers.T):
                keys, path = Keys(times=frames, values=values), f'pose.bones["{bone}"].{prop}'
                curve = PlannedCurve(item=armature, path=path, index=index, group=bone, keys=keys)
                write_curve(action, curve, frames)
    data = armature.animation_data
    slot, data.action = getattr(data, "action_slot", None), None
    track = data.nla_tracks.new()
    track.name = name
    strip = track.strips.new(name, 0, action)
    # Outside of the clip the armature is at rest, as engines must find it.
    strip.extrapolation = "NOTHING"
    if slot is not None:
        strip.action_slot = slot


def part_twins(mesh: Any) -> int:
    """Gives every face that shares another's vertices its own vertices, and keeps corner normals:
    files of robots have such faces where a sheet is seen from both sides, and glTF's exporter lets
    Blender validate the mesh, which removes all of them but one. Returns how many there were."""
    corners = read_array(mesh.loops, "vertex_index", kind=np.int32)
    starts = read_array(mesh.polygons, "loop_start", kind=np.int32)
    sizes = read_array(mesh.polygons, "loop_total", kind=np.int32)
    twins = _find_twins(corners, starts)
    if not len(twins):
        return 0
    normals = read_array(mesh.corner_normals, "vector", 3) if mesh.has_custom_normals else None
    moved = np.concatenate([starts[twin] + np.arange(sizes[twin]) for twin in twins])
    places = read_array(mesh.vertices, "co", 3)
    added = places[corners[moved]]
    first = len(mesh.vertices)
    mesh.vertices.add(len(added))
    mesh.vertices.foreach_set("co", np.concatenate([places, added]).ravel())
    corners[moved] = np.arange(first, first + len(added))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.update(calc_edges=True)
    if normals is not None:
        mesh.normals_split_custom_set(normals)
    return len(twins)


def _find_twins(corners: NDArray[np.int32], starts: NDArray[np.int32]) -> NDArray[np.intp]:
    """The faces whose set of vertices an earlier face has, by a sum of hashes."""
    if not len(starts):
        return np.empty(0, np.intp)
    mixed = corners.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    _, first = np.unique(np.add.reduceat(mixed, starts), return_index=True)
    later = np.ones(len(starts), bool)
    later[first] = False
    return np.flatnonzero(later)
