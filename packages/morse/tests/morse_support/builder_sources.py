# SPDX-License-Identifier: GPL-3.0-or-later
"""What MORSE's sources say of its components: an account of the builder that never runs it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = "lib/python3/dist-packages/morse/builder"
FILES = (
    *("abstractcomponent", "creator", "blenderobjects", "morsebuilder"),
    *("sensors", "actuators", "robots/morserobots", "robots/human", "robots/pr2"),
)


@dataclass(frozen=True)
class Component:
    """A class: what its __init__ sets by plain values. `properties` are game properties, without
    what its bases set; the classpath is one of them where the class names its own. `begins_as` are
    the classes whose __init__ it calls, or its bases where it has none itself."""

    name: str
    file: str
    begins_as: tuple[str, ...]
    properties: dict[str, Any] = field(default_factory=dict)
    physics: str = ""


class Sources:
    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER

    @cached_property
    def classes(self) -> dict[str, Component]:
        found: dict[str, Component] = {}
        for file in FILES:
            text = (self._folder / f"{file}.py").read_text(encoding="utf-8")
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef):
                    found[node.name] = _read_class(node, file)
        return found

    def components(self, file: str) -> list[Component]:
        """The classes of a file that stand for a component of the simulation."""
        return [
            component
            for component in self.classes.values()
            if component.file == file and "classpath" in self.properties(component.name)
        ]

    def properties(self, name: str) -> dict[str, Any]:
        """All game properties that are set by plain values, those of the bases first."""
        merged: dict[str, Any] = {}
        for component in reversed(list(self._line(name))):
            merged |= component.properties
        return merged

    def physics(self, name: str) -> str:
        """The physics_type that the class or the nearest base sets of the component's object."""
        return next((each.physics for each in self._line(name) if each.physics), "")

    def _line(self, name: str) -> Iterator[Component]:
        component = self.classes.get(name)
        if component is not None:
            yield component
            for base in component.begins_as:
                yield from self._line(base)


def _read_class(node: ast.ClassDef, file: str) -> Component:
    properties: dict[str, Any] = {}
    physics = ""
    begins_as = tuple(ast.unparse(base) for base in node.bases)
    for each in node.body:
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "_classpath":
            properties["classpath"] = ast.literal_eval(each.value)
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            calls = [found for found in ast.walk(each) if isinstance(found, ast.Call)]
            names = [ast.unparse(call.func) for call in calls]
            begins_as = tuple(n.removesuffix(_INIT) for n in names if n.endswith(_INIT))
            for call in calls:
                properties |= _read_call(call)
                physics = _PHYSICS.get(ast.unparse(call.func), physics)
    return Component(node.name, file, begins_as, properties, physics)


_INIT = ".__init__"
_PHYSICS = {
    "self.set_rigid_body": "RIGID_BODY",
    "self.set_dynamic": "DYNAMIC",
    "self.set_no_collision": "NO_COLLISION",
}


def _read_call(call: ast.Call) -> dict[str, Any]:
    """The properties that a call on the component itself sets."""
    called = ast.unparse(call.func)
    if called == "self.properties":
        given = {word.arg: word.value for word in call.keywords if word.arg}
        return {name: ast.literal_eval(node) for name, node in given.items() if _is_plain(node)}
    if called == "self.frequency" and call.args and _is_plain(call.args[0]):
        return {"frequency": ast.literal_eval(call.args[0])}
    return {}


def _is_plain(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
