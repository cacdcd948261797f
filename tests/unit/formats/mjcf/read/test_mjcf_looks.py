# SPDX-License-Identifier: GPL-3.0-or-later
"""How models of MuJoCo look: what their materials say beyond a colour, and height fields."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.mjcf_models import body, close, judge, model
from support.mujoco_truth import Compiled
from urdf_importer import Diagnostics, UrdfOptions, export_robot, forward_kinematics, read_robot
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.core.geometry.primitives import make_primitive
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.images.png import encode_png
from urdf_importer.core.meshes.loaders import load_mesh
from urdf_importer.core.meshes.robot_files import RobotFiles
from urdf_importer.core.model import Mesh, Polyhedron, Surface

GEOM = '<geom size="0.1"/>'
MAPS = ("rgb", "normal", "roughness", "metallic", "emissive")


def test_materials_reflect_and_glow(tmp_path: Path) -> None:
    """Numbers of materials as MuJoCo compiles them; -1 there is what nobody has said."""
    for role in MAPS:
        (tmp_path / f"{role}.png").write_bytes(encode_png(np.zeros((2, 2, 4), np.uint8)))
    images = "".join(f'<texture name="{each}" type="2d" file="{each}.png"/>' for each in MAPS)
    layers = "".join(f'<layer role="{each}" texture="{each}"/>' for each in MAPS)
    text = (
        f'<asset>{images}<material name="metal" metallic="0.9" roughness="0.2"/>'
        '<material name="lamp" emission="0.5" rgba="1 0.5 0 1"/>'
        '<material name="screen" emission="1" texture="rgb"/>'
        '<material name="shiny" shininess="0.25"/><material name="mat" specular="0"/>'
        f'<material name="all">{layers}</material></asset>'
    )
    diagnostics = Diagnostics()
    path = model(text + body(GEOM), tmp_path)
    robot, compiled = read_robot(path, diagnostics=diagnostics), Compiled(path).model
    by_name = {each.name: each.surface for each in robot.materials}
    for index in range(compiled.nmat):
        surface = by_name[compiled.mat(index).name] or Surface()
        if compiled.mat_metallic[index] >= 0:
            close(surface.metalness, compiled.mat_metallic[index])
            close(surface.roughness, compiled.mat_roughness[index])
        glow = compiled.mat_emission[index] * compiled.mat_rgba[index][:3]
        close(surface.emission or (0, 0, 0), glow if surface.emission_map is None else (0, 0, 0))
    assert by_name["mat"] is None and not diagnostics
    shiny, screen, every = by_name["shiny"], by_name["screen"], by_name["all"]
    assert shiny is not None and shiny.roughness is not None and screen is not None
    # A lobe of cos^n falls to half of its height at the angle of the Beckmann lobe that is as wide.
    alpha, exponent = shiny.roughness**2, 0.25 * 128
    angle = np.arccos(0.5 ** (1 / exponent))
    assert np.exp(-((np.tan(angle) / alpha) ** 2)) == pytest.approx(0.5, abs=0.03)
    assert screen.emission_map == "rgb.png" and every is not None
    assert every.maps == {
        "normal_map": "normal.png",
        "roughness_map": "roughness.png",
        "metalness_map": "metallic.png",
        "emission_map": "emissive.png",
    }
    assert next(each for each in robot.materials if each.name == "all").texture == "rgb.png"


def test_layers_without_a_place_are_told(tmp_path: Path) -> None:
    layers = '<layer role="orm" texture="t"/><layer role="opacity" texture="t"/>'
    text = f'<asset><material name="m">{layers}</material></asset>' + body(GEOM)
    diagnostics = Diagnostics()
    read_robot(model(text, tmp_path), diagnostics=diagnostics)
    (told,) = diagnostics
    assert told.code == "mjcf-layer-lost" and told.line
    assert told.message == "material 'm': the layers 'orm', 'opacity' are left out"


# Height fields


def compare_field(path: Path) -> None:
    """Holds the points of a height field against MuJoCo's heights, which count from the row at -y
    and are shares of its height."""
    robot, compiled = judge(path), Compiled(path)
    (link,) = (each for each in robot.links if each.visuals)
    (shape,) = link.visuals
    mesh = shape.geometry
    assert len(link.collisions) == 1
    if isinstance(mesh, Mesh):
        data = load_mesh(path.parent / mesh.filename, mesh.scale, lambda code, message: None)
    else:
        assert isinstance(mesh, Polyhedron)
        data = make_primitive(mesh)
        assert data.face_count == 2 * (compiled.model.hfield_nrow - 1) * (
            compiled.model.hfield_ncol - 1
        )
    place = forward_kinematics(robot)[link.name] @ matrix_from_pose(shape.origin)
    ours = data.vertices @ place[:3, :3].T + place[:3, 3]
    rows, columns = compiled.model.hfield_nrow[0], compiled.model.hfield_ncol[0]
    wide, deep, high, _ = compiled.model.hfield_size[0]
    x, y = np.meshgrid(np.linspace(-wide, wide, columns), np.linspace(-deep, deep, rows))
    heights = compiled.model.hfield_data.reshape(rows, columns) * high
    theirs = np.stack([x, y, heights], axis=2)[::-1].reshape(-1, 3)
    compiled.frames({})
    turn, at = compiled.data.geom_xmat[0].reshape(3, 3), compiled.data.geom_xpos[0]
    close(ours, theirs @ turn.T + at, 1e-5)


@pytest.mark.parametrize("span", [(0, 255), (40, 200), (90, 90), (0, 0), (255, 255)])
def test_height_fields_of_images_are_meshes_where_mujoco_has_them(
    span: tuple[int, int], tmp_path: Path
) -> None:
    low, high = span
    pixels = np.random.default_rng(0).integers(low, high + 1, (5, 7, 1), dtype=np.uint8)
    pixels[0, 0], pixels[-1, -1] = low, high
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "hills.png").write_bytes(encode_png(pixels))
    text = (
        '<compiler meshdir="img"/><asset><hfield file="hills.png" size="2 3 0.5 0.1"/></asset>'
        + body('<geom type="hfield" hfield="hills" pos="1 2 3" euler="10 20 30"/>', 'pos="0 0 1"')
    )
    compare_field(model(text, tmp_path))


@pytest.mark.parametrize("elevation", ["0 1 2 3 4 5", "-1 1 2 3 -4 5", "5 5 5 5 5 5", ""])
def test_heights_in_the_text_are_surfaces_where_mujoco_has_them(
    elevation: str, tmp_path: Path
) -> None:
    field = f'<hfield name="h" nrow="2" ncol="3" elevation="{elevation}" size="1 2 0.5 0.1"/>'
    text = f"<asset>{field}</asset>" + body(
        '<geom type="hfield" hfield="h" pos="1 2 3" euler="10 20 30"/>', 'pos="0 0 1"'
    )
    compare_field(model(text, tmp_path))


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ('<hfield name="h" nrow="900" ncol="900" size="1 1 1 1"/>', "too many heights"),
        ('<hfield name="h" nrow="1" ncol="2" size="1 1 1 1"/>', "too few"),
        ('<hfield name="h" nrow="2" ncol="2" size="1 0 1 1"/>', "not in an image"),
        ('<hfield name="h" file="h.bin" size="1 1 1 1"/>', "not in an image"),
        ('<hfield name="h" file="gone.png" size="1 1 1 1"/>', "cannot be read"),
        ('<hfield name="h" file="bad.png" size="1 1 1 1"/>', "cannot be read"),
        ('<hfield name="other" file="bad.png" size="1 1 1 1"/>', "not defined"),
    ],
)
def test_height_fields_that_are_not_shown_are_told(field: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 40)
    text = f"<asset>{field}</asset>" + body(f'<geom type="hfield" hfield="h"/>{GEOM}')
    diagnostics = Diagnostics()
    robot = read_robot(model(text, tmp_path), diagnostics=diagnostics)
    (told,) = diagnostics
    assert told.code == "mjcf-shape-lost" and said in told.message and told.line == 1
    assert "''" not in told.message
    assert len(robot.links[0].visuals) == 1


OBJ = """mtllib {library}
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
usemtl red
f 1 3 2
f 1 2 4
usemtl none
f 1 4 3
f 2 3 4
"""


@pytest.mark.parametrize("library", ["there.mtl", "lost.mtl"])
def test_materials_of_mesh_files_do_not_count(tmp_path: Path, library: str) -> None:
    """MuJoCo reads the shape of an OBJ file alone: its materials are those of geoms."""
    (tmp_path / "there.mtl").write_text("newmtl red\nKd 1 0 0\nmap_Kd lost.png\n")
    (tmp_path / "part.obj").write_text(OBJ.format(library=library))
    asset = '<asset><mesh name="m" file="part.obj"/><material name="blue" rgba="0 0 1 1"/></asset>'
    path = model(asset + body('<geom type="mesh" mesh="m" material="blue"/>'), tmp_path)
    robot = judge(path)
    diagnostics = Diagnostics()
    files = RobotFiles(PackageResolver(path), diagnostics, robot=robot)
    (link,) = robot.links
    (visual,) = link.visuals
    data = files.load(visual, link)
    assert data.face_count == 4 and not data.materials and data.slots is None
    assert visual.material is not None and visual.material.color == (0, 0, 1, 1)
    assert not diagnostics
    out = tmp_path / "out" / "robot.urdf"
    out.parent.mkdir()
    export_robot(robot, out, options=UrdfOptions(meshes="copy"), diagnostics=diagnostics)
    assert not diagnostics and not list(out.parent.rglob("*.mtl"))
    # A URDF that names the same file has the file's own.
    named = replace(visual, geometry=Mesh(filename="part.obj"))
    assert len(files.load(named, link).materials) == (2 if library == "there.mtl" else 0)
    looks = {"missing-materials", "missing-texture", "undefined-material"}
    assert {each.code for each in diagnostics} <= looks


def test_of_equal_shapes_at_one_place_the_one_to_see_is_seen(tmp_path: Path) -> None:
    shape = 'type="box" size="1 1 1"'
    seen = f'<geom {shape} contype="0" conaffinity="0" group="1" density="0" rgba="1 0 0 1"/>'
    for content in (f"<geom {shape}/>{seen}", f"{seen}<geom {shape}/>"):
        link = judge(model(body(content), tmp_path)).links[0]
        (visual,) = link.visuals
        assert visual.material is not None and visual.material.color == (1, 0, 0, 1)
        assert len(link.collisions) == 1
    hidden = judge(model(body(f"<geom {shape}/>{seen.replace('1 0 0 1', '0 0 0 0')}"), tmp_path))
    assert len(hidden.links[0].visuals) == 2
    moved = judge(model(body(f'{seen}<geom {shape} pos="1 0 0"/>'), tmp_path))
    assert len(moved.links[0].visuals) == 2
