# SPDX-License-Identifier: GPL-3.0-or-later
"""The decoder of the messages of a channel, by their encoding and definition: ROS, JSON or Protocol
Buffers."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ....core.diagnostics import ReadError, quote
from ..recordings.definitions import read_definition
from ..recordings.layouts import Decoder
from . import protobuf
from .plain import decode_json, find_json_motion, stack_messages

_OF_ROS = ("ros1", "cdr")
ENCODINGS = (*_OF_ROS, "json", "protobuf")
Decode = Callable[[Sequence[Any]], list[tuple[Any, Any]]]
"""Messages -> trees of messages of one form, each with the places of its messages. Damaged messages
are in none. Raises ReadError for a layout that is not read."""


def find_motion(encoding: str, kind: str, text: str) -> str:
    """Returns "joints" or "frames" where the messages of a channel hold these, else nothing."""
    with suppress(ReadError):
        if encoding == "json":
            return find_json_motion(kind, text)
        if encoding == "protobuf":
            return protobuf.find_motion(_read_types(text), kind)
        if encoding in _OF_ROS:
            packed: Any = encoding
            return read_definition(kind, text, packed).motion
    return ""


def _read_types(text: str) -> protobuf.Types:
    return protobuf.read_types(text.encode("latin-1", "replace"))


def make_decoder(encoding: str, kind: str, text: str) -> Decode:
    """Returns the function that reads messages of a type. Raises ReadError where none does."""
    if encoding == "json":
        return partial(stack_messages, decode=decode_json)
    if encoding == "protobuf":
        reader = protobuf.ProtobufReader(_read_types(text), kind)
        return partial(stack_messages, decode=reader.decode)
    if encoding not in _OF_ROS:
        raise ReadError(f"it is encoded in {quote(encoding)[1:-1]}, which is not read")
    packed: Any = encoding
    return Decoder(read_definition(kind, text, packed), packed).decode


def find_decoder(encoding: str, kind: str, text: str) -> Decode | None:
    """Finds the function that reads messages of a type; None where none does."""
    with suppress(ReadError):
        return make_decoder(encoding, kind, text)
    return None
