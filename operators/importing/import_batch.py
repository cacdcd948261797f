# SPDX-License-Identifier: GPL-3.0-or-later
"""Several descriptions imported one after the other, as one step that can be taken back.

Each finished robot is held at its last step until all are done: closing the batch before then
leaves nothing of any of them. A description that cannot be imported does not stop the others.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from ...urdf_importer import (
    Diagnostics,
    ImportResult,
    Progress,
    RobotError,
    import_steps,
)
from ...urdf_importer.core.command.jobs import ImportJob
from ...urdf_importer.core.command.report import Report
from ...urdf_importer.core.progress import finish
from ...urdf_importer.core.shelves import find_hook

Steps = Generator[Progress, None, Any]


class ImportBatch:
    """Jobs that import into the open scene by `steps`, which fill `results`, `worlds` and, with
    reports of failed ones, `failures` when the last is done. Files are robots, or
    `whole_worlds`."""

    def __init__(self, jobs: Sequence[ImportJob], *, whole_worlds: bool = False) -> None:
        self.results: list[ImportResult] = []
        self.worlds: list[Any] = []
        self.failures: list[Report] = []
        self._jobs = tuple(jobs)
        self._begin = find_hook("import_world_steps", "a world") if whole_worlds else import_steps
        self.steps = self._run()

    def _run(self) -> Generator[Progress, None, None]:
        held: list[Steps] = []
        try:
            for index, job in enumerate(self._jobs):
                diagnostics = Diagnostics(job.input)
                held.append(self._begin(job.input, options=job.options, diagnostics=diagnostics))
                try:
                    yield from self._until_last_step(held[-1], index)
                except RobotError as error:
                    held.pop()
                    found = tuple(diagnostics)
                    self.failures.append(Report(job.input, diagnostics=found, error=error))
            while held:
                result = finish(held.pop(0))
                is_robot = isinstance(result, ImportResult)
                (self.results if is_robot else self.worlds).append(result)
        finally:
            for steps in reversed(held):
                steps.close()

    def _until_last_step(self, steps: Steps, index: int) -> Iterator[Progress]:
        count = len(self._jobs)
        name = os.path.basename(self._jobs[index].input)
        for progress in steps:
            yield Progress(share=(index + progress.share) / count, text=f"{name}: {progress.text}")
            if progress.share >= 1:
                return
