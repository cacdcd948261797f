# SPDX-License-Identifier: GPL-3.0-or-later
"""Several descriptions imported one after the other, as one step that can be taken back.

Each finished robot is held at its last step until all are done: closing the batch before then
leaves nothing of any of them. A description that cannot be imported does not stop the others.
"""

import os
from collections.abc import Generator, Iterator, Sequence

from ...urdf_importer import (
    Diagnostics,
    ImportResult,
    Progress,
    RobotError,
    import_steps,
)
from ...urdf_importer.command.jobs import ImportJob
from ...urdf_importer.command.report import Report
from ...urdf_importer.progress import finish

Steps = Generator[Progress, None, ImportResult]


class ImportBatch:
    """Jobs that import into the open scene by `steps`, which fill `results`, and `failures` with
    reports of failed ones, when the last is done."""

    def __init__(self, jobs: Sequence[ImportJob]) -> None:
        self.results: list[ImportResult] = []
        self.failures: list[Report] = []
        self._jobs = tuple(jobs)
        self.steps = self._run()

    def _run(self) -> Generator[Progress, None, None]:
        held: list[Steps] = []
        try:
            for index, job in enumerate(self._jobs):
                diagnostics = Diagnostics(job.input)
                held.append(import_steps(job.input, options=job.options, diagnostics=diagnostics))
                try:
                    yield from self._until_last_step(held[-1], index)
                except RobotError as error:
                    held.pop()
                    found = tuple(diagnostics)
                    self.failures.append(Report(job.input, diagnostics=found, error=error))
            while held:
                self.results.append(finish(held.pop(0)))
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
