# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on a rig that exists, and on the scene that it is in."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from ..arguments import options_of, positions_of, rig_of, rigs_of, texts_of
from ..diagnostics import Diagnostics
from ..files.packages import AnyPath
from ..geometry.transforms import Matrix
from ..kinematics.conventions import Convention
from ..kinematics.forward import Position
from ..options import PlacementOptions


def set_joint_positions(
    armature: Any, positions: Mapping[str, Position], diagnostics: Diagnostics | None = None
) -> None:
    """Poses an imported robot, also one in a re-opened .blend.

    `positions`: joint name -> radians (revolute, continuous) or metres (prismatic); (x, y, yaw) for
    planar joints, (x, y, z, qx, qy, qz, qw) for floating ones, (qx, qy, qz, qw) for ball joints.
    Joints that mimic another follow it, whatever `positions` has for them; the rig shows every
    joint within its limits. Closed loops stay closed: where a free joint cannot go as far, the pose
    is the nearest that closes, and `diagnostics` get `loop-out-of-reach`.

    Raises KinematicsError for an unknown joint or a wrong position (and moves nothing), BuildError
    for an object that is not an imported robot.
    """
    from ..blender.standing import pose

    armature = rig_of(armature)
    pose.set_joint_positions(armature, positions_of(positions), diagnostics)


def get_joint_positions(armature: Any) -> dict[str, float | tuple[float, ...]]:
    """Returns joint name -> position as the rig shows it, after limits, IK and drivers; for all
    moving joints, in the units and tuples of set_joint_positions. Raises BuildError."""
    from ..blender.standing import pose

    armature = rig_of(armature)
    return pose.get_joint_positions(armature)


def mirror_pose(armature: Any, joints: Collection[str] | None = None) -> int:
    """Puts a robot into the mirrored pose, at its own plane of symmetry; with `joints`, only their
    partners on the other side move. Partners and signs are found by geometry. Returns how many
    joints were set.

    Raises KinematicsError where no joint has a partner, and for an unknown joint; BuildError for an
    object that is not an imported robot.
    """
    from ..blender.standing import mirrored

    armature = rig_of(armature)
    return mirrored.mirror_pose(armature, None if joints is None else texts_of(joints, "joints"))


def link_pose(armature: Any, link: str, *, convention: Convention | None = None) -> Matrix:
    """Returns the evaluated frame (4, 4) of a link in armature space, as `convention` writes it.
    Raises KinematicsError."""
    from ..blender.standing import pose

    armature = rig_of(armature)
    frame = pose.link_pose(armature, link)
    return frame if convention is None else convention.from_robot(frame)


def place_robots(
    armatures: Sequence[Any],
    options: PlacementOptions | None = None,
    *,
    across: tuple[float, float, float] = (1.0, 0.0, 0.0),
) -> None:
    """Puts imported robots where the options say, and scales them, by their armature objects.
    Several stand side by side, and none inside another that the scene shows, unless they are to be
    at the cursor: along X or Y, whichever is nearer to `across`, the right of whoever looks. Where
    they stood before does not matter; views stay."""
    from ..blender.standing import placing

    placing.place_robots(rigs_of(armatures), options_of(options, PlacementOptions), across)


def duplicate_robot(armature: Any, *, linked: bool = True) -> Any:
    """Copies a whole robot with all that is on it, in its place; returns the copy's armature, which
    is selected. Bones, poses and animation are its own; with `linked` meshes are shared. Hidden
    parts stay hidden. Raises BuildError."""
    from ..blender.standing import whole

    armature = rig_of(armature)
    return whole.duplicate_robot(armature, linked=linked)


def delete_robot(armature: Any) -> None:
    """Removes a whole robot and what only it uses. Objects that you attached to it stay where they
    are. Raises BuildError."""
    from ..blender.standing import whole

    armature = rig_of(armature)
    whole.delete_robot(armature)


def reset_parts(armature: Any, *, locked_only: bool = False) -> int:
    """Puts links, shapes and inertial frames that were displaced back to where the description has
    them, in any pose; returns how many there were. With `locked_only` those that a user unlocked
    stay. Raises BuildError."""
    from ..blender.update import reset

    armature = rig_of(armature)
    return reset.reset_parts(armature, locked_only=locked_only)


def new_file() -> None:
    """Opens a new file in Blender, empty and with Blender's own settings. What is open is lost."""
    from ..blender import save

    save.new_file()


def open_blend(path: AnyPath) -> None:
    """Opens a .blend in Blender, without its window layout and without running its scripts. What is
    open is lost. Raises ReadError; what is open stays then."""
    from ..blender import save

    save.open_file(path)


def find_robots() -> dict[str, Any]:
    """Finds the imported robots in the scene: name of the object -> armature."""
    from ..blender.standing.robot_table import find_robots

    return {armature.name: armature for armature in find_robots()}


def save_blend(path: AnyPath) -> None:
    """Saves what is open in Blender as a compressed .blend, whole or not at all, without backups.

    An existing file is overwritten. Raises WriteError, also for a name that does not end in .blend.
    """
    from ..blender import save

    save.save_scene(path)


def render_preview(
    armature: Any,
    path: AnyPath,
    *,
    width: int = 960,
    height: int = 720,
    samples: int = 16,
    bones: bool = False,
) -> None:
    """Renders an imported robot, as it is posed, into a PNG file; works without a window.

    `width` and `height` are in pixels, `samples` per pixel. `bones` shows the rig through a
    transparent robot. The scene stays as it is; an existing file is overwritten. Raises BuildError
    for an object that is not an imported robot, WriteError where the file cannot be written
    or its name does not end in .png.
    """
    from ..blender.preview import render as preview

    armature = rig_of(armature)
    preview.render_preview(armature, path, width=width, height=height, samples=samples, bones=bones)


def mark_as_asset(armature: Any) -> Any:
    """Marks a robot's collection as an asset, with a picture of the robot as it is posed: the asset
    browser shows it, and drags the robot into other files. Returns the collection.

    Raises BuildError for an object that is not an imported robot of this file in a collection of
    its own, WriteError where the picture cannot be made.
    """
    from ..blender.preview import asset

    armature = rig_of(armature)
    return asset.mark_as_asset(armature)


def build_studio(
    armatures: Sequence[Any],
    *,
    turntable: Literal["plate", "camera", "none"] = "plate",
    frames: int = 0,
) -> Any:
    """Builds a studio around imported robots, as they are posed, in the scene: ground, three
    lights and the active camera, in one collection, which is returned. One that is there is
    replaced. Robots, world and render settings stay as they are.

    `turntable`: "plate" takes camera and lights around the robots, so that they seem to turn on a
    plate; "camera" the camera alone; "none" nothing. Once around takes `frames` from the scene's
    first frame on, and goes on without a jump; 0 stands for the scene's own range.

    Raises BuildError for an object that is not an imported robot, and for no robots at all.
    """
    from ..blender.preview import stage

    return stage.build_studio(rigs_of(armatures), turntable=turntable, frames=frames)


def remove_studio() -> bool:
    """Removes the scene's studio; the camera that was active before it is so again. Returns whether
    there was one."""
    from ..blender.preview import stage

    return stage.remove_studio()


def set_material_preset(
    armature: Any,
    preset: Literal["auto", "plastic", "aluminium", "rubber"] = "auto",
    objects: Collection[Any] | None = None,
) -> int:
    """Gives the materials of a robot's visuals, or of those among `objects`, the roughness and
    metal of a preset; "auto" goes by their names, else by their colours. Colours and images stay.
    Materials that something else shows too are copied first. Returns how many were set.

    Raises BuildError for an object that is not an imported robot.
    """
    from ..blender.standing import finishes

    armature = rig_of(armature)
    return finishes.set_material_preset(armature, preset, objects)
