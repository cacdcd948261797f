# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of an export: the file is read back and compared with the robot that it was made of."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from ...core.arguments import options_of, robot_or_rig_of
from ...core.diagnostics import Diagnostics, RobotError
from ...core.files.outputs import AnyPath
from ...core.files.version import find_version
from ...core.kinematics.tree import retrace_tree
from ...core.model import Robot
from ...core.pipeline.opening import open_export, open_scene
from .compare import Comparison, ProofRow
from .lint import write_aside
from .options import ProofOptions
from .readers import list_readers, try_reader
from .seen import draw_poses, see_robot

_ORDER = ("differs", "explained", "held-not", "not-checked", "equal")
_STYLE = (
    "body{font:15px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "td,th{padding:.2em .8em;text-align:left}td:not(:last-child){white-space:nowrap}"
    "figure{display:inline-block;margin:0 1em 1em 0}"
    "tr.differs{background:#fdd}tr.explained{background:#ffd}tr.equal{color:#060}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The result of a proof: `holds` where no row differs and this library read the file. Its text
    is one page."""

    path: Path
    robot: str
    rows: tuple[ProofRow, ...]
    readers: tuple[str, ...]
    holds: bool

    def __str__(self) -> str:
        return "\n".join([*self.head(), "", *self._lines()])

    def head(self) -> list[str]:
        """Returns the heading: robot and file, who read it, the verdict."""
        bad = sum(row.outcome == "differs" for row in self.rows)
        differ = "1 thing differs" if bad == 1 else f"{bad} things differ"
        verdict = "holds" if self.holds else differ if bad else "not proven"
        readers = f"read by {', '.join(self.readers) or 'none'}; urdf-importer {find_version()}"
        return [f"{self.robot} in {self.path.name}: {verdict}", readers]

    def groups(self) -> Iterator[tuple[str, str, str, str, str]]:
        """Yields outcome, reader, kind, part and sentence; one for all that is equal or has no
        place in the format."""
        for outcome in _ORDER:
            rows = [row for row in self.rows if row.outcome == outcome]
            if outcome in ("equal", "held-not"):
                last = {(row.reader, row.what): row for row in rows}
                for (reader, what), number in Counter((r.reader, r.what) for r in rows).items():
                    text = last[reader, what].text if number == 1 or outcome == "held-not" else ""
                    yield outcome, reader, what, f"{number} of a kind", text
                continue
            for row in rows:
                cause = f" [{row.code}]" if row.code else ""
                yield outcome, row.reader, row.what, row.name, row.text + cause

    def _lines(self) -> Iterator[str]:
        for outcome, reader, what, name, text in self.groups():
            yield f"{outcome:12}{reader:10}{what:12}{name:24}  {text}".rstrip()

    def to_json(self) -> str:
        """Returns the proof as JSON."""
        content = asdict(self) | {"path": str(self.path), "version": find_version()}
        return json.dumps(content, indent=1) + "\n"

    def to_html(self, *, pictures: Sequence[bytes] = ()) -> str:
        """Returns the page as one file of HTML, without scripts. `pictures` are PNGs: the robot as
        it is, and as it is in the file."""
        title, readers = map(escape, self.head())
        rows = "".join(
            f'<tr class="{row[0]}">'
            + "".join(f"<td>{escape(cell)}</td>" for cell in row)
            + "</tr>\n"
            for row in self.groups()
        )
        heads = "".join(f"<th>{each}</th>" for each in ("", "reader", "kind", "part", ""))
        shown = "".join(
            f'<figure><img alt="" src="data:image/png;base64,{b64encode(each).decode()}">'
            f"<figcaption>{escape(name)}</figcaption></figure>\n"
            for each, name in zip(pictures, (self.robot, self.path.name), strict=False)
        )
        return (
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>'
            f"<style>{_STYLE}</style>\n<h1>{title}</h1>\n<p>{readers}</p>\n{shown}"
            f"<table>\n<tr>{heads}</tr>\n{rows}</table></html>\n"
        )


def prove_export(
    robot_or_armature: Robot | Any,
    path: AnyPath,
    *,
    options: ProofOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Proof:
    """Returns whether a file holds the robot that it was made of: it is read back by this library
    and by independent readers that are installed, and compared by links, frames at zero and at
    random poses, masses, centres and inertias by rigid body, limits, shapes and their boxes.

    `diagnostics` come from the export; where none are given the robot is written once more, into a
    temporary folder, to learn them. A difference that one of them names is explained. Of a robot in
    Blender its state counts. Files that nothing here reads, such as .proto and .fbx, are not
    checked, and their proof does not hold. Raises ArgumentError for an unknown reader,
    KinematicsError for a robot that is not a tree, BuildError for an object that is not an imported
    robot.
    """
    given, options = robot_or_rig_of(robot_or_armature), options_of(options, ProofOptions)
    options.refuse_unknown()
    place = Path(path)
    if diagnostics is None:
        diagnostics = Diagnostics()
        with suppress(RobotError):
            write_aside(given, place.name, options, diagnostics)
    told = list(diagnostics)
    export = open_export(given, options, Diagnostics())
    rows: list[ProofRow] = []
    used: list[str] = []
    with open_scene(export) as opened:
        tree = retrace_tree(opened.robot)
        poses = draw_poses(tree, options.poses, options.seed)
        original = see_robot(opened.robot, opened.files if options.shapes else None, poses)
        told += list(opened.files.diagnostics)
        comparison = Comparison(
            tree=tree, original=original, told=told, suffix=place.suffix.lower(),
            tolerance=options.tolerance,
        )  # fmt: skip
        for reader in list_readers(place, options.readers):
            seen = try_reader(reader, place, tree, poses, options)
            if isinstance(seen, RobotError):
                rows.append(comparison.refuse(reader, seen.message))
            elif isinstance(seen, str):
                absent: Any = {"reader": reader, "outcome": "not-checked", "text": seen}
                rows.append(ProofRow(what="reads", name="", **absent))
            else:
                used.append(reader)
                rows += comparison.compare(seen, reader)
    return Proof(
        path=place,
        robot=tree.robot.name,
        rows=tuple(rows),
        readers=tuple(used),
        holds="own" in used and not any(row.outcome == "differs" for row in rows),
    )
