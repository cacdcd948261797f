# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole worlds on the command line: import --world, export --world."""

from typing import Any

from ...core.command.blends import is_blend
from ...core.command.job_types import ExportJob, ImportJob
from ...core.command.report import Work
from ...core.command.summary import Facts, summarize_result
from ...core.diagnostics import RobotError, WriteError
from ...core.pipeline.formats import reader_formats
from ...core.pipeline.importing import list_models
from ...core.progress import finish, relay
from .export import export_world
from .importing import World, import_world_steps

_SUMS = ("links", "joints", "moving_joints", "bones", "total_mass")


def is_whole(job: ImportJob) -> bool:
    """Whether a file of SDF has several models, and a job chooses none of them."""
    options = job.options
    if options.model or options.srdf or job.picture is not None:
        return False
    suffixes = next(each.suffixes for each in reader_formats() if each.name == "sdf")
    if not job.input.lower().endswith(suffixes):
        return False
    try:
        return len(list_models(job.input, options=options)) > 1
    except RobotError:
        # The import says why.
        return False


def write_world(job: ExportJob, work: Work) -> None:
    """Writes the scene of a .blend. Raises the errors of export_world."""
    from ...core.blender.save import open_blend

    with work.clock("read"):
        if not is_blend(job.input):
            raise WriteError("worlds are written of the scene of a .blend", source=job.input)
        open_blend(job.input)
    with work.clock("export"):
        work.take(
            export_world(
                job.output, strict=job.strict, options=job.options, diagnostics=work.diagnostics
            )
        )


def build_world(job: ImportJob, work: Work) -> World:
    """Imports a world, step by step."""
    steps = import_world_steps(job.input, options=job.options, diagnostics=work.diagnostics)
    with work.clock("build"):
        return finish(relay(steps, work.show))


def summarize_world(world: World) -> Facts:
    """Counts the parts of an imported world: of all robots together, and the kinds of its
    things.
    """
    each = [summarize_result(result) for result in world.robots]
    sums: dict[str, Any] = {name: sum(facts[name] for facts in each) for name in _SUMS}
    return {
        "robot": world.name,
        **sums,
        "robots": [facts["robot"] for facts in each],
        "objects": list(world.objects),
        "lights": len(world.lights),
    }
