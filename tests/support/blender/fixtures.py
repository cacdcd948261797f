# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for tests. The profile is clean: support/session.py sees to it before bpy is imported.

Nothing of Blender is imported at the top: pytest-blender reads this file outside of Blender first.
"""

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.paths import ROOT

EXTENSION = "bl_ext.user_default.urdf_importer"


@pytest.fixture
def scene() -> Any:
    """The scene of a new, empty file."""
    import bpy

    from support.blender.rigs import new_scene

    new_scene()
    return bpy.context.scene


@pytest.fixture
def no_watch() -> Iterator[None]:
    """No watch over targets of live IK outlasts a test."""
    from urdf_importer.features.ik.blender.live import unwatch

    yield
    unwatch()


@pytest.fixture
def three_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets rigs leave loops with three free joints open, as they do with very many: small ones are
    quick to try what closes such loops by numbers."""
    from urdf_importer.core.kinematics.loops import programs

    monkeypatch.setattr(programs, "MOST_FREE", 2)


@pytest.fixture(scope="session")
def extension() -> ModuleType:
    """This checkout as the installed and enabled extension, by links from the profile, with the
    part for MORSE as the zip has it.

    Its modules are others than those of the library of the same name: what one made, the other
    does not know. Compare what stands in Blender only.
    """
    import addon_utils
    import bpy

    repository = Path(bpy.utils.user_resource("EXTENSIONS", create=True), "user_default")
    installed = repository / "urdf_importer"
    if not installed.is_dir():
        _link_extension(installed)
    module = addon_utils.enable(EXTENSION, default_set=True, persistent=True)
    assert isinstance(module, ModuleType), "the extension does not load"
    return module


def _link_extension(folder: Path) -> None:
    spec = spec_from_file_location("build_extension", ROOT / "tools" / "build_extension.py")
    assert spec is not None and spec.loader is not None
    builder = module_from_spec(spec)
    spec.loader.exec_module(builder)
    library = folder / "urdf_importer"
    formats = library / "formats"
    formats.mkdir(parents=True)
    for name in ("__init__.py", "blender_manifest.toml", "operators"):
        (folder / name).symlink_to(ROOT / name)
    for home in (library, formats):
        for path in (ROOT / home.relative_to(folder)).iterdir():
            if path.name not in ("__pycache__", "morse.py", "formats"):
                (home / path.name).symlink_to(path)
    builder.stage_part(formats / "morse")


@pytest.fixture
def export(tmp_path: Path) -> Any:
    """Exports an armature to Webots, with options."""
    from support.blender.rig_exports import Scene

    return lambda armature, **options: Scene(tmp_path, armature, **options)
