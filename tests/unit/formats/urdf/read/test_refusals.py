# SPDX-License-Identifier: GPL-3.0-or-later
"""Where there is no robot: one clear sentence with file and line, and nothing opened that bites."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from urdf_importer import read_robot
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.files.regular import MOST_BYTES
from urdf_importer.formats.urdf.read.robot import read_robot_text

REFUSED: dict[str, tuple[int, str]] = {
    "absurd_multiplier": (7, "'1e300' as multiplier of <mimic> of joint 'elbow'"),
    "absurd_size": (5, "'1e10' as radius of <sphere> of link 'base'"),
    "bad_axis": (7, "'z' as xyz of <axis> of joint 'elbow'"),
    "billion_laughs": (3, "entity"),
    "decimal_comma": (7, "decimal comma"),
    "default_attributes": (3, "default attributes"),
    "external_document_type": (2, "external file"),
    "external_entity": (3, "entity"),
    "external_parameter_entity": (3, "entity"),
    "hexadecimal_color": (6, "hexadecimal"),
    "infinite_damping": (7, "'inf' as damping of <dynamics> of joint 'elbow' is infinite"),
    "mass_as_bad_text": (5, "'heavy'"),
    "mismatched_tag": (3, "mismatched tag"),
    "nan_limit": (7, "'nan' as lower of <limit>"),
    "nan_mass": (5, "'NaN' as value of <mass> of link 'base'"),
    "nul_inside": (3, "cut off"),
    "only_comment": (4, "cut off"),
    "plain_text": (1, "not XML"),
    "truncated_in_comment": (3, "cut off"),
    "underscore_scale": (5, "'1_000'"),
    "unknown_encoding": (1, "'klingon'"),
    "word_in_limit": (7, "'low'"),
    "xacro_argument": (7, "xacro"),
    "xacro_in_link": (6, "<xacro:insert_block>"),
    "xacro_name": (3, "'${prefix}base'"),
    "xacro_other_prefix": (4, "<x:include>"),
}


def refusal(path: Path | str) -> ReadError:
    diagnostics = Diagnostics()
    with pytest.raises(ReadError) as caught:
        read_robot(path, diagnostics=diagnostics)
    assert len(diagnostics) == 0
    return caught.value


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused_files(name: str, data_folder: Path) -> None:
    path = data_folder / f"error_{name}.urdf"
    error = refusal(path)
    line, part = REFUSED[name]
    assert error.line == line
    assert part in error.message
    assert str(error).startswith(f"{path}:{line}: ")


def test_the_text_of_another_format(data_folder: Path) -> None:
    data = (data_folder / "error_mujoco.urdf").read_bytes()
    with pytest.raises(ReadError, match="MuJoCo") as caught:
        read_robot_text(data, "some.urdf", Diagnostics())
    assert caught.value.line == 1


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.urdf"
    assert str(refusal(path)) == f"{path}: no such file"
    assert "no path can have" in refusal("nul\0.urdf").message


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    """A FIFO would wait for a writer for ever, /dev/zero never ends."""
    fifo = tmp_path / "fifo.urdf"
    os.mkfifo(fifo)
    link = tmp_path / "link.urdf"
    link.symlink_to(fifo)
    loop = tmp_path / "loop.urdf"
    loop.symlink_to(loop)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        assert "socket" in refusal(tmp_path / "s").message
    assert "FIFO" in refusal(fifo).message
    assert "FIFO" in refusal(link).message
    assert "folder" in refusal(tmp_path).message
    assert "device" in refusal("/dev/zero").message
    assert "cannot be read" in refusal(loop).message


def test_a_huge_file_is_not_even_opened(tmp_path: Path) -> None:
    path = tmp_path / "huge.urdf"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    assert "bigger than 128 MB" in refusal(path).message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"<robot name='{'n' * 1025}'><link name='l'/></robot>", 1),
        (f"<robot name='q'>\n<link name='{'n' * 1025}'/></robot>", 2),
        (f"<robot name='q'><link name='l'/>\n<material name='{'n' * 1025}'/></robot>", 2),
        (f"<robot name='q'>\n<joint name='j'>\n<parent link='{'n' * 1025}'/></joint></robot>", 3),
        (f"<robot name='q'>\n<joint name='j'>\n<mimic joint='{'n' * 1025}'/>"
         "<parent link='a'/><child link='b'/></joint></robot>", 3),
        (f"<robot name='q'>\n<transmission name='{'n' * 1025}'/></robot>", 2),
        (f"<robot name='q'><link name='l'>\n<visual name='{'n' * 1025}'>"
         "<geometry><sphere radius='1'/></geometry></visual></link></robot>", 2),
    ],
)  # fmt: skip
def test_names_of_absurd_length(text: str, line: int, read_text: Callable[[str], Any]) -> None:
    with pytest.raises(ReadError, match="1025 characters") as caught:
        read_text(text)
    assert caught.value.line == line


def test_names_of_the_greatest_length_and_of_any_character(
    read_text: Callable[[str], Any],
) -> None:
    odd = "a\"'[]().\\`#;\u202e\u200bع" + "n" * 1000
    written = odd.replace('"', "&quot;") + "&#10;&#9;&lt;"
    robot, diagnostics = read_text(f'<robot name="q"><link name="{written}"/></robot>')
    assert robot.links[0].name == odd + "\n\t<"
    assert len(diagnostics) == 0
