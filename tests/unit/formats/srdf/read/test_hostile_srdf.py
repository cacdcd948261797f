# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever an SRDF says, there is an SRDF or one clear sentence, in bounded time."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.mutations import damaged
from support.readable_robots import DATA
from support.real_srdf import real_files
from support.searches import Bounds, how_many, search
from support.seconds import within
from urdf_importer import Diagnostics, ReadError, Robot, adapt_srdf
from urdf_importer.core.kinematics.semantic_groups import find_rings, resolve_groups
from urdf_importer.core.model import Group, Joint, Link, Semantics
from urdf_importer.formats.srdf.read.find import find_srdf
from urdf_importer.formats.srdf.read.semantics import read_srdf_text
from urdf_importer.formats.srdf.write.semantics import write_semantics_text

EVERYTHING = (DATA / "every_element.srdf").read_bytes()
NAMES = ("base", "upper", "forearm", "hand", "tip")
ARM = Robot(
    name="arm",
    links=tuple(Link(name=name) for name in NAMES),
    joints=tuple(
        Joint(name=name, type="revolute", parent=NAMES[i], child=NAMES[i + 1])
        for i, name in enumerate(("shoulder", "elbow", "wrist", "finger"))
    ),
)


def read_and_use(text: bytes) -> None:
    """All that is done with an SRDF; only a ReadError may come of it."""
    try:
        semantics = read_srdf_text(text, ARM, "bad.srdf", Diagnostics())
    except ReadError as error:
        assert "bad.srdf" in str(error)
        assert "\n" not in str(error)
        return
    resolve_groups(ARM, semantics)
    adapt_srdf(semantics, robot=replace(ARM, links=ARM.links[:3], joints=ARM.joints[:2]))
    again = read_srdf_text(write_semantics_text(semantics).encode(), None, "again", Diagnostics())
    assert again == semantics


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(damaged(st.just(EVERYTHING)))
def test_damaged_files_are_read_or_refused(text: bytes) -> None:
    read_and_use(text)


@pytest.mark.slow
def test_many_damaged_files() -> None:
    files = [EVERYTHING, *(path.read_bytes() for path, _ in real_files())]
    search("srdf", files, read_and_use, how_many(is_long=True), Bounds())


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"),
        st.lists(st.sampled_from("abcdefgh"), max_size=4),
        min_size=1,
    )
)
def test_rings_are_exactly_the_groups_that_reach_one(needs: dict[str, list[str]]) -> None:
    groups = tuple(Group(name=name, groups=tuple(others)) for name, others in needs.items())
    reach = {name: set(others) & needs.keys() for name, others in needs.items()}
    for _ in needs:
        reach = {
            name: near | {far for each in near for far in reach[each]}
            for name, near in reach.items()
        }
    wanted = {
        name
        for name, near in reach.items()
        if name in near or any(each in reach[each] for each in near)
    }
    assert find_rings(Semantics(name="arm", groups=groups)) == wanted


def test_a_ring_of_many_groups_costs_their_number() -> None:
    count = 20_000
    ring = tuple(Group(name=f"g{i}", groups=(f"g{(i + 1) % count}",)) for i in range(count))
    for _ in within(10.0):
        assert len(find_rings(Semantics(name="arm", groups=ring))) == count


def test_only_files_near_a_description_are_found(tmp_path: Path) -> None:
    package = tmp_path / "arm_description" / "urdf"
    config = tmp_path / "arm_moveit_config" / "config"
    for folder in (package, config):
        folder.mkdir(parents=True)
    urdf = package / "arm.urdf"
    urdf.write_text("<robot/>")
    assert find_srdf(str(urdf), "arm") is None
    (config / "other.srdf").write_text('<robot name="another"/>')
    (config / "broken.srdf").write_bytes(b"\xff\xfe\x00<robot")
    (config / "folder.srdf").mkdir()
    assert find_srdf(str(urdf), "arm") is None
    (config / "moved.srdf").write_text('<!-- a -->\n<robot xmlns:x="y" name = "arm">')
    assert find_srdf(str(urdf), "arm") == str(config / "moved.srdf")
    (package / "arm.srdf.xacro").write_text("<robot/>")
    assert find_srdf(str(urdf), "arm") == str(package / "arm.srdf.xacro")
