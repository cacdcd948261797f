# SPDX-License-Identifier: GPL-3.0-or-later
"""URDF and xacro: read, written with the text that was read, and checked."""

from ...core.shelves import Part

PART = Part(
    name="urdf",
    names={
        "files": (
            "UrdfOptions",
            "write_urdf",
        ),
        "xacro.expand": ("XacroArgument",),
    },
    hooks={
        "list_arguments": "xacro.expand:list_xacro_arguments",
        "read_text": "read.robot:read_robot_text",
        "write_text": "write.plain:write_robot_text",
    },
    commands="command",
    reader="read.robot:URDF",
    writer="files:URDF_WRITER",
)
