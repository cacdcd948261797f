# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's options of exports to game engines."""

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from ....core.diagnostics import WriteError
from ....core.options import (
    Base,
    ExportOptions,
    FixedLinks,
    base_option,
    fixed_links_option,
    option,
)

Engine = Literal["generic", "unreal", "unity", "godot", "isaac", "web"]
Forward = Literal["usual", "z", "x"]
Actions = Literal["active", "all"]
Textures = Literal["embed", "beside", "none"]
UsdContent = Literal["usual", "skin", "physics"]
Approximation = Literal["hull", "decomposition", "mesh"]

_MOST_FRAMES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions(ExportOptions):
    """How a robot becomes a skinned mesh on a skeleton. Every field has a sensible default."""

    GROUPS: ClassVar[tuple[str, ...]] = ("Target", "Motion", "Contents", "USD", "Files")

    engine: Engine = option(
        "generic",
        "Engine",
        "The program that the file is for",
        group="Target",
        choices={
            "generic": "Any program: +X of the robot is the front of the format",
            "unreal": "Unreal Engine: faces +Y, as its mannequins do; one root bone",
            "unity": "Unity: +X of the robot is +Z",
            "godot": "Godot: +X of the robot is +Z, the front of assets",
            "isaac": "Isaac Sim: the robot's own axes, Z up",
            "web": "Web pages with three.js, Babylon.js and others",
        },
    )
    forward: Forward = option(
        "usual",
        "Front",
        "The direction of the robot's +X",
        group="Target",
        choices={
            "usual": "As the engine has it: X for Isaac, Z for other engines",
            "z": "To the front of assets: +Z of glTF, +Y in Unreal",
            "x": "To +X, as ROS has it",
        },
    )
    scale: float = option(
        1.0,
        "Scale",
        "How many times its true size the robot has",
        group="Target",
        bounds=(0.0001, 10_000.0),
    )
    actions: Actions = option(
        "active",
        "Actions",
        "Which motion is written",
        group="Motion",
        choices={
            "active": "The scene's animation: one clip",
            "all": "A clip for each action that moves the robot's joints",
        },
    )
    frames: tuple[float, ...] = option(
        (0.0, 0.0, 0.0),
        "Frames (0 = All)",
        "First and last frame of the clips and the step between frames; zeros: "
        "the actions' own, one by one",
        group="Motion",
        entries="FIRST LAST STEP",
    )
    sockets: bool = option(
        True,
        "Sockets",
        "Make bones of fixed links at the robot's ends too, such as tool frames",
        group="Contents",
    )
    extras: bool = option(
        True,
        "Physics Data",
        "Write joints, masses and collision shapes into a file beside (.physics.json) and, in "
        "glTF, onto the bones",
        group="Contents",
    )
    lods: tuple[float, ...] = option(
        (0.0, 0.0, 0.0),
        "Levels of Detail (0 = None)",
        "Shares of the triangles, such as 1 0.5 0.1, with a level of detail for each share; zeros: "
        "one level with all triangles",
        group="Contents",
        entries="LOD0 LOD1 LOD2",
    )
    textures: Textures = option(
        "embed",
        "Textures",
        "Where images go",
        group="Contents",
        choices={
            "embed": "Into the file, where the format can hold them",
            "beside": "Into files beside it; .glb and .usdz hold them always",
            "none": "Nowhere: colours only",
        },
    )
    usd: UsdContent = option(
        "usual",
        "Content",
        "Content of USD files",
        group="USD",
        choices={
            "usual": "As the engine wants it: physics for Isaac, a skin for other engines",
            "skin": "One mesh on a skeleton, with its motion",
            "physics": "An articulation of rigid bodies and joints with drives, at zero",
        },
    )
    base: Base = base_option("USD", where=", in USD with physics")
    fixed_joints: FixedLinks = fixed_links_option("USD", ", in USD with physics")
    self_collision: bool = option(
        False,
        "Self Collision",
        "Let the parts of the robot collide, in USD with physics",
        group="USD",
    )
    approximation: Approximation = option(
        "hull",
        "Collision Meshes",
        "How simulators take meshes that collide, in USD with physics",
        group="USD",
        choices={
            "hull": "As convex hulls",
            "decomposition": "As several convex pieces, which the simulator makes",
            "mesh": "Unchanged: for robots that do not move",
        },
    )
    drive_frequency: float = option(
        0.0,
        "Drive Frequency",
        "How fast the springs of drives bring joints back, in Hz, critically damped; 0: no "
        "springs, only the damping of the description",
        group="USD",
        bounds=(0.0, 1000.0),
    )

    @property
    def front(self) -> str:
        """The direction of the robot's +X: "x" or "z"."""
        if self.forward == "usual":
            return "x" if self.engine == "isaac" else "z"
        return self.forward

    @property
    def is_articulation(self) -> bool:
        """Whether files of USD hold an articulation: chosen by "usd", or by the engine."""
        return self.usd == "physics" or (self.usd == "usual" and self.engine == "isaac")

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of triangles of each level of detail. Raises WriteError."""
        given = tuple(share for share in self.lods if share != 0.0)
        if not all(0.0 < share <= 1.0 for share in given):
            raise WriteError("levels of detail are shares of the triangles, above 0 and at most 1")
        return given or (1.0,)

    @property
    def chosen_frames(self) -> tuple[float, float, float] | None:
        """First and last frame and step; None for the actions' own. Raises WriteError."""
        if not any(self.frames):
            return None
        first, last, step = (*self.frames, 0.0, 0.0, 0.0)[:3]
        step = step or 1.0
        if not (all(map(math.isfinite, self.frames)) and last >= first and step > 0.0):
            raise WriteError("frames are a first one, a last one not before it, and a step above 0")
        check_count((last - first) / step)
        return first, last, step


def check_count(frames: float) -> None:
    """Raises WriteError for more frames than make sense."""
    if frames > _MOST_FRAMES:
        raise WriteError(
            f"the motion has {frames:.0f} frames, more than the {_MOST_FRAMES} "
            "that can be written; choose fewer"
        )
