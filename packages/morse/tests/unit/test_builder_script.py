# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of builder scripts: Python that MORSE's old Blender can read, whatever a robot is
called, and the same every time."""

import ast
import io
import keyword
import os
import tokenize
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.paths import ROOT
from urdf_importer import (
    Diagnostics,
    KinematicsError,
    MorseOptions,
    WriteError,
    read_robot,
    write_builder_script,
)
from urdf_importer.core.model import (
    Box,
    Collision,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Pose,
    Robot,
    Visual,
)
from urdf_importer.core.pipeline.exporting import suggest_name
from urdf_importer_morse.formats import MORSE
from urdf_importer_morse.script.literals import (
    comment,
    make_class_name,
    make_identifier,
    single,
    vector,
)
from urdf_importer_morse.script.tables import name_sensors, write_sensors
from urdf_importer_morse.script.write import BuilderScript
from urdf_importer_morse.sensors import SensorSuggestion

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
GRIPPER = ROOT / "sample_urdfs" / "gripper.urdf"

NEWER = (
    ast.AnnAssign,
    ast.AsyncFor,
    ast.AsyncFunctionDef,
    ast.AsyncWith,
    ast.Await,
    ast.FormattedValue,
    ast.JoinedStr,
    ast.Match,
    ast.MatMult,
    ast.NamedExpr,
    ast.TryStar,
)
"""What came after Python 3.3."""

HOSTILE = (
    "it's",
    'say "no"',
    "back\\slash\\",
    "two\nlines",
    "'''",
    '"""',
    "# comment\nimport os",
    "${name} $name $",
    "%s {0}",
    "caf\xe9 \u0416\u6f22 \U0001f916",
    "\u202eright to left\u2028",
    "tab\tand\rreturn\x0b\x0c\x00",
    "\ud800",
    "class",
    "x" * 200,
    "",
    " ",
)


def write(robot: Robot, path: Path, **options: Any) -> tuple[BuilderScript, str]:
    script = write_builder_script(robot, path, options=MorseOptions(**options))
    return script, path.read_bytes().decode("ascii")


def tables_of(text: str) -> dict[str, Any]:
    """The tables of a script; of sensors, whose classes are no plain values, their text."""
    found: dict[str, Any] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
            if name in ("SENSORS", "OLD"):
                found[name] = ast.unparse(node.value)
            else:
                found[name] = ast.literal_eval(node.value)
    return found


def find_newer(tree: ast.AST) -> list[str]:
    """What Python 3.3 can not read."""
    found = [type(node).__name__ for node in ast.walk(tree) if isinstance(node, NEWER)]
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr()) | ast.FunctionDef(returns=ast.expr()):
                found.append("annotation")
            case ast.arguments(posonlyargs=[_, *_]):
                found.append("positional only")
            case ast.Call(args=args, keywords=keywords):
                stars = [arg for arg in args if isinstance(arg, ast.Starred)]
                doubles = [each for each in keywords if each.arg is None]
                is_last = not stars or args[-1] is stars[0]
                if len(stars) > 1 or len(doubles) > 1 or not is_last:
                    found.append("unpacking in a call")
            case ast.Tuple(elts=elts, ctx=ast.Load()) | ast.List(elts=elts, ctx=ast.Load()):
                found += ["unpacking" for each in elts if isinstance(each, ast.Starred)]
            case ast.Dict(keys=keys) if None in keys:
                found.append("unpacking in a dictionary")
    return found


def find_underscores(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [
        token.string for token in tokens if token.type == tokenize.NUMBER and "_" in token.string
    ]


def link(name: str, mass: float = 1.0, **parts: Any) -> Link:
    return Link(name=name, inertial=Inertial(mass=mass), **parts)


def hostile_robot(names: tuple[str, ...]) -> Robot:
    """All that can have a name has one of these."""
    links = tuple(
        link(
            f"{name}{index}",
            visuals=(
                Visual(
                    geometry=Box(size=(0.1, 0.2, 0.3)),
                    name=name,
                    material=Material(name=name, color=(0.1, 0.2, 0.3, 1.0)),
                ),
                Visual(geometry=Mesh(filename=f"package://{name}/{name}.stl")),
            ),
            collisions=(Collision(geometry=Box(size=(0.1, 0.2, 0.3)), name=name),),
        )
        for index, name in enumerate(names)
    )
    joints = tuple(
        Joint(
            name=name or "empty",
            type="revolute" if index else "prismatic",
            parent=links[index].name,
            child=links[index + 1].name,
            origin=Pose(xyz=(0.0, 0.0, 0.1)),
            axis=(1.0, 0.0, 0.0),
            limit=Limit(lower=-1.0, upper=1.0),
            mimic=Mimic(joint=names[0] or "empty") if index == 2 else None,
        )
        for index, name in enumerate(names[:-1])
    )
    return Robot(name=names[0], links=links, joints=joints, source="robot.urdf")


class TestSyntax:
    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
    def test_old_python_reads_it(self, path: Path, tmp_path: Path) -> None:
        _, text = write(read_robot(path), tmp_path / "robot.py")
        tree = ast.parse(text, feature_version=(3, 7))
        assert find_newer(tree) == [] and find_underscores(text) == []

    @pytest.mark.parametrize(
        "newer",
        ["f'{x}'", "a @ b", "x: int = 1", "def f(a: int): pass", "def f() -> int: pass",
         "f(*a, *b)", "f(*a, b)", "f(**a, **b)", "(*a, b)", "[*a]", "{**a}", "(a := 1)",
         "async def f(): pass", "def f(a, /): pass"],
    )  # fmt: skip
    def test_newer_syntax_would_be_found(self, newer: str) -> None:
        assert find_newer(ast.parse(newer))

    def test_underscores_in_numbers_would_be_found(self) -> None:
        assert find_underscores("x = 1_000\n") == ["1_000"]

    def test_it_imports_only_what_morse_has(self, tmp_path: Path) -> None:
        _, text = write(read_robot(ARM), tmp_path / "robot.py")
        imported = {
            alias.name if isinstance(node, ast.Import) else node.module or ""
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        known = {"array", "base64", "sys", "zlib", "bpy", "mathutils", "morse.builder"}
        assert imported == known


class TestText:
    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
    def test_it_is_the_same_every_time(self, path: Path, tmp_path: Path) -> None:
        first = write(read_robot(path), tmp_path / "robot.py")[1]
        assert write(read_robot(path), tmp_path / "robot.py")[1] == first

    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
    def test_it_has_no_types_of_numpy(self, path: Path, tmp_path: Path) -> None:
        text = write(read_robot(path), tmp_path / "robot.py")[1]
        assert "np." not in text and "numpy" not in text and "array(" not in text.split("MESHES")[0]

    def test_what_it_says_of_itself(self, tmp_path: Path) -> None:
        script, text = write(read_robot(GRIPPER), tmp_path / "grip.py")
        assert (script.path, script.files) == (tmp_path / "grip.py", (tmp_path / "grip.py",))
        assert (script.robot, script.class_name) == ("gripper", "GripperModel")
        tables = tables_of(text)
        assert script.links == tuple(row[0] for row in tables["LINKS"])
        assert script.joints == tuple(row[0] for row in tables["JOINTS"])
        assert script.followers == tuple(row[0] for row in tables["FOLLOWERS"]) != ()
        header = text.partition("\nfrom morse.builder import *\n")[0]
        assert "morse run grip.py" in header and "from grip import GripperModel" in header
        assert all(f"'{name}'" in header for name in script.followers)

    def test_a_file_that_can_not_be_imported_says_so(self, tmp_path: Path) -> None:
        text = write(read_robot(ARM), tmp_path / "2dof-arm.py")[1]
        assert "rename it first" in text and "from NAME import TwoLinkArm" in text

    def test_the_class_is_not_made_when_it_is_imported(self, tmp_path: Path) -> None:
        tree = ast.parse(write(read_robot(ARM), tmp_path / "robot.py")[1])
        kinds = {type(node) for node in tree.body}
        allowed = {ast.Import, ast.ImportFrom, ast.Assign, ast.ClassDef, ast.FunctionDef, ast.If}
        assert kinds == allowed
        (guard,) = (node for node in tree.body if isinstance(node, ast.If))
        assert ast.unparse(guard.test) == "__name__ == '__main__'"

    def test_where_the_robot_stands(self, tmp_path: Path) -> None:
        text = write(
            read_robot(ARM),
            tmp_path / "robot.py",
            translation=(1.0, 0.0, -0.1),
            rotation=(0.0, 0.0, 0.3),
        )[1]
        stand = "robot.translate(x=1.0, y=0.0, z=-0.1)\n    robot.rotate(x=0.0, y=0.0, z=0.3)\n"
        assert stand in text

    def test_where_joints_start(self, tmp_path: Path) -> None:
        diagnostics = Diagnostics()
        path = tmp_path / "robot.py"
        options = MorseOptions(positions=(("shoulder", "0.5"), ("elbow", "99")))
        write_builder_script(read_robot(ARM), path, options=options, diagnostics=diagnostics)
        starts = {row[0]: row[-1] for row in tables_of(path.read_text())["JOINTS"]}
        upper = next(joint for joint in read_robot(ARM).joints if joint.name == "elbow").limit
        assert upper is not None and upper.upper is not None
        assert starts == {"shoulder": 0.5, "elbow": pytest.approx(upper.upper)}
        found = [item for item in diagnostics if item.code == "morse-start-position"]
        assert [item.subject for item in found] == ["elbow"] and found[0].line > 0

    def test_a_follower_starts_where_its_leader_puts_it(self, tmp_path: Path) -> None:
        robot = read_robot(GRIPPER)
        text = write(robot, tmp_path / "r.py", positions=(("jaw_left", "0.01"),))[1]
        tables = tables_of(text)
        starts = {row[0]: row[-1] for row in tables["JOINTS"]}
        for follower, source, factor, offset in tables["FOLLOWERS"]:
            assert starts[follower] == pytest.approx(factor * starts[source] + offset, abs=1e-7)

    @pytest.mark.parametrize(
        ("position", "message"),
        [("nothing:=1", "no joint 'nothing'"), ("elbow:=x", "is not a number")],
    )
    def test_positions_that_fit_nothing(self, position: str, message: str, tmp_path: Path) -> None:
        name, _, value = position.partition(":=")
        with pytest.raises(KinematicsError, match=message):
            write(read_robot(ARM), tmp_path / "robot.py", positions=((name, value),))
        assert os.listdir(tmp_path) == []


class TestNames:
    def test_hostile_names_are_only_names(self, tmp_path: Path) -> None:
        names = tuple(name for name in HOSTILE if name != "\ud800")
        robot = hostile_robot(names)
        script, text = write(robot, tmp_path / "robot.py")
        assert find_newer(ast.parse(text)) == []
        tables = tables_of(text)
        assert tuple(row[0] for row in tables["LINKS"]) == script.links
        assert set(script.links) == {link.name for link in robot.links}
        shown = {row[1] for row in tables["COLLISIONS"]}
        assert shown == {name or f"{names.index(name)}_collision" for name in names} - {""} | {
            f"{index}_collision" for index, name in enumerate(names) if not name
        }
        assert len(tables["VISUALS"]) == len(names)
        plain = tables_of(write(read_robot(ARM), tmp_path / "plain.py")[1])
        assert tables.keys() == plain.keys(), "a name became a statement"

    @settings(max_examples=25)
    @given(st.lists(st.text(max_size=12), min_size=2, max_size=4, unique=True))
    def test_any_names(self, tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
        robot = hostile_robot(tuple(f"n{name}" for name in names))
        path = tmp_path_factory.mktemp("names") / "robot.py"
        script, text = write(robot, path)
        assert tuple(row[0] for row in tables_of(text)["LINKS"]) == script.links

    @pytest.mark.parametrize("stem", ["it's", "a\nb", "${x}", "caf\xe9"])
    def test_hostile_files(self, stem: str, tmp_path: Path) -> None:
        robot = replace(read_robot(ARM), source=f"{stem}.urdf")
        text = write(robot, tmp_path / f"{stem}.py")[1]
        plain = write(read_robot(ARM), tmp_path / "plain.py")[1]
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(plain))

    @pytest.mark.parametrize(
        ("name", "wanted"),
        [
            ("panda", "Panda"),
            ("two_link arm", "TwoLinkArm"),
            ("2dof", "_2dof"),
            ("PR2", "PR2"),
            ("robot", "RobotModel"),
            ("Human", "HumanModel"),
            ("BONES", "BONESModel"),
            ("none", "_None"),
            ("exception", "ExceptionModel"),
            ("", "Unnamed"),
            ("\u6f22", "Unnamed"),
        ],
    )
    def test_class_names(self, name: str, wanted: str) -> None:
        assert make_class_name(name) == wanted

    @given(st.text())
    def test_identifiers(self, name: str) -> None:
        for made in (make_identifier(name), make_class_name(name)):
            assert made.isidentifier() and made.isascii() and not keyword.iskeyword(made)

    def test_files_are_named_after_robots(self) -> None:
        assert suggest_name(Robot(name="My Arm", links=()), MORSE) == "my_arm_builder"


class TestLiterals:
    @given(st.floats(width=32, min_value=-1e6, max_value=1e6))
    def test_numbers_are_those_of_blender(self, value: float) -> None:
        written = ast.literal_eval(single(np.float64(value)))
        assert type(written) is float
        assert np.float32(written) == np.float32(value) or abs(value) < 1e-9

    def test_numbers_are_short(self) -> None:
        assert vector((0.333000004291534, -0.0, 1e-12)) == "(0.333, 0.0, 0.0)"

    @given(st.text())
    def test_comments_are_comments(self, told: str) -> None:
        written = comment(told, first="* ")
        assert written.isascii()
        assert all(line.startswith("#") for line in written.splitlines())


class TestSensors:
    def suggestion(self, name: str, **parts: Any) -> SensorSuggestion:
        told = {"link": "hand", "component": "VideoCamera", "frame": np.eye(4)} | parts
        return SensorSuggestion(name=name, **told)

    def test_rows(self) -> None:
        text = write_sensors(
            [
                self.suggestion(
                    "head.camera",
                    properties=(("cam_width", 640), ("cam_focal", 35.5), ("capturing", True)),
                    frequency=30,
                    topic="/image",
                    notes=("not quite\nthe same",),
                ),
                self.suggestion("armature"),
            ],
            armatures=("armature",),
        )
        assert ast.unparse(ast.parse(text)).splitlines() == [
            "SENSORS = (('head_camera', VideoCamera, 'hand', (0.0, 0.0, 0.0), "
            "(1.0, 0.0, 0.0, 0.0), 30, {'cam_width': 640, 'cam_focal': 35.5, 'capturing': True}), "
            "('armature_2', VideoCamera, 'hand', (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), None, {}))"
        ]
        assert "# head_camera: published as /image" in text
        assert "# head_camera: not quite\\nthe same" in text

    def test_names_are_single(self) -> None:
        twins = [self.suggestion("a.b"), self.suggestion("a b"), self.suggestion("joint_states")]
        assert name_sensors(twins) == ("a_b", "a_b_2", "joint_states_2")


class TestFile:
    def test_it_overwrites(self, tmp_path: Path) -> None:
        path = tmp_path / "robot.py"
        path.write_text("old")
        assert "class TwoLinkArm(Robot):" in write(read_robot(ARM), path)[1]
        assert os.listdir(tmp_path) == ["robot.py"]

    @pytest.mark.parametrize("place", ["nowhere/robot.py", "folder.py", "file/robot.py"])
    def test_places_where_nothing_can_be_written(self, place: str, tmp_path: Path) -> None:
        (tmp_path / "folder.py").mkdir()
        (tmp_path / "file").write_text("old")
        with pytest.raises(WriteError, match="cannot write"):
            write(read_robot(ARM), tmp_path / place)
        assert sorted(os.listdir(tmp_path)) == ["file", "folder.py"]

    def test_strict_writes_nothing_where_anything_is_odd(self, tmp_path: Path) -> None:
        robot = read_robot(ROOT / "sample_urdfs" / "messy.urdf")
        with pytest.raises(WriteError, match="strict mode allows no diagnostics"):
            write_builder_script(robot, tmp_path / "robot.py", strict=True)
        assert os.listdir(tmp_path) == []

    def test_meshes_that_are_not_there(self, tmp_path: Path) -> None:
        shape = Mesh(filename="nothing.stl")
        robot = Robot(
            name="r",
            links=(
                link(
                    "a",
                    visuals=(Visual(geometry=shape, line=7),),
                    collisions=(Collision(geometry=shape, line=8),),
                ),
            ),
        )
        diagnostics = Diagnostics()
        write_builder_script(robot, tmp_path / "robot.py", options=None, diagnostics=diagnostics)
        found = [(item.code, item.line) for item in diagnostics]
        assert found == [("missing-mesh", 7), ("missing-mesh", 8)]
        tables = tables_of((tmp_path / "robot.py").read_text())
        assert tables["VISUALS"] == tables["COLLISIONS"] == () and tables["MESHES"] == {}

    def test_a_robot_that_is_no_tree(self, tmp_path: Path) -> None:
        twins = Robot(name="r", links=(link("a"), link("a")))
        with pytest.raises(KinematicsError):
            write(twins, tmp_path / "robot.py")
        assert os.listdir(tmp_path) == []
