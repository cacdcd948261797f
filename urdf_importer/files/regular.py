# SPDX-License-Identifier: GPL-3.0-or-later
"""The bytes of a description: of regular files only, and not of endless ones."""

import os
import stat

from ..diagnostics import ReadError

MOST_BYTES = 128 * 1024 * 1024

# Opening a FIFO waits for a writer, and opening some devices acts on them. So the kind of file is
# asked before it is opened, and again of what was opened, since it may have been replaced between.
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


def read_regular_file(path: str) -> bytes:
    """The bytes of the regular file `path`. Raises ReadError for anything else and for files of
    more than MOST_BYTES."""
    try:
        _refuse_unfit(os.stat(path), path)
        with open(os.open(path, _FLAGS), "rb") as file:
            _refuse_unfit(os.fstat(file.fileno()), path)
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise ReadError("no such file", source=path) from None
    except OSError as error:
        raise ReadError(
            f"the file cannot be read: {error.strerror or error}", source=path
        ) from None
    except ValueError:
        raise ReadError("the path has a character that no path can have", source=path) from None
    if len(data) > MOST_BYTES:
        raise _too_big(path)
    return data


def _refuse_unfit(status: os.stat_result, path: str) -> None:
    mode = status.st_mode
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "a special file")
        raise ReadError(f"this is {kind}, not a regular file", source=path)
    if status.st_size > MOST_BYTES:
        raise _too_big(path)


def _too_big(path: str) -> ReadError:
    return ReadError(
        f"the file is bigger than {MOST_BYTES // 2**20} MB, which no robot description is",
        source=path,
    )
