# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files a stage consists of, found layer by layer before anything is composed."""

import os
import stat
from collections.abc import Callable, Sequence
from typing import Any

from .refusal import RefusedError

MOST_LAYERS = 1000
Ask = Callable[[Sequence[str]], list[str]]


def pass_files(source: str, ask: Ask) -> list[str]:
    """Opens all layers of a stage, each when `ask` allows it, and returns the names of layers that
    are not there. Raises RefusedError for a file that may not be read."""
    missing: dict[str, None] = {}
    opened: list[object] = []  # So that none is read twice.
    seen, waiting = {source}, [source]
    allowed: set[str] = {source}
    while waiting:
        found = [each for layer in waiting for each in _list_layers(layer, missing, opened)]
        waiting = [each for each in dict.fromkeys(found) if each not in seen]
        seen.update(waiting)
        if len(seen) > MOST_LAYERS:
            raise RefusedError(f"it consists of more than {MOST_LAYERS} files")
        files = dict.fromkeys(map(_file_of, waiting))
        asked = [each for each in files if each not in allowed]
        for path, reason in zip(asked, ask(asked) if asked else (), strict=True):
            if reason:
                raise RefusedError(reason)
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise RefusedError(f"{path!r} is not a regular file")
        allowed.update(asked)
    return list(missing)


def _list_layers(path: str, missing: dict[str, None], opened: list[object]) -> list[str]:
    """Lists the layers that one layer names, whether or not they are shown: all variants, and
    values that are names of stages, count."""
    from pxr import Sdf, UsdUtils

    if os.path.isfile(path) and not os.path.getsize(path):
        raise RefusedError(f"{os.path.basename(path)!r} is empty")
    layer = Sdf.Layer.FindOrOpen(path)
    if layer is None:
        raise RefusedError(f"{_shorten(path)!r} is not a file of USD that can be read")
    opened.append(layer)
    # Variables of outer layers count when the stage is composed, so the layer alone does not say
    # which files are opened.
    if layer.HasExpressionVariables() or any("`" in each for each in _list_names(layer)):
        raise RefusedError(f"{_shorten(path)!r} works out names of files, which is not done")
    found = []
    for names in UsdUtils.ExtractExternalReferences(path):
        for name in names:
            plain = Sdf.Layer.SplitIdentifier(name)[0]
            suffix = Sdf.FileFormat.GetFileExtension(plain)
            if suffix and Sdf.FileFormat.FindByExtension(suffix) is not None:
                found += _resolve(layer, plain, missing)
    return found


def _list_names(layer: Any) -> list[str]:
    names: list[str] = layer.GetCompositionAssetDependencies()
    return names


def _resolve(layer: object, name: str, missing: dict[str, None]) -> list[str]:
    from pxr import Ar, Sdf

    anchored = Sdf.ComputeAssetPathRelativeToLayer(layer, name)
    resolved = str(Ar.GetResolver().Resolve(anchored))
    if not resolved:
        missing[name] = None
        return [anchored] if os.path.exists(_file_of(anchored)) else []
    return [resolved]


def _shorten(path: str) -> str:
    """Returns a path as messages show it: the file's name, an archive's with the member's path."""
    archive, bracket, member = path.partition("[")
    return os.path.basename(archive) + bracket + member


def _file_of(path: str) -> str:
    """The file on disk: an archive's, of a layer within one."""
    from pxr import Ar

    inside = Ar.IsPackageRelativePath(path)
    return os.path.abspath(Ar.SplitPackageRelativePathOuter(path)[0] if inside else path)
