# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA documents for tests, piece by piece."""

from collections.abc import Sequence
from pathlib import Path

from urdf_importer.core.geometry.mesh_data import MeshData
from urdf_importer.core.meshes.collada.load import load_collada

PYRAMID = "0 0 0 1 0 0 1 2 0 0 2 0 0 0 3"
CLOSED = "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>{}</p></triangles>".format(
    "0 2 1 0 3 2 0 1 4 1 2 4 2 3 4 3 0 4"
)
INSTANCE = "<instance_geometry url='#g'/>"
NAMES = {1: "W", 2: "ST", 3: "XYZ", 4: "RGBA"}


def source(name: str, numbers: str, width: int = 3, stride: int | None = None) -> str:
    params = "".join(f"<param name='{each}' type='float'/>" for each in NAMES[width])
    return (
        f"<source id='{name}'><float_array>{numbers}</float_array><technique_common>"
        f"<accessor stride='{stride or width}'>{params}</accessor></technique_common></source>"
    )


def geometry(
    primitives: str = CLOSED,
    *,
    name: str = "g",
    points: str = PYRAMID,
    sources: str = "",
    of_vertices: str = "",
) -> str:
    return (
        f"<geometry id='{name}'><mesh>{source('p', points)}{sources}<vertices id='v'>"
        f"<input semantic='POSITION' source='#p'/>{of_vertices}</vertices>"
        f"{primitives}</mesh></geometry>"
    )


def document(
    nodes: str = f"<node>{INSTANCE}</node>",
    geometries: Sequence[str] = (geometry(),),
    *,
    libraries: str = "",
    asset: str = "<unit meter='1'/>",
    head: str = "",
) -> str:
    return (
        f"{head}<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
        f"<asset>{asset}</asset><library_geometries>{''.join(geometries)}</library_geometries>"
        f"{libraries}<library_visual_scenes><visual_scene id='s'>{nodes}</visual_scene>"
        "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>"
    )


def faces_text(tag: str, p: str, *, inputs: str = "", vcount: str = "", material: str = "") -> str:
    counts = f"<vcount>{vcount}</vcount>" if vcount else ""
    lists = "".join(f"<p>{each}</p>" for each in p.split("|"))
    return (
        f"<{tag} material='{material}'><input semantic='VERTEX' source='#v' offset='0'/>{inputs}"
        f"{counts}{lists}</{tag}>"
    )


class Loads:
    """Writes a document and loads it; `notes` are the codes of what was reported, in order."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "mesh.dae"
        self.notes: list[str] = []

    def __call__(self, text: str | bytes) -> MeshData:
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.notes.clear()
        return load_collada(self.path, self.note, self.resolve)

    def note(self, code: str, message: str) -> None:
        assert message and "\n" not in message
        self.notes.append(code)

    def resolve(self, uri: str, kind: str) -> Path:
        assert kind == "texture"
        return self.path.parent / uri
