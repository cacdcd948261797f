# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are given for a robot by mistake: their kinds, and the commands that take them."""

from ..diagnostics import ReadError

_BLEND = (
    "a file of Blender, not a robot description: open_blend opens it, and the commands export, "
    "convert, measure, animate and sample take the robots in it"
)
_PICTURE = "a picture, not a robot description"
_MESH = "a mesh, not a robot description: a description names it, in <mesh filename=...>"
_TABLE = (
    "a table or a recording of motion, not a robot description: apply_trajectory and the command "
    "animate put it on a robot"
)
_PERSON = (
    "a recording of a person's motion, not a robot description: the command retarget puts it on a "
    "robot"
)
_VIEW = "a configuration of RViz, not a robot description"
_LAUNCH = "a launch file of ROS, not a robot description: choose the description that it names"
_CAD = "a CAD file, not a robot description: export a description of the robot from the CAD program"
_ARCHIVE = "an archive, not a robot description: unpack it first"
_BEGINNINGS = {
    b"BLENDER": _BLEND,
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), _PICTURE),
    **dict.fromkeys((b"glTF", b"ply\n", b"solid ", b"Kaydara FBX"), _MESH),
    b"PK\x03\x04": _ARCHIVE,
    b"HIERARCHY": _PERSON,
    b"ISO-10303-21": _CAD,
    **dict.fromkeys((b"#ROSBAG", b"\x89MCAP", b"SQLite format 3"), _TABLE),
}
_SUFFIXES = {
    ".blend": _BLEND,
    **dict.fromkeys((".stl", ".obj", ".dae", ".gltf"), _MESH),
    **dict.fromkeys((".csv", ".json", ".yaml", ".yml", ".npz"), _TABLE),
    **dict.fromkeys((".gz", ".zip"), _ARCHIVE),
    ".bvh": _PERSON,
    ".rviz": _VIEW,
    **dict.fromkeys((".launch", ".launch.py", ".launch.xml"), _LAUNCH),
    **dict.fromkeys((".step", ".stp", ".iges", ".igs", ".sldprt", ".sldasm"), _CAD),
}


def refuse_other_kind(data: bytes, source: str) -> None:
    """Raises ReadError where a file without a tag of any known format has a kind often found beside
    robots: by its first bytes, else by its suffix."""
    name = source.lower()
    kinds = [kind for start, kind in _BEGINNINGS.items() if data.startswith(start)]
    kinds += [kind for end, kind in _SUFFIXES.items() if name.endswith(end)]
    kind = next(iter(kinds), None)
    if kind is not None:
        raise ReadError(f"this is {kind}", source=source)
