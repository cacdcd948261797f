# SPDX-License-Identifier: GPL-3.0-or-later
"""3D views that look through a camera of this extension's: of a studio, or of a sensor. Once they
look elsewhere, by orbiting, undo, removal or any other way, they look as they did before."""

from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import bpy

from .registration import Drawers, add_handler, call_hooks, call_later
from .session import session_state

_HIDDEN = ("show_bones", "show_extras", "show_relationship_lines")
"""Overlays that would cover the picture: bones, lights and empties, and lines between objects."""
_VIEW = "urdf_view_before"
"""Property of a studio's collection, and of the memory of a scene that looks through a sensor: how
the view looked that looks through the camera."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """How a 3D view looks, and which of the overlays of _HIDDEN it must show again."""

    perspective: str
    rotation: tuple[float, ...]
    location: tuple[float, ...]
    distance: float
    zoom: float
    offset: tuple[float, ...]
    overlays: tuple[bool, ...]


@dataclass(slots=True)
class _Views:
    """By their spaces: how views looked before they looked through a camera."""

    before: dict[int, _View] = field(default_factory=dict)
    drawers: Drawers = field(default_factory=Drawers)


def enter_camera(space: Any, home: Any, *, bare: bool = False) -> None:
    """Lets a view look through the scene's camera, `bare` without bones, lights and empties. How it
    looked is noted, and in `home` too, for files that are opened again."""
    views = session_state(_Views).before
    for each in _list_spaces(bpy.context):
        # Views through the user's own camera look through this one from now on, too.
        if each != space and each.region_3d.view_perspective == "CAMERA":
            views.setdefault(each.as_pointer(), _note(each, bare=False))
    noted = views.setdefault(space.as_pointer(), _note(space, bare=bare))
    home[_VIEW] = {name: getattr(noted, name) for name in _View.__slots__}
    space.region_3d.view_perspective = "CAMERA"
    for overlay in _HIDDEN if bare else ():
        setattr(space.overlay, overlay, False)


def _note(space: Any, *, bare: bool) -> _View:
    region = space.region_3d
    return _View(
        perspective=region.view_perspective,
        rotation=tuple(region.view_rotation),
        location=tuple(region.view_location),
        distance=region.view_distance,
        zoom=region.view_camera_zoom,
        offset=tuple(region.view_camera_offset),
        overlays=tuple(bare and getattr(space.overlay, overlay) for overlay in _HIDDEN),
    )


def _list_spaces(context: Any) -> list[Any]:
    areas = [area for window in context.window_manager.windows for area in window.screen.areas]
    return [area.spaces.active for area in areas if area.type == "VIEW_3D"]


def settle_views(context: Any) -> None:
    """Lets all views that no longer look through such a camera look as they did before."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                space = area.spaces.active
                _settle(space, _find_home(window.scene, space.camera))


def _find_home(scene: Any, camera: Any | None) -> Any | None:
    """Finds where it is noted how a view looked that looks through a camera: None for cameras of
    the user."""
    return next((home for own, home in _list_cameras(scene) if own == camera), None)


def _list_cameras(scene: Any) -> list[tuple[Any, Any]]:
    """Lists the cameras of this extension's in a scene, each with its home."""
    return list(chain.from_iterable(call_hooks("list_cameras", scene)))


def _settle(space: Any, home: Any | None) -> None:
    """Brings back the overlays of a view that was orbited, or whose camera is gone by any way, and
    where it looks through a camera still, all of it."""
    views, key, region = session_state(_Views).before, space.as_pointer(), space.region_3d
    through = region.view_perspective == "CAMERA" and home is not None
    shown = [getattr(space.overlay, overlay) for overlay in _HIDDEN]
    if through and home is not None and _VIEW in home:
        # Of an opened file, or a copy of a view: only this knows.
        noted = _View(**home[_VIEW].to_dict())
        if not (any(noted.overlays) and any(shown)):
            views.setdefault(key, noted)
    if through or key not in views:
        return
    before = views.pop(key)
    for overlay, was, now in zip(_HIDDEN, before.overlays, shown, strict=True):
        setattr(space.overlay, overlay, bool(was or now))
    if region.view_perspective != "CAMERA":
        return
    region.view_perspective = before.perspective
    region.view_camera_zoom, region.view_camera_offset = before.zoom, before.offset
    if before.perspective != "CAMERA":
        region.view_rotation, region.view_location = before.rotation, before.location
        region.view_distance = before.distance


def _watch_view() -> None:
    """Looks at the views after each is drawn: neither orbiting nor undo tells anybody."""
    if session_state(_Views).before or _list_cameras(bpy.context.scene):
        call_later(_settle_soon)


def _settle_soon() -> None:
    settle_views(bpy.context)


def _forget_closed(*_arguments: Any) -> None:
    """Forgets views that are gone, so that no new one at their place is taken for them."""
    views = session_state(_Views).before
    areas = [area for screen in bpy.data.screens for area in screen.areas]
    living = {space.as_pointer() for area in areas for space in area.spaces}
    for key in views.keys() - living:
        del views[key]


def register() -> None:
    """Lets views through such a camera look as before once they look elsewhere."""
    session_state(_Views).drawers.start(POST_VIEW=_watch_view)
    add_handler(bpy.app.handlers.load_post, _forget_closed)
