# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of OBJ files: newmtl, Kd, d or Tr, map_Kd."""

import math
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import MeshError, Report, quote
from ..files.regular import ResolveBeside, read_mesh_file
from ..geometry.mesh_data import MeshData, MeshMaterial
from .faces import Faces, look_up, make_mesh, missing_part
from .text_lines import (
    LINES_AT_ONCE,
    Lines,
    find_words,
    read_numbers,
    read_rows,
    split_lines,
    take_lines,
)

MOST_BYTES_OF_MTL = 16 * 1024**2
MOST_MATERIALS = 10_000

# Options of a texture map: followed by one word, or by up to three numbers.
_WORD_OPTIONS = frozenset({"-blendu", "-blendv", "-cc", "-clamp", "-imfchan"})
_NUMBER_OPTIONS = frozenset({"-bm", "-boost", "-mm", "-o", "-s", "-t", "-texres"})


def load_materials(path: Path, report: Report, resolve: ResolveBeside) -> dict[str, MeshMaterial]:
    """Maps name -> material. Textures are found by `resolve`; reports the code of its MeshError for
    a missing one, and the material keeps its colour. MeshError as read_mesh_file."""
    text = read_mesh_file(path, MOST_BYTES_OF_MTL).decode("utf-8", "replace").replace("\\\n", " ")
    materials: dict[str, MeshMaterial] = {}
    maps: dict[str, str] = {}
    opaque: set[str] = set()
    name = ""
    for line in text.splitlines():
        key, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if key == "newmtl":
            if len(materials) == MOST_MATERIALS:
                break
            name = rest
            materials.setdefault(name, MeshMaterial(name=name))
        elif name in materials:
            if key == "map_Kd":
                maps[name] = _unquote(_read_map(rest))
            elif key == "d":
                opaque.add(name)
            if key != "Tr" or name not in opaque:
                materials[name] = _read_value(materials[name], key, rest)
    for each, uri in maps.items():
        materials[each] = _add_texture(materials[each], uri, report, resolve)
    return materials


def _read_value(material: MeshMaterial, key: str, rest: str) -> MeshMaterial:
    """Tr is the opposite of d. Where it says that nothing is visible, the exporter meant the
    opposite (MeshLab writes Tr 1 for opaque materials)."""
    red, green, blue, alpha = material.color
    numbers = _read_numbers(rest)
    if not numbers:
        return material
    if key == "Kd":
        if len(numbers) >= 3:
            red, green, blue = numbers[:3]
        elif rest.split()[1:] == []:
            red = green = blue = numbers[0]
    elif key == "d":
        alpha = numbers[-1]
    elif key == "Tr":
        alpha = 1.0 - numbers[0] if numbers[0] < 1.0 else 1.0
    return replace(material, color=(red, green, blue, alpha))


def _read_numbers(text: str) -> list[float]:
    """In 0..1; the numbers before the first word that is not a number, without the option -halo."""
    numbers: list[float] = []
    for word in text.removeprefix("-halo").split()[:4]:
        try:
            number = float(word.replace("_", "?"))
        except ValueError:
            break
        if not math.isfinite(number):
            break
        numbers.append(min(max(number, 0.0), 1.0))
    return numbers


def _read_map(text: str) -> str:
    """The file's name, which may contain blanks, after the options."""
    words = text.split(" ")
    while len(words) > 2 and words[0] in _WORD_OPTIONS | _NUMBER_OPTIONS:
        count = 2
        if words[0] in _NUMBER_OPTIONS:
            count = 1
            while count < min(len(words) - 1, 4) and _read_numbers(words[count]):
                count += 1
        words = words[count:]
    return " ".join(words)


def _unquote(name: str) -> str:
    """Returns the name of a file without the quotes about it: no exporter means them as letters."""
    name = name.strip()
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'" else name


def _add_texture(
    material: MeshMaterial, uri: str, report: Report, resolve: ResolveBeside
) -> MeshMaterial:
    try:
        return replace(material, texture=resolve(uri, "texture"))
    except MeshError as error:
        message = f"texture {quote(uri)} of material {quote(material.name)}: {error.message}; "
        report(error.code, f"{message}the material keeps its colour")
        return material


MOST_BYTES = 256 * 1024**2
MOST_LIBRARIES = 100
MOST_NUMBERS_ALIKE = 30
_SLASH = ord("/")
_SMALLEST, _LARGEST = -(2**31) + 1, 2**31 - 1


def load_obj(path: Path, report: Report, resolve: ResolveBeside, part: str = "") -> MeshData:
    """Loads all faces of an OBJ file as one mesh; of the object or group `part` alone, where one
    is named.

    Reports `invalid-facets`, `missing-materials` (a library of materials is not there; without any
    the mesh has no materials of its own), `undefined-material` and, for textures, the codes of
    `resolve`. Raises MeshError `empty-mesh` where there are no faces, and the errors of
    `read_mesh_file`.
    """
    made, materials = _read_mesh(path, report, resolve, part)
    return make_mesh(made, path, report, materials)


def load_bare_points(path: Path) -> NDArray[np.float32] | None:
    """Loads the points (V, 3) of an OBJ file without faces; None for a file with faces. Raises
    MeshError as read_mesh_file does."""
    data = read_mesh_file(path, MOST_BYTES)
    if re.search(rb"^[ \t]*f[ \t]", data, re.MULTILINE):
        return None
    vertices, _ = read_rows(take_lines(split_lines(data), b"v"), 3)
    return vertices


def _read_mesh(
    path: Path, report: Report, resolve: ResolveBeside, part: str
) -> tuple[Faces, tuple[MeshMaterial, ...]]:
    lines = split_lines(read_mesh_file(path, MOST_BYTES))
    points = take_lines(lines, b"v")
    texture_points, directions = take_lines(lines, b"vt"), take_lines(lines, b"vn")
    faces = _read_faces(take_lines(lines, b"f"), path, report)
    vertices, _ = read_rows(points, 3)
    corners = faces.absolute(0, points)
    uvs = _find_rows(faces.absolute(1, texture_points), read_rows(texture_points, 2)[0])
    normals = _find_rows(faces.absolute(2, directions), read_rows(directions, 3)[0])
    materials, slots = _read_materials(lines, faces.lines, report, resolve)
    sizes = faces.sizes
    made = Faces(
        vertices=vertices, corners=corners, sizes=sizes, normals=normals, uvs=uvs, slots=slots
    )
    return (made.keep(_find_part(lines, faces.lines, part, path)) if part else made), materials


def _find_part(lines: Lines, faces: Lines, part: str, path: Path) -> NDArray[np.bool_]:
    """Which faces belong to an object or a group of this name."""
    found = np.zeros(len(faces), dtype=bool)
    known: list[str] = []
    for keyword in (b"o", b"g"):
        named = take_lines(lines, keyword)
        names = [named.text(index) for index in range(len(named))]
        known += names
        is_it = np.array([False, *(name == part for name in names)])
        found |= is_it[np.searchsorted(named.starts, faces.starts)]
    if not found.any():
        raise missing_part(path, part, known)
    return found


@dataclass(frozen=True, slots=True)
class _FaceLines:
    """Lines that are faces; per corner the numbers v, vt, vn as written, zero where not given."""

    lines: Lines
    sizes: NDArray[np.int64]
    numbers: NDArray[np.int32]

    def absolute(self, column: int, targets: Lines) -> NDArray[np.signedinteger]:
        """Indices from 0; below that where there is none. Negative numbers count back from the
        last target line before the face."""
        numbers = self.numbers[:, column]
        is_relative = numbers < 0
        if not is_relative.any():
            return numbers - 1
        before = np.repeat(np.searchsorted(targets.starts, self.lines.starts), self.sizes)
        return np.where(is_relative, before + numbers, numbers - 1)


def _read_faces(lines: Lines, path: Path, report: Report) -> _FaceLines:
    """In pieces, since their numbers take many times the memory of the text until they are
    sorted."""
    pieces = [
        _read_piece(lines.part(slice(start, start + LINES_AT_ONCE)))
        for start in range(0, max(len(lines), 1), LINES_AT_ONCE)
    ]
    is_face = np.concatenate([sizes for sizes, _ in pieces]) >= 3
    lost = len(is_face) - np.count_nonzero(is_face)
    if lost:
        what = f"{lost} faces of {quote(path.name)} are not three or more corners"
        report("invalid-facets", f"{what}; they were left out")
    sizes = np.concatenate([sizes for sizes, _ in pieces])[is_face]
    return _FaceLines(lines.part(is_face), sizes, np.concatenate([each for _, each in pieces]))


def _read_piece(lines: Lines) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """How many corners each line has, and int32 (C, 3) of the lines that have three or more."""
    text = lines.joined()
    plain = lines.placed_in(text.replace(b"/", b" "))
    values, counts, _ = read_numbers(plain, np.int64)
    # A value that does not fit cannot be an index.
    values = np.clip(values, _SMALLEST, _LARGEST).astype(np.int32)
    has_numbers = counts > 0
    plain = plain.part(has_numbers)
    slashed = Lines(np.frombuffer(text, dtype=np.uint8), plain.starts, plain.ends)
    found, numbers = _split_corners(slashed, plain, values, counts[has_numbers])
    sizes = np.zeros(len(lines), dtype=np.int64)
    sizes[has_numbers] = found
    is_face = found >= 3
    return sizes, numbers if is_face.all() else numbers[np.repeat(is_face, found)]


def _split_corners(
    lines: Lines, plain: Lines, values: NDArray[np.int32], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Corners per line and int32 (C, 3): v, v/vt, v//vn or v/vt/vn.

    A number without a slash before it begins a corner; two slashes before it make it the third.
    """
    places = find_words(plain.joined())
    text = np.frombuffer(lines.joined(), dtype=np.uint8)
    after_slash = text[places - 1] == _SLASH
    after_two = after_slash & (text[places - 2] == _SLASH)
    begins = ~after_slash
    begins[np.cumsum(counts) - counts] = True
    alike = _split_alike(begins, after_two, values, counts)
    if alike is not None:
        return alike
    corner = np.cumsum(begins) - 1
    numbers = np.zeros((np.count_nonzero(begins), 3), dtype=np.int32)
    rank = _rank_in_corner(begins, after_two)
    is_known = rank < 3
    numbers[corner[is_known], rank[is_known]] = values[is_known]
    line = np.repeat(np.arange(len(counts)), counts)
    return np.bincount(line[begins], minlength=len(counts)), numbers


def _rank_in_corner(begins: NDArray[np.bool_], after_two: NDArray[np.bool_]) -> NDArray[np.int64]:
    """0, 1, 2 for v, vt, vn; more where a corner has more numbers than there are."""
    places = np.arange(len(begins))
    rank = places - np.maximum.accumulate(np.where(begins, places, 0))
    rank[after_two & (rank == 1)] = 2
    return rank


def _split_alike(
    begins: NDArray[np.bool_],
    after_two: NDArray[np.bool_],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """_split_corners where all lines are written like the first, in a third of the time."""
    if not len(counts) or counts[0] > MOST_NUMBERS_ALIKE or (counts != counts[0]).any():
        return None
    begins, after_two = begins.reshape(-1, counts[0]), after_two.reshape(-1, counts[0])
    if (begins != begins[0]).any() or (after_two != after_two[0]).any():
        return None
    corner = np.cumsum(begins[0]) - 1
    size = int(corner[-1]) + 1
    numbers = np.zeros((len(counts), size, 3), dtype=np.int32)
    rows = values.reshape(begins.shape)
    for column, rank in enumerate(_rank_in_corner(begins[0], after_two[0])):
        if rank < 3:
            numbers[:, corner[column], rank] = rows[:, column]
    return np.full(len(counts), size), numbers.reshape(-1, 3)


def _find_rows(
    indices: NDArray[np.signedinteger], rows: NDArray[np.float32]
) -> NDArray[np.float32] | None:
    """The row of each corner, zeros where it names none; None where no corner names one."""
    names_any = bool(((indices >= 0) & (indices < len(rows))).any())
    return look_up(rows, indices) if names_any else None


def _read_materials(
    lines: Lines, faces: Lines, report: Report, resolve: ResolveBeside
) -> tuple[tuple[MeshMaterial, ...], NDArray[np.int32] | None]:
    """The materials and each face's; none where no library can be read or no face names one."""
    uses = take_lines(lines, b"usemtl")
    libraries = take_lines(lines, b"mtllib")
    known: dict[str, MeshMaterial] = {}
    names = dict.fromkeys(libraries.text(index) for index in range(min(len(libraries), 1000)))
    for name in list(names)[:MOST_LIBRARIES]:
        for each, material in _load_library(name, report, resolve).items():
            known.setdefault(each, material)
    if not known or not len(uses):
        return (), None
    wanted = [uses.text(index) for index in range(len(uses))]
    slot_of = {name: slot for slot, name in enumerate(dict.fromkeys(["", *wanted]))}
    for name in slot_of:
        if name and name not in known:
            message = f"material {quote(name)} is in none of the mesh's libraries; it becomes grey"
            report("undefined-material", message)
    materials = tuple(known.get(name, MeshMaterial(name=name)) for name in slot_of)
    slots_of_uses = np.array([0, *(slot_of[name] for name in wanted)], dtype=np.int32)
    return materials, slots_of_uses[np.searchsorted(uses.starts, faces.starts)]


def _load_library(name: str, report: Report, resolve: ResolveBeside) -> dict[str, MeshMaterial]:
    """Loads the library of this name; of several names, where no file has all of them as its own,
    each. The first one that has a material counts."""
    name = _unquote(name)
    try:
        return load_materials(resolve(name, "texture"), report, resolve)
    except MeshError as error:
        words = name.split()
        if len(words) > 1:
            found = [_load_library(word, report, resolve) for word in words[:MOST_LIBRARIES]]
            return {each: made for library in reversed(found) for each, made in library.items()}
        message = f"the library of materials {quote(name)} is not read: {error.message}; "
        report("missing-materials", f"{message}its materials are not used")
        return {}
