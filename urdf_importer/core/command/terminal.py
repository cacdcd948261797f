# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of a command: diagnostics, errors and progress on standard error, results on standard
output.

Names come from unknown files: characters that are not printable are escaped, so that no file can
send commands to a terminal.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from ..diagnostics import Diagnostic, RobotError, WriteError
from ..progress import Progress

MOST_SHOWN = 50
"""Diagnostics shown of one file; the JSON report has them all."""


class Terminal:
    """`quiet` leaves only errors. Progress is drawn only where standard error is a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self._draws = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._drawn = False

    def progress(self, done: Progress, name: str) -> None:
        """Draws how far a robot is."""
        self.line(f"{name}: {done.share:4.0%} {done.text}")

    def stage(self, stage: str, name: str) -> None:
        """Draws which stage of the work on a robot begins."""
        self.line(f"{name}: {stage}")

    def line(self, text: str) -> None:
        """Draws one line, over the one before; on a terminal only."""
        if not self._draws:
            return
        text = printable(text)
        sys.stderr.write(_clear_line() + text[: shutil.get_terminal_size().columns - 1])
        sys.stderr.flush()
        self._drawn = True

    def diagnostics(self, items: Sequence[Diagnostic]) -> None:
        if self.quiet:
            return
        for item in items[:MOST_SHOWN]:
            self._write(str(item))
        if len(items) > MOST_SHOWN:
            more = len(items) - MOST_SHOWN
            self._write(f"... and {more} more diagnostics; --json gives them all")

    def note(self, text: str) -> None:
        """Writes a line for people who are watching; not with `quiet`."""
        if not self.quiet:
            self._write(text)

    def show_error(self, error: RobotError) -> None:
        place = error.source or "urdf-importer"
        if error.source and error.line:
            place += f":{error.line}"
        self._write(f"{place}: error: {error.message}")

    def clear_progress(self) -> None:
        if self._drawn:
            sys.stderr.write(_clear_line())
            sys.stderr.flush()
            self._drawn = False

    def _write(self, text: str) -> None:
        self.clear_progress()
        if sys.stderr is not None:
            _write_line(sys.stderr, text)


def write_result(text: str) -> None:
    """Writes a line of a result to standard output."""
    if sys.stdout is not None:
        with _refuse_failure():
            _write_line(sys.stdout, text)
            _flush()


def write_document(text: str) -> None:
    """Writes a text of several lines that was asked for, on standard output: into files and pipes
    as UTF-8, whatever the system's own encoding, and to a terminal without control sequences."""
    if sys.stdout is None:
        return
    with _refuse_failure():
        if sys.stdout.isatty():
            text = "".join(c if c in "\n\t" else printable(c) for c in text)
            sys.stdout.write(_encodable(sys.stdout, text))
        else:
            _flush()
            sys.stdout.buffer.write(text.encode("utf-8"))
        _flush()


@contextmanager
def _refuse_failure() -> Iterator[None]:
    """Raises WriteError where standard output takes no more, as on a full disk; a reader that has
    gone stays a BrokenPipeError."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise WriteError(f"cannot write to standard output: {error.strerror}") from error


def drop_output() -> None:
    """Sends the rest of standard output to nowhere: Python must not fail on it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def printable(text: str) -> str:
    """Returns the text on one line, with everything escaped that is not printable."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _clear_line() -> str:
    """Returns the letters that clear a terminal's line; Windows' old consoles know no sequences."""
    if os.name == "nt" and "WT_SESSION" not in os.environ:
        return "\r" + " " * (shutil.get_terminal_size().columns - 1) + "\r"
    return "\r\x1b[K"


def _write_line(stream: TextIO, text: str) -> None:
    stream.write(_encodable(stream, printable(text)) + "\n")


def _encodable(stream: TextIO, text: str) -> str:
    """Returns a text with all escaped that the stream's encoding does not have."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


@contextmanager
def silence_blender() -> Iterator[None]:
    """Discards Blender's own standard output (every saved file, every rendered tile), which would
    mix with results."""
    _flush()
    try:
        kept = os.dup(1)
    except OSError:
        # There is no standard output to keep clean.
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _flush() -> None:
    """Flushes standard output, which is None in a process that was started without one."""
    if sys.stdout is not None:
        sys.stdout.flush()
