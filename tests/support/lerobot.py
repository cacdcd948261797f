# SPDX-License-Identifier: GPL-3.0-or-later
"""Datasets as LeRobot writes them, by pyarrow."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet

MOTORS = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll", "gripper")
PATHS = {
    "v3.0": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
    "v2.1": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
}


def make_states(episodes: int = 3, frames: int = 40, width: int = 6) -> list[Any]:
    rng = np.random.default_rng(4)
    walks = rng.normal(size=(episodes, frames, width)).cumsum(axis=1)
    return [np.clip(5.0 * walk, -90.0, 90.0).astype(np.float32) for walk in walks]


def _table(state: Any, number: int, first: int) -> Any:
    count, width = state.shape
    flat = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(state.ravel()), width)
    action = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(-state.ravel()), width)
    return pyarrow.table({
        "observation.state": flat, "action": action,
        "timestamp": (np.arange(count) / 30).astype(np.float32), "frame_index": np.arange(count),
        "episode_index": np.full(count, number), "index": first + np.arange(count),
        "task_index": np.zeros(count, np.int64),
    })  # fmt: skip


def write_dataset(
    folder: Path, version: str = "v3.0", names: Any = None, given: Any = None, **changes: Any
) -> list[Any]:
    """Writes a dataset of a few episodes, two of them in one file where versions share files."""
    states: list[Any] = make_states() if given is None else list(given)
    named = [f"{motor}.pos" for motor in MOTORS] if names is None else names
    numbers = {"dtype": "float32", "shape": [states[0].shape[1]], "names": named}
    info = {"codebase_version": version, "fps": 30, "robot_type": "so101_follower",
            "total_episodes": len(states), "chunks_size": 1000,
            "data_path": PATHS.get(version, PATHS["v2.1"]),
            "features": {"observation.state": numbers, "action": numbers,
                         "observation.images.front": {"dtype": "video", "shape": [8, 8, 3]}},
            }  # fmt: skip
    (folder / "meta").mkdir(parents=True)
    (folder / "meta" / "info.json").write_text(json.dumps(info | changes))
    firsts = np.cumsum([0, *(len(state) for state in states)])
    tables = [_table(each, at, firsts[at]) for at, each in enumerate(states)]
    if version == "v3.0":
        (folder / "data/chunk-000").mkdir(parents=True)
        files = [0 if at < 2 else 1 for at in range(len(states))]
        for file in sorted(set(files)):
            own = [table for table, at in zip(tables, files, strict=True) if at == file]
            path = folder / f"data/chunk-000/file-{file:03d}.parquet"
            pyarrow.parquet.write_table(pyarrow.concat_tables(own), path)
        episodes = pyarrow.table({
            "episode_index": range(len(states)), "tasks": [["pick"]] * len(states),
            "length": [len(each) for each in states], "data/chunk_index": [0] * len(states),
            "data/file_index": files,
        })  # fmt: skip
        path = folder / "meta/episodes/chunk-000/file-000.parquet"
        path.parent.mkdir(parents=True)
        pyarrow.parquet.write_table(episodes, path)
        return states
    (folder / "data/chunk-000").mkdir(parents=True)
    rows = []
    for at, table in enumerate(tables):
        path = folder / f"data/chunk-000/episode_{at:06d}.parquet"
        pyarrow.parquet.write_table(table, path)
        rows.append(json.dumps({"episode_index": at, "tasks": ["pick"], "length": len(table)}))
    (folder / "meta/episodes.jsonl").write_text("\n".join(rows) + "\n")
    return states
