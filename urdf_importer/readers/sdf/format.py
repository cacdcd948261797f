# SPDX-License-Identifier: GPL-3.0-or-later
"""The format SDF: Gazebo's models and worlds, in files or in folders with a model.config."""

import os

from ...diagnostics import Diagnostics, NoLinksError, ReadError, quote
from ...files.packages import AnyPath, PackageResolver
from ...files.regular import read_regular_file
from ...meshes import RobotFiles
from ...model import Robot
from ..formats import Description, ReaderFormat
from ..urdf.robot import paused_garbage_collection
from ..xacro.expand import expand_xacro, is_xacro
from .models import Included, ModelReader, find_in_folder
from .page import ROOT_TAGS, read_page
from .robot import make_robot

_MOST_NAMED = 12


def read_sdf(given: Description) -> Robot:
    """Reads the model of a file or, of several, the one that options.model names. Raises
    ReadError."""
    diagnostics = given.diagnostics
    if not diagnostics.source:
        diagnostics.source = given.source
    data = given.data
    if is_xacro(data, given.source):
        arguments = given.options.xacro_args
        data = expand_xacro(data, given.source, given.resolver, arguments, diagnostics)
    with paused_garbage_collection():
        page = read_page(data, given.source, diagnostics)
        reader = ModelReader(resolver=given.resolver, diagnostics=diagnostics)
        chosen = _choose(reader.list_models(page), given.options.model, given.source)
        scope = reader.read(chosen)
        files = RobotFiles(given.resolver, Diagnostics())
        if scope is None:
            raise NoLinksError(
                f"the model {quote(chosen.name)} cannot be included", source=given.source
            )
        return make_robot(scope, given.source, files, diagnostics)


def _choose(models: list[Included], wanted: str, source: str) -> Included:
    names = [each.name for each in models]
    if not models:
        raise NoLinksError("the file has no model", source=source)
    if wanted:
        found = next((each for each in models if each.name == wanted), None)
        if found is not None:
            return found
        raise ReadError(
            f"the file has no model {quote(wanted)}; it has {_list(names)}", source=source
        )
    if len(models) > 1:
        raise ReadError(
            f"the file has {len(models)} models: {_list(names)}; name the one to be read with the "
            "option model",
            source=source,
        )
    return models[0]


def _list(names: list[str]) -> str:
    shown = ", ".join(map(quote, names[:_MOST_NAMED]))
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


def list_models(path: AnyPath, *, resolver: PackageResolver | None = None) -> tuple[str, ...]:
    """Returns the names of the models in a file of SDF, or in a folder of a model, in their order.
    Raises ReadError for other files."""
    source = os.fspath(path)
    if os.path.isdir(source):
        source = find_in_folder(source)
    diagnostics = Diagnostics(source)
    page = read_page(read_regular_file(source), source, diagnostics)
    reader = ModelReader(resolver=resolver or PackageResolver(source), diagnostics=diagnostics)
    return tuple(each.name for each in reader.list_models(page))


SDF = ReaderFormat(
    name="sdf",
    label="SDF",
    suffixes=(".sdf", ".world"),
    roots=ROOT_TAGS,
    read=read_sdf,
)
