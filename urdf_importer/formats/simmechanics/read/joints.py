# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of the tree and of loops -> Joint and LoopJoint, with limits from file and table."""

from collections.abc import Mapping

from ....core.geometry.transforms import make_frame
from ....core.markup.write import format_number
from ....core.model import IDENTITY, Dynamics, Extra, Joint, Limit, Link, LoopJoint, Vector3
from .assembly import Assembly, AssemblyJoint
from .links import pose_of, relative
from .mechanism.graph import Matrix
from .parameters.joint_table import JointRow, JointTable
from .parameters.keys import JointChange
from .parameters.values import Values
from .placing import Placed, Step, steps_of

_LIMITED = ("continuous", "revolute", "prismatic")


class JointMaker:
    """Makes joints; the links of chains come with them."""

    def __init__(
        self,
        assembly: Assembly,
        placed: Mapping[int, Placed],
        table: JointTable,
    ) -> None:
        self.assembly = assembly
        self.placed = placed
        self.table = table
        self.values = assembly.values
        self.table_values = Values(table.source, assembly.diagnostics)
        self.parameters = assembly.parameters
        self.made: dict[str, str] = {}
        self.reversed_axes = _find_reversed(assembly)

    def make(self, body: int) -> tuple[list[Joint], list[Link]]:
        """Returns the joint above a link; several, with the links between them, for a chain."""
        placed = self.placed[body]
        assert placed.branch is not None
        branch = placed.branch
        parent, child = self.assembly.link_name(branch.parent), self.assembly.link_name(body)
        base = self.placed[branch.parent].frame
        name = branch.joint.name if branch.joint is not None else self._fixed_name(child)
        part = self.assembly.mechanism.bodies[body].part
        middle = make_frame(part[:3, :3], placed.point)
        return self._chain(
            name, placed.steps, (parent, child), (base, middle, placed.frame), branch.joint
        )

    def _fixed_name(self, link: str) -> str:
        return self.assembly.names.giver.claim_like(f"{link}_fixed_joint")

    def _chain(
        self, name: str, steps: tuple[Step, ...], ends: tuple[str, str],
        frames: tuple[Matrix, Matrix, Matrix], source: AssemblyJoint | None,
    ) -> tuple[list[Joint], list[Link]]:  # fmt: skip
        """One joint after the other at the same point, with links without mass between them; a
        single one keeps its name."""
        base, middle, last = frames
        give = self.assembly.names.giver.claim_like
        joints: list[Joint] = []
        links: list[Link] = []
        parent = ends[0]
        line = source.line if source is not None else 0
        for number, step in enumerate(steps, start=1):
            own = name if len(steps) == 1 else give(f"{name}_{number}")
            if number == len(steps):
                joints.append(self._joint(own, step, (parent, ends[1]), (base, last), source))
                break
            child = give(f"{name}_{number}_link")
            joints.append(self._joint(own, step, (parent, child), (base, middle), source))
            links.append(Link(name=child, line=line))
            parent, base = child, middle
        return joints, links

    def _joint(
        self, name: str, step: Step, ends: tuple[str, str], frames: tuple[Matrix, Matrix],
        source: AssemblyJoint | None,
    ) -> Joint:  # fmt: skip
        kind, limit, dynamics = self._limits(name, step.type, source)
        line = source.line if source is not None else 0
        self.made[name] = kind
        return Joint(
            name=name,
            type=kind,
            parent=ends[0],
            child=ends[1],
            origin=pose_of(relative(frames[0], frames[1])),
            axis=self._axis(source, step, frames[1]),
            limit=limit,
            dynamics=dynamics,
            extras=_offset_extra(source, step),
            line=line,
        )

    def _axis(self, source: AssemblyJoint | None, step: Step, frame: Matrix) -> Vector3 | None:
        if not step.axis.any():
            return None
        sign = -1.0 if source is not None and source.name in self.reversed_axes else 1.0
        x, y, z = (sign * (frame[:3, :3].T @ step.axis)).tolist()
        return (_clean(x), _clean(y), _clean(z))

    def _limits(
        self, name: str, kind: str, source: AssemblyJoint | None
    ) -> tuple[str, Limit | None, Dynamics | None]:
        """The type that a joint has with its limits, these, and its losses."""
        if kind == "fixed":
            return kind, None, None
        change = source.change if source is not None else None
        said = (change or JointChange()).limits
        row = self.table.rows.get(name) or JointRow()
        parameters = self.parameters
        lower, upper = map(_first, (said.lower, said.upper), row.bounds(kind))
        effort = _first(said.effort, row.effort_limit)
        velocity = _first(said.velocity, row.velocity_limit)
        damping = _first(row.damping, parameters.damping)
        friction = _first(row.friction, parameters.friction)
        if kind not in _LIMITED:
            lower = upper = None
        elif kind in ("continuous", "revolute"):
            kind, lower, upper = self._range(name, lower, upper, row.line)
        dynamics = None
        if damping is not None or friction is not None:
            dynamics = Dynamics(damping=damping, friction=friction)
        if lower is upper is effort is velocity is None:
            return kind, None, dynamics
        limit = Limit(
            lower=lower,
            upper=upper,
            effort=_first(effort, parameters.effort_limit),
            velocity=_first(velocity, parameters.velocity_limit),
        )
        return kind, limit, dynamics

    def _range(
        self, name: str, lower: float | None, upper: float | None, line: int
    ) -> tuple[str, float | None, float | None]:
        if lower is not None and upper is not None:
            return "revolute", lower, upper
        if (lower is None) != (upper is None):
            values = self.table_values if line else self.values
            values.bad(
                "limits",
                f"joint {name!r} has only one of its two limits; it turns without end",
                line or self.parameters.line("redefinedjoints"),
            )
        return "continuous", None, None

    def make_loop(self, joint: AssemblyJoint) -> tuple[LoopJoint, list[Joint], list[Link]]:
        """Returns the joint that closes a loop; of a chain all but the last of its joints are
        attached, with links of their own, to the first body.
        """
        part = self.assembly.mechanism.bodies[joint.follower].part
        frame = make_frame(part[:3, :3], joint.frame[:3, 3])
        steps = steps_of(joint, part[:3, :3], self.assembly.frames, is_reversed=False)
        base, follower = (self.assembly.link_name(end) for end in (joint.base, joint.follower))
        base_frame = self.placed[joint.base].frame
        joints: list[Joint] = []
        links: list[Link] = []
        name, origin = joint.name, pose_of(relative(base_frame, frame))
        if len(steps) > 1:
            ends = (base, "")
            joints, links = self._chain(name, steps, ends, (base_frame, frame, frame), joint)
            last = joints.pop()
            name, base, origin = last.name, last.parent, IDENTITY
        kind, limit, dynamics = self._limits(name, steps[-1].type, joint)
        self.made[name] = kind
        loop = LoopJoint(
            name=name,
            type=kind,
            link1=base,
            link2=follower,
            origin1=origin,
            origin2=pose_of(relative(self.placed[joint.follower].frame, frame)),
            axis=self._axis(joint, steps[-1], frame),
            limit=limit,
            dynamics=dynamics,
            extras=_offset_extra(joint, steps[-1]),
            line=joint.line,
        )
        return loop, joints, links

    def make_frame_link(self, name: str, body: int, matrix: Matrix) -> tuple[Joint, Link]:
        """Returns a link without mass at a frame of a body, on a fixed joint."""
        joint = Joint(
            name=self._fixed_name(name),
            type="fixed",
            parent=self.assembly.link_name(body),
            child=name,
            origin=pose_of(relative(self.placed[body].frame, matrix)),
        )
        return joint, Link(name=name)

    def report_unused_rows(self) -> None:
        """Reports the rows of the table that no joint has; rows of fixed joints have no effect, and
        are not a fault."""
        for name, row in self.table.rows.items():
            if name not in self.made and name not in self.assembly.names.joints:
                self.table_values.bad("joint_name", self.assembly.names.no_joint(name), row.line)


def _find_reversed(assembly: Assembly) -> set[str]:
    """The names of the joints whose axes are negated."""
    key, parameters, names = "reverseRotationAxis", assembly.parameters, assembly.names
    extra = {joint.name for joint in assembly.shown if joint.edge < 0}
    found = extra.intersection(parameters.reversed_axes)
    for name in parameters.reversed_axes:
        if name not in extra:
            edges = names.joints_of([name], key, parameters.line(key, name))
            found.update(names.joints[index] for index in edges)
    return found


def _first(*numbers: float | None) -> float | None:
    """Returns the first number that is there."""
    return next((number for number in numbers if number is not None), None)


def _clean(number: float) -> float:
    """A number with rounding errors beside zero and one removed."""
    nearest = round(number)
    return float(nearest) + 0.0 if abs(number - nearest) < 1e-12 else number


def _offset_extra(source: AssemblyJoint | None, step: Step) -> tuple[Extra, ...]:
    """The angle by which the CAD system counts from another zero, in radians."""
    offset = source.offset if source is not None else None
    if offset is None or step.type not in ("continuous", "revolute", "planar"):
        return ()
    return (Extra(tag="simscape", xml=f'<simscape position="{format_number(offset)}"/>'),)
