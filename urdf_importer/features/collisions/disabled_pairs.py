# SPDX-License-Identifier: GPL-3.0-or-later
"""Which links need no look for collisions: read or extract -> load shapes -> draw poses -> test."""

from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

from ...core.arguments import diagnostics_of, options_of
from ...core.diagnostics import Diagnostics
from ...core.kinematics.tree import retrace_tree
from ...core.model import CollisionPair, Robot, Semantics
from ...core.options import FileOptions
from ...core.pipeline.opening import open_export, open_scene
from ...core.progress import Progress, finish
from .matrix import find_pairs
from .parts import load_parts
from .testers import CoalTester, Tester, TriangleTester, find_coal

COMPUTED = ("Adjacent", "Default", "Always", "Never")
"""The reasons that find_disabled_collisions gives; pairs for other reasons are someone's choice."""


def find_disabled_collisions(
    robot: Robot | Any,
    *,
    samples: int = 10_000,
    seed: int = 0,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> tuple[CollisionPair, ...]:
    """Returns the pairs of links that a planner can skip, with their reasons:
    Adjacent, Default, Always or Never, as MoveIt's setup assistant finds them; in alphabetical
    order.

    `robot` is a description, or the armature of an imported robot, whose shapes are taken as the
    scene has them. `samples` poses are drawn within limits, the same for the same `seed`; `options`
    say where mesh files are. Without the library coal the triangles of meshes and round shapes are
    tested, which takes longer, and `diagnostics` get a warning.

    Raises KinematicsError where the robot is not a tree; BuildError for an object that is not an
    imported robot.
    """
    return finish(collision_steps(robot, samples, seed, options, diagnostics))


def collision_steps(
    robot: Robot | Any,
    samples: int = 10_000,
    seed: int = 0,
    options: FileOptions | None = None,
    diagnostics: Diagnostics | None = None,
) -> Generator[Progress, None, tuple[CollisionPair, ...]]:
    """Runs find_disabled_collisions in steps, for progress bars."""
    yield Progress(share=0.0, text="shapes")
    diagnostics = diagnostics_of(diagnostics)
    tester = find_tester(diagnostics)
    with open_scene(open_export(robot, options_of(options, FileOptions), diagnostics)) as opened:
        tree = retrace_tree(opened.robot)
        parts = load_parts(opened.robot.links, opened.files)
    return (yield from find_pairs(tree, parts, tester, samples, seed))


def disable_steps(
    robot: Robot | Any,
    semantics: Semantics,
    drawn: tuple[int, int],
    options: FileOptions,
    diagnostics: Diagnostics,
) -> Generator[Progress, None, Semantics]:
    """Returns, in steps, an SRDF with the pairs of a robot as find_disabled_collisions finds them,
    in place of its computed ones; `drawn` are the number of poses and the seed."""
    pairs = yield from collision_steps(robot, *drawn, options, diagnostics)
    return replace_disabled(semantics, pairs)


def replace_disabled(semantics: Semantics, pairs: Iterable[CollisionPair]) -> Semantics:
    """Returns an SRDF with these pairs in place of the pairs that were computed before. Pairs that
    are disabled for other reasons stay, and count before computed ones."""
    kept = [pair for pair in semantics.disabled_collisions if pair.reason not in COMPUTED]
    before = {
        frozenset((pair.link1, pair.link2)): pair
        for pair in semantics.disabled_collisions
        if pair.reason in COMPUTED
    }
    chosen = {frozenset((pair.link1, pair.link2)) for pair in kept}
    found = []
    for pair in pairs:
        names = frozenset((pair.link1, pair.link2))
        old = before.get(names)
        if names not in chosen:
            found.append(pair if old is None else replace(old, reason=pair.reason))
    return replace(semantics, disabled_collisions=(*kept, *found))


def find_tester(diagnostics: Diagnostics) -> Tester:
    """Finds the tester of shapes: coal, else Blender, else numpy."""
    coal = find_coal()
    if coal is not None:
        return CoalTester(coal)
    diagnostics.warning(
        "without-coal",
        "the library coal is not installed: round shapes are taken as polygons of 32 sides, and "
        "checks take longer; pip install 'urdf-importer[collisions]'",
    )
    try:
        from .blender.links import BvhTester
    except ImportError:
        return TriangleTester()
    return BvhTester()
