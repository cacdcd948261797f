# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot of a recording: the last message of a topic robot_description, a text of URDF."""

import json
import os

from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.files.packages import AnyPath
from ..recordings.recorded import STREAMS, walk
from ..recordings.streams import Channel

_NAME, _TEXT = "robot_description", "std_msgs/String"
_NONE = (
    "this is a recording of motion that has no robot_description: ROS 1 keeps it as a parameter, "
    "ROS 2 publishes it once; record that topic, or name the URDF"
)


def find_recorded(source: str) -> bytes | None:
    """Returns the URDF in a recording; None for any other path."""
    is_folder = os.path.isdir(source)
    if is_folder and not any(each.endswith((".db3", ".mcap", ".zstd")) for each in _list(source)):
        return None
    if not is_folder and not source.lower().endswith(STREAMS):
        return None
    return find_description(source).encode()


def _list(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def find_description(path: AnyPath, *, topic: str | None = None) -> str:
    """Returns the robot description, a text of URDF, that a recording holds: the last message of a
    topic called robot_description, in any namespace; `topic` chooses one of several. Raises
    ReadError where there is none, or no clear one."""
    source = os.fspath(path)
    wanted = None if topic is None else topic.lstrip("/")

    def is_wanted(channel: Channel) -> bool:
        name = channel.topic.lstrip("/")
        fits = name.rpartition("/")[2] == _NAME if wanted is None else name == wanted
        return fits and channel.type == _TEXT

    found: dict[str, tuple[str, bytes]] = {}
    for piece in walk(source, is_wanted, Diagnostics(source)):
        found[piece.channel.topic] = piece.channel.encoding, bytes(piece.messages[-1])
    if not found:
        raise ReadError(_NONE, source=source)
    if len(found) > 1:
        listed = ", ".join(map(quote, sorted(found)))
        raise ReadError(f"it has several robots, choose a topic: {listed}", source=source)
    return _decode(*next(iter(found.values())), source)


def _decode(encoding: str, data: bytes, source: str) -> str:
    """Returns the text of a String."""
    try:
        if encoding == "json":
            found = str(json.loads(data)["data"])
            # Half of a surrogate pair raises here.
            return found.encode().decode()
        start = 4 if encoding == "cdr" else 0
        is_big = encoding == "cdr" and not data[1] & 1
        length = int.from_bytes(data[start : start + 4], "big" if is_big else "little")
        text = data[start + 4 : start + 4 + length]
        if encoding not in ("cdr", "ros1") or len(text) != length:
            raise ValueError
        return text.removesuffix(b"\0").decode()
    except (ValueError, LookupError, TypeError, RecursionError):
        raise ReadError("its robot_description is damaged", source=source) from None
