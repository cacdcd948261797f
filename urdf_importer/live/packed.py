# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of any type that recordings can pack, for servers: as they are, or as JSON."""

import json
import math
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..diagnostics import ConnectError, WriteError
from ..motion.trajectory import NANOSECONDS, Trajectory
from ..recordings.definitions import (
    PRIMITIVES,
    TIMES,
    Definition,
    Encoding,
    Field,
    read_definition,
    text_of,
)
from ..recordings.encode import COMMANDS, FRAMES, STATES, TYPES, encode
from ..recordings.layouts import Decoder
from ..recordings.trees import Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A message: its topic, its type as ROS 1 spells it, and `pack`, which returns its bytes."""

    topic: str
    type: str
    pack: Callable[[Encoding], bytes]


def pack_motion(topic: str, motion: Trajectory) -> Iterator[Packed]:
    """Yields a motion as messages: frames of one sample each on its own, else a state of joints, or
    with splines a command, whose missing velocities and accelerations are zero."""
    zeros = {
        name: np.nan_to_num(array)
        for name in ("velocities", "accelerations")
        if (array := getattr(motion, name)) is not None
    }
    single = [()] if motion.names else []
    for frames in [(each,) for each in motion.frames] or single:
        part = replace(motion, frames=frames, **zeros)
        is_command = part.interpolation == "spline"
        kind = TYPES[FRAMES if frames else COMMANDS if is_command else STATES]
        yield Packed(topic=topic, type=kind, pack=partial(_pack, part))


def _pack(motion: Trajectory, encoding: Encoding) -> bytes:
    try:
        return next(encode(motion, encoding)).data
    except WriteError as error:
        raise ConnectError(error.message) from None


def to_json(message: Packed) -> str:
    """Returns a message as rosbridge takes it: bytes in base 64, and infinity as a number that is
    too large, which JSON can say. A command has no header, whose stamp a server would make the time
    of now: without one the motion begins when it is received. Raises ConnectError for one beyond
    all bounds."""
    definition, decoder = _decoder_of(message.type)
    found = decoder.decode([message.pack("cdr")])
    if not found:
        raise ConnectError(f"a message on {message.topic} is too large for rosbridge")
    return _say_message(found[0][1], definition.type, definition)


@lru_cache(maxsize=32)
def _decoder_of(kind: str) -> tuple[Definition, Decoder]:
    definition = read_definition(kind, text_of(kind, "cdr"), "cdr")
    return definition, Decoder(definition, "cdr")


def _say_message(tree: Tree, kind: str, definition: Definition) -> str:
    said = (
        f"{json.dumps(each.name)}: {_write_field(tree[each.name], each, definition)}"
        for each in definition.types[kind]
        if (kind, each.name) != (TYPES[COMMANDS], "header")
    )
    return "{" + ", ".join(said) + "}"


def _write_field(tree: Tree, field: Field, definition: Definition) -> str:
    if field.type in PRIMITIVES:
        return _say_numbers(tree[0], field)
    if field.type in TIMES:
        seconds, rest = divmod(int(tree[0]), NANOSECONDS)
        return json.dumps({"sec": seconds, "nanosec": rest, "secs": seconds, "nsecs": rest})
    if field.type in definition.types:
        many = tree if isinstance(tree, list) else [tree]
        said = [_say_message(each, field.type, definition) for each in many]
        return "[" + ", ".join(said) + "]" if field.count >= 0 else said[0]
    return json.dumps(tree)


def _say_numbers(values: Any, field: Field) -> str:
    if field.count >= 0 and field.type in ("uint8", "byte", "char"):
        return json.dumps(b64encode(values.astype(np.uint8).tobytes()).decode())
    said = [_say_number(each, field.type) for each in np.atleast_1d(values).tolist()]
    return "[" + ", ".join(said) + "]" if field.count >= 0 else said[0]


def _say_number(value: float, kind: str) -> str:
    if not kind.startswith("float"):
        return json.dumps(bool(value) if kind == "bool" else int(value))
    if math.isfinite(value):
        return repr(value)
    return "null" if math.isnan(value) else f"{'-' if value < 0 else ''}1e999"
