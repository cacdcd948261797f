# SPDX-License-Identifier: GPL-3.0-or-later
"""<Frame> of the first generation, and how frames depend on each other.

Every exporter known writes all frames in WORLD; the format also allows a frame of the same body,
and ADJOINING, the frame across the joint.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .....core.diagnostics import quote
from .....core.geometry.transforms import make_frame
from .....core.markup.xml import Element
from .graph import Frame, Matrix, Vector
from .values import Fields, XmlPage, length_unit

WORLD = "WORLD"
ADJOINING = "ADJOINING"
_TRANSFORM = "3x3 transform"


@dataclass(slots=True, kw_only=True, eq=False)
class WrittenFrame:
    """A frame as written: `point` in metres, `rotation` (3, 3), each in the frame that is named.
    `placed` is the same frame in the world, once the frames that it depends on are known."""

    body: int
    name: str
    label: str
    ref: str
    point: Vector
    rotation: Matrix
    origin: str
    axes: str
    turned_in: str
    line: int
    placed: Frame | None = None

    @property
    def frame(self) -> Frame:
        """The frame in the world, of a frame that is placed."""
        assert self.placed is not None
        return self.placed

    @property
    def needs(self) -> set[str]:
        return {self.origin, self.axes, self.turned_in} - {WORLD}

    def resolve(self, parents: Mapping[str, "WrittenFrame"]) -> None:
        """Puts the frame in the world, given the frames of the words by which it names others."""
        frames = {word: other.frame.matrix for word, other in parents.items()}
        if frames:
            frames[WORLD] = np.eye(4)
            point = frames[self.origin][:3, 3] + frames[self.axes][:3, :3] @ self.point
            matrix = make_frame(frames[self.turned_in][:3, :3] @ self.rotation, point)
        else:
            matrix = make_frame(self.rotation, self.point)
        self.placed = Frame(
            matrix=matrix, name=self.name, label=self.label, ref=self.ref, line=self.line
        )


class FrameTable:
    """All frames of a file, by number and by body."""

    def __init__(self, page: XmlPage) -> None:
        self.page = page
        self.unit = 0.0
        self._by_ref: dict[str, WrittenFrame] = {}
        self._by_name: dict[tuple[int, str], WrittenFrame] = {}
        self._relative: list[WrittenFrame] = []

    def read(self, element: Element, body: int) -> WrittenFrame:
        """Returns a frame of a body; the first of a number counts. Raises ReadError for a position
        or orientation that does not consist of numbers, or whose unit or kind is unknown."""
        page, fields = self.page, self.page.fields(element)
        name = fields.text("name")
        what = f"frame {quote(name)}"
        if "position" not in fields:
            raise page.refusal(f"{what} has no position", element.line)
        unit_line = fields.get("positionUnits", element).line
        unit = page.unit(
            fields.text("positionUnits"), length_unit, f"positionUnits of {what}", unit_line
        )
        self.unit = self.unit or unit
        frame = WrittenFrame(
            body=body,
            name=name,
            label=fields.text("displayName"),
            ref=element.attributes.get("ref", "").strip(),
            point=page.point(fields["position"], unit, f"the position of {what}"),
            rotation=_read_rotation(fields, what, page),
            origin=fields.text("positionOrigin") or WORLD,
            axes=fields.text("positionReferenceFrame") or WORLD,
            turned_in=fields.text("orientationReferenceFrame") or WORLD,
            line=element.line,
        )
        self._add(frame)
        return frame

    def _add(self, frame: WrittenFrame) -> None:
        self._by_name.setdefault((frame.body, frame.name), frame)
        if frame.needs:
            self._relative.append(frame)
        else:
            frame.resolve({})
        known = self._by_ref.setdefault(frame.ref, frame) if frame.ref else frame
        if known is not frame:
            finding = f"was given to a frame in line {known.line} already; joints attach there"
            message = f"the number {quote(frame.ref)} {finding}"
            self.page.error("duplicate-frame", message, frame.ref, frame.line)

    def find(self, ref: str) -> WrittenFrame | None:
        """Returns the frame of a number; None where there is none."""
        return self._by_ref.get(ref)

    def resolve(self, across: Mapping[str, str]) -> None:
        """Puts the frames in the world that depend on other frames; `across` maps to the number on
        the other side of a joint. Raises ReadError where a frame names a missing one, or a ring."""
        parents = {frame: self._parents(frame, across) for frame in self._relative}
        for start in self._relative:
            waiting, opened = [start], set[WrittenFrame]()
            while waiting:
                frame = waiting[-1]
                missing = [other for other in parents[frame].values() if other.placed is None]
                if not missing:
                    frame.resolve(parents[frame])
                    waiting.pop()
                elif frame in opened:
                    raise self.page.refusal(
                        f"frame {quote(start.name)} depends on itself, through the frames that "
                        "it names",
                        start.line,
                    )
                opened.add(frame)
                waiting += missing

    def _parents(self, frame: WrittenFrame, across: Mapping[str, str]) -> dict[str, WrittenFrame]:
        """Word -> frame, for the words by which a frame names others."""
        found = {}
        for word in frame.needs:
            other = self._by_name.get((frame.body, word))
            if word == ADJOINING:
                other = self._by_ref.get(across.get(frame.ref, ""))
            if other is None:
                raise self.page.refusal(
                    f"frame {quote(frame.name)} is given in the frame {quote(word)}, which is not "
                    "there",
                    frame.line,
                )
            found[word] = other
        return found


def _read_rotation(fields: Fields, what: str, page: XmlPage) -> Matrix:
    """Column by column: the first three numbers are the frame's x axis."""
    if "orientation" not in fields:
        return np.eye(3)
    kind = fields.text("orientationType") or _TRANSFORM
    if kind.lower() != _TRANSFORM:
        raise page.refusal(
            f"the orientation of {what} has the type {quote(kind)}; only '3x3 Transform' is known",
            fields["orientationType"].line,
        )
    return page.rotation(fields["orientation"], what, by_columns=True)
