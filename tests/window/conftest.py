# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender programs with the built extension in a profile of their own, and windows to drive."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("BLENDER_PROGRAMS", "/var/cache/urdf-blender"))
VERSIONS = {"5": "5.2", "4": "4.3"}
PICTURES = ROOT / "out" / "window"
SECONDS = 300


@dataclass(frozen=True)
class Program:
    """`number` names the program in tools/get-blender; `profile` holds the installed extension."""

    number: str
    profile: Path

    def run(self, *words: str, size: str = "") -> subprocess.CompletedProcess[str]:
        """Runs the program; on a display of this size, if there is one."""
        command = [f"xvfb-{self.number}", "blender"] if size else [f"blender-{self.number}"]
        command[0] = str(PROGRAMS / "bin" / command[0])
        return subprocess.run(
            [*command, *words],
            env={
                **os.environ,
                "BLENDER_USER_RESOURCES": str(self.profile),
                "XVFB_SCREEN": f"{size}x24",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def play(
        self, test: str, scenario: str, *arguments: str | Path, size: str = "1280x800"
    ) -> Path:
        """Plays a scenario in a new window of this size; returns the folder with its pictures,
        which no other test has: tests with the same scenario run side by side."""
        folder = PICTURES / re.sub(r"[^\w.]+", "_", test).strip("_") / scenario
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        done = self.run(
            *("--gpu-backend", "opengl", "--enable-event-simulate"),
            *("-p", "0", "0", *size.split("x")),
            *("--python", str(Path(__file__).with_name("driver.py"))),
            *("--", scenario, str(folder), *map(str, arguments)),
            size=size,
        )
        result = folder / "result.json"
        assert result.exists(), f"Blender ended before the scenario did:\n{done.stdout}"
        error = json.loads(result.read_text())["error"]
        assert not error, f"{error}\n{done.stdout}"
        # What Blender prints of a draw() or an operator that fails goes nowhere else.
        assert "Traceback" not in done.stdout, done.stdout
        return folder


@pytest.fixture(scope="session")
def zipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as users get it; $EXTENSION_ZIP names one that is built already."""
    given = os.environ.get("EXTENSION_ZIP")
    if given:
        return Path(given)
    target = tmp_path_factory.mktemp("zip") / "urdf_importer.zip"
    subprocess.run([ROOT / "tools" / "build-extension", target], check=True)
    return target


_PROGRAMS = [pytest.param(number, id=version) for number, version in VERSIONS.items()]


@pytest.fixture(scope="session", params=_PROGRAMS)
def program(
    request: pytest.FixtureRequest, zipped: Path, tmp_path_factory: pytest.TempPathFactory
) -> Program:
    number = request.param
    if not (PROGRAMS / "bin" / f"xvfb-{number}").exists():
        pytest.skip(
            f"Blender {VERSIONS[number]} with a window is not there; "
            f"tools/get-blender {PROGRAMS} {number} makes it (as root on Debian)"
        )
    found = Program(number, tmp_path_factory.mktemp(f"profile-{number}"))
    words = ["--command", "extension", "install-file", "-r", "user_default", "--enable"]
    done = found.run(*words, str(zipped))
    assert done.returncode == 0, done.stdout
    return found


@pytest.fixture
def play(program: Program, request: pytest.FixtureRequest) -> Callable[..., Path]:
    return partial(program.play, request.node.name)


@pytest.fixture
def play_anew(
    program: Program, zipped: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[..., Path]:
    """Plays in an empty profile, with the zip as the first argument; see first_minute_plays.py."""
    profile = tmp_path / "profile"
    profile.mkdir()
    fresh = Program(program.number, profile)
    return lambda scenario, *arguments, **size: fresh.play(
        request.node.name, scenario, zipped, *arguments, **size
    )
