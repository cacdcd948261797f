# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's own runtime over the scene in Blender, with game_double.py for the engine.

Everything of MORSE is MORSE's: its start makes the robots and components that the game properties
of the scene name (Robot_Tag, Component_Tag, classpath) by their own constructors, its clock is its
fixed-step one, and each frame calls its entry points for the simulation and for every robot and
component. What is left out of its start: logging to the console, and the sockets of its services,
which tests call directly.

What MORSE demands of the process, and gets while it runs: an executable named blender, the module
bge, and the module imp, which Python 3.12 dropped. It takes sys.excepthook for itself; all of this
is put back at the end, and no module of MORSE is left for others, since some of them look only once
whether they run in the engine.
"""

import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from morse_support.game_double import CONSTRAINT_TYPES, IK_TYPES, Game, SCA_AlwaysSensor
from urdf_importer_morse.game_engine.storage import set_property

ROBOT = "morse.robots.fakerobot.FakeRobot"
ARMATURE = "morse.actuators.armature.Armature"
ARMATURE_POSE = "morse.sensors.armature_pose.ArmaturePose"

_KEYS = ("UPARROW", "DOWNARROW", "RIGHTARROW", "LEFTARROW", "LEFTCTRL", "LEFTALT", "F5", "F7", "F8")
_OURS = ("morse", "bge", "imp", "component_config", "multinode_config")


def mark_robot(item: Any, classpath: str = ROBOT) -> None:
    """The game properties by which MORSE knows a robot."""
    set_property(item, "Robot_Tag", True)
    set_property(item, "classpath", classpath)


def mark_component(item: Any, classpath: str) -> None:
    """The game properties by which MORSE knows an actuator or a sensor."""
    set_property(item, "Component_Tag", True)
    set_property(item, "classpath", classpath)


class Runtime:
    """MORSE running in a game. `robots` and `components` are its instances, by object name."""

    def __init__(self, game: Game, main: Any, calling: Any) -> None:
        self.game = game
        self._main = main
        self._calling = calling
        self._storage = main.persistantstorage
        self.robots = {item.name: made for item, made in self._storage.robotDict.items()}
        self.components: dict[str, Any] = self._storage.componentDict

    def frame(self, *services: Callable[[], object]) -> None:
        """One frame: MORSE's logic, then calls of services, then what the engine does itself."""
        self.game.begin_frame()
        self._main.simulation_main(None)
        for item in self._storage.robotDict:
            self._calling.robot_action(_controller(item))
        for name in self.components:
            self._calling.component_action(_controller(self.game.objects[name]))
        for service in services:
            service()
        self.game.end_frame()

    def run_until_answered(self, *answers: "Answer", most: int) -> int:
        """Frames that it took, `most` at most: it is an error where that is not enough."""
        for count in range(most + 1):
            if all(answer.given for answer in answers):
                return count
            self.frame()
        raise AssertionError(f"no answer after {most} frames")

    def error(self, name: str) -> type[Exception]:
        """One of MORSE's exceptions."""
        found: type[Exception] = getattr(sys.modules["morse.core.exceptions"], name)
        return found


class Answer:
    """The callback of an asynchronous service: `given` are its answers (status, result)."""

    service: Any = None

    def __init__(self) -> None:
        self.given: list[tuple[str, Any]] = []

    def __call__(self, answer: tuple[str, Any]) -> None:
        self.given.append(answer)

    @property
    def status(self) -> str:
        """SUCCESS, PREEMPTED or FAILED; empty while there is no answer."""
        return self.given[0][0] if self.given else ""


@contextmanager
def start_morse(root: Path, game: Game) -> Iterator[Runtime]:
    """MORSE from the folder `root`, which holds its lib/, started in the game."""
    with _process_as_morse_wants_it(root, game):
        with warnings.catch_warnings():
            # Old code: invalid escapes, comparisons by identity, deprecated modules.
            warnings.simplefilter("ignore")
            main: Any = importlib.import_module("morse.blender.main")
            calling = importlib.import_module("morse.blender.calling")
            storage, strategies = main.persistantstorage, main.TimeStrategies
            storage.clear()
            storage.time = strategies.make(strategies.FixedSimulationStep, True)
            storage.morse_initialised = main.create_dictionaries()
        assert storage.morse_initialised, "MORSE refuses the scene"
        yield Runtime(game, main, calling)


_loaded: dict[Path, dict[str, ModuleType]] = {}
"""What was loaded for a root. MORSE's modules walk the stack and all modules for every property of
a class: the tests pay for that once."""


@contextmanager
def _process_as_morse_wants_it(root: Path, game: Game) -> Iterator[None]:
    kept = (sys.executable, sys.excepthook, sys.dont_write_bytecode, list(sys.path))
    others = _take_modules()
    sys.executable = "/usr/bin/blender"
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(_python_folder(root)))
    sys.modules.update(_loaded.get(root) or _make_modules())
    sys.modules["bge.logic"].__dict__.update(_make_logic(game))
    try:
        yield
    finally:
        sys.executable, sys.excepthook, sys.dont_write_bytecode, sys.path[:] = kept
        _loaded[root] = _take_modules()
        sys.modules.update(others)


def _python_folder(root: Path) -> Path:
    found = sorted(root.glob("lib/python3*/*-packages/morse/version.py"))
    assert found, f"no Python code of MORSE below {root}"
    return found[0].parents[1]


def _take_modules() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name.partition(".")[0] in _OURS]
    return {name: sys.modules.pop(name) for name in names}


def _make_modules() -> dict[str, ModuleType]:
    letters = [*map(chr, range(ord("A"), ord("Z") + 1))]
    keys = {f"{key}KEY": number for number, key in enumerate([*_KEYS, *letters])}
    parts = {
        "logic": _module("bge.logic"),
        "events": _module("bge.events", **keys, LEFTMOUSE=-1, RIGHTMOUSE=-2),
        "types": _module("bge.types", SCA_AlwaysSensor=SCA_AlwaysSensor),
        **{name: _module(f"bge.{name}") for name in ("render", "constraints", "texture")},
    }
    made = {module.__name__: module for module in parts.values()} | {"bge": _module("bge", **parts)}
    if sys.version_info >= (3, 12):
        made["imp"] = _module("imp", reload=importlib.reload)
    return made


def _make_logic(game: Game) -> dict[str, Any]:
    """What bge.logic holds while this game runs."""
    return {
        "CONSTRAINT_TYPE_KINEMATIC": CONSTRAINT_TYPES["IK"],
        "CONSTRAINT_IK_DISTANCE": IK_TYPES["DISTANCE"],
        "getCurrentScene": lambda: game,
        "getLogicTicRate": lambda: game.tick_rate,
        "getFrameTime": lambda: game.time,
    }


def _module(name: str, **contents: Any) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(contents)
    return made


def _controller(owner: Any) -> SimpleNamespace:
    """The Python controller of an object, fired by its Always sensor."""
    return SimpleNamespace(owner=owner, sensors=[SCA_AlwaysSensor("Always")])
