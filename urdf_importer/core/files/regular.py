# SPDX-License-Identifier: GPL-3.0-or-later
"""The bytes of regular files only: every file that a description leads to is opened here."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Literal

from ..diagnostics import KinematicsError, MeshError, ReadError, quote

FileKind = Literal["mesh", "texture", "file", "model", "include"]
"""The use of a file; an include is a part of a xacro description, or its YAML."""

ResolveBeside = Callable[[str, FileKind], Path]
"""Finds a file that a mesh file names (a texture, a library of materials, a buffer), relative to
the mesh's folder; MeshError where there is none or it may not be read. A loader opens no other
file."""

HEAD_BYTES = 1024
_LFS = b"version https://git-lfs.github.com/spec/"
_MEGABYTE = 1024 * 1024
MOST_BYTES = 128 * 1024 * 1024

# Opening a FIFO waits for a writer, and opening some devices acts on them. So the kind of file is
# asked before it is opened, and again of the open file, since it may have been replaced between.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRegularError(OSError):
    """A path that leads to something other than a regular file; the text names its kind."""


@contextmanager
def open_regular_file(path: str | Path) -> Iterator[tuple[BufferedReader, int]]:
    """Yields the file opened for reading bytes and its size.

    Raises NotRegularError for anything but a regular file, and OSError, with one line as its
    `strerror`, where there is nothing or it cannot be opened.
    """
    try:
        _refuse_unfit(os.stat(path))
        descriptor = os.open(path, _FLAGS)
    except ValueError:
        raise OSError(None, "the path has a character that no path can have") from None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        _refuse_unfit(status)
        yield file, status.st_size


def read_regular_file(
    path: str, *, most_bytes: int = MOST_BYTES, called: str = "robot description"
) -> bytes:
    """Returns the bytes of the regular file `path`.

    Raises ReadError for anything else and for files of more than `most_bytes`, in whose message
    it is `called` so.
    """
    with naming_file(path), open_regular_file(path) as (file, size):
        data = b"" if size > most_bytes else file.read(size + 1)
    if size > most_bytes or len(data) > most_bytes:
        raise ReadError(
            f"the file is bigger than {most_bytes // 2**20} MB, too big for a {called}",
            source=path,
        )
    refuse_pointer(data, path)
    return data


def refuse_pointer(data: bytes, source: str = "") -> None:
    """Raises ReadError for a pointer, which Git LFS leaves in place of a file."""
    if data.startswith(_LFS):
        message = "this is a Git LFS pointer, not the file itself; 'git lfs pull' fetches it"
        raise ReadError(message, source=source, line=1)


def decode_utf8(data: bytes, source: str = "") -> str:
    """Returns the text of a file in UTF-8. Raises ReadError, with the line, for anything else."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError("the text is not UTF-8", source=source, line=line) from None


@contextmanager
def naming_file(source: str) -> Iterator[None]:
    """Gives errors about motions, and of reading, the file that they are about, unless they have
    one: they become ReadErrors, as failures of the system do."""
    try:
        yield
    except (ReadError, KinematicsError) as error:
        if error.source:
            raise
        raise ReadError(error.message, source=source, line=error.line) from None
    except OSError as error:
        raise ReadError(explain_failure(error, source), source=source) from None


def explain_failure(error: OSError, source: str = "") -> str:
    """Returns one clause that says why a file was not read."""
    if isinstance(error, FileNotFoundError):
        hint = "; standard input is not read, so save it to a file" if source == "-" else ""
        return f"no such file{hint}"
    if isinstance(error, NotRegularError):
        return f"this is {error}, not a regular file"
    reason = error.strerror or str(error)
    return f"the file cannot be read: {reason}" if error.errno is not None else reason


def _refuse_unfit(status: os.stat_result) -> None:
    mode = status.st_mode
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "a special file")
        raise NotRegularError(kind)


def refuse_beside(uri: str, kind: FileKind) -> Path:
    """Serves as the ResolveBeside of meshes that may not name other files."""
    message = f"{quote(uri)} is not read: only the mesh file itself is"
    raise MeshError(message, code=f"missing-{kind}")


def read_mesh_file(path: Path, most_bytes: int) -> bytes:
    """Reads all bytes of a regular file.

    MeshError where it cannot be read, is not a regular file (a FIFO would block for ever), is
    larger than `most_bytes` (looked up before anything is read) or is the pointer that Git LFS
    leaves in place of a file.
    """
    with _open_file(path) as (file, size):
        if size > most_bytes:
            raise MeshError(
                f"{quote(path.name)} has {size // _MEGABYTE} MB; "
                f"{most_bytes // _MEGABYTE} MB is the most that is read",
                code="mesh-too-large",
            )
        # Not as much as may be read: Python makes room for that at once.
        data = file.read(size)
    _refuse_pointer(data, path)
    return data


def read_mesh_head(path: Path) -> tuple[bytes, int]:
    """Reads the first bytes of a regular file and how many it has. Raises MeshError as
    read_mesh_file."""
    with _open_file(path) as (file, size):
        head = file.read(HEAD_BYTES)
    _refuse_pointer(head, path)
    return head, size


@contextmanager
def _open_file(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    try:
        with open_regular_file(path) as opened:
            yield opened
    except FileNotFoundError:
        raise MeshError(f"there is no file {quote(str(path))}", code="missing-mesh") from None
    except NotRegularError as error:
        message = f"{quote(str(path))} is {error}, not a regular file"
        raise MeshError(message, code="not-a-file") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise MeshError(f"{quote(str(path))} cannot be read: {reason}") from None


def _refuse_pointer(data: bytes, path: Path) -> None:
    if data.startswith(_LFS):
        raise MeshError(
            f"{quote(path.name)} is a Git LFS pointer, not a mesh; run 'git lfs pull' there",
            code="git-lfs-pointer",
        )
