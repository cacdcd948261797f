# SPDX-License-Identifier: GPL-3.0-or-later
"""Mappings -> YAML that every reader takes alike.

Texts are quoted as in JSON, since joints are called `1`, `on` or `1e3`; numbers have a point and no
exponent: a parameter of ROS 2 that is a double takes no 100, and 1e-05 is a text to some readers.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])


def write_yaml(content: Mapping[str, Any]) -> str:
    """Returns the text of nested mappings, lists, texts, numbers and truth values."""
    return "\n".join(_write_lines(content, "") if content else ["{}"]) + "\n"


def write_text_value(text: str) -> str:
    """Returns a text in double quotes, for YAML and for Python."""
    return (
        json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f").replace("\x85", "\\u0085")
    )


def _write_lines(content: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in content.items():
        is_plain = _PLAIN_KEY(key) and key.lower() not in _WORDS
        start = f"{indent}{key if is_plain else write_text_value(key)}:"
        if isinstance(value, Mapping) and value:
            yield start
            yield from _write_lines(value, indent + "  ")
        elif isinstance(value, list | tuple):
            yield f"{start} [{', '.join(map(_write_value, value))}]"
        else:
            yield f"{start} {_write_value(value)}"


def _write_value(value: Any) -> str:
    if isinstance(value, str):
        return write_text_value(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, bool | int):
        return str(value).lower()
    text = format(Decimal(repr(float(value))), "f")
    return text if "." in text else f"{text}.0"
