# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts of rigs by File > Export and by the command: as the library writes them."""

import ast
import json
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace

import bpy
import pytest

from support.blender.rig_exports import find_exporter
from support.paths import ROOT
from urdf_importer import (
    BuildError,
    Diagnostics,
    MorseOptions,
    import_robot,
    save_blend,
    set_joint_positions,
    write_builder_script,
)
from urdf_importer.cli import main
from urdf_importer_morse.game_engine.storage import set_property

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"
SENSING = """<robot name="r"><link name="a"/><gazebo reference="a"><sensor name="eye" type="camera">
<camera><horizontal_fov>1</horizontal_fov><image><width>64</width><height>48</height></image>
</camera></sensor></gazebo></robot>"""

pytestmark = pytest.mark.usefixtures("scene")


def tables_of(text: str) -> str:
    """What is not about meshes: those of a rig have the normals that the scene shows."""
    return text.partition("\nMESHES = ")[0].partition("\nMATERIALS = ")[0]


def read_starts(text: str) -> dict[str, float]:
    """Joint -> where it starts."""
    assigned = [node for node in ast.parse(text).body if isinstance(node, ast.Assign)]
    (joints,) = (node for node in assigned if ast.unparse(node.targets[0]) == "JOINTS")
    return {row[0]: row[-1] for row in ast.literal_eval(joints.value)}


class TestLibrary:
    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
    def test_a_rig_gives_the_tables_of_its_description(self, path: Path, tmp_path: Path) -> None:
        result = import_robot(path)
        target = tmp_path / "robot.py"
        write_builder_script(result.robot, target)
        told = target.read_text()
        write_builder_script(result.armature, target)
        assert tables_of(target.read_text()) == tables_of(told)

    def test_the_pose_is_where_it_starts(self, tmp_path: Path) -> None:
        armature = import_robot(ARM).armature
        set_joint_positions(armature, {"shoulder": 0.5, "elbow": 0.25})
        armature.location = (1.0, 2.0, 0.5)
        bpy.context.view_layer.update()
        target = tmp_path / "robot.py"
        write_builder_script(armature, target, options=MorseOptions(positions=(("elbow", "1"),)))
        text = target.read_text()
        assert read_starts(text) == {"shoulder": 0.5, "elbow": 1.0}
        assert "robot.translate(x=1.0, y=2.0, z=0.5)" in text

    def test_a_scaled_rig_has_the_size_of_its_description(self, tmp_path: Path) -> None:
        armature = import_robot(ARM).armature
        target = tmp_path / "robot.py"
        write_builder_script(armature, target)
        told = target.read_text()
        armature.scale = (2.0, 2.0, 2.0)
        bpy.context.view_layer.update()
        diagnostics = Diagnostics()
        write_builder_script(armature, target, diagnostics=diagnostics)
        assert target.read_text() == told
        (item,) = diagnostics
        assert (item.code, item.subject) == ("scaled-rig", "two_link_arm")
        assert "Webots" not in item.message

    def test_what_is_mounted_on_a_link_is_no_shape_of_it(self, tmp_path: Path) -> None:
        """The components of MORSE, and the cubes that they show themselves by."""
        result = import_robot(ARM)
        target = tmp_path / "robot.py"
        write_builder_script(result.armature, target)
        told = target.read_text()
        mounted = bpy.data.objects.new("imu", None)
        mounted.parent = result.links["forearm"]
        cube = bpy.data.objects.new("cube", result.visuals["forearm"][0].data)
        cube.parent = mounted
        bpy.context.scene.collection.objects.link(mounted)
        bpy.context.scene.collection.objects.link(cube)
        write_builder_script(result.armature, target)
        assert target.read_text() != told
        set_property(mounted, "Component_Tag", True)
        write_builder_script(result.armature, target)
        assert target.read_text() == told

    def test_other_objects_are_refused(self, tmp_path: Path) -> None:
        thing = bpy.data.objects.new("thing", None)
        with pytest.raises(BuildError, match="not an imported robot"):
            write_builder_script(thing, tmp_path / "robot.py")
        assert os.listdir(tmp_path) == []


class TestOperator:
    """bpy.ops.export_scene.morse_builder"""

    pytestmark = pytest.mark.usefixtures("extension")

    def test_it_writes_what_the_library_writes(self, tmp_path: Path) -> None:
        armature = import_robot(LEG).armature
        told, shown = tmp_path / "told", tmp_path / "shown"
        for folder in (told, shown):
            folder.mkdir()
        script = write_builder_script(armature, told / "leg.py")
        done = bpy.ops.export_scene.morse_builder(filepath=str(shown / "leg.py"))
        assert done == {"FINISHED"}
        assert (shown / "leg.py").read_bytes() == (told / "leg.py").read_bytes()
        reported = [text for text in bpy.data.texts if text.name.endswith("export report")]
        assert len(reported) == bool(script.diagnostics)

    def test_sensors_can_be_left_out(self, tmp_path: Path) -> None:
        source = tmp_path / "r.urdf"
        source.write_text(SENSING)
        import_robot(source)
        target = tmp_path / "r.py"
        bpy.ops.export_scene.morse_builder(filepath=str(target))
        assert "VideoCamera" in target.read_text()
        bpy.ops.export_scene.morse_builder(filepath=str(target), sensors=False)
        assert "VideoCamera" not in target.read_text()

    @pytest.mark.parametrize(
        ("name", "message"), [("", "no file is chosen"), ("nowhere/r.py", "cannot write")]
    )
    def test_refusals_are_one_sentence(self, name: str, message: str, tmp_path: Path) -> None:
        import_robot(ARM)
        with pytest.raises(RuntimeError, match=message) as failure:
            bpy.ops.export_scene.morse_builder(filepath=str(tmp_path / name) if name else "")
        assert "Traceback" not in str(failure.value) and os.listdir(tmp_path) == []

    def test_it_needs_one_robot(self) -> None:
        poll = bpy.ops.export_scene.morse_builder.poll
        assert not poll()
        import_robot(ARM)
        bpy.context.view_layer.objects.active = None
        assert poll()
        import_robot(LEG)
        bpy.context.view_layer.objects.active = None
        assert not poll()

    @pytest.mark.parametrize(
        ("path", "wanted"),
        [("/a/arm", "/a/arm.py"), ("/a/arm.py", "/a/arm.py"), ("/a/my.arm", "/a/my.arm.py"),
         ("/a/", "/a/")],
    )  # fmt: skip
    def test_names_get_their_suffix(self, path: str, wanted: str, extension: ModuleType) -> None:
        exporter = find_exporter(extension, "morse")
        operator = SimpleNamespace(filepath=path, format=exporter.format, _shown_engine="")
        assert exporter.check(operator, bpy.context) == (path != wanted)
        assert operator.filepath == wanted


class TestCommand:
    """urdf-importer export robot.blend -o robot.py"""

    def test_a_blend_is_written_as_it_stands(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        armature = import_robot(ARM).armature
        set_joint_positions(armature, {"shoulder": 0.5})
        save_blend(tmp_path / "arm.blend")
        target = tmp_path / "arm.py"
        assert main(["export", str(tmp_path / "arm.blend"), "-o", str(target), "--json", "-"]) == 0
        report = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert report["ok"] and report["moving_joints"] == 2 and report["class"] == "TwoLinkArm"
        assert read_starts(target.read_text())["shoulder"] == 0.5
