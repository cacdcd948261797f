# SPDX-License-Identifier: GPL-3.0-or-later
"""Which joint a recorded name is."""

import pytest

from urdf_importer import Diagnostics, KinematicsError
from urdf_importer.features.motion.names import match_names

JOINTS = ["shoulder", "elbow", "wrist"]


@pytest.mark.parametrize(
    ("recorded", "given", "prefix", "found", "codes"),
    [
        (["elbow", "wrist"], {}, "", ["elbow", "wrist"], []),
        (["elbow", "nose"], {}, "", ["elbow"], ["unknown-joint"]),
        (["J1", "elbow"], {"J1": "wrist"}, "", ["wrist", "elbow"], []),
        (["left_elbow", "wrist"], {}, "left_", ["elbow", "wrist"], []),
        (["robot1/elbow", "robot1/wrist"], {}, "", ["elbow", "wrist"], ["joints-matched"]),
        (["elbow_joint", "wrist_joint"], {}, "", ["elbow", "wrist"], ["joints-matched"]),
    ],
)
def test_names_are_matched(recorded, given, prefix, found, codes):
    diagnostics = Diagnostics()
    matched = match_names(recorded, JOINTS, given, prefix, diagnostics)
    assert list(matched.values()) == found
    assert [item.code for item in diagnostics] == codes


def test_a_robot_may_have_the_prefix():
    diagnostics = Diagnostics()
    robot = [f"ur5_{name}" for name in JOINTS]
    assert match_names(["wrist", "elbow"], robot, {}, "", diagnostics) == {
        "wrist": "ur5_wrist",
        "elbow": "ur5_elbow",
    }


def test_nothing_is_guessed_where_only_some_fit():
    with pytest.raises(KinematicsError, match=r"'a/elbow', 'b/wrist', the robot 'shoulder'"):
        match_names(["a/elbow", "b/wrist"], JOINTS, {}, "", Diagnostics())
    with pytest.raises(KinematicsError, match="no moving joint 'nose'"):
        match_names(["elbow"], JOINTS, {"elbow": "nose"}, "", Diagnostics())
