# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that a parameter file may name: WORLD, ROOT, numbers, frames of links, moreframes; and the
frames that users drew, by their display names."""

from collections.abc import Iterable

import numpy as np

from ....core.diagnostics import nearest, quote
from ....core.geometry.transforms import make_frame, rotation_from_quaternion
from .mechanism.graph import Frame, Matrix, Mechanism
from .naming import FinalNames
from .parameters.keys import FrameChoice, NewFrame, Parameters
from .parameters.values import Values

# WORLD is ROOT turned by 90 degrees about x: y up in WORLD is z up in ROOT.
_WORLD_FROM_ROOT = make_frame(
    np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), np.zeros(3)
)


class NamedFrames:
    """All frames are (4, 4), world from frame, in the assembled pose."""

    def __init__(
        self, mechanism: Mechanism, parameters: Parameters, names: FinalNames, values: Values
    ) -> None:
        self.mechanism = mechanism
        self.names = names
        self.values = values
        self._known: dict[str, Matrix] = {"WORLD": np.eye(4), "ROOT": _WORLD_FROM_ROOT}
        # Body -> display name -> frame, and display name -> bodies that have one.
        self._drawn: dict[int, dict[str, Frame]] = {}
        self._places: dict[str, list[int]] = {}
        for index, body in enumerate(mechanism.bodies):
            link = names.links[index]
            if link:
                self._known.setdefault(f"{link}CS1", body.part)
                if body.center is not None:
                    self._known.setdefault(f"{link}CG", body.center)
            for frame in body.frames:
                if frame.ref:
                    self._known.setdefault(frame.ref.lstrip("0") or "0", frame.matrix)
                if link and frame.name:
                    self._known.setdefault(link + frame.name, frame.matrix)
                if frame.label:
                    self._drawn.setdefault(index, {}).setdefault(frame.label, frame)
        for index, drawn in self._drawn.items():
            for label in drawn:
                self._places.setdefault(label, []).append(index)
        self._add_more(parameters.more_frames)

    def _add_more(self, more: Iterable[NewFrame]) -> None:
        waiting: dict[str, list[NewFrame]] = {}
        for frame in more:
            waiting.setdefault(frame.parent, []).append(frame)
        ready = [parent for parent in waiting if self.find(parent) is not None]
        while ready:
            for frame in waiting.pop(ready.pop(), ()):
                parent = self.find(frame.parent)
                assert parent is not None
                if frame.child in self._known:
                    self.values.bad("moreframes", f"the name {frame.child!r} is taken", frame.line)
                    continue
                local = make_frame(
                    rotation_from_quaternion(frame.orientation), np.array(frame.offset)
                )
                self._known[frame.child] = parent @ local
                ready.append(frame.child)
        children = {frame.child for frames in waiting.values() for frame in frames}
        for missing, frames in waiting.items():
            for frame in frames:
                problem = (
                    f"{frame.child!r} depends on itself or on a ring of frames"
                    if missing in children
                    else self.no_frame(missing)
                )
                self.values.bad("moreframes", problem, frame.line)

    def find(self, name: str) -> Matrix | None:
        """Returns the frame of a name; None where there is none."""
        if name.isascii() and name.isdigit():
            name = name.lstrip("0") or "0"
        return self._known.get(name)

    def no_frame(self, name: str) -> str:
        return f"there is no frame {name[:200]!r}{nearest(name, self._known)}"

    def adopt(self, placements: list[tuple[int, int, int]]) -> None:
        """Gives the frames that users drew in placing bodies to the first body that each holds."""
        adopted: set[int] = set()
        for place, body, _ in placements:
            drawn = self._drawn.get(place)
            if drawn is None or place in adopted or self.mechanism.bodies[body].kind != "part":
                continue
            adopted.add(place)
            own = self._drawn.setdefault(body, {})
            for label, frame in drawn.items():
                if own.setdefault(label, frame) is frame:
                    places = self._places[label]
                    places[places.index(place)] = body
            del self._drawn[place]

    def drawn(self) -> list[tuple[int, Frame]]:
        """Returns all frames that users drew in links, with their bodies, in the order of the
        file."""
        return [
            (index, frame)
            for index in sorted(self._drawn)
            if self.names.links[index]
            for frame in self._drawn[index].values()
        ]

    def choose(self, choice: FrameChoice, key: str) -> tuple[int, Matrix] | None:
        """Returns the body and the frame that a user means; None, and reported, where there is
        none."""
        places = self._places.get(choice.frame, [])
        if choice.reference:
            body = self.names.body_of.get(choice.reference, -1)
            places = [body] if choice.frame in self._drawn.get(body, ()) else []
        if not places:
            self.values.bad(key, self._explain_missing(choice), choice.frame_line)
            return None
        if len(places) > 1:
            self.values.diagnostics.warning(
                "ambiguous-frame",
                f"{len(places)} bodies have a frame {quote(choice.frame)}; the frame of "
                f"link {quote(self.names.links[places[0]])} is used",
                subject=choice.frame,
                line=choice.frame_line,
                source=self.values.source,
            )
        return places[0], self._drawn[places[0]][choice.frame].matrix

    def _explain_missing(self, choice: FrameChoice) -> str:
        label, link = choice.frame, choice.reference
        if not link:
            return f"no body has a frame {label[:200]!r}{nearest(label, self._places)}"
        body = self.names.body_of.get(link)
        if body is None:
            return self.names.no_link(link)
        return f"link {link!r} has no frame {label!r}{nearest(label, self._drawn.get(body, {}))}"
