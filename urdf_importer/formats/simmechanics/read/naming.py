# SPDX-License-Identifier: GPL-3.0-or-later
"""Unique names, as either old converter gave them, and the resolution of a user's text to them."""

from collections.abc import Iterable, Mapping

from ....core.diagnostics import nearest
from .mechanism.graph import Mechanism
from .parameters.keys import Dialect, Parameters
from .parameters.values import Values


class NameGiver:
    """Gives each name once. The next free number of a base is remembered: files may hold thousands
    of one name."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.taken: set[str] = set()
        self._next: dict[str, int] = {}

    def give(self, base: str) -> str:
        """ros: the base with the lowest free number from 1, always; robotology: the base, and a
        number from 0 only where it is taken."""
        if self.dialect == "robotology" and self.claim(base):
            return base
        number = self._next.get(base, 1 if self.dialect == "ros" else 0)
        while not self.claim(f"{base}{number}"):
            number += 1
        self._next[base] = number + 1
        return f"{base}{number}"

    def claim(self, name: str) -> bool:
        """Takes a name unchanged; False where it is taken already."""
        if name in self.taken:
            return False
        self.taken.add(name)
        return True

    def claim_like(self, name: str) -> str:
        """Takes a name unchanged, else with the lowest free number behind it."""
        number = 0
        claimed = name
        while not self.claim(claimed):
            number += 1
            claimed = f"{name}_{number}"
        return claimed


class FinalNames:
    """The final names of bodies and edges by index, and the way back."""

    def __init__(self, mechanism: Mechanism, parameters: Parameters, values: Values) -> None:
        self.values = values
        self.giver = NameGiver(parameters.dialect)
        self.links = [""] * len(mechanism.bodies)
        self.joints = [""] * len(mechanism.edges)
        for is_body, index in mechanism.order:
            item = mechanism.bodies[index] if is_body else mechanism.edges[index]
            written = item.name.strip()
            if is_body and mechanism.bodies[index].kind == "ground":
                continue
            name = self.giver.give(parameters.rename.get(written, written))
            (self.links if is_body else self.joints)[index] = name
        self.body_of = {name: index for index, name in enumerate(self.links) if name}
        self._numbers: dict[str, list[int]] = {}
        self._unique: dict[str, list[int]] = {}
        self._others: dict[str, list[int]] = {}
        for index, edge in enumerate(mechanism.edges):
            written = edge.name.strip()
            self._numbers.setdefault(edge.number.lstrip("0") or "0", []).append(index)
            self._unique.setdefault(self.joints[index], []).append(index)
            for name in {written, parameters.rename.get(written, written)}:
                self._others.setdefault(name, []).append(index)

    def find_joints(self, key: str) -> list[int]:
        """Returns the edges that a text means: a number, a unique name, the name in the file, or
        that after renaming; none for an unknown one."""
        if key.isascii() and key.isdigit():
            return self._numbers.get(key.lstrip("0") or "0", [])
        return self._unique.get(key) or self._others.get(key, [])

    def call_joints(self, names: Mapping[int, str]) -> None:
        """Gives edges other names, by which they are found too."""
        for index, name in names.items():
            self.joints[index] = name
            self._unique.setdefault(name, []).append(index)

    def joints_of(self, keys: Iterable[str], what: str, line: int) -> set[int]:
        """Returns the edges of several texts; an unknown one is reported."""
        found: set[int] = set()
        for key in keys:
            edges = self.find_joints(key)
            if not edges:
                self.values.bad(what, self.no_joint(key), line)
            found.update(edges)
        return found

    def no_joint(self, key: str) -> str:
        if key.isdigit():
            return f"there is no joint number {key[:20]}"
        known = [*self._unique, *self._others]
        return f"there is no joint {key[:200]!r}{nearest(key, known)}"

    def no_link(self, key: str) -> str:
        return f"there is no link {key[:200]!r}{nearest(key, self.body_of)}"
