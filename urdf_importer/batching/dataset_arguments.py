# SPDX-License-Identifier: GPL-3.0-or-later
"""urdf-importer dataset: its arguments, its progress, its last line."""

import argparse
from dataclasses import fields
from typing import Any

from .. import DatasetOptions, ImportOptions
from ..command.arguments import EPILOG, add_option_arguments, read_options
from ..command.loading import add_reading
from ..command.summary import count
from ..command.terminal import Terminal
from ..diagnostics import ReadError
from .dataset import make_dataset

_MOST_LISTED = 1024 * 1024
_LISTS = ("formats", "keypoints")


def add_dataset(commands: Any) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "dataset",
        help="make labelled pictures of a robot",
        description="Makes pictures of a robot in random valid poses with exact labels: depth, "
        "normals, a mask of each link, keypoints, joint positions and poses. The same seed gives "
        "the same bytes.",
        epilog=EPILOG,
    )
    parser.set_defaults(parser=parser, act=_dataset)
    parser.add_argument("--quiet", action="store_true", help="write nothing but errors")
    parser.add_argument("robot", metavar="ROBOT", help="a description, or a .blend with the robot")
    parser.add_argument("-o", "--output", required=True, metavar="OUT", help="the folder")
    parser.add_argument("--robot", dest="name", metavar="NAME", help="which of several in a .blend")
    parser.add_argument("--formats", metavar="A,B", help="coco, bop, dream (default: coco)")
    parser.add_argument(
        "--keypoints",
        metavar="A,B",
        help="links whose origins are keypoints, or @FILE, one a line (default: all that joints "
        "move, and the root)",
    )
    parser.add_argument("--size", metavar="WxH", type=_read_size, help="pixels, such as 640x480")
    own = [field.name for field in fields(DatasetOptions) if field.name not in (*_LISTS, "name")]
    add_option_arguments(parser, DatasetOptions, only=own)
    add_reading(parser, heading="reading")


def _dataset(given: argparse.Namespace, terminal: Terminal) -> int:
    if given.name is not None:
        setattr(given, "option name", given.name)
    for name in _LISTS:
        text = getattr(given, name)
        if text is not None and name == "keypoints" and text.startswith("@"):
            setattr(given, f"option {name}", _read_list(text[1:]))
        elif text is not None:
            parts = tuple(part.strip() for part in text.split(",") if part.strip())
            setattr(given, f"option {name}", parts)
    if given.size is not None:
        for name, value in zip(("width", "height"), given.size, strict=True):
            setattr(given, f"option {name}", value)

    def show(done: int, total: int, seconds: float) -> None:
        rate = done / max(seconds, 1e-9)
        left = (total - done) / rate
        terminal.line(f"{done} of {total} pictures, {60 * rate:.0f} a minute, {left:.0f} s left")

    result = make_dataset(
        given.robot,
        given.output,
        options=read_options(given, DatasetOptions),
        imports=read_options(given, ImportOptions),
        progress=show,
    )
    terminal.note(f"{given.output}: {count(result.made, 'picture')}; {result.page}")
    return 0


def _read_size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} has not the form 640x480") from None


def _read_list(path: str) -> tuple[str, ...]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_MOST_LISTED)
    except (OSError, ValueError) as error:
        raise ReadError(
            f"cannot read the keypoints: {getattr(error, 'strerror', None) or error}", source=path
        ) from error
    return tuple(line.strip() for line in text.splitlines() if line.strip())
