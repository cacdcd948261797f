# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of --json: one JSON object, on one line, for each input."""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ..diagnostics import Diagnostic, Diagnostics, RobotError
from ..files.version import find_version
from ..pipeline.exporting import Written
from ..progress import Progress
from .summary import Facts, count


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome for one input.

    `facts` are the robot's numbers, `files` the written files, `output` the requested one of them
    (or their folder), `seconds` the time of each stage. `text` is a document for standard output,
    `rows` the lines of a table. `notes` and `summary` are lines for people who are watching.
    `status` is the exit status without an error.
    """

    input: str
    facts: Facts = field(default_factory=dict)
    files: tuple[str, ...] = ()
    output: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    error: RobotError | None = None
    text: str = ""
    rows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    summary: str = ""
    status: int = 0

    def to_json(self) -> str:
        """Returns the report as JSON on one line."""
        content = {
            "version": find_version(),
            "input": self.input,
            "ok": self.error is None,
            "error": self.error and _describe_error(self.error),
            **self.facts,
            "files": self.files,
            "diagnostics": [
                asdict(item) | {"severity": item.severity.value} for item in self.diagnostics
            ],
            "seconds": self.seconds,
        }
        return json.dumps(_without_infinities(content), allow_nan=False)


def _without_infinities(value: Any) -> Any:
    """Returns it as JSON can hold it: null takes the place of infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _without_infinities(each) for key, each in value.items()}
    return [*map(_without_infinities, value)] if isinstance(value, list | tuple) else value


ShowProgress = Callable[[Progress], None]
SayStage = Callable[[str], None]
"""Receives the name of each stage when it begins."""


class Work:
    """A report while it is made. With `strict` its warnings and errors are failures."""

    def __init__(
        self,
        input: str,
        say_stage: SayStage | None = None,
        progress: ShowProgress | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self._say_stage = say_stage
        self._progress = progress
        self._strict = strict
        self.diagnostics = Diagnostics(input)
        self.facts: Facts = {}
        self.files: list[str] = []
        self.output = self.text = self.summary = ""
        self.rows: list[str] = []
        self.notes: list[str] = []
        self.status = 0
        self.input = input
        self.seconds: dict[str, float] = {}
        self.error: RobotError | None = None

    def show(self, done: Progress) -> None:
        """Shows the progress where it is wanted."""
        if self._progress is not None:
            self._progress(done)

    def hold(self) -> None:
        """Raises RobotError for diagnostics where the work is strict."""
        if self._strict and (faults := self.diagnostics.count_faults()):
            raise RobotError(
                f"{count(faults, 'diagnostic')}, and --strict treats them as failures",
                source=self.diagnostics.source,
            )

    def take(self, written: Written) -> None:
        """Takes down the result of an export."""
        self.facts = written.facts
        self.add(*written.files)
        self.output = str(written.path)

    def add(self, *files: Any) -> None:
        """Takes down files that were written."""
        self.files += map(str, files)

    @contextmanager
    def clock(self, stage: str) -> Iterator[None]:
        """Adds the time of the block to a stage's."""
        if self._say_stage is not None:
            self._say_stage(stage)
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = self.seconds.get(stage, 0.0) + time.perf_counter() - began
            self.seconds[stage] = round(spent, 6)

    @contextmanager
    def catch(self) -> Iterator[None]:
        """Ends the block at a RobotError and keeps it for the report; its files are gone then."""
        try:
            yield
        except RobotError as error:
            self.error = error
            self.files.clear()

    def report(self) -> Report:
        """Returns the report so far."""
        found: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(Report)}
        for name, value in found.items():
            found[name] = tuple(value) if isinstance(value, list | Diagnostics) else value
        return Report(**found)


def _describe_error(error: RobotError) -> dict[str, Any]:
    told = {name: getattr(error, name) for name in ("message", "source", "line")}
    return {"type": type(error).__name__, **told}
