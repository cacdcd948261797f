# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of batches."""

from dataclasses import dataclass, field

from .. import FileOptions, ImportOptions
from ..arguments import options_of, several_options_of
from ..diagnostics import ArgumentError, quote_value


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
    strict           every diagnostic is a failure
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
        amounts: dict[str, object] = {
            "time_limit": self.time_limit,
            "picture_samples": self.picture_samples,
        }
        amounts |= {"jobs": self.jobs, "memory_limit": self.memory_limit}
        size: object = self.picture_size
        sizes = size if isinstance(size, tuple | list) else ()
        if len(sizes) != 2 or not all(isinstance(each, int) and each > 0 for each in sizes):
            raise ArgumentError(
                f"picture_size is {quote_value(self.picture_size)}; it has to be (width, height) "
                "in pixels"
            )
        for name, value in amounts.items():
            is_left_out = value is None and name in ("jobs", "memory_limit")
            if not (is_left_out or (isinstance(value, int | float) and value > 0)):
                raise ArgumentError(
                    f"{name} is {quote_value(value)}; it has to be a number above 0"
                )
