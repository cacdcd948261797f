# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of --json: one JSON object, on one line, for each input."""

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from .. import Diagnostic, Diagnostics, Progress, RobotError, Written
from ..files.version import find_version
from .summary import Facts, count


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome for one input.

    `facts` are the robot's numbers, `files` the written files, `output` the requested one of them
    (or their folder), `seconds` the time of each stage, `text` the text for standard output.
    """

    input: str
    facts: Facts = field(default_factory=dict)
    files: tuple[str, ...] = ()
    output: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    error: RobotError | None = None
    text: str = ""

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
        # JSON knows no infinities; null takes their place.
        for key, value in content.items():
            if isinstance(value, float) and not math.isfinite(value):
                content[key] = None
        return json.dumps(content, allow_nan=False)


ShowProgress = Callable[[Progress], None]
SayStage = Callable[[str], None]
"""Receives the name of each stage when it begins."""


class Work:
    """A report while it is made."""

    def __init__(
        self, input: str, say_stage: SayStage | None = None, progress: ShowProgress | None = None
    ) -> None:
        self._say_stage = say_stage
        self._progress = progress
        self.diagnostics = Diagnostics(input)
        self.facts: Facts = {}
        self.files: list[str] = []
        self.output = ""
        self.text = ""
        self._input = input
        self._seconds: dict[str, float] = {}
        self._error: RobotError | None = None

    def show(self, done: Progress) -> None:
        """Shows the progress where it is wanted."""
        if self._progress is not None:
            self._progress(done)

    def hold_to(self, *, strict: bool) -> None:
        """Raises RobotError for diagnostics where it is `strict`."""
        refuse_strictly(self.diagnostics if strict else Diagnostics())

    def take(self, written: Written) -> None:
        """Takes down the result of an export."""
        self.facts = written.facts
        self.files += map(str, written.files)
        self.output = str(written.path)

    @contextmanager
    def clock(self, stage: str) -> Iterator[None]:
        """Adds the time of the block to a stage's."""
        if self._say_stage is not None:
            self._say_stage(stage)
        began = time.perf_counter()
        try:
            yield
        finally:
            spent = self._seconds.get(stage, 0.0) + time.perf_counter() - began
            self._seconds[stage] = round(spent, 6)

    @contextmanager
    def catch(self) -> Iterator[None]:
        """Ends the block at a RobotError and keeps it for the report."""
        try:
            yield
        except RobotError as error:
            self._error = error

    def report(self) -> Report:
        """Returns the report so far."""
        return Report(
            input=self._input,
            facts=self.facts,
            files=tuple(self.files),
            output=self.output,
            diagnostics=tuple(self.diagnostics),
            seconds=self._seconds,
            error=self._error,
            text=self.text,
        )


def refuse_strictly(diagnostics: Diagnostics) -> None:
    """Raises RobotError where there are warnings or errors."""
    if faults := diagnostics.count_faults():
        raise RobotError(
            f"{count(faults, 'diagnostic')}, and --strict takes each as a failure",
            source=diagnostics.source,
        )


def _describe_error(error: RobotError) -> dict[str, Any]:
    told = {name: getattr(error, name) for name in ("message", "source", "line")}
    return {"type": type(error).__name__, **told}
