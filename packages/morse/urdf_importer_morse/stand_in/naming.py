# SPDX-License-Identifier: GPL-3.0-or-later
"""Names all components of a script when its environment is made: each after its variable, and below
the names of its parents: robot, robot.arm, robot.arm.pose."""

import logging
from collections import Counter
from collections.abc import Mapping
from typing import Any

from urdf_importer.core.diagnostics import quote

from .component import AbstractComponent
from .robots import Robot
from .script import SCRIPT

logger = logging.getLogger(__name__)


def name_free_components(variables: Mapping[str, Any]) -> None:
    """Gives each component that has neither a parent nor a name its variable's."""
    for name, component in list(variables.items()):
        if not isinstance(component, AbstractComponent) or not component.is_alive():
            continue
        if not hasattr(component, "parent") and not component.basename:
            component.rename(name)
            component.basename = name


def rename_trees() -> None:
    """Prefixes the names of everything below robots with the robots' names."""
    for component in list(SCRIPT.components):
        if isinstance(component, Robot):
            _rename_tree(component)


def report_lost_names() -> None:
    """Logs configurations under a name that no component has in the end, so that MORSE will not
    find them: the component was renamed later, or Blender cut its name off."""
    names = {component.name for component in SCRIPT.components}
    for name in sorted(SCRIPT.configuration.find_names() - names):
        logger.warning("no component has the name %s: MORSE finds no streams for it", quote(name))


def _rename_tree(robot: Robot) -> None:
    """Renames a robot and everything below it, parents first. A name that is taken gets a number; a
    component without a variable keeps its name, and so does everything below it."""
    taken = Counter(each.name for each in SCRIPT.components if each is not robot)
    waiting: list[tuple[AbstractComponent, str]] = [(robot, "")]
    while waiting:
        component, above = waiting.pop()
        if not component.basename:
            continue
        new = _find_free_name(above + component.basename, taken)
        old = component.name
        component.rename(new)
        if component is not robot:
            taken.subtract([old])
            taken.update([component.name])
        waiting.extend((child, f"{new}.") for child in reversed(component.children))


def _find_free_name(name: str, taken: Counter[str]) -> str:
    free, count = name, 1
    while taken[free] > 0:
        free, count = f"{name}_{count:03d}", count + 1
    return free
