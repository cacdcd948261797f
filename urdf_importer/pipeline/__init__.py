# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: a page for each thing that is done from its beginning to its end."""

from .importing import (
    ImportResult,
    XacroArgument,
    import_robot,
    import_steps,
    list_xacro_arguments,
    read_robot,
)
from .scene import (
    get_joint_positions,
    link_pose,
    new_file,
    render_preview,
    save_blend,
    set_joint_positions,
)
from .updating import UpdateResult, compare_with_source, update_robot

__all__ = [
    "ImportResult",
    "UpdateResult",
    "XacroArgument",
    "compare_with_source",
    "get_joint_positions",
    "import_robot",
    "import_steps",
    "link_pose",
    "list_xacro_arguments",
    "new_file",
    "read_robot",
    "render_preview",
    "save_blend",
    "set_joint_positions",
    "update_robot",
]
