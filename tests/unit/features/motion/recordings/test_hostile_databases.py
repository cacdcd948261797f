# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases whose tables are made to run for ever: refused before a row is asked for."""

import sqlite3
from pathlib import Path

import pytest

from support.bounded import refusals, run_bounded
from support.raw_recordings import make_database
from support.recorded import START, serialize
from support.recorded import joint_state as state
from urdf_importer import ReadError, list_topics, read_trajectory

BUSY = "instr(zeroblob(900000000), X'0001')"
SORTED = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000000) "
    "SELECT hex(i) AS topic_type, 'ros2msg' AS encoding, zeroblob(90) AS "
    "encoded_message_definition FROM n ORDER BY 1"
)
COLUMNS = "id INTEGER PRIMARY KEY, topic_id, timestamp, data"


def recording(folder: Path, *changes: str) -> Path:
    """A recording whose schema is changed by commands of SQL."""
    _, kind, log, fields = state(START, {"a": 1.0})
    path = make_database(folder / "run.db3", [(log, serialize(kind, fields))])
    database = sqlite3.connect(path)
    with database:
        for each in changes:
            database.execute(each)
    database.close()
    return path


def generated(form: str) -> tuple[str, ...]:
    return (
        "DROP TABLE messages",
        f"CREATE TABLE messages (id INTEGER PRIMARY KEY, topic_id, timestamp, data {form})",
        "INSERT INTO messages (topic_id, timestamp) VALUES (1, 5)",
    )


ATTACKS = [
    generated(f"AS ({BUSY})"),
    generated(f"AS({BUSY})"),
    generated(f"AS/**/({BUSY})"),
    generated(f"generated always as\n({BUSY}) VIRTUAL"),
    generated(f"BLOB AS -- plain\n({BUSY})"),
    ("DROP TABLE message_definitions",
     f"CREATE VIEW message_definitions AS SELECT {BUSY} AS topic_type, 1 AS encoding, 2 AS "
     "encoded_message_definition"),
    ("DROP TABLE message_definitions", f"CREATE VIEW message_definitions AS {SORTED}"),
    ("DROP TABLE topics", f"CREATE VIEW topics AS SELECT {BUSY} AS id, 'a' AS name, 'b' AS "
     "type, 'cdr' AS serialization_format"),
    # The schema says that these are tables.
    ("ALTER TABLE messages RENAME TO others", "CREATE VIEW messages AS SELECT * FROM others",
     "PRAGMA writable_schema = ON",
     "UPDATE sqlite_schema SET type = 'table' WHERE name = 'messages'"),
    ("ALTER TABLE messages RENAME TO others",
     f"CREATE VIEW hidden AS SELECT 1 AS id, 1 AS topic_id, 1 AS timestamp, {BUSY} AS data",
     "PRAGMA writable_schema = ON",
     "UPDATE sqlite_schema SET type = 'table', name = 'messages', sql = replace(replace(sql, "
     "'CREATE VIEW', 'CREATE/**/VIEW'), 'hidden', 'messages') WHERE name = 'hidden'"),
    ("CREATE TRIGGER later AFTER INSERT ON messages BEGIN SELECT 1; END",),
]  # fmt: skip


def test_tables_that_run_are_refused_at_once(tmp_path: Path) -> None:
    paths = []
    for number, changes in enumerate(ATTACKS):
        folder = tmp_path / str(number)
        folder.mkdir()
        paths.append(recording(folder, *changes))
    done = run_bounded(*(("topics", path) for path in paths), cwd=tmp_path, gibibytes=2)
    lines = refusals(done)
    assert len(lines) == len(paths)
    for line in lines:
        assert "not a plain table" in line or "malformed database schema" in line
    for path in paths:
        with pytest.raises(ReadError, match=r"not a plain table|malformed"):
            read_trajectory(path)


@pytest.mark.parametrize(
    "changes",
    [
        ("CREATE INDEX by_time ON messages (timestamp ASC)",),
        ("CREATE UNIQUE INDEX by_topic ON topics (name)", "CREATE TABLE metadata (version, text)"),
        ("DROP TABLE message_definitions",),
        ("ALTER TABLE topics ADD COLUMN type_description_hash TEXT DEFAULT ''",),
    ],
)
def test_plain_tables_of_all_versions_are_read(tmp_path: Path, changes: tuple[str, ...]) -> None:
    path = recording(tmp_path, *changes)
    assert [each.count for each in list_topics(path)] == [1]
    assert read_trajectory(path).positions.tolist() == [[1.0]]
