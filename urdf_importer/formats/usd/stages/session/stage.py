# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage as plain data: JSON for its prims, one file for the arrays of their meshes."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import ArrayFile, describe_mesh
from .looks import describe_material
from .refusal import RefusedError

MOST_PRIMS = 200_000
MOST_LETTERS = 128 * 2**20
"""Of the JSON of all prims."""
_MOST_VALUES = 64
_ROUNDS_OF_VARIANTS = 8
_PASSED_OVER = ("xformOp", "normals", "extent", "points", "faceVertex", "inputs:", "outputs:")
_SHOWN_PRIMVARS = ("primvars:displayColor", "primvars:displayOpacity")


def describe_stage(source: str, variants: dict[str, str], folder: Path, missing: list[str]) -> None:
    """Writes stage.json and arrays.bin into the folder. Raises RefusedError."""
    from pxr import Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.Open(source)
    for _ in range(_ROUNDS_OF_VARIANTS):
        if not _choose_variants(stage, variants):
            break
    with (folder / "arrays.bin").open("wb") as file:
        writer = _Writer(ArrayFile(file))
        prims = writer.describe_prims(stage)
        default = stage.GetDefaultPrim()
        found = {
            "meters": UsdGeom.GetStageMetersPerUnit(stage),
            "kilograms": UsdPhysics.GetStageKilogramsPerUnit(stage),
            "up": str(UsdGeom.GetStageUpAxis(stage)),
            "default": str(default.GetPath()) if default else "",
            "missing": missing,
            "variants": sorted(writer.variants),
            "materials": writer.materials,
            "arrays": writer.arrays.table,
        }
    with (folder / "stage.json").open("w", encoding="utf-8") as text:
        text.write(f'{{"prims": [{", ".join(prims)}], {json.dumps(found)[1:]}')


def _choose_variants(stage: Any, variants: dict[str, str]) -> bool:
    """Chooses variants by the names of their sets, above all layers; whether anything changed."""
    changed = False
    if variants:
        stage.SetEditTarget(stage.GetSessionLayer())
        for prim in stage.Traverse():
            for name in variants.keys() & set(prim.GetVariantSets().GetNames()):
                chosen = prim.GetVariantSet(name)
                is_there = variants[name] in chosen.GetVariantNames()
                if is_there and chosen.GetVariantSelection() != variants[name]:
                    changed = chosen.SetVariantSelection(variants[name]) or changed
    return changed


class _Writer:
    """Goes through the prims. `variants` are the names that could be chosen, as SET:=CHOICE."""

    def __init__(self, arrays: ArrayFile) -> None:
        self.arrays = arrays
        self.materials: dict[str, dict[str, Any]] = {}
        self.variants: set[str] = set()

    def describe_prims(self, stage: Any) -> list[str]:
        """Returns JSON of each prim."""
        from pxr import Usd, UsdGeom

        cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        found, letters = list[str](), 0
        walk = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()))
        next(walk)
        for count, prim in enumerate(walk):
            if count >= MOST_PRIMS:
                raise RefusedError(f"it has more than {MOST_PRIMS} prims")
            # Parts of instances have the variants of their prototype, where none can be chosen.
            for name in () if prim.IsInstanceProxy() else prim.GetVariantSets().GetNames():
                names = prim.GetVariantSet(name).GetVariantNames()
                self.variants.update(f"{name}:={each}" for each in names[:_MOST_VALUES])
            kind = str(prim.GetTypeName())
            if kind in ("Shader", "NodeGraph", "GeomSubset"):
                continue
            found.append(json.dumps(self._describe(prim, kind, cache)))
            letters += len(found[-1])
            if letters > MOST_LETTERS:
                raise RefusedError("its prims have more values than a robot needs")
        return found

    def _describe(self, prim: Any, kind: str, cache: Any) -> dict[str, Any]:
        from pxr import UsdGeom

        said: dict[str, Any] = {
            "path": str(prim.GetPath()),
            "kind": kind,
            "shown": prim.GetDisplayName(),
            "schemas": list(map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas())),
            "values": _read_values(prim),
            "targets": {
                str(each.GetName()): list(map(str, each.GetTargets()))
                for each in prim.GetAuthoredRelationships()
            },
        }
        if prim.IsA(UsdGeom.Xformable):
            rows = cache.GetLocalToWorldTransform(prim)
            said["world"] = [rows[column][row] for row in range(4) for column in range(4)]
            said["varies"] = UsdGeom.Xformable(prim).TransformMightBeTimeVarying()
        if prim.IsA(UsdGeom.Gprim):
            image = UsdGeom.Imageable(prim)
            said["purpose"] = str(image.ComputePurpose())
            said["visible"] = image.ComputeVisibility() != UsdGeom.Tokens.invisible
            said["material"] = self._bind(prim, "")
            said["rubs"] = self._bind(prim, "physics")
        if prim.IsA(UsdGeom.Mesh):
            said["mesh"] = describe_mesh(prim, self.arrays, lambda part: self._bind(part, ""))
        return said

    def _bind(self, prim: Any, purpose: str) -> str:
        """Returns the path of the material of a prim; empty for none."""
        from pxr import UsdShade

        material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial(purpose)[0]
        if not material:
            return ""
        path = str(material.GetPath())
        if path not in self.materials:
            said = describe_material(material)
            self.materials[path] = {**said, "values": _read_values(material.GetPrim())}
        return path


def _read_values(prim: Any) -> dict[str, Any]:
    """The values of attributes that are written, at the default time, as far as they are small."""
    found = {}
    for each in prim.GetAuthoredAttributes():
        name = str(each.GetName())
        if name.startswith(_PASSED_OVER):
            continue
        if name.startswith("primvars:") and name not in _SHOWN_PRIMVARS:
            continue
        value = plain(each.Get())
        if value is not None:
            found[name] = value
    return found


def plain(value: Any) -> Any:
    """Returns a value as JSON has it, quaternions with the real part first; None for any other."""
    from pxr import Gf, Sdf

    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _shorten(value)
    if isinstance(value, Gf.Quatf | Gf.Quatd | Gf.Quath):
        return [value.GetReal(), *value.GetImaginary()]
    if isinstance(value, Sdf.AssetPath):
        return value.resolvedPath or value.path
    if hasattr(value, "__len__") and len(value) <= _MOST_VALUES:
        parts = [plain(part) for part in value]
        return None if any(part is None for part in parts) else parts
    return None


def _shorten(value: float) -> float:
    """Returns the shortest number that is the same in single precision, where the value is one of
    these: 0.15, not 0.15000000596."""
    single = np.float32(value)
    return float(str(single)) if single == value and np.isfinite(single) else value
