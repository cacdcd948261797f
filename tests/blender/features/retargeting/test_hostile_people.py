# SPDX-License-Identifier: GPL-3.0-or-later
"""People in files made to read other files, to wait or to fail: one sentence, nothing opened."""

import json
import os
import struct
from pathlib import Path

import bpy
import pytest

from support.bounded import refusals, run_bounded
from support.paths import ROOT
from urdf_importer import ReadError
from urdf_importer.core.blender.complaints import last_words
from urdf_importer.features.retargeting.retarget import open_person

ARM = ROOT / "sample_urdfs" / "humanoid_arm.urdf"
DATA = struct.pack("<2f8f", 0, 1, *[0, 0, 0, 1] * 2) + bytes(24)


def write_glb(path: Path, **changes: object) -> Path:
    """A skeleton of two bones that turns, with other members of the document."""
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "a", "children": [1]}, {"name": "b"}],
        "skins": [{"joints": [0, 1]}],
        "animations": [
            {
                "samplers": [{"input": 0, "output": 1}],
                "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
            }
        ],
        "buffers": [{"byteLength": 64}],
        "bufferViews": [{"buffer": 0, "byteLength": 8},
                        {"buffer": 0, "byteOffset": 8, "byteLength": 32}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR",
                       "min": [0], "max": [1]},
                      {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}],
        **changes,
    }  # fmt: skip
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I", len(text)) + b"JSON" + text + struct.pack("<I", 64) + b"BIN\0" + DATA
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
    return path


def buffer(uri: object) -> dict[str, object]:
    return {"buffers": [{"byteLength": 64, "uri": uri}]}


def data(**changes: object) -> dict[str, object]:
    return {"accessors": [{"componentType": 5126, "count": 2, "type": "SCALAR"} | changes] * 2}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_files_elsewhere_and_pipes_are_never_opened(tmp_path: Path) -> None:
    folder, secret = tmp_path / "open", tmp_path / "secret.bin"
    folder.mkdir()
    secret.write_bytes(DATA)
    os.mkfifo(folder / "pipe.bin")
    (folder / "link.bin").symlink_to(secret)
    uris = ("../secret.bin", "%2e%2e/secret.bin", "..\\secret.bin", str(secret), "link.bin",
            "data:/../../secret.bin", "pipe.bin", "./x/../pipe.bin", "pipe%2Ebin")  # fmt: skip
    paths = [write_glb(folder / f"b{i}.glb", **buffer(uri)) for i, uri in enumerate(uris)]
    for uri in ("pipe.bin", str(secret), "link.bin"):
        images = [{"uri": uri}]
        paths.append(write_glb(folder / f"i{len(paths)}.glb", images=images))
    commands = [("retarget", ARM, path, "-o", tmp_path / "o.json") for path in paths]
    places = [folder / "link.bin", folder / "pipe.bin", secret, folder / ".." / "secret.bin"]
    done = run_bounded(*commands, cwd=tmp_path, forbidden=places, seconds=60, gibibytes=16)
    assert len(refusals(done)) == len(paths)


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": [{"children": [1]}, {"children": [0]}]},
        {"nodes": [{"children": [1, 1]}, {}]}, {"nodes": [{"children": [0]}, {}]},
        {"nodes": [{"children": [7]}, {}]}, {"nodes": [{"children": ["b"]}, {}]},
        {"scenes": [{"nodes": [7]}]}, {"skins": [{"joints": [7]}]}, buffer(5), buffer("a\0b"),
        data(count=10**9), data(count=3, bufferView=0), data(count=-1), data(type="VEC9"),
        data(componentType=1), data(bufferView=0, byteOffset=10**9), data(bufferView=9),
        {"animations": [{"samplers": [], "channels": [{"sampler": 3, "target": {"node": 1,
                                                                    "path": "rotation"}}]}]},
    ],
)  # fmt: skip
def test_documents_that_lie_are_one_sentence(tmp_path: Path, changes: dict[str, object]) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    with pytest.raises(ReadError) as caught:
        open_person(str(write_glb(tmp_path / "m.glb", **changes)))
    said = caught.value.message
    assert "\n" not in said and len(said) < 200 and "Traceback" not in said
    assert os.sep not in said.replace(str(tmp_path), "")


def test_a_sound_document_is_read(tmp_path: Path) -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    assert len(open_person(str(write_glb(tmp_path / "m.glb"))).data.bones) == 2
    (tmp_path / "bone data.bin").write_bytes(DATA)
    path = write_glb(tmp_path / "n.glb", **buffer("bone%20data.bin"), images=[{"uri": "no.png"}])
    assert len(open_person(str(path)).data.bones) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no FIFOs")
def test_images_of_fbx_are_judged(tmp_path: Path) -> None:
    """The names of images in FBX are whole paths: one is swapped for a pipe's."""
    from bpy_extras import image_utils

    from urdf_importer.features.retargeting.blender.files import _images_judged

    bpy.ops.wm.read_homefile(use_empty=True)
    folder = tmp_path / "open"
    folder.mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    os.mkfifo(folder / "near.png")
    image = bpy.data.images.new("x", 2, 2)
    image.filepath_raw, image.file_format = str(folder / "own.png"), "PNG"
    image.save()
    before = image_utils.load_image
    with _images_judged(str(folder / "m.fbx")):
        for name in (str(tmp_path / "pipe.png"), "../../pipe.png", "near.png"):
            assert tuple(image_utils.load_image(name, str(folder)).size) == (1, 1)
        for name in ("own.png", "/elsewhere/own.png"):
            found = image_utils.load_image(name, str(folder), place_holder=True, recursive=True)
            assert tuple(found.size) == (2, 2)
    assert image_utils.load_image is before


def test_the_last_words_of_a_traceback_name_no_folder() -> None:
    told = 'Error: Python: Traceback (most recent call last):\n  File "/usr/a/b.py", line 3\n{}\n'
    place = "Location: /usr/lib/x.py:12"
    for words, wanted in (
        ("OSError: [Errno 28] No space left on device: '/tmp/out/arm.glb'",
         "OSError: [Errno 28] No space left on device: 'arm.glb'"),
        ("KeyError: 1/2 of a/b", "KeyError: 1/2 of a/b"),
        ("OSError: C:\\Users\\me\\arm.glb", "OSError: arm.glb"),
    ):  # fmt: skip
        assert last_words(RuntimeError(told.format(words) + place)) == wanted
    assert last_words(RuntimeError("")) == "it gives no reason"
