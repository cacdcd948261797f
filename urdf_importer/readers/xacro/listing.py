# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of a xacro file, also of one that cannot be expanded as it is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...diagnostics import ReadError
from .expressions import MissingArgumentError
from .library import Expander
from .tree import replace_node
from .values import FAILURES


class ListingExpander(Expander):
    """An expansion for the sake of the arguments alone: one that is missing stands for an empty
    text, and parts that fail are passed over."""

    def list_arguments(self) -> dict[str, str | None]:
        """Returns the declared arguments, then others that were asked for, with None."""
        asked = self._substitutions.asked
        return self.arguments | {name: None for name in asked if name not in self.arguments}

    def _has_value(self, _name: str) -> bool:
        return True

    def _value_of(self, token: re.Match[str], symbols: Any) -> Any:
        try:
            return super()._value_of(token, symbols)
        except self.failures as error:
            if isinstance(getattr(error, "exc", None), MissingArgumentError):
                return ""
            raise

    def _eval_all(self, node: Any, macros: Any, symbols: Any) -> None:
        for name, value in list(node.attributes.items()):
            node.removeAttribute(name)
            with self._passed_over():
                self._eval_text(value, symbols)
        is_done = False
        while not is_done:
            with self._passed_over():
                super()._eval_all(node, macros, symbols)
                is_done = True
            is_done = is_done or not _drop_failed(node)

    @contextmanager
    def _passed_over(self) -> Iterator[None]:
        """Goes on after failures, but where the stack or the allowance is at its end."""
        stacks = self._library.filestack, self._library.macrostack, self._calls
        depths = [len(stack) for stack in stacks]
        failures: tuple[type[Exception], ...] = (*self.failures, *FAILURES, ReadError)
        try:
            yield
        except RecursionError:
            raise
        except failures:
            if self._budget.is_spent:
                raise
            for stack, depth in zip(stacks, depths, strict=True):
                del stack[depth:]


def _drop_failed(node: Any) -> bool:
    """Takes away the child that could not be worked on: the first in which work is left. False
    where there is none."""
    for child in node.childNodes:
        if child.nodeName.startswith("xacro:") or "$" in (child.nodeValue or ""):
            replace_node(child, by=None)
            return True
    return False
