# SPDX-License-Identifier: GPL-3.0-or-later
"""The readers of a proof: this library, and without it MuJoCo, OpenUSD, the programs of ROS and
Gazebo, and the tree of a glTF file."""

import importlib.util
import json
import re
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
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
from ...formats.usd.stages.process import find_pxr
from .child import AbsentReader, ask_library, find_program, run_program
from .options import GLTF, USD, ProofOptions
from .seen import Positions, Range, Seen, see_robot

_SECONDS = 60.0
"""For a reader outside of this process, beside the time of the simulation."""
_PACKAGES = {"mujoco": "mujoco", "usd": "usd-core"}
_TREE = re.compile(r"root Link: (.*) has \d+ child\(ren\)|((?: {4})+)child\(\d+\):  (.*)")
"""Lines of check_urdf."""
_ERROR = re.compile(r"\s*error\b", re.IGNORECASE)
_NEWER = "Unable to convert from SDF version"
"""The complaint of an older Gazebo about a newer file, which it reads all the same."""
_COLORS = re.compile(r"\x1b\[[\d;]*m")
_GLB_HEAD = struct.Struct("<4sIIII")
_EXTRA = "urdf_"
"""Before the keys of extras, which the writer for engines gives to nodes."""
_NO_BODIES = "the stage has no rigid bodies: with the engine isaac it gets them"
_BROKEN = (struct.error, ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""Errors of files without a tree of glTF."""


Reader = Callable[[Path, KinematicTree, Sequence[Positions], ProofOptions], Seen]


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


def _ask(
    name: str, path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Returns the view of a library in a child process."""
    place = find_pxr() if name == "usd" else None
    if place is None and importlib.util.find_spec({"usd": "pxr"}.get(name, name)) is None:
        raise AbsentReader(f"it is not installed: pip install {_PACKAGES[name]}")
    # Never the modules of the current folder, which may be a stranger's.
    paths = [*(each for each in sys.path if each), *([] if place is None else [place])]
    above = {link.name: tree.joint_above(link.name) for link in tree.links}
    positions = [complete_positions(tree.joint_motions, pose) for pose in (poses or [{}])]
    question = {
        "path": str(path.absolute()),
        "poses": [
            {joint: value for joint, value in pose.items() if isinstance(value, float)}
            for pose in positions
        ],
        "links": list(tree.index),
        "above": {link: motion.name for link, motion in above.items() if motion is not None},
        "moving": list(tree.motion_of),
        "seconds": options.seconds,
    }
    found = ask_library(name, question, paths, _SECONDS + options.seconds)
    if "refused" in found:
        raise ReadError(one_line(found["refused"]), source=str(path))
    return Seen(
        frames=[
            {link: np.array(frame) for link, frame in frames.items()} for frames in found["frames"]
        ],
        parents=found.get("parents", {}),
        masses={
            link: BodyMass(mass=mass, center=np.array(center), inertia=np.array(inertia))
            for link, (mass, center, inertia) in found["masses"].items()
        },
        ranges=found.get("ranges"),
        facts=found.get("facts", {}),
    )


def read_mujoco(
    path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Compiles a file with MuJoCo, places its bodies and lets it fall for a while."""
    return _ask("mujoco", path, tree, poses, options)


def read_usd(
    path: Path, tree: KinematicTree, poses: Sequence[Positions], options: ProofOptions
) -> Seen:
    """Opens a stage with OpenUSD: the frames of bodies at zero, and their masses."""
    seen = _ask("usd", path, tree, poses, options)
    frames, masses = dict(seen.frames[0]), seen.masses or {}
    if not masses and tree.index.keys().isdisjoint(frames):
        raise AbsentReader(_NO_BODIES)
    return _begin(tree, frames, {name: each.moved(frames[name]) for name, each in masses.items()})


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


def read_urdfdom(path: Path, *_: Any) -> Seen:
    """Reads a file with check_urdf of ROS: the tree of its links."""
    said = _run("check_urdf", ("check_urdf",), (), path)
    parents: dict[str, str] = {}
    above: list[str] = []
    for line in said.splitlines():
        if (found := _TREE.fullmatch(line)) is not None:
            root, indent, child = found.groups()
            above = above[: len(indent or "") // 4]
            name = child if root is None else root
            parents[name] = above[-1] if above else ""
            above.append(name)
    return Seen(frames=[], parents=parents)


def read_sdformat(path: Path, *_: Any) -> Seen:
    """Checks a file with Gazebo's own reader, libsdformat."""
    said = _run("gz sdf", ("gz", "ign"), ("sdf", "--check"), path)
    return Seen(frames=[], facts={"valid": (True, one_line(said) or "no errors")})


def _run(shown: str, programs: Sequence[str], arguments: Sequence[str], path: Path) -> str:
    program = find_program(*programs)
    if program is None:
        raise AbsentReader(f"{' or '.join(programs)} is not on PATH")
    status, said = run_program(program, [*arguments, str(path.absolute())], _SECONDS)
    said = _COLORS.sub("", said)
    errors = [line for line in said.splitlines() if _ERROR.match(line) and _NEWER not in line]
    if status or errors:
        told = one_line((errors or said.strip().splitlines() or [f"exit status {status}"])[0])
        raise ReadError(f"{shown} refuses it: {told}", source=str(path))
    return said


READING: dict[str, tuple[Reader, tuple[str, ...]]] = {
    "own": (read_own, ()),
    "mujoco": (read_mujoco, (".xml", ".mjcf")),
    "usd": (read_usd, USD),
    "gltf": (read_gltf, GLTF),
    "urdfdom": (read_urdfdom, (".urdf",)),
    "sdformat": (read_sdformat, (".sdf",)),
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
