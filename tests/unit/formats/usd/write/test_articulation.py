# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of USD with physics, each on a robot made for it; all are read by usd-core at once."""

import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT
from support.usd_machines import Machine, read_files, worst_of_joints, worst_of_places
from urdf_importer import EngineOptions, WriteError, export_robot, read_robot
from urdf_importer.cli import main
from urdf_importer.core.model import LoopJoint, Pose

MASS = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="2"/>'
    '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial>'
)
BOX = '<collision><geometry><box size="1 2 3"/></geometry></collision>'
LIMIT = '<limit lower="-1" upper="2" effort="7" velocity="3"/>'


def link(name: str, inside: str = MASS) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.3 0.2 0.1" rpy="0.5 -0.2 1"/>{inside}</joint>'
    )


ROBOTS = {
    "arm": link("base", MASS + BOX) + link("arm", MASS + BOX) + link("tool") + link("tip", "")
    + joint("turn", "revolute", "base", "arm",
            f'<axis xyz="1 2 3"/>{LIMIT}<dynamics damping="0.5" friction="0.25"/>')
    + joint("hold", "fixed", "arm", "tool") + joint("end", "fixed", "tool", "tip"),
    "slider": link("world", "") + link("base") + link("sled")
    + joint("stand", "fixed", "world", "base")
    + joint("slide", "prismatic", "base", "sled", f'<axis xyz="0 -1 0"/>{LIMIT}'),
    "bare": link("world", "") + link("sled")
    + joint("slide", "prismatic", "world", "sled", f'<axis xyz="0 0 1"/>{LIMIT}'),
    "plane": link("floor", "") + link("base") + link("wheel")
    + joint("glide", "planar", "floor", "base", '<axis xyz="0 1 0"/>')
    + joint("roll", "continuous", "base", "wheel", '<axis xyz="0 1 0"/>'),
    "loose": link("base") + link("ball") + link("free")
    + joint("socket", "spherical", "base", "ball") + joint("fly", "floating", "base", "free"),
    "light": link("foot", "") + link("base") + link("spin", "") + link("head")
    + joint("up", "fixed", "foot", "base")
    + joint("yaw", "continuous", "base", "spin", '<axis xyz="0 0 1"/>')
    + joint("neck", "continuous", "spin", "head", '<axis xyz="1 0 0"/>'),
    "odd": link("joints") + link("1 ä/b") + link("1_b", MASS.replace("0.02", "-0.02"))
    + joint('say &quot;so&quot;\\', "continuous", "joints", "1 ä/b", '<axis xyz="0 0 1"/>')
    + joint("1", "continuous", "joints", "1_b", '<axis xyz="0 0 1"/>'),
    "rubber": link("base", MASS + BOX) + '<gazebo reference="base"><mu1>0.9</mu1><mu2>0.4</mu2>'
    "</gazebo>",
}  # fmt: skip

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name in ROBOTS
} | {
    "merged": ("arm", {"fixed_joints": "merge", "sockets": False}),
    "static": ("arm", {"base": "fixed", "self_collision": True}),
    "freed": ("slider", {"base": "free"}),
    "sprung": ("arm", {"drive_frequency": 2.0}),
    "turned": ("arm", {"forward": "z"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Machine]:
    folder = tmp_path_factory.mktemp("machines")
    made = {}
    for name, (robot_name, options) in CASES.items():
        source = folder / f"{name}.urdf"
        source.write_text(f'<robot name="{robot_name}">{ROBOTS[robot_name]}</robot>', "utf-8")
        robot = read_robot(source)
        chosen = EngineOptions(**{"usd": "physics", "forward": "x", **options})
        made[name] = robot, export_robot(robot, folder / f"{name}.usda", options=chosen)
    said = read_files([written.path for _, written in made.values()], folder / "said.json")
    return {
        name: Machine(robot=robot, written=written, said=each)
        for (name, (robot, written)), each in zip(made.items(), said, strict=True)
    }


def test_all_are_sound(machines: dict[str, Machine]) -> None:
    for name, machine in machines.items():
        assert machine.said["faults"] == [], name
        if name != "turned":
            assert worst_of_places(machine) < 1e-6, name
            assert worst_of_joints(machine, None) < 1e-6, name


def test_units_are_degrees_and_drives_damp(machines: dict[str, Machine]) -> None:
    turn = machines["arm"].shown("joints")["turn"]
    assert turn["physics:lowerLimit"] == pytest.approx(math.degrees(-1.0))
    assert turn["physics:upperLimit"] == pytest.approx(math.degrees(2.0))
    assert turn["physxJoint:maxJointVelocity"] == pytest.approx(math.degrees(3.0))
    assert turn["newton:velocityLimit"] == pytest.approx(math.degrees(3.0))
    assert turn["newton:friction"] == turn["physxJointAxis:angular:staticFrictionEffort"] == 0.25
    assert turn["drive:angular:physics:stiffness"] == 0.0
    assert turn["drive:angular:physics:damping"] == pytest.approx(math.radians(0.5))
    assert turn["drive:angular:physics:maxForce"] == 7.0
    slide = machines["slider"].shown("joints")["slide"]
    assert (slide["physics:lowerLimit"], slide["physics:upperLimit"]) == (-1.0, 2.0)
    assert slide["drive:linear:physics:maxForce"] == 7.0
    assert slide["physxJoint:maxJointVelocity"] == 3.0


def test_a_frequency_makes_critically_damped_springs(machines: dict[str, Machine]) -> None:
    """By hand: the arm's inertia about the joint, with that of the tool that is fixed to it."""
    drive = machines["sprung"].shown("joints")["turn"]
    stiffness = drive["drive:angular:physics:stiffness"] * math.degrees(1.0)
    damping = drive["drive:angular:physics:damping"] * math.degrees(1.0) - 0.5
    speed = 4.0 * math.pi
    load = stiffness / speed**2
    assert damping == pytest.approx(2.0 * load * speed, rel=1e-5)
    assert load == pytest.approx(_load_by_pinocchio(machines["sprung"]), rel=1e-5)


def _load_by_pinocchio(machine: Machine) -> float:
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(machine.robot.source))
    return float(pinocchio.crba(model, model.createData(), pinocchio.neutral(model))[0, 0])


def test_bodies_stand_side_by_side_and_fixed_links_are_kept_or_merged(
    machines: dict[str, Machine],
) -> None:
    kept, merged = machines["arm"], machines["merged"]
    assert set(kept.shown("bodies")) == {"base", "arm", "tool"}
    assert all(path.count("/") == 2 for path in kept.said["bodies"])
    assert kept.shown("joints")["hold"]["kind"] == "PhysicsFixedJoint"
    assert set(merged.shown("bodies")) == {"base", "arm"}
    assert set(merged.shown("joints")) == {"turn"}
    assert merged.shown("bodies")["arm"]["physics:mass"] == 4.0
    assert kept.written.bones["tip"] == "tool" and merged.written.bones["tip"] == "arm"
    assert 'def Xform "tip"' in kept.written.path.read_text()
    assert 'def Xform "tip"' not in merged.written.path.read_text()


def test_articulations_begin_where_robots_are_held(machines: dict[str, Machine]) -> None:
    """At the joint that fixes a robot in the world, else at its first body."""

    def root_of(name: str) -> list[str]:
        parts = machines[name].shown("joints") | machines[name].shown("bodies")
        return [key for key, prim in parts.items()
                if "PhysicsArticulationRootAPI" in prim["schemas"]]  # fmt: skip

    assert root_of("arm") == ["base"] and root_of("static") == ["root_joint"]
    assert root_of("slider") == ["stand"]
    assert "world" not in machines["slider"].shown("bodies")
    assert root_of("freed") == ["world"]
    assert set(machines["freed"].shown("bodies")) == {"world", "sled"}
    # What slides in the world itself needs a base that stands there.
    assert root_of("bare") == ["root_joint"]
    assert "physics:mass" not in machines["bare"].shown("bodies")["world"]
    assert root_of("plane") == ["base"]
    for name in ("static", "slider"):
        joint = machines[name].shown("joints")[root_of(name)[0]]
        assert joint["physics:body0"] == [machines[name].said["root"]]


def test_planes_balls_and_free_flight(machines: dict[str, Machine]) -> None:
    plane, loose = machines["plane"], machines["loose"]
    glide = plane.shown("joints")["glide"]
    assert glide["physics:excludeFromArticulation"] is True
    for axis in ("transZ", "rotX", "rotY"):
        assert glide[f"limit:{axis}:physics:low"] > glide[f"limit:{axis}:physics:high"]
    assert plane.said["parsed"]["D6Joint"] == 1 and loose.said["parsed"]["SphericalJoint"] == 1
    positions = {"glide": (0.4, -0.3, 0.8), "roll": 1.0}
    assert worst_of_joints(plane, positions) < 1e-6
    assert worst_of_joints(loose, {"socket": (0.5, 0.5, 0.5, 0.5)}) < 1e-6
    assert set(loose.shown("joints")) == {"socket"}
    assert "free" in loose.shown("bodies")


def test_what_moves_weighs_something(machines: dict[str, Machine]) -> None:
    light = machines["light"]
    bodies = light.shown("bodies")
    # The foot has no mass and takes in what is fixed to it; the spinning link has nothing.
    assert set(bodies) == {"foot", "spin", "head"}
    assert bodies["foot"]["physics:mass"] == 2.0
    assert bodies["spin"]["physics:mass"] == pytest.approx(0.02)
    assert [item.code for item in light.written.diagnostics] == ["usd-mass-assumed"]
    odd = machines["odd"]
    assert [(item.code, item.subject) for item in odd.written.diagnostics] == [
        ("usd-inertia-left-out", "1_b")
    ]
    assert "physics:diagonalInertia" not in odd.shown("bodies")["1_b"]


def test_names_are_taken_once_and_shown_whole(machines: dict[str, Machine]) -> None:
    odd = machines["odd"]
    assert set(odd.shown("bodies")) == {"joints", "1 ä/b", "1_b"}
    assert set(odd.said["bodies"]) == {"/odd/joints_2", "/odd/_1_b", "/odd/_1_b_2"}
    assert set(odd.shown("joints")) == {'say "so"\\', "1"}


def test_friction_and_what_collides(machines: dict[str, Machine]) -> None:
    (box,) = machines["rubber"].said["colliders"].values()
    assert box["material:binding:physics"] == ["/rubber/Looks/friction_0_4"]
    assert "purpose" not in box and box["xformOp:scale"] == [1.0, 2.0, 3.0]
    assert machines["rubber"].said["parsed"]["RigidBodyMaterial"] == 1
    static = machines["static"]
    root = static.shown("joints")["root_joint"]
    assert root["physxArticulation:enabledSelfCollisions"] is True
    assert root["newton:selfCollisionEnabled"] is True
    # The tool is fixed to the arm, which a joint ties to the base.
    apart = {
        frozenset((name, other.rsplit("/", 1)[1]))
        for name, body in static.shown("bodies").items()
        for other in body.get("physics:filteredPairs", ())
    }
    assert apart == {
        frozenset(pair) for pair in (("base", "arm"), ("base", "tool"), ("arm", "tool"))
    }


def test_loops_are_closed_outside_of_the_articulation(tmp_path: Path) -> None:
    source = tmp_path / "loop.urdf"
    source.write_text(f'<robot name="loop">{ROBOTS["arm"]}</robot>')
    robot = read_robot(source)
    loop = LoopJoint(
        name="close", type="revolute", link1="base", link2="tip", axis=(0.0, 0.0, 1.0),
        origin1=Pose(xyz=(0.5, 0.0, 0.0)),
    )  # fmt: skip
    written = export_robot(
        replace(robot, loops=(loop,)), tmp_path / "loop.usda", options=EngineOptions(usd="physics")
    )
    assert {item.code for item in written.diagnostics} == {"missing-limit", "collisions-shown"}
    (said,) = read_files([written.path], tmp_path / "said.json")
    close = said["joints"]["/loop/joints/close"]
    assert close["physics:excludeFromArticulation"] is True
    assert close["physics:body1"] == ["/loop/tool"] and close["physics:localPos0"] == [0.5, 0, 0]
    assert said["faults"] == []


def test_an_archive_holds_text_and_images(tmp_path: Path) -> None:
    """Nothing is compressed, and each file begins at a multiple of 64 bytes."""
    source = tmp_path / "painted.urdf"
    make_painted(source)
    export_robot(read_robot(source), tmp_path / "robot.usdz", options=EngineOptions(usd="physics"))
    with zipfile.ZipFile(tmp_path / "robot.usdz") as archive:
        names = archive.namelist()
        for info in archive.infolist():
            start = info.header_offset + 30 + len(info.filename) + len(info.extra)
            assert start % 64 == 0 and info.compress_type == zipfile.ZIP_STORED
    assert names == ["robot.usda", "textures/skin.png"]
    (said,) = read_files([tmp_path / "robot.usdz"], tmp_path / "said.json")
    assert said["faults"] == [] and len(said["bodies"]) == 1
    plain = export_robot(
        read_robot(source),
        tmp_path / "p.usda",
        options=EngineOptions(usd="physics", textures="none"),
    )
    assert [path.name for path in plain.files] == ["p.usda"]


def make_painted(source: Path) -> None:
    import numpy as np

    from urdf_importer.core.images import encode_png

    pixels = np.full((4, 4, 3), 200, np.uint8)
    source.with_name("skin.png").write_bytes(encode_png(pixels))
    source.write_text(
        f'<robot name="painted"><link name="base">{MASS}<visual><geometry><box size="1 1 1"/>'
        '</geometry><material name="skin"><texture filename="skin.png"/></material></visual>'
        "</link></robot>"
    )


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("robot.usdc", {}, "physics is written as text"),
        ("robot.usda", {"scale": 2.0}, "true size"),
    ],
)
def test_what_cannot_be_is_refused(
    name: str, options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf")
    with pytest.raises(WriteError, match=said):
        export_robot(robot, tmp_path / name, options=EngineOptions(usd="physics", **options))
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from urdf_importer.formats.usd.write import robot as module

    def fail(path: Path, *rest: Any) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_layer", fail)
    target = tmp_path / "robot.usda"
    target.write_text("old")
    robot = read_robot(ROOT / "sample_urdfs" / "two_link_arm.urdf")
    with pytest.raises(WriteError, match="No space left"):
        export_robot(robot, target, options=EngineOptions(usd="physics"))
    assert [path.name for path in tmp_path.iterdir()] == ["robot.usda"]
    assert target.read_text() == "old"


def test_the_command_writes_what_the_engine_wants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(ROOT / "sample_urdfs" / "gripper.urdf")
    one, other = tmp_path / "one.usda", tmp_path / "other.usda"
    assert main(["export", source, "-o", str(one), "--engine", "isaac", "--quiet"]) == 0
    arguments = ["--usd", "physics", "--forward", "x", "--quiet"]
    assert main(["export", source, "-o", str(other), *arguments]) == 0
    assert one.read_text() == other.read_text()
    assert "PhysicsArticulationRootAPI" in one.read_text()
    said = capsys.readouterr()
    assert said.out == said.err == ""


def test_a_mesh_is_written_once(tmp_path: Path) -> None:
    robot = read_robot(ROOT / "sample_urdfs" / "gripper.urdf")
    written = export_robot(robot, tmp_path / "g.usda", options=EngineOptions(usd="physics"))
    text = written.path.read_text()
    assert text.count("point3f[] points") == 2 < text.count("prepend references")
