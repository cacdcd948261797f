# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes are the same ones without numpy-stl and pycollada, which the extension does without."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.mesh_files import load_all_of
from support.paths import ROOT
from support.real_robots import ROOT as REAL_ROBOTS
from urdf_importer.core.meshes.collada.number_reader import NumberReader

LIBRARIES = ("stl", "stl.base", "collada", "collada.source")
SUFFIXES = (".stl", ".dae")


def mesh_files(*folders: Path) -> list[Path]:
    return sorted(
        path for each in folders for path in each.rglob("*") if path.suffix.lower() in SUFFIXES
    )


SAMPLES = mesh_files(ROOT / "sample_urdfs", ROOT / "tests" / "data")
REAL = mesh_files(REAL_ROBOTS)


def block(patch: pytest.MonkeyPatch) -> None:
    for name in LIBRARIES:
        patch.setitem(sys.modules, name, None)


def check_same(path: Path) -> None:
    with_libraries = load_all_of(path)
    with pytest.MonkeyPatch.context() as patch:
        block(patch)
        assert load_all_of(path) == with_libraries


def test_there_are_samples_of_both_formats() -> None:
    assert {path.suffix.lower() for path in SAMPLES} == set(SUFFIXES)
    assert len(SAMPLES) > 50
    assert len(REAL) > 600


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_samples(path: Path) -> None:
    check_same(path)


@pytest.mark.parametrize("path", REAL[::40], ids=lambda path: path.name)
def test_some_files_of_real_robots(path: Path) -> None:
    check_same(path)


@pytest.mark.slow
def test_all_files_of_real_robots() -> None:
    for path in REAL:
        check_same(path)


WORDS = st.sampled_from(["1", "-2.5", "1e3", "1e-50", "1e400", "+.5", "7.", "x", "1_0", "-", "0x1"])
NAMES = st.sampled_from(["X", "Y", "Z", "S", "T", "P", "U", "V", None])


@given(st.lists(WORDS, max_size=12), st.lists(NAMES, max_size=4))
@example(["1", "2", "3"], ["S", "T", "P"])
@example(["1", "2"], ["U", "V"])
@example(["1", "2", "3"], [])
def test_numbers_are_read_as_by_pycollada(words: list[str], names: list[str | None]) -> None:
    source = ElementTree.Element("source", id="s")
    ElementTree.SubElement(source, "float_array").text = " ".join(words)
    technique = ElementTree.SubElement(source, "technique_common")
    accessor = ElementTree.SubElement(technique, "accessor")
    for name in names:
        ElementTree.SubElement(accessor, "param", {} if name is None else {"name": name})
    expected = NumberReader().read(source)
    with pytest.MonkeyPatch.context() as patch:
        block(patch)
        found = NumberReader().read(source)
    if expected is None or found is None:
        assert found is expected
    else:
        assert found.dtype == expected.dtype == np.float32
        assert found.shape == expected.shape
        assert found.tobytes() == expected.tobytes()
