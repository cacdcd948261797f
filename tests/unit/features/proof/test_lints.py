# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule of the check: the smallest robot with its fault, and the nearest one without."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from support.source_tree import ROOT
from urdf_importer import ArgumentError, Diagnostics, LintOptions, check_robot, read_robot
from urdf_importer.core.diagnostics import Severity
from urdf_importer.features.proof.rules import CODES
from urdf_importer.features.proof.rules.sides import other_ends, other_side

BOX = '<geometry><box size="0.1 0.1 0.4"/></geometry>'
BODY = f"<visual>{BOX}</visual><collision>{BOX}</collision>"
INERTIA = '<inertia ixx="0.06" iyy="0.06" izz="0.008" ixy="0" ixz="0" iyz="0"/>'
MASS = f'<inertial><mass value="4"/>{INERTIA}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="1"/>'


@dataclass
class Arm:
    """Two links 1 m apart and a joint between them, with places for faults."""

    link: str = MASS + BODY
    base: str = ""
    limit: str = LIMIT
    origin: str = '<origin xyz="0 0 1"/>'
    more: str = ""
    name: str = "arm"
    kind: str = "revolute"

    def write(self, folder: Path) -> Path:
        path = folder / "robot.urdf"
        path.write_text(
            f'<robot name="r"><link name="base">{self.base}</link>\n'
            f'<link name="{self.name}">{self.link}</link>\n'
            f'<joint name="turn" type="{self.kind}"><parent link="base"/>'
            f'<child link="{self.name}"/>{self.origin}<axis xyz="0 1 0"/>{self.limit}</joint>\n'
            f"{self.more}</robot>"
        )
        return path


def mass(value: float, inertia: float, xyz: str = "0 0 0") -> str:
    tensor = f'ixx="{inertia}" iyy="{inertia}" izz="{inertia / 7}" ixy="0" ixz="0" iyz="0"'
    return f'<inertial><origin xyz="{xyz}"/><mass value="{value}"/><inertia {tensor}/></inertial>'


def mesh(scale: float = 1.0, what: str = "visual", file: str = "box.stl") -> str:
    return (
        f'<{what}><geometry><mesh filename="{file}" scale="{scale} {scale} {scale}"/>'
        f"</geometry></{what}>"
    )


def follower(multiplier: float, offset: float = 0.0) -> str:
    return (
        '<link name="other"/><joint name="follow" type="revolute"><parent link="base"/>'
        f'<child link="other"/><limit lower="0" upper="1" effort="1" velocity="1"/>'
        f'<mimic joint="turn" multiplier="{multiplier}" offset="{offset}"/></joint>'
    )


def finger(name: str, y: float, axis: int, mimic: str = "") -> str:
    shape = '<visual><geometry><box size="0.02 0.02 0.05"/></geometry></visual>'
    return (
        f'<link name="{name}_tip">{shape}</link><joint name="{name}" type="prismatic">'
        f'<parent link="base"/><child link="{name}_tip"/><origin xyz="0 {y} 0"/>'
        f'<axis xyz="0 {axis} 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/>'
        f"{mimic}</joint>"
    )


def hand(right_axis: int) -> str:
    return finger("one", 0.011, 1) + finger("two", -0.051, right_axis, '<mimic joint="one"/>')


def sides(axis: str, weight: float = 4.0) -> str:
    parts = ""
    for side, turned, kg in (("left", "0 1 0", 4.0), ("right", axis, weight)):
        parts += (
            f'<link name="{side}_leg">{mass(kg, 0.06)}{BODY}</link>'
            f'<joint name="{side}_hip" type="revolute"><parent link="base"/>'
            f'<child link="{side}_leg"/><axis xyz="{turned}"/>{LIMIT}</joint>'
        )
    return parts


FAR = '<collision><origin xyz="{} 0 0"/>' + BOX + "</collision>"
END = (
    f'<link name="end">{BODY}</link><joint name="hold" type="{{}}"><parent link="arm"/>'
    '<child link="end"/></joint>'
)
THIN = BODY.replace("0.1 0.1", "0.05 0.05")
LONG = '<inertia ixx="0.002" iyy="0.06" izz="0.06" ixy="0" ixz="0" iyz="0"/>'
CASES: tuple[tuple[str, str, Arm, Arm], ...] = (
    ("mesh-units", "arm", Arm(link=mesh(1000.0)), Arm(link=mesh(10.0))),
    ("mesh-units", "arm", Arm(link=mesh(1e-4)), Arm(link=mesh(1e-2))),
    ("limit-in-degrees", "turn",
     Arm(limit='<limit lower="-90" upper="90" effort="1" velocity="1"/>'),
     Arm(limit='<limit lower="-31.4159" upper="31.4159" effort="1" velocity="1"/>')),
    ("angle-in-degrees", "turn", Arm(origin='<origin xyz="0 0 1" rpy="90 0 0"/>'),
     Arm(origin='<origin xyz="0 0 1" rpy="7.85398 0 0"/>')),
    ("density-unlikely", "arm", Arm(link=mass(4000.0, 60.0) + BODY), Arm(link=mass(80, 1) + BODY)),
    ("density-unlikely", "arm", Arm(link=mass(0.004, 6e-5) + BODY),
     Arm(link=mass(0.2, 3e-3) + BODY)),
    ("inertia-unlikely", "arm", Arm(link=mass(4, 6e3) + BODY), Arm(link=mass(4, 0.2) + BODY)),
    ("inertia-unlikely", "arm", Arm(link=mass(4, 6e-8) + BODY), Arm(link=mass(4, 0.01) + BODY)),
    ("inertia-axes", "arm",
     Arm(link=MASS.replace(INERTIA, LONG) + THIN), Arm(link=MASS.replace("0.008", "0.002") + THIN)),
    ("centre-outside", "arm", Arm(link=mass(4, 0.06, "0 0 50") + BODY),
     Arm(link=mass(4, 0.06, "0 0 0.3") + BODY)),
    ("collision-unlike-visual", "arm", Arm(link=f"<visual>{BOX}</visual>" + FAR.format(0.5)),
     Arm(link=f"<visual>{BOX}</visual>" + FAR.format(0.15))),
    ("collision-unlike-visual", "arm",
     Arm(link=f"<visual>{BOX}</visual><collision>{BOX.replace('0.4', '4')}</collision>"),
     Arm(link=BODY)),
    ("no-collision", "arm", Arm(link=f"{MASS}<visual>{BOX}</visual>", base=BODY), Arm(base=BODY)),
    ("mesh-inside-out", "arm", Arm(link=mesh(file="inside.stl")), Arm(link=mesh())),
    ("mesh-inside-out", "arm", Arm(link=mesh(file="inside_open.stl")), Arm(link=mesh(-1.0))),
    ("collision-heavy", "arm", Arm(link=mesh(what="collision", file="many.stl")),
     Arm(link=mesh(what="collision"))),
    ("collision-concave", "arm", Arm(link=mesh(what="collision", file="two.stl")),
     Arm(link=mesh(what="collision"))),
    ("duplicate-faces", "arm", Arm(link=mesh(file="twice.stl")), Arm(link=mesh())),
    ("mesh-open", "arm", Arm(link=mesh(what="collision", file="open.stl")),
     Arm(link=mesh(what="collision"))),
    ("links-overlap", "base", Arm(base=BODY, origin="", more=
     '<link name="far"/><joint name="fix" type="continuous"><parent link="arm"/>'
     '<child link="far"/></joint>'
     f'<link name="end">{BODY}</link><joint name="fix2" type="continuous"><parent link="far"/>'
     '<child link="end"/></joint>'), Arm(base=BODY)),
    ("links-overlap", "base", Arm(base=BODY, origin="", more=END.format("continuous")),
     Arm(base=BODY, origin="", more=END.format("fixed"))),
    ("base-off-ground", "arm", Arm(), Arm(origin='<origin xyz="0 0 0.2"/>')),
    ("mimic-out-of-range", "follow", Arm(more=follower(-1.0, -1.0)), Arm(more=follower(0.5, 0.5))),
    ("gripper-stays-open", "two", Arm(more=hand(1)), Arm(more=finger("one", 0.011, 1)
     + finger("two", -0.011, -1, '<mimic joint="one"/>'))),
    ("unlike-its-side", "left_hip", Arm(more=sides("1 0 0")), Arm(more=sides("0 -1 0"))),
    ("unlike-its-side", "left_hip", Arm(more=sides("0 1 0", 16.0)), Arm(more=sides("0 1 0", 8.0))),
    ("limit-absurd", "turn", Arm(limit='<limit lower="-1" upper="1" effort="-9" velocity="1"/>'),
     Arm(limit='<limit lower="-1" upper="1" effort="50000" velocity="10000"/>')),
    ("target-velocity", "turn", Arm(limit=LIMIT.replace('velocity="1"', 'velocity="0"')), Arm()),
    ("name-refused", "1arm", Arm(name="1arm"), Arm()),
    ("name-refused", "a::b", Arm(name="a::b"), Arm()),
    ("name-refused", "arm-2", Arm(name="arm-2"), Arm(name="arm_2")),
    ("name-refused", "world", Arm(name="world"), Arm()),
    ("target-limit", "turn", Arm(limit=""), Arm(limit="", kind="continuous")),
    ("target-limit", "turn", Arm(limit=LIMIT.replace('effort="10"', "")), Arm()),
    ("target-root-inertia", "base", Arm(base=MASS), Arm()),
    ("target-mesh", "arm", Arm(link=mesh(what="collision")), Arm(link=BODY)),
    ("target-mesh", "arm", Arm(link=mesh()), Arm(link=mesh(file="file:///box.stl"))),
)  # fmt: skip
ALL = LintOptions(level="note", targets=("ros", "moveit", "drake"), most_collision_triangles=100)
FOR_OTHERS = LintOptions(level="note", targets=("gazebo", "usd"), ignore=("no-*", "*-small-mass"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with boxes of 1 m by 0.1 by 0.1, sound and not."""
    box = _box(np.array([-0.5, -0.05, -0.05]), np.array([0.5, 0.05, 0.05]))
    far = np.concatenate([_box(np.full(3, at), np.full(3, at + 0.1)) for at in (-0.5, 0.4)])
    _write(tmp_path / "box.stl", box)
    _write(tmp_path / "inside.stl", box[:, ::-1])
    _write(tmp_path / "inside_open.stl", box[:-1, ::-1])
    _write(tmp_path / "open.stl", box[:-1])
    _write(tmp_path / "two.stl", far)
    _write(tmp_path / "twice.stl", np.concatenate([box, box[:, ::-1]]))
    _write(tmp_path / "many.stl", np.concatenate([box + 0.2 * n for n in range(10)]))
    return tmp_path


def _box(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return (low + corners * (high - low))[np.array(faces)]


def _write(path: Path, triangles: np.ndarray) -> None:
    records = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")])
    records["p"] = triangles
    path.write_bytes(bytes(80) + np.uint32(len(triangles)).tobytes() + records.tobytes())


def lint(path: Path, options: LintOptions = ALL) -> list[tuple[str, str]]:
    return [(item.code, item.subject) for item in check_robot(read_robot(path), options=options)]


@pytest.mark.parametrize(
    ("code", "part", "faulty", "sound"), CASES, ids=[f"{n}-{row[0]}" for n, row in enumerate(CASES)]
)
def test_a_rule_names_the_part_and_spares_the_nearest(
    code: str, part: str, faulty: Arm, sound: Arm, folder: Path
) -> None:
    options = [ALL, FOR_OTHERS]
    found = [pair for each in options for pair in lint(faulty.write(folder), each)]
    assert (code, part) in found
    assert code not in [pair[0] for each in options for pair in lint(sound.write(folder), each)]


def test_each_rule_has_a_case_and_an_entry_with_its_anchor() -> None:
    assert {row[0] for row in CASES} == set(CODES)
    page = (ROOT / "docs/reference/diagnostics/lints.md").read_text(encoding="utf-8")
    entries = re.findall(r"^### `([^`]+)`$", page, re.MULTILINE)
    assert set(CODES) <= set(entries)


def test_messages_have_line_number_and_guess(tmp_path: Path) -> None:
    found = Diagnostics()
    path = Arm(link=mass(4000.0, 60.0) + BODY).write(tmp_path)
    (item,) = check_robot(read_robot(path), diagnostics=found)
    assert (item.line, item.severity) == (2, Severity.WARNING)
    assert "4000 kg" in item.message and "25,000" in item.message and "grams" in item.message
    assert list(found) == [item]


def test_bodies_are_judged_not_links(tmp_path: Path) -> None:
    sensor = (
        f'<link name="imu">{mass(1e-3, 1e-9)}<visual>{BOX}</visual></link>'
        '<joint name="glue" type="fixed"><parent link="arm"/><child link="imu"/></joint>'
    )
    assert check_robot(read_robot(Arm(more=sensor).write(tmp_path))) == ()


@pytest.mark.parametrize("ignored", ["density-unlikely", "density-*", "*"])
def test_ignored_codes_are_not_given_back(ignored: str, tmp_path: Path) -> None:
    robot = read_robot(Arm(link=mass(4000.0, 60.0) + BODY).write(tmp_path))
    assert check_robot(robot, options=LintOptions(ignore=(ignored,))) == ()


def test_unknown_codes_and_targets_are_refused_with_the_nearest() -> None:
    with pytest.raises(ArgumentError, match="no target 'gazbo'; did you mean 'gazebo'"):
        LintOptions(targets=("gazbo",)).refuse_unknown()
    with pytest.raises(ArgumentError, match="no code 'densty-unlikely'; did you mean 'density-u"):
        LintOptions(ignore=("densty-unlikely",)).refuse_unknown()
    with pytest.raises(ArgumentError, match="no code 'nosuch'"):
        LintOptions(ignore=("nosuch",)).refuse_unknown()


def test_codes_of_reading_can_be_ignored() -> None:
    pages = (ROOT / "docs/reference/diagnostics").glob("*.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    codes = re.findall(r"^(?:\|\s*|#+\s*)`([a-z0-9-]+-[a-z0-9-]+)`", text, re.MULTILINE)
    assert len(codes) > 290
    LintOptions(ignore=tuple(codes)).refuse_unknown()


def test_writers_speak_for_their_targets(tmp_path: Path) -> None:
    robot = read_robot(Arm(link=BODY).write(tmp_path))
    found = check_robot(robot, options=LintOptions(targets=("mujoco", "gazebo", "webots", "isaac")))
    codes = {item.code for item in found}
    assert {"mjcf-small-mass", "sdf-small-mass", "usd-mass-assumed"} <= codes


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r"><link name="a"/></robot>',
        '<robot name="r"><link name="a"/><link name="b"/></robot>',
        f'<robot name="r"><link name="a">{mass(1, 1)}</link></robot>',
        f'<robot name="r"><link name="a">{mass(1e29, 1e29)}{BODY}</link></robot>',
        '<robot name="r"><link name="a"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="a"/></joint></robot>',
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="no.stl"/></geometry>'
        "</visual></link></robot>",
        '<robot name="r"><link name="a"><visual><geometry><sphere radius="0"/></geometry></visual>'
        f"{MASS}</link></robot>",
    ],
)
def test_odd_robots_raise_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.urdf"
    path.write_text(text)
    for options in (ALL, LintOptions(level="note", targets=("mujoco", "gazebo"))):
        check_robot(read_robot(path), options=options)


@pytest.mark.parametrize(
    ("name", "other"),
    [("left_hip", "right_hip"), ("LHipYaw", "RHipYaw"), ("armL", "armR"), ("arm_l2", "arm_r2"),
     ("FL_HAA", "FR_HAA"), ("lf_foot", "rf_foot"), ("kneeLeft", "kneeRight"),
     ("lateral", "lateral"), ("Relay", "Relay")],
)  # fmt: skip
def test_words_for_sides_are_changed_over(name: str, other: str) -> None:
    assert other_side(name) == other and other_side(other) == name


def test_words_for_ends_are_changed_over() -> None:
    assert "RL_HAA" in other_ends("FL_HAA") and other_ends("rear_wheel") == ("front_wheel",)
    assert other_ends("hip") == ()
