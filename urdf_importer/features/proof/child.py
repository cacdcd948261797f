# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers outside of this process, which may crash, freeze or eat memory without harm: libraries in
a Python of their own, and programs on PATH."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import Any

from ...core.diagnostics import one_line
from ...formats.usd.stages.process import bare_environment, end_process

_OUTSIDE = str(Path(__file__).with_name("outside.py"))
_START = """import runpy, sys
script, kind, answer, *sys.path[:0] = sys.argv[1:]
sys.argv[:] = [script, kind, answer]
runpy.run_path(script, run_name="__main__")
"""
_MOST_BYTES = 256 * 2**20
_MOST_BYTES_OF_TEXT = 4 * 2**20


class AbsentReader(Exception):
    """A reader that is not installed, or did not come to an end."""


def ask_library(
    name: str, question: Mapping[str, Any], paths: Sequence[str], seconds: float
) -> dict[str, Any]:
    """Returns the answer of a library to a question, as outside.py describes them. `paths` are
    folders with modules. Raises AbsentReader where it crashes or needs more than so many
    seconds."""
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        answer = Path(folder, "answer.json")
        command = [_find_python(), "-I", "-c", _START, _OUTSIDE, name, str(answer), *paths]
        status, said = _run(command, folder, json.dumps(question), seconds)
        if status != 0 or not answer.is_file() or answer.stat().st_size > _MOST_BYTES:
            raise AbsentReader(f"it is stopped: {_explain(status, said)}")
        found: dict[str, Any] = json.loads(answer.read_bytes())
    if "absent" in found:
        raise AbsentReader(one_line(found["absent"]))
    return found


def run_program(program: str, arguments: Sequence[str], seconds: float) -> tuple[int, str]:
    """Runs a program by its path and returns its exit status and its words. Raises AbsentReader
    where it crashes or needs more than so many seconds."""
    command = [program, *arguments]
    if os.name == "posix":
        command = [_find_python(), "-I", _OUTSIDE, "run", *command]
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        status, said = _run(command, folder, "", seconds)
    if status < 0:
        raise AbsentReader(f"it is stopped: {_explain(status, said)}")
    return status, said


def find_program(*names: str) -> str | None:
    """Returns the path of the first of these programs that is on PATH, without the current folder,
    which may be a stranger's."""
    for name in names:
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            if os.path.isabs(folder) and (found := which(os.path.join(folder, name))):
                return found
    return None


def _find_python() -> str:
    if not sys.executable:
        raise AbsentReader("there is no Python to start it with")
    return sys.executable


def _run(command: Sequence[str], folder: str, words: str, seconds: float) -> tuple[int, str]:
    """Returns exit status and words of a process that lives in a folder; it goes with all that it
    started."""
    asked, place = Path(folder, "question.json"), Path(folder, "words.txt")
    asked.write_text(words, encoding="utf-8")
    with asked.open("rb") as given, place.open("wb") as said:
        try:
            process = subprocess.Popen(
                command, stdin=given, stdout=said, stderr=subprocess.STDOUT, cwd=folder,
                env=bare_environment(), start_new_session=os.name == "posix",
            )  # fmt: skip
        except OSError as error:
            raise AbsentReader(f"it does not start: {error.strerror}") from None
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AbsentReader(f"it takes longer than {seconds:g} seconds") from None
        finally:
            end_process(process)
            process.wait()
    with place.open("rb") as file:
        return process.returncode, file.read(_MOST_BYTES_OF_TEXT).decode("utf-8", "replace")


def _explain(status: int, said: str) -> str:
    if status < 0:
        with suppress(ValueError):
            return f"it crashes ({signal.Signals(-status).name})"
    lines = said.strip().splitlines()
    return one_line(lines[-1]) if lines else "it gives no reason"
