# SPDX-License-Identifier: GPL-3.0-or-later
"""What a COLLADA <effect> says about colour and opacity."""

import math
from collections.abc import Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ..model import Color

_SHADERS = ("phong", "lambert", "blinn", "constant")
_OPAQUE = ("A_ONE", "A_ZERO", "RGB_ONE", "RGB_ZERO")


class Shade(NamedTuple):
    """A colour, or an image as the path is written, with the name of its coordinates."""

    color: Color | None = None
    image: str = ""
    uv_name: str = ""


class Effect(NamedTuple):
    """`opaque` says what of `transparent` makes it opaque. None: the effect does not say."""

    diffuse: Shade | None
    emission: Shade | None
    transparent: Shade | None
    transparency: float | None
    opaque: str


def read_effect(effect: Element, images: Mapping[str, Element]) -> Effect | None:
    """The effect's common profile; None where it has none. `images` are by id."""
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
    """Follows references to the parameters of an effect, which stand in `scopes`."""

    def __init__(self, scopes: list[Element], images: Mapping[str, Element]) -> None:
        found = [each for scope in scopes for each in scope.findall("newparam")]
        self._parameters = {each.get("sid", ""): each for each in found}
        local = [each for scope in scopes for each in scope.findall("image")]
        self._images = {**images, **{each.get("id", ""): each for each in local}}

    def find_shade(self, element: Element | None) -> Shade | None:
        """None where nothing is said, or nothing that can be read."""
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
