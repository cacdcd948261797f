# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written whole or not at all.

A file is made beside its place under another name and takes the place in one step. Whoever looks
sees the old file or the new one, and what fails leaves nothing behind.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .diagnostics import WriteError, quote

AnyPath = str | os.PathLike[str]


def check_output(path: AnyPath) -> None:
    """Raises WriteError where a file could not be put: no folder, no right to write in it, or
    something else than a regular file in its place."""
    target = _find_target(path)
    folder = target.parent
    if not folder.is_dir():
        raise WriteError(f"cannot write {_show(path)}: there is no folder {_show(folder)}")
    if target.is_dir():
        raise WriteError(f"cannot write {_show(path)}: it is a folder")
    if target.exists() and not target.is_file():
        raise WriteError(f"cannot write {_show(path)}: it is not a regular file")
    if target.exists() and not os.access(target, os.W_OK):
        raise WriteError(f"cannot write {_show(path)}: it is write-protected")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WriteError(f"cannot write {_show(path)}: no right to write in {_show(folder)}")


@contextmanager
def replace_file(path: AnyPath) -> Iterator[Path]:
    """Gives the temporary path to write to; at the end that file takes the place of `path`.

    A link is followed, so that it goes on pointing at the file. Raises WriteError where the file
    cannot be put there or was not made; the temporary file is gone in any case.
    """
    check_output(path)
    target = _find_target(path)
    # The suffix stays: writers choose the format by it.
    temporary = target.with_name(f".writing-{os.getpid()}-{target.name[-100:]}")
    try:
        yield temporary
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise WriteError(f"cannot write {_show(path)}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: AnyPath, text: str) -> None:
    """Writes UTF-8. Raises WriteError."""
    with replace_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def _find_target(path: AnyPath) -> Path:
    """The file itself where `path` is a link. Raises WriteError for what can be no path."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise WriteError(f"cannot write {_show(path)}: {error}") from error


def _show(path: AnyPath) -> str:
    """A path for a message: its end says more than its beginning."""
    shown = os.fspath(path)
    return quote(shown if len(shown) <= 80 else "..." + shown[-77:])
