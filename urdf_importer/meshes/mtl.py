# SPDX-License-Identifier: GPL-3.0-or-later
"""The materials of OBJ files: newmtl, Kd, d or Tr, map_Kd."""

import math
from dataclasses import replace
from pathlib import Path

from ..diagnostics import MeshError, Report, quote
from .mesh_data import MeshMaterial
from .mesh_file import ResolveBeside, read_mesh_file

MOST_BYTES = 16 * 1024**2
MOST_MATERIALS = 10_000

# Options of a texture map: followed by one word, or by up to three numbers.
_WORD_OPTIONS = frozenset({"-blendu", "-blendv", "-cc", "-clamp", "-imfchan"})
_NUMBER_OPTIONS = frozenset({"-bm", "-boost", "-mm", "-o", "-s", "-t", "-texres"})


def load_materials(path: Path, report: Report, resolve: ResolveBeside) -> dict[str, MeshMaterial]:
    """Name -> material. Textures are found by `resolve`; reports the code of its MeshError for one
    that is not there, and the material keeps its colour. MeshError as read_mesh_file."""
    text = read_mesh_file(path, MOST_BYTES).decode("utf-8", "replace").replace("\\\n", " ")
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
                maps[name] = _read_map(rest)
            elif key == "d":
                opaque.add(name)
            if key != "Tr" or name not in opaque:
                materials[name] = _read_value(materials[name], key, rest)
    for each, uri in maps.items():
        materials[each] = _add_texture(materials[each], uri, report, resolve)
    return materials


def _read_value(material: MeshMaterial, key: str, rest: str) -> MeshMaterial:
    """Tr is the opposite of d. Where it says that nothing is to be seen, the exporter meant the
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
    """In 0..1; those before the first word that is none, without the option -halo."""
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


def _add_texture(
    material: MeshMaterial, uri: str, report: Report, resolve: ResolveBeside
) -> MeshMaterial:
    try:
        return replace(material, texture=resolve(uri, "texture"))
    except MeshError as error:
        report(
            error.code,
            f"texture {quote(uri)} of material {quote(material.name)}: {error.message}; "
            "the material keeps its colour",
        )
        return material
