# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that models of MuJoCo are made of: where they may lie, and what default classes may
cost."""

import time
import tracemalloc
from pathlib import Path

import pytest

from support.mjcf_models import body, judge, model
from urdf_importer import Diagnostics, ReadError, read_robot

GEOM = '<geom size="0.1"/>'
HELD = f'<body name="b" pos="1 0 0"><joint name="j"/>{GEOM}</body>'


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """A folder of robots beside one of parts, in no repository, both with meshes one above."""
    for name in ("robots", "parts"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_texts_one_folder_up_are_read_as_meshes_are(folders: Path) -> None:
    (folders / "parts" / "inner.xml").write_text(f"<mujocoinclude>{HELD}</mujocoinclude>")
    held = "<mujocoinclude><include file='../parts/inner.xml'/></mujocoinclude>"
    (folders / "parts" / "arm.xml").write_text(held)
    path = model(body(f'{GEOM}<include file="../parts/arm.xml"/>'), folders / "robots")
    assert [link.name for link in judge(path).links] == ["a", "b"]


def test_models_one_folder_up_are_attached(folders: Path) -> None:
    model(f"<worldbody>{HELD}</worldbody>", folders / "parts", "arm.xml")
    asset = '<asset><model name="s" file="../parts/arm.xml"/></asset>'
    held = body(f'{GEOM}<attach model="s" body="b" prefix="p_"/>')
    assert [link.name for link in judge(model(asset + held, folders / "robots")).links] == [
        "a",
        "p_b",
    ]


@pytest.mark.parametrize("name", ["../../far/arm.xml", "/etc/passwd", "../parts/arm.txt"])
def test_texts_further_away_are_refused(folders: Path, name: str) -> None:
    (folders.parent / "far").mkdir(exist_ok=True)
    for place in (folders.parent / "far" / "arm.xml", folders / "parts" / "arm.txt"):
        place.write_text(f"<mujocoinclude>{HELD}</mujocoinclude>")
    with pytest.raises(ReadError, match="outside the folders that may be read"):
        read_robot(model(body(f'{GEOM}<include file="{name}"/>'), folders / "robots"))


def test_a_file_of_the_same_name_elsewhere_is_not_included(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "arm.xml").write_text(f"<mujocoinclude>{HELD}</mujocoinclude>")
    with pytest.raises(ReadError, match="one of that name is"):
        read_robot(model(body(f'{GEOM}<include file="arm.xml"/>'), tmp_path))


def test_a_name_in_other_letters_is_reported(tmp_path: Path) -> None:
    (tmp_path / "Arm.xml").write_text(f"<mujocoinclude>{HELD}</mujocoinclude>")
    diagnostics = Diagnostics()
    robot = read_robot(
        model(body(f'{GEOM}<include file="arm.xml"/>'), tmp_path), diagnostics=diagnostics
    )
    assert len(robot.links) == 2
    assert [(each.code, each.line) for each in diagnostics] == [("wrong-case", 1)]


# What default classes cost


def _measure(path: Path) -> tuple[float, float]:
    """Returns the CPU time in seconds and the greatest memory in MB that reading takes."""
    tracemalloc.start()
    began = time.thread_time()
    try:
        read_robot(path)
    finally:
        spent, most = time.thread_time() - began, tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    return spent, most


def test_classes_share_what_they_do_not_change(tmp_path: Path) -> None:
    kinds = "".join(f'<kind{number} a="1"/>' for number in range(90))
    inner = "".join(f'<default class="c{number}"/>' for number in range(4000))
    long = " ".join(f'a{number}="1"' for number in range(90))
    geoms = '<geom class="c7" size="1"/>' * 5000
    text = f'<default>{kinds}<geom {long} rgba="1 0 0 1"/>{inner}</default>'
    path = model(text + body(geoms), tmp_path)
    plain = _measure(model(body(geoms.replace("c7", "main")), tmp_path, "plain.xml"))
    spent, most = _measure(path)
    assert most < plain[1] + 20.0 and spent < plain[0] + 5.0


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'<k{number} a=""/>' for number in range(2400)),
        "<geom " + " ".join(f'a{number}=""' for number in range(2400)) + "/>",
        "".join(f'<default class="c{number}"><geom a=""/></default>' for number in range(9000)),
    ],
)
def test_classes_with_more_than_mujoco_has_are_refused(tmp_path: Path, text: str) -> None:
    path = model(f"<default>{text}</default>{body(GEOM)}", tmp_path)
    with pytest.raises(ReadError, match="more than") as caught:
        _measure(path)
    assert caught.value.line == 1
