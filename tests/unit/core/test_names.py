# SPDX-License-Identifier: GPL-3.0-or-later
"""Each name is given out once, and nobody gets another one without need."""

from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.names import Claims
from urdf_importer.core.rig.plan import BONE_NAME_BYTES, NameTable

WANTED = st.lists(st.sampled_from(["arm", "arm_2", "arm_2_2", "arm.001", "ä" * 40, "hand"]))


@given(WANTED)
def test_each_once_and_the_first_as_it_is(wanted: list[str]) -> None:
    claims = Claims()
    given_out = [claims.claim(name) for name in wanted]
    assert len(set(given_out)) == len(wanted)
    for name, own in zip(wanted, given_out, strict=True):
        earlier = given_out[: given_out.index(own)]
        assert own == name or name in earlier


@given(WANTED)
def test_names_of_bones_also_fit(wanted: list[str]) -> None:
    table = NameTable()
    given_out = [table.claim(name) for name in wanted]
    assert len(set(given_out)) == len(wanted)
    assert all(len(name.encode()) <= BONE_NAME_BYTES for name in given_out)


def test_numbers() -> None:
    claims, table = Claims(), NameTable()
    assert [claims.claim("arm") for _ in range(3)] == ["arm", "arm_2", "arm_3"]
    assert [table.claim("arm") for _ in range(3)] == ["arm", "arm.001", "arm.002"]
    assert [table.claim(each * 63) for each in "aa"] == ["a" * 63, "a" * 59 + ".001"]
    letters = Claims(lambda name, number: name + chr(96 + number))
    assert [letters.claim("arm") for _ in range(3)] == ["arm", "armb", "armc"]
