# SPDX-License-Identifier: GPL-3.0-or-later
"""A deferred sequence is a tuple to whoever asks, and costs nothing to whoever does not."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.gazebo import extras
from urdf_importer.core.model.deferred import Deferred
from urdf_importer.formats.urdf.read.robot import read_robot_text

ROBOT = b"""<robot name="r"><link name="eye"/>
<gazebo reference="eye"><mu1>0.5</mu1><sensor name="s" type="imu"/></gazebo></robot>"""


@given(st.lists(st.integers()))
def test_it_is_the_tuple_of_its_items(items: list[int]) -> None:
    deferred = Deferred(lambda: items)
    assert deferred == tuple(items) and tuple(items) == tuple(deferred)
    assert (len(deferred), bool(deferred), repr(deferred)) == (
        len(items),
        bool(items),
        repr(tuple(items)),
    )
    assert hash(deferred) == hash(tuple(items)) and deferred[:2] == tuple(items)[:2]
    assert pickle.loads(pickle.dumps(deferred)) == copy.deepcopy(deferred) == tuple(items)


def test_it_is_worked_out_once_and_late() -> None:
    calls: list[int] = []

    def work() -> list[int]:
        calls.append(1)
        return [7]

    deferred = Deferred(work)
    assert calls == []
    assert deferred[0] == 7 and list(deferred) == [7] and calls == [1]


def test_reading_a_robot_interprets_no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[object] = []
    parse = extras.parse_extra
    monkeypatch.setattr(extras, "parse_extra", lambda extra: parsed.append(extra) or parse(extra))
    robot = read_robot_text(ROBOT, "robot.urdf", Diagnostics())
    assert parsed == [] and robot.extras
    assert robot.sensors
    once = len(parsed)
    assert robot.settings is not None and list(robot.settings) and len(parsed) == once
