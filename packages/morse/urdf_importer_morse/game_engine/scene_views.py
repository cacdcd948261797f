# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene as scripts of Blender 2.7 handle it.

Builder scripts get scenes from functions of MORSE's builder, which can therefore return a view: it
handles the missing features of Blender's own scene (an engine that is gone, scene.objects.active)
and leaves everything else to the scene.
"""

from collections.abc import Iterator
from typing import Any

import bpy

from .storage import get_setting, read_game, set_setting, write_game

GAME_ENGINE = "BLENDER_GAME"
_ENGINE = "engine"


class DataView:
    """Anything that shows a thing of Blender; derived classes define the differences."""

    __slots__ = ("_viewed",)

    def __init__(self, viewed: Any) -> None:
        object.__setattr__(self, "_viewed", viewed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._viewed, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            setattr(self._viewed, name, unwrap(value))

    def __eq__(self, other: object) -> bool:
        return bool(self._viewed == unwrap(other))

    def __hash__(self) -> int:
        return hash(self._viewed)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self._viewed)})

    def __repr__(self) -> str:
        return repr(self._viewed)

    def __getitem__(self, key: Any) -> Any:
        return self._viewed[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._viewed[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._viewed[key]

    def __contains__(self, key: Any) -> bool:
        return key in self._viewed

    def __iter__(self) -> Iterator[Any]:
        return iter(self._viewed)

    def __len__(self) -> int:
        return len(self._viewed)


def unwrap(value: Any) -> Any:
    """Returns the object behind a view; anything else unchanged."""
    return value._viewed if isinstance(value, DataView) else value


class DataList(DataView):
    """A list of bpy.data by its name. The list itself, kept while another file is opened, would
    belong to a file that is gone: Blender crashes when it is used."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    @property
    def _viewed(self) -> Any:
        return getattr(bpy.data, self._name)


class SceneView(DataView):
    __slots__ = ()

    @property
    def objects(self) -> "SceneObjects":
        return SceneObjects(self._viewed)

    @property
    def render(self) -> "Render":
        return Render(self._viewed)

    @property
    def world(self) -> Any:
        """Blender 2.7 starts with one; today's empty file has none."""
        scene = self._viewed
        if scene.world is None:
            scene.world = bpy.data.worlds.new("World")
        return scene.world

    @world.setter
    def world(self, world: Any) -> None:
        self._viewed.world = world


class SceneObjects(DataView):
    """Scene.objects of 2.7: objects are linked to it, and one is the active one."""

    __slots__ = ("_scene",)

    def __init__(self, scene: Any) -> None:
        super().__init__(scene.objects)
        object.__setattr__(self, "_scene", scene)

    @property
    def active(self) -> Any:
        return _view_layer(self._scene).objects.active

    @active.setter
    def active(self, item: Any) -> None:
        _view_layer(self._scene).objects.active = item

    def link(self, item: Any) -> None:
        """Adds an object to the scene itself, whatever collection is active: in 2.7 there were
        none."""
        self._scene.collection.objects.link(item)

    def unlink(self, item: Any) -> None:
        for collection in (self._scene.collection, *self._scene.collection.children_recursive):
            if collection.objects.get(item.name) == item:
                collection.objects.unlink(item)


class Render(DataView):
    """Scene.render. A request for the game engine is noted; Blender keeps its own engine."""

    __slots__ = ("_scene",)

    def __init__(self, scene: Any) -> None:
        super().__init__(scene.render)
        object.__setattr__(self, "_scene", scene)

    @property
    def engine(self) -> str:
        return str(get_setting(self._scene, _ENGINE) or self._scene.render.engine)

    @engine.setter
    def engine(self, engine: str) -> None:
        if engine == GAME_ENGINE:
            set_setting(self._scene, _ENGINE, engine)
            return
        self._scene.render.engine = engine
        game = read_game(self._scene)
        game["settings"].pop(_ENGINE, None)
        write_game(self._scene, game)


def _view_layer(scene: Any) -> Any:
    """Returns the view layer that is shown, else the scene's first."""
    shown = bpy.context.view_layer
    return shown if shown.id_data == scene else scene.view_layers[0]
