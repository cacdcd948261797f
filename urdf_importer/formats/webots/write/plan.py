# SPDX-License-Identifier: GPL-3.0-or-later
"""From a robot to its Solids and joints, in passes over plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ....core.diagnostics import Diagnostics, unknown_name
from ....core.geometry.inertia import add_bodies
from ....core.kinematics.tree import plan_tree
from ....core.model import Robot
from ....core.writers.formats import OpenExport
from ....core.writers.masses import MeasureVolume
from .names import NameTables, make_label, report_on
from .options import WebotsOptions
from .structure.joints import JointPlanner, couple_motors
from .structure.links import AxisPlan, HeldLink, SolidPlan, SolidTreePlan
from .structure.loops import LoopPlanner, close_start
from .structure.multi_axis import combine_hinges
from .structure.physics import find_mass, invent_mass, small_mass
from .structure.solids import find_base, plan_solids
from .structure.start import plan_start


def plan_structure(
    found: OpenExport[WebotsOptions],
    volume: MeasureVolume,
    names: NameTables,
    kept: frozenset[str] = frozenset(),
) -> SolidTreePlan:
    """Plans the Solids and joints of a robot. `volume` measures the collision shapes of a link,
    where an inertia is computed from them; `kept` names links that something besides their
    own content needs, such as a sensor.

    Raises KinematicsError if the robot is not a tree, and for start positions that do not fit any
    joint.
    """
    robot, options, diagnostics = found.robot, found.options, found.diagnostics
    tree = plan_tree(robot, diagnostics)
    kept |= {options.tool_slot, *(end for each in robot.loops for end in (each.link1, each.link2))}
    closed = close_start(tree, plan_start(tree, options, diagnostics), diagnostics)
    start = closed.start
    base = find_base(tree, options, start)
    masses = {
        link.name: mass
        for link in tree.links
        if (mass := find_mass(link, options, volume, diagnostics)) is not None
    }
    offsets = {name: mimic.offset for name, mimic in tree.masters.items()}
    joints = JointPlanner(start, offsets, options, diagnostics, closed.passive)
    solids = plan_solids(tree, base, masses, joints, options, diagnostics)
    couple_motors(_axes_by_joint(solids), tree, diagnostics)
    if options.multi_axis_joints:
        solids = combine_hinges(solids, kept, diagnostics)
    _weigh(solids, options, volume, diagnostics)
    _give_names(robot, solids, names)
    plan = SolidTreePlan(robot=robot, tree=tree, solids=tuple(solids), base=base.frame)
    loops = tuple(LoopPlanner(tree, plan.holders(), start, options, diagnostics).plan())
    for loop in loops:
        loop.joint.def_name = names.claim_def(f"{loop.joint.name}_joint")
    plan = replace(plan, loops=loops)
    _check_slot(plan, options.tool_slot)
    return plan


def _check_slot(plan: SolidTreePlan, slot: str) -> None:
    """Raises KinematicsError for a link that is not in the robot, such as the world above a
    floating robot."""
    if slot and slot not in plan.holders():
        raise unknown_name("the robot has no link", slot, plan.holders(), after=" for a tool slot")


def _axes_by_joint(solids: Sequence[SolidPlan]) -> dict[str, AxisPlan]:
    """Returns the axes by joint, of joints that have one."""
    return {
        solid.joint.name: solid.joint.axes[0]
        for solid in solids
        if solid.joint is not None and len(solid.joint.axes) == 1
    }


def _weigh(
    solids: Sequence[SolidPlan],
    options: WebotsOptions,
    volume: MeasureVolume,
    diagnostics: Diagnostics,
) -> None:
    """Gives every Solid that is not static its mass: a Solid below one with Physics must have
    Physics."""
    for solid in solids:
        if solid.static:
            continue
        if solid.masses:
            solid.mass = add_bodies(solid.masses)
        elif solid.links:
            link = solid.links[0].link
            solid.mass, what = invent_mass(link, options, volume)
            finding = f"has no mass and must have one to move; it gets {what}"
            report_on(link, "webots-small-mass", finding, diagnostics)
        else:
            solid.mass = small_mass(options)


def _give_names(robot: Robot, solids: Sequence[SolidPlan], names: NameTables) -> None:
    """Gives names to links first: where a joint has the name of a link, the joint gives way."""
    solids[0].name = names.claim_solid(robot.name)
    solids[0].def_name = names.claim_def(robot.name)
    for solid in solids:
        for index, held in enumerate(solid.links):
            own = index == 0 and solid is not solids[0]
            def_name = names.claim_def(held.link.name) if index else ""
            solid.links[index] = HeldLink(link=held.link, pose=held.pose, def_name=def_name)
            if own:
                solid.name = names.claim_solid(held.link.name)
                solid.def_name = names.claim_def(held.link.name)
    labels: dict[str, str] = {}
    for solid in solids:
        if solid.joint is None:
            continue
        if not solid.links:
            solid.name = names.claim_solid(solid.joint.name)
            solid.def_name = names.claim_def(solid.joint.name)
        solid.joint.def_name = names.claim_def(f"{solid.joint.name}_joint")
        _label_devices(solid.joint.axes, names, labels)
    _couple_labels(solids, labels)


def _label_devices(axes: Sequence[AxisPlan], names: NameTables, labels: dict[str, str]) -> None:
    for axis in axes:
        if axis.motor:
            labels[axis.motor] = names.claim_device(axis.motor)
            axis.motor = labels[axis.motor]
        axis.sensor = names.claim_device(f"{make_label(axis.sensor)}_sensor")


def _couple_labels(solids: Sequence[SolidPlan], labels: Mapping[str, str]) -> None:
    """A group of motors is named after its leader, whose label is known only now. The sensor of
    such a joint takes the name that its motor gives up: there, ROS finds the joint by it."""
    for solid in solids:
        for axis in solid.joint.axes if solid.joint is not None else ():
            if axis.leader:
                axis.motor = f"{labels[axis.leader]}::{labels[axis.joint]}"
                axis.sensor = labels[axis.joint]
