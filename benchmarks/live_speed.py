# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a poll of a live link takes: one message of 30 joints, and 3,000 that wait.

    python benchmarks/live_speed.py

In CPU time, without Blender: what a scene takes to be drawn again comes on top.
"""

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.live_server import TEXT, frame, joint_state  # noqa: E402
from support.scripted_stream import Scripted, connect_to  # noqa: E402
from urdf_importer.features.live.arrivals import Newest, Recording  # noqa: E402

JOINTS = [f"joint_{index}" for index in range(30)]
WAITING = 3_000


def message(number: int) -> bytes:
    """A JointState as rosbridge sends it."""
    places = {name: 0.1 * number + index for index, name in enumerate(JOINTS)}
    state = joint_state(places, 1 + number / 100) | {"velocity": [0.1] * len(JOINTS)}
    words = {"op": "publish", "topic": "/joint_states", "msg": state}
    return frame(TEXT, json.dumps(words).encode())


def measure(pieces: list[Any], polls: int) -> list[float]:
    """The milliseconds of each poll, with showing and recording, until all is read."""
    stream = Scripted([])
    link = connect_to(stream, clock=time.process_time)
    newest, recording, taken = Newest(), Recording(), []
    for _ in range(4):
        link.poll()
    stream.pieces = pieces
    while stream.pieces or len(taken) < polls:
        began = time.process_time()
        arrivals = link.poll()
        newest.update(arrivals)
        recording.add(arrivals)
        taken.append(1000 * (time.process_time() - began))
    return taken


def main() -> None:
    single = measure([each for i in range(500) for each in (message(i), None)], 500)
    data = b"".join(message(i) for i in range(WAITING))
    many = measure([data[at : at + 65536] for at in range(0, len(data), 65536)], 1)
    for what, taken in (("one message a poll", single), (f"{WAITING:,} messages waiting", many)):
        median, worst = statistics.median(taken), max(taken)
        print(f"{what}: median {median:.2f} ms, worst {worst:.2f} ms, {len(taken)} polls")


if __name__ == "__main__":
    main()
