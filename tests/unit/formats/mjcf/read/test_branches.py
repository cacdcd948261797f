# SPDX-License-Identifier: GPL-3.0-or-later
"""The models of a world of MuJoCo."""

from pathlib import Path

import pytest

from support.seconds import within
from urdf_importer import Diagnostics, ImportOptions, ReadError, list_models, read_robot
from urdf_importer.formats.mjcf.read.branches import split_models

COUNT, KEYS = 1500, 8
BODY = (
    '<body name="b{0}" pos="{0} 0 0"><freejoint/><geom size="0.1"/><body name="c{0}">'
    '<joint name="j{0}" axis="0 0 1"/><geom size="0.1"/><site name="s{0}"/></body></body>'
)


def test_keyframes_of_many_bodies_are_sorted_soon(tmp_path: Path) -> None:
    """Half a second; in time that grows with the square of the number, three."""
    bodies = "".join(BODY.format(number) for number in range(COUNT))
    sensors = "".join(f'<rangefinder site="s{number}"/>' for number in range(COUNT))
    keys = "".join(
        f'<key name="k{key}" qpos="{f"0 0 0 1 0 0 0 {key} " * COUNT}"/>' for key in range(KEYS)
    )
    path = tmp_path / "yard.xml"
    path.write_text(
        '<mujoco><worldbody><geom type="box" size="1 1 1"/>'
        f"{bodies}</worldbody><sensor>{sensors}</sensor><keyframe>{keys}</keyframe></mujoco>"
    )
    whole = read_robot(path)
    for _ in within(1.6):
        models = list(split_models(whole, Diagnostics()))
    assert len(models) == COUNT + 1
    last = models[-1].robot
    assert [each.reference for each in last.sensors] == [f"c{COUNT - 1}"]
    assert "k7" in last.extras[-1].xml and last.extras[-1].xml.count("<key ") == KEYS


ARM = (
    '<body name="{0}" pos="0 0 1"><geom size="0.1"/><body name="{0}_arm"><joint name="{0}_j"/>'
    '<geom size="0.1"/></body></body>'
)


def write_arms(path: Path, *names: str) -> Path:
    bodies = "".join(map(ARM.format, names))
    pair = f'<contact><exclude body1="world" body2="{names[0]}"/></contact>'
    path.write_text(f"<mujoco><worldbody>{bodies}</worldbody>{pair}</mujoco>")
    return path


def test_a_pair_with_the_world_is_no_word_about_a_model(tmp_path: Path) -> None:
    path = write_arms(tmp_path / "two.xml", "a", "b")
    robot = read_robot(path, options=ImportOptions(model="a"))
    assert [link.name for link in robot.links] == ["a", "a_arm"]


@pytest.mark.parametrize("names", [("a", "b"), ("left", "right", "head")])
@pytest.mark.parametrize("suffix", [".xml", ".mjcf", ".XML"])
def test_the_listed_models_can_be_chosen(
    names: tuple[str, ...], suffix: str, tmp_path: Path
) -> None:
    path = write_arms(tmp_path / f"several{suffix}", *names)
    assert list_models(path) == names
    for name in names:
        assert read_robot(path, options=ImportOptions(model=name)).name == name


def test_one_model_is_listed_by_its_own_name(tmp_path: Path) -> None:
    path = write_arms(tmp_path / "one.xml", "a")
    (name,) = list_models(path)
    assert read_robot(path, options=ImportOptions(model=name)).name == name


def test_a_description_of_one_robot_lists_no_models(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(ReadError):
        list_models(path)
