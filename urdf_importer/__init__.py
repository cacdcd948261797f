# SPDX-License-Identifier: GPL-3.0-or-later
"""Robot descriptions as exact, native Blender rigs.

    import urdf_importer

    result = urdf_importer.import_robot("robot.urdf")
    urdf_importer.set_joint_positions(result.armature, {"elbow": 0.5})
    urdf_importer.link_pose(result.armature, "hand")

    urdf_importer.export_robot(urdf_importer.read_robot("robot.urdf"), "Arm.proto")
    urdf_importer.export_robot(result.armature, "Posed.proto")

Reading, planning, exporting and forward kinematics need no Blender; the rest needs bpy when it is
called. Names come from the records of the core, the formats and the features, and are loaded at
their first use; __init__.pyi shows them to type checkers.
"""

from typing import Any

from .core.public_names import OFFERED
from .core.shelves import list_names, load


def __getattr__(name: str) -> Any:
    """Returns the object of the library with this name, loaded at its first use. Where Blender or a
    distribution that the name needs is absent, returns a function that raises when it is called, so
    that a script's imports work anywhere."""
    if name == "__all__":
        return __dir__()
    if name == "__version__":
        from .core.files.version import find_version

        return find_version()
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        if name in list_names():
            return load(*list_names()[name])
    except ModuleNotFoundError as error:
        if error.name not in ("bpy", "bmesh", "mathutils"):
            raise
        return _raise_when_called(error)
    if name not in OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _raise_when_called(
        ModuleNotFoundError(
            f"{name} is in a part of the library that is not installed; all parts come with "
            "pip install 'urdf-importer[morse]'"
        )
    )


def _raise_when_called(missing: ModuleNotFoundError) -> Any:
    def raise_missing(*_given: Any, **_named: Any) -> Any:
        """Needs Blender or a part of the library, which is not there."""
        raise missing

    return raise_missing


def __dir__() -> list[str]:
    return sorted({*list_names(), *OFFERED})
