# SPDX-License-Identifier: GPL-3.0-or-later
"""Bullet, the engine inside of Blender: a scene of its own with bodies, joints and motors.

Rules that were measured, and hold in Blender 4.2 to 5.3:

* The centre of mass is the object's origin, and the inertia comes from the shape: bodies are boxes
  that have the right inertia and touch nothing, and each carries a second one that touches.
* The objects of a body become members of the world by being linked to its collection.
* Joints are made in the second frame of a run, from the places that the bodies have then. Bodies
  that are moved by hand until the fourth can leave that pose without any speed.
* Hinges turn about their Z and have their limits negated; sliders slide along X; a motor is a
  constraint of its own along X, its speed negated, its "impulse" a force or a torque.
* A running motor gets its speed by its evaluated object: a change of the object itself has Blender
  free the constraint while the world still uses it.
* Bullet lets go of its joints in one more frame before the scene goes: a joint that Blender frees
  with the scene still holds its bodies, which then write into freed memory and crash it later.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import mathutils
import numpy as np
from numpy.typing import NDArray

from ....core.geometry.transforms import Matrix, Vector, make_frame, turn_z_onto
from ....core.model import Box, Capsule, Cylinder, Sphere
from ...collisions.parts import TestedPart
from ...motion.trajectory import Numbers
from ..shapes import Solid
from ..states import Experiment

Faces = NDArray[np.int64]
BulletShape = tuple[str, Matrix, Numbers, Faces]
"""A kind of Blender's shapes, its frame (4, 4) in its body, its points and its faces."""
FIRST = 3
"""The frame in which all bodies begin, at rest."""
_ITERATIONS = 200, 20, 600
"""Of the solver: the least, with 50 legs sink some millimetres into the floor; so many for each
joint, since the force of one goes through all others; and the most, since they take time."""
_LEAST_MASS = 1e-3
"""Blender's own."""
_MOST_POINTS = 512
"""Of a hull; of shapes with more vertices the outermost in as many directions count."""
_FLAT = 1e-3
_OUT_OF_REACH = 1e4
"""m/s or rad/s."""
_NO_FACES: Faces = np.empty((0, 3), dtype=np.int64)
_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_SIDES = np.array(
    [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
)


class BulletWorld:
    """A scene that simulates rigid bodies and holds nothing else. `remove` deletes all of it."""

    def __init__(self, experiment: Experiment, substeps: int) -> None:
        options = experiment.options
        # Bullet multiplies the numbers of both bodies that touch.
        self._pair = options.friction**0.5, options.restitution**0.5
        self._frame = 0
        self._unit = 1.0
        self._bodies: list[Any] = []
        self._constraints: list[Any] = []
        self._collections: list[Any] = []
        self._anchor: Any = None
        self.floor: Any = None
        self.scene = bpy.data.scenes.new("Simulation")
        try:
            self._set_up(experiment.fps, substeps, options.gravity)
        except BaseException:
            self.remove()
            raise

    def _set_up(self, fps: float, substeps: int, gravity: Sequence[float]) -> None:
        scene = self.scene
        scene.render.fps = max(1, round(fps))
        scene.render.fps_base = scene.render.fps / fps
        scene.gravity = gravity
        scene.frame_start = 0
        with bpy.context.temp_override(scene=scene):
            bpy.ops.rigidbody.world_add()
        world = scene.rigidbody_world
        self._collections = [bpy.data.collections.new(scene.name) for _ in range(2)]
        for each in self._collections:
            scene.collection.children.link(each)
        world.collection, world.constraints = self._collections
        world.substeps_per_frame = substeps
        world.point_cache.frame_start = 0
        world.point_cache.frame_end = bpy.types.Scene.bl_rna.properties["frame_end"].hard_max

    def expect(self, lightest: float, joints: int) -> None:
        """Takes units of mass in which the lightest body to come is not below Blender's least, and
        iterations that are mostly enough for so many joints."""
        self._unit = max(1.0, 1.1 * _LEAST_MASS / lightest)
        least, each, most = _ITERATIONS
        self.scene.rigidbody_world.solver_iterations = min(max(least, each * joints), most)

    def add_body(self, frame: Matrix, sides: Vector, mass: float) -> Any:
        """Adds a box of these sides (3,) that moves and touches nothing; returns its object."""
        item = self._add(frame, _CORNERS * sides, _SIDES)
        self._shape(item, "BOX").collision_collections = [False] * 20
        self._weigh(item, mass)
        return item

    def add_compound(
        self, frame: Matrix, shapes: Iterable[BulletShape], mass: float = 0.0, moves: bool = False
    ) -> Any:
        """Adds a body of convex shapes, which touches others; without mass it never moves, unless
        by hand. Against triangles Bullet's friction holds bodies that should slide."""
        item = self._add(frame, _CORNERS * 1e-3, _SIDES)
        for kind, at, points, faces in shapes:
            child = self._add(at, points, faces)
            child.parent = item
            self._shape(child, kind)
        body = self._shape(item, "COMPOUND")
        body.collision_collections = [True] + [False] * 19
        if mass:
            self._weigh(item, mass)
        else:
            body.type, body.kinematic = "PASSIVE", moves
        return item

    def _weigh(self, item: Any, mass: float) -> None:
        item.rigid_body.mass, item.rigid_body.kinematic = mass * self._unit, True

    @property
    def anchor(self) -> Any:
        """A body that never moves and touches nothing."""
        if self._anchor is None:
            self._anchor = self.add_compound(np.eye(4), ())
        return self._anchor

    def add_joint(self, kind: str, frame: Matrix, one: Any, other: Any) -> Any:
        """Adds a constraint of one of Blender's types between two bodies, at a frame (4, 4) of the
        world; returns its object."""
        item = bpy.data.objects.new("joint", None)
        self._constraints.append(item)
        put(item, frame)
        self._collections[1].objects.link(item)
        joint = item.rigid_body_constraint
        joint.type = kind
        joint.object1, joint.object2 = one, other
        joint.disable_collisions = True
        return item

    def add_motor(
        self, frame: Matrix, axis: Vector, pair: tuple[Any, Any], effort: float, *, turns: bool
    ) -> "Motor":
        """Adds a motor about, or along, an axis (3,) in a frame (4, 4) of the world, with its
        greatest effort in N m or N; it holds still until it is run."""
        item = self.add_joint("MOTOR", frame @ turn_x(axis), *pair)
        motor = Motor(self, item, "ang" if turns else "lin", self._unit)
        setattr(item.rigid_body_constraint, f"use_motor_{motor.kind}", True)
        motor.set(item, max_impulse=effort * self._unit, target_velocity=0.0)
        return motor

    def add_spring(
        self, frame: Matrix, axis: Vector, pair: tuple[Any, Any], stiffness: float, *, turns: bool
    ) -> None:
        """Adds a spring of N m/rad or N/m about, or along, an axis (3,) in a frame (4, 4) of the
        world, at rest in the pose in which joints are made."""
        spring = self.add_joint("GENERIC_SPRING", frame @ turn_x(axis), *pair)
        kind = "ang_x" if turns else "x"
        setattr(spring.rigid_body_constraint, f"use_spring_{kind}", True)
        setattr(spring.rigid_body_constraint, f"spring_stiffness_{kind}", stiffness * self._unit)
        setattr(spring.rigid_body_constraint, f"spring_damping_{kind}", 0.0)

    def start(self) -> None:
        """Shows the pose in which joints are made."""
        self._show(0)
        self._show(1)

    def rest(self) -> None:
        """Lets all bodies come to rest where they were put since; then they are free."""
        for frame in range(2, FIRST + 1):
            self._show(frame)
        with self.changing():
            for item in self._bodies:
                if item.rigid_body.type == "ACTIVE" and item.rigid_body.kinematic:
                    item.rigid_body.kinematic = False

    def step(self) -> None:
        """Simulates one frame."""
        self._show(self._frame + 1)

    def changing(self) -> Any:
        """Returns a context in which bodies can be changed: without it Blender would think that
        bodies of the shown scene were."""
        return bpy.context.temp_override(scene=self.scene)

    def read(self, item: Any) -> Matrix:
        """Returns the frame (4, 4) of a body in the world."""
        return np.array(self.evaluate(item).matrix_world)

    def evaluate(self, item: Any) -> Any:
        """Returns the evaluated object of one."""
        return item.evaluated_get(self._graph)

    def remove(self) -> None:
        """Removes all of it."""
        self._remove_joints()
        meshes = [item.data for item in self._bodies]
        bpy.data.scenes.remove(self.scene)
        for group in (self._constraints, self._bodies, meshes, self._collections):
            bpy.data.batch_remove(group)

    def _remove_joints(self) -> None:
        """Has Bullet let go of the joints that it made, while their bodies are there."""
        if self._frame < 1:
            return
        with self.changing():
            for item in self._constraints:
                joint = self.evaluate(item).rigid_body_constraint
                joint.object1 = None
                joint.type = joint.type  # So the next frame checks it, and finds no body.
        self._show(self._frame + 1)

    def _show(self, frame: int) -> None:
        self._frame = frame
        self.scene.frame_set(frame)
        self._graph = self.scene.view_layers[0].depsgraph

    def _add(self, frame: Matrix, points: Numbers, faces: Faces) -> Any:
        mesh = bpy.data.meshes.new("body")
        item = bpy.data.objects.new("body", mesh)
        self._bodies.append(item)
        mesh.from_pydata(points.tolist(), [], faces.tolist())
        put(item, frame)
        self._collections[0].objects.link(item)
        return item

    def _shape(self, item: Any, kind: str) -> Any:
        body = item.rigid_body
        body.collision_shape = kind
        body.use_margin, body.collision_margin = True, 0.0
        body.friction, body.restitution = self._pair
        body.linear_damping = body.angular_damping = 0.0
        body.use_deactivation = False
        return body


@dataclass(frozen=True, slots=True)
class Motor:
    """Gives two bodies a speed, as far as its force or torque is enough."""

    world: BulletWorld
    item: Any
    kind: str
    unit: float

    def run(self, speed: float) -> None:
        """Asks for a speed in rad/s or m/s from now on."""
        self._change(target_velocity=-speed)

    def push(self, effort: float) -> None:
        """Gives a force or torque from now on, by a speed that is out of reach."""
        self._change(max_impulse=effort * self.unit, target_velocity=-_OUT_OF_REACH)

    def _change(self, **numbers: float) -> None:
        with self.world.changing():
            self.set(self.world.evaluate(self.item), **numbers)

    def set(self, item: Any, **numbers: float) -> None:
        """Sets properties of the constraint of an object, by the ends of their names."""
        for name, number in numbers.items():
            setattr(item.rigid_body_constraint, f"motor_{self.kind}_{name}", number)


def put(item: Any, frame: Matrix) -> None:
    """Puts an object, without scale, at a frame (4, 4) in its parent or in the world."""
    matrix = mathutils.Matrix(frame)
    item.rotation_mode = "QUATERNION"
    item.location, item.rotation_quaternion = matrix.to_translation(), matrix.to_quaternion()


def turn_z(axis: Vector) -> Matrix:
    """Returns a frame (4, 4) whose Z is a unit vector (3,)."""
    return make_frame(turn_z_onto(axis))


def turn_x(axis: Vector) -> Matrix:
    """Returns a frame (4, 4) whose X is a unit vector (3,)."""
    return turn_z(axis)[:, [2, 0, 1, 3]]


def outline_part(part: TestedPart, at: Matrix) -> BulletShape:
    """Returns a shape of a link whose frame in the body is `at` (4, 4): primitives in their own
    frame, of the size of the box around them."""
    match part.shape.geometry:
        case Box(size=size):
            sides = np.array(size)
        case Sphere(radius=r):
            sides = np.full(3, 2.0 * r)
        case Cylinder(radius=r, length=length):
            sides = np.array((2.0 * r, 2.0 * r, length))
        case Capsule(radius=r, length=length):
            sides = np.array((2.0 * r, 2.0 * r, length + 2.0 * r))
        case _:
            return "CONVEX_HULL", at, _thin_out(part.vertices), _NO_FACES
    kind = type(part.shape.geometry).__name__.upper()
    return kind, at @ part.origin, _CORNERS * sides, _SIDES


def outline_solid(solid: Solid) -> BulletShape:
    """Returns a shape of an object of the scene, in its own frame."""
    if solid.size is None or solid.frame is None:
        return "CONVEX_HULL", np.eye(4), _thin_out(solid.vertices), _NO_FACES
    return "BOX", solid.frame, _CORNERS * (2.0 * solid.size), _SIDES


def _thin_out(points: Numbers) -> Numbers:
    """Returns fewer points with the same hull, but for curves; flat shapes get a depth."""
    if len(points) > _MOST_POINTS:
        points = points[np.unique((points @ _directions().T).argmax(axis=0))]
    middle = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(middle, full_matrices=True)
    extents = np.ptp(middle @ axes.T, axis=0)
    for axis in axes[extents < _FLAT * extents.max()]:
        shift = 0.5 * _FLAT * extents.max() * axis
        points = np.concatenate([points + shift, points - shift])
    return points


def _directions() -> Numbers:
    """Returns unit vectors (n, 3), evenly around, and the six along the axes."""
    steps = np.arange(_MOST_POINTS) + 0.5
    heights = 1.0 - 2.0 * steps / _MOST_POINTS
    angles = np.pi * (1.0 + 5.0**0.5) * steps
    flat = np.sqrt(1.0 - heights**2)
    around = np.column_stack([flat * np.cos(angles), flat * np.sin(angles), heights])
    return np.concatenate([around, np.eye(3), -np.eye(3)])
