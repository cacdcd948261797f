# SPDX-License-Identifier: GPL-3.0-or-later
"""Other checkers beside `urdf-importer check`: the planted faults of proof.py that each of them
names, its findings about public robots as they are, and its time. All read the same files, in which
meshes have absolute paths, and have no options but for the report, and ours for the folder that it
may read.

    python3 -m venv peers
    peers/bin/pip install simcheck mjcf-doctor truerig urdf-validator isaaclab-robot-doctor
    .venv/bin/python benchmarks/lint_peers.py peers/bin [NAME ...]

check_urdf counts where it is on PATH. Errors and warnings are findings, notes are none. A fault is
named where a finding that the robot does not have without it is about the part: its link, or the
joint above it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from shutil import which
from typing import Any

from proof import FAULTS, HOME, open_robot, public_robots

from urdf_importer import Diagnostics, Robot, RobotError, UrdfOptions, export_robot

SECONDS = 120.0
_NUMBER = re.compile(r"(?<!\w)[-+]?\d[\d.,]*(?:e[-+]?\d+)?")
"""Not the digits of names."""
Finding = tuple[str, str]
"""Code and part in one text; the message."""


@dataclass(frozen=True)
class Peer:
    """A checker: its package, its command for a file and a folder for reports, its findings by the
    words of its process."""

    package: str
    command: Callable[[str, str], list[str]]
    read: Callable[[str, str], Iterator[Finding]]


def _json_of(said: str) -> Any:
    return json.loads(said[re.search(r"^[\[{]\s*$", said, re.M).start() :])  # type: ignore[union-attr]


def _rows(items: list[Any], level: str, *keys: str) -> Iterator[Finding]:
    for item in items:
        if item[level].lower().startswith(("error", "warn")):
            yield " ".join(str(item.get(key)) for key in keys), item["message"]


def _of_ours(said: str, folder: str) -> Iterator[Finding]:
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    yield from _rows(lines, "severity", "code", "subject")


def _of_simcheck(said: str, folder: str) -> Iterator[Finding]:
    for result in _json_of(said)[0]["results"]:
        yield from _rows(result["findings"], "severity", "check", "target")


def _of_truerig(said: str, folder: str) -> Iterator[Finding]:
    yield from _rows(_json_of(said)["events"], "severity", "category", "element")


def _of_isaac(said: str, folder: str) -> Iterator[Finding]:
    yield from _rows(_json_of(said)["findings"], "severity", "id", "subject")


def _of_mjcf(said: str, folder: str) -> Iterator[Finding]:
    (item,) = _json_of(said)
    if "load_error" in item:
        yield "load", item["load_error"]
    yield from _rows(item.get("findings", []), "level", "code", "subject")


def _of_validator(said: str, folder: str) -> Iterator[Finding]:
    (report,) = Path(folder).glob("*.json")
    found = json.loads(report.read_text())
    yield from (("", str(each)) for each in (*found["critical_issues"], *found["warnings"]))
    for joint in found["statics"]["joints"]:
        if joint["status"] in ("FAIL", "WARN"):
            yield joint["name"], joint["summary"]


def _of_urdfdom(said: str, folder: str) -> Iterator[Finding]:
    yield from (("", line) for line in said.splitlines() if line.lstrip().startswith("Error"))


def list_peers(folder: Path) -> dict[str, Peer]:
    """Lists the checkers by their names."""

    def program(name: str) -> str:
        return str(folder / name)

    ours = [sys.executable, "-W", "ignore", "-m", "urdf_importer", "check", "--quiet"]
    report = ["--format", "json", "--fail-on", "never", "--package-path", str(HOME)]
    simcheck = [program("simcheck"), "check", "--no-config", "--robot", "--format", "json"]
    return {
        "urdf-importer": Peer("urdf-importer", lambda f, _: [*ours, f, *report], _of_ours),
        "simcheck": Peer("simcheck", lambda f, _: [*simcheck, f], _of_simcheck),
        "simcheck --static-only": Peer(
            "simcheck", lambda f, _: [*simcheck, "--static-only", f], _of_simcheck
        ),
        "mjcf-doctor": Peer(
            "mjcf-doctor", lambda f, _: [program("mjcf-doctor"), "check", "--json", f], _of_mjcf
        ),
        "truerig": Peer(
            "truerig", lambda f, _: [program("truerig"), "validate", "--report", "json", f],
            _of_truerig,
        ),
        "urdf-validator": Peer(
            "urdf-validator", lambda f, d: [program("urdf_validate"), "--output-dir", d, f],
            _of_validator,
        ),
        "isaaclab-robot-doctor": Peer(
            "isaaclab-robot-doctor",
            lambda f, _: [program("isaaclab-robot-doctor"), "check", "--json", f], _of_isaac,
        ),
        "check_urdf": Peer("", lambda f, _: [which("check_urdf") or "check_urdf", f], _of_urdfdom),
    }  # fmt: skip


@dataclass
class Run:
    """Runs of one checker, their processor time and the files that it failed on."""

    peer: Peer
    seconds: float = 0.0
    failed: int = 0

    def check(self, path: Path) -> set[Finding]:
        """Returns the findings about a file; none where the checker fails."""
        with tempfile.TemporaryDirectory() as folder:
            began = sum(os.times()[2:4])
            try:
                done = subprocess.run(
                    self.peer.command(str(path), folder), capture_output=True, text=True,
                    timeout=SECONDS, check=False, cwd=folder,
                    env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
                    if self.peer.package == "urdf-importer" else None,
                )  # fmt: skip
                said = done.stdout if self.peer.package else done.stdout + done.stderr
                return set(self.peer.read(said, folder))
            except (subprocess.TimeoutExpired, ValueError, LookupError, AttributeError):
                self.failed += 1
                return set()
            finally:
                self.seconds += sum(os.times()[2:4]) - began


def write(robot: Robot, path: Path) -> Path:
    """Writes a robot as it is, with absolute paths of meshes."""
    options = UrdfOptions(style="plain", complete="never", meshes="keep")
    export_robot(robot, path, options=options, diagnostics=Diagnostics())
    return place_meshes(path, path)


def place_meshes(source: Path, path: Path) -> Path:
    """Writes a description with absolute paths of meshes."""
    text = source.read_bytes().replace(b"package://", f"{HOME}/".encode())
    path.write_bytes(text)
    return path


def bare(finding: Finding) -> Finding:
    """Returns a finding without numbers, which move with every fault."""
    return _NUMBER.sub("#", finding[0]), _NUMBER.sub("#", finding[1])


def is_about(finding: Finding, parts: set[str]) -> bool:
    """Whether a finding names one of the parts."""
    words = "|".join(map(re.escape, parts))
    return re.search(rf"(?<!\w)({words})(?!\w)", " ".join(finding)) is not None


def count_named(run: Run, folder: Path) -> list[str]:
    """Returns the planted faults that a checker does not name."""
    missed = []
    before: dict[str, set[Finding]] = {}
    for number, (name, part, plant, codes) in enumerate(FAULTS):
        robot = open_robot(name)
        if name not in before:
            before[name] = set(map(bare, run.check(write(robot, folder / f"healthy-{name}"))))
        parts = {part, *(joint.name for joint in robot.joints if joint.child == part)}
        after = run.check(write(plant(robot, part), folder / f"fault-{number}.urdf"))
        if not any(is_about(each, parts) and bare(each) not in before[name] for each in after):
            missed.append(f"{name} {part} {codes[0]}")
    return missed


def main(folder: Path, wanted: list[str]) -> None:
    """Prints a row for each checker."""
    print("checker  version  planted faults named  robots with findings  findings  CPU s  failed")
    for name, peer in list_peers(folder).items():
        if wanted and name not in wanted:
            continue
        if not peer.package and not which("check_urdf"):
            continue
        with tempfile.TemporaryDirectory() as place:
            planted, healthy = Run(peer), Run(peer)
            missed = count_named(planted, Path(place))
            counts = []
            for number, path in enumerate(public_robots()):
                if path.stem != "ur3":  # It has no links.
                    copy = place_meshes(path, Path(place, f"{number}-{path.name}"))
                    counts.append(len(healthy.check(copy)))
        row = (
            name,
            find_version(folder, peer.package),
            f"{len(FAULTS) - len(missed)} of {len(FAULTS)}",
            f"{sum(map(bool, counts))} of {len(counts)}",
            sum(counts),
            f"{healthy.seconds / len(counts):.2f}",
            f"{planted.failed + healthy.failed}",
        )
        print(*row, sep="  ", flush=True)
        print("  missed:", "; ".join(missed), file=sys.stderr, flush=True)


def find_version(folder: Path, package: str) -> str:
    """Returns the version of a package in the peers' environment."""
    if package in ("", "urdf-importer"):
        return ""
    places = [str(each) for each in folder.parent.glob("lib/python*/site-packages")]
    return next(each.version for each in metadata.distributions(name=package, path=places))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]).absolute(), sys.argv[2:])
    except (IndexError, RobotError) as error:
        sys.exit(f"{error}\n{__doc__}")
