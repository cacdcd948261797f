# SPDX-License-Identifier: GPL-3.0-or-later
"""Every reader of what others wrote, with files that it reads: for searches and for tools/fuzz."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from unittest.mock import patch

from support import hostile_seeds as seeds
from support.live_server import BINARY, TEXT
from support.live_server import frame as make_frame
from support.mesh_faces import check_mesh
from support.paths import ROOT
from support.scripted_stream import Scripted, connect_to
from support.searches import Bounds, Reads
from urdf_importer import (
    Diagnostics,
    ImportOptions,
    forward_kinematics,
    list_topics,
    plan_rig,
    read_robot,
    read_trajectory,
)
from urdf_importer.core.diagnostics import MeshError, ReadError, RobotError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.body_cache import KeptBodies, remember_bodies
from urdf_importer.core.images.check import is_whole_image
from urdf_importer.core.images.decode import decode_brightness, decode_image
from urdf_importer.core.images.size import check_image
from urdf_importer.core.kinematics.link_path_file import read_commands, read_link_path
from urdf_importer.core.meshes import load_mesh
from urdf_importer.core.meshes.gltf.judge import judge_gltf
from urdf_importer.core.pipeline.files import find_files
from urdf_importer.core.pipeline.formats import read_world
from urdf_importer.core.reshape.measures_file import read_measures_text
from urdf_importer.core.writers.graph import write_graph_picture
from urdf_importer.features.live.address import read_address
from urdf_importer.features.live.arrivals import Newest, Recording
from urdf_importer.features.live.websocket import BrokenError, FrameReader, Greeting
from urdf_importer.features.motion.fitting.servos import read_servos
from urdf_importer.features.motion.limits_file import read_joint_limits
from urdf_importer.features.motion.parquet.reading import open_parquet
from urdf_importer.features.retargeting.body import find_body
from urdf_importer.features.retargeting.bvh import read_bvh
from urdf_importer.features.retargeting.person import bridge_frames
from urdf_importer.features.waypoints.files import read_waypoints
from urdf_importer.formats.simmechanics.read import (
    edges_of_assembly,
    read_assembly,
    write_starter_parameters,
)
from urdf_importer.formats.srdf.read.semantics import read_srdf_text
from urdf_importer.formats.urdf.read.launch import UNKNOWN, read_launch
from urdf_importer.formats.worlds.importing import sort_models

HERE = read_address("ws://localhost:9090")
Make = Callable[[Path], Reads]
Seeds = Callable[[], Sequence[bytes]]


def described(suffix: str) -> Make:
    """Reads a description and plans its rig. Loops of nonsense take long to close: some do."""

    def make(folder: Path) -> Reads:
        path = folder / f"damaged{suffix}"

        def read(content: bytes) -> None:
            path.write_bytes(content)
            diagnostics = Diagnostics(str(path))
            robot = read_robot(path, diagnostics=diagnostics)
            forward_kinematics(robot, close_loops=len(content) % 16 == 0)
            plan_rig(
                robot,
                options=ImportOptions(close_loops=len(content) % 16 == 1),
                diagnostics=diagnostics,
            )

        return read

    return make


def around(suffix: str) -> Make:
    """Reads a world, and sorts its models."""

    def make(folder: Path) -> Reads:
        path = folder / f"damaged{suffix}"

        def read(content: bytes) -> None:
            path.write_bytes(content)
            options, diagnostics = ImportOptions(), Diagnostics(str(path))
            world = read_world(find_files(path, options), options, diagnostics)
            robots, things = sort_models(world, options)
            assert len({each.robot.name for each in robots}) == len(robots)
            assert len({each.link.name for each in things}) == len(things)

        return read

    return make


def grouped(folder: Path) -> Reads:
    """Reads what an SRDF says, and compares it with a robot."""
    robot = read_robot(ROOT / "sample_urdfs" / "humanoid_arm.urdf")
    return lambda content: read_srdf_text(content, robot, "x.srdf", Diagnostics())


def followed(folder: Path) -> Reads:
    """Reads a person and looks for limbs."""
    path = folder / "damaged.bvh"

    def read(content: bytes) -> None:
        path.write_bytes(content)
        diagnostics = Diagnostics(str(path))
        find_body(bridge_frames(read_bvh(str(path), diagnostics), diagnostics))

    return read


def judged(folder: Path) -> Reads:
    """Judges a person's glTF before Blender reads it."""
    path, resolver = folder / "damaged.gltf", PackageResolver(folder / "damaged.gltf")

    def read(content: bytes) -> None:
        path.write_bytes(content)
        try:
            judge_gltf(path, lambda uri, kind: resolver.resolve_file(uri, print, kind=kind))
        except MeshError as error:
            raise ReadError(error.message) from None

    return read


def kept(folder: Path) -> Reads:
    """Reads a file of the cache of shapes; nothing that is in it raises."""
    place = folder / "urdf-importer" / "shapes"
    place.mkdir(parents=True, exist_ok=True)

    def read(content: bytes) -> None:
        (place / "damaged.npz").write_bytes(content)
        with patch.dict(os.environ, {"XDG_CACHE_HOME": str(folder)}):
            remember_bodies("damaged", lambda: KeptBodies(bodies=(), lasting=False))

    return read


def columned(folder: Path) -> Reads:
    """Reads each column of a Parquet file, and a dataset and a table of it."""
    path, arm = folder / "damaged.parquet", read_robot(ROOT / "tests/data/turn_and_slide.urdf")
    data, meta = folder / "d/data/chunk-000", folder / "d/meta"
    data.mkdir(parents=True, exist_ok=True)
    meta.mkdir(exist_ok=True)
    (meta / "info.json").write_text(seeds.DATASET)
    (meta / "episodes.jsonl").write_text('{"episode_index": 0, "length": 12}')

    def read(content: bytes) -> None:
        path.write_bytes(content)
        (data / "episode_000000.parquet").write_bytes(content)
        with open_parquet(str(path)) as file:
            for name in file.names:
                file.read(name)
        for source in (folder / "d", path):
            try:
                read_trajectory(source, robot=arm, diagnostics=Diagnostics())
            except RobotError as error:
                assert "\n" not in str(error)

    return read


def recorded(suffix: str) -> Make:
    def make(folder: Path) -> Reads:
        arm = read_robot(ROOT / "tests/data/turn_and_slide.urdf")
        path = folder / f"damaged{suffix}"

        def read(content: bytes) -> None:
            path.write_bytes(content)
            if suffix in (".bag", ".mcap", ".db3"):
                list_topics(path)
            found = read_trajectory(path, robot=arm if len(content) % 2 else None)
            assert found.positions.shape == (len(found.times), len(found.names))

        return read

    return make


def meshed(suffix: str) -> Make:
    def make(folder: Path) -> Reads:
        path = folder / f"damaged{suffix}"

        def read(content: bytes) -> None:
            path.write_bytes(content)
            check_mesh(load_mesh(path, (1.0, 1.0, 1.0), lambda code, message: None))

        return read

    return make


def assembled(kind: str) -> Make:
    def make(folder: Path) -> Reads:
        parameters, table = folder / "p.yaml", folder / "j.csv"
        gate = seeds.assemblies()[0]

        def read(content: bytes) -> None:
            parameters.write_bytes(content if kind == "yaml" else b"")
            table.write_bytes(content if kind == "csv" else b"joint_name\n")
            reading = read_assembly(
                content if kind == "xml" else gate, "x.xml", Diagnostics(),
                parameters=str(parameters), joint_parameters=str(table),
            )  # fmt: skip
            write_graph_picture("x", edges_of_assembly(reading))
            write_starter_parameters(reading)

        return read

    return make


def named(suffix: str, read_path: Callable[[str], object]) -> Make:
    def make(folder: Path) -> Reads:
        path = folder / f"damaged{suffix}"

        def read(content: bytes) -> None:
            path.write_bytes(content)
            read_path(str(path))

        return read

    return make


def plain(read: Reads) -> Make:
    return lambda folder: read


def served(protocol: str) -> Make:
    """Lets a server say messages. Nothing that it says raises."""

    def read(content: bytes) -> None:
        parts = content.split(seeds.SPLIT)[:8]
        pieces = [make_frame(TEXT if each[:1] == b"{" else BINARY, each) for each in parts]
        stream = Scripted([b"".join(pieces)], protocol=protocol)
        connection = connect_to(stream)
        newest, recording = Newest(), Recording()
        while stream.pieces or stream.greets:
            arrivals = connection.poll()
            assert connection.state in ("connecting", "connected"), connection.error
        arrivals = connection.poll()
        newest.update(arrivals)
        recording.add(arrivals)
        newest.tracks()
        assert connection.state == "connected", connection.error

    return plain(read)


def read_frames(content: bytes) -> None:
    greeting, frames = Greeting(HERE, (), key=bytes(16)), FrameReader()
    try:
        frames.feed(greeting.receive(content) or b"")
        while frames.next() is not None:
            pass
    except BrokenError as error:
        assert "\n" not in str(error)


def read_launch_file(content: bytes) -> None:
    for each in read_launch(content.decode("utf-8", "replace")):
        assert each.path and UNKNOWN not in each.path + "".join(map("".join, each.arguments))


def read_image(content: bytes) -> None:
    check_image(content, "x.png")
    is_whole_image(content)
    decode_image(content)
    decode_brightness(content)


READERS: dict[str, tuple[Seeds, Make]] = {
    "urdf": (lambda: seeds.URDF, described(".urdf")),
    "xacro": (lambda: seeds.XACRO, described(".xacro")),
    "sdf": (lambda: seeds.SDF, described(".sdf")),
    "mjcf": (lambda: seeds.MJCF, described(".mjcf")),
    "sdf world": (lambda: seeds.SDF, around(".sdf")),
    "mjcf world": (lambda: seeds.MJCF, around(".mjcf")),
    "srdf": (lambda: seeds.SRDF, grouped),
    "assembly": (seeds.assemblies, assembled("xml")),
    "parameters": (lambda: seeds.PARAMETERS, assembled("yaml")),
    "joint table": (lambda: seeds.JOINT_TABLE, assembled("csv")),
    "measures": (lambda: seeds.MEASURES, plain(lambda content: read_measures_text(content, "x"))),
    "waypoints": (lambda: seeds.WAYPOINTS, named(".yaml", read_waypoints)),
    "waypoint table": (lambda: seeds.WAYPOINT_TABLE, named(".csv", read_waypoints)),
    "joint limits": (lambda: seeds.LIMITS,
                     named(".yaml", lambda path: read_joint_limits(path, Diagnostics()))),
    "link path": (lambda: seeds.PATHS[:1], named(".csv", read_link_path)),
    "commands": (lambda: seeds.PATHS[1:], named(".csv", read_commands)),
    "bag": (seeds.bags, recorded(".bag")),
    "mcap": (seeds.mcaps, recorded(".mcap")),
    "database": (seeds.databases, recorded(".db3")),
    "table": (lambda: seeds.TABLES, recorded(".csv")),
    "json": (lambda: seeds.JSON, recorded(".json")),
    "yaml": (lambda: seeds.YAML, recorded(".yaml")),
    "arrays": (seeds.arrays, recorded(".npz")),
    "parquet": (seeds.parquets, columned),
    "servos": (lambda: seeds.SERVOS, named(".yaml", read_servos)),
    "gltf motion": (seeds.motions, judged),
    "kept shapes": (seeds.kept_shapes, kept),
    "person": (lambda: seeds.PEOPLE, followed),
    "launch": (lambda: seeds.LAUNCH, plain(read_launch_file)),
    "websocket": (seeds.frames, plain(read_frames)),
    "rosbridge": (lambda: seeds.PUBLISHED, served("")),
    "foxglove": (seeds.channels, served("foxglove.websocket.v1")),
    "image": (seeds.images, plain(read_image)),
    **{
        suffix: (partial(seeds.meshes, suffix), meshed(suffix))
        for suffix in (".stl", ".dae", ".obj", ".ply", ".glb", ".msh")
    },
}  # fmt: skip
BOUNDS = {"xacro": Bounds(seconds=12.0)}
"""A xacro file may use its whole budget."""


def plain_name(reader: str) -> str:
    """Returns the name of a reader as tools/fuzz takes it, a word of the command line."""
    return reader.strip(".").replace(" ", "-")
