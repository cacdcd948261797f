# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of models that includes mean, and two models that nearly every world of Gazebo includes
and none ships: a sun and a floor."""

import os
import re
from pathlib import Path

from ....core.diagnostics import MeshError, ReadError, Report, quote
from ....core.files.packages import PackageResolver
from ....core.files.regular import read_regular_file
from ....core.markup.encoding import decode_text
from ....core.markup.lenient import read_leniently
from ....core.markup.xml import Element, parse_whole, text_of
from .page import Page, all_of, place_beside, read_version

MODEL_CONFIG = "model.config"
"""The file that makes a folder a model."""

_TEXTS = {
    "sun": b"""<sdf version="1.6"><light name="sun" type="directional"><pose>0 0 10 0 0 0</pose>
<cast_shadows>true</cast_shadows><diffuse>0.8 0.8 0.8 1</diffuse>
<direction>-0.5 0.1 -0.9</direction></light></sdf>""",
    "ground_plane": b"""<sdf version="1.6"><model name="ground_plane"><static>true</static>
<link name="link"><collision name="collision"><geometry><plane><normal>0 0 1</normal>
<size>100 100</size></plane></geometry><surface><friction><ode><mu>100</mu><mu2>50</mu2></ode>
</friction></surface></collision><visual name="visual"><cast_shadows>false</cast_shadows><geometry>
<plane><normal>0 0 1</normal><size>100 100</size></plane></geometry><material>
<ambient>0.8 0.8 0.8 1</ambient><diffuse>0.8 0.8 0.8 1</diffuse></material></visual></link></model>
</sdf>""",
}
_URI = re.compile(
    r"(?:model://|https?://[^/]+/.*/models/)([^/]+)(?:/[0-9]+|/tip)?/?", re.IGNORECASE
)


def find_stock(uri: str) -> tuple[str, bytes] | None:
    """Returns the name and the text of a model that is built in, by its URI as `model://sun` or at
    Gazebo's server (`.../models/Ground Plane`); None for all others."""
    match = _URI.fullmatch(uri)
    name = "" if match is None else re.sub(r"%20|[ _]+", "_", match[1].lower())
    return (name, _TEXTS[name]) if name in _TEXTS else None


def find_model_file(
    uri: str, page: Page, resolver: PackageResolver, report: Report
) -> tuple[str, str]:
    """Returns the path of the file of a model, and how files beside it are named (Page.home).

    A name without a scheme is looked for beside the file that has it, then as Gazebo looks for
    models: as model://NAME. Raises MeshError where there is none, or it may not be read: a model of
    another name is never taken instead.
    """
    uri = uri.replace("\\", "/").rstrip("/")
    names = [place_beside(uri, page.home)]
    if "://" not in uri and not os.path.isabs(uri) and not uri.startswith("."):
        names.append(f"model://{uri}")
    while True:
        name = names.pop(0)
        try:
            return _find_model_file(name, resolver, report)
        except MeshError:
            if not names:
                raise


def _find_model_file(name: str, resolver: PackageResolver, report: Report) -> tuple[str, str]:
    last = name.rsplit("/", 1)[-1].lower()
    if last.endswith((".sdf", ".world", ".urdf", ".xml", ".xacro")):
        path = resolver.resolve_file(name, report, kind="model")
        return str(path), name[: name.rfind("/") + 1]
    folder = f"{name or '.'}/"
    config = resolver.resolve_file(folder + MODEL_CONFIG, report, kind="model")
    file = choose_model_file(read_regular_file(str(config)), str(config))
    path = resolver.resolve_file(file, report, kind="model", base=config.parent)
    return str(path), folder


def choose_model_file(data: bytes, source: str) -> str:
    """Returns the name of the newest file that a model.config names. Raises ReadError where it
    names none."""

    def read(text: bytes) -> tuple[bytes, Element]:
        return text, parse_whole(text, source, ("model",))

    def rank(file: Element) -> tuple[int, int]:
        # The lowest where it is newer than the known ones.
        return read_version(file.attributes.get("version", "")) or (0, 0)

    (text, root), _ = read_leniently(decode_text(data, source).data, read)
    files = list(all_of(root, "sdf"))
    if not files:
        raise ReadError("this model.config names no <sdf> file", source=source)
    name = text_of(max(files, key=rank), text)
    if not name or os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
        finding = f"{quote(name)} is not a file beside this model.config"
        raise ReadError(finding, source=source)
    return name


def find_in_folder(folder: str) -> str:
    """Returns the file of the model that a folder with a model.config holds; "" for any other
    folder. Raises ReadError where the model.config names none."""
    path = os.path.join(folder, MODEL_CONFIG)
    if not os.path.isfile(path):
        return ""
    return str(Path(folder) / choose_model_file(read_regular_file(path), path))
