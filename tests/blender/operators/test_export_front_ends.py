# SPDX-License-Identifier: GPL-3.0-or-later
"""Export to Webots from a rig by File > Export and by the command: as the library does it."""

import json
import os
from dataclasses import fields
from pathlib import Path
from types import ModuleType, SimpleNamespace

import bpy
import pytest

from support.blender.rig_exports import Export, find_exporter
from support.paths import ROOT
from support.webots.proto_check import check
from urdf_importer import WebotsOptions, import_robot, save_blend, set_joint_positions
from urdf_importer.cli import main

SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"
LEG = ROOT / "sample_urdfs" / "quadruped_leg.urdf"

pytestmark = pytest.mark.usefixtures("scene")


class TestOperator:
    """bpy.ops.export_scene.webots"""

    pytestmark = pytest.mark.usefixtures("extension")

    @pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
    def test_it_writes_what_the_library_writes(
        self, path: Path, export: Export, tmp_path: Path
    ) -> None:
        told = export(import_robot(path).armature, base="fixed", small_mass=0.002)
        file = tmp_path / "Shown.proto"
        done = bpy.ops.export_scene.webots(filepath=str(file), base="fixed", small_mass=0.002)
        assert done == {"FINISHED"}
        assert file.read_text("utf-8") == told.text
        assert {each.name for each in (tmp_path / "Shown_meshes").glob("*")} == {
            each.name for each in (told.folder / "Shown_meshes").glob("*")
        }
        reported = [text for text in bpy.data.texts if text.name.endswith("export report")]
        assert bool(reported) == bool(told.result.diagnostics)

    def test_its_properties_are_the_options(self) -> None:
        shown = bpy.ops.export_scene.webots.get_rna_type().properties
        for field in fields(WebotsOptions):
            own = shown[field.name]
            assert own.name == field.metadata["label"]
            if isinstance(field.default, float):
                assert own.default == pytest.approx(field.default, rel=1e-7)
            elif isinstance(field.default, bool | int | str):
                assert own.default == field.default

    def test_defaults_are_exact(self, extension: ModuleType, export: Export) -> None:
        told = export(import_robot(LEG).armature)
        file = told.folder / "again" / "Shown.proto"
        file.parent.mkdir()
        bpy.ops.export_scene.webots(filepath=str(file))
        assert file.read_text("utf-8") == told.text

    def test_vectors_and_pairs(self, export: Export, tmp_path: Path) -> None:
        told = export(
            import_robot(ARM).armature,
            translation=(0.1, 0.2, 0.3),
            positions=(("shoulder", "0.5"), ("elbow", "0.25")),
        )
        file = tmp_path / "Shown.proto"
        bpy.ops.export_scene.webots(
            filepath=str(file),
            translation=(0.1, 0.2, 0.3),
            positions="shoulder:=0.5; elbow:=0.25",
        )
        assert file.read_text("utf-8") == told.text

    @pytest.mark.parametrize("name", ["arm.wbt", "arm"])
    def test_the_name_says_what_is_written(self, name: str, tmp_path: Path) -> None:
        import_robot(ARM)
        bpy.ops.export_scene.webots(filepath=str(tmp_path / name))
        world = (
            tmp_path / "arm.wbt" if name == "arm.wbt" else next((tmp_path / name).rglob("*.wbt"))
        )
        assert check(world).problems == ()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"filepath": "A.proto", "positions": "nothing:=1"}, "no joint 'nothing'"),
            ({"filepath": "A.proto", "positions": "nothing"}, "is not name:=value"),
            ({"filepath": "A.proto", "tool_slot": "nothing"}, "no link 'nothing'"),
        ],
        ids=str,
    )
    def test_refusals_are_one_sentence(
        self, options: dict[str, str], message: str, tmp_path: Path
    ) -> None:
        import_robot(ARM)
        chosen = options | {"filepath": str(tmp_path / options["filepath"])}
        with pytest.raises(RuntimeError, match=message) as failure:
            bpy.ops.export_scene.webots(**chosen)
        assert "Traceback" not in str(failure.value)
        assert os.listdir(tmp_path) == []

    def test_a_name_that_no_proto_can_have(self, tmp_path: Path) -> None:
        import_robot(ARM)
        assert bpy.ops.export_scene.webots(filepath=str(tmp_path / "2dof.proto")) == {"FINISHED"}
        (proto,) = tmp_path.glob("*.proto")
        assert proto.name != "2dof.proto" and check(proto).problems == ()

    def test_a_file_in_the_way(self, tmp_path: Path) -> None:
        import_robot(ARM)
        (tmp_path / "taken").write_text("old")
        with pytest.raises(RuntimeError, match="cannot write"):
            bpy.ops.export_scene.webots(filepath=str(tmp_path / "taken" / "R.proto"))
        assert os.listdir(tmp_path) == ["taken"] and (tmp_path / "taken").read_text() == "old"

    def test_it_needs_one_robot(self) -> None:
        poll = bpy.ops.export_scene.webots.poll
        assert not poll()
        first = import_robot(ARM).armature
        bpy.context.view_layer.objects.active = None
        assert poll()
        import_robot(LEG)
        bpy.context.view_layer.objects.active = None
        assert not poll()
        bpy.context.view_layer.objects.active = first
        assert poll()
        bpy.ops.object.mode_set(mode="EDIT")
        assert not poll()
        bpy.ops.object.mode_set(mode="OBJECT")

    def test_it_is_in_the_menu(self, extension: ModuleType) -> None:
        drawn = bpy.types.TOPBAR_MT_file_export.draw._draw_funcs
        ours = [each for each in drawn if each.__module__.startswith(extension.__name__)]
        assert len(ours) == 1
        assert bpy.types.TOPBAR_MT_urdf_export.bl_label == "Robot"

    @pytest.mark.parametrize(
        ("path", "kind", "shown", "wanted"),
        [
            ("/a/Arm", "PROTO", "PROTO", ("/a/Arm.proto", "PROTO")),
            ("/a/Arm.proto", "WORLD", "PROTO", ("/a/Arm.wbt", "WORLD")),
            ("/a/Arm.wbt", "PROTO", "PROTO", ("/a/Arm.wbt", "WORLD")),
            ("/a/Arm.wbt", "PROJECT", "WORLD", ("/a/Arm", "PROJECT")),
            ("/a/my.arm", "WORLD", "PROJECT", ("/a/my.arm.wbt", "WORLD")),
            ("/a/", "PROTO", "PROTO", ("/a/", "PROTO")),
        ],
    )
    def test_name_and_kind_agree(
        self, path: str, kind: str, shown: str, wanted: tuple[str, str], extension: ModuleType
    ) -> None:
        """What was changed last decides; there is no file browser without a window."""
        exporter = find_exporter(extension, "webots")
        operator = SimpleNamespace(
            filepath=path,
            kind=kind,
            _shown_kind=shown,
            _shown_engine="",
            format=exporter.format,
        )
        changed = exporter.check(operator, bpy.context)
        assert (operator.filepath, operator.kind) == wanted
        assert changed == ((path, kind) != wanted)
        assert not exporter.check(operator, bpy.context)

    @pytest.mark.parametrize(
        ("engine", "kind", "wanted"),
        [
            ("unreal", "GLB", "/a/Arm.fbx"),
            ("isaac", "GLB", "/a/Arm.usd"),
            ("web", "GLB", "/a/Arm.glb"),
            ("unreal", "USDA", "/a/Arm.usda"),
        ],
    )
    def test_an_engine_brings_its_usual_kind(
        self, engine: str, kind: str, wanted: str, extension: ModuleType
    ) -> None:
        """Unless another kind was chosen."""
        exporter = find_exporter(extension, "engines")
        operator = SimpleNamespace(
            filepath="/a/Arm.glb",
            kind=kind,
            engine=engine,
            _shown_kind="GLB",
            _shown_engine="generic",
            format=exporter.format,
        )
        assert exporter.check(operator, bpy.context) == (wanted != "/a/Arm.glb")
        assert operator.filepath == wanted


class TestCommand:
    """urdf-importer export robot.blend"""

    @pytest.fixture
    def blend(self, tmp_path: Path) -> Path:
        armature = import_robot(ARM).armature
        set_joint_positions(armature, {"shoulder": 0.5})
        save_blend(tmp_path / "arm.blend")
        return tmp_path / "arm.blend"

    def test_a_blend_is_written_as_it_stands(
        self, blend: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = blend.parent / "Arm.proto"
        assert main(["export", str(blend), "-o", str(target), "--json", "-"]) == 0
        (line,) = capsys.readouterr().out.splitlines()
        report = json.loads(line)
        assert report["ok"] and report["moving_joints"] == 2
        assert check(target, initial=True).axes["shoulder"]["position"] == 0.5

    def test_options_are_the_same(self, blend: Path) -> None:
        target = blend.parent / "Arm.proto"
        assert main(["export", str(blend), "-o", str(target), "--position", "shoulder:=1"]) == 0
        assert check(target, initial=True).axes["shoulder"]["position"] == 1.0

    def test_several_robots(self, blend: Path, capsys: pytest.CaptureFixture[str]) -> None:
        import_robot(LEG)
        save_blend(blend)
        target = blend.parent / "Arm.proto"
        start = ["export", str(blend), "-o", str(target)]
        assert main(start) == 1
        assert main([*start, "--robot", "nobody"]) == 1
        first, second = capsys.readouterr().err.splitlines()
        assert "there are several robots: choose one by --robot:" in first
        assert "there is no robot 'nobody', but" in second and "'quadruped_leg'" in second
        assert not target.exists()
        assert main([*start, "--robot", "quadruped_leg"]) == 0 and target.exists()

    @pytest.mark.parametrize(
        ("content", "message"),
        [(None, "no such file"), (b"hello", "not a .blend that Blender can open")],
        ids=["missing", "broken"],
    )
    def test_files_that_are_no_blend(
        self,
        content: bytes | None,
        message: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        path = tmp_path / "arm.blend"
        if content is not None:
            path.write_bytes(content)
        assert main(["export", str(path), "-o", str(tmp_path / "Arm.proto")]) == 1
        said = capsys.readouterr().err
        assert message in said and said.count("\n") == 1
        assert not (tmp_path / "Arm.proto").exists()

    def test_a_blend_without_a_robot(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        save_blend(tmp_path / "empty.blend")
        blend, target = tmp_path / "empty.blend", tmp_path / "A.proto"
        assert main(["export", str(blend), "-o", str(target)]) == 1
        assert "there is no imported robot in this scene" in capsys.readouterr().err

    def test_a_robot_of_a_description(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as exit:
            main(["export", str(ARM), "-o", "Arm.proto", "--robot", "arm"])
        assert exit.value.code == 2 and "--robot chooses a robot" in capsys.readouterr().err
