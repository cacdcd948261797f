# SPDX-License-Identifier: GPL-3.0-or-later
"""Files made to hang or to fill the memory: each is done within seconds and a bound of memory.

Each is read by a process of its own, which the system ends where it takes too much.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

CHECKOUT = ROOT
SECONDS = 10
"""Of CPU time; a busy machine may take longer."""
MEGABYTES = 1500

READER = """
import json, resource, sys
from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
most = held + int(sys.argv[2]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (most, most))
seconds = int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
diagnostics = Diagnostics()
try:
    robot = read_robot(sys.argv[1], diagnostics=diagnostics)
    found = {"links": len(robot.links), "extras": len(robot.extras)}
except ReadError as error:
    found = {"message": error.message, "line": error.line}
found["codes"] = sorted({item.code for item in diagnostics})
print(json.dumps(found))
"""


def outcome(path: Path) -> dict[str, Any]:
    """What comes of reading a file, by a process of limited time and memory."""
    done = subprocess.run(
        [sys.executable, "-c", READER, str(path), str(MEGABYTES), str(SECONDS)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=12 * SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def outcome_of(text: bytes, folder: Path) -> dict[str, Any]:
    path = folder / "hostile.urdf"
    path.write_bytes(text)
    return outcome(path)


def around(middle: bytes) -> bytes:
    return b"<robot name='q'>\n<link name='l'/>\n" + middle + b"\n</robot>"


MANY = 30 * 2**20

# Made when needed: together they are a gigabyte.
HARMLESS: dict[str, Callable[[], bytes]] = {
    "huge_unknown_attribute": lambda: around(b"<gazebo a='" + b"x" * MANY + b"'/>"),
    "huge_unknown_attribute_of_a_link": lambda: around(
        b"<link name='m' a='" + b"x" * MANY + b"'/>"
    ),
    "huge_comment": lambda: around(b"<!--" + b"x" * MANY + b"-->"),
    "huge_comment_of_dashes": lambda: around(b"<!--" + b"-" * MANY + b"-->"),
    "many_comments_of_dashes": lambda: around(b"<!-- -- -->" * (MANY // 44)),
    "huge_number_of_blanks": lambda: around(
        b"<material name='m'><color rgba='1 1 1 1" + b" " * MANY + b"'/></material>"
    ),
    "huge_cdata": lambda: around(b"<gazebo><![CDATA[" + b"<!--" * 900_000 + b"]]></gazebo>"),
    "deep_nesting": lambda: around(b"<a>" * 100_000 + b"</a>" * 100_000),
    "deep_nesting_in_a_link": lambda: around(
        b"<link name='m'><visual>" + b"<a>" * 100_000 + b"</a>" * 100_000 + b"</visual></link>"
    ),
    "deep_nesting_of_geometry": lambda: around(
        b"<link name='m'>" + b"<visual>" * 100_000 + b"</visual>" * 100_000 + b"</link>"
    ),
    "many_extras": lambda: around(b"<a/>" * 500_000),
    "many_extras_of_a_link": lambda: around(b"<link name='m'>" + b"<a/>" * 500_000 + b"</link>"),
    "many_attributes": lambda: around(
        b"<gazebo " + b" ".join(b"a%d=''" % index for index in range(300_000)) + b"/>"
    ),
    "many_names": lambda: around(
        b"".join(b"<link name='l%d'/>" % index for index in range(200_000))
    ),
    "many_duplicates": lambda: around(b"<link name='l'/>" * 200_000),
    "many_quotes_in_an_attribute": lambda: around(b'<gazebo a="' + b"'>" * (MANY // 2) + b'"/>'),
    "text_after_the_end": lambda: around(b"") + b"<!-- -- " * 3_500_000,
}  # fmt: skip

REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "huge_name": (lambda: around(b"<link name='" + b"x" * MANY + b"'/>"), "characters"),
    "huge_filename": (
        lambda: around(
            b"<link name='m'><visual><geometry><mesh filename='" + b"x" * MANY
            + b"'/></geometry></visual></link>"
        ),
        "characters",
    ),
    "huge_number": (
        lambda: around(
            b"<link name='m'><inertial><mass value='" + b"1" * MANY + b"'/></inertial></link>"
        ),
        "characters",
    ),
    "many_numbers": (
        lambda: around(
            b"<link name='m'><inertial><origin xyz='"
            + b"1 " * (MANY // 2)
            + b"'/></inertial></link>"
        ),
        "characters",
    ),
    "huge_mass_as_text": (
        lambda: around(
            b"<link name='m'><inertial><mass>" + b"1" * MANY + b"</mass></inertial></link>"
        ),
        "characters",
    ),
    "unclosed_comments": (lambda: around(b"<!--" * 3_900_000), "well-formed"),
    "unclosed_elements": (lambda: b"<robot>" * 1_500_000, "cut off"),
    "too_many_tags": (lambda: around(b"<a/>" * 8_000_000), "tags"),
    "one_start_tag": (lambda: b"<robot name='" + b"x" * MANY, "cut off"),
    "dashes_then_broken": (lambda: around(b"<!-- -- -->" * (MANY // 44) + b"</x>"), "mismatched"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HARMLESS))
def test_harmless(name: str, tmp_path: Path) -> None:
    found = outcome_of(HARMLESS[name](), tmp_path)
    assert "message" not in found, found
    assert found["links"] >= 1


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused(name: str, tmp_path: Path) -> None:
    make_text, part = REFUSED[name]
    found = outcome_of(make_text(), tmp_path)
    assert part in found["message"]
    assert len(found["message"]) < 400


def test_a_quadratic_blowup_of_one_entity(tmp_path: Path) -> None:
    text = b"<!DOCTYPE robot [<!ENTITY a '" + b"x" * 100_000 + b"'>]>\n"
    text += b"<robot name='q'><gazebo a='" + b"&a;" * 100_000 + b"'/></robot>"
    assert "entity" in outcome_of(text, tmp_path)["message"]


def test_no_file_beside_is_read(tmp_path: Path) -> None:
    """An external type of a FIFO would hang, if it were opened."""
    os.mkfifo(tmp_path / "robot.dtd")
    text = b'<!DOCTYPE robot SYSTEM "robot.dtd">\n<robot name="q"><link name="l"/></robot>'
    assert outcome_of(text, tmp_path)["line"] == 1
