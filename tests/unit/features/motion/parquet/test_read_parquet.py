# SPDX-License-Identifier: GPL-3.0-or-later
"""Parquet by NumPy alone, beside pyarrow."""

import itertools
import tracemalloc

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer import ReadError
from urdf_importer.features.motion.parquet.reading import open_parquet


def table_of(rows=700, width=6, seed=1):
    rng = np.random.default_rng(seed)
    state = rng.normal(size=(rows, width)).astype(np.float32)
    return pyarrow.table({
        "state": pyarrow.array(list(state)),
        "fixed": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(state.ravel()), width),
        "large": pyarrow.array([row.tolist() for row in state],
                               type=pyarrow.large_list(pyarrow.float64())),
        "timestamp": pyarrow.array((np.arange(rows) / 30).astype(np.float32)),
        "episode_index": pyarrow.array(np.repeat(np.arange(rows // 100), 100)[:rows]),
        "gaps": pyarrow.array([None if row % 7 == 3 else float(row) for row in range(rows)]),
        "done": pyarrow.array([row % 5 == 0 for row in range(rows)]),
        "text": pyarrow.array([f"task {row % 3}" for row in range(rows)]),
        "tasks": pyarrow.array([["a", "b"][: row % 3] for row in range(rows)]),
        "when": pyarrow.array(np.arange(rows) * 10**6, type=pyarrow.timestamp("ns")),
    })  # fmt: skip


def assert_equal(path, table):
    with open_parquet(str(path)) as file:
        assert file.rows == len(table)
        assert file.names == tuple(table.column_names)
        for name in ("state", "fixed", "large"):
            wanted = np.array(table[name].to_pylist())
            assert np.array_equal(file.read(name).matrix(name), wanted)
        for name in ("timestamp", "episode_index", "gaps"):
            wanted = table[name].to_numpy()
            found = file.read(name).values
            assert np.array_equal(found, wanted, equal_nan=True), name
        assert file.read("done").values.tolist() == table["done"].to_pylist()
        assert file.read("text").values == table["text"].to_pylist()
        tasks = file.read("tasks")
        assert tasks.counts.tolist() == [len(each) for each in table["tasks"].to_pylist()]
        assert tasks.values == list(itertools.chain(*table["tasks"].to_pylist()))
        assert file.read("when").unit == "ns"
        assert np.array_equal(file.read("when").values, np.arange(len(table)) * 10**6)


@pytest.mark.parametrize("codec", ["snappy", "none", "zstd", "gzip"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"use_dictionary": False},
        {"row_group_size": 90},
        {"data_page_size": 300, "write_batch_size": 16},
        {"use_dictionary": False, "use_byte_stream_split": ["timestamp", "gaps"]},
        {"version": "1.0", "store_schema": False},
    ],
)
def test_every_mix_of_options_is_equal_to_pyarrow(tmp_path, codec, version, more):
    table = table_of()
    if "version" in more:
        table = table.set_column(9, "when", pyarrow.array(np.arange(700) * 10**6))
        path = tmp_path / "a.parquet"
        pyarrow.parquet.write_table(table, path, compression=codec, data_page_version=version,
                                    **more)  # fmt: skip
        with open_parquet(str(path)) as file:
            assert np.array_equal(
                file.read("state").matrix("state"), np.array(table["state"].to_pylist())
            )
        return
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(table, path, compression=codec, data_page_version=version, **more)
    assert_equal(path, table)


@settings(max_examples=40, deadline=None)
@given(
    columns=st.lists(
        st.lists(st.one_of(st.none(), st.lists(st.one_of(st.none(), st.floats()), max_size=5)),
                 min_size=3, max_size=3),
        min_size=1, max_size=3,
    )
)  # fmt: skip
def test_lists_of_any_lengths_with_gaps(tmp_path_factory, columns):
    path = tmp_path_factory.mktemp("p") / "a.parquet"
    kind = pyarrow.list_(pyarrow.float64())
    table = pyarrow.table({str(at): pyarrow.array(column, type=kind)
                           for at, column in enumerate(columns)})  # fmt: skip
    pyarrow.parquet.write_table(table, path)
    with open_parquet(str(path)) as file:
        for at, column in enumerate(columns):
            found = file.read(str(at))
            assert found.counts.tolist() == [len(each or ()) for each in column]
            flat = [np.nan if v is None else v for each in column for v in each or ()]
            assert np.array_equal(found.values, np.array(flat, float), equal_nan=True)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"compression": "brotli"}, "packed by brotli"),
        ({"compression": "lz4"}, "packed by LZ4"),
        ({"use_dictionary": False, "column_encoding": {"n": "DELTA_BINARY_PACKED"}},
         "encoded as DELTA_BINARY_PACKED"),
    ],
)  # fmt: skip
def test_other_codings_are_refused_by_name(tmp_path, options, message):
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"n": np.arange(2000)})
    pyarrow.parquet.write_table(table, path, **options)
    with pytest.raises(ReadError, match=message), open_parquet(str(path)) as file:
        file.read("n")


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(table_of(), path)
    data = path.read_bytes()
    for size in (0, 3, 11, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(ReadError, match="end is missing"), open_parquet(str(path)):
            pass


def test_a_small_file_states_no_endless_memory(tmp_path):
    """A page of one run is a few bytes for millions of values, and a dictionary one long text."""
    path, rows = tmp_path / "a.parquet", 20_000
    places = pyarrow.array(np.zeros(rows, np.int32))
    text = pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(["x" * 100_000]))
    table = pyarrow.table({"time": np.arange(rows) / 100, "q": np.zeros(rows), "note": text})
    pyarrow.parquet.write_table(table, path, compression="zstd")
    tracemalloc.start()
    with open_parquet(str(path)) as file:
        assert [name for name in file.names if file.holds_numbers(name)] == ["time", "q"]
        assert len(set(map(id, file.read("note").values))) == 1
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    rows = 5_000_000
    ones = pyarrow.array(np.ones(rows))
    table = pyarrow.table({f"j{number}": ones for number in range(20)})
    pyarrow.parquet.write_table(table, path, compression="zstd", row_group_size=rows)
    assert path.stat().st_size < 1_000_000
    tracemalloc.reset_peak()
    with pytest.raises(ReadError, match="too long to be read"), open_parquet(str(path)) as file:
        for name in file.names:
            file.read(name)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000_000
    tracemalloc.stop()


def test_lists_of_two_lengths_and_structs_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"x": [[1.0, 2.0], [1.0]], "s": [{"a": 1, "b": 2}] * 2})
    pyarrow.parquet.write_table(table, path)
    with open_parquet(str(path)) as file:
        with pytest.raises(ReadError, match="lists of 'x' have 1 to 2 numbers"):
            file.read("x").matrix("x")
        with pytest.raises(ReadError, match="column 's' has no numbers"):
            file.read("s")
        with pytest.raises(ReadError, match="no column 'y'"):
            file.read("y")
