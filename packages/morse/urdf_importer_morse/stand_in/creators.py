# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors and actuators: an Empty that MORSE calls, and a script's additions to it.

Scripts derive their own from these, with the `_classpath` of their own class.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, TypeVar

from urdf_importer.core.diagnostics import quote

from ..game_engine.game_data import GameData
from ..game_engine.paint import paint
from ..game_engine.scene_objects import add_box, add_empty, find_object, parent_to
from .component import AbstractComponent
from .errors import MissingModelError, ScriptError, UnknownNameError
from .shapes import Mesh, pass_through

Creator = TypeVar("Creator", bound="ComponentCreator")

_FREQUENCY = 60
_BODY = (0.1, 0.1, 0.1)


class ComponentCreator(AbstractComponent):
    """An Empty of its own (APPEND_EMPTY), the objects of a .blend (USE_BLEND), with `blendobject`
    or the first as the component, or the named object that is in the scene already
    (LINK_EXISTING_OBJECT).

    Raises MissingModelError without the .blend, UnknownNameError without the object.
    """

    _classpath: str | None = None
    _blendname: str | None = None

    APPEND_EMPTY = 0
    USE_BLEND = 1
    LINK_EXISTING_OBJECT = 2

    def __init__(
        self,
        name: str | None,
        category: str,
        action: int = APPEND_EMPTY,
        blendfile: str | PathLike[str] | None = "",
        blendobject: str | None = None,
        make_morseable: bool = True,
    ) -> None:
        super().__init__(filename=blendfile, category=category)
        item = self._find_object(action, blendobject)
        if name:
            item.name = name
            self.basename = name
        pass_through(item)
        self.set_blender_object(item)
        if make_morseable:
            self.morseable()
        self.properties(Component_Tag=True, classpath=self._classpath or "")
        self.frequency(_FREQUENCY)

    def _find_object(self, action: int, wanted: str | None) -> Any:
        if action == self.APPEND_EMPTY:
            return add_empty()
        if action == self.USE_BLEND:
            made = AbstractComponent.append_meshes(self)
            if not wanted:
                if not made:
                    raise ScriptError(f"{quote(str(self._blender_filename))} has no objects")
                return made[0]
        found = find_object(wanted or "")
        if found is None:
            raise UnknownNameError(f"there is no object {quote(str(wanted))}")
        return found

    def append_meshes(
        self,
        objects: Sequence[str] | None = None,
        component: str | PathLike[str] | None = None,
        prefix: str | None = None,
    ) -> list[Any]:
        """Appends the objects of a .blend and parents them to the component."""
        made = super().append_meshes(objects, component, prefix)
        for item in made:
            if item.parent is None:
                parent_to(item, self._bpy_object)
        return made

    def adorn(
        self,
        kind: type[Mesh],
        name: str,
        scale: Sequence[float],
        color: Sequence[float],
        *,
        tilt: float = 0.0,
    ) -> None:
        """Adds a coloured shape by which it is seen, turned about y by `tilt`."""
        mesh = kind(name)
        mesh.scale = scale
        mesh.color(*color)
        mesh.rotate(y=tilt)
        self.append(mesh)

    def add_body(self, name: str, low: Sequence[float], high: Sequence[float]) -> Any:
        """Adds a box between two corners in metres, in place of a body that only MORSE has."""
        item = add_box(name, low, high)
        pass_through(item)
        GameData(item).collision_margin = 0.0
        paint(item, _BODY)
        parent_to(item, self._bpy_object)
        return item


class SensorCreator(ComponentCreator):
    """A sensor, which sends data; `_look` are the arguments of adorn."""

    _look: tuple[type[Mesh], str, Sequence[float], Sequence[float]] | None = None

    def __init__(
        self,
        name: str | None = None,
        action: int = ComponentCreator.APPEND_EMPTY,
        make_morseable: bool = True,
    ) -> None:
        super().__init__(
            name, "sensors", action, blendfile=self._blendname, make_morseable=make_morseable
        )
        if self._look is not None:
            self.adorn(*self._look)


class ActuatorCreator(ComponentCreator):
    """An actuator, which receives commands."""

    def __init__(
        self,
        name: str | None = None,
        action: int = ComponentCreator.APPEND_EMPTY,
        blendfile: str | PathLike[str] | None = None,
        blendobject: str | None = None,
        make_morseable: bool = True,
    ) -> None:
        super().__init__(
            name,
            "actuators",
            action,
            blendfile or self._blendname,
            blendobject,
            make_morseable,
        )


def make_creators(
    base: type[Creator], paths: Mapping[str, str], module: str, **looks: Any
) -> dict[str, type[Creator]]:
    """Makes the classes of components that need no code of their own: name -> class. `paths` are
    MORSE's classes, without their folder `module`."""
    return {
        name: type(
            name,
            (base,),
            {"_classpath": f"{module}.{path}", "_look": looks.get(name), "__module__": __name__},
        )
        for name, path in paths.items()
    }


_NAMES = (
    # Robots
    *("ATRV", "B21", "BarePR2", "BasePR2", "Human", "Hummer", "Jido", "LocalizedPR2", "Morsy"),
    *("NavPR2", "PatrolBot", "Pioneer3DX", "QUAD2012", "Quadrotor", "RMax", "SegwayRMP400"),
    *("Submarine", "Victim"),
    # Actuators
    *("Arucomarker", "Gripper", "KukaLWR", "PA10", "PTU"),
    # Sensors
    *("Velodyne", "VelodyneRayCast", "VelodyneZB"),
)


class AbsentComponent(AbstractComponent):
    """A component that cannot be made. Raises MissingModelError."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise MissingModelError(f"{type(self).__name__} is a model of MORSE, which is not here")


ABSENT: dict[str, type[AbsentComponent]] = {
    name: type(name, (AbsentComponent,), {"__module__": __name__}) for name in _NAMES
}
"""Name -> class, so that a script which derives from one reports the missing component."""
