# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said about each quirk: the exact diagnostics, or the line and reason of the refusal."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.paths import TESTS
from urdf_importer.core.diagnostics import Diagnostics, ReadError, Severity
from urdf_importer.formats.urdf.read.robot import read_robot_text

Codes = list[tuple[str, int]]

# Everything else is read without a word.
SAID: dict[str, Codes] = {
    "inertial_negative_mass": [("mass-not-positive", 3)],
    "inertial_no_inertia": [("missing-inertia", 3)],
    "inertial_no_mass": [("missing-mass", 3)],
    "inertial_not_psd": [("inertia-not-positive", 3)],
    "inertial_partial": [("incomplete-inertia", 3)],
    "inertial_triangle": [("inertia-triangle", 3)],
    "inertial_twice": [("duplicate-element", 3)],
    "inertial_zero_mass": [("mass-not-positive", 3)],
    "joint_origin_four_numbers": [("number-count", 4)],
    "joint_origin_three_numbers_short": [("number-count", 4)],
    "joint_two_origins": [("duplicate-element", 4)],
    "limit_inf": [("infinite-limit", 4)] * 4,
    "limit_no_effort": [("limit-without-effort", 4)],
    "limit_no_velocity": [("limit-without-effort", 4)],
    "mat_255": [("color-range", 2)],
    "mat_redefined": [("material-redefined", 3)],
    "mat_rgb_only": [("number-count", 2)],
    "mat_texture_empty": [("undefined-material", 2), ("empty-texture", 2)],
    "mat_top_twice": [("material-redefined", 3)],
    "mat_undefined": [("undefined-material", 2)],
    "mimic_no_joint": [("mimic-without-joint", 4)],
    "num_comma_sep": [("comma-separators", 4)],
    "robot_no_name": [("missing-robot-name", 2)],
    "robot_version_2_0": [("unknown-version", 2)],
    "scale_empty": [("empty-number", 3)],
    "scale_one_number": [("number-count", 3)],
    "struct_dup_joint": [("duplicate-joint", 6)],
    "struct_dup_link": [("duplicate-link", 4)],
    "struct_joint_no_parent": [("missing-parent", 4)],
    "struct_link_no_name": [("missing-link-name", 3)],
    "struct_parent_as_text": [("text-for-attribute", 4)] * 2,
    "struct_type_ball": [("unknown-joint-type", 4)],
    "struct_type_missing": [("missing-joint-type", 4)],
    "struct_type_upper": [("joint-type-spelling", 4)],
    "vis_empty_geometry": [("empty-geometry", 3)],
    "vis_negative_size": [("negative-size", 3)] * 2,
    "vis_no_geometry": [("missing-geometry", 3)],
    "vis_two_shapes": [("several-shapes", 3)],
    "vis_unknown_shape": [("unknown-geometry", 3)],
    "xml_double_dash_comment": [("bad-comment", 2)],
    "xml_trailing_garbage": [("trailing-content", 5)],
    "xml_two_robots": [("second-robot", 5)],
}

LOST = {
    "duplicate-joint",
    "duplicate-link",
    "empty-geometry",
    "missing-geometry",
    "missing-link-name",
    "missing-parent",
    "unknown-geometry",
}

# Line and a part of the message.
REFUSED: dict[str, tuple[int, str]] = {
    "num_Dexp": (4, "Fortran"),
    "num_comma_decimal": (4, "decimal comma"),
    "num_double_dot": (4, "'0.5.'"),
    "num_e308": (4, "beyond 1e+09"),
    "num_e400": (4, "beyond 1e+09"),
    "num_f_suffix": (4, "'0.5f'"),
    "num_hex": (4, "hexadecimal"),
    "num_inf": (4, "infinite"),
    "num_minus_unicode": (4, "beyond ASCII"),
    "num_nan": (4, "nan"),
    "num_nbsp": (4, "beyond ASCII"),
    "num_underscore": (4, "'0_5'"),
    "num_unicode_digits": (4, "beyond ASCII"),
    "struct_no_links": (2, "no links"),
    "xml_dup_attribute": (4, "duplicate attribute"),
    "xml_empty": (0, "empty"),
    "xml_entity_benign": (2, "entity"),
    "xml_html": (1, "web page"),
    "xml_lfs_pointer": (1, "Git LFS"),
    "xml_robot_not_root": (1, "'launch'"),
    "xml_sdf": (1, "SDF"),
    "xml_truncated": (3, "cut off"),
    "xml_undeclared_latin1": (3, "0xe4"),
}

FOLDER = TESTS / "data" / "quirks"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expectation.json").read_text("utf-8"))
ALL = sorted(path.stem for path in (FOLDER / "q_pkg" / "urdf").glob("*.urdf"))


def test_every_quirk_is_expected() -> None:
    assert sorted(EXPECTED) == ALL
    assert set(SAID) | set(REFUSED) <= set(ALL)
    assert not set(SAID) & set(REFUSED)


@pytest.mark.parametrize("name", [name for name in ALL if name not in REFUSED])
def test_diagnostics(name: str, read_quirk: Callable[[str], Any]) -> None:
    reading = read_quirk(name)
    assert reading.codes == SAID.get(name, [])
    for item in reading.diagnostics:
        assert item.source.endswith(f"{name}.urdf")
        assert (item.severity is Severity.ERROR) == (item.code in LOST)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refusals(name: str) -> None:
    """As texts of URDF: a file may be of another format in spite of its suffix."""
    path = FOLDER / "q_pkg" / "urdf" / f"{name}.urdf"
    with pytest.raises(ReadError) as caught:
        read_robot_text(path.read_bytes(), str(path), Diagnostics())
    line, part = REFUSED[name]
    assert caught.value.line == line
    assert part in caught.value.message
    assert caught.value.source.endswith(f"{name}.urdf")


@pytest.mark.parametrize("name", ALL)
def test_outcome_is_an_expected_one(name: str) -> None:
    """`warn` is about meshes, which reading does not look at."""
    if EXPECTED[name].get("reader", "urdf") != "urdf":
        assert name in REFUSED
        return
    allowed = EXPECTED[name]["expect"].split("|")
    assert "error" in allowed if name in REFUSED else {"import", "warn"} & set(allowed)


@pytest.mark.parametrize(
    ("mass", "shape", "codes"),
    [
        ("0", "", []),
        ("0.0", "<visual><geometry><box size='1 1 1'/></geometry></visual>", ["mass-not-positive"]),
        (
            "0",
            "<collision><geometry><sphere radius='1'/></geometry></collision>",
            ["mass-not-positive"],
        ),
        ("-1", "", ["mass-not-positive"]),
    ],
)
@pytest.mark.parametrize("kind", [None, "fixed", "continuous", "floating"])
@pytest.mark.parametrize("joint_is_first", [True, False])
def test_a_frame_may_have_no_mass(
    mass: str,
    shape: str,
    codes: list[str],
    kind: str | None,
    joint_is_first: bool,
    read_text: Callable[[str], Any],
) -> None:
    """A frame has no shapes, or does not move against its parent, or has none."""
    moments = "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'"
    inertial = f"<inertial><mass value='{mass}'/><inertia {moments}/></inertial>"
    parts = [f"<link name='a'>{inertial}{shape}</link>"]
    if kind is not None:
        joint = f"<joint name='j' type='{kind}'><parent link='b'/><child link='a'/></joint>"
        parts = [joint, *parts] if joint_is_first else [*parts, joint]
        parts.append("<link name='b'/>")
    reading = read_text(f"<robot name='r'>{''.join(parts)}</robot>")
    moves = kind not in (None, "fixed")
    assert [item.code for item in reading.diagnostics] == (codes if moves or mass == "-1" else [])
    assert {item.subject for item in reading.diagnostics} <= {"a"}
