# SPDX-License-Identifier: GPL-3.0-or-later
"""The builder script that runs: its components, its configuration of MORSE's middleware, which
MORSE reads as a text of five assignments, and its variables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pprint import pformat
from types import FrameType
from typing import TYPE_CHECKING, Any

SIMULATION = "simulation"
"""The name under which the simulator itself has services."""

DEFAULT_FREQUENCY = 60
"""Hz, for everything that asks for nothing else."""


@dataclass(slots=True)
class Configuration:
    """Component name -> its configuration, in order."""

    datastream: dict[str, list[list[Any]]] = field(default_factory=dict)
    """[manager, class, [path], direction, settings] each."""
    modifier: dict[str, list[list[Any]]] = field(default_factory=dict)
    """[class, direction, settings] each."""
    service: dict[str, list[str]] = field(default_factory=dict)
    """Managers."""
    overlay: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    """Manager -> component name -> [class, settings]."""
    stream_manager: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Manager -> settings."""
    frequency: dict[str, float] = field(default_factory=dict)
    """Hz."""

    def rename(self, old: str, new: str) -> None:
        """Moves the configuration of the old name to the new one."""
        named: tuple[dict[str, Any], ...] = (
            self.datastream,
            self.modifier,
            self.service,
            self.frequency,
        )
        for found in (*named, *self.overlay.values()):
            if old in found:
                found[new] = found.pop(old)

    def has_stream(self, name: str, manager: str) -> bool:
        return any(stream[0] == manager for stream in self.datastream.get(name, ()))

    def find_highest_frequency(self) -> float:
        """Returns the highest frequency, in Hz."""
        return max(self.frequency.values(), default=DEFAULT_FREQUENCY)

    def find_names(self) -> set[str]:
        """Returns all components for which streams, services, modifiers or overlays were
        configured."""
        overlaid = (name for found in self.overlay.values() for name in found)
        return {*self.datastream, *self.modifier, *self.service, *overlaid} - {SIMULATION}

    def write_text(self, robots: Sequence[str] | None = None) -> str:
        """Writes the five assignments; only for these robots and their components, if not None."""
        assigned = {
            "component_datastream": _choose(self.datastream, robots),
            "component_modifier": _choose(self.modifier, robots),
            "component_service": _choose(self.service, robots),
            "overlays": {name: _choose(found, robots) for name, found in self.overlay.items()},
            "stream_manager": self.stream_manager,
        }
        return "".join(f"{name} = {pformat(value)}\n" for name, value in assigned.items())


def _choose(named: Mapping[str, Any], robots: Iterable[str] | None) -> dict[str, Any]:
    if robots is None:
        return dict(named)
    wanted = tuple(robots)
    return {name: value for name, value in named.items() if name.startswith(wanted)}


if TYPE_CHECKING:
    from .component import AbstractComponent


@dataclass(slots=True)
class Script:
    components: "list[AbstractComponent]" = field(default_factory=list)
    configuration: Configuration = field(default_factory=Configuration)
    is_finished: bool = False


SCRIPT = Script()
"""The script that runs."""


def note_component(component: "AbstractComponent") -> None:
    """Notes a new component. Components of another file, which is no longer open, are forgotten."""
    made = [each for each in SCRIPT.components if each.has_object()]
    if SCRIPT.is_finished or (made and not any(each.is_alive() for each in made)):
        forget_components()
    SCRIPT.components.append(component)


def forget_components() -> None:
    """Starts afresh, without components. Objects in Blender stay."""
    SCRIPT.components.clear()
    SCRIPT.configuration = Configuration()
    SCRIPT.is_finished = False


def drop_lost_components() -> None:
    """Forgets components that could not be made and components whose objects are gone from
    Blender."""
    SCRIPT.components[:] = [each for each in SCRIPT.components if each.is_alive()]
    for component in SCRIPT.components:
        component.children[:] = [each for each in component.children if each.is_alive()]


class timer(float):
    """The value of a game property that counts seconds, starting from it."""


class TimeStrategies:
    """The simulator's behaviour when it is too slow: drop frames, or lag behind the clock."""

    BestEffort = 0
    FixedSimulationStep = 1


def find_kind(value: Any) -> str:
    """Returns the kind of game property that holds a value, if its type does not decide it:
    subclasses of float other than `timer` are not timers."""
    if isinstance(value, timer):
        return "TIMER"
    return "FLOAT" if isinstance(value, float) else ""


if TYPE_CHECKING:
    from .component import AbstractComponent


def find_variables(frame: FrameType) -> dict[str, Any]:
    """Returns the variables of a frame; a method's come with the attributes of its self."""
    found = dict(frame.f_locals)
    own = getattr(found.get("self"), "__dict__", None)
    return {**own, **found} if isinstance(own, dict) else found


def find_script_frame(frame: FrameType) -> FrameType:
    """Returns the frame that made the environment; `frame` is its constructor's. If a constructor
    of a class of the script did that, it is the frame that called it: the outermost constructor
    counts. Constructors of the program that runs the script do not."""
    made = frame
    inside: FrameType | None = frame
    while inside is not None and inside.f_code.co_name != "<module>":
        if inside.f_code.co_name == "__init__":
            made = inside
        inside = inside.f_back
    return made.f_back or made


def find_name(component: "AbstractComponent", variables: Mapping[str, Any]) -> str:
    """Returns the name of the first variable that holds the component; empty if none does."""
    return next((name for name, value in variables.items() if value is component), "")
