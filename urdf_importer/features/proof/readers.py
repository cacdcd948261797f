# SPDX-License-Identifier: GPL-3.0-or-later
"""The readers of a proof: this library, and MuJoCo, OpenUSD and glTF's own tree without it."""

import importlib.util
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from ...core.diagnostics import Diagnostics, ReadError, RobotError, one_line
from ...core.files.outputs import list_files
from ...core.files.regular import read_regular_file
from ...core.geometry.inertia import BodyMass
from ...core.geometry.transforms import Matrix, invert, rotation_from_quaternion
from ...core.kinematics.forward import complete_positions, place_links, zero_frames
from ...core.kinematics.tree import KinematicTree
from ...core.options import FileOptions, ImportOptions
from ...core.pipeline.files import find_files, open_files
from ...core.pipeline.formats import writer_formats
from ...core.pipeline.importing import read_robot
from ...core.readers.formats import reader_formats
from .options import GLTF, USD, ProofOptions
from .seen import Positions, Range, Seen, see_robot

_DEEP = 0.0005
"""m; deeper contacts push robots off."""
_MOST_STEPS = 200_000
"""Of a simulation, whose file states their length."""
_GLB_HEAD = struct.Struct("<4sIIII")
_EXTRA = "urdf_"
"""Before the keys of extras, which the writer for engines gives to nodes."""
_NO_BODIES = "the stage has no rigid bodies: with the engine isaac it gets them"
_BROKEN = (struct.error, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors of files without a tree of glTF."""


Reader = Callable[[Path, KinematicTree, Sequence[Positions], ProofOptions], Seen]


class AbsentReader(Exception):
    """A reader that is not installed, or has no part in such files."""


def read_own(
    path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Reads a file with this library, with the same folders of packages."""
    if path.suffix.lower() in GLTF:
        return read_gltf(path, tree, poses, options)
    path, reading = find_file(path, tree.robot.source, options)
    try:
        robot = read_robot(path, options=reading)
    except ReadError as error:
        if "no rigid bodies" not in error.message:
            raise
        raise AbsentReader(_NO_BODIES) from None
    files = open_files(find_files(path, reading), Diagnostics(), robot, reading)
    return see_robot(robot, files if options.shapes else None, poses, tree)


def find_file(path: Path, source: str, options: FileOptions) -> tuple[Path, ImportOptions]:
    """Returns the description that a path is, or that is in an exported folder, and the options for
    it: packages are also looked for beside the `source` of the robot. Raises AbsentReader for a
    format that nothing here reads."""
    home = (str(Path(source).parent),) if source else ()
    if path.is_dir():
        home, path = (*home, str(path)), _find_described(path)
    elif path.suffix.lower() in _list_unread():
        raise AbsentReader(f"nothing here reads {path.suffix} back")
    folders = (*options.package_paths, *home)
    return path, ImportOptions(packages=options.packages, package_paths=folders)


def _list_unread() -> set[str]:
    """Returns the suffixes that are written, and that no reader has."""
    written = {suffix for each in writer_formats() for suffix in each.suffixes}
    read = {suffix for each in reader_formats() for suffix in each.suffixes}
    return written - read - {".xml", *GLTF}


def _find_described(folder: Path) -> Path:
    """Returns the description in an exported folder, else the folder. Raises AbsentReader for a
    folder of a format that nothing here reads."""
    files = list_files(folder)
    homes = {each.kinds[0].suffix for each in writer_formats() if each.writes_folders}
    if unread := homes & _list_unread() & {each.suffix for each in files}:
        raise AbsentReader(f"nothing here reads {min(unread)} back")
    found = [each for each in files if each.suffix == ".urdf"]
    return found[0] if len(found) == 1 else folder


def read_mujoco(
    path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Compiles a file with MuJoCo, places its bodies and lets it fall for a while."""
    if importlib.util.find_spec("mujoco") is None:
        raise AbsentReader("it is not installed: pip install mujoco")
    import mujoco  # type: ignore[import-untyped,unused-ignore]

    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        raise ReadError(f"MuJoCo refuses it: {one_line(error)}", source=str(path)) from None
    data = mujoco.MjData(model)
    joints = _name_joints(model, tree)
    frames = []
    for pose in poses:
        _pose_mujoco(mujoco, model, data, joints, complete_positions(tree.joint_motions, pose))
        frames.append(_mujoco_frames(model, data))
    _pose_mujoco(mujoco, model, data, joints, complete_positions(tree.joint_motions, {}))
    bodies = [model.body(i) for i in range(1, model.nbody)]
    masses = {}
    for body in bodies:
        turn = data.ximat[body.id].reshape(3, 3)
        inertia = turn @ np.diag(model.body_inertia[body.id]) @ turn.T
        masses[body.name] = BodyMass(
            mass=float(body.mass[0]), center=data.xipos[body.id].copy(), inertia=inertia
        )
    ranges: dict[str, Range] = {}
    for name, joint in joints.items():
        low, high = joint.range if model.jnt_limited[joint.id] else (None, None)
        ranges[name] = (low, high, None, None)
    return Seen(
        frames=frames,
        parents={body.name: model.body(body.parentid[0]).name for body in bodies},
        masses=masses,
        ranges=ranges,
        facts=_fall(mujoco, model, data, options.seconds),
    )


def _pose_mujoco(
    mujoco: Any, model: Any, data: Any, joints: dict[str, Any], positions: Mapping[str, Any]
) -> None:
    mujoco.mj_resetData(model, data)
    for name, value in positions.items():
        if name in joints and isinstance(value, float):
            data.qpos[joints[name].qposadr[0]] = value
    mujoco.mj_kinematics(model, data)


def _name_joints(model: Any, tree: KinematicTree) -> dict[str, Any]:
    """Returns the joints by the names of the original: a renamed one by the body that it moves."""
    found = {model.joint(i).name: model.joint(i) for i in range(model.njnt)}
    for joint in list(found.values()):
        above = tree.joint_above(model.body(joint.bodyid[0]).name)
        if above is not None and joint.name not in tree.motion_of:
            found.setdefault(above.name, joint)
    return found


def _mujoco_frames(model: Any, data: Any) -> dict[str, Matrix]:
    found = {}
    for count, read in ((model.nsite, "site"), (model.nbody, "body")):
        for i in range(count):
            name = getattr(model, read)(i).name
            places, turns = (data.site_xpos, data.site_xmat) if read == "site" else (
                data.xpos, data.xmat)  # fmt: skip
            frame = np.eye(4)
            frame[:3, :3], frame[:3, 3] = turns[i].reshape(3, 3), places[i]
            found[name] = frame
    return found


def _fall(mujoco: Any, model: Any, data: Any, seconds: float) -> dict[str, tuple[bool, str]]:
    """Tells of contacts at the start, and whether all stays finite for so long."""
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    deep = [each for each in data.contact if each.dist < -_DEEP]
    told = f"{len(deep)} contacts are deeper than 0.5 mm at the start"
    facts = {"contacts": (not deep, told if deep else "none is deeper than 0.5 mm")}
    if not seconds <= _MOST_STEPS * model.opt.timestep:
        told = f"its steps of {model.opt.timestep:g} s are too short for {seconds:g} s"
        facts["simulation"] = (False, told)
    elif seconds > 0.0:
        while data.time < seconds and np.isfinite(data.qpos).all():
            mujoco.mj_step(model, data)
            if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
                break
        bad = data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number > 0
        calm = bool(np.isfinite(data.qpos).all()) and not bad
        text = f"stays finite for {seconds:g} s" if calm else f"is unstable at {data.time:.3g} s"
        facts["simulation"] = (calm, text)
    return facts


def read_usd(
    path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Opens a stage with OpenUSD: the frames of bodies at zero, and their masses."""
    if importlib.util.find_spec("pxr") is None:
        raise AbsentReader("it is not installed: pip install usd-core")
    from pxr import Tf, Usd  # type: ignore[import-untyped,unused-ignore]

    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        raise ReadError(f"OpenUSD refuses it: {one_line(error)}", source=str(path)) from None
    try:
        frames, masses = _walk_stage(stage, tree)
        if not masses and tree.index.keys().isdisjoint(frames):
            raise AbsentReader(_NO_BODIES)
        return _begin(tree, frames, masses)
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        message = "attributes of its bodies are missing or of another kind"
        raise ReadError(message, source=str(path)) from None


def _walk_stage(stage: Any, tree: KinematicTree) -> tuple[dict[str, Matrix], dict[str, BodyMass]]:
    from pxr import Tf, UsdGeom, UsdPhysics

    unit = UsdGeom.GetStageMetersPerUnit(stage)
    cache, xform = UsdGeom.XformCache(), UsdGeom.Xform
    frames: dict[str, Matrix] = {}
    masses: dict[str, BodyMass] = {}
    names = {Tf.MakeValidIdentifier(name): name for name in tree.index}
    for prim in stage.Traverse():
        name = names.get(prim.GetName(), prim.GetName())
        is_body = prim.HasAPI(UsdPhysics.RigidBodyAPI) or prim.HasAPI(UsdPhysics.MassAPI)
        if not is_body and (name not in tree.index or name in frames or not prim.IsA(xform)):
            continue
        frame = np.array(cache.GetLocalToWorldTransform(prim)).T
        frame[:3, 3] *= unit
        frames[name] = frame
        mass = UsdPhysics.MassAPI(prim)
        if prim.HasAPI(UsdPhysics.MassAPI) and (kilograms := mass.GetMassAttr().Get()):
            center = np.array(mass.GetCenterOfMassAttr().Get(), dtype=float) * unit
            turn = mass.GetPrincipalAxesAttr().Get()
            axes = rotation_from_quaternion([*turn.GetImaginary(), turn.GetReal()])
            moments = np.diag(np.array(mass.GetDiagonalInertiaAttr().Get(), dtype=float))
            local = BodyMass(
                mass=float(kilograms), center=center, inertia=axes @ moments @ axes.T * unit**2
            )
            masses[name] = local.moved(frame)
    return frames, masses


def _begin(
    tree: KinematicTree, frames: dict[str, Matrix], masses: dict[str, BodyMass] | None
) -> Seen:
    """Returns a view of a file that shows all joints at zero, with followers where their leaders at
    zero take them."""
    zero, begun = zero_frames(tree), place_links(tree, {})
    here = next((name for name in tree.index if name in frames), None)
    if here is None:
        return Seen(frames=[frames], masses=masses)
    turn = frames[here] @ invert(zero[tree.index[here]])
    moves = {
        name: turn @ begun[name] @ invert(zero[place]) @ invert(turn)
        for name, place in tree.index.items()
        if name in frames and not np.allclose(begun[name], zero[place], rtol=0.0, atol=1e-12)
    }
    return Seen(
        frames=[{name: moves[name] @ each if name in moves else each
                 for name, each in frames.items()}],
        masses=masses and {name: each.moved(moves[name]) if name in moves else each
                           for name, each in masses.items()},
    )  # fmt: skip


def read_gltf(
    path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Reads the tree of a glTF file: the frames of links at zero, by their names in its extras."""
    content = read_regular_file(str(path))
    try:
        if path.suffix.lower() == ".glb":
            _, _, _, length, _ = _GLB_HEAD.unpack_from(content)
            content = content[_GLB_HEAD.size : _GLB_HEAD.size + length]
        nodes = json.loads(content)["nodes"]
        frames = _gltf_frames(nodes)
        extras = [each for node in nodes if isinstance(each := node.get("extras"), dict)]
        links = _carry(extras, frames)
        seen = _begin(tree, frames, _gltf_masses(links, frames))
        return replace(seen, ranges=_gltf_ranges(extras))
    except _BROKEN as error:
        raise ReadError(f"no tree of glTF: {one_line(error)}", source=str(path)) from None


def _gltf_frames(nodes: list[dict[str, Any]]) -> dict[str, Matrix]:
    """Returns link -> its frame at rest; each node is placed once, a ring of nodes never."""
    worlds: dict[int, Matrix] = {}
    children = {child for node in nodes for child in node.get("children", ())}
    stack = [(k, np.eye(4)) for k in range(len(nodes)) if k not in children]
    while stack:
        at, above = stack.pop()
        if at not in worlds:
            worlds[at] = above @ _local(nodes[at])
            stack += [(child, worlds[at]) for child in nodes[at].get("children", ())]
    found: dict[str, Matrix] = {}
    for k, frame in worlds.items():
        extras = nodes[k].get("extras", {})
        link = extras.get(f"{_EXTRA}link") if isinstance(extras, dict) else None
        name = link.get("name") if isinstance(link, dict) else link
        if isinstance(name, str):
            found[name] = frame
    return found


def _carry(extras: list[dict[str, Any]], frames: dict[str, Matrix]) -> list[dict[str, Any]]:
    """Returns the links of extras and the links that they carry, whose frames are added."""
    links = [each[f"{_EXTRA}link"] for each in extras if f"{_EXTRA}link" in each]
    for link in list(links):
        for carried in link.get("carries", ()):
            place = np.eye(4)
            place[:3, 3] = carried["position"]
            place[:3, :3] = rotation_from_quaternion(carried["rotation"])
            frames[carried["name"]] = frames[link["name"]] @ place
            links.append(carried)
    return links


def _gltf_masses(links: list[dict[str, Any]], frames: dict[str, Matrix]) -> dict[str, BodyMass]:
    found = {}
    for link in links:
        if "mass" in link:
            xx, xy, xz, yy, yz, zz = map(float, link.get("inertia", (0.0,) * 6))
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            center = np.array(link.get("center_of_mass", (0.0,) * 3), dtype=float)
            body = BodyMass(mass=float(link["mass"]), center=center, inertia=tensor)
            found[link["name"]] = body.moved(frames[link["name"]])
    return found


def _gltf_ranges(extras: list[dict[str, Any]]) -> dict[str, Range]:
    joints = (each[f"{_EXTRA}joint"] for each in extras if f"{_EXTRA}joint" in each)
    keys = ("lower", "upper", "effort", "velocity")
    return {j["name"]: (j.get(keys[0]), j.get(keys[1]), j.get(keys[2]), j.get(keys[3]))
            for j in joints}  # fmt: skip


def _local(node: dict[str, Any]) -> Matrix:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    frame = np.eye(4)
    frame[:3, :3] = rotation_from_quaternion(node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    frame[:3, :3] *= np.array(node.get("scale", (1.0, 1.0, 1.0)))
    frame[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return frame


def _refuse_program(program: str) -> Reader:
    def read(path: Path, *_: Any) -> Seen:
        found = "is there, and is not started from here" if which(program) else "is not installed"
        raise AbsentReader(f"{program} {found}: run it yourself")

    return read


READING: dict[str, tuple[Reader, tuple[str, ...]]] = {
    "own": (read_own, ()),
    "mujoco": (read_mujoco, (".xml", ".mjcf")),
    "usd": (read_usd, USD),
    "gltf": (read_gltf, GLTF),
    "urdfdom": (_refuse_program("check_urdf"), (".urdf",)),
    "sdformat": (_refuse_program("gz"), (".sdf",)),
}
"""Name -> the reader, and the suffixes that it reads; none for all."""


def list_readers(path: Path, asked: Sequence[str]) -> list[str]:
    """Lists the readers that were asked for; without any, all that read such files."""
    suffix = path.suffix.lower()
    fitting = (name for name, (_, suffixes) in READING.items() if suffix in (suffixes or (suffix,)))
    return list(asked or fitting)


def try_reader(
    name: str, path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen | str | RobotError:
    """Returns the view of a reader; a sentence for one that is absent, the error of a refusal."""
    try:
        read, suffixes = READING[name]
        if suffixes and path.suffix.lower() not in suffixes:
            return f"it reads {' and '.join(suffixes)}"
        return read(path, tree, poses, options)
    except AbsentReader as error:
        return str(error)
    except RobotError as error:
        return error
