# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials: colours, and the images that take their places."""

from typing import Any

_COLORS = ("diffuseColor", "diffuse_color_constant", "base_color", "diffuse_tint")
_IMAGES = ("diffuse_texture",)
_NUMBERS = {
    "roughness": ("roughness", "reflection_roughness_constant", "specular_roughness"),
    "metallic": ("metallic", "metallic_constant", "metalness"),
    "opacity": ("opacity", "opacity_constant"),
    "emission": ("emissiveColor",),
}


def describe_material(material: Any) -> dict[str, Any]:
    """Returns color (3 numbers, linear), image (a path), roughness, metallic, opacity and emission,
    each where it is written; `model` names the surface. Of surfaces beside UsdPreviewSurface the
    colour and its image are looked for by the names that Omniverse and MaterialX give them."""
    shader = None
    for context in ("", "mdl", "mtlx"):
        shader = material.ComputeSurfaceSource(context)[0]
        if shader:
            break
    if not shader:
        return {"model": ""}
    identifier = str(shader.GetIdAttr().Get() or "")
    identifier = identifier or str(shader.GetSourceAssetSubIdentifier("mdl") or "unknown")
    found: dict[str, Any] = {"model": identifier}
    for names, key in ((_COLORS, "color"), *((names, key) for key, names in _NUMBERS.items())):
        for name in names:
            if _take_input(shader, name, key, found):
                break
    for name in _IMAGES:
        value = _value_of(shader.GetInput(name))
        if hasattr(value, "resolvedPath") and (value.resolvedPath or value.path):
            found["image"] = value.resolvedPath or value.path
    return found


def _take_input(shader: Any, name: str, key: str, found: dict[str, Any]) -> bool:
    """Takes an input's number, or the image that it is connected with."""
    from pxr import UsdShade

    given = shader.GetInput(name)
    if not given:
        return False
    for attribute in UsdShade.Utils.GetValueProducingAttributes(given):
        source = UsdShade.Shader(attribute.GetPrim())
        if source and source.GetIdAttr().Get() == "UsdUVTexture":
            value = _value_of(source.GetInput("file"))
            if key == "color" and value is not None:
                found["image"] = value.resolvedPath or value.path
                return True
            continue
        value = attribute.Get()
        if isinstance(value, int | float):
            found[key] = float(value)
            return True
        if value is not None and hasattr(value, "__len__") and len(value) == 3:
            found[key] = [float(part) for part in value]
            return True
    return False


def _value_of(given: Any) -> Any:
    return given.Get() if given else None
