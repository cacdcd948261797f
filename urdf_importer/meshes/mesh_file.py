# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading the bytes of a mesh file, whatever its format."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..diagnostics import MeshError, quote
from ..files.packages import FileKind
from ..files.regular import NotRegularError, open_regular_file

ResolveBeside = Callable[[str, FileKind], Path]
"""Finds a file that a mesh file names (a texture, a library of materials, a buffer), relative to
the mesh's folder; MeshError where there is none or it may not be read. A loader opens no other
file."""

HEAD_BYTES = 1024
_LFS = b"version https://git-lfs.github.com/spec/"
_MEGABYTE = 1024 * 1024


def refuse_beside(uri: str, kind: FileKind) -> Path:
    """Serves as the ResolveBeside of meshes that must stand alone."""
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
        data = file.read(most_bytes)
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
