# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch as a library of assets: each robot marked in its own .blend, catalogues by kinds of
robots in a file beside them, and the licence of each robot in its folder.

The file of catalogues is Blender's own format of text, version 1.
"""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ...core.command.jobs import build_robot, render, save
from ...core.command.report import Work
from ...core.command.summary import summarize_result
from ...core.command.task import BLEND, PICTURE, Task, TaskOutput
from ...core.diagnostics import ReadError, WriteError, quote_path
from ...core.files.outputs import replace_file, write_text
from ...core.files.regular import read_regular_file
from .kinds import KINDS, find_kind
from .licenses import find_licenses, read_package_license
from .records import BatchRecord

ASSET = "asset"
CATALOGS = "blender_assets.cats.txt"
_HEAD = "VERSION 1"
_MOST_BYTES = 1024 * 1024
"""Of a file of catalogues that is there already."""


def plan_asset(task: Any) -> Task:
    """Returns the work of making a robot's asset, and its picture where one is wanted."""
    outputs = (
        TaskOutput(path=task.file(BLEND[0]), suffixes=BLEND),
        TaskOutput(path=_place_picture(task), suffixes=PICTURE, argument="--preview"),
    )
    return Task(
        inputs=(task.input,),
        outputs=outputs,
        options=task,
        run=_make_asset,
        strict=task.wanted.strict,
    )


def _make_asset(task: Any, work: Work) -> None:
    wanted = task.wanted
    # A library moves from machine to machine: its files need no others.
    result = build_robot(task.input, replace(wanted.options, pack_textures=True), work)
    kind = find_kind(result.robot)
    source = result.robot.source or task.input
    licenses = find_licenses(source)
    license = read_package_license(source)
    if not licenses and not license:
        work.diagnostics.remark(
            "license-not-found",
            "no licence was found beside the robot or in its package: ask its makers before you "
            "share the asset",
        )
    work.facts = summarize_result(result) | {"kind": kind}
    work.hold()
    with work.clock("asset"):
        _mark(result.armature, kind, license, wanted.picture_samples)
    width, height = wanted.picture_size
    samples, picture = wanted.picture_samples, _place_picture(task)
    render(result.armature, picture, work, width=width, height=height, samples=samples)
    save(task.file(BLEND[0]), work)
    for name, data in licenses.items():
        with replace_file(task.folder / name) as temporary:
            temporary.write_bytes(data)
        work.add(task.folder / name)


def _place_picture(task: Any) -> Path | None:
    """Returns the file of a robot's picture; None where none is wanted."""
    return task.file(PICTURE[0]) if PICTURE[0] in task.wanted.suffixes else None


def _mark(armature: Any, kind: str, license: str, samples: int) -> None:
    from ..studio.blender.asset import mark_as_asset

    asset = mark_as_asset(armature, samples=samples).asset_data
    asset.catalog_id = _identify(kind)
    asset.license = license
    asset.tags.new(kind, skip_if_exists=True)
    # Objects of its own can be posed; a linked robot cannot. Blender 4 has no such wish.
    if hasattr(asset, "preferred_import_method"):
        asset.use_preferred_import_method, asset.preferred_import_method = True, "APPEND"


def write_catalogs(folder: Path, records: Iterable[BatchRecord]) -> None:
    """Writes the catalogues of all robots of `records` into the file of a library; the lines of
    others that are in it stay. Raises WriteError."""
    path = folder / CATALOGS
    found = {record.facts.get("kind") for record in records if record.status == "ok"}
    wanted = {_identify(kind): kind for kind in KINDS if kind in found}
    kept = _read_lines(path)
    for line in kept:
        wanted.pop(line.partition(":")[0].strip().lower(), None)
    if not wanted and path.exists():
        return
    head = [] if any(line.strip() == _HEAD for line in kept) else [_HEAD, ""]
    lines = [f"{each}:Robots/{kind}:Robots-{kind}" for each, kind in wanted.items()]
    write_text(path, "\n".join([*head, *kept, *lines, ""]))


def _read_lines(path: Path) -> list[str]:
    if not os.path.lexists(path):
        return []
    try:
        data = read_regular_file(str(path), most_bytes=_MOST_BYTES, called="list of catalogues")
        return data.decode("utf-8-sig").splitlines()
    except (ReadError, UnicodeDecodeError):
        raise WriteError(
            f"{quote_path(path)} cannot be read, so it is left as it is: move it away, or mend it"
        ) from None


def _identify(kind: str) -> str:
    """The same in each library: a robot that goes from one to another keeps its catalogue."""
    return str(uuid5(NAMESPACE_URL, f"urdf-importer:Robots/{kind}"))
