# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of a batch: whole lines, whatever happens and whatever the names hold."""

import json
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urdf_importer
from urdf_importer import WriteError
from urdf_importer.features.batch.log import Log, read_log, set_aside
from urdf_importer.features.batch.records import BatchRecord, Status, read_record

NAMES = st.text(st.characters(exclude_categories=()), min_size=1, max_size=30)
RECORDS = st.builds(
    BatchRecord,
    input=NAMES,
    place=NAMES,
    status=st.sampled_from(get_args(Status)),
    error=st.text(),
    robot=st.text(),
    files=st.lists(st.text(), max_size=3).map(tuple),
    seconds=st.dictionaries(st.text(), st.floats(0, 1e6), max_size=3),
    facts=st.dictionaries(st.text(), st.integers() | st.text(), max_size=3),
    attempts=st.integers(1, 3),
    peak_mib=st.floats(0, 1e6),
)


@given(RECORDS)
def test_a_record_comes_back(record: BatchRecord) -> None:
    line = record.to_json()
    assert line.isascii() and "\n" not in line
    assert read_record(line.encode()) == record


def test_a_line_has_what_the_report_of_an_import_has() -> None:
    facts = {"links": 5, "joints": 4, "moving_joints": 2, "bones": 2, "total_mass": 1.5}
    record = BatchRecord(input="a", place="a", status="ok", robot="arm", facts=facts)
    line = json.loads(record.to_json())
    assert facts.items() <= line.items()
    assert line["ok"] is True and line["version"] == urdf_importer.__version__
    assert json.loads(make("a", "failed").to_json())["ok"] is False


@given(st.binary() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(
    lambda value: json.dumps({"input": "a", "status": "ok", "files": value}).encode()))  # fmt: skip
def test_no_line_is_too_odd(line: bytes) -> None:
    found = read_record(line)
    assert found is None or isinstance(found, BatchRecord)


def make(name: str, status: Status = "ok") -> BatchRecord:
    return BatchRecord(input=name, place=name, status=status)


def test_the_last_line_of_an_input_counts(tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    with Log(path) as log:
        for record in (make("a", "timeout"), make("b"), make("a")):
            log.add(record)
    found = read_log(path)
    assert list(found.items()) == [("b", make("b")), ("a", make("a"))]


@pytest.mark.parametrize("torn", [b'{"input": "c"', b"x" * 200_000])
def test_a_torn_last_line_is_dropped(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "batch.jsonl"
    with Log(path) as log:
        log.add(make("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert set(read_log(path)) == {"a"}
    with Log(path) as log:
        log.add(make("b"))
    assert set(read_log(path)) == {"a", "b"}
    assert path.read_bytes().startswith(whole) and torn not in path.read_bytes()


def test_old_logs_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    for text in ("one", "two"):
        path.write_text(text)
        set_aside(path)
    kept = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert kept == {"batch.1.jsonl": "one", "batch.2.jsonl": "two"}


def test_a_log_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "batch.jsonl").mkdir()
    with pytest.raises(WriteError, match="cannot write"):
        Log(tmp_path / "batch.jsonl")
