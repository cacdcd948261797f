# SPDX-License-Identifier: GPL-3.0-or-later
"""The child process that opens stages: started, answered, bounded.

The library pxr crashes and freezes on stages made for that, so it never runs in this
process. Memory and computing time are bounded by the child itself, the clock from here; on Windows
there is the clock alone. The child speaks into a file that is looked at again and again: no thread
is needed to keep the clock, which costs a few milliseconds for each answer.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import IO

from ....core.diagnostics import ReadError, one_line
from ....core.files.states import FileState, read_state
from .data import UsdStage, read_stage_data

Permit = Callable[[str], str]
"""Path of a file -> empty where it may be read, else the reason why not."""
SECONDS = 120.0
_PAUSE = 0.005
"""Seconds between two looks at the words of the child."""
_MOST_BYTES = 2**30
_MOST_BYTES_OF_TEXT = 192 * 2**20
_MOST_BYTES_OF_LINE = 4096
_MOST_KEPT = 128 * 2**20
_HERE = Path(__file__).parent
_START = (
    "import sys, runpy; sys.path[:0] = {paths!r}; "
    "runpy.run_module('session', run_name='__main__', alter_sys=False)"
)
Variants = tuple[tuple[str, str], ...]
_kept: dict[tuple[str, Variants], tuple[UsdStage, dict[str, FileState | None]]] = {}
"""The stage read last: its meshes are asked for after its robot."""


def open_stage(path: str, permit: Permit, variants: Variants = ()) -> UsdStage:
    """Reads a stage with all its layers, as far as `permit` allows; `variants` are choices by the
    names of their sets. A stage whose files are unchanged is read once.

    Raises ReadError where there is no pxr, for a stage that cannot be read within the bounds, and
    for one with a file that may not be read.
    """
    key = (os.path.abspath(path), variants)
    if key in _kept:
        stage, states = _kept[key]
        if all(read_state(each) == state for each, state in states.items()):
            for each in stage.files:
                if reason := permit(each):
                    raise ReadError(reason, source=path)
            return stage
    _kept.clear()
    with tempfile.TemporaryDirectory(prefix="urdf_importer_") as folder:
        stage = _Child(path, Path(folder), permit).read(key[0], key[1])
    states = {each: read_state(each) for each in (key[0], *stage.files)}
    if sum(each.nbytes for each in stage.arrays) < _MOST_KEPT:
        _kept[key] = stage, states
    return stage


def find_pxr() -> str | None:
    """Returns the folder that holds the library pxr, without importing it: an installed one's,
    else the one in Blender's own folder; None where there is none. The current folder, which may be
    a stranger's, is not looked into."""
    known = [each for each in sys.path if each]
    with suppress(ImportError, ValueError):
        found = PathFinder.find_spec("pxr", known)
        if found is not None and found.submodule_search_locations:
            return os.path.dirname(os.path.abspath(next(iter(found.submodule_search_locations))))
        found = PathFinder.find_spec("bpy", known)
        for place in (found.submodule_search_locations or ()) if found else ():
            for inner in ("*/python/lib/python3.*/site-packages", "*/python/lib/site-packages"):
                for folder in sorted(Path(place).glob(f"{inner}/pxr")):
                    return str(folder.parent)
    return None


class _Child:
    """One reading. `source` is the path as messages name it."""

    def __init__(self, source: str, folder: Path, permit: Permit) -> None:
        self._source, self._folder, self._permit = source, folder, permit
        self._files: list[str] = []
        self._is_late = False

    def read(self, path: str, variants: Variants) -> UsdStage:
        place = find_pxr()
        if place is None or not sys.executable:
            raise self._refuse(
                "reading USD needs the library pxr, which this Python does not have: install it "
                "with `pip install 'urdf-importer[usd]'`, or use an official Blender, 4.5 or newer"
            )
        start = _START.format(paths=[str(_HERE), place])
        words, errors = self._folder / "stdout.txt", self._folder / "stderr.txt"
        with words.open("wb") as said, errors.open("wb") as complaints:
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", start, path, str(self._folder), json.dumps(variants)],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=complaints,
                cwd=self._folder,
                env=bare_environment(),
                start_new_session=os.name == "posix",
            )
        try:
            with words.open("rb") as said_so_far:
                is_done = self._talk(process, said_so_far)
        finally:
            end_process(process)
            with suppress(OSError):
                process.stdin.close() if process.stdin is not None else None
            process.wait()
        if not is_done:
            raise self._refuse(self._explain_end(process.returncode))
        return self._take(path)

    def _talk(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> bool:
        """Answers the child; whether it came to its end."""
        assert process.stdin is not None
        for line in self._listen(process, said):
            try:
                words = json.loads(line)
            except ValueError:
                return False  # Not the child's own words.
            if not isinstance(words, dict):
                continue
            if "refused" in words:
                raise self._refuse(one_line(words["refused"]))
            if "done" in words:
                return True
            asked = [str(each) for each in words.get("ask", ())]
            self._files += asked
            answers = [self._permit(each) for each in asked]
            with suppress(OSError):
                process.stdin.write(json.dumps(answers).encode() + b"\n")
                process.stdin.flush()
        return False

    def _take(self, path: str) -> UsdStage:
        arrays, described = self._folder / "arrays.bin", self._folder / "stage.json"
        if arrays.stat().st_size > _MOST_BYTES or described.stat().st_size > _MOST_BYTES_OF_TEXT:
            raise self._refuse("it is too big for a robot")
        said = json.loads(described.read_bytes())
        try:
            return read_stage_data(path, said, arrays.read_bytes(), tuple(self._files))
        except ReadError as error:
            raise self._refuse(error.message) from None

    def _listen(self, process: subprocess.Popen[bytes], said: IO[bytes]) -> Iterator[bytes]:
        """Yields the lines of the child as they come, until it ends or its time is over."""
        last, line = time.monotonic() + SECONDS, b""
        while True:
            has_ended = process.poll() is not None  # Asked first: nothing comes behind the end.
            while part := said.readline():
                line += part
                if line.endswith(b"\n"):
                    yield line
                    line = b""
            self._is_late = not has_ended and time.monotonic() > last
            if has_ended or self._is_late:
                return
            time.sleep(_PAUSE)

    def _explain_end(self, status: int | None) -> str:
        if self._is_late:
            return f"reading it takes longer than {SECONDS:.0f} seconds"
        stop = "the process that reads the stage was stopped"
        if status is not None and status < 0:
            with suppress(ValueError):
                name = signal.Signals(-status).name
                if name in ("SIGXCPU", "SIGKILL"):
                    return f"{stop}: it needs more time or memory than a stage may have ({name})"
                return f"{stop}: the library pxr crashes on it ({name})"
        with (self._folder / "stderr.txt").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST_BYTES_OF_LINE))
            lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return f"{stop}: {one_line(lines[-1]) if lines else 'it gives no reason'}"

    def _refuse(self, reason: str) -> ReadError:
        return ReadError(reason, source=self._source)


def end_process(process: subprocess.Popen[bytes]) -> None:
    """Ends the process at once, if it still runs, and its children."""
    if process.poll() is None:
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        with suppress(OSError):
            process.kill()


def bare_environment() -> dict[str, str]:
    """Returns the variables of the child: no variable that makes pxr load plugins or look
    elsewhere.
    """
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith(("PXR_", "PYTHON", "USD", "TF_", "AR_"))
    }
    # Each thread of a library takes memory out of the bound, be it used or not.
    return {**bare, "PXR_WORK_THREAD_LIMIT": "1", "OPENBLAS_NUM_THREADS": "1"}
