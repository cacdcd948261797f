# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a skinned robot with usd-core, in a process without Blender, which brings another USD:

usd_session.py FILE.usd OUT.npz
"""

import sys
from typing import Any

import numpy as np


def main(path: str, output: str) -> None:
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(path)
    skeletons = [each for each in stage.Traverse() if each.IsA(UsdSkel.Skeleton)]
    meshes = [each for each in stage.Traverse() if each.IsA(UsdGeom.Mesh)]
    (skeleton,), (mesh,) = skeletons, meshes
    query = UsdSkel.Cache().GetSkelQuery(UsdSkel.Skeleton(skeleton))
    times = query.GetAnimQuery().GetJointTransformTimeSamples() if query.GetAnimQuery() else []
    shown: list[Any] = []
    for time in times or [Usd.TimeCode.Default()]:
        code = Usd.TimeCode(time)
        to_world = UsdGeom.XformCache(code).GetLocalToWorldTransform(skeleton)
        posed = query.ComputeSkinningTransforms(code)
        # Row vectors: v * skinning * to_world; the bind pose is in the world.
        shown.append([np.linalg.inv(np.array(to_world)) @ np.array(each) @ np.array(to_world)
                      for each in posed])  # fmt: skip
    binding = UsdSkel.BindingAPI(mesh)
    weights = np.array(binding.GetJointWeightsAttr().Get())
    np.savez(
        output,
        joints=np.array([str(each).rsplit("/", 1)[-1] for each in query.GetJointOrder()]),
        times=np.array(times, float) / stage.GetTimeCodesPerSecond(),
        frames=np.array(shown).transpose(0, 1, 3, 2),
        points=np.array(UsdGeom.Mesh(mesh).GetPointsAttr().Get(), float),
        faces=np.array(UsdGeom.Mesh(mesh).GetFaceVertexCountsAttr().Get()),
        weights=weights,
        up=str(UsdGeom.GetStageUpAxis(stage)),
        unit=UsdGeom.GetStageMetersPerUnit(stage),
        bound=np.array(UsdGeom.XformCache().GetLocalToWorldTransform(mesh)).T,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
