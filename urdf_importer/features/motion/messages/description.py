# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot of a recording or a running node: the last message of a topic robot_description, a text
of URDF."""

import os
from collections.abc import Mapping
from contextlib import suppress

from ....core.arguments import diagnostics_of
from ....core.diagnostics import Diagnostics, ReadError, quote
from ....core.files.packages import AnyPath
from ....core.files.references import is_address
from ....core.shelves import find_hook
from ..recordings.recorded import STREAMS, walk
from ..recordings.streams import Channel
from ..recordings.trees import Tree
from .decoders import find_decoder

_NAME, _TEXT = "robot_description", "std_msgs/String"
_NONE = (
    "this is a recording of motion that has no robot_description: ROS 1 keeps it as a parameter, "
    "ROS 2 publishes it once; record that topic, or name the URDF"
)


def find_recorded(source: str, diagnostics: Diagnostics) -> bytes | None:
    """Returns the URDF in a recording, or of a running node; None for any other path."""
    if is_address(source):
        return find_description(source, diagnostics=diagnostics).encode()
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


def find_description(
    path: AnyPath, *, topic: str | None = None, diagnostics: Diagnostics | None = None
) -> str:
    """Returns the robot description, a text of URDF, that a recording holds: the last message of a
    topic called robot_description, in any namespace; `topic` chooses one of several.

    The address of a rosbridge or Foxglove server, such as ws://localhost:9090, gives the robot of
    a running node: of the same topic, else of the parameter. Waits 10 seconds for it at most.
    Raises ReadError where there is none, or no clear one."""
    source = os.fspath(path)
    diagnostics = diagnostics_of(diagnostics, source)
    if is_address(source):
        find = find_hook("find_running", "the robot of a running node")
        return str(find(source, topic, diagnostics))
    wanted = None if topic is None else topic.lstrip("/")

    def is_wanted(channel: Channel) -> bool:
        name = channel.topic.lstrip("/")
        fits = name.rpartition("/")[2] == _NAME if wanted is None else name == wanted
        return fits and channel.type == _TEXT

    found: dict[str, tuple[Channel, bytes]] = {}
    for piece in walk(source, is_wanted, Diagnostics(source)):
        found[piece.channel.topic] = piece.channel, bytes(piece.messages[-1])
    if not found:
        raise ReadError(_NONE, source=source)
    if len(found) > 1:
        listed = ", ".join(map(quote, sorted(found)))
        raise ReadError(f"it has several robots, choose a topic: {listed}", source=source)
    return _decode(*next(iter(found.values())), source)


def _decode(channel: Channel, data: bytes, source: str) -> str:
    """Returns the text of a String."""
    read = find_decoder(channel.encoding, _TEXT, channel.definition)
    with suppress(ReadError):
        for _, tree in read([data]) if read is not None else ():
            found = find_text(tree)
            if found:
                return found
    raise ReadError("its robot_description is damaged", source=source)


def find_text(tree: Tree) -> str:
    """Returns the text of a String; nothing where it has none, or half of a pair of letters."""
    found = tree.get("data") if isinstance(tree, Mapping) else None
    with suppress(UnicodeEncodeError):
        return found.encode().decode() if isinstance(found, str) else ""
    return ""
