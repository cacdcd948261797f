# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file a URI means and whether it may be read: one small tree of folders per rule."""

import os
import re
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.paths import TESTS
from support.seconds import within
from urdf_importer.core.diagnostics import MeshError
from urdf_importer.core.files.folders import (
    MOST_ENTRIES,
    MOST_ENTRIES_OF_A_FOLDER,
    Folders,
    walk_up,
)
from urdf_importer.core.files.packages import PackageResolver

QUIRKS = TESTS / "data" / "quirks" / "q_pkg"


def touch(path: Path, text: str = "mesh") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def make_package(folder: Path, name: str | None = None) -> Path:
    """A package with a description and a mesh; its package.xml says `name`, none without one."""
    touch(folder / "meshes" / "a.stl")
    if name is not None:
        touch(folder / "package.xml", f"<package><name>{name}</name></package>")
    return touch(folder / "urdf" / "robot.urdf", "<robot/>")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder above which nothing is looked at, whatever lies in the machine's /tmp."""
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    return tmp_path / "repository"


class Found:
    """What a resolver answers: the file and the codes of the warnings, or the code of the error."""

    def __init__(self, resolver: PackageResolver, uri: str, **more: object) -> None:
        self.notes: list[tuple[str, str]] = []
        self.path: Path | None = None
        self.error = ""
        self.message = ""
        try:
            self.path = resolver.resolve_file(
                uri,
                lambda code, message: self.notes.append((code, message)),
                **more,  # type: ignore[arg-type]
            )
        except MeshError as error:
            self.error, self.message = error.code, error.message

    @property
    def codes(self) -> list[str]:
        return [code for code, _ in self.notes]


def resolve(description: Path | str, uri: str, **more: object) -> Found:
    more.setdefault("environment", None)
    return Found(PackageResolver(description, **more), uri)  # type: ignore[arg-type]


# Robots without packages


@pytest.mark.parametrize("uri", ["../meshes/a.obj", "../other_robot/meshes/b.glb"])
def test_meshes_one_folder_up_are_read(tmp_path: Path, uri: str) -> None:
    description = touch(tmp_path / "robots" / "arm" / "arm.urdf", "<robot/>")
    wanted = touch(tmp_path / "robots" / uri.removeprefix("../"))
    found = resolve(description, uri)
    assert (found.path, found.codes) == (wanted, [])


@pytest.mark.parametrize("uri", ["{}", "package://lost/{}", "model://lost/{}", "file://{}"])
@pytest.mark.parametrize("path", ["differential/x.stl", "graphics/arm/x.dae"])
def test_a_whole_path_one_folder_up_is_found(tmp_path: Path, uri: str, path: str) -> None:
    """Neither repository nor package is about, as in what pip installs."""
    description = touch(tmp_path / "share" / "robots" / "arm.urdf", "<robot/>")
    wanted = touch(tmp_path / "share" / path)
    found = resolve(description, uri.format(path))
    assert found.path == wanted
    assert found.codes == ["renamed-package" if "lost" in uri else "moved-file"]


@pytest.mark.parametrize("uri", ["x.stl", "package://lost/x.stl", "arm/x.stl", "secret/x.txt"])
def test_less_than_a_whole_path_one_folder_up_is_not_found(tmp_path: Path, uri: str) -> None:
    description = touch(tmp_path / "share" / "robots" / "arm.urdf", "<robot/>")
    for path in ("x.stl", "meshes/arm/x.stl", "secret/x.txt"):
        touch(tmp_path / "share" / path)
    assert resolve(description, uri).path is None


def test_a_link_in_the_folder_above_leads_nowhere_else(tmp_path: Path) -> None:
    description = touch(tmp_path / "share" / "robots" / "arm.urdf", "<robot/>")
    touch(tmp_path / "elsewhere" / "x.stl")
    (tmp_path / "share" / "meshes").symlink_to(tmp_path / "elsewhere")
    assert resolve(description, "package://lost/meshes/x.stl").path is None


def test_what_such_a_mesh_names_is_read_too(tmp_path: Path) -> None:
    description = touch(tmp_path / "robots" / "arm" / "arm.urdf", "<robot/>")
    wanted = touch(tmp_path / "robots" / "textures" / "a.png")
    resolver = PackageResolver(description, environment=None)
    mesh = tmp_path / "robots" / "meshes"
    mesh.mkdir()
    assert Found(resolver, "../textures/a.png", kind="texture", base=mesh).path == wanted


@pytest.mark.parametrize("uri", ["../secret.txt", "../../far/a.stl", "../meshes/notes.xml"])
def test_other_files_and_folders_further_up_are_not_read(tmp_path: Path, uri: str) -> None:
    description = touch(tmp_path / "a" / "robots" / "arm" / "arm.urdf", "<robot/>")
    touch((description.parent / uri).resolve())
    assert resolve(description, uri).error == "outside-allowed-folders"


def test_an_absolute_path_one_folder_up_is_not_read(tmp_path: Path) -> None:
    description = touch(tmp_path / "robots" / "arm" / "arm.urdf", "<robot/>")
    mesh = touch(tmp_path / "robots" / "meshes" / "a.stl")
    assert resolve(description, str(mesh)).error == "outside-allowed-folders"


def test_a_link_one_folder_up_leads_nowhere_else(tmp_path: Path) -> None:
    description = touch(tmp_path / "robots" / "arm" / "arm.urdf", "<robot/>")
    touch(tmp_path / "elsewhere" / "a.stl")
    (tmp_path / "robots" / "meshes").symlink_to(tmp_path / "elsewhere")
    assert resolve(description, "../meshes/a.stl").error == "outside-allowed-folders"


def test_the_home_folder_is_not_one_folder_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    description = touch(tmp_path / "arm" / "arm.urdf", "<robot/>")
    touch(tmp_path / "pictures" / "me.png")
    assert resolve(description, "../pictures/me.png").error == "outside-allowed-folders"


@pytest.mark.parametrize("folder", ["robots", "robot", "model", "cfg", "variation"])
def test_meshes_beside_the_folder_of_descriptions_are_found(tmp_path: Path, folder: str) -> None:
    description = touch(tmp_path / "bundle" / folder / "fetch.urdf", "<robot/>")
    wanted = touch(tmp_path / "bundle" / "meshes" / "base_link.dae")
    found = resolve(description, "package://fetch_description/meshes/base_link.dae")
    assert (found.path, found.codes) == (wanted, ["renamed-package"])


def test_no_file_of_another_package_stands_for_one_that_is_there(repository: Path) -> None:
    description = make_package(repository / "arm_description")
    touch(repository / "arm" / "package.xml", "<package><name>arm</name></package>")
    touch(repository / "arm_description" / "meshes" / "wrist.stl")
    assert resolve(description, "package://arm/meshes/wrist.stl").error == "missing-mesh"


def test_of_several_files_the_one_beside_the_others_is_taken(repository: Path) -> None:
    description = touch(repository / "urdf" / "rx.urdf", "<robot/>")
    for name in ("rx160", "rx160l"):
        touch(repository / "meshes" / name / "collision" / "link_4.stl")
    touch(repository / "meshes" / "rx160" / "collision" / "link_3.stl")
    resolver = PackageResolver(description, environment=None)
    uris = [f"package://collision/link_{number}.stl" for number in (4, 3)]
    assert Found(resolver, uris[0]).error == "missing-package"
    resolver = PackageResolver(description, environment=None)
    resolver.expect_files(uris)
    found = Found(resolver, uris[0])
    assert found.path == repository / "meshes" / "rx160" / "collision" / "link_4.stl"
    assert "beside the description's other files" in found.notes[0][1]


def test_of_several_files_the_one_called_as_the_description_is_taken(repository: Path) -> None:
    description = touch(repository / "urdf" / "rx160.urdf", "<robot/>")
    for name in ("rx160", "rx160l"):
        touch(repository / "meshes" / name / "link_4.stl")
    found = resolve(description, "package://lost/link_4.stl")
    assert found.path == repository / "meshes" / "rx160" / "link_4.stl"
    assert "the description's name" in found.notes[0][1]


# The quirk files

QUIRK_ANSWERS = {
    "uri_backslash": ("m.stl", ""),
    "uri_directory": ("", "missing-mesh"),
    "uri_dotdot": ("m.stl", ""),
    "uri_double_slash": ("m.stl", ""),
    "uri_empty": ("", "missing-mesh"),
    "uri_file_relative": ("m.stl", ""),
    "uri_find": ("m.stl", ""),
    "uri_http": ("", "remote-file"),
    "uri_missing": ("", "missing-mesh"),
    "uri_model": ("m.stl", ""),
    "uri_no_ext": ("noext", ""),
    "uri_outer_space": ("m.stl", ""),
    "uri_package": ("m.stl", ""),
    "uri_package_backslash": ("m.stl", ""),
    "uri_package_other_name": ("m.stl", "renamed-package"),
    "uri_package_triple": ("m.stl", ""),
    "uri_percent20": ("with space.stl", ""),
    "uri_relative": ("m.stl", ""),
    "uri_space": ("with space.stl", ""),
    "uri_unicode": ("über.stl", ""),
    "uri_upper_ext": ("UP.STL", ""),
    "uri_wrong_case": ("m.stl", "wrong-case"),
    "uri_wrong_ext": ("really_stl.dae", ""),
}


@pytest.mark.parametrize("name", sorted(path.stem for path in QUIRKS.glob("urdf/uri_*.urdf")))
def test_quirks(name: str) -> None:
    description = QUIRKS / "urdf" / f"{name}.urdf"
    (uri,) = re.findall(r'mesh filename="([^"]*)"', description.read_text("utf-8"))
    found = resolve(description, uri)
    file, code = QUIRK_ANSWERS[name]
    assert found.path == (QUIRKS / "meshes" / file if file else None)
    assert (found.codes or [found.error]) == [code]


def test_every_quirk_has_an_answer() -> None:
    assert {path.stem for path in QUIRKS.glob("urdf/uri_*.urdf")} == set(QUIRK_ANSWERS)


# Where packages are looked for


def test_a_package_is_found_by_its_package_xml_whatever_its_folder_is_called(
    repository: Path,
) -> None:
    robot = make_package(repository / "arm-main", "arm")
    assert resolve(robot, "package://arm/meshes/a.stl").path == (
        repository / "arm-main" / "meshes" / "a.stl"
    )


def test_a_package_is_found_by_the_name_of_its_folder(repository: Path) -> None:
    robot = touch(repository / "arm" / "robots" / "x" / "urdf" / "x.urdf")
    mesh = touch(repository / "arm" / "robots" / "x" / "meshes" / "a.stl")
    found = resolve(robot, "package://arm/robots/x/meshes/a.stl")
    assert (found.path, found.codes) == (mesh, [])


@pytest.mark.parametrize("folder", ["hand", "hand-ros2"])
def test_a_sibling_package_is_found(repository: Path, folder: str) -> None:
    robot = make_package(repository / "src" / "arm", "arm")
    make_package(repository / "src" / folder, "hand")
    found = resolve(robot, "package://hand/meshes/a.stl")
    assert found.path == repository / "src" / folder / "meshes" / "a.stl"
    assert found.codes == []


def test_the_nearest_of_two_packages_counts_and_the_other_fills_gaps(repository: Path) -> None:
    robot = make_package(repository / "near" / "arm", "arm")
    make_package(repository / "near" / "hand", "hand")
    make_package(repository / "hand", "hand")
    only_far = touch(repository / "hand" / "meshes" / "b.stl")
    near = repository / "near" / "hand" / "meshes" / "a.stl"
    assert resolve(robot, "package://hand/meshes/a.stl").path == near
    assert resolve(robot, "package://hand/meshes/b.stl").path == only_far


@pytest.mark.parametrize("mark", [".git", ".repo", "COLCON_IGNORE"])
def test_the_way_up_ends_at_the_root_of_a_repository(tmp_path: Path, mark: str) -> None:
    robot = make_package(tmp_path / "work" / "repository" / "arm", "arm")
    touch(tmp_path / "work" / "repository" / mark)
    make_package(tmp_path / "work" / "hand", "hand")
    assert PackageResolver(robot, environment=None).find_packages("hand") == []


def test_the_way_up_ends_below_a_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "homes" / "me"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    robot = make_package(home / "robots" / "arm", "arm")
    make_package(home / "hand", "hand")
    make_package(tmp_path / "homes" / "hand", "hand")
    assert walk_up(str(robot.parent)) == [
        str(home / "robots" / "arm" / "urdf"),
        str(home / "robots" / "arm"),
        str(home / "robots"),
    ]
    assert PackageResolver(robot, environment=None).find_packages("hand") == []


def test_a_home_folder_is_not_scanned_even_when_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "me"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    make_package(home / "arm-main", "arm")
    make_package(home / "hand", "hand")
    folders = {"package_paths": [str(home)]}
    assert resolve("", "package://hand/meshes/a.stl", **folders).path is not None
    assert resolve("", "package://arm/meshes/a.stl", **folders).error == "missing-package"


def test_the_order_of_the_places(repository: Path) -> None:
    robot = make_package(repository / "src" / "arm", "arm")
    places = [repository / place for place in ("named", "paths/hand", "ros/hand", "src/hand")]
    for place in places:
        make_package(place, "hand")
    make_package(repository / "prefix" / "share" / "hand", "hand")
    resolver = PackageResolver(
        robot,
        {"hand": str(repository / "named")},
        [str(repository / "paths")],
        {
            "ROS_PACKAGE_PATH": f"{repository / 'nowhere'}{os.pathsep}{repository / 'ros'}",
            "AMENT_PREFIX_PATH": str(repository / "prefix"),
        },
    )
    share = repository / "prefix" / "share" / "hand"
    expected = [*places[:3], share, places[3]]
    assert resolver.find_packages("hand") == [str(place) for place in expected]


@pytest.mark.parametrize("as_pairs", [False, True])
def test_packages_are_given_as_a_mapping_or_as_pairs(tmp_path: Path, as_pairs: bool) -> None:
    make_package(tmp_path / "elsewhere")
    folders = {"arm": str(tmp_path / "elsewhere")}
    packages = tuple(folders.items()) if as_pairs else folders
    found = resolve("", "package://arm/meshes/a.stl", packages=packages)
    assert found.path == tmp_path / "elsewhere" / "meshes" / "a.stl"


def test_a_package_folder_may_be_the_package_itself(tmp_path: Path) -> None:
    make_package(tmp_path / "arm-main", "arm")
    found = resolve("", "package://arm/meshes/a.stl", package_paths=[str(tmp_path / "arm-main")])
    assert found.path == tmp_path / "arm-main" / "meshes" / "a.stl"


@pytest.mark.parametrize(("levels", "is_found"), [(1, True), (4, True), (5, False)])
def test_package_folders_are_looked_through_four_levels_deep(
    tmp_path: Path, levels: int, is_found: bool
) -> None:
    between = [f"level{i}" for i in range(levels - 1)]
    make_package(tmp_path.joinpath("paths", *between, "checkout"), "arm")
    resolver = PackageResolver("", package_paths=[str(tmp_path / "paths")], environment=None)
    assert bool(resolver.find_packages("arm")) == is_found


def test_the_process_environment_counts_unless_told_otherwise(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = make_package(repository / "arm", "arm")
    make_package(repository / "deep" / "prefix" / "share" / "hand")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(repository / "deep" / "prefix"))
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    assert PackageResolver(robot).find_packages("hand")
    assert not PackageResolver(robot, environment=None).find_packages("hand")


def test_a_hidden_folder_is_no_package(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    touch(repository / ".ssh" / "id_rsa")
    assert resolve(robot, "package://.ssh/id_rsa").error == "missing-package"


@pytest.mark.parametrize(
    "text",
    [
        "<package><name>wrong</name>",
        "<package format='3'><!-- <name>no</name> --><name> wrong\n</name></package>",
        "\ufeff<?xml version='1.0'?><package><author><name>x</name></author><name>wrong</name>",
        "<package xsi:schemaLocation='http://x'><export:x/><name>wrong</name></package>",
    ],
)
def test_odd_but_readable_package_xml(tmp_path: Path, text: str) -> None:
    touch(tmp_path / "package.xml", text)
    assert Folders().find_package_name(str(tmp_path)) == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no xml",
        "<package></package>",
        "<other><name>x</name></other>",
        "<?xml version='1.0' encoding='no-such'?><package><name>x</name></package>",
        "<!DOCTYPE p [<!ENTITY a 'x'>]><package><name>&a;</name></package>",
        "<package>" + " " * 70_000 + "<name>x</name></package>",
    ],
)
def test_package_xml_without_a_name_that_can_be_read(tmp_path: Path, text: str) -> None:
    touch(tmp_path / "package.xml", text)
    assert Folders().find_package_name(str(tmp_path)) == ""


def test_entities_of_package_xml_in_utf_16_are_not_expanded(tmp_path: Path) -> None:
    text = "<!DOCTYPE p [<!ENTITY a 'xx'>]><package><name>&a;</name></package>"
    (tmp_path / "package.xml").write_bytes(text.encode("utf-16"))
    assert Folders().find_package_name(str(tmp_path)) == ""


def test_a_fifo_for_package_xml_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "package.xml")
    assert Folders().find_package_name(str(tmp_path)) is None


# The shapes of a URI


@pytest.mark.parametrize(
    "shape",
    ["file://{}", "file://localhost{}", "file:{}", "FILE://{}", "{}", "file:////{}", "/{}"],
)
def test_absolute_paths_in_the_own_package(repository: Path, shape: str) -> None:
    robot = make_package(repository / "arm", "arm")
    mesh = repository / "arm" / "meshes" / "a.stl"
    found = resolve(robot, shape.format(mesh))
    assert (found.path, found.codes) == (mesh, [])


@pytest.mark.parametrize(
    "uri",
    [
        "package://arm/meshes/a.stl",
        "PACKAGE://arm/meshes/a.stl",
        "package:///arm/meshes/a.stl",
        "package:////arm//meshes///a.stl",
        "package:/arm/meshes/a.stl",
        "package:\\\\arm\\meshes\\a.stl",
        "package://arm/./urdf/../meshes/a.stl",
        "package://arm/meshes/%61.stl",
        "package://%61rm/meshes/a.stl",
        "model://arm/meshes/a.stl",
        "$(find arm)/meshes/a.stl",
        "$( find  arm )//meshes/a.stl",
        "$(find-pkg-share arm)/meshes/a.stl",
        "file://$(find arm)/meshes/a.stl",
        "package://meshes/a.stl",
        "../meshes/a.stl",
        "..\\meshes\\a.stl",
        "file://../meshes/a.stl",
        "  ../meshes/a.stl\n",
        ".././urdf//../meshes/a.stl",
    ],
)
def test_spellings_of_one_file(repository: Path, uri: str) -> None:
    robot = make_package(repository / "arm", "arm")
    found = resolve(robot, uri)
    assert (found.path, found.codes, found.error) == (
        repository / "arm" / "meshes" / "a.stl",
        [],
        "",
    )


def test_a_name_that_really_has_a_percent_sign_wins(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    touch(repository / "arm" / "meshes" / "a b.stl")
    raw = touch(repository / "arm" / "meshes" / "a%20b.stl")
    assert resolve(robot, "package://arm/meshes/a%20b.stl").path == raw


@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("http://example.com/a.stl", "remote-file"),
        ("https://example.com/a.stl", "remote-file"),
        ("ftp://example.com/a.stl", "remote-file"),
        ("fuel://x/a.stl", "remote-file"),
        ("", "missing-mesh"),
        (" \t ", "missing-mesh"),
        ("package://", "not-a-file"),
        ("package:///", "not-a-file"),
        ("package://arm", "not-a-file"),
        ("package://arm/meshes", "not-a-file"),
        ("..", "not-a-file"),
        ("a\0b", "missing-mesh"),
        ("data:model/stl;base64,AAAA", "missing-mesh"),
        (" DATA:," + "A" * 9000, "missing-mesh"),
        ("a%00b", "missing-mesh"),
        ("\udcff.stl", "missing-mesh"),
        ("x" * 300 + ".stl", "missing-mesh"),
        ("x" * 5000, "missing-mesh"),
        ("../" * 1000 + "a", "outside-allowed-folders"),
        ("package://arm/meshes/nope.stl", "missing-mesh"),
        ("package://nope/nope.stl", "missing-package"),
        ("$(find nope)/nope.stl", "missing-package"),
        ("nope.stl", "missing-mesh"),
    ],
)
def test_what_is_no_file(repository: Path, uri: str, code: str) -> None:
    robot = make_package(repository / "arm", "arm")
    found = resolve(robot, uri)
    assert (found.path, found.error) == (None, code)
    assert "\n" not in found.message


def test_data_in_place_of_a_file_name_is_named_so(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    for uri in ("data:model/stl;base64,AAAA", "data:," + "A" * 9000):
        assert resolve(robot, uri).message == "data: URIs are not read"


def test_a_texture_is_called_so_and_starts_beside_its_mesh(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    make_package(repository / "hand", "hand")
    image = touch(repository / "hand" / "meshes" / "skin.png")
    resolver = PackageResolver(robot, environment=None)
    mesh = Found(resolver, "package://hand/meshes/a.stl").path
    assert mesh is not None
    beside = {"kind": "texture", "base": mesh.parent}
    assert Found(resolver, "skin.png", **beside).path == image
    assert Found(resolver, "nope.png", **beside).error == "missing-texture"
    assert Found(resolver, "../../../x.png", **beside).error == "outside-allowed-folders"


def test_without_a_description_only_packages_are_found(tmp_path: Path) -> None:
    make_package(tmp_path / "arm", "arm")
    paths = {"package_paths": [str(tmp_path)]}
    assert resolve("", "package://arm/meshes/a.stl", **paths).path is not None
    assert resolve("", "a.stl").error == "missing-mesh"
    assert resolve("", "package://arm/meshes/a.stl").error == "missing-package"


# Spelled differently, moved, renamed


def test_wrong_case_in_folders_and_unicode_forms(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    composed = touch(repository / "arm" / "meshes" / "Visual" / "f\u00fc\u00df.stl")
    found = resolve(robot, "package://arm/Meshes/visual/FU\u0308\u00df.STL")
    assert (found.path, found.codes) == (composed, ["wrong-case"])


def test_wrong_case_is_preferred_to_another_place(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    touch(repository / "arm" / "old" / "meshes" / "A.STL")
    found = resolve(robot, "package://arm/meshes/A.STL")
    assert found.path == repository / "arm" / "meshes" / "a.stl"
    assert found.codes == ["wrong-case"]


def test_a_renamed_package_is_found_by_the_longest_end_of_the_path(repository: Path) -> None:
    robot = make_package(repository / "ur_e_description", "ur_e_description")
    meshes = repository / "ur_e_description" / "meshes"
    long = touch(meshes / "ur5" / "visual" / "base.stl")
    touch(meshes / "ur10" / "visual" / "base.stl")
    touch(meshes / "base.stl")
    found = resolve(robot, "package://ur_description/meshes/ur5/visual/base.stl")
    assert (found.path, found.codes) == (long, ["renamed-package"])
    assert "ur_e_description/meshes/ur5/visual/base.stl'" in found.notes[0][1]


def test_the_nearest_bundle_wins(repository: Path) -> None:
    for name in ("abb", "fanuc", "kuka"):
        make_package(repository / name, name)
        touch(repository / name / "meshes" / "visual" / "base_link.stl")
    robot = repository / "fanuc" / "urdf" / "robot.urdf"
    found = resolve(robot, "package://visual/base_link.stl")
    assert found.path == repository / "fanuc" / "meshes" / "visual" / "base_link.stl"


def test_a_draw_between_bundles_finds_nothing(repository: Path) -> None:
    for name in ("abb", "kuka"):
        touch(repository / name / "meshes" / "visual" / "base_link.stl")
    robot = make_package(repository / "fanuc", "fanuc")
    assert resolve(robot, "package://other/meshes/visual/base_link.stl").error == "missing-package"


def test_another_robots_file_of_the_same_name_is_not_taken(repository: Path) -> None:
    touch(repository / "kuka" / "meshes" / "base_link.stl")
    robot = make_package(repository / "fanuc", "fanuc")
    assert resolve(robot, "package://other/visual/base_link.stl").error == "missing-package"
    assert resolve(robot, "base_link.stl").error == "missing-mesh"


def test_a_repository_without_packages_has_bundles_too(repository: Path) -> None:
    for name in ("abb", "kuka"):
        make_package(repository / "robots" / name)
    robot = repository / "robots" / "kuka" / "urdf" / "robot.urdf"
    found = resolve(robot, "package://kuka_support/meshes/a.stl")
    assert found.path == repository / "robots" / "kuka" / "meshes" / "a.stl"
    assert found.codes == ["renamed-package"]


@pytest.mark.parametrize(
    "uri",
    [
        "file:///home/somebody/ws/src/arm/meshes/a.stl",
        "/opt/ros/noetic/share/arm/meshes/a.stl",
        "C:\\Users\\somebody\\arm\\meshes\\a.stl",
        "file:///C:/Users/somebody/arm/meshes/a.stl",
        "\\\\server\\share\\meshes\\a.stl",
        "file://server/share/meshes/a.stl",
        "meshes/a.stl",
        "a.stl",
    ],
)
def test_a_path_of_another_computer_is_found_in_the_own_package(repository: Path, uri: str) -> None:
    robot = make_package(repository / "arm", "arm")
    found = resolve(robot, uri)
    assert found.path == repository / "arm" / "meshes" / "a.stl"
    assert found.codes == ["moved-file"]


def test_a_renamed_package_is_found_in_the_users_folders(tmp_path: Path) -> None:
    make_package(tmp_path / "named" / "ur_e_description", "ur_e_description")
    (tmp_path / "here" / ".git").mkdir(parents=True)
    robot = touch(tmp_path / "here" / "robot.urdf")
    uri = "package://ur_description/meshes/a.stl"
    found = resolve(robot, uri, package_paths=[str(tmp_path / "named")])
    assert found.path == tmp_path / "named" / "ur_e_description" / "meshes" / "a.stl"
    assert found.codes == ["renamed-package"]


def test_hidden_folders_are_not_searched(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    touch(repository / "arm" / ".cache" / "meshes" / "b.stl")
    assert resolve(robot, "package://other/meshes/b.stl").error == "missing-package"


def test_warnings_come_at_every_call(repository: Path) -> None:
    resolver = PackageResolver(make_package(repository / "arm", "arm"), environment=None)
    for _ in range(2):
        assert Found(resolver, "package://arm/meshes/A.stl").codes == ["wrong-case"]
        assert Found(resolver, "package://arm/meshes/no.stl").error == "missing-mesh"


# What may be read


def outside(repository: Path) -> Path:
    return touch(repository.parent / "outside" / "secret.stl")


@pytest.mark.parametrize("shape", ["{}", "file://{}", "file://localhost{}", "file://{}"])
def test_absolute_paths_elsewhere_need_the_users_word(repository: Path, shape: str) -> None:
    robot = make_package(repository / "arm", "arm")
    secret = outside(repository)
    refused = resolve(robot, shape.format(secret))
    assert (refused.path, refused.error) == (None, "outside-allowed-folders")
    assert "package folder" in refused.message
    allowed = resolve(robot, shape.format(secret), package_paths=[str(secret.parent)])
    assert (allowed.path, allowed.codes) == (secret, [])
    named = resolve(robot, shape.format(secret), packages={"x": str(secret.parent)})
    assert (named.path, named.codes) == (secret, [])


@pytest.mark.parametrize(
    "uri",
    [
        "../../../outside/secret.stl",
        "package://arm/../../outside/secret.stl",
        "package://arm/meshes/%2e%2e/../../../outside/secret.stl",
        "package://arm/meshes/..%2f..%2f..%2foutside/secret.stl",
        "package://../outside/secret.stl",
        "package://../../../outside/secret.stl",
        "$(find arm)/../../outside/secret.stl",
        "$(find ..)/../../outside/secret.stl",
        "file://../../../outside/secret.stl",
        "..\\..\\..\\outside\\secret.stl",
        "package://arm/meshes/link.stl",
        "package://arm/linked/secret.stl",
        "../meshes/link.stl",
        "package://outside/secret.stl",
    ],
)
def test_no_way_out_of_the_package(repository: Path, uri: str) -> None:
    robot = make_package(repository / "arm", "arm")
    secret = outside(repository)
    (repository / "arm" / "meshes" / "link.stl").symlink_to(secret)
    (repository / "arm" / "linked").symlink_to(secret.parent)
    (repository / "outside").symlink_to(secret.parent)
    found = resolve(robot, uri)
    assert found.path is None
    assert found.error in ("outside-allowed-folders", "missing-package", "missing-mesh")


def test_a_folder_whose_name_begins_alike_is_outside(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    touch(repository / "arm2" / "x.stl")
    assert resolve(robot, "../../arm2/x.stl").error == "outside-allowed-folders"


def test_another_package_of_the_repository_is_read_only_by_its_name(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    make_package(repository / "hand", "hand")
    mesh = repository / "hand" / "meshes" / "b.stl"
    touch(mesh)
    assert resolve(robot, "../../hand/meshes/b.stl").error == "outside-allowed-folders"
    assert resolve(robot, str(mesh)).error == "outside-allowed-folders"
    assert resolve(robot, "package://hand/meshes/b.stl").path == mesh


def test_the_ros_environment_may_be_read_by_path(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    mesh = touch(repository.parent / "ros" / "share" / "hand" / "x.stl")
    environment = {"AMENT_PREFIX_PATH": str(repository.parent / "ros")}
    assert resolve(robot, f"file://{mesh}", environment=environment).path == mesh


def test_without_package_and_repository_the_own_folder_is_all(tmp_path: Path) -> None:
    robot = touch(tmp_path / "robot" / "robot.urdf")
    touch(tmp_path / "secret.txt")
    beside = touch(tmp_path / "robot" / "meshes" / "a.stl")
    assert resolve(robot, "meshes/a.stl").path == beside
    assert resolve(robot, "../secret.txt").error == "outside-allowed-folders"


@pytest.mark.parametrize("folder", ["urdf", "URDF", "xacro", "urdf/arm5"])
def test_the_folder_above_urdf_belongs_to_it(tmp_path: Path, folder: str) -> None:
    robot = touch(tmp_path / "arm" / folder / "robot.urdf")
    mesh = touch(tmp_path / "arm" / "meshes" / "a.stl")
    touch(tmp_path / "secret.txt")
    up = "../" * (folder.count("/") + 1)
    assert resolve(robot, f"{up}meshes/a.stl").path == mesh
    assert resolve(robot, f"{up}../secret.stl").error == "outside-allowed-folders"


def test_a_python_package_is_one_package(tmp_path: Path) -> None:
    robot = touch(tmp_path / "site" / "robots" / "arms" / "arm5" / "robot.urdf")
    mesh = touch(tmp_path / "site" / "robots" / "hands" / "meshes" / "a.stl")
    touch(tmp_path / "site" / "other" / "secret.stl")
    assert resolve(robot, "../../hands/meshes/a.stl").error == "outside-allowed-folders"
    touch(tmp_path / "site" / "robots" / "__init__.py")
    assert resolve(robot, "../../hands/meshes/a.stl").path == mesh
    touch(tmp_path / "site" / "robots" / "arms" / "__init__.py")
    assert resolve(robot, "../../hands/meshes/a.stl").path == mesh
    touch(tmp_path / "__init__.py")
    assert resolve(robot, "../../../other/secret.stl").error == "outside-allowed-folders"


@pytest.mark.parametrize("shared", ["site-packages", "dist-packages", "downloads/a/b"])
def test_a_folder_of_many_packages_is_none(tmp_path: Path, shared: str) -> None:
    """Whatever lies in it: a stray file there would open all of it to each description."""
    robot = touch(tmp_path / shared / "robo" / "data" / "urdf" / "robot.urdf")
    touch(tmp_path / shared.split("/")[0] / "__init__.py")
    touch(tmp_path / shared / "secret.stl")
    assert resolve(robot, "../../../secret.stl").error == "outside-allowed-folders"


def test_a_python_package_does_not_close_the_folder_above_a_description(tmp_path: Path) -> None:
    robot = touch(tmp_path / "arm" / "urdf" / "robot.urdf")
    touch(tmp_path / "arm" / "urdf" / "__init__.py")
    mesh = touch(tmp_path / "arm" / "meshes" / "a.stl")
    assert resolve(robot, str(mesh)).path == mesh


def test_links_inside_the_package_are_followed(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    link = repository / "arm" / "meshes" / "link.stl"
    link.symlink_to("a.stl")
    assert resolve(robot, "package://arm/meshes/link.stl").path == link


def test_a_description_reached_through_a_link(tmp_path: Path) -> None:
    robot = make_package(tmp_path / "real" / "arm", "arm")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    linked = tmp_path / "link" / "arm" / "urdf" / "robot.urdf"
    assert resolve(linked, "../meshes/a.stl").path == tmp_path / "link" / "arm" / "meshes/a.stl"
    real = robot.parents[1] / "meshes" / "a.stl"
    assert resolve(linked, str(real)).path == real


def test_a_linked_file_beside_its_meshes(tmp_path: Path) -> None:
    robot = make_package(tmp_path / "real" / "arm", "arm")
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "robot.urdf").symlink_to(robot)
    real = robot.parents[1] / "meshes" / "a.stl"
    assert resolve(tmp_path / "desk" / "robot.urdf", "../meshes/a.stl").path == real


@pytest.mark.parametrize("place", ["paths", "environment", "description"])
def test_colcon_symlink_install(tmp_path: Path, place: str) -> None:
    """Every installed file is a link to its source, which lies in a package of the same name."""
    make_package(tmp_path / "ws" / "src" / "arm", "arm")
    share = tmp_path / "ws" / "install" / "arm" / "share" / "arm"
    for name in ("package.xml", "meshes/a.stl", "urdf/robot.urdf"):
        (share / name).parent.mkdir(parents=True, exist_ok=True)
        (share / name).symlink_to(tmp_path / "ws" / "src" / "arm" / name)
    found = {
        "paths": lambda uri: resolve("", uri, package_paths=[str(share.parent)]),
        "environment": lambda uri: resolve(
            "", uri, environment={"AMENT_PREFIX_PATH": str(share.parents[1])}
        ),
        "description": lambda uri: resolve(share / "urdf" / "robot.urdf", uri),
    }[place]("package://arm/meshes/a.stl")
    assert (found.path, found.codes) == (share / "meshes" / "a.stl", [])


def test_a_link_into_a_package_of_another_name_is_refused(tmp_path: Path) -> None:
    make_package(tmp_path / "src" / "other", "other")
    robot = make_package(tmp_path / "arm", "arm")
    link = tmp_path / "arm" / "meshes" / "link.stl"
    link.symlink_to(tmp_path / "src" / "other" / "meshes" / "a.stl")
    assert resolve(robot, "../meshes/link.stl").error == "outside-allowed-folders"
    allowed = resolve(robot, "../meshes/link.stl", package_paths=[str(tmp_path / "src")])
    assert allowed.path == link


def test_a_package_that_is_a_link(tmp_path: Path) -> None:
    """Wherever it leads when the user named its folder; else only with its name in package.xml."""
    make_package(tmp_path / "store" / "plain")
    make_package(tmp_path / "store" / "proper", "proper")
    robots = tmp_path / "ws" / "robots"
    robot = make_package(robots / "arm", "arm")
    for name in ("plain", "proper"):
        (robots / name).symlink_to(tmp_path / "store" / name)
    named = {"package_paths": [str(robots)]}
    plain, proper = "package://plain/meshes/a.stl", "package://proper/meshes/a.stl"
    assert resolve("", plain, **named).path == robots / "plain" / "meshes" / "a.stl"
    assert resolve(robot, proper).path == robots / "proper" / "meshes" / "a.stl"
    found = PackageResolver(robot, environment=None).find_packages
    assert (found("proper"), found("plain")) == ([str(robots / "proper")], [])


@pytest.mark.parametrize("kind", ["fifo", "folder", "loop", "device", "dangling"])
def test_only_regular_files(repository: Path, kind: str) -> None:
    robot = make_package(repository / "arm", "arm")
    path = repository / "arm" / "meshes" / "odd.stl"
    make = {
        "fifo": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "loop": lambda: path.symlink_to(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "dangling": lambda: path.symlink_to("nowhere.stl"),
    }
    make[kind]()
    expected = {"fifo": "not-a-file", "folder": "not-a-file", "device": "outside-allowed-folders"}
    found = resolve(robot, "package://arm/meshes/odd.stl")
    assert (found.path, found.error) == (None, expected.get(kind, "missing-mesh"))


def test_a_device_is_no_file_even_where_all_may_be_read(repository: Path) -> None:
    found = resolve(repository / "robot.urdf", "/dev/zero", package_paths=["/dev"])
    assert found.error == "not-a-file"


PIECES = [
    *("package://", "model://", "file://", "..", "/", "//", "arm", "meshes", "a.stl", "A.STL"),
    *(
        "%2e",
        "%2f",
        "\\",
        "secret.stl",
        "linked",
        "outside",
        "$(find arm)",
        "C:",
        "~",
        "%",
        "?",
        " ",
    ),
]


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_uri_leads_out_or_raises_anything_else(
    tmp_path_factory: pytest.TempPathFactory, uri: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "any_uri"
    repository = root / "repository"
    robot = repository / "arm" / "urdf" / "robot.urdf"
    if not robot.exists():
        (repository / ".git").mkdir(parents=True)
        make_package(repository / "arm", "arm")
        (repository / "arm" / "linked").symlink_to(outside(repository).parent)
    found = resolve(robot, uri)
    if found.path is not None:
        assert found.path.is_absolute()
        assert found.path.is_file()
        assert found.path.resolve().is_relative_to(repository.resolve())
    else:
        assert found.error
        assert found.message


# Bounds


def test_a_huge_tree_is_looked_at_only_so_far(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = make_package(repository / "arm", "arm")
    for i in range(30):
        for k in range(30):
            touch(repository / "arm" / f"data{i:02}" / f"{k:02}.txt", "")
    looked: list[str] = []
    scan = os.scandir

    class Counting:
        def __init__(self, folder: str) -> None:
            self.entries = scan(folder)

        def __enter__(self) -> "Counting":
            return self

        def __exit__(self, *exception: object) -> None:
            self.entries.close()

        def __iter__(self) -> "Counting":
            return self

        def __next__(self) -> "os.DirEntry[str]":
            entry = next(self.entries)
            looked.append(entry.path)
            return entry

    monkeypatch.setattr(os, "scandir", Counting)
    monkeypatch.setattr(Folders.__init__, "__defaults__", (100,))
    found = resolve(robot, "package://other/x/nope.stl")
    assert found.error == "missing-package"
    assert "cut short" in found.message
    assert len(looked) == 100


def test_a_huge_folder_costs_little_and_files_in_it_are_found(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    meshes = repository / "arm" / "meshes"
    for i in range(MOST_ENTRIES_OF_A_FOLDER + 500):
        (meshes / f"{i}.stl").touch()
    resolver = PackageResolver(robot, environment=None)
    assert Found(resolver, f"package://arm/meshes/{MOST_ENTRIES_OF_A_FOLDER + 400}.stl").path
    assert Found(resolver, "package://arm/meshes/nope.stl").error == "missing-mesh"
    folders = Folders()
    assert len(folders.list_folder(str(meshes)).files) == MOST_ENTRIES_OF_A_FOLDER
    assert MOST_ENTRIES > MOST_ENTRIES_OF_A_FOLDER


def test_a_ring_of_links_ends(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    (repository / "arm" / "ring").symlink_to(repository / "arm")
    (repository / "arm" / "up").symlink_to(repository)
    assert resolve(robot, "package://other/x/nope.stl").error == "missing-package"


def test_a_very_deep_tree_ends(repository: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    deep = repository.joinpath("arm", *["d"] * 60)
    touch(deep / "x" / "deep.stl")
    assert resolve(robot, "package://other/x/deep.stl").error == "missing-package"
    exact = "package://arm/" + "d/" * 60 + "x/deep.stl"
    assert resolve(robot, exact).path == deep / "x" / "deep.stl"


def test_a_thousand_uris_scan_nothing_twice(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = make_package(repository / "arm", "arm")
    for i in range(500):
        touch(repository / "arm" / "meshes" / f"{i}.stl")
    scanned: list[str] = []
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: scanned.append(folder) or scan(folder))
    for _ in within(5.0):
        scanned.clear()
        resolver = PackageResolver(robot, environment=None)
        for i in range(1000):
            found = Found(resolver, f"package://arm/meshes/{i}.stl")
            assert (found.path is not None) == (i < 500)
    assert len(scanned) == len(set(scanned))


@pytest.mark.parametrize("place", ["package://arm/meshes/", "package://nope/meshes/", "../meshes/"])
def test_twenty_thousand_missing_meshes_end_soon(repository: Path, place: str) -> None:
    """Each is looked for in whatever may be meant, and the folders are read once. It takes some two
    seconds; to look anew for each would take minutes."""
    robot = make_package(repository / "arm", "arm")
    for i in range(300):
        touch(repository / "arm" / "meshes" / f"part_{i % 7}" / f"{i}.stl")
    for _ in within(15.0):
        resolver = PackageResolver(robot, environment=None)
        for i in range(20_000):
            assert Found(resolver, f"{place}lost_{i}.stl").path is None


def test_the_robots_of_example_robot_data() -> None:
    """Every path in them leads to its file; romeo_laas_small names files of another computer."""
    share = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share")
    errors: set[tuple[str, str]] = set()
    count = 0
    for description in sorted(share.glob("example-robot-data/robots/**/*.urdf")):
        resolver = PackageResolver(description, environment=None)
        text = description.read_text("utf-8")
        for uri in set(re.findall(r'<mesh[^>]*filename="([^"]*)"', text)):
            found = Found(resolver, uri)
            count += 1
            assert found.codes == []
            if found.path is None:
                errors.add((description.name, found.error))
    assert count > 1000
    assert errors == {("romeo_laas_small.urdf", "outside-allowed-folders")}


def test_what_is_found_at_once_needs_no_look_into_the_folders_beside(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = make_package(repository / "arm", "arm")
    second = repository / "renamed"
    make_package(second, "arm")
    touch(second / "meshes" / "b.stl")
    listed: list[str] = []
    scan = Folders._list_folder

    def list_folder(self: Folders, folder: str) -> object:
        listed.append(folder)
        return scan(self, folder)

    monkeypatch.setattr(Folders, "_list_folder", list_folder)
    resolver = PackageResolver(robot)
    uri = "package://arm/meshes/a.stl"
    resolver.expect_files([uri])
    assert Found(resolver, uri).path == repository / "arm" / "meshes" / "a.stl"
    assert str(repository) not in listed
    found = Found(resolver, "package://arm/meshes/b.stl")
    assert (found.path, found.codes) == (second / "meshes" / "b.stl", [])
    assert str(repository) in listed
    assert resolver.find_packages("arm") == [str(repository / "arm"), str(second)]


def test_a_link_beside_files_that_were_read_leads_nowhere(repository: Path, tmp_path: Path) -> None:
    robot = make_package(repository / "arm", "arm")
    secret = touch(tmp_path / "secret.stl")
    (repository / "arm" / "meshes" / "link.stl").symlink_to(secret)
    resolver = PackageResolver(robot)
    assert Found(resolver, "../meshes/a.stl").path is not None
    assert Found(resolver, "../meshes/link.stl").error == "outside-allowed-folders"
    assert Found(resolver, "package://arm/meshes/link.stl").error == "outside-allowed-folders"
