# SPDX-License-Identifier: GPL-3.0-or-later
"""The conversation of the child: python -m session STAGE OUTPUT VARIANTS.

On stdout it says lines of JSON: {"ask": [path, ...]} for files that it wants to open, answered by
a line of as many texts, empty where it may and the reason otherwise; then {"done": true} when
OUTPUT (its folder) has stage.json and arrays.bin, or {"refused": sentence}.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .refusal import RefusedError

MEMORY = 4 * 2**30
SECONDS = 60
FILE = 2 * 2**30
"""Bytes: pxr may complain as long as it likes."""


def main(source: str, output: str, variants: str) -> None:
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # Libraries print too, and not lines of the conversation.
    _bound()

    def say(words: dict[str, Any]) -> None:
        channel.write(json.dumps(words) + "\n")
        channel.flush()

    def ask(paths: Sequence[str]) -> list[str]:
        say({"ask": list(paths)})
        answers: list[str] = json.loads(sys.stdin.readline())
        return answers

    try:
        from .gate import pass_files
        from .stage import describe_stage

        missing = pass_files(source, ask)
        describe_stage(source, dict(json.loads(variants)), Path(output), missing)
    except RefusedError as refusal:
        say({"refused": str(refusal)})
    except ImportError as error:
        say({"refused": f"the library pxr cannot be used here: {error}"})
    except MemoryError:
        say({"refused": "it needs more memory than a stage may have"})
    except RuntimeError as error:
        say({"refused": f"pxr cannot open it: {_tell(error, source)}"})
    else:
        say({"done": True})
    channel.flush()
    os._exit(0)  # Taking a big stage apart takes time, and may crash.


def _tell(error: RuntimeError, source: str) -> str:
    """Returns the first error in the words of pxr, without the place in its own source; the stage's
    path is in the sentence already."""
    said = " ".join(str(error).split())
    if said.startswith("Error in "):
        said = said.partition(" : '")[2].partition("' Error in ")[0].rstrip("'").strip()
    for shown in (f"<{source}>", f"@{source}@", source):
        said = said.replace(shown, os.path.basename(source))
    return said or "it gives no reason"


def _bound() -> None:
    """Bounds memory and time where the system can; a bound that is there already stays if it is
    lower, since only root can raise it."""
    try:
        import resource
    except ImportError:
        return
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: SECONDS,
        resource.RLIMIT_FSIZE: FILE,
    }
    if sys.platform == "linux":  # macOS refuses or ignores it.
        bounds[resource.RLIMIT_AS] = MEMORY
    for kind, most in bounds.items():
        given = [each for each in resource.getrlimit(kind) if each != resource.RLIM_INFINITY]
        least = min([most, *given])
        resource.setrlimit(kind, (least, least))


if __name__ == "__main__":
    main(*sys.argv[1:])
