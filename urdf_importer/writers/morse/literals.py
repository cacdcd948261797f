# SPDX-License-Identifier: GPL-3.0-or-later
"""Values as Python writes them, in plain ASCII, and names of strangers in comments.

Numbers are as short as the single precision allows in which Blender keeps them: 0.333 for what is
0.333000004291534 there.
"""

import textwrap
from collections.abc import Iterable, Sequence

import numpy as np

_NOTHING = 1e-9
_WIDTH = 98


def single(value: float) -> str:
    """A number that Blender keeps in single precision; what is less than a nanometre is zero."""
    return "0.0" if abs(value) < _NOTHING else repr(float(str(np.float32(value))))


def vector(values: Iterable[float]) -> str:
    """Two numbers or more, as `single`."""
    return f"({', '.join(single(float(value)) for value in values)})"


def text(value: str) -> str:
    return ascii(value)


def texts(values: Sequence[str]) -> str:
    """A tuple of any length."""
    inner = ", ".join(ascii(value) for value in values)
    return f"({inner},)" if len(values) == 1 else f"({inner})"


def table(name: str, head: str, rows: Sequence[str]) -> str:
    """The assignment of a tuple of tuples, one on each line, under a comment that names the
    columns. Each row is what stands within its brackets."""
    if not rows:
        return f"{name} = ()\n"
    lines = [f"{name} = (", *(f"    # {line}" for line in textwrap.wrap(head, _WIDTH - 6))]
    return "\n".join([*lines, *(f"    ({row})," for row in rows), ")", ""])


def comment(paragraph: str, *, first: str = "", indent: str = "") -> str:
    """Lines of a comment, wrapped; `first` stands before the first line, `indent` before all."""
    plain = printable(paragraph)
    rest = " " * len(first)
    wrapped = textwrap.wrap(
        plain, _WIDTH - len(indent), initial_indent=f"# {first}", subsequent_indent=f"# {rest}"
    )
    return "".join(f"{indent}{line}\n" for line in wrapped)


def printable(name: str) -> str:
    """On one line and in ASCII, whatever it was."""
    return "".join(
        c if c.isascii() and c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in name
    )
