# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of a xacro file, also of one that cannot be expanded as it is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....core.diagnostics import ReadError
from ....core.readers.formats import XacroArgument
from .expressions import MissingArgumentError
from .library import Expander
from .tree import replace_node
from .values import FAILURES


class ListingExpander(Expander):
    """An expansion for the sake of the arguments alone: a missing one counts as an empty text,
    and parts that fail are passed over."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._early: set[str] = set()

    def list_arguments(self) -> tuple[XacroArgument, ...]:
        """Returns the declared arguments, then others that were asked for."""
        found = self.arguments | {
            name: None for name in self._substitutions.asked if name not in self.arguments
        }
        return tuple(
            XacroArgument(
                name=name, default=default, is_required=default is None or name in self._early
            )
            for name, default in found.items()
        )

    def _has_value(self, name: str) -> bool:
        """Takes note of an argument that was asked for before its declaration, which is here."""
        if name not in self.places and name in self._substitutions.asked:
            self._early.add(name)
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
        """Continues after failures, but where the stack or the allowance is at its end."""
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
    """Removes the child that could not be worked on: the first in which work is left. False
    where there is none."""
    for child in node.childNodes:
        if child.nodeName.startswith("xacro:") or "$" in (child.nodeValue or ""):
            replace_node(child, by=None)
            return True
    return False
