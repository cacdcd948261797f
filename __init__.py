# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender extension. Blender calls register() and unregister().

Nothing is imported before that: this file also stands on the way of tools that merely look at the
checkout (pytest, mypy), where there is no bpy.
"""


def register() -> None:
    """Add the operators, menus and panels to Blender."""
    from . import operators

    operators.register()


def unregister() -> None:
    """Take out of Blender what register() put in."""
    from . import operators

    operators.unregister()
