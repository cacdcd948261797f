# SPDX-License-Identifier: GPL-3.0-or-later
"""The format SDF: Gazebo's models and worlds, in files or in folders with a model.config."""

from dataclasses import replace

from ....core.diagnostics import Diagnostics, NoLinksError, ReadError, quote
from ....core.meshes import RobotFiles
from ....core.model import Robot
from ....core.model.world import DescribedWorld
from ....core.readers.formats import Description, ReaderFormat
from ...urdf.read.robot import paused_garbage_collection
from ...urdf.xacro.expand import expand_xacro, is_xacro
from .model_files import find_in_folder
from .models import Included, ModelReader, report_world_joints
from .page import ROOT_TAGS, Page, read_page, refuse_template
from .robot import make_robot
from .world import read_sdf_world

_MOST_NAMED = 12
_TEMPLATE_SUFFIXES = (".erb", ".rsdf")


def read_sdf(given: Description) -> Robot:
    """Reads the model of a file or, of several, the one in options.model. Raises ReadError."""
    diagnostics = given.diagnostics
    with paused_garbage_collection():
        page = _read_first(given)
        reader = ModelReader(resolver=given.resolver, diagnostics=diagnostics)
        models = reader.list_models(page)
        if not models:
            raise NoLinksError(f"the file has no model{_why(reader)}", source=given.source)
        chosen = _choose(models, given.options.model, given.source)
        report_world_joints(page, [chosen.name])
        scope = reader.read(chosen)
        files = RobotFiles(given.resolver, Diagnostics())
        if scope is None:
            raise NoLinksError(
                f"the model {quote(chosen.name)} cannot be included{_why(reader, chosen)}",
                source=given.source,
                line=chosen.element.line,
            )
        robot = make_robot(scope, given.source, files, diagnostics)
        if len(models) > 1 or is_xacro(given.data, given.source):
            return robot  # The text holds more than this robot, or was expanded.
        return replace(robot, text=given.data, text_format=SDF.name)


def read_world(given: Description) -> DescribedWorld:
    """Reads all models of a file and the world around them. Raises ReadError."""
    return read_sdf_world(given, _read_first(given))


def _read_first(given: Description) -> Page:
    """Reads the file that was asked for, which may be xacro."""
    data, source, diagnostics = given.data, given.source, given.diagnostics
    diagnostics.source = diagnostics.source or source
    if is_xacro(data, source):
        arguments, environment = given.options.xacro_args, given.options.xacro_env
        data = expand_xacro(
            data, source, given.resolver, arguments, diagnostics, environment=environment
        )
    return read_page(data, source, diagnostics)


def _why(reader: ModelReader, chosen: Included | None = None) -> str:
    """Why a model cannot be included, else the first of all, for the end of a sentence."""
    missing = reader.missing
    found = missing.get(id(chosen.element)) if chosen else next(iter(missing.values()), None)
    return "" if found is None else f" ({found})"


def _choose(models: list[Included], wanted: str, source: str) -> Included:
    names = [each.name for each in models]
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
            "option model, or import the whole world",
            source=source,
        )
    return models[0]


def _list(names: list[str]) -> str:
    shown = ", ".join(map(quote, names[:_MOST_NAMED]))
    return f"{shown} and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else shown


def list_models(given: Description) -> tuple[str, ...]:
    """Returns the names of the models in a file of SDF, in their order. Raises ReadError for other
    files."""
    reader = ModelReader(resolver=given.resolver, diagnostics=given.diagnostics)
    return tuple(each.name for each in reader.list_models(_read_first(given)))


def _refuse_named_template(data: bytes, source: str) -> None:
    if source.lower().endswith(_TEMPLATE_SUFFIXES):
        refuse_template(data, source)


SDF = ReaderFormat(
    name="sdf",
    label="SDF",
    description="Load models of the simulator Gazebo (SDF) as armatures: a bone for each moving "
    "joint, and an empty in the frame of each link",
    suffixes=(".sdf", ".world"),
    roots=ROOT_TAGS,
    read=read_sdf,
    read_world=read_world,
    list_models=list_models,
    find_in_folder=find_in_folder,
    refuse=_refuse_named_template,
    free=True,
)
