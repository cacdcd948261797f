# SPDX-License-Identifier: GPL-3.0-or-later
"""From graph to tree: RootPart and ground, bodies that nothing reaches, loops, several joints of
one pair, joints that only loops hold still."""

import itertools

import numpy as np
import pytest

from support.assembly_text import CadBody, CadFrame, CadJoint, first_generation
from support.gates import gate_bodies, gate_joints
from support.simmechanics_reading import Outcome, Read
from urdf_importer.core.geometry.transforms import matrix_from_pose
from urdf_importer.core.kinematics.loops import forward_kinematics

Y = (0.0, 1.0, 0.0)


def root_part(*refs: int) -> CadBody:
    frames = [
        CadFrame(name=f"CS{number}", ref=ref, point=(ref, 0, 0))
        for number, ref in enumerate(refs, start=2)
    ]
    return CadBody(name="RootPart", geometry="", mass=0.0, inertia=(0,) * 9, frames=frames)


def weld(name: str, base: int, follower: int) -> CadJoint:
    return CadJoint(name=name, base=base, follower=follower, primitives=[("weld",)])


# What only places


def test_joints_of_a_root_part_only_place(read: Read) -> None:
    """Taken literally, the two welds would make the gate rigid."""
    bodies = [root_part(100, 101), *gate_bodies()]
    bodies[1].frames.append(CadFrame(name="CS9", ref=110))
    bodies[3].frames.append(CadFrame(name="CS9", ref=111))
    joints = [weld("R--P", 100, 110), weld("R--B", 101, 111), *gate_joints()]
    outcome = read(first_generation(bodies, joints))
    assert [link.name for link in outcome.robot.links] == ["POST1", "WING1", "BOLT1"]
    assert [joint.type for joint in outcome.robot.joints] == ["continuous", "prismatic"]
    assert outcome.codes == []


def test_a_root_part_is_known_by_its_marks_not_by_its_name(read: Read) -> None:
    bodies = gate_bodies()
    bodies[0].name = "RootPart"
    joints = gate_joints()
    joints[0].name = "RootPart--WING"
    outcome = read(first_generation(bodies, joints))
    assert [link.name for link in outcome.robot.links] == ["RootPart1", "WING1", "BOLT1"]
    bodies[0].name, bodies[0].geometry, bodies[0].node = "ARM_ASM", "", "ARM/RootPart"
    outcome = read(first_generation(bodies, joints))
    assert outcome.robot.links[0].name == "ARM_ASM1", "its joint moves: it is a base"
    assert outcome.robot.links[0].inertial is None


def test_a_root_part_with_a_moving_joint_is_the_root(read: Read) -> None:
    bodies = [*gate_bodies(), root_part(100, 101)]
    bodies[0].frames.append(CadFrame(name="CS9", ref=110, point=(0, 0, 0.5)))
    bodies[2].frames.append(CadFrame(name="CS9", ref=111))
    joints = [
        CadJoint(name="BASE--POST", base=100, follower=110, primitives=[("prismatic", (1, 0, 0))]),
        weld("BASE--BOLT", 101, 111),
        *gate_joints(),
    ]
    outcome = read(first_generation(bodies, joints))
    root = outcome.robot.links[0]
    assert root.name == "RootPart1"
    assert (root.inertial, root.visuals) == (None, ())
    # All of its joints count, so the weld of the bolt is real, and the slide closes a loop.
    assert outcome.joint("BASE--BOLT1").type == "fixed"
    assert [loop.name for loop in outcome.robot.loops] == ["WING--BOLT1"]
    assert read(first_generation(bodies, joints), "root: POST1").robot.links[0].name == "POST1"


def test_a_moving_joint_at_the_ground_gives_a_world(read: Read) -> None:
    ground = CadFrame(name="CS1", ref=100, point=(0, 0, 0.5))
    bodies = gate_bodies()
    bodies[0].frames.append(CadFrame(name="CS9", ref=110, point=(0, 0, 0.5)))
    slide = CadJoint(name="G--P", base=100, follower=110, primitives=[("prismatic", (1, 0, 0))])
    outcome = read(first_generation(bodies, [slide, *gate_joints()], grounds=[ground]))
    assert outcome.robot.links[0].name == "world"
    assert outcome.joint("G--P1").parent == "world"
    still = read(first_generation(bodies, [weld("G--P", 100, 110)], grounds=[ground]))
    assert "world" not in {link.name for link in still.robot.links}


def test_no_body_is_lost(read: Read) -> None:
    """A body that stands in the same subassembly as one of the tree is fixed to that one, another
    to the root; its children come along."""
    bodies = [root_part(100, 101), *gate_bodies()]
    bodies[2].frames.append(CadFrame(name="CS9", ref=111))
    bodies += [
        CadBody(name="LAMP", frames=[CadFrame(name="CS2", ref=120), CadFrame(name="CS3", ref=121)]),
        CadBody(name="BULB", frames=[CadFrame(name="CS2", ref=130)]),
        CadBody(name="STONE"),
    ]
    joints = [
        *gate_joints(), weld("R--W", 100, 111), weld("R--L", 101, 120),
        CadJoint(name="LAMP--BULB", base=121, follower=130),
    ]  # fmt: skip
    outcome = read(first_generation(bodies, joints))
    assert outcome.codes == ["unconnected-body"] * 2
    assert outcome.joint("LAMP1_fixed_joint").parent == "WING1"
    assert outcome.joint("STONE1_fixed_joint").parent == "POST1"
    assert outcome.joint("LAMP--BULB1").type == "continuous"
    # The link frame of what is fixed so is its CS1.
    np.testing.assert_allclose(outcome.frame("LAMP1")[:3, 3], (0, 0, 0), atol=1e-12)


def test_frames_drawn_in_a_root_part_belong_to_what_it_holds(read: Read) -> None:
    bodies = [root_part(100), *gate_bodies()]
    bodies[0].frames.append(CadFrame(name="CS9", label="TOOL", point=(7, 0, 0)))
    bodies[3].frames.append(CadFrame(name="CS9", ref=111))
    outcome = read(
        first_generation(bodies, [weld("R--B", 100, 111), *gate_joints()]),
        "exportedFrames: [{frameName: TOOL}]\n",
    )
    assert outcome.joint("TOOL_fixed_joint").parent == "BOLT"
    np.testing.assert_allclose(outcome.frame("TOOL")[:3, 3], (7, 0, 0), atol=1e-12)


# Several joints of one pair


def two_joints(first: CadJoint, second: CadJoint, points: tuple[object, object]) -> bytes:
    """Two bodies and two joints between them, at two points."""
    bodies = [
        CadBody(
            name=name,
            frames=[
                CadFrame(name="CS2", ref=start, point=points[0]),
                CadFrame(name="CS3", ref=start + 1, point=points[1]),
            ],
        )
        for name, start in (("FRAME", 1), ("DOOR", 3))
    ]
    return first_generation(bodies, [first, second])


def joint_of(kind: str, base: int, axis: tuple[float, ...] = (0, 0, 1)) -> CadJoint:
    return CadJoint(name=f"J{base}", base=base, follower=base + 2, primitives=[(kind, axis)])


CASES = {
    "a door on two hinges": ("revolute", "revolute", (0, 0, 2), ["continuous"]),
    "two hinges side by side": ("revolute", "revolute", (1, 0, 0), ["fixed"]),
    "two slides": ("prismatic", "prismatic", (1, 0, 0), ["prismatic"]),
    "a hinge and a slide": ("revolute", "prismatic", (0, 0, 1), ["fixed"]),
    "two balls": ("spherical", "spherical", (0, 0, 2), ["continuous"]),
    "a ball and a hinge": ("spherical", "revolute", (0, 0, 2), ["continuous"]),
    "a ball and a slide": ("spherical", "prismatic", (0, 0, 2), ["fixed"]),
}


@pytest.mark.parametrize("case", CASES)
def test_several_joints_of_one_pair_act_together(read: Read, case: str) -> None:
    one, other, apart, types = CASES[case]
    data = two_joints(joint_of(one, 1), joint_of(other, 2), ((0, 0, 0), apart))
    outcome = read(data)
    assert [joint.type for joint in outcome.robot.joints] == types
    assert outcome.robot.joints[0].name == "J11" and not outcome.robot.loops
    if types == ["continuous"]:
        joint = outcome.robot.joints[0]
        world = outcome.frame(joint.child)[:3, :3] @ np.array(joint.axis)
        np.testing.assert_allclose(np.abs(world), (0, 0, 1), atol=1e-9)


def test_a_redefined_joint_counts_alone(read: Read) -> None:
    data = two_joints(joint_of("revolute", 1), joint_of("revolute", 2), ((0, 0, 0), (1, 0, 0)))
    outcome = read(data, "redefinedjoints: {2: {name: hinge}}\n")
    assert [(joint.name, joint.type) for joint in outcome.robot.joints] == [("hinge", "continuous")]


# Loops

CORNERS = {"A": (0.0, 0.0), "B": (0.0, 1.0), "C": (2.0, 1.5), "D": (2.0, 0.0)}


def four_bar(*, last: tuple[object, ...] = ("revolute", Y)) -> bytes:
    """Ground A-D, crank A-B, coupler B-C, rocker C-D, in the xz plane; `last` is the joint at D."""
    bars = {"GROUND": "AD", "CRANK": "AB", "COUPLER": "BC", "ROCKER": "CD"}
    refs: dict[tuple[str, str], int] = {}
    bodies = []
    for number, (name, ends) in enumerate(bars.items()):
        frames = []
        for index, corner in enumerate(ends):
            refs[name, corner] = 10 * number + index + 1
            x, z = CORNERS[corner]
            frames.append(CadFrame(name=f"CS{index + 2}", point=(x, 0, z), ref=refs[name, corner]))
        bodies.append(CadBody(name=name, frames=frames))
    joints = [
        CadJoint(
            name=f"{one}--{other}",
            base=refs[one, corner],
            follower=refs[other, corner],
            primitives=[("revolute", Y) if corner != "D" else last],
        )
        for one, other, corner in (
            ("GROUND", "CRANK", "A"), ("CRANK", "COUPLER", "B"), ("COUPLER", "ROCKER", "C"),
            ("GROUND", "ROCKER", "D"),
        )
    ]  # fmt: skip
    return first_generation(bodies, joints)


def loop_gap(outcome: Outcome, positions: dict[str, float]) -> float:
    """How far the two frames of the only loop are apart."""
    frames = forward_kinematics(outcome.robot, positions, close_loops=False)
    loop = outcome.robot.loops[0]
    one = frames[loop.link1] @ matrix_from_pose(loop.origin1)
    other = frames[loop.link2] @ matrix_from_pose(loop.origin2)
    return float(np.abs(one[:3, 3] - other[:3, 3]).max())


def test_a_four_bar_keeps_its_loop(read: Read) -> None:
    outcome = read(four_bar())
    loop = outcome.robot.loops[0]
    assert outcome.codes == ["loop-joint"]
    assert len(outcome.robot.joints) == 3 and loop.type == "continuous"
    assert loop.axis == (0.0, 1.0, 0.0)
    assert loop_gap(outcome, {}) < 1e-12


def test_the_loop_closes_where_the_law_of_cosines_says(read: Read) -> None:
    """The rocker's and coupler's angles for a turned crank by circles that meet: the gap is zero
    there, and nowhere else."""
    outcome = read(four_bar())
    joints = {joint.child: joint for joint in outcome.robot.joints}
    crank = 0.2
    a, d = np.array(CORNERS["A"]), np.array(CORNERS["D"])
    b0, c0 = np.array(CORNERS["B"]), np.array(CORNERS["C"])

    def turned(vector: np.ndarray, angle: float) -> np.ndarray:
        # About y, x -> x cos + z sin, z -> -x sin + z cos.
        c, s = np.cos(angle), np.sin(angle)
        return np.array((c * vector[0] + s * vector[1], -s * vector[0] + c * vector[1]))

    b = a + turned(b0 - a, crank)
    coupler, rocker = np.linalg.norm(c0 - b0), np.linalg.norm(c0 - d)
    between = d - b
    distance = np.linalg.norm(between)
    along = (coupler**2 - rocker**2 + distance**2) / (2 * distance)
    height = np.sqrt(coupler**2 - along**2)
    side = np.array((-between[1], between[0])) / distance
    c = b + along * between / distance + height * side
    assert np.linalg.norm(c - d) == pytest.approx(rocker)

    def angle(before: np.ndarray, after: np.ndarray) -> float:
        return float(np.arctan2(before[1] * after[0] - before[0] * after[1], before @ after))

    # Signs as the joints are written: about y of the world, follower against base.
    of_coupler, of_rocker = angle(c0 - b0, c - b), angle(c0 - d, c - d)
    world = {"GROUND1": 0.0, "CRANK1": crank, "COUPLER1": of_coupler, "ROCKER1": of_rocker}
    positions = {
        joint.name: (world[joint.child] - world[joint.parent]) * joint.axis[1]
        for joint in joints.values()
        if joint.axis is not None
    }
    assert loop_gap(outcome, positions) < 1e-9
    assert loop_gap(outcome, {**positions, next(iter(positions)): 0.3}) > 1e-3


def test_stiff_joints_stay_in_the_tree(read: Read) -> None:
    """A ball closes the loop, wherever the search would have cut."""
    data = four_bar(last=("spherical",))
    assert read(data).robot.loops[0].type == "continuous"
    stiff = read(data, "tree: stiff\n")
    assert [loop.type for loop in stiff.robot.loops] == ["spherical"]


def test_a_loop_of_several_primitives_is_a_chain_that_closes(read: Read) -> None:
    bodies = [
        CadBody(
            name=name,
            frames=[CadFrame(name="CS2", ref=n, point=(1, 2, 3)), CadFrame(name="CS3", ref=n + 1)],
        )
        for name, n in (("A", 1), ("B", 3), ("C", 5))
    ]
    several = [("prismatic", (1, 0, 0)), ("revolute", (0, 1, 0))]
    joints = [
        CadJoint(name="AB", base=2, follower=4),
        CadJoint(name="AC", base=1, follower=6),
        CadJoint(name="BC", base=3, follower=5, primitives=several),
    ]
    outcome = read(first_generation(bodies, joints))
    loop = outcome.loop("BC1_2")
    assert (loop.type, loop.link1, loop.link2) == ("continuous", "BC1_1_link", "C1")
    assert outcome.joint("BC1_1").type == "prismatic"
    assert loop_gap(outcome, {}) < 1e-12


def test_joints_that_only_loops_hold_still_are_named(read: Read) -> None:
    """A triangle of bars on hinges cannot move; a four-bar can."""
    corners = {"A": (0.0, 0.0), "B": (1.0, 1.0), "C": (2.0, 0.0)}
    bars = {"ONE": "AB", "TWO": "BC", "THREE": "CA"}
    refs = {}
    bodies = []
    for number, (name, ends) in enumerate(bars.items()):
        frames = []
        for index, corner in enumerate(ends):
            refs[name, corner] = 10 * number + index + 1
            x, z = corners[corner]
            frames.append(CadFrame(name=f"CS{index + 2}", point=(x, 0, z), ref=refs[name, corner]))
        bodies.append(CadBody(name=name, frames=frames))
    joints = [
        CadJoint(
            name=one + other, base=refs[one, corner], follower=refs[other, corner],
            primitives=[("revolute", Y)],
        )
        for one, other, corner in (
            ("ONE", "TWO", "B"), ("TWO", "THREE", "C"), ("THREE", "ONE", "A"),
        )
    ]  # fmt: skip
    data = first_generation(bodies, joints)
    outcome = read(data)
    assert outcome.codes == ["held-joint", "held-joint", "loop-joint"]
    held = [item for item in outcome.diagnostics if item.code == "held-joint"]
    for item in held:
        assert f"freeze: [{item.subject}]" in item.message
    frozen = read(data, "freezeHeld: true\n")
    assert [joint.type for joint in frozen.robot.joints] == ["fixed", "fixed"]
    assert "held-joint" not in frozen.codes
    written = read(data, f"freeze: [{', '.join(item.subject for item in held)}]\n")
    assert [joint.type for joint in written.robot.joints] == ["fixed", "fixed"]
    assert "held-joint" not in read(four_bar()).codes


def test_the_order_of_joints_is_that_of_the_file(read: Read) -> None:
    """Breadth first: of equal ways the joint that comes first."""
    bodies = [
        CadBody(name=name, frames=[CadFrame(name=f"CS{i}", ref=10 * n + i) for i in range(2, 6)])
        for n, name in enumerate("ABCD", start=1)
    ]
    pairs = {"AB": (12, 22), "AC": (13, 32), "BD": (23, 42), "CD": (33, 43)}
    for order in itertools.permutations(pairs):
        joints = [CadJoint(name=name, base=pairs[name][0], follower=pairs[name][1])
                  for name in order]  # fmt: skip
        outcome = read(first_generation(bodies, joints))
        first = "B" if order.index("AB") < order.index("AC") else "C"
        assert outcome.joint(f"{first}D1").parent == f"{first}1"
