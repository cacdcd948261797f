# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer batch and urdf-importer dataset: their arguments, progress, and last lines."""

import argparse
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from ...core.command.arguments import (
    add_command,
    add_option_arguments,
    add_own_argument,
    read_options,
    split_names,
)
from ...core.command.blends import is_blend
from ...core.command.loading import add_output, add_reading, plan_robot, read_checked
from ...core.command.report import Work
from ...core.command.summary import count
from ...core.command.task import Task, TaskOutput
from ...core.diagnostics import name_choices
from ...core.options import ImportOptions
from ...core.pipeline.formats import writer_formats
from ...core.progress import Progress
from ..sensing.dataset import DatasetOptions
from .dataset import make_dataset
from .inputs import read_list
from .options import BatchOptions
from .run import batch

_SIZE = re.compile(r"([1-9][0-9]{1,4})x([1-9][0-9]{1,4})")


def add_commands(commands: Any) -> None:
    """Adds `urdf-importer batch` and `urdf-importer dataset`."""
    add_batch(commands)
    add_dataset(commands)


def add_batch(commands: Any) -> None:
    """Adds the command."""
    formats = writer_formats()
    suffixes = [suffix.lstrip(".") for each in formats for suffix in each.suffixes]
    suffixes += [each.name for each in formats if each.writes_folders]
    parser = add_command(
        commands,
        "batch",
        _plan_batch,
        help="convert many robot descriptions, unattended",
        description="Converts many robot descriptions. A description that freezes, "
        "crashes or grows too big does not stop the others. OUT_DIR gets a folder for each robot, "
        "batch.jsonl with a line for each robot, and index.html, which shows them all.",
    )
    parser.add_argument(
        "inputs",
        nargs="+",
        metavar="INPUT",
        help="a description, a folder to search, or @list.txt with one description a line",
    )
    parser.add_argument("-o", "--output", required=True, metavar="OUT_DIR", help="for everything")
    parser.add_argument(
        "--to",
        default="blend",
        metavar="blend,png",
        help=f"files to make of each robot: {name_choices(['asset', 'blend', 'png', *suffixes])}, "
        "with commas between (default: blend)",
    )
    _add_running(parser.add_argument_group("running"))
    _add_pictures(parser.add_argument_group("pictures"))
    add_option_arguments(parser, ImportOptions, *(each.options for each in writer_formats()))


def _add_running(group: Any) -> None:
    text = "processes at a time (default: one for each core)"
    group.add_argument("--jobs", type=_read_count, metavar="N", help=text)
    text = "work on a Dask cluster: tcp://host:8786"
    group.add_argument("--scheduler", metavar="ADDRESS", help=text)
    for flag, text in (
        ("--resume", "go on with the batch in OUT_DIR: its unfinished part"),
        ("--again", "start over with the batch in OUT_DIR"),
    ):
        group.add_argument(flag, action="store_true", help=text)
    text = "seconds that a robot may take (default: 300)"
    group.add_argument("--time-limit", type=_read_amount, default=300.0, metavar="S", help=text)
    text = "memory that a robot may take, in MiB (default: a fair share of the machine's)"
    group.add_argument("--memory-limit", type=_read_amount, metavar="MIB", help=text)


def _add_pictures(group: Any) -> None:
    size: dict[str, Any] = {"type": _read_size, "default": (256, 192), "metavar": "WxH"}
    group.add_argument("--picture-size", help="in pixels (default: 256x192)", **size)
    samples: dict[str, Any] = {"type": _read_count, "default": 8, "metavar": "N"}
    text = "for each pixel: less noise, more time (default: 8)"
    group.add_argument("--picture-samples", help=text, **samples)


def _plan_batch(given: argparse.Namespace) -> list[Task]:
    output = TaskOutput(path=given.output, is_folder=True, grows=True)
    return [Task(inputs=tuple(given.inputs), outputs=(output,), options=given, run=_batch)]


def _batch(given: argparse.Namespace, work: Work) -> None:
    show = _show_rate(work, "robots")
    with work.clock("batch"):
        result = batch(
            given.inputs,
            given.output,
            to=given.to.split(","),
            progress=lambda done: show(done.done, done.total, done.seconds),
            options=BatchOptions(
                imports=read_options(given, ImportOptions),
                exports=tuple(read_options(given, each.options) for each in writer_formats()),
                **{name: getattr(given, name) for name in _OF_BATCHES},
            ),
        )
    counts = Counter(record.status for record in result.records)
    work.facts = {"robots": dict(counts), "log": str(result.log)}
    parts = [f"{number} {status}" for status, number in counts.most_common()]
    work.summary = f"{count(len(result.records), 'robot')}: {', '.join(parts) or 'none'}"
    work.add(result.page)
    work.status = 0 if result.ok else 1


_OF_BATCHES = [each.name for each in fields(BatchOptions)][2:]
"""Without the options of imports and exports, which have arguments of their own."""


def _show_rate(work: Work, what: str) -> Callable[[int, int, float], None]:
    """Returns a function that shows how far work is: rate and time left."""

    def show(done: int, total: int, seconds: float) -> None:
        rate = done / max(seconds, 1e-9)
        left = _show_seconds((total - done) / rate)
        text = f"{done} of {total} {what}, {60 * rate:.0f} a minute, {left} left"
        work.show(Progress(share=done / total, text=text))

    return show


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


def add_dataset(commands: Any) -> None:
    """Adds the command."""
    parser = add_command(
        commands,
        "dataset",
        _plan_dataset,
        help="make labelled pictures of a robot",
        description="Makes pictures of a robot in random valid poses with exact labels: depth, "
        "normals, a mask of each link, keypoints, joint positions and poses. The same seed gives "
        "the same bytes.",
    )
    parser.add_argument("robot", metavar="ROBOT", help="a description, or a .blend with the robot")
    add_output(parser, "OUT", "the folder")
    text = "the name of the robot, where a .blend has several"
    add_own_argument(parser, "name", "--robot", metavar="NAME", help=text)
    text = "coco, bop, dream (default: coco)"
    add_own_argument(parser, "formats", "--formats", type=split_names, metavar="A,B", help=text)
    parser.add_argument(
        "--keypoints",
        metavar="A,B",
        help="links whose origins are keypoints, or @FILE, one a line (default: all that joints "
        "move, and the root)",
    )
    parser.add_argument("--size", metavar="WxH", type=_read_pixels, help="pixels, such as 640x480")
    add_option_arguments(parser, DatasetOptions, but=("name", "formats", "keypoints"))
    add_reading(parser, heading="reading")


def _plan_dataset(given: argparse.Namespace) -> list[Task]:
    output = TaskOutput(path=given.output, is_folder=True, grows=True)
    return plan_robot(given, _dataset, output)


def _dataset(given: argparse.Namespace, work: Work) -> None:
    own: dict[str, Any] = {}
    if given.keypoints is not None:
        text = given.keypoints
        is_file = text.startswith("@")
        own["keypoints"] = [*read_list(text[1:], "keypoints")] if is_file else split_names(text)
    if given.size is not None:
        own |= {"width": given.size[0], "height": given.size[1]}
    if not is_blend(given.robot):
        # The pictures are made by processes of their own: here its faults are listed.
        read_checked(given, work)
        work.hold()
    with work.clock("pictures"):
        result = make_dataset(
            given.robot,
            given.output,
            options=replace(read_options(given, DatasetOptions), **own),
            imports=read_options(given, ImportOptions),
            progress=_show_rate(work, "pictures"),
        )
    work.facts = {"pictures": result.count, "made": result.made}
    work.summary = f"{given.output}: {count(result.made, 'picture')}"
    work.add(result.page)


def _read_pixels(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form 640x480") from None
