# SPDX-License-Identifier: GPL-3.0-or-later
"""A world of SDF: models that were written one by one, lights, a camera and a scene."""

import shutil
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....core.diagnostics import WriteError
from ....core.files.outputs import check_output, digest_files, replace_files
from ....core.geometry.transforms import FROM_CAMERA, Matrix, matrix_from_pose, pose_of
from ....core.markup.write import XmlWriter, format_number, format_numbers
from ....core.markup.xml import Element, parse_fragment, verbatim
from ....core.model.world import WorldLight, WorldView
from ....core.names import Claims
from ....core.writers.formats import WorldRequest, Written
from ...urdf.write.loops import write_pose
from .document import NAMESPACE, NEW, OLD
from .options import SdfOptions

_KINDS = {"point": "point", "sun": "directional", "spot": "spot"}
_REACH = 100.0
MODEL = "model.sdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model to write: its name in the world, and a function that writes it as `path`, with its
    files beside it under names that begin with `prefix`."""

    name: str
    write: Callable[[Path, str], object]


def write_sdf_world(
    request: WorldRequest[SdfOptions], models: Sequence[ModelFile], names: dict[str, str]
) -> Generator[str, None, Written]:
    """Writes the world, and the meshes of its models in the folder <name>_models beside it: equal
    models have one. Yields the name of each before it is written. Raises WriteError; nothing is
    written then, nor where the work is closed."""
    path = request.path.absolute()
    if path.parent.is_dir():
        check_output(path)
    with replace_files(path.parent) as folder:
        home = f"{request.name}_models"
        claims = Claims()
        known: dict[str, str] = {}
        texts, versions = [], [OLD]
        for model in models:
            yield model.name
            own = claims.claim(_make_folder_name(model.name))
            place = folder / home / own
            place.mkdir(parents=True)
            model.write(place / MODEL, f"{home}/{own}/")
            version, text = _take_model(place / MODEL)
            versions.append(version)
            digest = digest_files(place)
            if not any(place.iterdir()):
                place.rmdir()
            elif known.setdefault(digest, own) != own:
                text = text.replace(f">{home}/{own}/", f">{home}/{known[digest]}/")
                shutil.rmtree(place)
            texts.append(text)
        version = NEW if NEW in versions else OLD
        (folder / path.name).write_text(
            _write(request, texts, version), encoding="utf-8", newline="\n"
        )
        return request.finish(folder, names)


def _make_folder_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:60] or "model"


def _take_model(path: Path) -> tuple[str, str]:
    """Returns the version of a file, and the text of the model in it; the file goes."""
    data = path.read_bytes()
    path.unlink()
    start = data.index(b"<sdf")
    root = parse_fragment(data[start:])
    model = next((child for child in root or () if child.tag == "model"), None)
    assert root is not None and isinstance(model, Element)
    return root.attributes["version"], verbatim(model, data[start:])


def _write(request: WorldRequest[SdfOptions], models: Sequence[str], version: str) -> str:
    world, xml = request.world, XmlWriter()
    xml.declare()
    try:
        root = {"version": version, "xmlns:urdf": NAMESPACE}
        with xml.element("sdf", root), xml.element("world", {"name": request.name}):
            xml.leaf("gravity", text=format_numbers(world.gravity))
            _write_scene(request, xml)
            if world.view is not None:
                _write_view(world.view, xml)
            for light in world.lights or (_SUN,):
                _write_light(light, xml)
            if parse_fragment(f"<world>{world.text}</world>".encode()) is None:
                raise WriteError("the property urdf_world of the world's collection is not XML")
            for text in filter(None, (world.text, *models)):
                xml.verbatim(text)
    except ValueError as problem:
        raise WriteError(f"the world cannot be written: {problem}") from None
    return xml.text()


_SUN = WorldLight(name="sun", kind="sun")


def _write_scene(request: WorldRequest[SdfOptions], xml: XmlWriter) -> None:
    background = request.world.background
    with xml.element("scene"):
        xml.leaf("ambient", text="0.4 0.4 0.4 1")
        if background is not None:
            xml.leaf("background", text=format_numbers((*background, 1.0)))
        xml.leaf("shadows", text="true")


def _write_view(view: WorldView, xml: XmlWriter) -> None:
    frame = matrix_from_pose(view.place)
    turned: Matrix = frame.copy()
    turned[:3, :3] = frame[:3, :3] @ FROM_CAMERA
    with xml.element("gui"), xml.element("camera", {"name": view.name}):
        write_pose(pose_of(turned), "", xml)


def _write_light(light: WorldLight, xml: XmlWriter) -> None:
    """Writes a light. Its direction is its own -z axis, in every version of SDF."""
    color = format_numbers([*(light.strength * part for part in light.color), 1.0])
    with xml.element("light", {"name": light.name, "type": _KINDS[light.kind]}):
        write_pose(light.place, "", xml)
        xml.leaf("cast_shadows", text="true" if light.shadows else "false")
        xml.leaf("diffuse", text=color)
        xml.leaf("specular", text="0.1 0.1 0.1 1")
        if light.kind != "sun":
            with xml.element("attenuation"):
                xml.leaf("range", text=format_number(_REACH))
                for tag, number in (("constant", 1.0), ("linear", 0.0), ("quadratic", 0.0)):
                    xml.leaf(tag, text=format_number(number))
        if light.kind != "point":
            xml.leaf("direction", text="0 0 -1")
        if light.kind == "spot":
            with xml.element("spot"):
                xml.leaf("inner_angle", text=format_number(0.85 * light.angle))
                xml.leaf("outer_angle", text=format_number(light.angle))
                xml.leaf("falloff", text="1")
