# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of ROS 2: a folder with files of SQLite or MCAP, or a single such file.

metadata.yaml is not needed, so it is not read: the files of the folder are taken in the order of
their numbers, and packed data is recognized by itself.
"""

import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ....core.diagnostics import Diagnostics, ReadError, one_line, quote
from ....core.files.regular import open_regular_file
from .compression import ZSTD, Unpacker, open_zstd, zstd_errors
from .definitions import short_name
from .formats import DATABASE, MCAP
from .streams import MOST_CHUNK, Channel, Pieces, Sorter, Survey, Wanted

MAGIC = b"SQLite format 3\0"
_PARTS = (*DATABASE.suffixes, *MCAP.suffixes)
MOST_FILES = 10_000
_DEFINITIONS = "message_definitions"
_TABLES = ("topics", "messages", _DEFINITIONS)
_PERMITTED = {
    *((sqlite3.SQLITE_READ, name) for name in (*_TABLES, "sqlite_master")),
    (sqlite3.SQLITE_FUNCTION, "count"),
    (sqlite3.SQLITE_PRAGMA, "table_xinfo"),
}
_PLAIN = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")
_BATCH_BYTES = 8 * 1024 * 1024
_STEPS = 10_000
"""Instructions of SQLite after which the time is looked at."""
_SECONDS, _SPEED = 2.0, 2_000_000
"""Seconds allowed for SQLite, and bytes for each second more: intact files need a tenth."""


def find_parts(folder: Path) -> list[Path]:
    """Returns the files of a recorded folder in their order. Raises ReadError."""
    try:
        names = [each for each in folder.iterdir() if each.name.lower().endswith(_PARTS)]
    except OSError as error:
        message = f"the folder cannot be read: {error.strerror}"
        raise ReadError(message, source=str(folder)) from None
    if not names:
        what = "no recording (.db3 or .mcap) and no LeRobot dataset (meta/info.json)"
        raise ReadError(f"the folder holds {what}", source=str(folder))
    if len(names) > MOST_FILES:
        raise ReadError("the folder holds too many files", source=str(folder))
    return sorted(names, key=lambda each: [int(n) for n in re.findall(r"\d{1,18}", each.name)])


def read_database(path: Path, wanted: Wanted, diagnostics: Diagnostics) -> Pieces:
    """Yields the messages of a database in the order of their recording. Raises ReadError."""
    with _open(path, diagnostics) as database:
        sorter = _sort_channels(database, wanted)
        chosen = [str(number) for number, each in sorter.channels.items() if wanted(each)]
        rows = database.rows(
            "SELECT topic_id, timestamp, data FROM messages "
            f"WHERE topic_id IN ({','.join(chosen)}) ORDER BY rowid"
        )
        room, unpacker = _BATCH_BYTES, Unpacker()
        for number, log, data in rows:
            if isinstance(data, bytes) and isinstance(log, int):
                is_packed = data[:4] == ZSTD
                message = unpacker.unpack(data, "zstd", MOST_CHUNK) if is_packed else data
                sorter.add(number, log, message)
                room -= 1 + len(message)
            if room < 0:
                room = _BATCH_BYTES
                yield from sorter.drain()
        yield from sorter.drain()


def survey_database(path: Path, diagnostics: Diagnostics) -> Survey:
    """Returns how many messages each channel has. Raises ReadError."""
    with _open(path, diagnostics) as database:
        counts = dict(database.rows("SELECT topic_id, COUNT(*) FROM messages GROUP BY topic_id"))
        return _sort_channels(database, lambda _: False).count(counts)


class _Database:
    """Reads rows of an open database, within bounds: damaged pages can lead in circles, so that a
    small file has rows without end."""

    def __init__(self, address: str, size: int) -> None:
        self._size = size
        self._left = _SECONDS + size / _SPEED
        self._since = 0.0
        self._connection = sqlite3.connect(address, uri=True)
        try:
            self._prepare()
        except (sqlite3.Error, UnicodeDecodeError):
            self.close()
            raise

    def _prepare(self) -> None:
        connection = self._connection
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CHUNK)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_progress_handler(self._is_over, _STEPS)
        for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")
        connection.set_authorizer(_permit)
        list(self.rows("SELECT COUNT(*) FROM sqlite_master"))

    def _is_over(self) -> bool:
        return time.thread_time() - self._since > self._left

    def rows(self, query: str) -> Iterator[Any]:
        """Yields the rows of a query. Only SQLite's own time counts, not its caller's. Raises
        ReadError where there is more in them than in the file."""
        self._since = time.thread_time()
        rows = _ask(self._connection.execute, query)
        left = self._size
        while (row := _ask(next, rows, None)) is not None:
            self._left -= time.thread_time() - self._since
            left -= 1 + sum(len(each) for each in row if isinstance(each, bytes | str))
            if left < 0:
                raise ReadError("the database is damaged: its pages lead in circles")
            yield row
            self._since = time.thread_time()

    def close(self) -> None:
        """Ends it."""
        self._connection.close()


def _ask(call: Callable[..., Any], *given: Any) -> Any:
    """Calls SQLite. Raises ReadError where damaged pages make it ask for more memory than there
    is."""
    try:
        return call(*given)
    except MemoryError:
        raise ReadError("the database is damaged: it takes too much memory") from None


@contextmanager
def _open(path: Path, diagnostics: Diagnostics) -> Iterator[_Database]:
    """Opens a database for reading: tables only, no functions that it brings. Raises ReadError."""
    try:
        with closing(_connect(path, diagnostics)) as database:
            _check_tables(database)
            yield database
    except sqlite3.Error as error:
        problem = one_line(error).replace("interrupted", "it takes too long, so it is damaged")
        raise ReadError(f"the database cannot be read: {problem}") from None
    except UnicodeDecodeError:
        # SQLite quotes a damaged schema in its message.
        raise ReadError("the database cannot be read: its schema is damaged") from None


def _connect(path: Path, diagnostics: Diagnostics) -> _Database:
    address = path.absolute().as_uri() + "?mode=ro"
    # The latest records may be in the file beside it.
    size = sum(each.stat().st_size for each in (path, Path(f"{path}-wal")) if each.is_file())
    try:
        return _Database(address, size)
    except sqlite3.OperationalError:
        database = _Database(address + "&immutable=1", size)
    diagnostics.warning(
        "cut-recording",
        "the database was not closed and cannot be mended here; its last messages may be missing",
    )
    return database


def _check_tables(database: _Database) -> None:
    """Views, triggers, virtual tables and generated columns could run for ever, or run programs.
    A row of the schema may lie about its name and kind, so all of them count, by their own text,
    which SQLite itself always begins in one of these ways."""
    names = set()
    for name, sql in database.rows("SELECT name, sql FROM sqlite_master"):
        if sql is not None and not (isinstance(sql, str) and sql.startswith(_PLAIN)):
            raise _refuse_table(name)
        names.add(name)
    for name in _TABLES:
        columns = list(database.rows(f"PRAGMA table_xinfo({name})"))
        if any(column[-1] for column in columns) or (name in names) != bool(columns):
            raise _refuse_table(name)
        if not columns and name != _DEFINITIONS:
            raise _refuse_table(name)


def _refuse_table(name: object) -> ReadError:
    return ReadError(
        f"{quote(str(name))} is not a plain table, so this is not a recording of ROS 2"
    )


def _permit(action: int, one: str | None, other: str | None, _base: object, inner: object) -> int:
    """Lets SQLite compile queries of the tables alone; `inner` is a view that is expanded. The
    names of functions come second."""
    name = (one or other or "").lower()
    is_known = action == sqlite3.SQLITE_SELECT or (action, name) in _PERMITTED
    return sqlite3.SQLITE_OK if is_known and inner is None else sqlite3.SQLITE_DENY


def _sort_channels(database: _Database, wanted: Wanted) -> Sorter:
    """Returns a sorter that knows the channels of a database."""
    sorter = Sorter(wanted)
    definitions = _read_definitions(database)
    rows = database.rows(
        "SELECT id, name, type, serialization_format FROM topics ORDER BY id LIMIT 20001"
    )
    for number, name, kind, encoding in rows:
        if isinstance(number, int):
            channel = Channel(
                topic=str(name),
                type=short_name(str(kind)),
                encoding=str(encoding),
                definition=definitions.get(str(kind), ""),
            )
            sorter.add_channel(number, channel)
    return sorter


def _read_definitions(database: _Database) -> dict[str, str]:
    """Returns type -> definition: databases have them since the fourth version."""
    try:
        rows = database.rows(
            "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions "
            "LIMIT 20001"
        )
        return {
            str(kind): text
            for kind, encoding, text in rows
            if encoding == "ros2msg" and isinstance(text, str)
        }
    except sqlite3.OperationalError:
        return {}


@contextmanager
def unpacked(path: Path, most: int) -> Iterator[tuple[Path, BinaryIO, int]]:
    """Gives the content of a file packed as a whole, as a file that is gone afterwards, and its
    size. Raises ReadError."""
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        place = Path(folder, "unpacked")
        with open_regular_file(path) as (file, _), place.open("wb") as target:
            _copy(file, target, most)
        with place.open("rb") as result:
            yield place, result, place.stat().st_size


def _copy(file: BinaryIO, target: BinaryIO, most: int) -> None:
    try:
        stream = open_zstd(file)
        while part := stream.read(_BATCH_BYTES):
            target.write(part)
            if target.tell() > most:
                raise ReadError(f"it unpacks to more than {most // 2**20} MiB; unpack it before")
    except zstd_errors() as error:
        raise ReadError(f"the packed file is damaged: {one_line(error)}") from None
