# SPDX-License-Identifier: GPL-3.0-or-later
"""<equality>: joints that follow others, and loops.

A connect of bodies is closed where MuJoCo begins, so its point in the second body is worked out
there; between sites it is where they are. A joint without a second one is held: its limits leave it
no room.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.transforms import (
    Matrix,
    invert,
    make_frame,
    pose_of,
    rotation_from_quaternion,
)
from ....core.model import Joint, Limit, LoopJoint, Mimic
from ....core.names import Claims
from .bodies import WORLD, BodyReading, Built
from .document import MjcfElement
from .models import Model

_KINDS = {"connect": "ball", "weld": "fixed"}
_NAMES = ("name", "joint1", "joint2", "body1", "body2", "site1", "site2")


class ConstraintReader:
    """Reads the equalities of a model into `joints`, which they change, and `loops`."""

    def __init__(
        self,
        bodies: list[BodyReading],
        built: Built,
        diagnostics: Diagnostics,
    ) -> None:
        self._bodies = {body.name: body for body in bodies}
        self._sites = {
            name: (body, site.frame) for body in bodies for name, site in body.sites.items()
        }
        self._joints = {joint.name: joint for joint in built.joints}
        self._refs = built.refs
        self._diagnostics = diagnostics
        self._names = Claims()
        self._tendons: dict[str, list[tuple[str, float]]] = {}
        self.loops: list[LoopJoint] = []

    @property
    def joints(self) -> tuple[Joint, ...]:
        return tuple(self._joints.values())

    def read(self, model: Model, suffixes: Iterable[str]) -> None:
        """Reads all <equality> of the model that is read. Constraints between copies are copied
        too, once for each of `suffixes` that all of their names have. Raises ReadError for text
        that is not a number."""
        self._tendons = _list_fixed_tendons(model)
        for node in _list_active(model):
            copies = [] if self._finds_all(node) else [_name_all(node, "", s) for s in suffixes]
            for each in list(filter(self._finds_all, copies)) or [node]:
                self._read(each)

    def read_attached(self, model: Model, suffix: str) -> None:
        """Reads the <equality> of an attached model, which may be there in part only.
        Raises ReadError."""
        for node in _list_active(model):
            named = _name_all(node, model.prefix, suffix)
            if self._finds_all(named):
                self._read(named)

    def _finds_all(self, node: MjcfElement) -> bool:
        known: dict[str, Collection[str]] = {
            "joint": self._joints,
            "body": self._bodies,
            "site": self._sites,
        }
        return all(
            name in known[kind]
            for kind in known
            for number in "12"
            if (name := node.text(kind + number)) and name != WORLD
        )

    def _read(self, node: MjcfElement) -> None:
        if node.tag == "joint":
            self._couple(node)
        elif node.tag == "tendon":
            self._couple_by_tendon(node)
        elif node.tag in _KINDS:
            self._close(node)
        else:
            self._leave_out(node, "has a kind that is not read")

    def _couple_by_tendon(self, node: MjcfElement) -> None:
        """Reads an equality that keeps the length of a fixed tendon, where that is the sum of one
        or two joints: the second follows the first then."""
        terms = self._tendons.get(node.text("tendon1"), [])
        constant = next(iter(node.numbers("polycoef")), 0.0)
        fits = 1 <= len(terms) <= 2 and not node.text("tendon2")
        if not fits or not all(name in self._joints and factor for name, factor in terms):
            self._leave_out(node, "keeps a tendon that is not the sum of one or two joints")
            return
        (name, factor), others = terms[-1], terms[:-1]
        # Lengths count from where MuJoCo begins: so do the positions of the two.
        coupled = {"joint1": name, "polycoef": f"{constant / factor!r} 0 0 0 0"}
        if others:
            leader, share = others[0]
            coupled["joint2"] = leader
            coupled["polycoef"] = f"{constant / factor!r} {-share / factor!r} 0 0 0"
        self._couple(replace(node, attributes={"name": node.text("name"), **coupled}))

    def _couple(self, node: MjcfElement) -> None:
        name, leader = node.text("joint1"), node.text("joint2")
        terms = [*node.numbers("polycoef"), 0.0, 0.0, 0.0, 0.0, 0.0][:5]
        if not node.numbers("polycoef"):
            terms[1] = 1.0
        joint = self._joints.get(name)
        if joint is None or (leader and leader not in self._joints):
            self._leave_out(
                node, f"names the joint {quote(leader if joint else name)}, which does not exist"
            )
        elif joint.type not in ("revolute", "continuous", "prismatic"):
            self._leave_out(node, f"holds joint {quote(name)}, which has more than one axis")
        elif not leader:
            held = self._refs.get(name, 0.0) + terms[0]
            kind = "revolute" if joint.type == "continuous" else joint.type
            limit = replace(joint.limit or Limit(), lower=held, upper=held)
            self._joints[name] = replace(joint, type=kind, limit=limit)
        elif any(terms[2:]):
            self._leave_out(node, "has a polynomial of higher order than a mimic joint can follow")
        else:
            before = self._refs.get(leader, 0.0)
            offset = self._refs.get(name, 0.0) + terms[0] - terms[1] * before
            mimic = Mimic(joint=leader, multiplier=terms[1], offset=offset)
            self._joints[name] = replace(joint, mimic=mimic)

    def _close(self, node: MjcfElement) -> None:
        """Reads a loop: between sites where they are, between bodies where MuJoCo begins."""
        kind = "site" if node.text("site1") else "body"
        default = WORLD if kind == "body" else ""
        names = node.text(f"{kind}1"), node.text(f"{kind}2") or default
        known: Collection[str] = self._sites if kind == "site" else self._bodies
        for name in names:
            if name not in known:
                self._leave_out(node, f"names the {kind} {quote(name)}, which does not exist")
                return
        if kind == "site":
            (one, frame1), (other, frame2) = (self._sites[name] for name in names)
        else:
            one, other = (self._bodies[name] for name in names)
            frame1, frame2 = _place_ends(node, one, other)
        self.loops.append(
            LoopJoint(
                name=self._names.claim(node.text("name") or f"{one.name}_to_{other.name}"),
                type=_find_kind(node),
                link1=one.name,
                link2=other.name,
                origin1=pose_of(frame1),
                origin2=pose_of(frame2),
                line=node.line,
            )
        )

    def _leave_out(self, node: MjcfElement, finding: str) -> None:
        name = node.text("name")
        message = f"<{node.tag}> {quote(name)} of <equality> {finding}; it is left out"
        node.report("mjcf-not-read", message, name, self._diagnostics.error)


def _place_ends(node: MjcfElement, one: BodyReading, other: BodyReading) -> tuple[Matrix, Matrix]:
    """Returns where an equality of bodies is in either (4, 4). The anchor of a connect is in the
    first body. A weld is at its anchor, which the second body has, along the second's axes:
    `relpose` is its pose in the first; without it, it is where both are at the start."""
    anchor = make_frame(point=node.triple("anchor"))
    if node.tag != "weld":
        return anchor, invert(other.zero) @ one.zero @ anchor
    written = node.vector("relpose", 7)
    if written is None or not any(written[3:]):
        return invert(one.zero) @ other.zero @ anchor, anchor
    w, x, y, z = written[3:]
    return make_frame(rotation_from_quaternion((x, y, z, w)), written[:3]), anchor


def _find_kind(node: MjcfElement) -> str:
    """Returns the type of the joint that closes a loop: a weld whose torque counts for nothing
    holds a point alone."""
    is_free = node.tag == "weld" and node.number("torquescale", 1.0) == 0.0
    return "ball" if is_free else _KINDS[node.tag]


def _list_fixed_tendons(model: Model) -> dict[str, list[tuple[str, float]]]:
    """Returns the joints of fixed tendons and their factors, by the names of tendons."""
    return {
        tendon.text("name"): [
            (joint.text("joint"), joint.number("coef")) for joint in tendon.all("joint")
        ]
        for section in model.root.all("tendon")
        for tendon in section.all("fixed")
    }


def _list_active(model: Model) -> list[MjcfElement]:
    nodes = (node for section in model.root.all("equality") for node in section.children)
    return [each for each in map(model.defaults.resolve, nodes) if each.flag("active", True)]


def _name_all(node: MjcfElement, prefix: str, suffix: str) -> MjcfElement:
    """Returns an equality with a longer name, of things with such names."""
    longer = {
        key: f"{prefix}{text.strip()}{suffix}"
        for key, text in node.attributes.items()
        if key in _NAMES and text.strip() and text.strip() != WORLD
    }
    return replace(node, attributes={**node.attributes, **longer})
