# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: one module for each task, from its beginning to its end."""

from .collisions import collision_steps, find_disabled_collisions, replace_disabled
from .converting import CONVERT_MODES, ConvertMode, convert_description
from .exporting import (
    ExportOptions,
    ExportResult,
    WebotsOptions,
    WriterFormat,
    Written,
    export_robot,
    suggest_name,
    suggest_proto_name,
    write_format,
)
from .extracting import compare_with_description, extract_robot
from .formats import ReaderFormat, find_writer, reader_formats, writer_formats
from .ik import add_ik, bake_ik, remove_ik, solve_ik
from .importing import (
    ImportResult,
    XacroArgument,
    import_robot,
    import_steps,
    list_xacro_arguments,
    read_robot,
)
from .locating import find_package_folders, locate_package
from .reshaping import Reshaping, reshape_robot
from .scene import (
    delete_robot,
    duplicate_robot,
    find_robots,
    get_joint_positions,
    link_pose,
    mark_as_asset,
    mirror_pose,
    new_file,
    open_blend,
    place_robots,
    render_preview,
    reset_parts,
    save_blend,
    set_joint_positions,
)
from .srdf import (
    apply_srdf,
    extract_semantics,
    find_srdf,
    read_own_srdf,
    read_srdf,
    write_srdf,
)
from .updating import UpdateResult, compare_with_source, update_robot
from .urdf import UrdfOptions, UrdfResult, write_urdf

__all__ = [
    "CONVERT_MODES",
    "ConvertMode",
    "ExportOptions",
    "ExportResult",
    "ImportResult",
    "ReaderFormat",
    "Reshaping",
    "UpdateResult",
    "UrdfOptions",
    "UrdfResult",
    "WebotsOptions",
    "WriterFormat",
    "Written",
    "XacroArgument",
    "add_ik",
    "apply_srdf",
    "bake_ik",
    "collision_steps",
    "compare_with_description",
    "compare_with_source",
    "convert_description",
    "delete_robot",
    "duplicate_robot",
    "export_robot",
    "extract_robot",
    "extract_semantics",
    "find_disabled_collisions",
    "find_package_folders",
    "find_robots",
    "find_srdf",
    "find_writer",
    "get_joint_positions",
    "import_robot",
    "import_steps",
    "link_pose",
    "list_xacro_arguments",
    "locate_package",
    "mark_as_asset",
    "mirror_pose",
    "new_file",
    "open_blend",
    "place_robots",
    "read_own_srdf",
    "read_robot",
    "read_srdf",
    "reader_formats",
    "remove_ik",
    "render_preview",
    "replace_disabled",
    "reset_parts",
    "reshape_robot",
    "save_blend",
    "set_joint_positions",
    "solve_ik",
    "suggest_name",
    "suggest_proto_name",
    "update_robot",
    "write_format",
    "write_srdf",
    "write_urdf",
    "writer_formats",
]
