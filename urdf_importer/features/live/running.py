# SPDX-License-Identifier: GPL-3.0-or-later
"""The robot of a running node: the topic robot_description, whose only message servers keep for
later clients, or the parameter of that name."""

import sys
import time
from collections.abc import Sequence
from typing import Any

from ...core.diagnostics import ConnectError, Diagnostics, ReadError, quote
from ..motion.messages.description import find_text
from .address import Address, read_address, warn_of_readers
from .connection import PATIENCE, Connection
from .dialect import ROBOT, Arrival, Dialect, LiveWish

_PAUSE = 0.002
_USUAL = (ROBOT, "robot_state_publisher")


def find_running(
    url: str, topic: str | None, diagnostics: Diagnostics, *, seconds: float = PATIENCE
) -> str:
    """Returns the description of the robot of a running node, from a rosbridge or Foxglove server.
    Waits at most `seconds` to be connected and as long for the description. Raises ReadError."""
    try:
        address = read_address(url)
        _check_access(address)
        warn_of_readers(address, diagnostics)
    except ConnectError as error:
        raise ReadError(error.message, source=url) from None
    wish = LiveWish(topic=topic or "", base=False, describes=True)
    connection = Connection(address, wish)
    try:
        return _wait(connection, wish, seconds)
    except ReadError as error:
        raise ReadError(error.message, source=url) from None
    finally:
        connection.close()


def _check_access(address: Address) -> None:
    """Asks Blender's permission in its program. Who calls the library, or the command, wants it."""
    bpy: Any = sys.modules.get("bpy")
    if bpy is not None and bpy.app.binary_path:
        from .blender.live import check_access

        check_access(address)


def _wait(connection: Connection, wish: LiveWish, seconds: float) -> str:
    end, is_met = time.monotonic() + seconds, False
    problem = ""
    while time.monotonic() < end:
        found = _find_text(connection.poll())
        dialect = connection.dialect
        if not found and dialect is not None and connection.state == "connected":
            if not is_met:
                is_met, end = True, time.monotonic() + seconds
            problem = dialect.problem
            found = "" if wish.topic or not problem else _find_parameter(dialect)
        if found:
            return found
        if connection.tries > 1:
            raise ReadError(connection.error)
        time.sleep(_PAUSE)
    if not is_met:
        raise ReadError(connection.error or f"no answer from {connection.address}")
    dialect = connection.dialect
    found = "" if wish.topic or dialect is None else _find_parameter(dialect)
    if found:
        return found
    raise ReadError(_explain(wish, problem))


def _find_text(arrivals: Sequence[Arrival]) -> str:
    return next(filter(None, (find_text(each.tree) for each in arrivals)), "")


def _find_parameter(dialect: Dialect) -> str:
    """Returns the description that is a parameter; nothing where there is none. Raises ReadError
    for several robots."""
    found = dialect.parameters
    usual = [text for name, text in found.items() if name.lstrip("/").startswith(_USUAL)]
    if len(usual or found) > 1 and len(set(usual or found.values())) > 1:
        listed = ", ".join(map(quote, sorted(found)))
        raise ReadError(f"there are several robots, as parameters: {listed}")
    return next(iter(usual or found.values()), "")


def _explain(wish: LiveWish, problem: str) -> str:
    if wish.topic or problem.startswith("several"):
        return problem or f"no message on {quote(wish.usual)}: is a robot published there?"
    return (
        f"it has no {ROBOT}, as a topic or a parameter: start robot_state_publisher, or name the "
        "URDF"
    )
