# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files: where bones are in each frame, and one sentence for what is none."""

import numpy as np
import pytest

from support.people import SAMPLE
from urdf_importer import Diagnostics, KinematicsError, ReadError, read_robot, retarget
from urdf_importer.features.retargeting.bvh import read_bvh
from urdf_importer.features.retargeting.person import bridge_frames

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knee
  {
    OFFSET 0 -2 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -2 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.05
0 5 0 0 0 0 0 0 0
1 5 0 0 0 0 90 0 0
"""


def read(tmp_path, text, diagnostics=None):
    path = tmp_path / "a.bvh"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_bvh(str(path), Diagnostics() if diagnostics is None else diagnostics)


def test_points_are_where_channels_put_them(tmp_path):
    person = read(tmp_path, SMALL)
    assert person.names == ("Hips", "Knee", "")
    assert person.parents == (-1, 0, 1)
    assert person.rate == pytest.approx(20.0)
    # Up is y in the file and z here; the knee turns the shin to +x.
    assert person.points[0] == pytest.approx(np.array([[0, 0, 5], [0, 0, 3], [0, 0, 1.0]]))
    assert person.points[1] == pytest.approx(np.array([[1, 0, 5], [1, 0, 3], [3, 0, 3.0]]))
    # Each bone's turn takes the way to its end along.
    turned = person.turns[1, 1] @ np.linalg.inv(person.turns[0, 1])
    assert turned @ [0, 0, -2.0] == pytest.approx(np.array([2.0, 0.0, 0.0]))


def test_up_is_where_people_extend_although_their_root_stays_behind(tmp_path):
    bones = "".join(f"JOINT Chest{n}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for n in range(12))
    text = SMALL.replace("  JOINT Knee", f"{bones}{'}' * 12}\n  JOINT Knee").replace(
        "}" * 12, "}\n" * 12
    )
    text = text.replace(
        "ROOT Hips\n{\n  OFFSET 0 0 0",
        "ROOT Origin\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT Hips\n{\n  OFFSET 0 0 0",
    )
    text = text.replace("}\nMOTION", "}\n}\nMOTION")
    walked = text.replace("0 5 0 0 0 0 0 0 0", "0 5 900 0 0 0 0 0 0").replace("1 5 0 ", "1 5 901 ")
    person = read(tmp_path, walked)
    assert person.points[0, 1] == pytest.approx([0.0, -900.0, 5.0])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("HIERARCHY", "HIERARCH", "does not begin with HIERARCHY"),
        ("OFFSET 0 -2 0", "OFFSET 0 two 0", "3 finite numbers"),
        ("OFFSET 0 -2 0", "OFFSET 0 nan 0", "3 finite numbers"),
        ("CHANNELS 3 Z", "CHANNELS 4 Z", "number of channels"),
        ("Zrotation", "Wrotation", "not a channel"),
        ("JOINT Knee", "BONE Knee", "not belong in a hierarchy"),
        ("Frames: 2", "Frames: many", "number of frames"),
        ("Frame Time: 0.05", "Frame Time: 0", "makes no motion"),
        ("Frame Time: 0.05", "Frame Time: nan", "1 finite numbers"),
        ("0 5 0 0 0 0 0 0 0", "0 5 0 0", "4 numbers, not 9"),
        ("0 5 0 0 0 0 0 0 0", "0 5 0 0 0 x 0 0 0", "not numbers"),
        ("1 5 0 0 0 0 90 0 0\n", "", None),
        ("MOTION", "}", "in no bone"),
        ("Frames: 2", "Frames: 1000000000", None),
    ],
)
def test_damaged_files_are_one_sentence_with_a_line(tmp_path, old, new, said):
    text = SMALL.replace(old, new, 1)
    diagnostics = Diagnostics()
    if said is None:
        assert len(read(tmp_path, text, diagnostics).points)
        assert [each.code for each in diagnostics] == ["motion-frame-count"]
        return
    with pytest.raises(ReadError, match=said) as caught:
        read(tmp_path, text)
    assert caught.value.line > 0
    assert "\n" not in str(caught.value)


def test_cut_empty_and_foreign_files_are_refused(tmp_path):
    for size in (0, 5, 40, 150, 250):
        with pytest.raises(ReadError):
            read(tmp_path, SMALL[:size])
    with pytest.raises(ReadError, match="UTF-8"):
        read(tmp_path, SMALL.encode().replace(b"Knee", b"Kn\xff"))
    deep = "".join(f"JOINT b{n}\n{{\nOFFSET 0 1 0\n" for n in range(3000))
    with pytest.raises(ReadError, match="in a chain"):
        read(tmp_path, f"HIERARCHY\n{deep}")


@pytest.mark.parametrize("lost", ["nan " * 9, "inf 5 -inf 0 0 0 90 0 0", "1e308 -1e308 0 " * 3])
def test_frames_that_are_not_finite_are_bridged(tmp_path, lost):
    frame = "1 5 0 0 0 0 90 0 0\n"
    text = SMALL.replace("Frames: 2", "Frames: 4").replace(frame, f"{lost}\n" + 2 * frame)
    diagnostics = Diagnostics()
    person = bridge_frames(read(tmp_path, text), diagnostics)
    assert np.isfinite(person.points).all()
    assert person.points[1, 0] == pytest.approx([0.5, 0, 5])
    assert [each.code for each in diagnostics] == ["motion-bridged"]


def test_too_few_bones_are_refused(tmp_path):
    (tmp_path / "a.bvh").write_text(SMALL)
    robot = read_robot(SAMPLE.parent / "humanoid_arm.urdf")
    with pytest.raises(KinematicsError):
        retarget(tmp_path / "a.bvh", robot)
