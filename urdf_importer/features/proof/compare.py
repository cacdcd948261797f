# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot against the view of a reader of its file: links by name, masses and shapes by rigid body.

A frame without mass becomes a part of its carrier in many formats: link by link these masses would
look lost, by body none is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np

from ...core.diagnostics import Diagnostic
from ...core.geometry.inertia import BodyMass, add_bodies
from ...core.geometry.transforms import Matrix
from ...core.kinematics.tree import KinematicTree
from .explains import EXPLAINS, HELD_NOT
from .options import GLTF, USD
from .seen import Range, Seen, seen_from

Outcome = Literal["equal", "explained", "held-not", "differs", "not-checked"]
_SINGLE = (*USD, *GLTF)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofRow:
    """One comparison: `what` (frame, mass, ...) of the part `name`, by a `reader`; its outcome,
    both values, the code that explains a difference, and a sentence."""

    what: str
    name: str
    reader: str
    outcome: Outcome
    before: Any = None
    after: Any = None
    code: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """An original, and the rules by which it is compared with the views of its file."""

    tree: KinematicTree
    original: Seen
    told: Sequence[Diagnostic]
    suffix: str
    tolerance: float

    def compare(self, seen: Seen, reader: str) -> Iterator[ProofRow]:
        """Yields the rows of a reader."""
        if not seen.frames:
            yield from self._tree(seen, reader)
            yield from self._facts(seen, reader)
            return
        if not any(link.name in seen.frames[0] for link in self.tree.links):
            told = "the file has none of the robot's links: is it this robot's?"
            yield self._row("link", "", reader, told)
            return
        yield from self._joints(seen, reader)
        seen, names = self._match(seen)
        common = [link.name for link in self.tree.links if link.name in seen.frames[0]]
        before, after = self.original, seen_from(seen, common[0], self.original)
        yield from self._links(before, after, reader, names)
        yield from self._frames(before, after, reader)
        yield from self._bodies(before, after, reader)
        yield from self._ranges(before, after, reader)
        yield from self._facts(seen, reader)

    def refuse(self, reader: str, why: str) -> ProofRow:
        """Returns the row of a reader that refuses the file."""
        return self._row("reads", "", reader, why)

    def _facts(self, seen: Seen, reader: str) -> Iterator[ProofRow]:
        for what, (is_well, text) in seen.facts.items():
            row = self._row(what, "", reader, "" if is_well else text)
            yield replace(row, text=text)

    def _tree(self, seen: Seen, reader: str) -> Iterator[ProofRow]:
        """Yields the rows of a reader that sees nothing but the tree."""
        for link, parent in zip(self.tree.links, self.tree.parents, strict=True):
            above = "" if parent < 0 else self.tree.links[parent].name
            now = seen.parents.get(link.name)
            if now is None and seen.parents:
                yield self._lost_link(link.name, link.is_bare, reader)
            elif now is not None:
                text = f"its parent is {now!r}" if now else "it has no parent"
                text = "" if now == above else text
                yield self._row("link", link.name, reader, text, before=above, after=now)

    def _match(self, seen: Seen) -> tuple[Seen, dict[str, str]]:
        """Returns a view under the names of the original, and new name -> old name of links whose
        names are gone: found by the link above and the place at zero."""
        names: dict[str, str] = {}
        taken = {link.name for link in self.tree.links}
        for link, parent in zip(self.tree.links, self.tree.parents, strict=True):
            if link.name in seen.frames[0] or parent < 0:
                continue
            above = self.tree.links[parent].name
            now = next((new for new, old in names.items() if old == above), above)
            options = [
                each
                for each, carrier in seen.parents.items()
                if carrier == now and each not in taken and each not in names
            ]
            if len(options) == 1:
                names[options[0]] = link.name
        if not names and seen.joints == {}:
            return seen, names
        joints = {seen.joints.get(new, ""): self.original.joints.get(names.get(new, new), "")
                  for new in seen.frames[0]}  # fmt: skip

        def links(values: Mapping[str, Any] | None) -> Any:
            return values and {names.get(name, name): each for name, each in values.items()}

        return replace(
            seen,
            frames=[links(frames) for frames in seen.frames],
            parents={names.get(a, a): names.get(b, b) for a, b in seen.parents.items()},
            masses=links(seen.masses),
            points=links(seen.points),
            shapes=links(seen.shapes),
            ranges=seen.ranges and {joints.get(n) or n: each for n, each in seen.ranges.items()},
        ), names

    def _joints(self, seen: Seen, reader: str) -> Iterator[ProofRow]:
        for link, name in seen.joints.items():
            old = self.original.joints.get(link, name)
            motion = self.tree.motion_of.get(old)
            what = "joint" if motion is None or motion.moves else "fixed joint"
            row = self._row(what, old, reader, f"it is called {name!r}" if old != name else "")
            text = ""
            if motion is not None and motion.joint.type == "floating" and self.suffix == ".sdf":
                text = "a body that no joint holds is free there"
            elif self._is_turned(link, seen.parents):
                text = "a frame above a body is below it there"
            if row.outcome == "differs" and text:
                row = replace(row, outcome="held-not", text=text)
            yield row

    def _is_turned(self, link: str, parents: Mapping[str, str]) -> bool:
        """Whether a file has one of the two ends of the joint above a link below the other one."""
        above = self.tree.joint_above(link)
        pairs = [(above.parent, link)] if above is not None else []
        pairs += [(link, each.child) for each in self.tree.robot.joints if each.parent == link]
        return any(parents.get(upper) == lower for upper, lower in pairs)

    def _links(
        self, before: Seen, after: Seen, reader: str, names: Mapping[str, str]
    ) -> Iterator[ProofRow]:
        renamed = {old: new for new, old in names.items()}
        for link in self.tree.links:
            if link.name in renamed:
                text = f"it is called {renamed[link.name]!r}"
                yield self._row("link", link.name, reader, text)
            elif link.name in after.frames[0]:
                yield self._row("link", link.name, reader)
            elif link.is_bare and self.original.joints.get(link.name) in (after.ranges or {}):
                text = "a body there has several joints"
                row = self._row("link", link.name, reader, text)
                yield replace(row, outcome="held-not")
            # In skeletons links that nothing moves have no bone.
            elif (reader == "own" and self.suffix not in GLTF) or not self._shares_body(
                link.name, after
            ):
                yield self._lost_link(link.name, link.is_bare, reader)

    def _shares_body(self, name: str, after: Seen) -> bool:
        """Whether another link of its rigid body is there: bodies are all that simulators have."""
        body = self.tree.bodies[self.tree.index[name]]
        pairs = zip(self.tree.links, self.tree.bodies, strict=True)
        return any(each == body and link.name in after.frames[0] for link, each in pairs)

    def _lost_link(self, name: str, is_bare: bool, reader: str) -> ProofRow:
        row = self._row("link", name, reader, "it is gone")
        # The world of a simulator is not a link of a robot.
        is_root = name == self.tree.links[0].name
        held = row.outcome == "differs" and is_bare and is_root
        return (
            replace(row, outcome="held-not", text="the world is not a link there") if held else row
        )

    def _frames(self, before: Seen, after: Seen, reader: str) -> Iterator[ProofRow]:
        most = self._near(before)
        for link in self.tree.links:
            if link.name not in after.frames[0]:
                continue
            apart = [
                float(np.abs(one[link.name] - other[link.name]).max())
                for one, other in zip(before.frames, after.frames, strict=False)
            ]
            worst = max(apart)
            told = f"it is up to {worst:.3g} off in pose {apart.index(worst)}"
            told = "" if worst <= most else told
            yield self._row("frame", link.name, reader, told, before=0.0, after=worst)

    def _near(self, before: Seen) -> float:
        """Metres: single precision is relative to the robot's size."""
        places = np.array([frame[:3, 3] for frame in before.frames[0].values()])
        size = max(1.0, float(np.abs(places).max(initial=0.0)))
        return (1e-5 if self.suffix in _SINGLE else self.tolerance) * size

    def _bodies(self, before: Seen, after: Seen, reader: str) -> Iterator[ProofRow]:
        carriers = self._carriers(after)
        groups: dict[int, list[str]] = {}
        for place, link in enumerate(self.tree.links):
            groups.setdefault(self.tree.bodies[place], []).append(link.name)
        for body, members in groups.items():
            found = [name for name, carrier in carriers.items() if carrier == body]
            old = _sum(before.masses, members)
            part = max(members, key=lambda name: _mass_of(before.masses, name))
            if after.masses is not None:
                yield from self._masses(old, _sum(after.masses, found), members, part, reader)
            if before.points is not None and after.points is not None:
                boxes = [_box(seen.points, names) for seen, names in
                         ((before, members), (after, found))]  # fmt: skip
                yield from self._boxes(boxes, members, part, reader, self._near(before))
            if before.shapes is not None and after.shapes is not None:
                pairs = ((before.shapes, members), (after.shapes, found))
                yield self._count(pairs, part, reader)

    def _carriers(self, after: Seen) -> dict[str, int]:
        """Returns link of the file -> the rigid body of the original that it belongs to."""
        found = {}
        for name in after.frames[0]:
            above, steps = name, 0
            while above not in self.tree.index and above in after.parents and steps < 1000:
                above, steps = after.parents[above], steps + 1
            found[name] = self.tree.bodies[self.tree.index.get(above, 0)]
        return found

    def _masses(
        self, old: BodyMass | None, new: BodyMass | None, members: Sequence[str], part: str,
        reader: str,
    ) -> Iterator[ProofRow]:  # fmt: skip
        one, other = (0.0 if each is None else each.mass for each in (old, new))
        near = max(self.tolerance, 1e-6 if self.suffix in _SINGLE else 0.0)
        far = abs(one - other) > near * max(one, other)
        text = f"{one:.6g} kg became {other:.6g} kg" if far else ""
        yield self._row("mass", part, reader, text, members, before=one, after=other)
        if old is None or new is None or one <= 0.0:
            return
        off = float(np.abs(old.center - new.center).max())
        text = f"the centre of mass is {off:.3g} m off" if off > max(10.0 * near, 1e-6) else ""
        yield self._row("centre", part, reader, text, members, before=0.0, after=off)
        scale = float(np.abs(old.inertia).max())
        # Writers drop the inertia of a link without mass, or join it: no body has one.
        heavy = _sum(
            self.original.masses, [n for n in members if _mass_of(self.original.masses, n)]
        )
        wanted = [old] if heavy is None else [old, heavy]
        apart = min(float(np.abs(each.inertia - new.inertia).max()) for each in wanted)
        share = apart / scale if scale > 0.0 else 0.0
        far = share > (1e-4 if self.suffix in _SINGLE else max(1e-5, self.tolerance))
        text = f"the inertia is {share:.3g} of itself off" if far else ""
        yield self._row("inertia", part, reader, text, members, before=0.0, after=share)

    def _boxes(
        self, boxes: Sequence[Matrix | None], members: Sequence[str], part: str, reader: str,
        near: float,
    ) -> Iterator[ProofRow]:  # fmt: skip
        old, new = boxes
        if old is None:
            return
        if new is None:
            yield self._row("box", part, reader, "its shapes are gone", members)
            return
        off, size = float(np.abs(old - new).max()), float(np.ptp(old, axis=0).max())
        # Shapes that a format lacks become meshes of 32 sides.
        text = f"the box of its shapes is {off:.3g} m off" if off > 1e-5 * size + 10 * near else ""
        yield self._row("box", part, reader, text, members, before=size, after=off)

    def _count(
        self,
        pairs: Sequence[tuple[Mapping[str, tuple[int, int]], Sequence[str]]],
        part: str,
        reader: str,
    ) -> ProofRow:
        (old, solid), (new, solid_now) = (
            np.sum([seen.get(name, (0, 0)) for name in names] or [(0, 0)], axis=0).tolist()
            for seen, names in pairs
        )
        # Formats with one material a shape split visuals.
        fewer = new < old or solid_now < solid
        text = f"{old} visuals and {solid} collision shapes became {new} and {solid_now}"
        return self._row("shapes", part, reader, text if fewer else "", pairs[0][1])

    def _ranges(self, before: Seen, after: Seen, reader: str) -> Iterator[ProofRow]:
        assert before.ranges is not None
        if after.ranges is None:
            return
        for name, old in before.ranges.items():
            new = after.ranges.get(name)
            if new is None:
                yield self._row("joint", name, reader, f"joint {name!r} is gone")
            else:
                yield from self._range(name, old, new, reader)

    def _range(self, name: str, old: Range, new: Range, reader: str) -> Iterator[ProofRow]:
        near = 1e-5 if self.suffix in _SINGLE else 1e-6
        kinds = {"range": slice(0, 2), "effort": slice(2, 3), "velocity": slice(3, 4)}
        for what, here in kinds.items():
            if what != "range" and reader != "own":
                continue
            # An unknown effort or velocity and one of 0 or below are written alike.
            were, are = tuple(old)[here], tuple(new)[here]
            known = [[e if what == "range" else _bound(e) for e in each] for each in (were, are)]
            far = any(_differ(one, other, near) for one, other in zip(*known, strict=True))
            text = f"{_show(were)} became {_show(are)}" if far else ""
            row = self._row(what, name, reader, text, before=were, after=are)
            if row.outcome == "differs" and self.suffix == ".urdf" and known[0] == [None]:
                # Its limits need both numbers: exports of other formats get the usual ones.
                row = replace(row, outcome="held-not")
            yield row

    def _row(
        self,
        what: str,
        name: str,
        reader: str,
        text: str = "",
        subjects: Sequence[str] = (),
        **values: Any,
    ) -> ProofRow:
        """Makes a row: equal without a text, else explained by the export, or not. `values` are
        `before` and `after`."""
        row = ProofRow(what=what, name=name, reader=reader, outcome="equal", text=text, **values)
        if not text:
            return row
        if code := self._explain(what, {name, *subjects, *self._joints_of(name, subjects)}):
            return replace(row, outcome="explained", code=code)
        held_not = what in HELD_NOT.get(self.suffix, ())
        return replace(row, outcome="held-not" if held_not else "differs")

    def _joints_of(self, name: str, subjects: Sequence[str]) -> Iterator[str]:
        for link in {name, *subjects}:
            above = self.tree.joint_above(link)
            if above is not None:
                yield above.name

    def _explain(self, what: str, subjects: set[str]) -> str:
        """Returns the code of the diagnostic of the export that may have made a difference."""
        patterns = EXPLAINS.get(what, ())
        for item in self.told:
            about = not item.subject or item.subject in subjects or not any(subjects)
            if about and any(fnmatchcase(item.code, each) for each in patterns):
                return item.code
        return ""


def _show(values: Sequence[float | None]) -> str:
    return " to ".join("none" if each is None else f"{each:.6g}" for each in values)


def _bound(value: float | None) -> float | None:
    return value if value is not None and value > 0.0 else None


def _differ(one: float | None, other: float | None, near: float) -> bool:
    if one is None or other is None:
        return one is not other
    return not abs(one - other) <= near * max(1.0, abs(one))


def _sum(masses: Mapping[str, BodyMass] | None, names: Sequence[str]) -> BodyMass | None:
    found = [masses[name] for name in names if name in masses] if masses is not None else []
    return add_bodies(found) if found else None


def _mass_of(masses: Mapping[str, BodyMass] | None, name: str) -> float:
    return masses[name].mass if masses is not None and name in masses else 0.0


def _box(points: Mapping[str, Matrix] | None, names: Sequence[str]) -> Matrix | None:
    found = [points[name] for name in names if name in points] if points is not None else []
    if not found:
        return None
    joined = np.concatenate(found)
    return np.array([joined.min(axis=0), joined.max(axis=0)])
