# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of one expansion, which become diagnostics, each of them once."""

from collections.abc import Callable
from typing import Any

from ....core.diagnostics import Diagnostics, quote

MOST_WARNINGS = 100


class Output:
    """Takes messages that xacro, or the description through it, would print. Expressions find the
    methods by their names. `line` gives the line of the main file where the work is."""

    def __init__(self, diagnostics: Diagnostics, line: Callable[[], int]) -> None:
        self._diagnostics = diagnostics
        self._line = line
        self._said: set[tuple[str, str, str, str, int]] = set()

    def add(self, *words: Any) -> None:
        """Adds a warning of xacro's."""
        text = " ".join(str(word) for word in words)
        shown = " ".join(text[:300].split())
        self.warn_once("xacro-warning", f"xacro warns: {shown}; the expansion continued")

    def warn_once(
        self, code: str, message: str, *, subject: str = "", source: str = "", line: int = 0
    ) -> None:
        """Adds a warning about a file and line, or about where the work is."""
        key = (code, message, subject, source, line)
        if key not in self._said and len(self._said) < MOST_WARNINGS:
            self._said.add(key)
            self._diagnostics.warning(
                code, message, subject=subject, source=source, line=line or self._line()
            )

    def warn_of_key(self, path: str, key: str, line: int) -> None:
        """Warns of a key that comes twice in a YAML file."""
        message = f"the key {quote(key)} comes twice; the last one counts"
        self.warn_once("duplicate-yaml-key", message, subject=key, source=path, line=line)

    def warn_of_variable(self, name: str) -> None:
        """Warns of a variable of the environment that is set and not read; of its name alone."""
        message = (
            f"the environment variable {quote(name)} is set and not read; "
            f"give it with --xacro-env {name[:80]}:=VALUE"
        )
        self.warn_once("environment-not-read", message, subject=name)

    def warning(self, *words: Any, **_format: Any) -> None:
        self.add(*words)

    def error(self, *words: Any, **_format: Any) -> None:
        self.add(*words)

    def message(self, *_words: Any, **_format: Any) -> None:
        """Drops messages that do not concern users of the robot."""

    def print_location(self) -> None:
        """Does nothing: diagnostics have their lines."""
