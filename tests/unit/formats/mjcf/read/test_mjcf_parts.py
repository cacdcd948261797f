# SPDX-License-Identifier: GPL-3.0-or-later
"""What of MuJoCo's models is made of parts: copies, models that are attached, shapes fitted to
meshes; as MuJoCo's compiler has them, and within bounds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.mjcf_models import body, close, judge, model
from support.mujoco_truth import Compiled
from support.seconds import within
from urdf_importer import Diagnostics, ReadError, export_robot, forward_kinematics, read_robot
from urdf_importer.core.geometry.primitives import make_box
from urdf_importer.core.geometry.volumes import primitive_mass
from urdf_importer.core.meshes.loaders import UNSCALED, load_mesh
from urdf_importer.core.meshes.write_files import write_mesh_files
from urdf_importer.core.model import Box, Mesh, Polyhedron

GEOM = '<geom size="0.1"/>'

# Copies


def test_copies_are_turned_and_named_as_mujoco_does(tmp_path: Path) -> None:
    inner = f'<body name="b" pos="1 2 3" euler="1 2 3"><joint name="j" pos="1 0 0"/>{GEOM}</body>'
    inner = f'<replicate count="2" offset="0 1 0">{inner}</replicate>'
    text = body(
        f'{GEOM}<frame euler="0 9 0"><replicate count="10" sep="-" offset="1 0 0" euler="0 20 90">'
        f'{inner}<geom name="g" size="0.2"/></replicate></frame>'
    )
    robot = judge(model(text, tmp_path))
    names = [link.name for link in robot.links]
    assert names[:4] == ["a", "b0-00", "b1-00", "b0-01"] and len(names) == 21
    assert len(robot.links[0].visuals) == 11


def test_what_names_copies_is_copied_too(tmp_path: Path) -> None:
    text = body(
        f'{GEOM}<replicate count="3" offset="1 0 0"><body name="b"><joint name="j"/>{GEOM}'
        f'<body name="c"><joint name="k"/>{GEOM}</body></body></replicate>'
    )
    equalities = (
        '<equality><joint joint1="k" joint2="j" polycoef="0 2 0 0 0"/>'
        '<connect name="p" body1="c" anchor="0 0 0"/></equality>'
    )
    path = model(text + equalities, tmp_path)
    robot, compiled = judge(path), Compiled(path).model
    mimics = {joint.name: joint.mimic.joint for joint in robot.joints if joint.mimic}
    assert mimics == {"k0": "j0", "k1": "j1", "k2": "j2"}
    assert [loop.link1 for loop in robot.loops] == ["c0", "c1", "c2"]
    assert len(mimics) + len(robot.loops) == compiled.neq


# Models that are attached

SUB = """<mujoco model="sub"><compiler angle="radian" meshdir="m" eulerseq="zyx"/>
<asset><mesh name="box" file="box.stl"/><material name="red" rgba="1 0 0 1"/></asset>
<default><default class="c"><geom size="0.2"/></default></default>
<worldbody><geom name="w" size="0.5"/>
<frame name="f" pos="1 2 3"><body name="z" euler="1 0.3 0"><geom size="0.1"/></body></frame>
<body name="x" pos="0 0 1" euler="0 0 1.57" childclass="c"><joint name="j" range="-1 1"/><geom/>
<site name="t"/>
<body name="y" euler="0.3 0 0"><joint name="k"/><geom type="mesh" mesh="box" material="red"/>
<site name="s" pos="1 0 0"/></body></body></worldbody>
<equality><joint joint1="j" joint2="k"/><connect site1="s" site2="t"/></equality></mujoco>"""
ASSET = '<asset><model name="s" file="parts/sub.xml"/></asset>'


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    (tmp_path / "parts" / "m").mkdir(parents=True)
    (tmp_path / "parts" / "sub.xml").write_text(SUB)
    for file, data in write_mesh_files(make_box((1.0, 2.0, 3.0)), "box", "stl").files.items():
        (tmp_path / "parts" / "m" / file).write_bytes(data)
    return tmp_path


@pytest.mark.parametrize(
    "attach",
    [
        f'<body name="a">{GEOM}<attach model="s" body="x" prefix="p_"/></body>',
        f'<body name="a">{GEOM}<attach model="s" frame="f" prefix="p_"/></body>',
        '<frame pos="1 0 0" euler="0 30 0"><attach model="s" prefix="p_"/></frame>',
        '<attach model="s" body="world" prefix="p_"/><attach model="s" prefix="q_" body="y"/>',
        '<replicate count="3" offset="1 2 0" euler="10 0 0"><attach model="s" prefix="p_"/>'
        "</replicate>",
    ],
)
def test_attached_models_stand_and_weigh_as_in_mujoco(parts: Path, attach: str) -> None:
    path = model(f"{ASSET}<worldbody>{attach}</worldbody>", parts)
    robot, compiled = judge(path), Compiled(path).model
    followers = [joint for joint in robot.joints if joint.mimic]
    assert len(followers) + len(robot.loops) == compiled.neq
    shapes = [shape for link in robot.links for shape in link.visuals]
    meshes = [shape for shape in shapes if isinstance(shape.geometry, Mesh)]
    assert len(shapes) == compiled.ngeom
    for shape in meshes:
        assert isinstance(shape.geometry, Mesh) and shape.material is not None
        assert shape.geometry.filename == str(Path("parts", "m", "box.stl"))
        assert shape.material.color == (1, 0, 0, 1) and shape.material.name.endswith("_red")


def test_what_of_attached_models_is_lost_is_told_once(parts: Path) -> None:
    sub = SUB.replace("</mujoco>", '<actuator><motor joint="j"/></actuator></mujoco>')
    (parts / "parts" / "sub.xml").write_text(sub)
    twice = '<attach model="s" prefix="p_"/><attach model="s" prefix="q_"/>'
    diagnostics = Diagnostics()
    robot = read_robot(
        model(f"{ASSET}<worldbody>{twice}</worldbody>", parts), diagnostics=diagnostics
    )
    (told,) = diagnostics
    assert told.code == "mjcf-not-read" and "<actuator>" in told.message and told.line == 1
    assert {joint.name for joint in robot.joints} >= {"p_j", "q_j"}


def test_a_model_without_a_name_is_called_as_its_own_file_says(parts: Path) -> None:
    unnamed = ASSET.replace('name="s" ', "")
    attach = '<attach model="sub" body="x" prefix="p_"/>'
    judge(model(f"{unnamed}<worldbody>{attach}</worldbody>", parts))
    (parts / "parts" / "sub.xml").write_text(SUB.replace(' model="sub"', ""))
    attach = attach.replace("sub", "MuJoCo Model")
    path = model(f"{unnamed}<worldbody>{attach}</worldbody>", parts)
    assert "p_x" in {link.name for link in judge(path).links}


EARLIER = (
    '<frame name="f" pos="0 0 5" childclass="c"><body name="a" pos="1 0 0"><joint name="j"/>'
    f'<geom/><body name="k"><joint name="l"/>{GEOM}</body></body></frame>'
)


@pytest.mark.parametrize(
    "text",
    [
        f'{EARLIER}<body name="b" pos="0 1 0">{GEOM}<attach body="a" prefix="p_"/></body>',
        f'{EARLIER}<body name="b" pos="0 1 0">{GEOM}<attach frame="f" prefix="p_"/></body>',
        f'{EARLIER}<body name="b">{GEOM}<attach body="world" prefix="p_"/></body>',
        f'{EARLIER}<body name="b">{GEOM}<attach body="a" prefix="p_"/></body>'
        '<attach body="b" prefix="q_"/><attach body="b" prefix="r_"/>',
        # Within itself: as far as it has been written.
        f'{EARLIER}<body name="b" pos="0 1 0">{GEOM}<body name="d">{GEOM}'
        f'<attach body="b" prefix="p_"/><body name="e">{GEOM}</body></body>{GEOM}</body>',
    ],
)
def test_models_attach_parts_of_themselves(tmp_path: Path, text: str) -> None:
    equality = '<equality><connect body1="a" body2="k" anchor="0 0 0"/></equality>'
    classes = '<default><default class="c"><geom size="0.2"/></default></default>'
    path = model(f"{classes}<worldbody>{text}</worldbody>{equality}", tmp_path)
    robot, compiled = judge(path), Compiled(path)
    assert {link.name for link in robot.links} == set(compiled.names("body"))
    assert len(robot.loops) == compiled.model.neq


def test_bodies_without_names_leave_the_names_of_others(tmp_path: Path) -> None:
    text = f"<worldbody><body>{GEOM}</body><body name='body' pos='1 0 0'>{GEOM}</body></worldbody>"
    assert [link.name for link in judge(model(text, tmp_path)).links] == ["world", "body_2", "body"]


# Shapes fitted to meshes, and meshes in the text

_POINTS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])
_TURN = np.array([[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
POINTS = " ".join(f"{number:.6g}" for number in (_POINTS @ _TURN).ravel())


@pytest.mark.parametrize("bounds", ["false", "true"])
@pytest.mark.parametrize("way", ["legacy", "convex", "exact", "shell"])
def test_shapes_are_fitted_to_meshes_as_in_mujoco(tmp_path: Path, way: str, bounds: str) -> None:
    kinds = ("box", "sphere", "capsule", "cylinder", "ellipsoid")
    geoms = "".join(
        f'<body name="{kind}"><joint name="j{kind}"/><geom type="{kind}" mesh="m" pos="1 0 0" '
        f'euler="9 0 0" fitscale="1.5"/></body>'
        for kind in kinds
    )
    mesh = f'<mesh name="m" vertex="{POINTS} 1 1 6" refpos="0.3 0 0" refquat="1 2 3 4"/>'
    text = f'<compiler fitaabb="{bounds}"/><default><mesh inertia="{way}"/></default>'
    path = model(f"{text}<asset>{mesh}</asset><worldbody>{geoms}</worldbody>", tmp_path)
    robot, compiled = judge(path), Compiled(path).model
    by_name = {link.name: link for link in robot.links}
    box = by_name["box"].visuals[0].geometry
    assert isinstance(box, Box)
    close(box.size, 2.0 * compiled.geom_size[0])
    assert all(len(by_name[kind].collisions) == 1 for kind in kinds)


@pytest.mark.parametrize(
    "text",
    [
        '<body name="a" pos="1 2 3" euler="10 20 30"><joint/><site/></body>',
        '<frame pos="0 0 5" euler="0 90 0"><body name="a" pos="1 2 3"><joint/></body></frame>',
        '<body name="a" pos="1 2 3"><joint/><geom size="0.1" mass="0" pos="0.3 0 0"/></body>',
        f'<body pos="0 0 1">{GEOM}<body name="a" pos="1 2 3"><body name="b">{GEOM}</body></body>'
        "</body>",
    ],
)
def test_the_least_mass_stands_where_mujoco_puts_it(tmp_path: Path, text: str) -> None:
    bounds = '<compiler boundmass="0.5" boundinertia="0.1"/>'
    judge(model(f"{bounds}<worldbody>{text}</worldbody>", tmp_path))


WAYS = ("legacy", "convex", "exact", "shell")


@pytest.mark.parametrize("way", WAYS)
def test_open_and_bent_meshes_weigh_what_mujoco_says(tmp_path: Path, way: str) -> None:
    """A box of bent quads, of which one is lost: each is cut along its shorter diagonal, and the
    hole is closed towards the middle."""
    points = _POINTS + np.random.default_rng(3).uniform(-0.2, 0.2, _POINTS.shape)
    lines = ["v " + " ".join(f"{number:.6g}" for number in point) for point in points]
    quads = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5")
    (tmp_path / "bent.obj").write_text("\n".join([*lines, *(f"f {quad}" for quad in quads)]))
    for scale in ("1 1 1", "1 -2 1"):
        asset = f'<asset><mesh name="m" file="bent.obj" inertia="{way}" scale="{scale}"/></asset>'
        judge(model(asset + body('<geom type="mesh" mesh="m" euler="10 20 30"/>'), tmp_path))


@pytest.mark.parametrize("way", WAYS)
def test_mirrored_meshes_in_the_text_weigh_what_mujoco_says(tmp_path: Path, way: str) -> None:
    faces = "0 2 1 0 1 3 0 3 2 1 2 3"
    mesh = f'<mesh name="m" inertia="{way}" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="{faces}"'
    text = f'<asset>{mesh} scale="1 2 -3"/></asset>' + body('<geom type="mesh" mesh="m"/>')
    judge(model(text, tmp_path))


def test_meshes_in_the_text_are_weighed(tmp_path: Path) -> None:
    faces = "0 2 1 0 1 3 0 3 2 1 2 3"
    mesh = f'<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="{faces}" scale="1 2 -3"/>'
    text = f"<asset>{mesh}</asset>" + body('<geom type="mesh" mesh="m"/>')
    diagnostics = Diagnostics()
    robot = judge(path := model(text, tmp_path))
    read_robot(path, diagnostics=diagnostics)
    assert not diagnostics and robot.total_mass() == pytest.approx(1000.0)
    shape = robot.links[0].visuals[0].geometry
    assert isinstance(shape, Polyhedron) and shape == robot.links[0].collisions[0].geometry
    assert shape.points[3:] == (1, 0, 0, 0, 2, 0, 0, 0, -3) and len(shape.faces) == 12
    assert primitive_mass(shape).volume == pytest.approx(1.0)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("in_text", [True, False])
def test_points_alone_are_their_hull(tmp_path: Path, way: str, in_text: bool) -> None:
    points = np.vstack([_POINTS @ _TURN, [[0.5, 1.0, 1.0]]])
    lines = ("v " + " ".join(f"{number:.6g}" for number in point) for point in points)
    (tmp_path / "hull.obj").write_text("\n".join(lines))
    given = f'vertex="{POINTS}"' if in_text else 'file="hull.obj"'
    mesh = f'<mesh name="m" inertia="{way}" {given} scale="1 -2 1"/>'
    text = f"<asset>{mesh}</asset>" + body('<geom type="mesh" mesh="m" euler="10 20 30"/>')
    robot = judge(path := model(text, tmp_path))
    shape = robot.links[0].visuals[0].geometry
    assert isinstance(shape, Polyhedron) and len(shape.points) == 24
    # A URDF of it names a file of its own.
    export_robot(robot, tmp_path / "out.urdf")
    again = read_robot(tmp_path / "out.urdf")
    written = again.links[0].visuals[0].geometry
    assert isinstance(written, Mesh) and Compiled(path).model.ngeom == 1
    data = load_mesh(tmp_path / written.filename, UNSCALED, lambda code, message: None)
    assert data.face_count == 12


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    kind=st.sampled_from(["sphere", "capsule", "cylinder", "box", "ellipsoid"]),
    sizes=st.tuples(*[st.floats(0.01, 2.0)] * 3),
    mass=st.sampled_from(["", 'mass="3"', 'density="7"']),
)
def test_shells_weigh_what_mujoco_says(
    tmp_path_factory: Any, kind: str, sizes: tuple[float, ...], mass: str
) -> None:
    size = " ".join(f"{number:.4g}" for number in sizes)
    geom = f'<geom type="{kind}" size="{size}" shellinertia="true" {mass} euler="1 2 3"/>'
    path = model(body(geom), tmp_path_factory.mktemp("shell"))
    if kind != "ellipsoid":
        judge(path)
        return
    # MuJoCo takes the difference of two ellipsoids there, in which six digits are lost.
    inertial, compiled = read_robot(path).links[0].inertial, Compiled(path)
    assert inertial is not None and inertial.inertia is not None
    close(inertial.mass, compiled.inertia("a")[0])
    tensor = compiled.inertia("a")[2]
    i = inertial.inertia
    close((i.ixx, i.iyy, i.izz), np.diag(tensor), 1e-4)


# Hostile files

FITTED = '<geom mesh="m" type="box"/>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (body(f'<replicate count="1e9">{GEOM}</replicate>'), "20000 is the most"),
        (body(f'<replicate count="-1">{GEOM}</replicate>'), "20000 is the most"),
        (body(f'<replicate count="nan">{GEOM}</replicate>'), "not numbers"),
        (
            body('<replicate count="20000">' * 3 + GEOM + "</replicate>" * 3),
            "20000 is the most",
        ),
        (body(f'<replicate count="15000">{GEOM * 20}</replicate>'), "200000 elements"),
        (body('<attach model="none"/>'), "not defined"),
        (body('<attach prefix="p_"/>'), "not exist yet"),
        (body('<attach body="z" prefix="p_"/><body name="z"/>'), "not exist yet"),
        (body("".join(f'<body name="z{n}">{GEOM}<attach body="z{n - 1}" prefix="p_"/>'
                      f'<attach body="z{n - 1}" prefix="q_"/></body>' for n in range(1, 20))
              .replace('<attach body="z0" prefix="p_"/><attach body="z0" prefix="q_"/>', "")),
         "models are attached"),
        (ASSET + body('<attach model="s" body="none"/>'), "not exist"),
        (ASSET.replace("parts/sub", "model") + body('<attach model="s"/>'),
         "attaches itself"),
        (ASSET.replace("parts/sub", "../../out") + body('<attach model="s"/>'),
         "no file|outside"),
        ('<asset><mesh name="m" vertex="0 0 0 1"/></asset>' + body(FITTED),
         "three numbers"),
        ('<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0" face="0 1 9"/></asset>'
         + body(FITTED), "points that are not there"),
    ],
)  # fmt: skip
def test_what_would_be_endless_is_refused_in_a_sentence(text: str, said: str, parts: Path) -> None:
    for _ in within(20.0):
        with pytest.raises(ReadError, match=said) as caught:
            read_robot(model(text, parts))
        assert "\n" not in caught.value.message and caught.value.source and caught.value.line


def test_models_that_double_each_other_end(tmp_path: Path) -> None:
    for number in range(40):
        asset = f'<asset><model name="s" file="m{number + 1}.xml"/></asset>'
        twice = '<attach model="s" prefix="a"/><attach model="s" prefix="b"/>'
        model(f"{asset}<worldbody>{twice}</worldbody>", tmp_path, f"m{number}.xml")
    model(body(GEOM), tmp_path, "m40.xml")
    with pytest.raises(ReadError, match="models are attached"):
        read_robot(tmp_path / "m0.xml")


def test_fitted_shapes_stand_where_their_meshes_are(tmp_path: Path) -> None:
    text = f'<asset><mesh name="m" vertex="{POINTS}"/></asset>' + body(
        "<joint name='j'/><geom type='box' mesh='m'/>"
    )
    path = model(text, tmp_path)
    robot = read_robot(path)
    assert forward_kinematics(robot, {"j": 0.4}).keys() >= {"a"}
    origin = robot.links[-1].visuals[0].origin.xyz
    close(origin, (_POINTS @ _TURN).mean(axis=0), 1e-5)
