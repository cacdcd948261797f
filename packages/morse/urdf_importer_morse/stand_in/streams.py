# SPDX-License-Identifier: GPL-3.0-or-later
"""Which class serves a component over an interface, and which way its data goes.

MORSE logs most errors here and continues without the stream; so does this.
"""

import logging
from typing import TYPE_CHECKING, Any

from urdf_importer.core.diagnostics import quote

from .errors import ClassPathError, UnknownNameError
from .interfaces import (
    DEFAULT_CLASSES,
    DEFAULT_LEVEL,
    LEVELS,
    MODIFIERS,
    SERVED,
    SERVICE_MANAGERS,
    STREAM_MANAGERS,
    Direction,
    find_direction,
)

if TYPE_CHECKING:
    from .component import AbstractComponent

logger = logging.getLogger(__name__)

_DIRECTIONS: dict[str, Direction] = {"sensors": "OUT", "actuators": "IN"}


def plan_stream(
    component: "AbstractComponent",
    interface: str,
    method: str | None,
    path: str | None,
    classpath: str | None,
    direction: str | None,
) -> list[Any] | None:
    """Returns [manager, class, [path], direction]; None if there is no such stream, which is
    logged.

    Raises UnknownNameError for a level that the component does not have.
    """
    served = classpath or component.property_value("classpath")
    if not served:
        logger.error("%s has no class in MORSE, so no stream", quote(component.name))
        return None
    way = direction or state_direction(component, served)
    if not way:
        return None
    found = method or _find_class(component, served, interface)
    if not found:
        return None
    manager = STREAM_MANAGERS.get(interface, interface)
    return [manager, found, *([path] if method and path else []), way]


def state_direction(component: "AbstractComponent", classpath: Any) -> Direction | None:
    """Does the same as `_find_direction`, and logs None."""
    way = _find_direction(component, classpath)
    if way is None:
        logger.error(
            "%s: MORSE has no sensor or actuator %s, so no stream",
            quote(component.name),
            quote(str(classpath)),
        )
    return way


def find_service(interface: str) -> str:
    """Returns the manager that answers requests over an interface. Raises UnknownNameError."""
    if interface not in SERVICE_MANAGERS:
        raise _unknown("interface with services", interface, SERVICE_MANAGERS)
    return SERVICE_MANAGERS[interface]


def find_modifier(name: str | None, classpath: str) -> str:
    """Returns the class of a modifier for a component. Raises UnknownNameError."""
    if name is None or name not in MODIFIERS:
        raise _unknown("modifier", name, MODIFIERS)
    if classpath not in MODIFIERS[name]:
        served = ", ".join(map(quote, MODIFIERS[name]))
        raise UnknownNameError(
            f"modifier {quote(name)} is not for {quote(str(classpath))}, only for {served}"
        )
    return MODIFIERS[name][classpath]


def _find_direction(component: "AbstractComponent", classpath: Any) -> Direction | None:
    """Returns which way data goes. Classes of MORSE are known; for other programs' classes, which
    only MORSE could inspect, the component itself decides."""
    if not isinstance(classpath, str) or "." not in classpath:
        raise ClassPathError(f"{quote(str(classpath))} names no class by its module and name")
    if classpath.startswith("morse."):
        return find_direction(classpath)
    return _DIRECTIONS.get(component._category)


def _find_class(component: "AbstractComponent", classpath: str, interface: str) -> str | None:
    if classpath not in SERVED:
        return _find_default_class(component, classpath, interface)
    level = _find_level(component, classpath)
    found = SERVED[classpath][level].get(interface)
    if found is None:
        logger.error(
            "%s: MORSE has no stream of %s at level %s over %s",
            quote(component.name),
            quote(classpath),
            quote(level),
            quote(interface),
        )
    return found


def _find_default_class(
    component: "AbstractComponent", classpath: str, interface: str
) -> str | None:
    way = _find_direction(component, classpath)
    found = DEFAULT_CLASSES[way].get(interface) if way else None
    if found is None:
        logger.error(
            "%s: MORSE has no stream of %s over %s",
            quote(component.name),
            quote(classpath),
            quote(interface),
        )
    else:
        logger.warning(
            "%s: MORSE has no stream for %s over %s; one for any component is taken",
            quote(component.name),
            quote(classpath),
            quote(interface),
        )
    return found


def _find_level(component: "AbstractComponent", classpath: str) -> str:
    """Returns the level that the script set; else the default of the component's class, which is
    set."""
    levels = SERVED[classpath]
    level = str(component.property_value("abstraction_level") or DEFAULT_LEVEL)
    if level in levels:
        return level
    if level != DEFAULT_LEVEL:
        raise _unknown(f"level of {quote(classpath)}", level, levels)
    component.level(LEVELS[classpath])
    return LEVELS[classpath]


def _unknown(what: str, name: str | None, known: Any) -> UnknownNameError:
    return UnknownNameError(
        f"MORSE has no {what} {quote(str(name))}; it has {', '.join(map(quote, known))}"
    )
