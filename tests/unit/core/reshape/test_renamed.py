# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that parts of a robot have got since."""

from dataclasses import replace

import pytest

from urdf_importer.core.model import Joint, Link, Pose, Robot
from urdf_importer.core.reshape import rename
from urdf_importer.core.reshape.renamed import suggest_names

LINKS = tuple(Link(name=name) for name in ("base", "upper", "fore", "hand", "finger"))
UP = Pose(xyz=(0.0, 0.0, 0.3))


def joint(name: str, parent: str, child: str, axis: tuple[float, float, float]) -> Joint:
    return Joint(name=name, type="revolute", parent=parent, child=child, axis=axis, origin=UP)


JOINTS = (
    joint("shoulder", "base", "upper", (0.0, 1.0, 0.0)),
    joint("elbow", "upper", "fore", (0.0, 1.0, 0.0)),
    joint("wrist", "fore", "hand", (1.0, 0.0, 0.0)),
    joint("grip", "hand", "finger", (0.0, 0.0, 1.0)),
)
ARM = Robot(name="arm", links=LINKS, joints=JOINTS)


@pytest.mark.parametrize(
    "names",
    [
        {"elbow": "elbow_joint"},
        {"fore": "forearm"},
        {"elbow": "elbow_joint", "fore": "forearm"},
        {"base": "base_link", "shoulder": "shoulder_lift"},
        {each.name: f"left_{each.name}" for each in (*LINKS, *JOINTS)},
    ],
)
def test_names_are_found_again(names: dict[str, str]) -> None:
    after = rename(ARM, names)
    assert suggest_names(ARM, after) == names
    assert suggest_names(after, ARM) == {new: old for old, new in names.items()}


def test_nothing_is_suggested_for_another_joint() -> None:
    for changed in (
        replace(JOINTS[1], name="bend", axis=(1.0, 0.0, 0.0)),
        replace(JOINTS[1], name="bend", type="prismatic"),
        replace(JOINTS[1], name="bend", parent="base"),
    ):
        after = replace(ARM, joints=(JOINTS[0], changed, *JOINTS[2:]))
        assert suggest_names(ARM, after) == {}
    assert suggest_names(ARM, ARM) == {}
    fewer = replace(ARM, links=LINKS[:-1], joints=JOINTS[:-1])
    assert suggest_names(ARM, fewer) == suggest_names(fewer, ARM) == {}


def test_twins_are_not_guessed() -> None:
    """Two new joints are like the old one; nobody knows the right one."""
    links = (Link(name="base"), Link(name="left"), Link(name="right"))
    turned = joint("turn", "base", "only", (0.0, 0.0, 1.0))
    before = Robot(name="two", links=(links[0], Link(name="only")), joints=(turned,))
    twins = (replace(turned, name="a", child="left"), replace(turned, name="b", child="right"))
    assert suggest_names(before, Robot(name="two", links=links, joints=twins)) == {}
