# SPDX-License-Identifier: GPL-3.0-or-later
"""<material>: colours, maps, and the scripts of OGRE that Gazebo classic reads.

A script is a text of nested blocks: `material NAME { technique { pass { diffuse 1 0 0
texture_unit { texture a.png } } } }`, where `material NAME : OTHER` begins as another. Of it the
first ambient, diffuse and emissive colour and the first texture count.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ....core.diagnostics import MeshError, ReadError, quote
from ....core.files.regular import read_mesh_file
from ....core.markup.xml import Element
from ....core.meshes import RobotFiles
from ....core.meshes.heightmaps import is_heightmap
from ....core.model import Color, Geometry, Material, Mesh, Surface
from ....core.model.visual_material import GAZEBO_PREFIX, find_gazebo_color
from .page import Page, all_of, find

_BLACK: Color = (0.0, 0.0, 0.0, 1.0)
_WHITE: Color = (1.0, 1.0, 1.0, 1.0)
_GREY: Color = (0.7, 0.7, 0.7, 1.0)
_HALF = 0.5
"""Metalness and roughness where a <metal> does not set them."""
_MOST_BYTES = 4 * 1024**2
_MOST_DEPTH = 16
_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"([^"\n]*)"|([{}:])|(\n)|([^\s{}:"]+)', re.DOTALL)


def read_material(
    element: Element, page: Page, geometry: Geometry, files: RobotFiles
) -> Material | None:
    """Reads the material of a visual. One without any is grey, but for meshes, which may bring
    their own. Raises ReadError for text that is not a number."""
    material = find(element, "material")
    clear = page.size(element, "transparency", default=0.0)
    if material is None:
        if isinstance(geometry, Mesh) and not is_heightmap(geometry) and not clear:
            return None
        return Material(color=_fade(_GREY, clear))
    script = _read_script(material, page, files)
    look = find(material, "pbr", "metal") or find(material, "pbr", "specular")
    texture = page.file(look, "albedo_map") or script.texture
    color = _read_color(material, page, script, has_map=bool(texture))
    return Material(
        color=_fade(color, clear),
        texture=texture or None,
        surface=_read_surface(material, look, page, script),
        extras=tuple(
            page.extra(each)
            for each in material
            if each.tag != "diffuse" and not (each.tag == "ambient" and _parts(each, page) == color)
        ),
        line=material.line,
    )


def _fade(color: Color, clear: float) -> Color:
    red, green, blue, alpha = color
    return red, green, blue, alpha * min(max(1.0 - clear, 0.0), 1.0)


def _read_color(material: Element, page: Page, script: "_Script", *, has_map: bool) -> Color:
    """Reads `diffuse`; where there is none, the colour of a script's name, or in the script."""
    diffuse = _parts(find(material, "diffuse"), page)
    if diffuse is not None:
        return diffuse
    named = find_gazebo_color(script.name) if script.name else None
    said = script.diffuse or named or script.ambient
    if said is not None:
        return said
    if has_map:
        return _WHITE
    is_bare = find(material, "ambient") is None and find(material, "pbr") is None
    return _GREY if script.name or is_bare else _BLACK


def _parts(element: Element | None, page: Page) -> Color | None:
    return _color([] if element is None else page.numbers(element))


def _color(numbers: list[float]) -> Color | None:
    if len(numbers) not in (3, 4):
        return None
    red, green, blue, *rest = (min(max(number, 0.0), 1.0) for number in numbers)
    return red, green, blue, rest[0] if rest else 1.0


def _read_surface(
    material: Element, look: Element | None, page: Page, script: "_Script"
) -> Surface | None:
    """Reads how a surface reflects and glows; None where it has no such data."""
    glow = _parts(find(material, "emissive"), page) or script.emissive
    surface = Surface(emission=glow[:3] if glow is not None and any(glow[:3]) else None)
    if look is not None:
        surface = replace(
            surface,
            emission_map=page.file(look, "emissive_map") or None,
            normal_map=page.file(look, "normal_map") or None,
        )
    if look is not None and look.tag == "metal":
        surface = replace(
            surface,
            metalness=_share(look, "metalness", page),
            roughness=_share(look, "roughness", page),
            metalness_map=page.file(look, "metalness_map") or None,
            roughness_map=page.file(look, "roughness_map") or None,
        )
    elif look is not None and find(look, "glossiness") is not None:
        surface = replace(surface, roughness=1.0 - _share(look, "glossiness", page))
    return None if surface == Surface() else surface


def _share(look: Element, tag: str, page: Page) -> float:
    return min(max(page.size(look, tag, default=_HALF), 0.0), 1.0)


# Scripts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Script:
    """The content of a material in a script; all None where it is not read."""

    name: str = ""
    ambient: Color | None = None
    diffuse: Color | None = None
    emissive: Color | None = None
    texture: str = ""


def _read_script(material: Element, page: Page, files: RobotFiles) -> _Script:
    """Reads the material that a <script> names, from the files that it lists; Gazebo's own
    materials are known by name alone. Reports missing files and materials."""
    script = find(material, "script")
    if script is None:
        return _Script()
    name = page.text(script, "name").strip() or page.text(script).strip()
    places = [place for each in all_of(script, "uri") if (place := page.file(each))]
    if name.lower().startswith(GAZEBO_PREFIX) and find_gazebo_color(name) is not None:
        return _Script(name=name)
    texts: dict[Path, str] = {}
    for place in places:
        texts.update(_find_scripts(place, files))
    for path, text in texts.items():
        found = _parse(text, name)
        if found is not None:
            return replace(found, texture=_find_texture(found.texture, path, places, files))
    if name:
        finding = f"the material {quote(name)} of a script is not there; it is grey"
        page.warning("sdf-script", finding, script, name)
    return _Script(name=name)


def _find_scripts(place: str, files: RobotFiles) -> Iterator[tuple[Path, str]]:
    """Yields the scripts that a <uri> means: a file, or all in a folder."""
    try:
        for path in files.find_scripts(place):
            yield path, read_mesh_file(path, _MOST_BYTES).decode("utf-8", "replace")
    except (MeshError, ReadError):
        return


def _find_texture(name: str, script: Path, places: list[str], files: RobotFiles) -> str:
    """Returns an image as the description would name it: beside the script, in the folder
    `textures` beside its folder, or in a folder that the material lists."""
    if not name:
        return ""
    folders = [place.rstrip("/") for place in places if not place.endswith(".material")]
    beside = [str(script.parent / name), str(script.parent.parent / "textures" / name)]
    for candidate in (*beside, *(f"{folder}/{name}" for folder in folders)):
        if files.is_there(candidate, "texture"):
            return candidate
    return name


def _parse(text: str, name: str) -> _Script | None:
    """Finds a material of a script; None where there is none of this name."""
    blocks = dict(_split(text))
    own: list[list[str]] = []
    seen: set[str] = set()
    wanted = name
    while wanted in blocks and wanted not in seen and len(seen) < _MOST_DEPTH:
        seen.add(wanted)
        parent, lines = blocks[wanted]
        own += lines
        wanted = parent
    if not seen:
        return None
    first: dict[str, list[str]] = {}
    for line in own:
        first.setdefault(line[0].lower(), line[1:])
    return _Script(
        name=name,
        ambient=_read_parts(first.get("ambient")),
        diffuse=_read_parts(first.get("diffuse")),
        emissive=_read_parts(first.get("emissive")),
        texture=" ".join(first.get("texture", [])[:1]),
    )


def _read_parts(words: list[str] | None) -> Color | None:
    try:
        return _color([float(word) for word in (words or [])[:4]])
    except ValueError:
        return None


def _split(text: str) -> Iterator[tuple[str, tuple[str, list[list[str]]]]]:
    """Yields name -> (name of the parent, lines) of each material."""
    line: list[str] = []
    head: tuple[str, str] | None = None
    lines: list[list[str]] = []
    depth = 0
    for mark in _TOKEN.finditer(text + "\n"):
        quoted, sign, end, word = mark.groups()
        if word is not None or quoted is not None or sign == ":":
            line.append(quoted if quoted is not None else word or ":")
        elif sign or end:
            if depth and line:
                lines.append(line)
            elif sign == "{" and line[:1] == ["material"]:
                head = _read_head(line[1:])
            if sign or depth:
                line = []
            depth = max(depth + {"{": 1, "}": -1}.get(sign or "", 0), 0)
            if sign == "}" and not depth and head is not None:
                yield head[0], (head[1], lines)
                head, lines = None, []
            elif sign == "}" and not depth:
                lines = []


def _read_head(words: list[str]) -> tuple[str, str]:
    """`NAME`, `NAME : PARENT`."""
    text = " ".join(words)
    name, _, parent = text.partition(" : ")
    return name.strip(), parent.strip()
