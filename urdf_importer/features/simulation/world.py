# SPDX-License-Identifier: GPL-3.0-or-later
"""The MJCF of a simulation: the robots' own files as they were written, joined, with stiff
constraints, a floor, colliders, motors and the start.

It is text, since MuJoCo itself writes numbers with six digits.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.geometry.transforms import Matrix, quaternion_from_rotation
from ...core.markup.write import Value, XmlWriter, quote_attribute
from .motors import Gains
from .options import SimulationOptions
from .shapes import Solid
from .states import Collider, Experiment, RobotFile, StartedRobot

START = "start"
"""The keyframe in which all begins."""
FLOOR = "scene_floor"
_NAMES = "name|class|childclass|mesh|material|texture|joint[12]?|site[12]?|body[12]?"
_NAMED = re.compile(rf'(?<=\s)((?:{_NAMES})=")')
_FILE = re.compile(r'(?<=\s)file="')
_FOLDERS = re.compile(r'\s(?:meshdir|texturedir)="[^"]*"')
_KEYS = re.compile(r"<keyframe>.*?</keyframe>", re.DOTALL)
_START = re.compile(rf'<key name="{START}" qpos="([^"]*)"')
_HARD = (0.99, 0.999, 0.001, 0.5, 2.0)
_SOFTER = 4
"""Steps in which a contact gives way: at 2, as limits have, a box that slides chatters."""
_RATIOS = 1e-4, 2.0
"""The least and the greatest damping ratio of a contact."""
_SPIN, _ROLL = 0.005, 0.0001


@dataclass(frozen=True, slots=True, kw_only=True)
class Additions:
    """The parts of the file that the first look at the model tells: pairs of bodies that touch at
    the start, motors, and the positions and speeds of all joints at the start; and bodies that
    carry a robot along its keys: robot -> body and its frame (4, 4)."""

    excluded: Sequence[tuple[str, str]] = ()
    motors: Sequence[Gains] = ()
    qpos: Sequence[float] = ()
    qvel: Sequence[float] = ()
    guides: Mapping[str, tuple[str, Matrix]] = field(default_factory=dict)


def name_in_world(experiment: Experiment, robot: StartedRobot, name: str) -> str:
    """Returns the name that a part of a robot has in the file: its own where the robot is alone."""
    return name if len(experiment.robots) == 1 else f"{robot.name}/{name}"


def file_of(robot: StartedRobot) -> RobotFile:
    """Returns a robot as it was written for MuJoCo."""
    assert robot.file is not None
    return robot.file


def read_start(file: RobotFile) -> list[float]:
    """Reads the positions of a robot's joints at the start; none where all are at zero."""
    found = _START.search(file.text)
    return [] if found is None else [float(number) for number in found[1].split()]


def write_world(experiment: Experiment, additions: Additions) -> str:
    """Returns the text of the file, for a folder that has the folders of the robots. Raises
    ValueError for names that XML cannot hold."""
    xml = XmlWriter()
    with xml.element("mujoco", {"model": "simulation"}):
        _write_solver(xml, experiment)
        _write_colliders(xml, experiment)
        for robot in experiment.robots:
            xml.verbatim(_take_content(name_in_world(experiment, robot, ""), file_of(robot)))
        _write_excluded(xml, additions.excluded)
        _write_guides(xml, additions.guides)
        _write_motors(xml, additions.motors)
        if additions.qpos:
            with xml.element("keyframe"):
                control = [motor.target for motor in additions.motors]
                start: dict[str, Value] = {"qpos": additions.qpos, "qvel": additions.qvel}
                xml.leaf("key", {"name": START, **start, "ctrl": control or None})
    return xml.text()


def _write_solver(xml: XmlWriter, experiment: Experiment) -> None:
    """Writes settings: constraints as stiff as the step allows, so that the rig,
    whose limits and followers do not give, can show the result."""
    options = experiment.options
    step = experiment.step
    solver: dict[str, Value] = {"timestep": step, "gravity": options.gravity}
    with xml.element("option", {**solver, "integrator": "implicitfast", "cone": "elliptic"}):
        xml.leaf("flag", {"autoreset": "disable"})
    stiff: dict[str, Value] = {"solref": [2 * step, 1.0], "solimp": _HARD}
    with xml.element("default"):
        friction = [options.friction, _SPIN, _ROLL]
        contact = {**stiff, "solref": _bounce(step, options)}
        xml.leaf("geom", {**contact, "friction": friction})
        xml.leaf("joint", {"solreflimit": stiff["solref"], "solimplimit": _HARD})
        xml.leaf("equality", stiff)


def _bounce(step: float, options: SimulationOptions) -> list[float]:
    """Returns the time and the damping ratio of contacts. A contact is a spring with a damper that
    cannot pull, of 25 steps a period; without restitution it is damped so far that a body keeps 5 %
    of its speed: more would let it sink for longer."""
    ratio = _find_ratio(options.restitution)
    return [_SOFTER * step / min(ratio, 1.0), ratio]


def _find_ratio(restitution: float) -> float:
    """Returns the damping ratio at which a body bounces off with this share of its speed, by
    halving."""
    low, high = _RATIOS
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _rebound(middle) > restitution else (low, middle)
    return low


def _rebound(ratio: float) -> float:
    """Returns the share of its speed that a body has as its contact's force falls to zero (T.
    Schwager and T. Poeschel, Coefficient of restitution and linear-dashpot model revisited, 2007):
    a body lifts off before its spring is as long as at first."""
    root = math.sqrt(abs(1.0 - ratio**2))
    if ratio < 1.0:
        angle = math.atan2(2.0 * ratio * root, 2.0 * ratio**2 - 1.0)
        return math.exp(-ratio / root * angle)
    return math.exp(-ratio / root * math.log((ratio + root) / (ratio - root)))


def _take_content(prefix: str, file: RobotFile) -> str:
    """Returns the elements of a robot's file, its names begun so, for a file of several."""
    begin, end = file.text.index(">", file.text.index("<mujoco")) + 1, file.text.rindex("</mujoco>")
    text = _KEYS.sub("", _FOLDERS.sub("", file.text[begin:end], count=2))
    quoted = quote_attribute(prefix)[1:-1]
    text = _NAMED.sub(lambda found: found[1] + quoted, text)
    folder = quote_attribute(f"{file.folder}/")[1:-1] if file.folder else ""
    return _FILE.sub(lambda found: found[0] + folder, text).strip("\n")


def _write_excluded(xml: XmlWriter, pairs: Sequence[tuple[str, str]]) -> None:
    if pairs:
        with xml.element("contact"):
            for one, other in pairs:
                xml.leaf("exclude", {"body1": one, "body2": other})


def _write_guides(xml: XmlWriter, guides: Mapping[str, tuple[str, Matrix]]) -> None:
    """Writes a body without weight and shape for each robot that its keys move, and welds the robot
    to it: so the base has the speed and the inertia of its way."""
    if guides:
        with xml.element("worldbody"):
            for robot, (_, frame) in guides.items():
                xml.leaf("body", {"name": name_guide(robot), "mocap": "true", **_place(frame)})
        with xml.element("equality"):
            for robot, (body, _) in guides.items():
                xml.leaf("weld", {"body1": name_guide(robot), "body2": body})


def name_guide(robot: str) -> str:
    """Returns the name of the body that carries a robot along its keys."""
    return f"scene guide/{robot}"


def _write_motors(xml: XmlWriter, motors: Sequence[Gains]) -> None:
    if motors:
        with xml.element("actuator"):
            for motor in motors:
                servo: dict[str, Value] = {"biastype": "affine", "gainprm": motor.kp}
                servo |= {"biasprm": [0.0, -motor.kp, -motor.kd]}
                servo |= {"forcerange": [-motor.effort, motor.effort]}
                xml.leaf("general", {"name": motor.joint, "joint": motor.joint, **servo})


def _write_colliders(xml: XmlWriter, experiment: Experiment) -> None:
    """Writes the floor and the scene's objects: still ones in the world, others as bodies that are
    put where they are."""
    with xml.element("asset"):
        for collider in experiment.colliders:
            for name, solid in _name_solids(collider):
                if solid.size is None:
                    xml.leaf("mesh", {"name": name, "vertex": solid.vertices.ravel()})
    with xml.element("worldbody"):
        if experiment.options.floor:
            xml.leaf("geom", {"name": FLOOR, "type": "plane", "size": [0.0, 0.0, 0.05]})
        for collider in experiment.colliders:
            body = name_collider(collider.name)
            moving = {"mocap": "true"} if len(collider.poses) > 1 else {}
            with xml.element("body", {"name": body, **moving, **_place(collider.poses[0])}):
                for name, solid in _name_solids(collider):
                    shape: dict[str, Value] = {"type": "mesh", "mesh": name}
                    if solid.size is not None and solid.frame is not None:
                        shape = {"type": "box", "size": solid.size, **_place(solid.frame)}
                    xml.leaf("geom", shape)


def _name_solids(collider: Collider) -> Iterator[tuple[str, Solid]]:
    for number, solid in enumerate(collider.solids):
        yield f"{name_collider(collider.name)}/{number}", solid


def name_collider(name: str) -> str:
    """Returns the name of the body of a scene's object: no robot's body has it."""
    return f"scene/{name}"


def _place(pose: Matrix) -> dict[str, Value]:
    x, y, z, w = quaternion_from_rotation(pose[:3, :3])
    return {"pos": pose[:3, 3], "quat": [w, x, y, z]}
