# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the CPU seconds of a million rows of six joints, as Parquet and as CSV, beside pandas; and
of 300 episodes written. Run as `python benchmarks/datasets.py`; it needs the group `suite`."""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from urdf_importer import Episode, Trajectory, read_trajectory, write_episodes
from urdf_importer.features.motion.parquet.reading import open_parquet

ROWS = 1_000_000
SPENT: dict[str, float] = {}


def clock(what: str, work: Callable[[], Any]) -> Any:
    before = time.process_time()
    found = work()
    spent = time.process_time() - before
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{what:44} {spent:6.2f} s, at most {used} MB so far")
    SPENT[what] = spent
    return found


def read_parquet(path: Path) -> Any:
    with open_parquet(str(path)) as file:
        file.read("timestamp")
        file.read("episode_index")
        return file.read("observation.state").matrix("observation.state")


def main() -> None:
    rng = np.random.default_rng(0)
    state = rng.normal(size=(ROWS, 6)).astype(np.float32)
    lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(state.ravel()), 6)
    times = (np.arange(ROWS) / 30).astype(np.float32)
    table = pyarrow.table({
        "observation.state": lists, "timestamp": times,
        "episode_index": np.repeat(np.arange(ROWS // 1000), 1000),
    })  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for codec in ("none", "snappy", "zstd", "gzip"):
            path = folder / f"{codec}.parquet"
            pyarrow.parquet.write_table(table, path, compression=codec)
            found = clock(f"a million rows of Parquet, {codec}", lambda at=path: read_parquet(at))
            assert np.array_equal(found, state)
            clock("  pandas", lambda at=path: np.stack(
                pandas.read_parquet(at)["observation.state"].to_numpy()))  # fmt: skip
        path = folder / "t.csv"
        columns = {"time": np.arange(ROWS) / 100} | {f"j{n}": state[:, n] for n in range(6)}
        pandas.DataFrame(columns).to_csv(path, index=False)
        clock("a million rows of CSV", lambda: read_trajectory(path))
        clock("  pandas, CSV", lambda: pandas.read_csv(path))
        ratio = SPENT["a million rows of CSV"] / SPENT["  pandas, CSV"]
        print(f"  {ratio:.1f} times pandas")
        frames = np.arange(300) / 30
        names = tuple(f"j{n}" for n in range(6))
        motion = Trajectory(names=names, times=frames, positions=state[:300])
        episodes = [Episode(motion=motion, task="t")] * 300
        clock("300 episodes of 300 rows written", lambda: write_episodes(episodes, folder / "d"))


if __name__ == "__main__":
    main()
