# SPDX-License-Identifier: GPL-3.0-or-later
"""What one builder script made so far: its components in their order, and what it wants of them.

There is one script at a time, as in MORSE. It ends when its environment is created: what is made
after that belongs to the next one.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .configuration import Configuration

if TYPE_CHECKING:
    from .component import AbstractComponent


@dataclass(slots=True)
class Script:
    components: "list[AbstractComponent]" = field(default_factory=list)
    configuration: Configuration = field(default_factory=Configuration)
    is_finished: bool = False


SCRIPT = Script()
"""The one that runs."""


def note_component(component: "AbstractComponent") -> None:
    """Every component does this when it is made. What another file had, which is no more open, is
    forgotten."""
    made = [each for each in SCRIPT.components if each.has_object()]
    if SCRIPT.is_finished or (made and not any(each.is_alive() for each in made)):
        forget_components()
    SCRIPT.components.append(component)


def forget_components() -> None:
    """Starts anew, with no components. What stands in Blender stays."""
    SCRIPT.components.clear()
    SCRIPT.configuration = Configuration()
    SCRIPT.is_finished = False


def drop_lost_components() -> None:
    """Forgets those that could not be made and those whose objects are gone from Blender."""
    SCRIPT.components[:] = [each for each in SCRIPT.components if each.is_alive()]
    for component in SCRIPT.components:
        component.children[:] = [each for each in component.children if each.is_alive()]
