# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions as counts of servos: a table, JSON, or a header for programs in C."""

import csv
import io
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ....core.arguments import diagnostics_of, number_of
from ....core.diagnostics import Diagnostics, WriteError, name_choices, quote
from ....core.files.outputs import write_text
from ....core.files.packages import AnyPath
from ....core.kinematics.keys import evaluate
from ..fitting.servos import Servo, read_servos
from ..fitting.units import counts_of
from ..recordings.formats import COUNTS
from ..series import series_of
from ..trajectory import Numbers, Trajectory

SUFFIXES = (".csv", ".json", COUNTS)
_MOST = 2**24


def write_servo_frames(
    trajectory: Trajectory,
    path: AnyPath,
    servos: Sequence[Servo] | AnyPath,
    *,
    rate: float = 50.0,
    diagnostics: Diagnostics | None = None,
) -> Path:
    """Writes the counts of servos for a motion, `rate` rows a second, and returns the file: .csv,
    .json or .h, a header for programs in C. `servos` are a table as read_servos takes it, or its
    servos. Joints are held within the counts of their servos, and too fast ones reported.

    Raises WriteError for joints that the motion lacks, ReadError as read_servos does."""
    diagnostics = diagnostics_of(diagnostics)
    table = read_servos(servos) if isinstance(servos, str | os.PathLike) else tuple(servos)
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        choices = name_choices(SUFFIXES)
        raise WriteError(f"counts of servos are written as {choices}, not {quote(target.suffix)}")
    rate = number_of(rate, "rate", least=1e-3)
    columns = _count(trajectory, table, rate, diagnostics)
    write_text(target, _format(target, table, np.stack(columns, axis=1).tolist(), rate))
    return target


def _count(
    motion: Trajectory, servos: Sequence[Servo], rate: float, diagnostics: Diagnostics
) -> list[Numbers]:
    """Returns the counts of each servo, row by row."""
    rows = int(np.floor(motion.duration * rate + 1e-3)) + 1
    if not servos or not len(motion.times):
        raise WriteError("there are no servos" if len(motion.times) else "the motion is empty")
    if rows * len(servos) > _MOST:
        raise WriteError(f"the motion is too long: {rows} rows of {len(servos)} servos")
    times = np.arange(rows) / rate
    columns = []
    for servo in servos:
        if servo.joint not in motion.names:
            raise WriteError(f"the motion has no joint {quote(servo.joint)}, which has a servo")
        series = series_of(motion, motion.names.index(servo.joint), turns=False)
        counts, beyond = counts_of(servo, evaluate(series, times))
        _report(servo, counts, beyond, times, diagnostics)
        columns.append(counts)
    return columns


def _report(
    servo: Servo, counts: Numbers, beyond: Numbers, times: Numbers, diagnostics: Diagnostics
) -> None:
    worst = int(np.abs(beyond).argmax())
    name = quote(servo.joint)
    if beyond[worst]:
        diagnostics.warning(
            "servo-clamped",
            f"joint {name} is {abs(beyond[worst]):.0f} counts beyond its servo's "
            f"{servo.least} to {servo.most} at {times[worst]:.3f} s, at worst; it is held there",
            subject=servo.joint,
        )
    if servo.speed is not None and len(counts) > 1:
        speeds = np.abs(np.diff(counts)) / np.diff(times)
        worst = int(speeds.argmax())
        if speeds[worst] > servo.speed:
            diagnostics.warning(
                "servo-too-fast",
                f"joint {name} moves {speeds[worst]:.0f} counts a second at {times[worst]:.3f} s, "
                f"its servo at most {servo.speed:g}",
                subject=servo.joint,
            )


def _format(path: Path, servos: Sequence[Servo], frames: list[list[int]], rate: float) -> str:
    names = [each.joint for each in servos]
    if path.suffix.lower() == ".json":
        listed = [{"id": each.id, "joint": each.joint} for each in servos]
        return json.dumps({"rate": rate, "servos": listed, "frames": frames}) + "\n"
    if path.suffix.lower() == ".csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("time", *names))
        writer.writerows((f"{at / rate:.9g}", *row) for at, row in enumerate(frames))
        return text.getvalue()
    return _header(path.stem, servos, frames, rate)


def _header(name: str, servos: Sequence[Servo], frames: list[list[int]], rate: float) -> str:
    guard = re.sub(r"\W", "_", name, flags=re.ASCII).upper() + "_H"
    guard = f"_{guard}" if guard[0].isdigit() else guard
    rows = ",\n".join("  {" + ", ".join(map(str, row)) + "}" for row in frames)
    safe = [re.sub(r"[^\w .\-/]", "_", each.joint, flags=re.ASCII) for each in servos]
    joints = "\n".join(f"//   {at}: id {each.id}, {safe[at]}" for at, each in enumerate(servos))
    ids = ", ".join(str(each.id) for each in servos)
    return f"""// Positions of servos, in counts.
{joints}
#ifndef {guard}
#define {guard}

#include <stdint.h>
#ifdef __AVR__
#include <avr/pgmspace.h>
#elif !defined(PROGMEM)
#define PROGMEM
#endif

#define RATE {rate:g}
#define FRAMES {len(frames)}
#define SERVOS {len(servos)}

static const uint16_t IDS[SERVOS] = {{{ids}}};
static const uint16_t POSITIONS[FRAMES][SERVOS] PROGMEM = {{
{rows}
}};

#endif
"""
