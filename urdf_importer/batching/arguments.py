# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer batch: its arguments, its progress, its last line."""

import argparse
import re
from collections import Counter
from dataclasses import fields
from typing import Any

from .. import ImportOptions, writer_formats
from ..command.arguments import EPILOG, add_option_arguments, read_options
from ..command.summary import count
from ..command.terminal import Terminal
from ..diagnostics import name_choices
from .options import BatchOptions
from .records import BatchResult
from .run import BatchProgress, batch

_SIZE = re.compile(r"([1-9][0-9]{1,4})x([1-9][0-9]{1,4})")


def add_batch(commands: Any) -> None:
    """Adds the command."""
    suffixes = [suffix.lstrip(".") for each in writer_formats() for suffix in each.suffixes]
    parser = commands.add_parser(
        "batch",
        help="convert many robot descriptions, unattended",
        description="Converts many robot descriptions. None stops another: one that hangs, "
        "crashes or grows too big costs no other. OUT_DIR gets a folder for each "
        "robot, batch.jsonl with a line for each, and index.html, which shows "
        "them all.",
        epilog=EPILOG,
    )
    parser.set_defaults(parser=parser, act=run_batch)
    parser.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="a description, a folder that is searched for some, or @list.txt with one a line",
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT_DIR", help="for everything")
    parser.add_argument(
        "--to",
        default="blend",
        metavar="blend,png",
        help=f"files to make of each: {name_choices(['blend', 'png', *suffixes])}, "
        "with commas between (default: blend)",
    )
    _add_running(parser.add_argument_group("running"))
    _add_pictures(parser.add_argument_group("pictures"))
    add_option_arguments(parser, ImportOptions, *(each.options for each in writer_formats()))


def _add_running(group: Any) -> None:
    group.add_argument(
        "--jobs", type=_read_count, metavar="N", help="processes at a time (default: one a core)"
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="work on a Dask cluster: tcp://host:8786"
    )
    group.add_argument(
        "--resume", action="store_true", help="go on with the batch in OUT_DIR: its unfinished part"
    )
    group.add_argument("--again", action="store_true", help="start over with the batch in OUT_DIR")
    group.add_argument(
        "--time-limit",
        type=_read_amount,
        default=300.0,
        metavar="S",
        help="seconds that a robot may take (default: 300)",
    )
    group.add_argument(
        "--memory-limit",
        type=_read_amount,
        metavar="MIB",
        help="memory that a robot may take, in MiB (default: a fair share of the machine's)",
    )
    group.add_argument(
        "--strict", action="store_true", help="take every diagnostic as a failure of its robot"
    )
    group.add_argument("--quiet", action="store_true", help="write nothing but errors")


def _add_pictures(group: Any) -> None:
    group.add_argument(
        "--picture-size",
        type=_read_size,
        default=(256, 192),
        metavar="WxH",
        help="in pixels (default: 256x192)",
    )
    group.add_argument(
        "--picture-samples",
        type=_read_count,
        default=8,
        metavar="N",
        help="for each pixel: less noise, more time (default: 8)",
    )


def run_batch(arguments: argparse.Namespace, terminal: Terminal) -> int:
    """Runs the command; returns its exit status. Raises RobotError."""
    given = arguments
    result = batch(
        given.inputs,
        given.output,
        to=given.to.split(","),
        progress=lambda done: terminal.line(describe_progress(done)),
        options=BatchOptions(
            imports=read_options(given, ImportOptions),
            exports=tuple(read_options(given, each.options) for each in writer_formats()),
            **{name: getattr(given, name) for name in _OF_BATCHES},
        ),
    )
    terminal.note(describe_result(result))
    return 0 if result.ok else 1


_OF_BATCHES = [each.name for each in fields(BatchOptions)][2:]
"""Without the options of imports and exports, which have arguments of their own."""


def describe_progress(progress: BatchProgress) -> str:
    """Describes how far a batch is, in one line: rate and time left."""
    rate = progress.done / max(progress.seconds, 1e-9)
    left = (progress.total - progress.done) / rate
    share = progress.done / progress.total
    return (
        f"{share:4.0%}  {progress.done} of {progress.total} robots, {60 * rate:.0f} a minute, "
        f"{_show_seconds(left)} left"
    )


def describe_result(result: BatchResult) -> str:
    """Describes the result of a batch, in one line."""
    counts = Counter(record.status for record in result.records)
    parts = [f"{number} {status}" for status, number in counts.most_common()]
    return f"{count(len(result.records), 'robot')}: {', '.join(parts) or 'none'}; {result.page}"


def _show_seconds(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _read_count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


_read_count.__name__ = "int"


def _read_amount(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


_read_amount.__name__ = "float"


def _read_size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size in pixels, such as 256x192")
    return int(match[1]), int(match[2])
