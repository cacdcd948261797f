# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch from beginning to end: inputs, places, remaining work, work, log, page."""

import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ...core.arguments import options_of, texts_of
from ...core.diagnostics import WriteError, name_choices, quote
from ...core.files.outputs import AnyPath, refuse_failure
from ...core.pipeline.formats import find_writer, writer_formats
from ...core.shelves import has_hook
from .assets import ASSET, write_catalogs
from .inputs import BatchInput, choose_places, find_inputs
from .log import NAME, Log, read_log, set_aside
from .options import BatchOptions
from .page import PAGE, write_page
from .pool import choose_memory_limit, count_cores, run_tasks
from .process import measure_mib
from .records import FINAL, BatchRecord, BatchResult
from .supervisor import Limits, remove_leftovers
from .task import BLEND, PICTURE, RobotTask, Wanted, digest_work

_PAGE_EVERY = 30.0
"""Seconds between two pages while the batch runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """How far a batch is: `done` of `total` robots, the newest `record`, seconds since it began."""

    done: int
    total: int
    record: BatchRecord
    seconds: float


def batch(
    paths: Iterable[AnyPath],
    output: AnyPath,
    *,
    to: Sequence[str] = ("blend",),
    progress: Callable[[BatchProgress], None] | None = None,
    options: BatchOptions | None = None,
) -> BatchResult:
    """Converts many descriptions; none stops another.

    paths     files, folders that are searched, and lists of these ("@list.txt")
    output    the folder for everything: a folder for each robot, batch.jsonl, index.html
    to        files to make of each robot: "blend", "png", suffixes of writer_formats(), names of
              these that write folders, such as "ros2", and "asset": a .blend of a library of
              assets, with its licence, and the catalogues of them all in blender_assets.cats.txt
    progress  is called after each robot

    Raises WriteError where a batch is in `output` and neither `resume` nor `again` is set,
    for an unknown word in `to`, and where the folder takes no files any more; ReadError for inputs
    that cannot be listed; BuildError without Blender, or a scheduler at the address.
    """
    options = options_of(options, BatchOptions)
    wanted = choose_outputs(texts_of(to, "to"), options)
    inputs = find_inputs(texts_of(paths, "paths"))
    folder = _open_output(output, resume=options.resume, again=options.again)
    known = read_log(folder / NAME)
    work = _Work(inputs, folder, wanted, known, progress)
    workers = options.jobs or count_cores()
    limits = _choose_limits(options.time_limit, options.memory_limit, workers)
    with Log(folder / NAME) as log:
        work.do(log, options.scheduler, workers, limits)
    return BatchResult(records=work.records(), log=folder / NAME, page=folder / PAGE)


def _choose_limits(seconds: float, mib: float | None, workers: int) -> Limits:
    if mib and not measure_mib(os.getpid()):
        raise WriteError(
            "this system does not report the memory of a process, so no limit "
            "would hold: leave the memory limit out"
        )
    return Limits(seconds=seconds, mib=choose_memory_limit(workers) if mib is None else mib)


def choose_outputs(to: Sequence[str], options: BatchOptions) -> Wanted:
    """Returns the outputs to make of each robot, from words such as "blend", ".proto" and "ros2",
    which is a folder.

    Raises WriteError for an unknown word.
    """
    folders = {each.name: each for each in writer_formats() if each.writes_folders}
    words = [word.strip().lower().lstrip(".") for word in to]
    suffixes = tuple(dict.fromkeys(_suffix_of(word, folders) for word in words))
    exports = []
    for suffix in suffixes:
        if suffix in (BLEND, PICTURE):
            continue
        try:
            kind = folders.get(suffix[1:]) or find_writer(Path(f"robot{suffix}"))
        except WriteError:
            writable = [suffix for each in writer_formats() for suffix in each.suffixes]
            known = [ASSET, BLEND, PICTURE, *writable, *folders]
            raise WriteError(f"a batch writes {name_choices(known)}, not {quote(suffix)}") from None
        fitting = [each for each in options.exports if isinstance(each, kind.options)]
        exports.append((suffix, fitting[0] if fitting else kind.options()))
    if not suffixes or suffixes == (".",):
        raise WriteError("a batch must write something: blend, png or another format")
    if ASSET in words and not has_hook("render_preview"):
        raise WriteError("assets need a part of the library that is not installed")
    return Wanted(
        suffixes=suffixes,
        asset=ASSET in words,
        options=options.imports,
        exports=tuple(exports),
        picture_size=options.picture_size,
        picture_samples=options.picture_samples,
        strict=options.strict,
    )


def _suffix_of(word: str, folders: Container[str]) -> str:
    if word in folders:
        return f"_{word}"
    return BLEND if word == ASSET else f".{word}"


def _open_output(output: AnyPath, *, resume: bool, again: bool) -> Path:
    folder = Path(os.path.abspath(output))
    with refuse_failure(folder, "write into"):
        folder.mkdir(parents=True, exist_ok=True)
    log = folder / NAME
    if log.exists():
        if again:
            set_aside(log)
        elif not resume:
            raise WriteError(
                f"there is a batch in {quote(str(folder))} already: --resume continues it, --again "
                "starts over"
            )
        remove_leftovers(folder)
    return folder


class _Work:
    """The state of a running batch."""

    def __init__(
        self,
        inputs: Sequence[BatchInput],
        folder: Path,
        wanted: Wanted,
        known: Mapping[str, BatchRecord],
        progress: Callable[[BatchProgress], None] | None,
    ) -> None:
        self._inputs = inputs
        self._folder = folder
        self._wanted = wanted
        self._known = dict(known)
        self._progress = progress
        self._began = time.monotonic()
        self._page_at = self._began
        kept = {path: record.place for path, record in known.items() if _is_safe(record.place)}
        self._places = choose_places(inputs, wanted.suffixes, kept)

    def do(self, log: Log, scheduler: str | None, workers: int, limits: Limits) -> None:
        """Does the remaining work, here or in a scheduler's workers; logs it."""
        if self._known:
            # Half-written files of an earlier run that was killed.
            for place in self._places.values():
                remove_leftovers(self._folder.joinpath(*place.split("/")))
        tasks = [self._task(each) for each in self._inputs if not self._is_done(each)]
        with closing(run_tasks(tasks, scheduler, workers, limits)) as records:
            self._follow(records, log, len(tasks))

    def _follow(self, records: Iterator[BatchRecord], log: Log, total: int) -> None:
        """Writes down records as they come, and the page now and then and at the end."""
        try:
            for done, record in enumerate(records, 1):
                log.add(record)
                self._known[record.input] = record
                if self._progress is not None:
                    seconds = time.monotonic() - self._began
                    self._progress(
                        BatchProgress(done=done, total=total, record=record, seconds=seconds)
                    )
                if time.monotonic() - self._page_at > _PAGE_EVERY:
                    self.show()
                    self._page_at = time.monotonic()
        except BaseException:
            # A full disk has no room for the page either; the reason for the end counts.
            with suppress(WriteError):
                self.show()
            raise
        self.show()

    def show(self) -> None:
        """Writes the page, and the catalogues of assets."""
        write_page(self._folder / PAGE, self.records(), len(self._inputs))
        if self._wanted.asset:
            write_catalogs(self._folder, self.records())

    def records(self) -> tuple[BatchRecord, ...]:
        """Returns the records of the inputs, in their order."""
        paths = (each.path for each in self._inputs)
        return tuple(self._known[path] for path in paths if path in self._known)

    def _task(self, given: BatchInput) -> RobotTask:
        return RobotTask(
            input=given.path,
            output=str(self._folder),
            place=self._places[given.path],
            wanted=self._wanted,
            named=given.named,
        )

    def _is_done(self, given: BatchInput) -> bool:
        record = self._known.get(given.path)
        if record is None or record.status not in FINAL:
            return False
        return record.digest == digest_work(given.path, self._wanted)


def _is_safe(place: str) -> bool:
    """Whether a place from a log lies below the output folder."""
    parts = place.split("/")
    return bool(place) and not any(part in ("", ".", "..") or os.sep in part for part in parts)
