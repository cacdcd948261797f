# SPDX-License-Identifier: GPL-3.0-or-later
"""CAD assemblies as XML of both generations, written by hand: for tests and benchmarks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

Numbers = Sequence[float]
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def joined(numbers: Iterable[float]) -> str:
    return ",".join(f"{float(number)!r}" for number in numbers)


@dataclass(kw_only=True)
class CadFrame:
    """`axes` are the frame's x, y and z axes one after the other."""

    name: str
    point: Numbers = (0.0, 0.0, 0.0)
    axes: Numbers = IDENTITY
    ref: int | str = ""
    label: str = ""
    unit: str = "m"
    origin: str = "WORLD"
    position_axes: str = "WORLD"
    turned_in: str = "WORLD"
    kind: str = "3x3 Transform"

    def xml(self) -> str:
        ref = f' ref="{self.ref}"' if self.ref != "" else ""
        node = "(USERADDED)" if self.label else "(AUTOGEN)"
        return (
            f'<Frame{ref}><name>"{self.name}"</name><displayName>"{self.label}"</displayName>'
            f'<nodeID>"1::{node}"</nodeID><position>{joined(self.point)}</position>'
            f'<positionOrigin>"{self.origin}"</positionOrigin>'
            f'<positionReferenceFrame>"{self.position_axes}"</positionReferenceFrame>'
            f'<positionUnits>"{self.unit}"</positionUnits>'
            f"<orientation>{joined(self.axes)}</orientation>"
            f'<orientationType>"{self.kind}"</orientationType>'
            f'<orientationReferenceFrame>"{self.turned_in}"</orientationReferenceFrame></Frame>'
        )


@dataclass(kw_only=True)
class CadBody:
    name: str
    frames: list[CadFrame] = field(default_factory=list)
    mass: float | str = 1.0
    mass_unit: str = "kg"
    inertia: Numbers | str = (0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1)
    inertia_unit: str = "kg*m^2"
    geometry: str | None = None
    node: str = "1"
    look: str = ""
    center: Numbers = (0.0, 0.0, 0.0)
    center_unit: str = "m"
    part: CadFrame | None = None

    def xml(self) -> str:
        frames = [
            CadFrame(name="CG", point=self.center, unit=self.center_unit),
            self.part or CadFrame(name="CS1"),
            *self.frames,
        ]
        inertia = self.inertia if isinstance(self.inertia, str) else joined(self.inertia)
        geometry = f"{self.name}.stl" if self.geometry is None else self.geometry
        return (
            f'<Body><name>"{self.name}"</name><nodeID>"{self.node}"</nodeID>'
            f'<mass>{self.mass}</mass><massUnits>"{self.mass_unit}"</massUnits>'
            f'<inertia>{inertia}</inertia><inertiaUnits>"{self.inertia_unit}"</inertiaUnits>\n'
            f"<frames>{''.join(frame.xml() for frame in frames)}</frames>"
            f'<geometryFileName>"{geometry}"</geometryFileName>{self.look}</Body>\n'
        )


@dataclass(kw_only=True)
class CadJoint:
    """`primitives` are (word, axis) pairs, or (word, axis, reference frame) triples."""

    name: str
    base: int | str
    follower: int | str
    primitives: Sequence[tuple[object, ...]] = (("revolute", (0.0, 0.0, 1.0)),)

    def xml(self) -> str:
        return (
            f'<SimpleJoint><name>"{self.name}"</name>{self._side("base", self.base)}'
            f"{self._side('follower', self.follower)}<primitives>"
            f"{''.join(self._primitive(*item) for item in self.primitives)}</primitives>"
            "</SimpleJoint>\n"
        )

    def _side(self, tag: str, ref: int | str) -> str:
        frame = f'<Frame ref="{ref}"/>'
        return f"<{tag}><JointSide><connection>{frame}</connection></JointSide></{tag}>"

    def _primitive(self, word: object, axis: object = (0, 0, 0), frame: object = "WORLD") -> str:
        written = axis if isinstance(axis, str) else joined(axis)  # type: ignore[arg-type]
        return (
            f'<Primitive><name>"{word}"</name><referenceFrame>"{frame}"</referenceFrame>'
            f"<axis>{written}</axis></Primitive>"
        )


def first_generation(
    bodies: Sequence[CadBody],
    joints: Sequence[CadJoint] = (),
    *,
    name: str = "machine",
    grounds: Sequence[CadFrame] = (),
    within: str = "",
) -> bytes:
    """A whole file; `within` is XML of subsystems."""
    ground = "".join(f"<Ground><frame>{frame.xml()}</frame></Ground>" for frame in grounds)
    return (
        f'<?xml version="1.0"?>\n<PhysicalModelingXMLFile>\n<name>"{name}"</name>\n'
        f"<SimscapeMultibody>\n<bodies>\n{''.join(body.xml() for body in bodies)}</bodies>\n"
        f"<joints>\n{''.join(joint.xml() for joint in joints)}</joints>\n"
        f"<grounds>{ground}</grounds>\n<subsystems>{within}</subsystems>\n"
        "</SimscapeMultibody>\n</PhysicalModelingXMLFile>\n"
    ).encode()


def chain(count: int) -> bytes:
    """`count` bodies, each on a hinge of the one before, with every tenth hinge turned round."""
    bodies, joints = [], []
    for index in range(count):
        frames = []
        if index:
            frames.append(CadFrame(name="CS2", point=(index, 0, 0), ref=2 * index))
        if index + 1 < count:
            frames.append(CadFrame(name="CS3", point=(index + 1, 0, 0), ref=2 * index + 1))
        turned = CadFrame(name="CS1", point=(index, 0.0, 0.0), axes=(0, 1, 0, -1, 0, 0, 0, 0, 1))
        bodies.append(CadBody(name="PART", frames=frames, part=turned, center=(index, 0.5, 0.0)))
        if index:
            ends = (2 * index - 1, 2 * index)
            base, follower = ends if index % 10 else ends[::-1]
            joints.append(CadJoint(name="PART--PART", base=base, follower=follower))
    return first_generation(bodies, joints)


def second_generation(
    instances: str, *, joints: str = "", constraints: str = "", assemblies: str = "",
    parts: str = "", data_units: str = '<DataUnits mass="kilogram" length="meter"/>',
) -> bytes:  # fmt: skip
    return (
        '<?xml version="1.0"?>\n<SimscapeMultibodyImportXML version="2.0" '
        'xmlns="urn:mathworks:SimscapeMultibody:import">\n'
        f'<ModelUnits mass="lbm" length="in"/>{data_units}\n'
        f'<RootAssembly name="rig" uid="r1"><InstanceTree>{instances}</InstanceTree>\n'
        f"<Joints>{joints}</Joints>\n<Constraints>{constraints}</Constraints></RootAssembly>\n"
        f"<Assemblies>{assemblies}</Assemblies>\n<Parts>{parts}</Parts>\n"
        "</SimscapeMultibodyImportXML>\n"
    ).encode()


def transform(matrix: np.ndarray | None = None) -> str:
    matrix = np.eye(4) if matrix is None else matrix
    rotation = " ".join(repr(float(x)) for x in matrix[:3, :3].ravel())
    point = " ".join(repr(float(x)) for x in matrix[:3, 3])
    return (
        f"<Transform><Rotation>{rotation}</Rotation><Translation>{point}</Translation></Transform>"
    )


def instance(
    name: str, entity: str = "part", matrix: np.ndarray | None = None, inner: str = "", **more: str
) -> str:
    attributes = "".join(f' {key}="{value}"' for key, value in more.items())
    return (
        f'<Instance name="{name}" uid="{name}" entityUid="{entity}"{attributes}>'
        f"{transform(matrix)}{inner}</Instance>\n"
    )


def part(uid: str = "part", mass: str = "2", file: str = "part.step") -> str:
    return (
        f'<Part name="{uid}" uid="{uid}"><MassProperties><Mass>{mass}</Mass>'
        "<CenterOfMass>0.1 0 0</CenterOfMass><Inertia>1 2 2.5 0.3 0.2 0.1</Inertia>"
        f'</MassProperties><GeometryFile name="{file}" type="STEP"/><VisualProperties>'
        '<Diffuse r="0.5" g="0.25" b="1" a="0.5"/></VisualProperties></Part>\n'
    )


def end(path: str) -> str:
    return "".join(f"<Uid>{uid}</Uid>" for uid in path.split("/"))


def joint(
    kind: str, name: str, base: str, follower: str, base_frame: np.ndarray | None = None,
    follower_frame: np.ndarray | None = None,
) -> str:  # fmt: skip
    return (
        f'<{kind} name="{name}"><BaseFrame><InstancePath>{end(base)}</InstancePath>'
        f"{transform(base_frame)}</BaseFrame><FollowerFrame><InstancePath>{end(follower)}"
        f"</InstancePath>{transform(follower_frame)}</FollowerFrame></{kind}>\n"
    )


def mate(kind: str, name: str, *sides: tuple[str, str, Numbers, Numbers]) -> str:
    """`sides` are (path, shape, position, axis)."""
    inner = "".join(
        f'<ConstraintGeometry geomType="{shape}"><InstancePath>{end(path)}</InstancePath>'
        f"<Position>{' '.join(map(str, point))}</Position>"
        f"<Axis>{' '.join(map(str, axis))}</Axis></ConstraintGeometry>"
        for path, shape, point, axis in sides
    )
    return f'<{kind} name="{name}">{inner}</{kind}>\n'
