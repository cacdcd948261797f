# SPDX-License-Identifier: GPL-3.0-or-later
"""Formulas that move followers as drivers: each line of a sheet is a number that a hidden bone
keeps, in a property of its own, so that numbers wait only for their own inputs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from string import ascii_letters

from ..kinematics.loops.formulas import Factor, Sum, factors_of
from ..kinematics.loops.programs import LoopProgram
from .followers import FollowerReading
from .limits import hidden_twin
from .rig_plan import BoneChannel, BonePlan, DriverPlan, FormulaDriverPlan, JointPlan, Slot

_PER_BONE = 24
"""Blender looks through a bone's properties one by one."""
_LETTERS = ascii_letters.replace("e", "")
"""e is a number to Python."""


def plan_program(
    program: LoopProgram,
    joints: Mapping[str, JointPlan],
    readings: Mapping[tuple[str, str], FollowerReading],
    home: BonePlan,
    claim: Callable[[str], str],
) -> tuple[list[BonePlan], list[DriverPlan | FormulaDriverPlan]]:
    """Plans the drivers of a program's followers, and the hidden bones that keep its numbers, which
    get their names by `claim`."""
    lines = program.list_lines()
    bones, slots = _take_slots(lines, home, claim)
    followers = list(dict.fromkeys(name for name, _ in program.outputs))
    drivers: list[DriverPlan | FormulaDriverPlan] = [
        _read_input(slots[line], [readings[each, leader] for each in followers])
        for line, leader in program.inputs.items()
    ]
    drivers += [
        _write_line(slots[line], total, slots)
        for line in lines
        if (total := program.sheet.lines[line]) is not None
    ]
    for (name, index), line in program.outputs.items():
        follower = joints[name]
        own: Sum = {((line, ""),): float(follower.sign)}
        drivers.append(_write_line(follower.channels[index], own, slots))
    return bones, drivers


def _take_slots(
    lines: list[int], home: BonePlan, claim: Callable[[str], str]
) -> tuple[list[BonePlan], dict[int, Slot]]:
    bones: list[BonePlan] = []
    slots: dict[int, Slot] = {}
    for place, line in enumerate(lines):
        if place % _PER_BONE == 0:
            bones.append(plan_store(home, claim))
        slots[line] = Slot(bone=bones[-1].name, number=place % _PER_BONE)
    return bones, slots


def plan_store(home: BonePlan, claim: Callable[[str], str]) -> BonePlan:
    """Plans a hidden bone without parent that keeps numbers, at the place of another."""
    twin = hidden_twin(home, claim(f"MCH-loop-{home.name}"))
    return replace(twin, parent="", rotation_mode="XYZ")


def _read_input(slot: Slot, readings: list[FollowerReading]) -> DriverPlan:
    """Reads a free joint; its set value, if one of its followers could not wait for more."""
    reading = min(readings, key=lambda each: each.evaluated)
    return DriverPlan(
        channel=slot,
        source=reading.source.channels[0],
        evaluated=reading.evaluated,
        expression=f"{float(reading.source.sign)!r} * {reading.expression}",
    )


def _write_line(
    channel: BoneChannel | Slot, total: Sum, slots: Mapping[int, Slot]
) -> FormulaDriverPlan:
    lines = factors_of(total)
    names = dict(zip(lines, _LETTERS, strict=False))
    return FormulaDriverPlan(
        channel=channel,
        expression=print_sum(total, names),
        reads=tuple((names[line], slots[line]) for line in lines),
    )


def print_sum(total: Sum, names: Mapping[int, str]) -> str:
    """Writes a sum as an expression, its lines by their names."""
    terms = [_print_product(product, factor, names) for product, factor in total.items()]
    return "".join(terms).removeprefix("+") or "0.0"


def _print_product(product: tuple[Factor, ...], factor: float, names: Mapping[int, str]) -> str:
    sign, size = "-" if factor < 0.0 else "+", f"{abs(factor):.9g}"
    over = [names[line] for line, shape in product if shape == "inverse"]
    parts = list(_print_factors(product, names))
    if size != "1" or not parts:
        parts.insert(0, size if set(size) & set(".e") else f"{size}.0")
    return sign + "*".join(parts) + "".join(f"/{name}" for name in over)


def _print_factors(product: tuple[Factor, ...], names: Mapping[int, str]) -> Iterator[str]:
    for line, shape in product:
        if shape != "inverse":
            yield f"{shape}({names[line]})" if shape else names[line]
