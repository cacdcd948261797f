# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot and its rig in a few numbers, for people and for reports."""

import os
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic, Severity, describe_missing
from ..model import Robot
from ..pipeline.importing import ImportResult, XacroArgument
from ..rig import RigPlan

Facts = dict[str, Any]
"""Name -> number or text, as in reports."""


def summarize_result(result: ImportResult) -> Facts:
    """Counts the parts of an imported robot."""
    from ..blender.standing.pose import get_joint_positions

    return {
        "robot": result.robot.name,
        "links": len(result.links),
        "joints": len(result.robot.joints),
        "moving_joints": len(get_joint_positions(result.armature)),
        "bones": len(result.armature.data.bones),
        "total_mass": result.robot.total_mass(),
        **_list_loops(result.robot),
    }


def _list_loops(robot: Robot) -> Facts:
    """Returns `loops`, the names of joints that close loops; nothing where there are none."""
    return {"loops": [loop.name for loop in robot.loops]} if robot.loops else {}


def summarize_plan(plan: RigPlan) -> Facts:
    """Counts the same for a robot before it is built, and more.

    `joints_by_type` counts types as the description writes them. `degrees_of_freedom` counts joints
    that do not follow another. `depth` is the longest way from a root, in joints. `total_mass` is
    in kg. `zero_outside_limits`: joint name -> the valid position nearest to zero, where it starts.
    """
    joints_of_bone = Counter(plan.bone_of_joint.values())
    independent = [joint for joint in plan.joints if not joint.mimics]
    inertials = [link.inertial for link in plan.robot.links if link.inertial is not None]
    return {
        "robot": plan.robot.name,
        "links": len(plan.links),
        "joints": len(plan.robot.joints),
        "moving_joints": len(plan.joints),
        "bones": len(plan.bones),
        "total_mass": plan.robot.total_mass(),
        "links_with_mass": sum(inertial.mass is not None for inertial in inertials),
        "joints_by_type": dict(Counter(joint.type for joint in plan.robot.joints).most_common()),
        "degrees_of_freedom": sum(len(joint.channels) for joint in independent),
        "mimic_joints": len(plan.joints) - len(independent),
        "roots": [link.link.name for link in plan.links if link.joint is None],
        "depth": max(plan.tree.depths),
        "combined_bones": sum(number > 1 for number in joints_of_bone.values()),
        "zero_outside_limits": {
            joint.joint.name: joint.initial for joint in plan.joints if joint.initial
        },
        **_list_loops(plan.robot),
    }


def describe_files(path: str, files: Iterable[str]) -> str:
    """Returns how large the files of an export are together, and the files beside `path`."""
    target, found = Path(path), {Path(file) for file in files}
    size = _describe_size(sum(file.stat().st_size for file in found))
    if target not in found:
        return f"{size} in {count(len(found), 'file')}"
    beside = sorted(os.path.relpath(file, target.parent) for file in found - {target})
    if not beside:
        return size
    if len(beside) > _MOST_NAMED:
        return f"{size} with {len(beside)} files beside it"
    return f"{size} with {' and '.join(beside)}"


_MOST_NAMED = 2


def _describe_size(size: float) -> str:
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000.0
    return f"{size:.3g} GB"


def summarize_arguments(arguments: Sequence[XacroArgument]) -> Facts:
    """Returns `xacro_arguments`: name -> default as written, None for one without; nothing where
    there are no arguments."""
    declared = {argument.name: argument.default for argument in arguments}
    return {"xacro_arguments": declared} if declared else {}


def describe_arguments(facts: Facts) -> list[str]:
    """Returns the rows of a table, of names and defaults, from summarize_arguments."""
    return [
        f"xacro argument {name}" + (" (has no default)" if default is None else f":={default}")
        for name, default in facts.get("xacro_arguments", {}).items()
    ]


def describe_summary(facts: Facts) -> list[str]:
    """Returns the rows of a table from summarize_plan."""
    types = ", ".join(f"{number} {kind}" for kind, number in facts["joints_by_type"].items())
    following, combined = facts["mimic_joints"], facts["combined_bones"]
    moving = f"{facts['moving_joints']}, {count(facts['degrees_of_freedom'], 'degree')} of freedom"
    loops = facts.get("loops", [])
    follow = "follow others" if loops else "mimic another"
    starts = [f"{name} ({value:g})" for name, value in facts["zero_outside_limits"].items()]
    rows = [
        ("robot", facts["robot"]),
        ("links", f"{facts['links']}, {facts['links_with_mass']} with mass"),
        ("joints", f"{facts['joints']}" + (f": {types}" if types else "")),
        ("moving joints", moving + (f", {following} {follow}" if following else "")),
        ("total mass", f"{facts['total_mass']:.6g} kg"),
        ("root" if len(facts["roots"]) == 1 else "roots", _join(facts["roots"])),
        ("depth", count(facts["depth"], "joint")),
        ("bones", f"{facts['bones']}" + (f", {combined} for several joints" if combined else "")),
    ]
    if loops:
        rows.append(("loops", f"{len(loops)}, closed by {_join(loops)}"))
    if starts:
        rows.append(("not at zero", f"{_join(starts)}; zero is outside the limits"))
    return [f"{label:<14} {text}".rstrip() for label, text in rows]


EXPORTED = {"links": "link", "moving_joints": "moving joint", "degrees_of_freedom": "degree"}
"""Facts of an export that are counted."""


def describe_counts(facts: Facts, counted: Mapping[str, str]) -> str:
    """Returns the name of a robot and how many it has of these things: fact -> one of them."""
    parts = []
    for name, what in counted.items():
        number = len(facts[name]) if isinstance(facts[name], list | dict) else facts[name]
        parts.append(count(number, what) + (" of freedom" if what == "degree" else ""))
    return f"{facts['robot']}: {', '.join(parts)}"


def describe_rows(rows: Sequence[Sequence[str]], numbers: Container[int] = (2, 3, 4)) -> list[str]:
    """Returns the lines of a table; the columns of numbers are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            each.rjust(width) if i in numbers else each.ljust(width)
            for i, (each, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def describe_severities(diagnostics: Iterable[Diagnostic]) -> str:
    """Describes the missing files, then how many other diagnostics there are."""
    items = tuple(diagnostics)
    missing = describe_missing(items)
    severities = Counter(item.severity for item in items if not item.lost)
    found = [f"; {missing}"] if missing else []
    found += [f"; {count(severities[kind], kind.value)}" for kind in Severity if severities[kind]]
    return "".join(found)


def count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _join(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
