# SPDX-License-Identifier: GPL-3.0-or-later
"""A gate: a post, a wing on a hinge, a bolt on a slide, with turned parts and a drawn frame."""

from support.assembly_text import CadBody, CadFrame, CadJoint, first_generation

# x to y, y to -x.
TURNED = (0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def gate_bodies() -> list[CadBody]:
    return [
        CadBody(
            name="POST",
            part=CadFrame(name="CS1", point=(0, 0, 1)),
            frames=[CadFrame(name="CS2", point=(1, 0, 2), ref=4)],
            mass=2.0,
            center=(0, 0, 3),
        ),
        CadBody(
            name="WING",
            part=CadFrame(name="CS1", point=(3, 0, 0), axes=TURNED),
            frames=[
                CadFrame(name="CS2", point=(1, 0, 2), ref=5),
                CadFrame(name="CS3", point=(4, 0, 2), ref=7),
                CadFrame(name="CS4", point=(1, 0, 5), axes=TURNED, label="LATCH"),
            ],
            mass=4.0,
            center=(2, 0, 2),
        ),
        CadBody(
            name="BOLT",
            part=CadFrame(name="CS1", point=(5, 0, 2)),
            frames=[CadFrame(name="CS2", point=(4.5, 0, 2), ref=8)],
        ),
    ]


def gate_joints() -> list[CadJoint]:
    return [
        CadJoint(name="POST--WING", base=4, follower=5, primitives=[("revolute", (0, 0, 1))]),
        CadJoint(name="WING--BOLT", base=7, follower=8, primitives=[("prismatic", (1, 0, 0))]),
    ]


def gate() -> bytes:
    return first_generation(gate_bodies(), gate_joints(), name="GATE")
