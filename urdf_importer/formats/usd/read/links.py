# SPDX-License-Identifier: GPL-3.0-or-later
"""The links of an articulation: bodies, the world, and frames that are fixed in either."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from ....core.geometry.transforms import Matrix, invert, pose_of
from ....core.meshes import RobotFiles
from ....core.model import Collision, Extra, Joint, Link, LoopJoint, Pose, Transmission, Visual
from ....core.names import Claims
from ..stages import StagePrim
from .articulations import Articulation, is_world
from .joints import DraftedJoint, JointAxis
from .masses import read_mass, read_own_mass
from .scene import WORLD, UsdScene
from .shapes import ShapeReader
from .simulator_properties import Words

_PLAIN = ("", "Xform")
_HELD_BY = ("visuals", "collisions", "Looks", "Meshes")


@dataclass(slots=True, kw_only=True, eq=False)
class RobotDraft:
    """The parts so far. `names` maps the path of a body, "" for the world -> its link; `places` the
    same -> its frame (4, 4) in the stage; `inner` the name of a link that is a frame -> its frame
    in its body; `leaders` the path of a joint with one axis -> its name and axis. `posed` are the
    joints that the stage does not show at zero, `unreached` the joints that cannot show the
    pose."""

    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, Matrix] = field(default_factory=dict)
    inner: dict[str, tuple[str, Matrix]] = field(default_factory=dict)
    leaders: dict[str, tuple[str, JointAxis]] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    frames: list[Joint] = field(default_factory=list)
    loops: list[LoopJoint] = field(default_factory=list)
    followers: list[tuple[str, Words, JointAxis]] = field(default_factory=list)
    transmissions: list[Transmission] = field(default_factory=list)
    extras: list[Extra] = field(default_factory=list)
    links_taken: Claims = field(default_factory=Claims)
    joints_taken: Claims = field(default_factory=Claims)
    posed: list[str] = field(default_factory=list)
    unreached: list[str] = field(default_factory=list)
    start: list[tuple[str, tuple[float, ...]]] = field(default_factory=list)


def settle_world(
    found: Articulation, scene: UsdScene, draft: RobotDraft
) -> tuple[list[DraftedJoint], list[str]]:
    """Decides which link is the world, if any: a body of this name that is fixed in it; the frame
    that this library's own export keeps for it; else a link without shapes. Returns the joints and
    the bodies that are left."""
    tree, bodies = list(found.tree), [body for body in found.bodies if body]
    anchored = [joint for joint in tree if not joint.ends[0]]
    top = next((each for each in _list_fixtures(scene) if not each.text("urdf:joint")), None)
    if top is not None:
        draft.places[""] = scene.frame(top.path)
        draft.names[""] = draft.links_taken.claim(top.text("urdf:link"))
        return tree, bodies
    added = [joint for joint in anchored if joint.prim.values.get("urdf:added") is True]
    if len(anchored) == len(added):
        return [joint for joint in tree if joint not in added], bodies
    alias = next((j for j in anchored if j.type == "fixed" and is_world(scene, j.ends[1])), None)
    if alias is not None:
        body = alias.ends[1]
        draft.places[""] = scene.frame(body)
        draft.names[""] = draft.names[body] = draft.links_taken.claim(WORLD)
        return [joint for joint in tree if joint is not alias], bodies
    anchor = anchored[0].anchor
    is_above = any(body.startswith(f"{anchor}/") for body in bodies)
    draft.places[""] = scene.frame(anchor if is_above else "")
    draft.names[""] = draft.links_taken.claim(WORLD)
    draft.links.append(Link(name=draft.names[""]))
    return tree, bodies


def _list_fixtures(scene: UsdScene) -> list[StagePrim]:
    """Lists the links that this library's own export has fixed in the world."""
    prims = scene.stage.prims.values() if scene.is_own else ()
    return [each for each in prims if each.text("urdf:link") and not scene.owner(each.path)]


@dataclass(slots=True, kw_only=True, eq=False)
class _Shapes:
    visuals: list[Visual] = field(default_factory=list)
    colliders: list[tuple[StagePrim, Collision]] = field(default_factory=list)


def add_world(scene: UsdScene, shapes: ShapeReader, draft: RobotDraft) -> None:
    """Adds the links of this library's own export that are fixed in the world."""
    fixtures = _list_fixtures(scene)
    roots = tuple(f"{each.path}/" for each in fixtures)
    below = [each for each in scene.stage.prims.values() if each.path.startswith(roots)]
    held = _read_shapes(below, "", fixtures, shapes)
    for each in fixtures:
        if each.text("urdf:joint"):
            _add_frame(each, "", scene, draft, held.get(each.path, _Shapes()))
        else:
            draft.links.append(_make_link(draft.names[""], held.get(each.path, _Shapes())))


def add_body(
    body: str, scene: UsdScene, shapes: ShapeReader, files: RobotFiles, draft: RobotDraft
) -> None:
    prim = scene.bodies[body]
    if body not in draft.names:
        draft.names[body] = draft.links_taken.claim(prim.label or "link")
    draft.places[body] = scene.frame(body)
    below = list(scene.below(body))
    marked = [each for each in below if each.text("urdf:link")]
    held = _read_shapes(below, body, marked, shapes)
    own = held.get("", _Shapes())
    inertial = read_mass(prim, own.colliders, scene, files)
    draft.links.append(replace(_make_link(draft.names[body], own), inertial=inertial))
    for frame in marked if scene.is_own else _list_frames(below, body):
        _add_frame(frame, body, scene, draft, held.get(frame.path, _Shapes()))


def _make_link(name: str, shapes: _Shapes) -> Link:
    hits = tuple(hit for _, hit in shapes.colliders)
    return Link(name=name, visuals=tuple(shapes.visuals), collisions=hits)


def _read_shapes(
    below: list[StagePrim], body: str, frames: list[StagePrim], shapes: ShapeReader
) -> dict[str, _Shapes]:
    """Returns the shapes by the path of the frame, among `frames`, that holds them; "" for the
    body itself."""
    found: dict[str, _Shapes] = {}
    for each in below:
        if each.world is None or each.kind in _PLAIN or _is_site(each):
            continue
        holder = next((f.path for f in frames if each.path.startswith(f"{f.path}/")), "")
        seen, hit = shapes.read(each, holder or body, body)
        held = found.setdefault(holder, _Shapes())
        held.visuals += [seen] if seen is not None else []
        held.colliders += [(each, hit)] if hit is not None else []
    return found


def _list_frames(below: list[StagePrim], body: str) -> Iterator[StagePrim]:
    """Yields sites, and transforms with nothing in them."""
    full = {each.path.rpartition("/")[0] for each in below if each.path != body}
    for each in below:
        name = each.path.rpartition("/")[2]
        is_bare = each.kind == "Xform" and not each.schemas and each.path not in full
        if each.path != body and (_is_site(each) or (is_bare and name not in _HELD_BY)):
            yield each


def _is_site(prim: StagePrim) -> bool:
    return prim.has("MjcSiteAPI")


def _add_frame(
    prim: StagePrim, body: str, scene: UsdScene, draft: RobotDraft, shapes: _Shapes
) -> None:
    """Adds a link that is fixed in a body, or in the world."""
    name = draft.links_taken.claim(prim.text("urdf:link") or prim.label)
    place = invert(draft.places[body]) @ scene.frame(prim.path)
    parent = prim.text("urdf:parent")
    home = draft.inner.get(parent, (body, np.eye(4)))[1]
    draft.inner[name] = body, place
    draft.links.append(replace(_make_link(name, shapes), inertial=read_own_mass(prim)))
    draft.frames.append(
        Joint(
            name=draft.joints_taken.claim(prim.text("urdf:joint") or f"{name}_joint"),
            type="fixed",
            parent=parent if parent in draft.inner else draft.names[body],
            child=name,
            origin=pose_in(invert(home) @ place),
        )
    )


def pose_in(frame: Matrix) -> Pose:
    return pose_of(frame, rounding=1e-12)
