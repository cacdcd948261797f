# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of batches."""

from dataclasses import dataclass, field

from ...core.arguments import number_of, numbers_of, options_of, several_options_of
from ...core.options import FileOptions, ImportOptions

_SHORTEST = 0.001
"""Seconds: a batch without any time converts nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How many descriptions are converted. Every field has a sensible default.

    imports          how each description is read and built
    exports          options of formats; other formats are written by their defaults
    jobs             processes at a time; None: one for each core
    scheduler        the address of a Dask scheduler, whose workers do the work instead
    resume, again    go on with the batch in the output folder, or start over (the old log is kept)
    time_limit       seconds that a robot may take
    memory_limit     MiB that a robot may take; None: a fair share
    picture_size     width and height in pixels
    picture_samples  for each pixel
    strict           every warning and error is a failure

    Raises ArgumentError for values of wrong kinds.
    """

    imports: ImportOptions = field(default_factory=ImportOptions)
    exports: tuple[FileOptions, ...] = ()
    jobs: int | None = None
    scheduler: str | None = None
    resume: bool = False
    again: bool = False
    time_limit: float = 300.0
    memory_limit: float | None = None
    picture_size: tuple[int, int] = (256, 192)
    picture_samples: int = 8
    strict: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "imports", options_of(self.imports, ImportOptions))
        object.__setattr__(self, "exports", several_options_of(self.exports, FileOptions))
        numbers_of(self.picture_size, "picture_size", 2, least=1, whole=True)
        number_of(self.picture_samples, "picture_samples", least=1, whole=True)
        number_of(self.time_limit, "time_limit", least=_SHORTEST)
        if self.jobs is not None:
            number_of(self.jobs, "jobs", least=1, whole=True)
        if self.memory_limit is not None:
            number_of(self.memory_limit, "memory_limit", least=1)
