# SPDX-License-Identifier: GPL-3.0-or-later
"""The public names of the core; formats and features have theirs in their records."""

NAMES = {
    "blender.curves": ("set_frame_rate",),
    "blender.save": ("new_file", "open_blend", "save_blend"),
    "blender.semantics.apply": ("extract_semantics",),
    "blender.standing.finishes": ("set_material_preset",),
    "blender.standing.mirrored": ("mirror_pose",),
    "blender.standing.placing": ("place_robots",),
    "blender.standing.pose": ("get_joint_positions", "link_pose", "set_joint_positions"),
    "blender.standing.robot_table": ("find_robots",),
    "blender.standing.whole": ("delete_robot", "duplicate_robot"),
    "blender.update.reset": ("reset_parts",),
    "diagnostics": (
        "ArgumentError",
        "BuildError",
        "ConnectError",
        "Diagnostic",
        "Diagnostics",
        "KinematicsError",
        "MeshError",
        "ReadError",
        "RobotError",
        "Severity",
        "WriteError",
    ),
    "kinematics.conventions": ("Convention",),
    "kinematics.drive": ("DriveOptions",),
    "kinematics.link_path_file": ("write_link_path",),
    "kinematics.loops": ("close_loops", "forward_kinematics", "trace_loops"),
    "kinematics.semantic_groups": ("group_joints",),
    "model": ("CollisionPair", "Dynamics", "Limit", "Link", "Mimic", "Pose", "Robot", "Semantics"),
    "model.device": ("WebotsDevice",),
    "options": (
        "ExportOptions",
        "FileOptions",
        "ImportOptions",
        "PlacementOptions",
        "StartOptions",
    ),
    "pipeline.converting": ("convert_description",),
    "pipeline.exporting": ("export_robot",),
    "pipeline.extracting": ("compare_with_description", "extract_robot", "find_reshaped"),
    "pipeline.formats": ("find_writer", "reader_formats", "writer_formats"),
    "pipeline.importing": (
        "ImportResult",
        "import_robot",
        "import_steps",
        "list_models",
        "list_xacro_arguments",
        "read_robot",
    ),
    "pipeline.locating": ("find_package_folders", "locate_package"),
    "pipeline.reshaping": ("Reshaping", "reshape_robot"),
    "pipeline.updating": ("UpdateResult", "compare_with_source", "update_robot"),
    "progress": ("Progress",),
    "readers.formats": ("ReaderFormat",),
    "reshape": ("adapt_srdf",),
    "reshape.compare": ("Change",),
    "rig": ("RigPlan", "plan_rig"),
    "sensors.placed": ("PlacedSensor",),
    "writers.formats": ("WriterFormat", "Written"),
}
"""Module -> the public names of the library that are in it, as in the records of parts."""
MODULES = ("reshape",)
"""Public names that are modules themselves."""
OFFERED = ("MorseOptions", "check_morse_profile", "write_builder_script")
"""Public names that are in distributions of their own, which may be absent."""
