# SPDX-License-Identifier: GPL-3.0-or-later
"""$(arg x), $(find x), $(env x), $(optenv x default), $(dirname), $(cwd) and $(eval ...)."""

import os
import re
from collections.abc import Callable
from typing import Any

from ..diagnostics import quote
from .xacro_expressions import Evaluator
from .xacro_files import ENVIRONMENT, XacroFiles

_FIND = re.compile(r"\$\(\s*find\s+([^\s()$]+)\s*\)")
_COMMANDS = "arg, cwd, dirname, env, eval, find and optenv"


class Substitutions:
    """What stands in for $(...) in one expansion.

    `arguments` are those given and declared so far; `folder` tells that of the file being read.
    `used` are the names of the arguments that were asked for.
    """

    def __init__(self, files: XacroFiles, folder: Callable[[], str]) -> None:
        self.arguments: dict[str, str] = {}
        self.used: set[str] = set()
        self._files = files
        self._folder = folder

    def substitute(self, text: str, evaluator: Evaluator) -> str:
        """What stands in for `$(text)`. Raises ReadError for a missing package and ValueError for
        what has no meaning."""
        command, *words = text.split() or [""]
        if command == "eval":
            names = _Converted(self.arguments)
            self.used |= self.arguments.keys()
            return str(evaluator.evaluate(text.strip().removeprefix("eval"), names))
        if command in ("dirname", "cwd") and not words:
            # xacro's $(cwd) is the folder it is started in, which says nothing about a robot.
            return self._folder()
        if command == "optenv" and words:
            default = " ".join(words[1:])
            return os.environ.get(words[0], default) if words[0] in ENVIRONMENT else default
        if command not in ("arg", "find", "env") or len(words) != 1:
            raise ValueError(f"{quote(f'$({text})')} is none of the substitutions {_COMMANDS}")
        return self._substitute_name(command, words[0])

    def _substitute_name(self, command: str, name: str) -> str:
        if command == "find":
            return self._files.find_package(name)
        if command == "arg":
            self.used.add(name)
            if name not in self.arguments:
                raise ValueError(f"the argument {quote(name)} is neither declared nor given")
            value = str(self.arguments[name])
            return _FIND.sub(lambda match: self._files.find_package(match[1]), value)
        if name not in ENVIRONMENT or name not in os.environ:
            known = ", ".join(ENVIRONMENT)
            raise ValueError(
                f"the environment variable {quote(name)} is not set or not one of {known}"
            )
        return os.environ[name]


class _Converted(dict[str, Any]):
    """The arguments as the values that $(eval ...) sees."""

    def __init__(self, arguments: dict[str, str]) -> None:
        super().__init__({name: _convert(str(text)) for name, text in arguments.items()})
        self.update(true=True, false=False)


def _convert(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.lower(), text)
