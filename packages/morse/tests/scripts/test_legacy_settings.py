# SPDX-License-Identifier: GPL-3.0-or-later
"""Physics of objects in old .blend files."""

from pathlib import Path
from typing import Any

import pytest

from morse_support.blend_writer import COLLISION, BlendWriter, single
from urdf_importer_morse.blend_file.read import read_legacy_game


def read(tmp_path: Path, writer: BlendWriter) -> dict[str, Any]:
    path = tmp_path / "old.blend"
    path.write_bytes(writer.pack_file())
    return read_legacy_game(path)


def read_settings(
    tmp_path: Path, version: tuple[int, int] = (279, 0), **values: Any
) -> dict[str, Any]:
    writer = BlendWriter(version=version)
    writer.write_object("Cube", **values)
    found: dict[str, Any] = read(tmp_path, writer).get("Cube", {}).get("settings", {})
    return found


@pytest.mark.parametrize(
    ("flags", "body"),
    [
        (0, "NO_COLLISION"),
        (1 << 18, "OCCLUDE"),
        (1 << 20, "NAVMESH"),
        (COLLISION | 1 << 19 | 1, "SENSOR"),
        (COLLISION | 1 << 22, "CHARACTER"),
        (COLLISION, "STATIC"),
        (COLLISION | 1, "DYNAMIC"),
        (COLLISION | 1 | 1 << 10, "RIGID_BODY"),
        (COLLISION | 1 | 1 << 17, "SOFT_BODY"),
    ],
)
def test_the_body_follows_from_the_flags(tmp_path: Path, flags: int, body: str) -> None:
    """And never from the stored body type, which Blender does not read either."""
    found = read_settings(tmp_path, gameflag=flags, body_type=3)
    assert found == ({} if body == "STATIC" else {"physics_type": body})


def test_settings_of_an_object(tmp_path: Path) -> None:
    found = read_settings(
        tmp_path,
        gameflag=COLLISION | 2 | 4 | 64 | 128 | 256 | 512 | 2048 | 4096 | 1 << 21 | 1 << 23,
        gameflag2=1 | 4 | 8 | 32 | 64 | 128,
        collision_boundtype=5,
        inertia=0.5,
        margin=0.0,
        min_vel=1.0,
        max_vel=2.0,
        obstacleRad=3.0,
    )
    assert found == {
        "use_actor": True,
        "use_ghost": True,
        "use_sleep": True,
        "radius": 0.5,
        "velocity_min": 1.0,
        "velocity_max": 2.0,
        "lock_location_x": True,
        "lock_location_y": True,
        "lock_rotation_x": True,
        "lock_rotation_y": True,
        "lock_rotation_z": True,
        "use_activity_culling": False,
        "use_material_physics_fh": True,
        "use_rotate_from_normal": True,
        "use_anisotropic_friction": True,
        "use_collision_bounds": True,
        "collision_bounds_type": "CONVEX_HULL",
        "use_collision_compound": True,
        "collision_margin": 0.0,
        "use_obstacle_create": True,
        "obstacle_radius": 3.0,
        "use_record_animation": True,
    }


def test_a_new_object_has_no_record(tmp_path: Path) -> None:
    writer = BlendWriter()
    writer.write_object("Cube", obstacleRad=0.0)
    assert read(tmp_path, writer) == {}


def test_what_older_physics_meant(tmp_path: Path) -> None:
    still, moving = 1 | 1 << 10, 1 | 4 | 1 << 10
    assert "physics_type" not in read_settings(tmp_path, (247, 2), gameflag=COLLISION | still)
    found = read_settings(tmp_path, (247, 3), gameflag=COLLISION | still)
    assert found["physics_type"] == "RIGID_BODY"
    found = read_settings(tmp_path, (247, 1), gameflag=moving, damping=0.5, rdamping=0.5)
    assert found == {
        "physics_type": "RIGID_BODY",
        "use_actor": True,
        "damping": single(0.3175),
        "rotation_damping": 0.5,
        "collision_margin": single(0.06),
    }
    assert read_settings(tmp_path, (248, 3), damping=0.5) == {"damping": 0.5}
    bounds = {"boundtype": 4, "collision_boundtype": 2}
    for version, kind in (((260, 0), "TRIANGLE_MESH"), ((260, 1), "CYLINDER")):
        assert read_settings(tmp_path, version, **bounds) == {"collision_bounds_type": kind}
