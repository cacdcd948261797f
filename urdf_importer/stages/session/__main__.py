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
        # pxr's own errors: several lines, the first one with the place in its source.
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        say({"refused": f"pxr cannot open it: {lines[-1] if lines else 'it gives no reason'}"})
    else:
        say({"done": True})
    channel.flush()
    os._exit(0)  # Taking a big stage apart takes time, and may crash.


def _bound() -> None:
    """Bounds memory and time where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if sys.platform == "linux":  # macOS refuses or ignores it.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main(*sys.argv[1:])
