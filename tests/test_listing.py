# SPDX-License-Identifier: GPL-3.0-or-later
"""What listing/ has is what the platform of extensions takes, and its text is true of this version.

The rules are from Blender's manual and its own check of manifests.
"""

import ast
import re
import struct
import tomllib

import pytest

from support.paths import ROOT
from urdf_importer.core.diagnostics import BLENDERS

LISTING = ROOT / "listing"
TEXT = (LISTING / "description.md").read_text("utf-8")
ABOUT = (LISTING / "README.md").read_text("utf-8")
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PICTURES = sorted(LISTING.glob("*.png"))
MOST_BYTES = 300_000
"""Of one picture, as in tests/test_documentation.py."""
MOST_WORDS = 600
"""Of the description: three minutes of reading."""


def test_icon_and_pictures_are_there() -> None:
    names = {path.name for path in LISTING.iterdir()}
    pictures = {path.name for path in PICTURES}
    assert {"icon.png", "featured.png"} < pictures and len(pictures) == 5
    assert names == {*pictures, "description.md", "README.md"}
    assert [name for name in sorted(pictures) if f"`{name}`" not in ABOUT] == []


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_pictures_have_the_size_that_the_platform_asks_for(path) -> None:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    expected = (256, 256) if path.stem == "icon" else (1920, 1080)
    assert struct.unpack(">II", data[16:24]) == expected
    assert len(data) < MOST_BYTES


def test_the_manifest_has_short_names() -> None:
    tagline = MANIFEST["tagline"]
    assert len(tagline) <= 64 and tagline[-1].isalnum()
    assert "blender" not in MANIFEST["name"].lower()
    for reason in MANIFEST["permissions"].values():
        assert len(reason) <= 64 and reason[-1].isalnum()


def test_the_description_is_complete_and_short() -> None:
    assert 100 < len(TEXT.split()) < MOST_WORDS
    assert re.search(r"^# ", TEXT, re.MULTILINE) is None, "the platform shows the name above it"
    for permission in MANIFEST["permissions"]:
        assert f"**{permission.title()} permission:**" in TEXT
    for part in ("On removal", "URDF", "SDF", "MJCF", "SimMechanics", "Webots", ".glb"):
        assert part in TEXT


def test_versions_and_sizes_are_those_of_the_project() -> None:
    assert f"**Blender {BLENDERS}**" in TEXT
    minors = re.findall(r":: 3\.(\d+)", " ".join(PROJECT["classifiers"]))
    assert f"(3.{min(map(int, minors))} to 3.{max(map(int, minors))})" in TEXT
    found = re.search(r"below ([\d.]+) MB", TEXT)
    assert found and float(found[1]) * 1_000_000 >= read_most_bytes()
    exactness = (ROOT / "docs" / "explanation" / "accuracy.md").read_text("utf-8")
    robots, worst = re.search(r"(\d+) real robots.*?([\d.]+)\s+micrometres", TEXT, re.S).groups()
    assert f"{robots} robots" in exactness and f"| {worst}e-6 m or rad" in exactness


def read_most_bytes() -> int:
    """The bound that tools/check_extension.py holds the zip to."""
    tree = ast.parse((ROOT / "tools" / "check_extension.py").read_text("utf-8"))
    (value,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MOST_BYTES"
    )
    return ast.literal_eval(value)


def test_addresses_are_those_of_the_project() -> None:
    known = tuple(PROJECT["urls"].values())
    for address in re.findall(r"\]\((https?:[^)]+)\)", TEXT):
        assert address.startswith(known), address
    source = f"{PROJECT['urls']['Source']}/v{MANIFEST['version']}/"
    (sample,) = re.findall(rf"{re.escape(source)}([^)]+)", TEXT)
    assert "<mesh" not in (ROOT / sample).read_text("utf-8"), "one file alone must do"


def test_the_minute_has_the_steps_that_a_window_test_plays() -> None:
    """tests/window/test_window.py: from the zip to a moving joint."""
    assert re.findall(r"^(\d+)\. ", TEXT, re.MULTILINE) == list("12345")


def test_the_reviewers_hear_of_each_wheel() -> None:
    pins = (ROOT / "tools" / "wheels.txt").read_text("utf-8")
    names = re.findall(r"^([\w.-]+)==", pins, re.MULTILINE)
    assert names and all(name in ABOUT for name in names)
