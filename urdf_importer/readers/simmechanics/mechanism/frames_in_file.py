# SPDX-License-Identifier: GPL-3.0-or-later
"""<Frame> of the first generation, and how frames hang on each other.

Every exporter known writes all frames in WORLD; the format also allows a frame of the same body,
and ADJOINING, the frame across the joint.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ....diagnostics import quote
from ....geometry.transforms import make_frame
from ....markup.xml import Element
from .graph import Matrix, Vector
from .values import LENGTHS, XmlPage, length_unit, nearest_rotation

WORLD = "WORLD"
ADJOINING = "ADJOINING"
_TRANSFORM = "3x3 transform"


@dataclass(slots=True, kw_only=True, eq=False)
class WrittenFrame:
    """A frame as written: `point` in metres, `rotation` (3, 3), each in the frame that is named."""

    name: str
    label: str
    ref: str
    point: Vector
    rotation: Matrix
    origin: str
    axes: str
    turned_in: str
    unit: float
    line: int

    @property
    def needs(self) -> set[str]:
        return {self.origin, self.axes, self.turned_in} - {WORLD}


def read_frame(element: Element, page: XmlPage) -> WrittenFrame:
    """Raises ReadError for a position or orientation that does not consist of numbers, or whose
    unit or kind is unknown."""
    texts = {child.tag: page.text(child) for child in reversed(element)}
    fields = {child.tag: child for child in reversed(element)}
    name = texts.get("name", "")
    what = f"frame {quote(name)}"
    if "position" not in fields:
        raise page.refusal(f"{what} has no position", element.line)
    written_unit = texts.get("positionUnits") or "m"
    unit = length_unit(written_unit)
    if unit is None:
        raise page.refusal(
            f"positionUnits of {what} is {quote(written_unit)}, an unknown unit (known are "
            f"{', '.join(key for key in LENGTHS if len(key) < 3)})",
            fields["positionUnits"].line,
        )
    return WrittenFrame(
        name=name,
        label=texts.get("displayName", ""),
        ref=element.attributes.get("ref", "").strip(),
        point=page.point(fields["position"], unit, f"the position of {what}"),
        rotation=_read_rotation(fields, texts, what, page),
        origin=texts.get("positionOrigin") or WORLD,
        axes=texts.get("positionReferenceFrame") or WORLD,
        turned_in=texts.get("orientationReferenceFrame") or WORLD,
        unit=unit,
        line=element.line,
    )


def _read_rotation(
    fields: Mapping[str, Element], texts: Mapping[str, str], what: str, page: XmlPage
) -> Matrix:
    """Column by column: the first three numbers are the frame's x axis."""
    if "orientation" not in fields:
        return np.eye(3)
    kind = texts.get("orientationType") or _TRANSFORM
    if kind.lower() != _TRANSFORM:
        raise page.refusal(
            f"the orientation of {what} has the type {quote(kind)}; only '3x3 Transform' is known",
            fields["orientationType"].line,
        )
    element = fields["orientation"]
    columns = np.array(page.numbers(element, 9, f"the orientation of {what}")).reshape(3, 3)
    rotation = nearest_rotation(columns.T)
    if rotation is None:
        page.diagnostics.error(
            "bad-orientation",
            f"the orientation of {what} is not a rotation; it is read as not turned",
            subject=what,
            line=element.line,
        )
        return np.eye(3)
    return rotation


class FrameTable:
    """All frames of a file, by number and by body."""

    def __init__(self, page: XmlPage) -> None:
        self.page = page
        self.unit = 1.0
        self._by_ref: dict[str, tuple[int, WrittenFrame]] = {}
        self._relative: list[tuple[int, WrittenFrame]] = []
        self._by_name: dict[tuple[int, str], WrittenFrame] = {}
        self._matrices: dict[WrittenFrame, Matrix] = {}

    def add(self, body: int, frame: WrittenFrame) -> None:
        """Adds a frame of a body; the first of a number counts."""
        if not self._by_name:
            self.unit = frame.unit
        self._by_name.setdefault((body, frame.name), frame)
        if frame.needs:
            self._relative.append((body, frame))
        else:
            self._matrices[frame] = make_frame(frame.rotation, frame.point)
        if not frame.ref:
            return
        known = self._by_ref.setdefault(frame.ref, (body, frame))
        if known[1] is not frame:
            self.page.diagnostics.error(
                "duplicate-frame",
                f"the number {quote(frame.ref)} was given to a frame in line {known[1].line} "
                "already; joints attach there",
                subject=frame.ref,
                line=frame.line,
            )

    def knows(self, ref: str) -> bool:
        return ref in self._by_ref

    def find(self, ref: str) -> tuple[int, WrittenFrame]:
        """Returns the body and the frame of a number that is known."""
        return self._by_ref[ref]

    def matrix(self, frame: WrittenFrame) -> Matrix:
        """Returns (4, 4), world from frame, once all are resolved."""
        return self._matrices[frame]

    def resolve(self, across: Mapping[str, str]) -> None:
        """Puts the frames in the world that hang on others; `across` maps to the number on the
        other side of a joint. Raises ReadError where a frame names a missing one, or a ring."""
        waiting: dict[WrittenFrame, list[tuple[int, WrittenFrame]]] = {}
        ready: list[tuple[int, WrittenFrame]] = []
        open_frames: dict[WrittenFrame, int] = {}
        for body, frame in self._relative:
            needed = {
                other
                for other in self._parents(body, frame, across).values()
                if other not in self._matrices
            }
            open_frames[frame] = len(needed)
            for other in needed:
                waiting.setdefault(other, []).append((body, frame))
            if not needed:
                ready.append((body, frame))
        while ready:
            body, frame = ready.pop()
            self._matrices[frame] = self._place(frame, self._parents(body, frame, across))
            for later in waiting.pop(frame, ()):
                open_frames[later[1]] -= 1
                if not open_frames[later[1]]:
                    ready.append(later)
        for _, frame in self._relative:
            if frame not in self._matrices:
                raise self.page.refusal(
                    f"frame {quote(frame.name)} hangs on itself, by way of the frames that it "
                    "names",
                    frame.line,
                )

    def _parents(
        self, body: int, frame: WrittenFrame, across: Mapping[str, str]
    ) -> dict[str, WrittenFrame]:
        """Word -> frame, for the words by which a frame names others."""
        found = {}
        for word in frame.needs:
            if word == ADJOINING:
                ref = across.get(frame.ref, "")
                other = self._by_ref[ref][1] if ref in self._by_ref else None
            else:
                other = self._by_name.get((body, word))
            if other is None:
                raise self.page.refusal(
                    f"frame {quote(frame.name)} is given in the frame {quote(word)}, which is not "
                    "there",
                    frame.line,
                )
            found[word] = other
        return found

    def _place(self, frame: WrittenFrame, parents: Mapping[str, WrittenFrame]) -> Matrix:
        frames = {word: self._matrices[other] for word, other in parents.items()}
        frames[WORLD] = np.eye(4)
        point = frames[frame.origin][:3, 3] + frames[frame.axes][:3, :3] @ frame.point
        return make_frame(frames[frame.turned_in][:3, :3] @ frame.rotation, point)
