# SPDX-License-Identifier: GPL-3.0-or-later
"""SRDF files of others, from the package example-robot-data."""

from functools import cache
from pathlib import Path

from support.real_robots import ROOT
from urdf_importer import Diagnostics, Semantics
from urdf_importer.formats.srdf.read.semantics import read_srdf_text


def read_text(text: bytes) -> Semantics:
    """What an SRDF says, of no robot."""
    return read_srdf_text(text, None, "some.srdf", Diagnostics())


@cache
def real_files() -> list[tuple[Path, Path]]:
    """SRDF files with the description of the same robot."""
    found = []
    for path in sorted(ROOT.rglob("*.srdf")):
        name = read_text(path.read_bytes()).name
        beside = [path.parents[1] / "urdf", path.parents[1] / "robots", path.parents[1]]
        for folder in beside:
            stems = (path.stem, name, path.stem.removesuffix("_manipulation"), f"{name}_robot")
            places = [folder / f"{stem}.urdf" for stem in stems]
            urdf = next((place for place in places if place.is_file()), None)
            if urdf is not None:
                found.append((path, urdf))
                break
    assert len(found) > 15
    return found
