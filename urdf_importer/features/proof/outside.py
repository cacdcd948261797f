# SPDX-License-Identifier: GPL-3.0-or-later
"""The child process in which other libraries read a file: `outside.py mujoco|usd ANSWER`, the
question as JSON on stdin, the answer as JSON in a file; or `outside.py run PROGRAM ...`.

It imports nothing of this library: MuJoCo and OpenUSD crash and freeze on files made for that.
"""

import json
import os
import sys
from typing import Any

_MEMORY, _FILE, _CPU = 4 * 2**30, 256 * 2**20, 180
_DEEP = 0.0005
"""m; deeper contacts push robots off."""
_MOST_STEPS = 200_000
"""Of a simulation, whose file states their length."""


def read_mujoco(asked: dict[str, Any]) -> dict[str, Any]:
    """Compiles a file with MuJoCo, places its bodies and lets it fall for a while."""
    import mujoco  # type: ignore[import-untyped,unused-ignore]
    import numpy as np

    try:
        model = mujoco.MjModel.from_xml_path(asked["path"])
    except ValueError as error:
        return {"refused": f"MuJoCo refuses it: {error}"}
    data = mujoco.MjData(model)
    joints = _name_joints(model, asked)
    frames = []
    for pose in (*asked["poses"], asked["poses"][0]):
        mujoco.mj_resetData(model, data)
        for name in pose.keys() & joints.keys():
            data.qpos[joints[name].qposadr[0]] = pose[name]
        mujoco.mj_kinematics(model, data)
        frames.append(_mujoco_frames(model, data))
    bodies = [model.body(i) for i in range(1, model.nbody)]
    masses = {}
    for body in bodies:
        turn = data.ximat[body.id].reshape(3, 3)
        inertia = turn @ np.diag(model.body_inertia[body.id]) @ turn.T
        masses[body.name] = [*body.mass.tolist(), data.xipos[body.id].tolist(), inertia.tolist()]
    ranges = {name: _find_range(mujoco, model, joint) for name, joint in joints.items()}
    return {
        "frames": frames[:-1],
        "parents": {body.name: model.body(body.parentid[0]).name for body in bodies},
        "masses": masses,
        "ranges": {name: [*ends, None, None] for name, ends in ranges.items()},
        "facts": _fall(mujoco, model, data, asked["seconds"]),
    }


def _name_joints(model: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """Returns the joints by the names of the original: a renamed one by the body that it moves."""
    found = {model.joint(i).name: model.joint(i) for i in range(model.njnt)}
    for joint in list(found.values()):
        above = asked["above"].get(model.body(joint.bodyid[0]).name)
        if above is not None and joint.name not in asked["moving"]:
            found.setdefault(above, joint)
    return found


def _find_range(mujoco: Any, model: Any, joint: Any) -> list[float | None]:
    """Returns the ends of a joint: both are the place where an equality holds it."""
    for i in range(model.neq):
        whole = model.eq_type[i] == mujoco.mjtEq.mjEQ_JOINT and model.eq_obj2id[i] < 0
        if whole and model.eq_obj1id[i] == joint.id and model.eq_active0[i]:
            held = float(model.qpos0[joint.qposadr[0]] + model.eq_data[i][0])
            return [held, held]
    return list(joint.range.tolist()) if model.jnt_limited[joint.id] else [None, None]


def _mujoco_frames(model: Any, data: Any) -> dict[str, Any]:
    found = {}
    for kind, count in (("site", model.nsite), ("body", model.nbody)):
        for i in range(count):
            place = getattr(data, kind)(i)
            turn = place.xmat.reshape(3, 3).tolist()
            rows = [[*row, x] for row, x in zip(turn, place.xpos.tolist(), strict=True)]
            found[getattr(model, kind)(i).name] = [*rows, [0.0, 0.0, 0.0, 1.0]]
    return found


def _fall(mujoco: Any, model: Any, data: Any, seconds: float) -> dict[str, tuple[bool, str]]:
    """Tells of contacts at the start, and whether all stays finite for so long."""
    import numpy as np

    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    deep = [each for each in data.contact if each.dist < -_DEEP]
    told = f"{len(deep)} contacts are deeper than 0.5 mm at the start"
    facts = {"contacts": (not deep, told if deep else "none is deeper than 0.5 mm")}
    if not seconds <= _MOST_STEPS * model.opt.timestep:
        told = f"its steps of {model.opt.timestep:g} s are too short for {seconds:g} s"
        facts["simulation"] = (False, told)
    elif seconds > 0.0:
        warning = data.warning[mujoco.mjtWarning.mjWARN_BADQACC]
        while data.time < seconds and np.isfinite(data.qpos).all() and not warning.number:
            mujoco.mj_step(model, data)
        calm = bool(np.isfinite(data.qpos).all()) and not warning.number
        text = f"stays finite for {seconds:g} s" if calm else f"is unstable at {data.time:.3g} s"
        facts["simulation"] = (calm, text)
    return facts


def read_usd(asked: dict[str, Any]) -> dict[str, Any]:
    """Opens a stage with OpenUSD: the frames of bodies at zero, and their masses in these."""
    from pxr import Tf, Usd  # type: ignore[import-untyped,unused-ignore]

    try:
        stage = Usd.Stage.Open(asked["path"])
    except Tf.ErrorException as error:
        return {"refused": f"OpenUSD refuses it: {error}"}
    try:
        return _walk_stage(stage, asked["links"])
    except (ValueError, TypeError, AttributeError, ArithmeticError):
        return {"refused": "attributes of its bodies are missing or of another kind"}


def _walk_stage(stage: Any, links: list[str]) -> dict[str, Any]:
    import numpy as np
    from pxr import Gf, Tf, UsdGeom, UsdPhysics

    unit = UsdGeom.GetStageMetersPerUnit(stage)
    cache, xform = UsdGeom.XformCache(), UsdGeom.Xform
    frames, masses = {}, {}
    names = {Tf.MakeValidIdentifier(name): name for name in links}
    for prim in stage.Traverse():
        name = names.get(prim.GetName(), prim.GetName())
        is_body = prim.HasAPI(UsdPhysics.RigidBodyAPI) or prim.HasAPI(UsdPhysics.MassAPI)
        if not is_body and (name not in links or name in frames or not prim.IsA(xform)):
            continue
        frame = np.array(cache.GetLocalToWorldTransform(prim)).T
        frame[:3, 3] *= unit
        frames[name] = frame.tolist()
        mass = UsdPhysics.MassAPI(prim)
        if prim.HasAPI(UsdPhysics.MassAPI) and (kilograms := mass.GetMassAttr().Get()):
            center = np.array(mass.GetCenterOfMassAttr().Get(), dtype=float) * unit
            turn = Gf.Quatd(mass.GetPrincipalAxesAttr().Get()).GetNormalized()
            if turn.GetLength() < 0.5:
                raise ValueError("no rotation")
            axes = np.array(Gf.Matrix3d(turn)).T
            moments = np.diag(np.array(mass.GetDiagonalInertiaAttr().Get(), dtype=float))
            inertia = axes @ moments @ axes.T * unit**2
            masses[name] = [float(kilograms), center.tolist(), inertia.tolist()]
    return {"frames": [frames], "masses": masses}


def bound() -> None:
    """Sets bounds of memory and time where the system can; lower ones that are there stay."""
    try:
        import resource
    except ImportError:
        return
    bounds = {resource.RLIMIT_CORE: 0, resource.RLIMIT_CPU: _CPU, resource.RLIMIT_FSIZE: _FILE}
    if sys.platform == "linux":  # macOS refuses or ignores it.
        bounds[resource.RLIMIT_AS] = _MEMORY
    for kind, most in bounds.items():
        given = [each for each in resource.getrlimit(kind) if each != resource.RLIM_INFINITY]
        least = min([most, *given])
        resource.setrlimit(kind, (least, least))


def main(kind: str, first: str, *rest: str) -> None:
    """Reads a file, or becomes a program."""
    bound()
    if kind == "run":
        os.execv(first, [first, *rest])
    asked = json.load(sys.stdin)
    try:
        answer = {"mujoco": read_mujoco, "usd": read_usd}[kind](asked)
    except ImportError as error:
        answer = {"absent": f"it cannot be used here: {error}"}
    except MemoryError:
        answer = {"absent": "it needs more memory than a reader may have"}
    with open(first, "w", encoding="utf-8") as file:
        json.dump(answer, file)
    os._exit(0)  # Taking a big model apart takes time, and may crash.


if __name__ == "__main__":
    main(*sys.argv[1:])
