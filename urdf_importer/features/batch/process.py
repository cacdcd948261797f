# SPDX-License-Identifier: GPL-3.0-or-later
"""A child process, from outside: started, fed, watched, killed."""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from ...core.diagnostics import BuildError, advise_blender
from .child import MARK
from .task import Task, pack_task

_ROOT = Path(__file__).parents[3]
_SECONDS_TO_START = 120.0
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_MIB = 1024 * 1024
Message = Mapping[str, Any]


class StartError(BuildError):
    """A child died before it was ready; another one may not."""


class Child:
    """One process that holds Blender. It has its own session, so that Ctrl-C does not reach it, and
    whatever it starts goes with it."""

    def __init__(self) -> None:
        self.robots = 0
        self.resting_mib = 0.0
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        with tempfile.TemporaryFile() as said:
            self._process = subprocess.Popen(
                _command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=_environment(),
                start_new_session=os.name == "posix",
            )
            self._listener = threading.Thread(target=self._listen, daemon=True)
            self._listener.start()
            try:
                self._await_start(said)
            except BaseException:
                self.kill()
                raise

    @property
    def exit_status(self) -> int | None:
        """As Popen says it: negative for a signal, None while it runs."""
        return self._process.poll()

    def send(self, task: Task) -> None:
        """Gives the child its next task; a dead child is noticed when it is listened to."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(pack_task(task))
            self._process.stdin.flush()
        self.robots += 1

    def receive(self, seconds: float) -> Message | None:
        """Returns the next message. Raises queue.Empty where none comes in so many seconds,
        EOFError where the child has ended."""
        message = self._messages.get(timeout=max(0.0, seconds))
        if message is None:
            self._messages.put(None)
            self._process.wait()
            raise EOFError
        return message

    def kill(self) -> None:
        """Ends the process and all that it started, at once, whatever they do."""
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif os.name == "nt":  # A launcher's Blender would live on.
            # By its whole path: Windows looks for programs in the current folder, too.
            program = os.path.join(os.environ["SYSTEMROOT"], "System32", "taskkill.exe")
            kill = [program, "/T", "/F", "/PID", str(self._process.pid)]
            subprocess.run(kill, capture_output=True, check=False)
        with suppress(OSError):
            self._process.kill()
        self.close()

    def close(self) -> None:
        """Lets the child end, which it does when it is through with its robot."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        self._process.wait()
        self._listener.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def measure_mib(self) -> float:
        """Measures the memory that the process has now, in MiB; 0 where nothing tells."""
        return measure_mib(self._process.pid)

    def _await_start(self, said: BinaryIO) -> None:
        try:
            message = self.receive(_SECONDS_TO_START)
        except (EOFError, queue.Empty):
            said.seek(0)
            lines = said.read()[-4000:].decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else "it gave no reason"
            raise StartError(f"the process for Blender does not start: {reason}") from None
        if message is None or not message.get("ready"):
            trouble = (message or {}).get("trouble", "")
            raise BuildError(
                f"a batch needs Blender, which this Python does not have ({trouble}): "
                f"{advise_blender()}"
            )

    def _listen(self) -> None:
        """Turns the child's output into messages; in a thread of its own."""
        assert self._process.stdout is not None
        stream = self._process.stdout
        try:
            if any(line.endswith(MARK) for line in stream):  # Blender's own output comes before.
                for line in stream:
                    self._messages.put(json.loads(line))
        except ValueError:
            # A line that broke off: the child is dead, or it will be taken for dead.
            pass
        self._messages.put(None)


def _command() -> list[str]:
    """Returns how to start a child: a Blender program starts itself again."""
    bpy = sys.modules.get("bpy")
    if bpy is not None and bpy.app.binary_path:
        script = Path(__file__).parents[2] / "headless.py"
        return [
            *(bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1"),
            *("-P", str(script), "--", "batch-child"),
        ]
    # Without -P the modules of the current folder, which may be a stranger's, go first.
    return [sys.executable, "-P", "-m", f"{__package__}.child"]


def _environment() -> dict[str, str]:
    """Returns the variables of a child, which finds the same files as this process, except the
    scripts that a Blender in this process has put on its path."""
    paths = [os.path.abspath(each) for each in (str(_ROOT), *sys.path) if each]
    modules = [Path(each) for each in paths if os.path.basename(each) == "modules"]
    scripts = [each.parent for each in modules if (each / "bpy").is_dir()]
    paths = [each for each in paths if not any(Path(each).is_relative_to(p) for p in scripts)]
    own = {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}
    return {**os.environ, **own, "PYTHONUNBUFFERED": "1"}


def measure_mib(pid: int) -> float:
    """Measures the memory of a process, in MiB; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE / _MIB
    except (OSError, ValueError, IndexError):
        return _ask_ps(pid) if sys.platform == "darwin" else 0.0


def _ask_ps(pid: int) -> float:
    done = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return int(done.stdout.strip() or 0) / 1024 if done.stdout.strip().isdigit() else 0.0
