# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's motion on a robot, from beginning to end, as arrays."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...core.diagnostics import KinematicsError
from ...core.kinematics.drive import Wheels
from ...core.kinematics.many_frames import JointedBodies, Places
from ...core.kinematics.tree import KinematicTree
from ...core.progress import Progress
from ..motion.limits import RobotLimits
from ..motion.trajectory import Numbers, Trajectory
from .body import PersonBody, find_body
from .driving import ride_along, track_ride, track_turns
from .feet import find_stands, ground_scene, measure_creep, pin_feet, standing_frames
from .fingers import Hand, bend_fingers, describe_fingers, left_fingers, match_hand
from .holding import hold, hold_back
from .limbs import Anatomy, LoadShapes, Soles, find_anatomy, measure_feet
from .match import Matched, describe, find_scale, match_limbs, name_limb
from .options import Contact, LimbReport, Pair, RetargetOptions, RetargetResult
from .person import Person
from .plan import LimbPlan
from .search import smooth, solve_smoothly
from .solve import FrameSolver, State, Wish
from .targets import (
    aim_limbs,
    carry_hips,
    heading_of,
    reach_ends,
    set_scene,
    start_base,
    turn_feet,
    turn_trunk,
)

_SOFT_HIPS = 1.0
_ASIDE = 0.05
"""Metres: a drive that is nearer to the person's way reports no steps to the side."""
_NEAR = 1.0
"""The pull of smoothed positions in the last solution."""
_AT_LIMIT = 1e-4
"""Radians or metres."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """Person and robot with their limbs, before anything moves."""

    person: Person
    body: PersonBody
    machine: JointedBodies
    anatomy: Anatomy
    matched: Matched
    hands: tuple[Hand, ...] = ()

    def describe(self) -> tuple[Pair, ...]:
        """Returns which limb and finger follows which."""
        limbs = [describe(self.person, match) for match in self.matched.matches]
        return (*limbs, *describe_fingers(self.person, self.hands))


def find_match(
    tree: KinematicTree,
    person: Person,
    options: RetargetOptions,
    held: frozenset[str],
    load: LoadShapes | None = None,
) -> Found:
    """Finds the limbs of person and robot, and pairs them; `held` are joints that stay. Raises
    KinematicsError where nothing matches."""
    if len(person.names) < 3:
        raise KinematicsError("the person has too few bones for a limb", source=person.source)
    machine = JointedBodies(tree, held)
    body, anatomy = find_body(person), find_anatomy(machine, load)
    matched = match_limbs(person, body, machine, anatomy, options)
    palms = [(m.person, m.robot.hand) for m in matched.matches if m.robot.kind == "arm"]
    palms += matched.palms
    found = [match_hand(person, limb, machine, palm) for limb, palm in palms]
    hands = tuple(hand for hand in found if hand is not None and options.parts != "body")
    if not hands and not matched.matches:
        raise KinematicsError("person or robot has no fingers there", source=person.source)
    return Found(
        person=person, body=body, machine=machine, anatomy=anatomy, matched=matched, hands=hands
    )


def follow(
    found: Found,
    options: RetargetOptions,
    soles: Soles,
    limits: RobotLimits,
    wheels: Wheels | None = None,
) -> Generator[Progress, None, RetargetResult]:
    """Makes the robot follow the person, in steps. `soles` are the shapes of feet; without `wheels`
    a base that drives glides."""
    yield Progress(share=0.3, text="limbs")
    _narrow(found.machine, limits)
    plan = _plan(found, options, soles)
    solver = FrameSolver(found.machine, _active(found, options), is_free=not plan.stays)
    limbs = _find_columns(plan)
    tasks = _wishes(plan, options)
    base, held = start_base(plan), tuple[str, ...]()
    if plan.matches:
        state = yield from solve_smoothly(solver, tasks, base, limbs)
        yield Progress(share=0.7, text="feet")
        state, kept = yield from _settle(plan, solver, tasks, state, options)
        state, held = hold_back(plan, solver, kept, state, limbs)
    else:
        state = State(positions=np.tile(found.machine.rest(), (len(base.origins), 1)), base=base)
    state, bent = bend_fingers(found.hands, found.person, found.machine, state)
    if options.velocity == "hold":
        state = replace(state, positions=_hold_speeds(found.machine, state, limits, found.person))
    yield Progress(share=0.9, text="numbers")
    creep = measure_creep(plan, state) if plan.stands else 0.0
    first = found.person.start(options.start_frame)
    contacts = tuple(
        Contact(link=plan.matches[s.limb].robot.link, first=first + s.first, last=first + s.last)
        for s in plan.stands
    )
    result = RetargetResult(
        trajectory=_write(plan, [*solver.active.tolist(), *bent], state),
        pairs=found.describe(),
        scale=plan.scene.scale,
        limbs=_report_limbs(plan, tasks, state, first),
        contacts=contacts,
        slide=creep,
        unmatched=(*found.matched.unmatched, *left_fingers(found.machine, found.hands)),
        held=held,
    )
    return _drive(plan, result, wheels) if options.base == "drive" else result


def _find_columns(plan: LimbPlan) -> dict[int, Places]:
    """Returns the places of each limb's joints among all."""
    columns = plan.machine.columns
    return {
        place: np.array([columns[joint] for joint in match.robot.joints], dtype=np.intp)
        for place, match in enumerate(plan.matches)
    }


def _report_limbs(
    plan: LimbPlan, tasks: Sequence[Wish], state: State, first: float
) -> tuple[LimbReport, ...]:
    """Returns the angles between the parts of each limb and the person's; hands and limbs that
    reach for places have none."""
    machine = plan.machine
    pose = machine.pose(state.positions, state.base)
    found = []
    for place, match in enumerate(plan.matches):
        angles: list[Numbers] = []
        for task in tasks:
            if task.limb == place and task.kind == "aim" and task.weight == 1.0:
                along = pose.turns[:, task.body] @ task.local
                cosine = (along * task.target).sum(axis=1)
                angles.append(np.arccos(np.clip(cosine, -1.0, 1.0)))
        if not angles:
            continue
        both = np.max(angles, axis=0)
        worst = int(both.argmax())
        bad = both >= np.percentile(both, 95)
        columns = [machine.columns[joint] for joint in match.robot.joints]
        own = state.positions[bad][:, columns]
        stuck = own <= machine.lower[columns] + _AT_LIMIT
        stuck = (stuck | (own >= machine.upper[columns] - _AT_LIMIT)).any(axis=0).tolist()
        joints = zip(match.robot.joints, stuck, strict=True)
        found.append(
            LimbReport(
                limb=name_limb(match),
                median=float(np.median(both)),
                most=float(np.percentile(both, 95)),
                worst=float(both[worst]),
                frame=first + worst,
                limited=tuple(joint for joint, is_stuck in joints if is_stuck),
            )
        )
    return tuple(found)


def _narrow(machine: JointedBodies, limits: RobotLimits) -> None:
    """Keeps positions within the limits of safety controllers too, and held joints where they
    are."""
    for column, name in enumerate(machine.names):
        bounds = limits.joints.get(name)
        if bounds is not None and bounds.lower is not None:
            machine.lower[column] = max(machine.lower[column], bounds.lower)
        if bounds is not None and bounds.upper is not None:
            machine.upper[column] = min(machine.upper[column], bounds.upper)


def _plan(found: Found, options: RetargetOptions, soles: Soles) -> LimbPlan:
    machine, matched = found.machine, found.matched
    anatomy = measure_feet(machine, found.anatomy, found.anatomy.shapes | soles)
    by_link = {limb.link: limb for limb in anatomy.limbs}
    matches = tuple(
        replace(match, robot=by_link.get(match.robot.link, match.robot))
        for match in matched.matches
    )
    stays = not matched.has_legs or options.base in ("none", "drive")
    scale = find_scale(found.person, matches) if options.scale is None else options.scale
    scene = set_scene(found.person, found.body, scale, stays=stays)
    plan = LimbPlan(
        machine=machine,
        anatomy=anatomy,
        scene=scene,
        matches=matches,
        rate=found.person.rate,
        ground=options.ground,
        stays=stays,
    )
    if stays:
        return plan
    plan = replace(plan, stands=find_stands(plan))
    return replace(plan, scene=ground_scene(plan))


def _active(found: Found, options: RetargetOptions) -> set[int]:
    """The joints that move: of the limbs, and of the trunk below them."""
    machine = found.machine
    matches = found.matched.matches
    active = {machine.columns[joint] for match in matches for joint in match.robot.joints}
    if options.parts not in ("arms", "hands"):
        for match in matches:
            chain = machine.chains[match.robot.carrier]
            turning = [body for body in chain.tolist() if not machine.slides[body]]
            active |= {int(machine.variables[body]) for body in turning}
    return active


def _wishes(plan: LimbPlan, options: RetargetOptions) -> list[Wish]:
    tasks = [*aim_limbs(plan), *reach_ends(plan)]
    if options.parts not in ("arms", "hands"):
        tasks += turn_trunk(plan)
    if not plan.stays:
        count = len(plan.scene.points)
        flat = [standing_frames(plan.stands, place, count) for place in range(len(plan.matches))]
        tasks += [*turn_feet(plan, flat), carry_hips(plan)]
    return tasks


def _settle(
    plan: LimbPlan, solver: FrameSolver, tasks: list[Wish], state: State, options: RetargetOptions
) -> Generator[Progress, None, tuple[State, list[Wish]]]:
    """Pins the feet, smooths, and pins them once more; returns the wishes for that too."""
    reach = int(np.ceil(options.smooth * plan.rate / 2.0 - 1e-6)) if options.smooth > 0 else 0
    pins = pin_feet(plan, state) if plan.stands and options.feet == "pin" else []
    pinned = {(task.kind, task.body, task.limb) for task in pins}
    kept = [
        task
        for task in tasks
        if (task.kind, task.body, task.limb) not in pinned
        and not (pins and task.kind == "reach" and task.limb < 0)
    ]
    if pins:
        kept = [*kept, *pins, carry_hips(plan, _SOFT_HIPS)]
        state = solver.solve(kept, state)[0]
    yield Progress(share=0.8, text="smoothing")
    if reach:
        state = solver.solve(kept, smooth(state, reach), pull=_NEAR if not pins else 0.3)[0]
    return state, kept


def _hold_speeds(
    machine: JointedBodies, state: State, limits: RobotLimits, person: Person
) -> Numbers:
    """Returns positions no faster than limits."""
    held = state.positions.copy()
    known = {name: own.velocity for name, own in limits.joints.items() if own.velocity is not None}
    names = [name for name in machine.names if name in known]
    columns = [machine.columns[name] for name in names]
    steps = np.array([known[name] for name in names]) / person.rate * (1.0 - 1e-6)
    held[:, columns] = hold(held[:, columns], np.tile(steps, (max(len(held) - 1, 0), 1)))
    return held


def _write(plan: LimbPlan, active: Sequence[int], state: State) -> Trajectory:
    times, base = np.arange(len(state.positions)) / plan.rate, state.base
    moved = sorted(set(active))
    names = tuple(plan.machine.names[place] for place in moved)
    frames = () if plan.stays else (track_turns(times, base.origins, base.turns),)
    positions = state.positions[:, moved]
    return Trajectory(names=names, times=times, positions=positions, frames=frames)


def _drive(plan: LimbPlan, result: RetargetResult, wheels: Wheels | None) -> RetargetResult:
    """Returns the result with a base that drives, and wheels that turn."""
    ride, aside = ride_along(plan, wheels)
    motion = result.trajectory
    start = heading_of(plan.scene.facing[:1])[0] @ plan.anatomy.axes.T
    rolled = {} if wheels is None else wheels.found.roll(ride)
    names = (*(name for name in motion.names if name not in rolled), *rolled)
    kept = motion.select(names[: len(names) - len(rolled)])
    motion = replace(
        kept,
        names=names,
        positions=np.column_stack([kept.positions, *rolled.values()]),
        frames=(track_ride(ride, motion.times, start),),
    )
    alone = f"steps to the side, which lead up to {aside:.2f} m off the path of the base"
    unmatched = (*result.unmatched, *([alone] if aside > _ASIDE else []))
    return replace(result, trajectory=motion, unmatched=unmatched)
