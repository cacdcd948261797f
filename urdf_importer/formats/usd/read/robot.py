# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulation -> Robot: links in their bodies' frames, joints between them.

Joint frames have single precision. Where the bodies of the stage are at their places at zero, these
places, which are doubles, count; else the stage shows a pose, and the frames of joints count.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....core.diagnostics import quote
from ....core.geometry.transforms import Matrix, invert
from ....core.meshes import RobotFiles
from ....core.model import Joint, Limit, Link, LoopJoint, Mimic, Robot, Vector3
from .articulations import Articulation
from .joints import DraftedJoint, JointAxis
from .links import RobotDraft, add_body, add_world, pose_in, settle_world
from .posing import ChainJoint, find_values
from .scene import UsdScene
from .shapes import ShapeReader
from .simulator_properties import Words, make_mimic

_AGREE = 2e-5
"""How far, per reach, bodies may be from where joint frames of single precision put them."""
_NONE = 1e-7


def make_robot(
    found: Articulation, scene: UsdScene, shapes: ShapeReader, files: RobotFiles
) -> Robot:
    """Returns the robot of an articulation; `files` hold the meshes that are weighed."""
    draft = RobotDraft()
    tree, bodies = settle_world(found, scene, draft)
    if "" in draft.places:
        add_world(scene, shapes, draft)
    for body in bodies:
        add_body(body, scene, shapes, files, draft)
    for joint in tree:
        _add_joint(joint, scene, draft)
    if scene.is_own:
        _add_floating(bodies, scene, draft)
    for loop in found.loops:
        _add_loop(loop, scene, draft)
    _add_mimics(scene, draft)
    if draft.posed:
        begins = "the pose that is shown"
        if draft.unreached:
            begins = f"{begins} as far as joints reach it, unlike {quote(draft.unreached[0])}"
        scene.diagnostics.warning(
            "usd-posed",
            "bodies are not where their joints have them at zero; the frames of joints count, such "
            f"as {quote(draft.posed[0])}, and the robot begins in {begins}",
        )
    return Robot(
        name=found.name,
        links=tuple(draft.links),
        joints=(*draft.joints, *draft.frames),
        loops=tuple(draft.loops),
        transmissions=tuple(draft.transmissions),
        extras=tuple(draft.extras),
        source=scene.stage.path,
        start=tuple(draft.start),
    )


def _ends(joint: DraftedJoint, draft: RobotDraft) -> tuple[str, Matrix, Matrix]:
    """Returns the parent link, the joint's frame (4, 4) in it, and the child's frame in it with
    bodies where the stage has them."""
    parent, child = joint.ends
    first = joint.frames[0]
    if not parent:
        first = invert(draft.places[""]) @ first
    zero = invert(draft.places[parent]) @ draft.places[child]
    name = joint.prim.text("urdf:parent")
    home = draft.inner.get(name)
    if home is not None and home[0] == parent:
        first, zero = invert(home[1]) @ first, invert(home[1]) @ zero
        return name, first, zero
    return draft.names[parent], first, zero


def _add_joint(joint: DraftedJoint, scene: UsdScene, draft: RobotDraft) -> None:
    """Adds a joint, or a chain of joints with links between: one for each axis."""
    steps = [step for part in (joint, *joint.stacked) for step in _take_apart(part, draft)]
    is_posed = any(step.is_posed for step in steps)
    parent, _, zero = _ends(joint, draft)
    before, path, names = np.eye(4), [], []
    for place, step in enumerate(steps):
        is_last, axis, first = place == len(steps) - 1, step.joint, step.frame
        name = draft.joints_taken.claim(axis.name)
        if is_last:
            child, second = draft.names[joint.ends[1]], axis.frames[1]
        else:
            child, second = draft.links_taken.claim(f"{name}_link"), np.eye(4)
            draft.links.append(Link(name=child))
        made = Joint(name=name, type=axis.type, parent=parent, child=child)
        frame = np.eye(4) if first is before else invert(before) @ first
        _add_single(axis, scene, draft, made, (frame, second))
        path.append(ChainJoint(frame=frame, freedoms=axis.freedoms))
        names.append(name)
        before, parent = first, child
    if not is_posed:
        return
    end = zero @ steps[-1].joint.frames[1]
    moves = joint.type in ("", "ball")
    values = find_values(path, end, 1.0 + float(np.abs(end[:3, 3]).max())) if moves else None
    draft.posed.append(names[0])
    draft.unreached += names[:1] if values is None else []
    draft.start += zip(names, values or (), strict=False)


class _Step(NamedTuple):
    """A joint with one axis, or with a type, and its frame (4, 4) in the parent; `is_posed` where
    the stage does not have the child at zero."""

    joint: DraftedJoint
    frame: Matrix
    is_posed: bool


def _take_apart(joint: DraftedJoint, draft: RobotDraft) -> list[_Step]:
    """Returns the joints with one axis, or with a type, that a joint is made of."""
    _, first, zero = _ends(joint, draft)
    refined = zero @ joint.frames[1]
    reach = 1.0 + float(np.abs(refined[:3, 3]).max())
    parts = [joint]
    if len(joint.freedoms) > 1 and not joint.type:
        parts = [
            replace(joint, name=f"{joint.name}_{each.name}", freedoms=(each,))
            for each in joint.freedoms
        ]
    is_posed = float(np.abs(refined - first).max()) >= _AGREE * reach
    frame = first if is_posed else refined
    return [_Step(part, frame, is_posed and joint.type != "floating") for part in parts]


def _add_single(
    joint: DraftedJoint,
    scene: UsdScene,
    draft: RobotDraft,
    made: Joint,
    frames: tuple[Matrix, Matrix],
) -> None:
    """Adds a joint of one type. Where it may, its frame becomes the child link's, as URDF has
    it."""
    first, second = frames
    axis = np.array(joint.freedoms[0].axis if len(joint.freedoms) == 1 else (0.0, 0.0, 1.0))
    slides = len(joint.freedoms) == 1 and not joint.freedoms[0].turns
    is_at_child = slides or joint.type in ("fixed", "floating")
    if is_at_child or float(np.abs(second[:3, 3]).max()) < _NONE:
        first, axis, second = first @ invert(second), second[:3, :3] @ axis, np.eye(4)
    made = replace(made, origin=pose_in(first), child_origin=pose_in(invert(second)))
    if joint.type == "planar":
        made = replace(made, axis=_tidy(axis))
    if not joint.type:
        made = _add_words(joint, scene, draft, replace(made, axis=_tidy(axis)))
    draft.joints.append(made)


def _add_words(joint: DraftedJoint, scene: UsdScene, draft: RobotDraft, made: Joint) -> Joint:
    freedom = joint.freedoms[0]
    words = Words(joint.prim, freedom, scene.stage)
    limit = words.limit()
    transmission = words.transmission(made.name)
    draft.transmissions += [transmission] if transmission is not None else []
    draft.leaders.setdefault(joint.prim.path, (made.name, freedom))
    draft.followers.append((made.name, words, freedom))
    return replace(made, type=_type_of(freedom, limit), limit=limit, dynamics=words.dynamics())


def _type_of(freedom: JointAxis, limit: Limit | None) -> str:
    if not freedom.turns:
        return "prismatic"
    bounded = limit is not None and (limit.lower is not None or limit.upper is not None)
    return "revolute" if bounded else "continuous"


def _add_floating(bodies: list[str], scene: UsdScene, draft: RobotDraft) -> None:
    """Adds the joints that are written as none: a body that floats, with a word about it."""
    places = {name: draft.places[body] for body, name in draft.names.items()}
    places |= {name: draft.places[body] @ at for name, (body, at) in draft.inner.items()}
    for body in bodies:
        prim = scene.bodies[body]
        parent, name = prim.text("urdf:parent"), prim.text("urdf:joint")
        if name and parent in places:
            origin = pose_in(invert(places[parent]) @ draft.places[body])
            own, child = draft.joints_taken.claim(name), draft.names[body]
            joint = Joint(name=own, type="floating", parent=parent, child=child, origin=origin)
            draft.joints.append(joint)


def _add_loop(joint: DraftedJoint, scene: UsdScene, draft: RobotDraft) -> None:
    kind, freedoms = joint.type, joint.freedoms
    if (len(freedoms) > 1 and not kind) or kind in ("floating", "planar"):
        scene.error(
            "usd-lost-loop",
            f"{quote(joint.name)} closes a loop with several axes; it is left out",
            joint.prim,
        )
        return
    first, axis, limit, dynamics = joint.frames[0], None, None, None
    if not joint.ends[0]:
        first = invert(draft.places[""]) @ first
    if not kind:
        words = Words(joint.prim, freedoms[0], scene.stage)
        limit, dynamics, axis = words.limit(), words.dynamics(), _tidy(np.array(freedoms[0].axis))
        kind = _type_of(freedoms[0], limit)
    draft.loops.append(
        LoopJoint(
            name=draft.joints_taken.claim(joint.name),
            type=kind,
            link1=draft.names[joint.ends[0]],
            link2=draft.names[joint.ends[1]],
            origin1=pose_in(first),
            origin2=pose_in(joint.frames[1]),
            axis=axis,
            limit=limit,
            dynamics=dynamics,
        )
    )


def _add_mimics(scene: UsdScene, draft: RobotDraft) -> None:
    found: dict[str, Mimic] = {}
    for name, words, freedom in draft.followers:
        follower = words.follower()
        if follower is None:
            continue
        mimic = make_mimic(follower, freedom, draft.leaders, scene.stage)
        if mimic is None:
            prim = scene.stage.prims.get(follower.leader)
            scene.diagnostics.error(
                "usd-lost-mimic",
                f"{quote(name)} follows {quote(prim.label if prim else follower.leader)}, which "
                "has not one axis; it moves freely",
                subject=name,
            )
            continue
        found[name] = mimic
    draft.joints = [replace(each, mimic=found.get(each.name)) for each in draft.joints]


def _tidy(axis: Matrix) -> Vector3:
    """Returns a unit axis without the rounding of single precision where it is along an axis."""
    near = np.round(axis)
    x, y, z = map(float, near if np.abs(axis - near).max() < 1e-6 else axis)
    return x + 0.0, y + 0.0, z + 0.0
