# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot of URDF as a model of SDF: a scope whose links and joints are read already.

They keep the places of the URDF, and are the robot's own, but for their names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from ....core.diagnostics import Diagnostics, KinematicsError, ReadError
from ....core.files.packages import PackageResolver
from ....core.geometry.transforms import matrix_from_pose
from ....core.kinematics.forward import zero_frames
from ....core.kinematics.tree import KinematicTree, plan_tree
from ....core.markup.references import NameFollower
from ....core.markup.xml import Element
from ....core.model import Extra, Joint, Link, LoopJoint, Material, Transmission
from ....core.model.file_names import name_files
from ....core.model.material import resolve_material
from ....core.options import ImportOptions
from ....core.readers.formats import Description
from ...urdf.read.robot import read_urdf
from .page import Page, place_beside
from .scope import SEPARATOR, FramedElement, Scope

ROOT_TAG = "robot"


def read_urdf_page(
    data: bytes, source: str, home: str, resolver: PackageResolver, diagnostics: Diagnostics
) -> Page:
    """Reads a file of URDF or xacro as a page that holds one model. Raises ReadError for a file
    without a robot or a tree."""
    found = Diagnostics(source)
    options = ImportOptions()
    robot = read_urdf(
        Description(data=data, source=source, resolver=resolver, options=options, diagnostics=found)
    )
    place = partial(place_beside, home=home)
    robot = name_files(robot, lambda mesh, *_: place(mesh.filename), place, maps=True)
    planned = Diagnostics(source)
    try:
        tree = plan_tree(robot, planned)
    except KinematicsError as error:
        raise ReadError(error.message, source=source, line=error.line) from None
    lost = {joint.name for joint in tree.cut_joints} | tree.undefined
    diagnostics.extend(found)
    diagnostics.extend(each for each in planned if each.subject in lost)
    page = Page(data=data, source=source, diagnostics=diagnostics, home=home, urdf=tree)
    page.elements.append(_make_element("model", robot.name, 1))
    return page


def make_nodes(scope: Scope, tree: KinematicTree) -> Iterator[FramedElement]:
    """Takes the links of a robot into a scope, then its joints, and yields each. A joint with the
    name of a link is called NAME_joint."""
    places, links = zero_frames(tree), {}
    for link, place in zip(tree.links, places, strict=True):
        element = _make_element("link", link.name, link.line)
        node = FramedElement(link.name, "link", element, scope.page, scope, given=link)
        links[link.name] = node
        scope.hold(node, node, place)
        yield node
    for motion in tree.joint_motions:
        joint, name = motion.joint, motion.joint.name
        while name in scope.nodes:
            name = f"{name}_joint"
        element = _make_element("joint", name, joint.line)
        node = FramedElement(name, "joint", element, scope.page, scope, given=joint)
        place = places[tree.index[joint.parent]] @ matrix_from_pose(joint.origin)
        scope.hold(node, links[joint.child], place)
        yield node


def _make_element(tag: str, name: str, line: int) -> Element:
    element = Element()
    element.tag, element.attributes = tag, {"name": name}
    element.line, element.offset, element.end = line, 0, 0
    return element


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Renamed:
    """The parts of a robot that go by its names in the whole model: `links` and `joints` map old ->
    new, without parts left out."""

    tree: KinematicTree
    scope: Scope
    materials: str
    links: Mapping[str, str]
    joints: Mapping[str, str]
    follower: NameFollower
    definitions: Mapping[str, Material] = field(default_factory=dict)

    def link(self, link: Link) -> Link:
        """Returns a link with its new name."""
        return replace(
            self.follower.follow_link(link),
            name=self.links[link.name],
            visuals=tuple(
                replace(each, material=self._material(each.material)) for each in link.visuals
            ),
        )

    def joint(self, joint: Joint) -> Joint:
        """Returns a joint with its new names; a missing leader stays missing."""
        mimic = joint.mimic
        if mimic is not None:
            mimic = replace(mimic, joint=self.joints.get(mimic.joint, mimic.joint))
        return replace(
            self.follower.follow_joint(joint),
            name=self.joints[joint.name],
            parent=self.links[joint.parent],
            child=self.links[joint.child],
            mimic=mimic,
        )

    @property
    def loops(self) -> tuple[LoopJoint, ...]:
        """The loops that the robot has by itself."""
        prefix = self.scope.prefix
        loops = self.follower.follow_loops(self.tree.robot.loops)
        return tuple(replace(each, name=f"{prefix}{each.name}") for each in loops)

    @property
    def transmissions(self) -> tuple[Transmission, ...]:
        return tuple(self.follower.follow_transmissions(self.tree.robot.transmissions))

    @property
    def extras(self) -> tuple[Extra, ...]:
        return self.follower.follow_extras(self.tree.robot.extras)

    def _material(self, material: Material | None) -> Material | None:
        """The definition itself, under a name that no other model has."""
        found = resolve_material(material, self.definitions) or material
        if found is None or not found.name:
            return found
        return replace(found, name=f"{self.materials}{found.name}")


def rename_robot(scope: Scope, tree: KinematicTree, *, is_top: bool) -> Renamed:
    """Returns the remaining parts of a robot in a scope, by its new names."""
    links: dict[str, str] = {}
    joints: dict[str, str] = {}
    for node in scope.nodes.values():
        if node.given is not None:
            names = links if node.kind == "link" else joints
            names[node.given.name] = node.full_name
    own = f"{scope.name}{SEPARATOR}"
    paint = scope.prefix if scope.prefix.endswith(own) else scope.prefix + own
    return Renamed(
        tree=tree,
        scope=scope,
        materials="" if is_top else paint,
        links=links,
        joints=joints,
        follower=NameFollower(links, joints),
        definitions=tree.robot.material_definitions(),
    )
