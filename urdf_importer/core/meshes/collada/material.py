# SPDX-License-Identifier: GPL-3.0-or-later
"""The colour and opacity of a COLLADA <effect>."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ...diagnostics import MeshError, Report, quote
from ...files.regular import ResolveBeside
from ...geometry.mesh_data import MeshMaterial
from ...model import Color
from .scene import elements_by_id, target_of

_SHADERS = ("phong", "lambert", "blinn", "constant")
_OPAQUE = ("A_ONE", "A_ZERO", "RGB_ONE", "RGB_ZERO")


class Shade(NamedTuple):
    """A colour, or an image as the path is written, with the name of its coordinates."""

    color: Color | None = None
    image: str = ""
    uv_name: str = ""


class Effect(NamedTuple):
    """`opaque` names the mode of `transparent`. None: the effect does not say."""

    diffuse: Shade | None
    emission: Shade | None
    transparent: Shade | None
    transparency: float | None
    opaque: str


def read_effect(effect: Element, images: Mapping[str, Element]) -> Effect | None:
    """Reads the effect's common profile; None where it has none. `images` are by id."""
    profile = effect.find("profile_COMMON")
    technique = None if profile is None else profile.find("technique")
    if profile is None or technique is None:
        return None
    shader = next((each for each in technique if each.tag in _SHADERS), None)
    if shader is None:
        return None
    reader = _ShadeReader([profile, technique], images)
    transparent = shader.find("transparent")
    opaque = "A_ONE" if transparent is None else transparent.get("opaque", "A_ONE")
    return Effect(
        diffuse=reader.find_shade(shader.find("diffuse")),
        emission=reader.find_shade(shader.find("emission")),
        transparent=reader.find_shade(transparent),
        transparency=reader.find_number(shader.find("transparency")),
        opaque=opaque if opaque in _OPAQUE else "A_ONE",
    )


class _ShadeReader:
    """Follows references to the parameters of an effect, which `scopes` define."""

    def __init__(self, scopes: list[Element], images: Mapping[str, Element]) -> None:
        found = [each for scope in scopes for each in scope.findall("newparam")]
        self._parameters = {each.get("sid", ""): each for each in found}
        local = [each for scope in scopes for each in scope.findall("image")]
        self._images = {**images, **{each.get("id", ""): each for each in local}}

    def find_shade(self, element: Element | None) -> Shade | None:
        """None where it has none, or an unreadable one."""
        if element is None:
            return None
        texture = element.find("texture")
        if texture is not None:
            image = self._image_path(texture.get("texture", ""))
            return Shade(image=image, uv_name=texture.get("texcoord", "")) if image else Shade()
        numbers = self._numbers(element, ("color", "float4", "float3"))
        if numbers is None or len(numbers) < 3:
            return None
        red, green, blue, *rest = (min(max(each, 0.0), 1.0) for each in numbers)
        return Shade(color=(red, green, blue, rest[0] if rest else 1.0))

    def find_number(self, element: Element | None) -> float | None:
        numbers = None if element is None else self._numbers(element, ("float",))
        return numbers[0] if numbers else None

    def _numbers(self, element: Element, tags: tuple[str, ...]) -> list[float] | None:
        reference = element.find("param")
        if reference is not None:
            parameter = self._parameters.get(reference.get("ref", ""))
            element = element if parameter is None else parameter
        texts = (element.findtext(tag) for tag in tags)
        text = next((each for each in texts if each is not None), None)
        try:
            numbers = [float(word) for word in (text or "").split()]
        except ValueError:
            return None
        return numbers if all(map(math.isfinite, numbers)) else None

    def _image_path(self, name: str) -> str:
        """From the sampler over the surface to the image; exporters leave steps out."""
        for path in ("sampler2D/source", "surface/init_from", "sampler2D/instance_image"):
            parameter = self._parameters.get(name)
            step = None if parameter is None else parameter.find(path)
            if step is not None:
                name = (step.text or step.get("url", "").removeprefix("#")).strip()
        image = self._images.get(name)
        if image is None:
            return ""
        for path in ("init_from/ref", "init_from"):
            text = (image.findtext(path) or "").strip()
            if text:
                return text
        return ""


_GREY = MeshMaterial().color[:3]
_BLACK = (0.0, 0.0, 0.0)
_LUMINANCE = (0.212671, 0.715160, 0.072169)


class DocumentMaterial(NamedTuple):
    """`uv_name` is the effect's name for the texture's coordinates; "" where there are none."""

    material: MeshMaterial
    uv_name: str = ""


class EffectReader:
    """Reads the materials of one document, each once."""

    def __init__(self, root: Element, resolve: ResolveBeside, report: Report) -> None:
        self._materials = elements_by_id(root, "material")
        self._effects = elements_by_id(root, "effect")
        self._images = elements_by_id(root, "image")
        self._resolve = resolve
        self._report = report
        self._made: dict[str, DocumentMaterial | None] = {}
        self._read_effects: dict[str, Effect | None] = {}

    def has(self, name: str) -> bool:
        """Whether there is a material of this id: some exporters use it without binding it."""
        return name in self._materials

    def find(self, name: str) -> DocumentMaterial | None:
        """Returns the material of this id; None where the document has none.

        Reports, once for each material, `broken-reference`, `invalid-material` and the codes of the
        search for its texture.
        """
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> DocumentMaterial | None:
        element = self._materials.get(name)
        if element is None:
            message = f"there is no material {quote(name)}; its faces are grey"
            self._report("broken-reference", message)
            return None
        shown = element.get("name") or name
        instance = element.find("instance_effect")
        effect = None if instance is None else self._find_effect(target_of(instance))
        if effect is None:
            message = f"material {quote(shown)} has no effect that can be read; its faces are grey"
            self._report("invalid-material", message)
            return DocumentMaterial(MeshMaterial(name=shown))
        return self._make_of_effect(effect, shown)

    def _make_of_effect(self, effect: Effect, name: str) -> DocumentMaterial:
        shade = _visible_shade(effect)
        texture = self._find_texture(shade.image, name) if shade.image else None
        red, green, blue = (shade.color or _GREY)[:3]
        material = MeshMaterial(
            name=name,
            color=(red, green, blue, _opacity(effect)),
            texture=texture,
            image_alpha=(
                texture is not None
                and effect.opaque == "A_ONE"
                and effect.transparent is not None
                and effect.transparent.image == shade.image
            ),
        )
        return DocumentMaterial(material, shade.uv_name if texture else "")

    def _find_effect(self, name: str) -> Effect | None:
        if name not in self._read_effects:
            element = self._effects.get(name)
            effect = None if element is None else read_effect(element, self._images)
            self._read_effects[name] = effect
        return self._read_effects[name]

    def _find_texture(self, uri: str, name: str) -> Path | None:
        try:
            return self._resolve(uri, "texture")
        except MeshError as error:
            message = f"texture {quote(uri)} of material {quote(name)}: {error.message}; "
            self._report(error.code, f"{message}its faces are grey")
            return None


def _visible_shade(effect: Effect) -> Shade:
    """Diffuse with emission on top, as RViz shows a lit face; one alone where the other is missing
    or is an image."""
    diffuse, emission = effect.diffuse or Shade(), effect.emission or Shade()
    if not (diffuse.image or _is_lit(diffuse)) and (emission.image or _is_lit(emission)):
        return emission
    if diffuse.color is None or emission.color is None:
        return diffuse
    red, green, blue = (
        min(own + glow, 1.0) for own, glow in zip(diffuse.color[:3], emission.color, strict=False)
    )
    return diffuse._replace(color=(red, green, blue, diffuse.color[3]))


def _is_lit(shade: Shade) -> bool:
    return shade.color is not None and shade.color[:3] != _BLACK


def _opacity(effect: Effect) -> float:
    """By the specification, but never 0: exporters that write it mean opaque.

    A texture as <transparent> counts as opaque here.
    """
    transparency = 1.0 if effect.transparency is None else min(max(effect.transparency, 0.0), 1.0)
    if effect.transparent is None:
        share = transparency
    elif effect.transparent.color is None:
        return 1.0
    else:
        *rgb, alpha = effect.transparent.color
        if effect.opaque.startswith("RGB"):
            alpha = math.fsum(a * b for a, b in zip(_LUMINANCE, rgb, strict=True))
        share = min(alpha * transparency, 1.0)
        share = 1.0 - share if effect.opaque.endswith("ZERO") else share
    return share if share > 0.0 else 1.0
