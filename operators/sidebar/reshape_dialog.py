# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of all operators that reshape: a dialog that lists the changes."""

from typing import Any

from ...urdf_importer import Change, Diagnostics, Robot, RobotError, update_robot
from ...urdf_importer.core.command.summary import count
from ...urdf_importer.core.pipeline.extracting import find_reshaped
from ...urdf_importer.core.pipeline.updating import compare_with_robot
from ..active_robot import Refusal, RobotOperator, active_robot, ask
from ..reports import report_diagnostics, report_sentence
from ..shown_changes import list_changes
from ..wrapped_text import draw_wrapped

_WIDTH = 520
Made = tuple[Robot, dict[str, str]]
"""The changed robot, and the new names of renamed parts."""


_LINES_OF_FIELDS = 3
"""Lines that fields take beside one each: for vectors, and the gaps between fields."""


class ReshapeOperator(RobotOperator):
    """Base of all reshape operators: `make` is the function, the properties its arguments."""

    fields: tuple[str, ...] = ()
    _shown: tuple[Any, tuple[Change, ...], str] = ((), (), "")

    def make(self, robot: Robot, diagnostics: Diagnostics) -> Made:
        """Returns the changed robot. Raises RobotError."""
        raise NotImplementedError

    def invoke(self: Any, context: Any, event: Any) -> set[str]:
        return ask(self, context, width=_WIDTH)

    def check(self: Any, context: Any) -> bool:
        return True

    def draw(self: Any, context: Any) -> None:
        self.layout.use_property_split = True
        for name in self.fields:
            self.draw_field(self.layout, name)
        changes, problem = self.preview(context)
        box = self.layout.box()
        if problem:
            draw_wrapped(box, context, problem, icon="ERROR")
        elif not changes:
            box.label(text="Nothing changes", icon="INFO")
        else:
            box.label(text=f"{count(len(changes), 'change')}:")
            list_changes(
                box.column(align=True), context, changes, _LINES_OF_FIELDS + len(self.fields)
            )

    def draw_field(self: Any, layout: Any, name: str) -> None:
        layout.prop(self, name)

    def preview(self: Any, context: Any) -> tuple[tuple[Change, ...], str]:
        """Returns the changes, and the reason why there can be none; worked out anew only after a
        change of a field."""
        key = tuple(repr(getattr(self, name)) for name in self.fields)
        if self._shown[0] != key:
            robot = active_robot(context)
            try:
                made, names = self.make(find_reshaped(robot), Diagnostics())
                self._shown = (key, compare_with_robot(robot, made, names), "")
            except RobotError as error:
                self._shown = (key, (), str(error))
        return self._shown[1], self._shown[2]

    def run(self: Any, context: Any, robot: Any) -> None:
        diagnostics = Diagnostics()
        made, names = self.make(find_reshaped(robot), diagnostics)
        result = update_robot(robot, robot=made, names=names)
        if not result.changes:
            raise Refusal("Nothing changes: the robot is like this already", "INFO")
        found = (*diagnostics, *result.diagnostics)
        report_diagnostics(self, made.name, found, "reshape")
        sentence = f"Reshaped {made.name}: {count(len(result.changes), 'change')}"
        report_sentence(self, sentence, found)
