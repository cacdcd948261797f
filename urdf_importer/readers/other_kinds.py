# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are given for a robot by mistake: their kinds, and the commands that take them."""

from pathlib import PurePath

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
_ARCHIVE = "an archive, not a robot description: unpack it first"
_BEGINNINGS = {
    b"BLENDER": _BLEND,
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), _PICTURE),
    **dict.fromkeys((b"glTF", b"ply\n", b"solid ", b"Kaydara FBX"), _MESH),
    b"PK\x03\x04": _ARCHIVE,
    **dict.fromkeys((b"#ROSBAG", b"\x89MCAP", b"SQLite format 3"), _TABLE),
}
_SUFFIXES = {
    ".blend": _BLEND,
    **dict.fromkeys((".stl", ".obj", ".dae", ".gltf"), _MESH),
    **dict.fromkeys((".csv", ".json", ".yaml", ".yml", ".npz"), _TABLE),
    **dict.fromkeys((".gz", ".zip"), _ARCHIVE),
}


def refuse_other_kind(data: bytes, source: str) -> None:
    """Raises ReadError where a file without a tag of any known format has a kind often found beside
    robots: by its first bytes, else by its suffix."""
    suffix = PurePath(source).suffix.lower()
    kinds = (kind for start, kind in _BEGINNINGS.items() if data.startswith(start))
    kind = next(kinds, None) or _SUFFIXES.get(suffix)
    if kind is not None:
        raise ReadError(f"this is {kind}", source=source)
