# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots in .blend files."""

from typing import Any

from ..diagnostics import ReadError, quote

_MOST_NAMED = 8


def is_blend(path: str) -> bool:
    return path.lower().endswith(".blend")


def open_robot(path: str, name: str | None) -> Any:
    """Opens a .blend and finds the armature of this name in it, or the only one. The file that was
    open in Blender is lost. Raises ReadError."""
    from ..blender.save import open_blend
    from ..blender.standing.robot_table import find_robots

    open_blend(path)
    robots = find_robots()
    if not robots:
        raise ReadError("there is no imported robot in this scene", source=path)
    if name is None and len(robots) == 1:
        return next(iter(robots.values()))
    named = ", ".join(quote(each) for each in list(robots)[:_MOST_NAMED])
    more = f" and {len(robots) - _MOST_NAMED} more" if len(robots) > _MOST_NAMED else ""
    if name is None:
        raise ReadError(
            f"there are several robots: choose one by --robot: {named}{more}", source=path
        )
    if name not in robots:
        raise ReadError(f"there is no robot {quote(name)}, but {named}{more}", source=path)
    return robots[name]
