# SPDX-License-Identifier: GPL-3.0-or-later
"""The process that holds Blender and works on robots in turn.

    python -m urdf_importer.features.batch.child
    blender -b --factory-startup -P urdf_importer/headless.py -- batch-child

Tasks come as lines on standard input; messages go as lines of JSON to standard output, behind a
mark: Blender itself writes there before this program begins. It ends when its input ends, so that
no child outlives the supervisor for long.
"""

import json
import os
import sys
from typing import Any, BinaryIO

from ...core.diagnostics import RobotError

MARK = b"\x1e urdf-importer batch \x1e\n"


def main() -> int:
    """Works until standard input ends; returns the exit status."""
    incoming, outgoing = _take_streams()
    outgoing.write(MARK)
    trouble = _load_blender()
    _send(outgoing, {"ready": not trouble, "trouble": trouble})
    if trouble:
        return 1
    kept: dict[Any, Any] = {}
    for line in incoming:
        if line.endswith(b"\n"):  # Else the supervisor died in the midst of it.
            _send(outgoing, _work(line, outgoing, kept))
    return 0


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Returns the original standard input and output. Whatever Blender writes goes to standard
    error from here on, and nothing but this program reads from the input."""
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0)


def _load_blender() -> str:
    """Returns why there is no Blender; empty where there is one."""
    try:
        from ...core.blender.save import new_file

        new_file()
    except ImportError as error:
        return str(error)
    return ""


def _work(line: bytes, outgoing: BinaryIO, kept: dict[Any, Any]) -> dict[str, Any]:
    from .task import DiskError, unpack_task

    def say_stage(stage: str) -> None:
        _send(outgoing, {"stage": stage})

    try:
        task = unpack_task(line)
    except (AttributeError, ImportError) as error:
        # The program that began the batch has a class of options for itself.
        return {"done": {"status": "failed", "error": f"the task cannot be read: {error}"}}
    try:
        return {"done": task.work(say_stage, kept)}
    except DiskError as error:
        return {"disk": error.message}
    except RobotError as error:
        return {"done": {"status": "failed", "error": str(error)}}
    except MemoryError:
        return {"done": {"status": "memory", "error": "there was not enough memory"}}


def _send(outgoing: BinaryIO, message: dict[str, Any]) -> None:
    outgoing.write(json.dumps(message).encode("ascii") + b"\n")


if __name__ == "__main__":
    sys.exit(main())
