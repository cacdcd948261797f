# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of MuJoCo in a line, and what MuJoCo's compiler says of the robots that they become."""

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from support.mujoco_truth import Compiled
from urdf_importer import Robot, forward_kinematics, read_robot
from urdf_importer.core.geometry.inertia import body_of
from urdf_importer.core.kinematics.forward import complete_positions
from urdf_importer.core.kinematics.tree import retrace_tree


def model(text: str, folder: Path, name: str = "model.xml") -> Path:
    path = folder / name
    path.write_text(f'<mujoco model="m">{text}</mujoco>')
    return path


def body(content: str, more: str = "") -> str:
    return f'<worldbody><body name="a" {more}>{content}</body></worldbody>'


def close(one: Any, other: Any, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def judge(path: Path, seed: int = 0) -> Robot:
    """Reads a model and holds it against MuJoCo's compiler."""
    robot, compiled = read_robot(path), Compiled(path)
    check_frames(robot, compiled, np.zeros(1))
    check_frames(robot, compiled, np.random.default_rng(seed).uniform(-1, 1, 200))
    close(robot.total_mass(), compiled.model.body_mass[1:].sum())
    for link in robot.links:
        if link.name in compiled.names("body") and link.name != "world":
            mass, center, tensor = compiled.inertia(link.name)
            assert (link.inertial is None) == (mass == 0.0), link.name
            if link.inertial is not None:
                found = body_of(link.inertial)
                close(found.mass, mass)
                close(found.center, center)
                assert np.abs(found.inertia - tensor).max() <= 1e-6 * np.abs(tensor).max() + 1e-15
    return robot


def check_frames(robot: Robot, compiled: Compiled, numbers: Any) -> None:
    tree = retrace_tree(robot)
    given: dict[str, Any] = {}
    for index, motion in enumerate(tree.joint_motions):
        name, number = motion.joint.name, float(numbers[index % len(numbers)])
        if motion.is_scalar and name in compiled.names("joint"):
            given[name] = number
        elif motion.is_scalar:  # One without a name stays where MuJoCo begins.
            given[name] = 0.0
        elif motion.kind == "spherical":
            turn = np.array([number, 0.3, -0.2, 1.0])
            given[name] = tuple(turn / np.linalg.norm(turn))
    positions = complete_positions(tree.joint_motions, given)
    theirs = {
        name: position if isinstance(position, float) else [position[3], *position[:3]]
        for name, position in positions.items()
        if name in compiled.names("joint")
    }
    shown, found = compiled.frames(theirs), forward_kinematics(robot, given)
    shared = shown.keys() & found.keys()
    assert shared
    for name in shared:
        close(found[name], shown[name])


# Models of all kinds

_NUMBER = st.floats(-1, 1).map(lambda number: round(number, 3))
_VECTOR = st.tuples(_NUMBER, _NUMBER, _NUMBER)
_AXIS = _VECTOR.filter(lambda axis: sum(part * part for part in axis) > 0.01)


def written(numbers: Any) -> str:
    return " ".join(map(repr, numbers))


_TURNS = st.one_of(
    st.just(""),
    _VECTOR.map(lambda v: f'euler="{written(v)}"'),
    st.tuples(_AXIS, _NUMBER).map(lambda v: f'axisangle="{written((*v[0], v[1]))}"'),
    st.tuples(_AXIS, _NUMBER).map(lambda v: f'quat="{written((v[1], *v[0]))}"'),
    _AXIS.map(lambda v: f'zaxis="{written(v)}"'),
    _AXIS.map(lambda v: f'xyaxes="{written(v)} {v[1] + 2} {v[2] - 3} {v[0]}"'),
)
_PLACES = st.tuples(_VECTOR, _TURNS).map(lambda v: f'pos="{written(v[0])}" {v[1]}')


def places() -> st.SearchStrategy[str]:
    """Where an element stands, in all spellings."""
    return _PLACES


@st.composite
def joints(draw: Any) -> str:
    text = ""
    for number in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["hinge", "slide", "ball"][: 2 if number else 3]))
        place = f'pos="{written(draw(_VECTOR))}"' if kind != "slide" else ""
        axis = f'axis="{written(draw(_AXIS))}"' if kind != "ball" else ""
        ref = f'ref="{draw(_NUMBER)}"' if kind != "ball" and draw(st.booleans()) else ""
        text += f'<joint name="jID_{number}" type="{kind}" {place} {axis} {ref}/>'
        if kind == "ball":
            break
    return text


_GEOMS = st.one_of(
    _PLACES.map(lambda place: f'<geom size="0.1" {place}/>'),
    _PLACES.map(lambda place: f'<geom type="box" size="0.1 0.2 0.3" {place} shellinertia="true"/>'),
    _PLACES.map(lambda place: f'<geom size="0.1" {place} group="2"/><geom size="0.2"/>'),
    _PLACES.map(lambda place: f'<geom type="box" size="0.1 0.2 0.3" {place} density="500"/>'),
    _PLACES.map(lambda place: f'<geom type="capsule" size="0.1 0.2" {place} mass="2"/>'),
    _PLACES.map(lambda place: f'<geom type="ellipsoid" size="0.1 0.2 0.4" {place}/>'),
    _PLACES.map(lambda place: f'<geom class="tube" {place}/>'),
    st.tuples(_AXIS, st.sampled_from(["capsule", "cylinder", "box"])).map(
        lambda v: f'<geom type="{v[1]}" size="0.05" fromto="0.5 0 0 {written(v[0])}"/>'
    ),
    _PLACES.map(
        lambda place: f'<inertial mass="3" diaginertia="0.2 0.3 0.4" {place}/><geom size="0.1"/>'
    ),
)


_COMPILERS = st.sampled_from(
    [
        "",
        'boundmass="0.7" boundinertia="0.01"',
        'balanceinertia="true" inertiafromgeom="true"',
        'balanceinertia="true" settotalmass="7"',
        'inertiagrouprange="0 1"',
        'autolimits="false" discardvisual="true"',
    ]
)


@st.composite
def models(draw: Any) -> str:
    def make(depth: int, path: str) -> str:
        content = draw(joints()).replace("ID", path) + draw(_GEOMS)
        if depth < 3:
            for number in range(draw(st.integers(0, 2))):
                below = make(depth + 1, f"{path}{number}")
                around = draw(st.sampled_from(["", "frame", "replicate"]))
                if around == "frame":
                    below = f"<frame {draw(_PLACES)}>{below}</frame>"
                if around == "replicate":
                    turn = f'euler="{written(draw(_VECTOR))}" offset="{written(draw(_VECTOR))}"'
                    below = f'<replicate count="2" sep="_" {turn}>{below}</replicate>'
                content += below
        return f'<body name="b{path}" {draw(_PLACES)}>{content}</body>'

    angle = draw(st.sampled_from(["degree", "radian"]))
    sequence = draw(st.sampled_from(["xyz", "XYZ", "zyx", "xYz", "ZXZ"]))
    tube = '<default class="tube"><geom type="cylinder" size="0.1 0.3"/></default>'
    more = draw(_COMPILERS)
    settings_of = f'<compiler angle="{angle}" eulerseq="{sequence}" {more}/>'
    settings_of += f"<default>{tube}</default>"
    return f"{settings_of}<worldbody>{make(0, 'r')}</worldbody>"
