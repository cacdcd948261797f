# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of each robot of a batch, as a value and as a line of the log."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from ...core.files.version import find_version

Status = Literal["ok", "skipped", "failed", "timeout", "crashed", "memory", "lost"]
"""ok: all files are there; skipped: found in a folder and only a part of a description; failed: one
sentence says why; timeout, memory: above the limit; crashed: Blender died, twice; lost: the host
was lost."""

FINAL = frozenset({"ok", "skipped", "failed"})
"""States that a resumed batch leaves alone, as long as nothing has changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRecord:
    """The outcome for one robot.

    input        the description's path
    place        the folder of its files, relative to the output folder
    status       see Status
    error        one sentence, with file and line where they are known; empty where all went well
    files        written files, relative to the output folder, with / in them
    robot        its name
    facts        its numbers, as in the report of an import
    seconds      stage -> seconds of wall time
    attempts     how often it was tried
    diagnostics  oddities of its files, as in the report of an import
    stage        where it was when it was stopped
    peak_mib     the most memory of its process that was seen, in MiB
    host         the machine that worked on it
    digest       of the file, the requested outputs and the version: another one means work to do
    """

    input: str
    place: str
    status: Status
    error: str = ""
    files: tuple[str, ...] = ()
    robot: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    attempts: int = 1
    diagnostics: tuple[Mapping[str, Any], ...] = ()
    stage: str = ""
    peak_mib: float = 0.0
    host: str = ""
    digest: str = ""

    @property
    def total_seconds(self) -> float:
        """The wall time of all stages."""
        return sum(self.seconds.values())

    def to_json(self) -> str:
        """Returns the record as JSON on one line of ASCII, whatever the names hold. Data of an
        import's report has the same names."""
        reported = {"version": find_version(), "ok": self.status == "ok", **self.facts}
        return json.dumps(reported | asdict(self), allow_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The outcome of a batch: `records` in the order of the inputs, the `log` (batch.jsonl) and the
    `page` (index.html) that shows them."""

    records: tuple[BatchRecord, ...]
    log: Path
    page: Path

    @property
    def ok(self) -> bool:
        """Whether every robot is there; parts of descriptions do not count."""
        return all(each.status in ("ok", "skipped") for each in self.records)


def read_record(line: bytes) -> BatchRecord | None:
    """Reads a line of the log; None for a line that is not the record of a robot."""
    try:
        given = json.loads(line)
        return _make_record(given) if isinstance(given, dict) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _make_record(given: dict[str, Any]) -> BatchRecord | None:
    texts = {name: given.get(name, "") for name in _TEXTS}
    if not all(isinstance(text, str) for text in texts.values()):
        return None
    if not texts["input"] or texts["status"] not in get_args(Status):
        return None
    return BatchRecord(
        **texts,
        files=tuple(map(str, _list_of(given, "files"))),
        facts=dict(given.get("facts") or {}),
        seconds={str(key): float(value) for key, value in (given.get("seconds") or {}).items()},
        attempts=int(given.get("attempts", 1)),
        diagnostics=tuple(dict(each) for each in _list_of(given, "diagnostics")),
        peak_mib=float(given.get("peak_mib", 0.0)),
    )


_TEXTS = ("input", "place", "status", "error", "robot", "stage", "host", "digest")


def _list_of(given: dict[str, Any], name: str) -> Sequence[Any]:
    found = given.get(name, ())
    if not isinstance(found, list | tuple):
        raise TypeError(name)
    return found
