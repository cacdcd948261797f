# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of MORSE's middleware, against MORSE itself: every component, every interface."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from morse_support.builder_runs import run_script
from urdf_importer_morse.stand_in import ABSENT, interfaces

# Asks MORSE which class it would take, and which way the data of its classes goes. Outside of
# Blender: inside, MORSE takes minutes to load all of its classes.
QUESTIONS = """
from morse.builder import *
import importlib
import inspect
import json
import pkgutil
import morse.actuators
import morse.sensors
from morse.builder import data
from morse.core.actuator import Actuator
from morse.core.sensor import Sensor

def resolve(interface, served):
    served = served[0] if isinstance(served, list) else served
    return served[interface] if isinstance(served, dict) else served

directions, levels, missing = {}, {}, []
for package in (morse.sensors, morse.actuators):
    for found in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{found.name}")
        for name, kind in vars(module).items():
            if inspect.isclass(kind) and kind.__module__ == module.__name__:
                way = "OUT" if issubclass(kind, Sensor) else None
                directions[f"{module.__name__}.{name}"] = (
                    "IN" if issubclass(kind, Actuator) else way)
                if hasattr(kind, "_levels"):
                    levels[f"{module.__name__}.{name}"] = [
                        level for level, about in kind._levels.items() if about[2]]

report = {
    "stream_managers": data.MORSE_DATASTREAM_MODULE,
    "service_managers": data.MORSE_SERVICE_DICT,
    "modifiers": data.MORSE_MODIFIER_DICT,
    "defaults": {"IN": data.INTERFACE_DEFAULT_IN, "OUT": data.INTERFACE_DEFAULT_OUT},
    "served": {
        component: {
            level: {name: resolve(name, served) for name, served in streams.items()}
            for level, streams in found.items()
        }
        for component, found in data.MORSE_DATASTREAM_DICT.items()
    },
    "directions": directions,
    "levels": levels,
    "names": [name for name, value in globals().items() if inspect.isclass(value)
              and issubclass(value, AbstractComponent)],
    "classpaths": {name: value._classpath for name, value in globals().items()
                   if inspect.isclass(value) and issubclass(value, ComponentCreator)},
}
print(json.dumps(report))
"""

STANDALONE = """
from urdf_importer_morse.builder import *
import inspect
report = {
    "names": [name for name, value in globals().items() if inspect.isclass(value)
              and issubclass(value, AbstractComponent)],
    "classpaths": {name: value._classpath for name, value in globals().items()
                   if inspect.isclass(value) and issubclass(value, ComponentCreator)},
}
"""


@pytest.fixture(scope="module")
def answers(morse_root: Path) -> dict[str, Any]:
    (library,) = morse_root.glob("lib/python3*/dist-packages")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", QUESTIONS],
        env={**os.environ, "PYTHONPATH": str(library)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_script(tmp_path_factory.mktemp("alone"), STANDALONE, morse_root=None).report


def test_all_components_are_served_as_morse_serves_them(answers: dict[str, Any]) -> None:
    assert len(answers["served"]) > 40
    assert answers["served"] == interfaces.SERVED


def test_managers_modifiers_and_defaults_are_those_of_morse(answers: dict[str, Any]) -> None:
    assert answers["stream_managers"] == interfaces.STREAM_MANAGERS
    assert answers["service_managers"] == interfaces.SERVICE_MANAGERS
    assert answers["modifiers"] == interfaces.MODIFIERS
    assert answers["defaults"] == interfaces.DEFAULT_CLASSES


def test_data_goes_as_in_morse(answers: dict[str, Any]) -> None:
    assert len(answers["directions"]) > 50
    for component, way in answers["directions"].items():
        assert interfaces.find_direction(component) == way, component
    # Served, but not there.
    for component in set(interfaces.SERVED) - set(answers["directions"]):
        assert interfaces.find_direction(component) is None
    assert interfaces.find_direction("morse.sensors.nothing.Nothing") is None
    assert interfaces.find_direction("morse.robots.atrv.ATRV") is None


def test_levels_are_those_of_morse(answers: dict[str, Any]) -> None:
    served = {name: [level] for name, level in interfaces.LEVELS.items()}
    assert served.items() <= answers["levels"].items()
    for component, found in interfaces.SERVED.items():
        assert (interfaces.DEFAULT_LEVEL in found) == (component not in interfaces.LEVELS)


def test_every_component_of_morse_is_there_or_missed_by_name(
    answers: dict[str, Any], alone: dict[str, Any]
) -> None:
    assert set(alone["names"]) - set(answers["names"]) == {"URDFRobot"}
    assert set(answers["names"]) <= set(alone["names"])
    assert set(ABSENT) < set(answers["names"])


def test_every_component_names_its_class_in_morse(
    answers: dict[str, Any], alone: dict[str, Any]
) -> None:
    assert len(alone["classpaths"]) > 50
    assert alone["classpaths"].items() <= answers["classpaths"].items()
