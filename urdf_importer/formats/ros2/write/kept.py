# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages that a person edits after they were written: nothing of theirs is overwritten.

Each package has a manifest of the digests of its files as they were written. A file that has its
digest still is ours and is replaced; any other is someone's and is kept.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....core.diagnostics import Diagnostics, ReadError, WriteError, quote, quote_path
from ....core.files.outputs import list_files, refuse_failure
from ....core.files.regular import read_regular_file

MANIFEST = ".urdf-importer.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted:
    """The files of packages, as paths in their folder: `files` have the content of this export,
    `kept` have a person's."""

    files: tuple[str, ...]
    kept: tuple[str, ...]


def refuse_others(home: Path, packages: Iterable[str]) -> None:
    """Raises WriteError where a package is there that was not made by an export."""
    for package in packages:
        folder = home / package
        if folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file():
            raise WriteError(
                f"the folder holds a package {quote(package)} that this export did not make; "
                "choose another name or folder"
            )
        _read_manifest(folder)


def sift(new: Path, home: Path, packages: Iterable[str], diagnostics: Diagnostics) -> Sifted:
    """Leaves in the folder `new`, which holds complete packages, only the files that must be
    written to `home`, and adds the manifests. Reports files of others, and files that are no longer
    part of the packages. Raises WriteError for a manifest that cannot be read."""
    files: list[str] = []
    kept: list[str] = []
    for package in packages:
        source, place = new / package, home / package
        before = _read_manifest(place)
        made = {each.relative_to(source).as_posix(): _digest(each) for each in list_files(source)}
        there = {path: _digest(place / path) for path in made if (place / path).is_file()}
        edited = [path for path in there if there[path] not in (made[path], before.get(path))]
        unknown = sorted(before.keys() - made.keys())
        stale = [path for path in unknown if (place / path).is_file()]
        for path, digest in there.items():
            if path in edited or digest == made[path]:
                (source / path).unlink()
        known = {path: before[path] for path in (*edited, *stale) if path in before}
        ours = {path: digest for path, digest in made.items() if path not in edited}
        _write_manifest(source, place, ours | known)
        _report_stale(package, stale, diagnostics)
        files += [f"{package}/{path}" for path in (*ours, MANIFEST)]
        kept += [f"{package}/{path}" for path in edited]
    for path in kept:
        diagnostics.warning(
            "edited-file-kept",
            f"{quote(path)} was edited and is kept; delete it to get a new one",
            subject=path,
        )
    _remove_empty(new)
    return Sifted(files=tuple(sorted(files)), kept=tuple(kept))


def report_unwritten(home: Path, package: str, diagnostics: Diagnostics) -> None:
    """Reports the files of a package that an earlier export wrote to `home`, and this one does
    not."""
    before = sorted(_read_manifest(home / package))
    stale = (path for path in before if (home / package / path).is_file())
    _report_stale(package, stale, diagnostics)


def _report_stale(package: str, stale: Iterable[str], diagnostics: Diagnostics) -> None:
    for path in stale:
        diagnostics.warning(
            "stale-file",
            f"{quote(f'{package}/{path}')} was written before and is no longer part of the robot; "
            "it stays there",
            subject=f"{package}/{path}",
        )


def _digest(path: Path) -> str:
    with refuse_failure(path, "read"), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_manifest(folder: Path) -> dict[str, str]:
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        content: Any = json.loads(read_regular_file(str(path)))
        return {str(key): str(value) for key, value in content["files"].items()}
    except (ReadError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise WriteError(
            f"{quote_path(path)} cannot be read, so it is not known which files were edited; put "
            "it back, or choose another name or folder"
        ) from None


def _write_manifest(new: Path, home: Path, files: Mapping[str, str]) -> None:
    text = json.dumps({"files": files}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    data, place = text.encode(), home / MANIFEST
    if not place.is_file() or place.read_bytes() != data:
        (new / MANIFEST).write_bytes(data)


def _remove_empty(folder: Path) -> None:
    for each in sorted(folder.rglob("*"), reverse=True):
        if each.is_dir() and not any(each.iterdir()):
            each.rmdir()
