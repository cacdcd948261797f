# SPDX-License-Identifier: GPL-3.0-or-later
"""The check of a robot: survey -> rules -> writers of the targets -> wanted findings."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...core.arguments import diagnostics_of, options_of, robot_or_rig_of
from ...core.diagnostics import Diagnostic, Diagnostics, RobotError, Severity
from ...core.model import Robot
from ...core.options import FileOptions
from ...core.pipeline.exporting import write_format
from ...core.pipeline.formats import find_writer
from ...core.pipeline.opening import open_export, open_scene
from ...formats.usd.write.options import EngineOptions
from .options import LEVELS, USD, LintOptions
from .rules import RULES, Fault, Rule
from .survey import RobotSurvey

_FILES = {"mujoco": ".xml", "gazebo": ".sdf", "webots": ".proto", "isaac": ".usda", "usd": ".usda"}
"""Target -> the suffix of the file whose writer speaks for it."""

Found = list[tuple[Diagnostic, tuple[str, ...]]]
"""Findings, each with the targets that it is about; none for all."""


def check_robot(
    robot_or_armature: Robot | Any,
    *,
    options: LintOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[Diagnostic, ...]:
    """Returns the findings about a robot, in the order of the lines of its file: units, masses and
    inertias against shapes, followers, sides, meshes, lost files and, with targets, the changes of
    their writers and their refusals. They are added to `diagnostics` too.

    `robot_or_armature` is a description, or a robot in Blender with its shapes as shown. Every
    finding is about a part and has the measured number, the bound and a guess of the cause. A robot
    without a tree, without shapes or masses has no findings about these. Raises ArgumentError
    for an unknown target or ignored code, BuildError for an object that is not an imported
    robot.
    """
    found = tuple(item for item, _ in find_all(robot_or_armature, options))
    diagnostics_of(diagnostics).extend(found)
    return found


def find_all(given: Robot | Any, options: LintOptions | None = None) -> Found:
    """Returns the findings of check_robot, with their targets."""
    given, options = robot_or_rig_of(given), options_of(options, LintOptions)
    options.refuse_unknown()
    own = Diagnostics()
    export = open_export(given, options, own)
    with open_scene(export) as opened:
        ruled = list(_apply(RobotSurvey(opened.robot, opened.files, options)))
    found: Found = [(item, ()) for item in own] + ruled
    for target in options.targets:
        known = {(item.code, item.subject) for item, targets in found if not targets}
        for item in _ask_writer(given, target, options):
            if (item.code, item.subject) not in known:
                found.append((item, (target,)))
    return sorted(
        (each for each in _join(found) if is_wanted(each[0], options)),
        key=lambda each: (each[0].source, each[0].line),
    )


def is_wanted(item: Diagnostic, options: LintOptions) -> bool:
    """Whether the options ask for a finding of its level and code."""
    severe = LEVELS.index(item.severity.value) >= LEVELS.index(options.level)
    return severe and options.wants(item.code)


def _apply(survey: RobotSurvey) -> Iterator[tuple[Diagnostic, tuple[str, ...]]]:
    for rule in RULES:
        targets = tuple(each for each in rule.targets if each in survey.options.targets)
        is_asked = not rule.targets or targets
        severe = LEVELS.index(rule.level.value) >= LEVELS.index(survey.options.level)
        if is_asked and severe and survey.options.wants(rule.code):
            for finding in rule.find(survey):
                yield _tell(rule, finding, survey.robot.source), targets


def _tell(rule: Rule, finding: Fault, source: str) -> Diagnostic:
    return Diagnostic(
        severity=finding.level or rule.level,
        code=rule.code,
        message=finding.text,
        subject=finding.part.name,
        source=source,
        line=finding.line or finding.part.line,
    )


def _ask_writer(given: Any, target: str, options: LintOptions) -> Sequence[Diagnostic]:
    """Returns the diagnostics of the writer for a target, its refusal among them."""
    told = Diagnostics()
    try:
        if target in _FILES:
            write_aside(given, f"robot{_FILES[target]}", options, told)
    except RobotError as error:
        told.add(
            Diagnostic(
                severity=Severity.ERROR,
                code="target-refused",
                message=f"no file for {target} can be written: {error.message}",
                source=error.source,
                line=error.line,
            )
        )
    return tuple(told)


def write_aside(given: Any, name: str, options: FileOptions, told: Diagnostics) -> None:
    """Writes a robot to a file of this name in a temporary folder, for the diagnostics alone."""
    places: Any = {"packages": options.packages, "package_paths": options.package_paths}
    is_usd = name.lower().endswith(USD)
    how = EngineOptions(engine="isaac", **places) if is_usd else FileOptions(**places)
    with tempfile.TemporaryDirectory(prefix="urdf-importer-") as folder:
        path = Path(folder, name)
        write_format(find_writer(path), given, path, options=how, diagnostics=told)


def _join(found: Found) -> Found:
    """Returns equal findings once, with the targets of all."""
    joined: dict[Diagnostic, tuple[str, ...]] = {}
    for item, targets in found:
        joined[item] = tuple(dict.fromkeys((*joined.get(item, ()), *targets)))
    return list(joined.items())
