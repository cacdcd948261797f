# SPDX-License-Identifier: GPL-3.0-or-later
"""How MORSE looks at the script that calls it, without the cost.

MORSE names components after the variables of a script, and finds these by inspect.getouterframes.
That also reads the source around every call; in a process with the thousands of modules of Blender
it takes a tenth of a second each time, and MORSE asks for each component and for each line of the
classes that it loads.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import Any


def without_sources(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a function so that inspect.getouterframes lists frames and their names for it, but no
    sources. It sees its caller as if nothing were between them."""

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        with _without_sources():
            return function(*args, **options)

    return called


@contextmanager
def _without_sources() -> Iterator[None]:
    former = inspect.getouterframes
    inspect.getouterframes = _list_frames
    try:
        yield
    finally:
        inspect.getouterframes = former


def _list_frames(frame: FrameType | None, context: int = 1) -> list[inspect.FrameInfo]:
    listed = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename != _list_frames.__code__.co_filename:
            listed.append(
                inspect.FrameInfo(frame, code.co_filename, frame.f_lineno, code.co_name, None, None)
            )
        frame = frame.f_back
    return listed
