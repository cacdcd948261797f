# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folder is the package that a description names, in layouts of workspaces, repositories and
Gazebo; and that the search stays where it may."""

import os
from pathlib import Path

import pytest

from support.seconds import within
from urdf_importer import ImportOptions, read_robot
from urdf_importer.core.diagnostics import Diagnostics, MeshError
from urdf_importer.core.files.packages import PackageResolver

MODEL = "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>"


def touch(path: Path, text: str = "mesh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def package(folder: Path, name: str, inside: str = "") -> Path:
    touch(folder / "package.xml", f"<package><name>{name}</name>{inside}</package>")
    return folder


def xacro(path: Path, inside: str = "") -> Path:
    head = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>"
    return touch(path, f"{head}<link name='{path.name.partition('.')[0]}'/>\n{inside}</robot>")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The root of a repository."""
    (tmp_path / "top" / ".git").mkdir(parents=True)
    return tmp_path / "top"


def find(description: Path | str, uri: str, **given: object) -> tuple[Path | None, list[str], str]:
    """The file, the codes of warnings, and the code of the error."""
    given.setdefault("environment", None)
    kind = given.pop("kind", "mesh")
    base = given.pop("base", None)
    codes: list[str] = []
    resolver = PackageResolver(description, **given)  # type: ignore[arg-type]
    try:
        path = resolver.resolve_file(uri, lambda code, _: codes.append(code), kind=kind, base=base)  # type: ignore[arg-type]
    except MeshError as error:
        return None, codes, error.code
    return path, codes, ""


def links(path: Path, **options: object) -> tuple[list[str], list[str]]:
    found = Diagnostics()
    robot = read_robot(path, options=ImportOptions(**options), diagnostics=found)  # type: ignore[arg-type]
    return [link.name for link in robot.links], [each.code for each in found]


# Layouts


@pytest.mark.parametrize("named", [None, "ws", "ws/install", "ws/install/arm_kit", "prefix"])
def test_colcon_installs_each_package_into_a_prefix_of_its_own(
    tmp_path: Path, named: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prefix is called as the package, and is none. colcon marks the folder of prefixes."""
    install = tmp_path / "ws" / "install"
    touch(install / "COLCON_IGNORE", "")
    arm = package(install / "arm_kit" / "share" / "arm_kit", "arm_kit")
    mesh = touch(arm / "meshes" / "part.stl")
    xacro(arm / "urdf" / "arm.xacro")
    cell = package(install / "cell" / "share" / "cell", "cell") / "urdf"
    robot = xacro(cell / "cell.xacro", "<xacro:include filename='$(find arm_kit)/urdf/arm.xacro'/>")
    paths = [str(tmp_path / named)] if named and named != "prefix" else []
    environment = {"AMENT_PREFIX_PATH": str(install / "arm_kit")} if named == "prefix" else None
    for scheme in ("package", "model"):
        uri = f"{scheme}://arm_kit/meshes/part.stl"
        found = find(robot, uri, package_paths=paths, environment=environment)
        assert found == (mesh, [], "")
    if environment:
        monkeypatch.setenv("AMENT_PREFIX_PATH", environment["AMENT_PREFIX_PATH"])
    assert links(robot, package_paths=paths) == (["cell", "arm"], [])


@pytest.mark.parametrize("named", [None, ".", "arm_kit", "arm_kit/arm_kit", "pair"])
def test_a_repository_called_as_the_package_in_it(tmp_path: Path, named: str | None) -> None:
    arm = package(tmp_path / "arm_kit" / "arm_kit", "arm_kit")
    xacro(arm / "urdf" / "arm.xacro")
    mesh = touch(arm / "meshes" / "a.stl")
    include = "<xacro:include filename='$(find arm_kit)/urdf/arm.xacro'/>"
    robot = xacro(tmp_path / "cell" / "urdf" / "cell.xacro", include)
    options: dict[str, object] = {}
    if named == "pair":
        options["packages"] = (("arm_kit", str(tmp_path / "arm_kit")),)
    elif named:
        options["package_paths"] = (str(tmp_path / named),)
    assert find(robot, "package://arm_kit/meshes/a.stl", **options) == (mesh, [], "")
    assert links(robot, **options) == (["cell", "arm"], [])


@pytest.mark.parametrize(
    ("place", "is_found"),
    [("hand", True), ("a/hand", True), ("a/b/c/hand-main", True), ("a/b/c/d/hand", False)],
)
def test_a_package_nested_in_the_repository(top: Path, place: str, is_found: bool) -> None:
    mesh = touch(package(top / place, "hand") / "meshes" / "a.stl")
    robot = xacro(package(top / "robots" / "lift", "lift") / "urdf" / "lift.xacro")
    found = find(robot, "package://hand/meshes/a.stl")
    assert found == (mesh, [] if is_found else ["moved-file"], "")


def test_without_a_repository_the_look_is_not_deep(tmp_path: Path) -> None:
    touch(package(tmp_path / "a" / "b" / "hand", "hand") / "a.stl")
    robot = xacro(package(tmp_path / "lift", "lift") / "lift.xacro")
    assert find(robot, "package://hand/a.stl")[2] == "missing-package"


def test_packages_by_their_name_come_before_folders_called_so(top: Path) -> None:
    robot = xacro(top / "near" / "arm" / "arm.xacro")
    bare = touch(top / "near" / "hand" / "a.stl").parent
    given = touch(top / "given" / "hand" / "a.stl").parent
    real = package(top / "far" / "hand-ros2", "hand")
    resolver = PackageResolver(robot, (), [str(top / "given")], None)
    assert resolver.find_packages("hand") == [str(real), str(given), str(bare)]
    assert resolver.find_package("hand") == str(real)
    assert find(robot, "package://hand/a.stl", package_paths=[str(top / "given")])[0] == (
        given / "a.stl"
    )


@pytest.mark.parametrize("uri", ["package://hand/{}", "$(find hand)/{}"])
def test_each_of_two_packages_of_a_name_is_tried(top: Path, uri: str) -> None:
    for name in ("one", "two"):
        package(top / name, "hand")
    part = xacro(top / "two" / "part.xacro")
    robot = xacro(top / "arm" / "arm.xacro", f"<xacro:include filename='{uri.format(part.name)}'/>")
    assert links(robot) == (["arm", "part"], [])


# Packages that lack a file


@pytest.mark.parametrize("form", ["package://hand/{}", "{top}/hand/{}"])
def test_no_file_of_another_package_is_shown(top: Path, form: str) -> None:
    package(top / "hand", "hand")
    robot = xacro(package(top / "lift", "lift") / "urdf" / "lift.xacro")
    touch(top / "lift" / "meshes" / "base.obj")
    resolver = PackageResolver(robot, environment=None)
    assert resolver.find_package("hand") == str(top / "hand")  # as $(find hand) asks
    with pytest.raises(MeshError) as caught:
        resolver.resolve_file(form.format("meshes/base.obj", top=top), lambda *_: None)
    assert caught.value.code == "missing-mesh"


def test_a_file_moved_within_the_own_package(top: Path) -> None:
    robot = xacro(package(top / "lift", "lift") / "urdf" / "lift.xacro")
    mesh = touch(top / "lift" / "meshes" / "visual" / "base.obj")
    assert find(robot, "package://lift/meshes/base.obj") == (mesh, ["moved-file"], "")
    assert find(robot, "package://gone/meshes/base.obj") == (mesh, ["renamed-package"], "")


@pytest.mark.parametrize("owner", ["demo", "other"])
@pytest.mark.parametrize("places", [("a",), ("a", "b"), ("a/b", "c"), ()])
def test_the_only_file_of_a_package_with_the_whole_path(
    top: Path, owner: str, places: tuple[str, ...]
) -> None:
    """So that what an installation moves is found; of two, neither is."""
    demo = package(top / "demo", "demo")
    package(demo / "nested", "nested")
    xacro(demo / "nested" / "ros2_control" / "m.xacro")
    xacro(demo / "a" / "elsewhere" / "m.xacro")
    files = [xacro(demo / place / "ros2_control" / "m.xacro") for place in places]
    description = package(top / owner, owner) / "description" / "urdf" / "d.xacro"
    robot = xacro(description, "<xacro:include filename='$(find demo)/ros2_control/m.xacro'/>")
    uri = "package://demo/ros2_control/m.xacro"
    if len(files) == 1:
        assert links(robot) == (["d", "m"], ["moved-file"])
        assert find(robot, uri, kind="include") == (files[0], ["moved-file"], "")
        assert find(robot, uri) == (files[0], ["moved-file"], "")
    else:
        assert find(robot, uri, kind="include") == (None, [], "missing-include")


# Gazebo


@pytest.mark.parametrize("world", ["worlds/w.world", "worlds/inside/w.world", "w.world"])
def test_models_beside_worlds(tmp_path: Path, world: str) -> None:
    model = touch(tmp_path / "models" / "crate" / "model.sdf", MODEL)
    description = touch(tmp_path / world, "<sdf/>")
    found = find(description, "model://crate/model.sdf", kind="model")
    assert found == (model, [], "")


@pytest.mark.parametrize(
    ("exported", "place", "is_found"),
    [
        ("${prefix}/things", "arm/things", True),
        ("${prefix}/none:${prefix}/../shared", "shared", True),
        ("${prefix}/..", ".", True),
        ("things", "arm/things", True),
        ("${prefix}/../../outside", "../outside", False),
        ("${prefix}/.hidden", "arm/.hidden", False),
        ("{outside}", "../outside", False),
        ("${prefix}/linked", "../outside", False),
    ],
)
def test_model_paths_that_a_package_exports(
    top: Path, exported: str, place: str, is_found: bool
) -> None:
    exported = exported.replace("{outside}", str(top.parent / "outside"))
    export = f"<export><gazebo_ros gazebo_model_path='{exported}'/></export>"
    arm = package(top / "arm", "arm", export)
    file = Path(os.path.normpath(touch(top / place / "crate" / "model.sdf", MODEL)))
    (top.parent / "outside").mkdir(exist_ok=True)
    (arm / "linked").symlink_to(top.parent / "outside")
    description = touch(arm / "worlds" / "w.world", "<sdf/>")
    found = find(description, "model://crate/model.sdf", kind="model")
    assert found == ((file, [], "") if is_found else (None, [], "missing-package"))


def test_models_behind_a_link_are_not_found(top: Path) -> None:
    touch(top.parent / "outside" / "crate" / "model.sdf", MODEL)
    (top / "models").symlink_to(top.parent / "outside")
    (top / "crate").symlink_to(top.parent / "outside" / "crate")
    description = touch(top / "worlds" / "w.world", "<sdf/>")
    assert find(description, "model://crate/model.sdf", kind="model")[2] == "missing-package"


def test_images_of_a_model_lie_in_materials_textures(tmp_path: Path) -> None:
    description = touch(tmp_path / "crate" / "model.sdf", MODEL)
    meshes = touch(tmp_path / "crate" / "meshes" / "m.dae").parent
    image = touch(tmp_path / "crate" / "materials" / "textures" / "a.png")
    asked = {"kind": "texture", "base": meshes}
    assert find(description, "a.png", **asked) == (image, [], "")
    assert find(description, "b.png", **asked)[2] == "missing-texture"
    assert find(description, "a.png", kind="mesh", base=meshes)[1] == ["moved-file"]
    beside = touch(meshes / "a.png")
    assert find(description, "a.png", **asked) == (beside, [], "")


# What may be read


def test_what_lies_beside_a_found_mesh_is_read(top: Path) -> None:
    robot = xacro(package(top / "lift", "lift") / "urdf" / "lift.xacro")
    mesh = touch(package(top / "old_hand", "old_hand") / "meshes" / "v2" / "base.obj")
    library = touch(mesh.with_suffix(".mtl"))
    touch(mesh.parent / "secret.txt")
    touch(top / "old_hand" / "a.mtl")
    (mesh.parent / "link.mtl").symlink_to(touch(top.parent / "outside.mtl"))
    assert find(robot, "package://hand/meshes/v2/base.obj") == (mesh, ["renamed-package"], "")
    for name, expected in (
        ("base.mtl", library),
        ("secret.txt", None),
        ("../../a.mtl", None),
        ("link.mtl", None),
    ):
        found = find(robot, name, kind="file", base=mesh.parent)
        assert found[0] == expected
        assert found[2] in ("", "outside-allowed-folders")


@pytest.mark.parametrize("start", ["../", "$(dirname)/../"])
@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        ("common/m.xacro", True),
        ("m.xml", True),
        ("secret.txt", False),
        ("../m.xacro", False),
        ("linked/m.xacro", False),
    ],
)
def test_parts_of_xacro_one_folder_up(tmp_path: Path, start: str, path: str, is_read: bool) -> None:
    inside = f"<xacro:include filename='{start}{path}' optional='{str(not is_read).lower()}'/>"
    robot = xacro(tmp_path / "robots" / "arm" / "arm.xacro", inside)
    (tmp_path / "robots" / "linked").symlink_to(tmp_path / "outside")
    xacro(tmp_path / "outside" / "m.xacro")
    xacro(Path(os.path.normpath(tmp_path / "robots" / path)), "")
    expected = Path(path).name.partition(".")[0]
    assert links(robot)[0] == (["arm", expected] if is_read else ["arm"])


@pytest.mark.parametrize("path", ["../common/p.yaml", "$(dirname)/../common/p.yml"])
def test_yaml_one_folder_up(tmp_path: Path, path: str) -> None:
    touch(tmp_path / "robots" / "common" / path.rpartition("/")[2], "link: hand")
    text = f"<link name=\"${{xacro.load_yaml('{path}')['link']}}\"/>"
    robot = xacro(tmp_path / "robots" / "arm" / "arm.xacro", text)
    assert links(robot)[0] == ["arm", "hand"]


# Bounds


def test_fifty_thousand_folders_cost_a_second_or_two(top: Path) -> None:
    """The name is looked for in half of what may be looked at, files in the rest."""
    for number in range(50_000):
        path = top / f"a{number // 1000}" / f"b{number // 20 % 50}" / f"c{number % 20}"
        path.mkdir(parents=True)
    arm = package(top / "zz" / "arm", "arm")
    mesh = touch(arm / "meshes" / "a.stl")
    near = touch(package(top / "zz" / "hand", "hand") / "a.stl")
    robot = xacro(arm / "urdf" / "arm.xacro")
    for _ in within(10.0):
        assert find(robot, "package://hand/a.stl") == (near, [], "")
        assert find(robot, "package://lost/meshes/a.stl") == (mesh, ["renamed-package"], "")
        assert find(robot, "package://lost/x.stl")[2] == "missing-package"


# One cause is one message


@pytest.mark.parametrize("name", ["lost", "arm"])
def test_files_moved_together_are_one_message(top: Path, name: str) -> None:
    arm = package(top / "arm", "arm")
    shapes = ""
    for number in range(5):
        touch(arm / "old" / "meshes" / f"part{number}.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        uri = f"package://{name}/meshes/part{number}.obj"
        shapes += f"<visual><geometry><mesh filename='{uri}'/></geometry></visual>\n" * 2
    odd = touch(arm / "other" / "odd" / "odd.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    shapes += (
        f"<visual><geometry><mesh filename='package://{name}/odd/odd.obj'/></geometry></visual>"
    )
    robot = touch(
        arm / "urdf" / "r.urdf", f"<robot name='r'><link name='l'>{shapes}</link></robot>"
    )
    diagnostics = load_all(robot)
    code = "moved-file" if name == "arm" else "renamed-package"
    assert [(each.code, each.line, each.subject) for each in diagnostics] == [
        (code, 1, "l"),
        (code, 11, "l"),
    ]
    first, second = (each.message for each in diagnostics)
    assert first.startswith(
        f"5 files, such as mesh 'package://{name}/meshes/part0.obj', are not in"
    )
    assert f"'package://{name}'" in first
    assert str(odd)[-60:] in second
    assert diagnostics.count_faults() == 2


def load_all(path: Path) -> Diagnostics:
    from urdf_importer.core.pipeline.files import find_files, open_files

    found, options = Diagnostics(), ImportOptions()
    robot = read_robot(path, diagnostics=found)
    files = open_files(find_files(path, options), found, robot, options)
    for link in robot.links:
        for shape in link.shapes:
            files.load(shape, link)
    return found
