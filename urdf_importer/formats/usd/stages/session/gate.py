# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files a stage consists of, found layer by layer before anything is composed."""

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from xml.parsers import expat

from .refusal import RefusedError

MOST_LAYERS = 1000
MOST_MATERIAL_BYTES = 16 * 2**20
Ask = Callable[[Sequence[str]], list[str]]


def pass_files(source: str, ask: Ask) -> list[str]:
    """Opens all layers of a stage, each when `ask` allows it, and returns the names of layers that
    are not there. Raises RefusedError for a file that may not be read."""
    gate = _Gate(source, ask)
    seen, waiting = {source}, [source]
    while waiting:
        found = [each for layer in waiting for each in gate.list_layers(layer)]
        waiting = [each for each in dict.fromkeys(found) if each not in seen]
        seen.update(waiting)
        if len(seen) > MOST_LAYERS:
            raise RefusedError(f"it consists of more than {MOST_LAYERS} files")
        gate.pass_all(map(_file_of, waiting))
    return list(gate.missing)


class _Gate:
    """Knows the files that may be read, and the names of layers that are not there."""

    def __init__(self, source: str, ask: Ask) -> None:
        self.missing: dict[str, None] = {}
        self._ask = ask
        self._allowed = {source}
        self._opened: list[object] = []  # So that none is read twice.

    def pass_all(self, paths: Iterable[str]) -> None:
        """Raises RefusedError where a file may not be read or is not a regular one."""
        asked = [each for each in dict.fromkeys(paths) if each not in self._allowed]
        for path, reason in zip(asked, self._ask(asked) if asked else (), strict=True):
            if reason:
                raise RefusedError(reason)
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise RefusedError(f"{path!r} is not a regular file")
        self._allowed.update(asked)

    def list_layers(self, path: str) -> list[str]:
        """Lists the layers that one layer names, whether or not they are shown: all variants, and
        values that are names of stages, count. Archives that any value names are judged here:
        looking for a member opens them."""
        from pxr import Ar, Sdf, UsdUtils

        if os.path.isfile(path) and not os.path.getsize(path):
            raise RefusedError(f"{os.path.basename(path)!r} is empty")
        if Sdf.FileFormat.GetFileExtension(path).lower() == "mtlx":
            check_materials(path)
        layer = Sdf.Layer.FindOrOpen(path)
        if layer is None:
            raise RefusedError(f"{_shorten(path)!r} is not a file of USD that can be read")
        self._opened.append(layer)
        if _has_templates(layer):
            raise _refuse_expressions(path)
        names = [each for kind in UsdUtils.ExtractExternalReferences(path) for each in kind]
        # Variables of outer layers count when the stage is composed, so the layer alone does not
        # say which files are opened.
        worked_out = any("`" in each for each in (*layer.GetCompositionAssetDependencies(), *names))
        if layer.HasExpressionVariables() or worked_out:
            raise _refuse_expressions(path)
        found = []
        for name in names:
            plain = Sdf.Layer.SplitIdentifier(name)[0]
            anchored = Sdf.ComputeAssetPathRelativeToLayer(layer, plain)
            if Ar.IsPackageRelativePath(anchored) and os.path.lexists(_file_of(anchored)):
                self.pass_all([_file_of(anchored)])
            suffix = Sdf.FileFormat.GetFileExtension(plain)
            if suffix and Sdf.FileFormat.FindByExtension(suffix) is not None:
                found += self._resolve(anchored, plain)
        return found

    def _resolve(self, anchored: str, name: str) -> list[str]:
        from pxr import Ar

        resolved = str(Ar.GetResolver().Resolve(anchored))
        if not resolved:
            self.missing[name] = None
            return [anchored] if os.path.exists(_file_of(anchored)) else []
        return [resolved]


def _has_templates(layer: Any) -> bool:
    """Whether a layer has clips whose files are looked for in a folder, by the mere listing of
    references, too."""
    found = list[Any]()

    def look(path: Any) -> None:
        if path.IsPrimPath() or path.IsPrimVariantSelectionPath():
            sets = dict(layer.GetObjectAtPath(path).GetInfo("clips") or {})
            found.extend(each for each in sets.values() if "templateAssetPath" in dict(each))

    layer.Traverse("/", look)
    return bool(found)


def _refuse_expressions(path: str) -> RefusedError:
    return RefusedError(f"{_shorten(path)!r} works out names of files, which is not done")


def check_materials(path: str) -> None:
    """Raises RefusedError for a file of MaterialX that names other files as its own parts, which
    its library opens as it reads, and for one that is not plain XML."""
    name = _shorten(path)

    def begin(tag: str, _attributes: object) -> None:
        if tag.rpartition(":")[2].lower() == "include":
            raise RefusedError(f"{name!r} includes other files, which are not read")

    def refuse(*_: object) -> None:
        raise RefusedError(f"{name!r} has a document type, which is not read")

    parser = expat.ParserCreate()
    parser.StartElementHandler = begin
    parser.StartDoctypeDeclHandler = refuse
    try:
        if os.path.getsize(path) > MOST_MATERIAL_BYTES:
            raise RefusedError(f"{name!r} is too big for a file of materials")
        with open(path, "rb") as file:
            parser.Parse(file.read(MOST_MATERIAL_BYTES), True)
    except (OSError, ValueError, expat.ExpatError):
        raise RefusedError(f"{name!r} is not XML that can be read, or inside an archive") from None


def _shorten(path: str) -> str:
    """Returns a path as messages show it: the file's name, an archive's with the member's path."""
    archive, bracket, member = path.partition("[")
    return os.path.basename(archive) + bracket + member


def _file_of(path: str) -> str:
    """The file on disk: an archive's, of a layer within one."""
    from pxr import Ar

    inside = Ar.IsPackageRelativePath(path)
    return os.path.abspath(Ar.SplitPackageRelativePathOuter(path)[0] if inside else path)
