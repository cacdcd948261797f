# SPDX-License-Identifier: GPL-3.0-or-later
"""The export operators are made from the table of formats, whatever stands in it."""

import sys
from collections.abc import Iterator
from dataclasses import fields, make_dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from support.blender.rig_exports import find_exporter
from support.paths import ROOT
from urdf_importer import import_robot, writer_formats
from urdf_importer.core.pipeline.exporting import suggest_name

ARM = ROOT / "sample_urdfs" / "two_link_arm.urdf"

pytestmark = pytest.mark.usefixtures("scene", "extension")


@pytest.mark.parametrize("name", [each.name for each in writer_formats()])
class TestEach:
    def test_its_properties_are_the_options(self, name: str, extension: ModuleType) -> None:
        exporter = find_exporter(extension, name)
        shown = {key for key in exporter.__annotations__ if key not in ("filepath", "kind")}
        after = extension.operators.exporting.operators._AFTER
        wanted = {
            field.name for each in (exporter.format.options, *after) for field in fields(each)
        }
        assert "prove" in wanted
        assert shown - {"check_existing", "filter_glob"} == wanted
        assert ("kind" in exporter.__annotations__) == (len(exporter.format.kinds) > 1)

    def test_it_writes_its_first_kind(
        self, name: str, extension: ModuleType, tmp_path: Path
    ) -> None:
        import_robot(ARM)
        format = find_exporter(extension, name).format
        target = tmp_path / f"Arm{format.kinds[0].suffix}"
        operator = getattr(bpy.ops.export_scene, format.operator or name)
        assert operator(filepath=str(target)) == {"FINISHED"}
        assert target.exists()

    def test_without_a_file_it_says_so(self, name: str, extension: ModuleType) -> None:
        import_robot(ARM)
        format = find_exporter(extension, name).format
        with pytest.raises(RuntimeError, match="no file is chosen"):
            getattr(bpy.ops.export_scene, format.operator or name)()

    def test_invoked_it_suggests_a_name(
        self, name: str, extension: ModuleType, tmp_path: Path
    ) -> None:
        """Beside the file that is open. Blender invokes nothing without a window."""
        result = import_robot(ARM)
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
        exporter = find_exporter(extension, name)
        for kind in exporter.format.kinds:
            operator = SimpleNamespace(
                format=exporter.format,
                filepath="",
                kind=kind.name,
                execute=lambda context: {"DONE"},
            )
            assert exporter.choose_file(operator, bpy.context) == {"DONE"}
            suggested = suggest_name(result.robot, exporter.format) + kind.suffix
            assert operator.filepath == str(tmp_path / suggested)


def make_toy(library: ModuleType) -> Any:
    """A format with an option, of the classes of one of the two libraries."""
    option, formats = library.core.options.option, library.core.writers.formats
    wheels = option(4, "Wheels", "How many wheels", group="Toy", bounds=(0, 9))
    options = make_dataclass(
        "ToyOptions",
        [("wheels", int, wheels)],
        bases=(library.core.options.FileOptions,),
        frozen=True,
        kw_only=True,
    )

    def write(found: Any, path: Path) -> Any:
        path.write_text(f"{found.robot.name} {found.options.wheels}")
        facts = formats.count_robot(found.robot, links=1, moving_joints=2, degrees_of_freedom=1)
        return formats.Written(path=path, files=(path,), robot="toy", facts=facts, diagnostics=())

    return formats.WriterFormat(
        name="toy",
        label="Toy",
        title="Toy Box",
        text="a toy (.toy)",
        description="Make a toy of the active robot, as it stands in the scene",
        kinds=(formats.OutputKind(name="TOY", label="Toy", suffix=".toy"),),
        options=options,
        write=write,
        suggest_name=str.upper,
    )


class TestAnother:
    """A format that is new in the table."""

    @pytest.fixture
    def exporter(self, extension: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        toy = make_toy(extension.urdf_importer)
        table = extension.urdf_importer.core.pipeline.formats
        monkeypatch.setitem(sys.modules, "toys.written", SimpleNamespace(TOY=toy))
        part = table.list_parts("formats")[0][1]
        parts = (*table.list_parts("formats"), ("toys", replace(part, writer="written:TOY")))
        monkeypatch.setattr(table, "list_parts", lambda shelf: parts)
        made = extension.operators.exporting.operators._make_operator(toy)
        bpy.utils.register_class(made)
        yield made
        bpy.utils.unregister_class(made)

    def test_it_has_an_operator(self, exporter: Any, tmp_path: Path) -> None:
        import_robot(ARM)
        target = tmp_path / "arm.toy"
        assert exporter.__name__ == "ExportToy" and exporter.bl_label == "Export Toy Box"
        assert bpy.ops.export_scene.toy(filepath=str(target)) == {"FINISHED"}
        assert target.read_text() == "two_link_arm 4"
        assert bpy.ops.export_scene.toy(filepath=str(target), wheels=7) == {"FINISHED"}
        assert target.read_text() == "two_link_arm 7"
        # Blender holds properties within their range.
        assert bpy.ops.export_scene.toy(filepath=str(target), wheels=70) == {"FINISHED"}
        assert target.read_text() == "two_link_arm 9"


@pytest.mark.parametrize("name", ["export_scene.srdf", "export_scene.robot_motion"])
def test_other_exports_begin_beside_the_description_too(
    name: str, extension: ModuleType, tmp_path: Path
) -> None:
    """And beside the .blend where there is one. Blender invokes nothing without a window."""
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not bpy.data.filepath
    robot = import_robot(ARM).armature
    room = extension.operators
    files = {"srdf": room.srdf.files, "robot_motion": room.motion.motion_files}
    kinds = {"srdf": "ExportSrdf", "robot_motion": "ExportMotion"}
    short = name.partition(".")[2]
    exporter = getattr(files[short], kinds[short])
    opened: list[Any] = []
    context = SimpleNamespace(
        scene=bpy.context.scene,
        view_layer=bpy.context.view_layer,
        window_manager=SimpleNamespace(fileselect_add=opened.append),
    )
    for folder in (ARM.parent, tmp_path):
        operator = SimpleNamespace(filepath="", filename_ext=exporter.filename_ext)
        assert exporter.invoke(operator, context, None) == {"RUNNING_MODAL"}
        assert opened.pop() is operator
        assert operator.filepath == str(folder / f"{robot.name}{exporter.filename_ext}")
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))


def test_game_engines_say_how_a_name_must_end(tmp_path: Path) -> None:
    """Blender's own word for it is a missing plugin of USD."""
    import_robot(ARM)
    for name in ("arm.urdf", "arm", "arm.usdq"):
        with pytest.raises(RuntimeError, match=r"must end in \.glb, .*, \.usdc or \.usdz"):
            bpy.ops.export_scene.robot_for_engines(filepath=str(tmp_path / name))
    assert not list(tmp_path.iterdir())
    assert bpy.ops.export_scene.robot_for_engines(filepath=str(tmp_path / "ARM.GLB")) == {
        "FINISHED"
    }
