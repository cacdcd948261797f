# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of a robot are, and what is in its meshes."""

from functools import partial
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostics
from ..files.packages import AnyPath, FileKind, PackageResolver
from ..meshes import KnownFiles, load_geometry
from ..model import Geometry
from ..options import FileOptions, ImportOptions


def find_files(path: AnyPath, options: ImportOptions | FileOptions) -> PackageResolver:
    return PackageResolver(str(path), options.packages, options.package_paths)


def load_shape(
    resolver: PackageResolver,
    known: KnownFiles,
    geometry: Geometry,
    diagnostics: Diagnostics,
    subject: str,
    line: int,
) -> Any:
    report = partial(diagnostics.warning, subject=subject, line=line)

    def resolve_beside(mesh: Path, uri: str, kind: FileKind) -> Path:
        return resolver.resolve_file(uri, report, kind=kind, base=mesh.parent)

    resolve = partial(resolver.resolve_file, report=report)
    return load_geometry(geometry, resolve, report, resolve_beside, known)


def resolve_texture(
    resolver: PackageResolver, uri: str, diagnostics: Diagnostics, subject: str, line: int
) -> Path:
    report = partial(diagnostics.warning, subject=subject, line=line)
    return resolver.resolve_file(uri, report, kind="texture")
