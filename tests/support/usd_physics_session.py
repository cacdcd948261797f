# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads machines of UsdPhysics with usd-core, in a process without Blender, which brings another
USD: usd_physics_session.py OUT.json FILE...
"""

import json
import sys
from typing import Any


def main(output: str, *paths: str) -> None:
    with open(output, "w", encoding="utf-8") as file:
        json.dump([read_stage(path) for path in paths], file)


def read_stage(path: str) -> dict[str, Any]:
    from pxr import Usd, UsdGeom, UsdPhysics

    stage = Usd.Stage.Open(path)
    cache = UsdGeom.XformCache()
    prims = list(stage.Traverse())
    found: dict[str, Any] = {
        "root": str(stage.GetDefaultPrim().GetPath()),
        "up": str(UsdGeom.GetStageUpAxis(stage)),
        "units": [UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)],
        "bodies": {},
        "joints": {},
        "colliders": {},
        "meshes": {},
        "parsed": _parse(stage),
        "faults": _validate(stage),
    }
    for prim in prims:
        place = str(prim.GetPath())
        if prim.HasAPI(UsdPhysics.RigidBodyAPI):
            found["bodies"][place] = _read(prim) | {"world": _matrix(cache, prim)}
        if prim.IsA(UsdPhysics.Joint):
            found["joints"][place] = _read(prim)
        if prim.HasAPI(UsdPhysics.CollisionAPI):
            found["colliders"][place] = _read(prim) | {"world": _matrix(cache, prim)}
        if prim.IsA(UsdGeom.Mesh):
            mesh = UsdGeom.Mesh(prim)
            found["meshes"][place] = {
                "points": len(mesh.GetPointsAttr().Get()),
                "faces": len(mesh.GetFaceVertexCountsAttr().Get()),
                "whole": UsdGeom.Mesh.ValidateTopology(
                    mesh.GetFaceVertexIndicesAttr().Get(),
                    mesh.GetFaceVertexCountsAttr().Get(),
                    len(mesh.GetPointsAttr().Get()),
                )[0],
                "collides": prim.HasAPI(UsdPhysics.CollisionAPI),
                "box": _box(prim),
            }
    return found


def _matrix(cache: Any, prim: Any) -> list[list[float]]:
    rows = cache.GetLocalToWorldTransform(prim)
    return [[rows[column][row] for column in range(4)] for row in range(4)]


def _box(prim: Any) -> list[list[float]]:
    from pxr import UsdGeom

    cache = UsdGeom.BBoxCache(0, [UsdGeom.Tokens.default_, UsdGeom.Tokens.guide])
    box = cache.ComputeWorldBound(prim).ComputeAlignedRange()
    return [list(box.GetMin()), list(box.GetMax())]


def _read(prim: Any) -> dict[str, Any]:
    """Everything that a prim says, by the names of the file."""
    from pxr import Gf

    said: dict[str, Any] = {
        "kind": str(prim.GetTypeName()),
        "shown": prim.GetDisplayName(),
        "schemas": list(prim.GetAppliedSchemas())
        + list(prim.GetMetadata("apiSchemas").GetAddedOrExplicitItems()
               if prim.HasAuthoredMetadata("apiSchemas") else []),
    }  # fmt: skip
    for each in prim.GetAuthoredAttributes():
        value = each.Get()
        if isinstance(value, Gf.Quatf | Gf.Quatd):
            value = [value.GetReal(), *value.GetImaginary()]
        elif hasattr(value, "__len__") and not isinstance(value, str):
            value = None if len(value) > 16 else [_plain(part) for part in value]
        said[each.GetName()] = _plain(value)
    for relation in prim.GetAuthoredRelationships():
        said[relation.GetName()] = [str(target) for target in relation.GetTargets()]
    return said


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str | list):
        return value
    if hasattr(value, "__len__"):
        return [float(part) for part in value]
    return str(value)


def _parse(stage: Any) -> dict[str, int]:
    """Kind -> how many UsdPhysics itself finds, with nothing invalid among them."""
    from pxr import UsdPhysics

    if hasattr(UsdPhysics, "UsdPhysicsLoadStageFromPrimRange"):
        parsed = UsdPhysics.UsdPhysicsLoadStageFromPrimRange(stage, ["/"])
    else:
        parsed = UsdPhysics.LoadUsdPhysicsFromRange(stage, ["/"])
    counts: dict[str, int] = {}
    for kind, (places, descriptions) in parsed.items():
        assert all(each.isValid for each in descriptions), (kind, list(map(str, places)))
        counts[str(kind).rsplit(".", 1)[-1]] = len(places)
    return counts


def _validate(stage: Any) -> list[str]:
    """What the validators that come with USD have to say."""
    from pxr import UsdValidation

    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    context = UsdValidation.ValidationContext(validators)
    return [each.GetErrorAsString() for each in context.Validate(stage)]


if __name__ == "__main__":
    main(*sys.argv[1:])
