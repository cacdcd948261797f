# SPDX-License-Identifier: GPL-3.0-or-later
"""Several descriptions imported one after the other, as one thing that can be taken back.

Each finished robot is held at its last step until all are done: closing the job until then leaves
nothing of any of them. A description that cannot be imported does not keep the others out.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from ...urdf_importer import (
    Diagnostic,
    Diagnostics,
    ImportOptions,
    ImportResult,
    Progress,
    RobotError,
    import_steps,
)

Steps = Generator[Progress, None, ImportResult]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTask:
    path: str
    options: ImportOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFailure:
    """`sentence` gives the reason; `diagnostics` came before it."""

    path: str
    sentence: str
    diagnostics: tuple[Diagnostic, ...]


class ImportJob:
    """Fills `results` and `failures` when its last step is done."""

    def __init__(self, tasks: Sequence[ImportTask]) -> None:
        self.results: list[ImportResult] = []
        self.failures: list[ImportFailure] = []
        self._tasks = tuple(tasks)
        self._steps = self._run()

    def advance(self) -> Progress | None:
        """Does a step and returns what comes next; None when everything is done."""
        return next(self._steps, None)

    def finish(self) -> None:
        """Does all steps that are left."""
        for _ in self._steps:
            pass

    def close(self) -> None:
        """Takes everything back, unless the job is done."""
        self._steps.close()

    def _run(self) -> Generator[Progress, None, None]:
        held: list[Steps] = []
        try:
            for index, task in enumerate(self._tasks):
                diagnostics = Diagnostics(task.path)
                held.append(import_steps(task.path, task.options, diagnostics))
                try:
                    yield from self._until_last_step(held[-1], index)
                except RobotError as error:
                    held.pop()
                    self._fail(task, error, diagnostics)
            while held:
                self.results.append(_finish(held.pop(0)))
        finally:
            for steps in reversed(held):
                steps.close()

    def _until_last_step(self, steps: Steps, index: int) -> Iterator[Progress]:
        count = len(self._tasks)
        name = os.path.basename(self._tasks[index].path)
        for progress in steps:
            yield Progress(share=(index + progress.share) / count, text=f"{name}: {progress.text}")
            if progress.share >= 1:
                return

    def _fail(self, task: ImportTask, error: RobotError, diagnostics: Diagnostics) -> None:
        self.failures.append(
            ImportFailure(path=task.path, sentence=str(error), diagnostics=tuple(diagnostics))
        )


def _finish(steps: Steps) -> ImportResult:
    while True:
        try:
            next(steps)
        except StopIteration as finished:
            result: ImportResult = finished.value
            return result
