# SPDX-License-Identifier: GPL-3.0-or-later
"""<loop_joint>: read, written, edited in place; what is more than a loop stays as it is."""

from pathlib import Path

import pytest

from support.gates import gate
from support.paths import ROOT
from urdf_importer import Diagnostics, ImportOptions, read_robot
from urdf_importer.core.model import Dynamics, Limit, LoopJoint, Pose, Robot
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.write.plain import write_robot_text

TEXT = """<robot name="r">
  <link name="a"/>
  <link name="b"/>
  <!-- kept -->
  <loop_joint name="close" type="revolute">
    <link1 link="a" xyz="1 2 3" rpy="0 0.5 0"/>
    <link2 link="b"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1"/>
    <dynamics damping="0.5"/>
    <other/>
  </loop_joint>
</robot>
"""


def read(text: str) -> Robot:
    return read_robot_text(text.encode(), "r.urdf", Diagnostics())


def test_a_loop_is_read() -> None:
    (loop,) = read(TEXT).loops
    assert (loop.name, loop.type, loop.link1, loop.link2) == ("close", "revolute", "a", "b")
    assert loop.origin1 == Pose(xyz=(1.0, 2.0, 3.0), rpy=(0.0, 0.5, 0.0))
    assert loop.axis == (0.0, 0.0, 1.0)
    assert loop.limit == Limit(lower=-1.0, upper=1.0) and loop.dynamics == Dynamics(damping=0.5)
    assert [extra.tag for extra in loop.extras] == ["other"]


def test_what_is_written_reads_the_same() -> None:
    robot = read(TEXT)
    again = read(write_robot_text(robot))
    assert again == robot and write_robot_text(again) == write_robot_text(robot)
    turned = LoopJoint(
        name="ball", type="spherical", link1="b", link2="a",
        origin2=Pose(xyz=(0.0, 0.0, 1.0), quat_xyzw=(0.0, 0.0, 1.0, 0.0)),
    )  # fmt: skip
    both = Robot(name="r", links=robot.links, loops=(*robot.loops, turned))
    assert read(write_robot_text(both)).loops == both.loops


def test_two_first_links_count_in_their_order() -> None:
    (loop,) = read(TEXT.replace("link2", "link1")).loops
    assert (loop.link1, loop.link2) == ("a", "b")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<link2 link="b"/>', ""),
        ('<link2 link="b"/>', '<link2 name="b"/>'),
        ('type="revolute"', 'type="revolute" stiff="yes"'),
        ("<axis xyz=", "<axis foo="),
        ('<link2 link="b"/>', '<link2 link="b"><x/></link2>'),
        ('<limit lower="-1" upper="1"/>', '<limit lower="-1"/><limit/>'),
    ],
)
def test_what_is_not_a_plain_loop_is_kept_word_for_word(old: str, new: str) -> None:
    text = TEXT.replace(old, new)
    robot = read(text)
    assert robot.loops == () and [extra.tag for extra in robot.extras] == ["loop_joint"]
    assert read(write_robot_text(robot)) == robot


def test_a_second_loop_of_one_name_is_kept_word_for_word() -> None:
    start, end = TEXT.index("  <loop_joint"), TEXT.index("</robot>")
    robot = read(TEXT.replace("</robot>", TEXT[start:end] + "</robot>"))
    assert len(robot.loops) == 1 and len(robot.extras) == 1
    assert read(write_robot_text(robot)) == robot


def test_an_assembly_with_a_loop_comes_back(tmp_path: Path) -> None:
    sample = ROOT / "sample_urdfs" / "pumpjack"
    options = ImportOptions(parameters=f"{sample}.yaml", joint_parameters=f"{sample}.csv")
    for robot in (read_robot(f"{sample}.xml"), read_robot(f"{sample}.xml", options=options)):
        assert read(write_robot_text(robot)) == robot
        assert len(robot.loops) == 1
    (tmp_path / "gate.xml").write_bytes(gate())
    robot = read_robot(tmp_path / "gate.xml")
    assert read(write_robot_text(robot)) == robot
