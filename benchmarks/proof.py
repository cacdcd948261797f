# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults planted in public robots that `check` finds, its false alarms on robots as they are, and
its time against reading; honest exports that a proof lets pass, and damaged ones that it does not.

    .venv/bin/python benchmarks/proof.py [lint] [time] [exports]
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from urdf_importer import (
    Diagnostic,
    Diagnostics,
    EngineOptions,
    FileOptions,
    ImportOptions,
    LintOptions,
    Proof,
    ProofOptions,
    Robot,
    RobotError,
    check_robot,
    export_robot,
    prove_export,
    read_robot,
)
from urdf_importer.core.model import Joint, Limit, Link, Mesh, Pose

HOME = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share")
ROBOTS = HOME / "example-robot-data" / "robots"
READING = ImportOptions(package_paths=(str(HOME),))
LINTING = LintOptions(package_paths=(str(HOME),))

Plant = Callable[[Robot, str], Robot]


def public_robots() -> list[Path]:
    """Lists the URDFs of example-robot-data."""
    return sorted(ROBOTS.rglob("*.urdf"))


def open_robot(name: str) -> Robot:
    """Reads a robot by the end of its path."""
    return read_robot(
        next(each for each in public_robots() if str(each).endswith(name)), options=READING
    )


def edit_link(robot: Robot, name: str, edit: Callable[[Link], Link]) -> Robot:
    """Returns the robot with one other link."""
    assert any(link.name == name for link in robot.links), name
    links = tuple(edit(link) if link.name == name else link for link in robot.links)
    return replace(robot, links=links)


def edit_joint(robot: Robot, name: str, edit: Callable[[Joint], Joint]) -> Robot:
    """Returns the robot with one other joint."""
    assert any(joint.name == name for joint in robot.joints), name
    joints = tuple(edit(joint) if joint.name == name else joint for joint in robot.joints)
    return replace(robot, joints=joints)


def mass_times(factor: float) -> Plant:
    """A mass in another unit, and not its inertia."""

    def edit(link: Link) -> Link:
        assert link.inertial is not None and link.inertial.mass is not None
        return replace(link, inertial=replace(link.inertial, mass=link.inertial.mass * factor))

    return lambda robot, name: edit_link(robot, name, edit)


def inertia_times(factor: float) -> Plant:
    """An inertia in another unit."""

    def edit(link: Link) -> Link:
        assert link.inertial is not None and link.inertial.inertia is not None
        old = link.inertial.inertia
        new = {k: getattr(old, k) * factor for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        return replace(link, inertial=replace(link.inertial, inertia=replace(old, **new)))

    return lambda robot, name: edit_link(robot, name, edit)


def centre_times(factor: float) -> Plant:
    """A centre of mass in millimetres."""

    def edit(link: Link) -> Link:
        assert link.inertial is not None
        x, y, z = (each * factor for each in link.inertial.origin.xyz)
        origin = replace(link.inertial.origin, xyz=(x, y, z))
        return replace(link, inertial=replace(link.inertial, origin=origin))

    return lambda robot, name: edit_link(robot, name, edit)


def mesh_times(factor: float, where: str = "visuals") -> Plant:
    """A mesh in another unit."""

    def edit(link: Link) -> Link:
        found = []
        for shape in getattr(link, where):
            assert isinstance(shape.geometry, Mesh)
            x, y, z = (each * factor for each in shape.geometry.scale)
            found.append(replace(shape, geometry=replace(shape.geometry, scale=(x, y, z))))
        return replace(link, **{where: tuple(found)})

    return lambda robot, name: edit_link(robot, name, edit)


def move_collision(x: float) -> Plant:
    """Collision shapes elsewhere."""

    def edit(link: Link) -> Link:
        found = [
            replace(each, origin=replace(each.origin, xyz=(x, *each.origin.xyz[1:])))
            for each in link.collisions
        ]
        return replace(link, collisions=tuple(found))

    return lambda robot, name: edit_link(robot, name, edit)


def turn(rpy: tuple[float, float, float], where: str = "visuals") -> Plant:
    """Angles of shapes in degrees."""

    def edit(link: Link) -> Link:
        found = [
            replace(each, origin=replace(each.origin, rpy=rpy)) for each in getattr(link, where)
        ]
        return replace(link, **{where: tuple(found)})

    return lambda robot, name: edit_link(robot, name, edit)


def change(**fields: Any) -> Plant:
    """Other fields of a joint."""
    return lambda robot, name: edit_joint(robot, name, lambda joint: replace(joint, **fields))


def limit(**fields: Any) -> Plant:
    """Other limits."""

    def edit(joint: Joint) -> Joint:
        return replace(joint, limit=replace(joint.limit or Limit(), **fields))

    return lambda robot, name: edit_joint(robot, name, edit)


def follow(**fields: Any) -> Plant:
    """Another follower."""

    def edit(joint: Joint) -> Joint:
        assert joint.mimic is not None
        return replace(joint, mimic=replace(joint.mimic, **fields))

    return lambda robot, name: edit_joint(robot, name, edit)


_DEGREES = Pose(xyz=(0.0, 0.0, 0.333), rpy=(90.0, 0.0, 0.0))
_PANDA, _UR5, _GO2, _TALOS, _TIAGO = (
    "panda.urdf", "ur5_robot.urdf", "go2.urdf", "talos_full_v2.urdf", "tiago.urdf"
)  # fmt: skip
FAULTS: tuple[tuple[str, str, Plant, tuple[str, ...]], ...] = (
    (_PANDA, "panda_link3", mass_times(1000.0), ("density-unlikely",)),
    (_UR5, "upper_arm_link", mass_times(1000.0), ("density-unlikely",)),
    (_GO2, "FL_thigh", mass_times(1000.0), ("density-unlikely", "unlike-its-side")),
    (_TALOS, "torso_2_link", mass_times(1000.0), ("density-unlikely",)),
    (_PANDA, "panda_link2", inertia_times(1e6), ("inertia-unlikely",)),
    (_UR5, "forearm_link", inertia_times(1e6), ("inertia-unlikely",)),
    (_GO2, "base", inertia_times(1e3), ("inertia-unlikely",)),
    (_TALOS, "leg_left_4_link", inertia_times(1e6), ("inertia-unlikely",)),
    (_PANDA, "panda_link4", inertia_times(1e-6), ("inertia-unlikely",)),
    (_UR5, "upper_arm_link", inertia_times(1e-6), ("inertia-unlikely",)),
    (_PANDA, "panda_link1", centre_times(1000.0), ("centre-outside",)),
    (_UR5, "forearm_link", centre_times(1000.0), ("centre-outside",)),
    (_GO2, "RL_calf", centre_times(1000.0), ("centre-outside",)),
    (_TALOS, "arm_left_4_link", centre_times(1000.0), ("centre-outside",)),
    (_PANDA, "panda_link5", mesh_times(1000.0), ("mesh-units",)),
    (_UR5, "upper_arm_link", mesh_times(1000.0), ("mesh-units",)),
    (_TALOS, "leg_right_3_link", mesh_times(1000.0), ("mesh-units",)),
    (_PANDA, "panda_link6", mesh_times(0.001), ("mesh-units",)),
    (_UR5, "forearm_link", mesh_times(0.001), ("mesh-units",)),
    (_PANDA, "panda_link0", mesh_times(1000.0, "collisions"), ("mesh-units",)),
    (_UR5, "shoulder_link", mesh_times(12.0, "collisions"), ("collision-unlike-visual",)),
    (_PANDA, "panda_link3", move_collision(1.0), ("collision-unlike-visual",)),
    (_GO2, "FR_thigh", move_collision(0.8), ("collision-unlike-visual",)),
    (_TALOS, "head_2_link", move_collision(1.0), ("collision-unlike-visual",)),
    (_PANDA, "panda_link7", turn((90.0, 0.0, 0.0)), ("angle-in-degrees",)),
    (_UR5, "wrist_1_link", turn((0.0, 180.0, 0.0), "collisions"), ("angle-in-degrees",)),
    (_GO2, "FL_calf", turn((0.0, 0.0, 45.0)), ("angle-in-degrees",)),
    (_PANDA, "panda_joint1", change(origin=_DEGREES), ("angle-in-degrees",)),
    (_PANDA, "panda_joint2", limit(lower=-101.0, upper=101.0), ("limit-in-degrees",)),
    (_UR5, "elbow_joint", limit(lower=-180.0, upper=180.0), ("limit-in-degrees",)),
    (_TALOS, "arm_right_4_joint", limit(lower=-128.0, upper=0.0), ("limit-in-degrees",)),
    (_PANDA, "panda_joint3", limit(effort=-87.0), ("limit-absurd",)),
    (_UR5, "wrist_2_joint", limit(velocity=-3.2), ("limit-absurd",)),
    (_PANDA, "panda_finger_joint2", follow(multiplier=-1.0),
     ("mimic-out-of-range", "gripper-stays-open")),
    (_PANDA, "panda_finger_joint2", follow(offset=0.04), ("mimic-out-of-range",)),
    (_PANDA, "panda_finger_joint2", change(axis=(0.0, 1.0, 0.0)), ("gripper-stays-open",)),
    (_GO2, "FL_thigh_joint", change(axis=(1.0, 0.0, 0.0)), ("unlike-its-side",)),
    (_TALOS, "leg_left_4_joint", change(axis=(1.0, 0.0, 0.0)), ("unlike-its-side",)),
    (_GO2, "RR_calf_joint", change(type="fixed"), ("unlike-its-side",)),
    (_GO2, "RR_calf", mass_times(10.0), ("unlike-its-side",)),
)  # fmt: skip
"""Robot, part, fault, the codes that name it."""


def plant_faults() -> Iterator[tuple[str, bool]]:
    """Yields each planted fault and whether a new finding names it at its part."""
    for robot_name, part, plant, codes in FAULTS:
        robot = open_robot(robot_name)
        before = {_key(item) for item in check_robot(robot, options=LINTING)}
        after = [
            item
            for item in check_robot(plant(robot, part), options=LINTING)
            if _key(item) not in before
        ]
        subjects = {part, *(j.name for j in robot.joints if j.child == part)}
        named = [item for item in after if item.code in codes and item.subject in subjects]
        told = "" if named else f" -> {[(item.code, item.subject) for item in after]}"
        yield f"{robot_name} {part} {codes[0]}{told}", bool(named)


def _key(item: Diagnostic) -> tuple[str, str]:
    return item.code, item.subject


def lint() -> None:
    """Prints faults found and findings of the robots as they are."""
    found = list(plant_faults())
    for name, is_found in found:
        if not is_found:
            print("missed:", name)
    print(f"planted faults: {sum(ok for _, ok in found)} of {len(found)}")
    codes: Counter[str] = Counter()
    robots = with_findings = 0
    for path in public_robots():
        try:
            robot = read_robot(path, options=READING)
        except RobotError as error:
            print(path.name, error)
            continue
        items = [
            item
            for item in check_robot(robot, options=LINTING)
            if not item.lost and item.code != "missing-materials"
        ]
        robots, with_findings = robots + 1, with_findings + bool(items)
        codes.update(item.code for item in items)
    print(f"robots as they are: {robots}, with findings {with_findings}: {dict(codes)}")


_TIMED = """
import sys, time
from urdf_importer import LintOptions, check_robot, read_robot, ImportOptions
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.core.pipeline.files import find_files, open_files
path, folder, judges = sys.argv[1], sys.argv[2], sys.argv[3] == "judge"
import urdf_importer.features.proof.lint
reading, linting = (kind(package_paths=(folder,)) for kind in (ImportOptions, LintOptions))
began = time.process_time()
robot = read_robot(path, options=reading)
if judges:
    check_robot(robot, options=linting)
else:
    files = open_files(find_files(path, linting), Diagnostics(), robot, linting)
    for link in robot.links:
        for shape in link.shapes:
            files.load_or_report(shape, link)
print(time.process_time() - began)
"""


def measure_time() -> None:
    """Prints the CPU seconds of reading a robot with its meshes, and with the check, each in
    processes of their own."""
    for name in (_PANDA, "z1.urdf", "b1-z1.urdf", _UR5, _TALOS, "icub.urdf"):
        path = next(each for each in public_robots() if str(each).endswith(name))
        spent = []
        for what in ("load", "judge"):
            run = [sys.executable, "-c", _TIMED, str(path), str(HOME), what]
            spent.append(
                min(
                    float(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
                    for _ in range(3)
                )
            )
        load, judged = spent
        print(
            f"{name:24} read and load {load:.3f} s, with check {judged:.3f} s: {judged / load:.2f}"
        )


def swap_inertia(robot: Robot, name: str) -> Robot:
    """The inertias about two axes changed over."""

    def edit(link: Link) -> Link:
        assert link.inertial is not None and link.inertial.inertia is not None
        old = link.inertial.inertia
        new = replace(old, ixx=old.izz, izz=old.ixx)
        return replace(link, inertial=replace(link.inertial, inertia=new))

    return edit_link(robot, name, edit)


def lose_link(robot: Robot, name: str) -> Robot:
    """A link at the end lost, with the joint above it."""
    return replace(
        robot,
        links=tuple(link for link in robot.links if link.name != name),
        joints=tuple(joint for joint in robot.joints if joint.child != name),
    )


def other_mesh(file: str) -> Plant:
    """The mesh of another link."""

    def edit(link: Link) -> Link:
        found = []
        for shape in link.collisions:
            assert isinstance(shape.geometry, Mesh)
            name = shape.geometry.filename.rpartition("/")[0] + "/" + file
            found.append(replace(shape, geometry=replace(shape.geometry, filename=name)))
        return replace(link, collisions=tuple(found))

    return lambda robot, name: edit_link(robot, name, edit)


_MOVED = Pose(xyz=(0.0, 0.0, 0.334))
DAMAGES: tuple[tuple[str, Plant, tuple[str, ...]], ...] = (
    ("panda_joint1", change(origin=_MOVED), ("frame",)),
    ("panda_link3", mass_times(1.01), ("mass",)),
    ("panda_joint5", change(type="continuous"), ("range",)),
    ("panda_joint2", limit(upper=1.7), ("range",)),
    ("panda_hand_tcp", lose_link, ("link",)),
    ("panda_rightfinger", lose_link, ("link", "mass")),
    ("panda_link2", swap_inertia, ("inertia",)),
    ("panda_finger_joint2", follow(offset=0.005), ("frame",)),
    ("panda_finger_joint2", follow(multiplier=0.5), ("frame",)),
    ("panda_link5", mesh_times(1.01), ("box",)),
    ("panda_link4", other_mesh("link5.stl"), ("box",)),
    ("panda_joint4", change(axis=(0.0, 0.0, -1.0)), ("frame",)),
    ("panda_joint3", limit(effort=10.0), ("effort",)),
    ("panda_link6", centre_times(1.1), ("centre",)),
    ("panda_joint6", change(type="fixed"), ("joint", "range", "frame")),
)


def export(robot: Robot, path: Path) -> Diagnostics:
    """Writes a robot, and returns the diagnostics."""
    places: Any = {"package_paths": (str(HOME),)}
    is_usd = path.suffix == ".usda"
    options = EngineOptions(engine="isaac", **places) if is_usd else FileOptions(**places)
    told = Diagnostics()
    export_robot(robot, path, options=options, diagnostics=told)
    return told


def prove(robot: Robot, path: Path, told: Diagnostics) -> tuple[Proof, float]:
    """Proves a file; returns also the CPU seconds, of child processes too."""
    began = sum(os.times()[:4])
    options = ProofOptions(package_paths=(str(HOME),))
    found = prove_export(robot, path, options=options, diagnostics=told)
    return found, sum(os.times()[:4]) - began


SUFFIXES = (".urdf", ".sdf", ".xml", ".usda")
PROVEN = (
    "panda.urdf", "ur5_robot.urdf", "pr2.urdf", "talos_full_v2.urdf", "so100.urdf", "so101.urdf",
    "solo12.urdf", "icub.urdf", "a1.urdf", "go2.urdf", "laikago.urdf", "bolt.urdf", "xarm7.urdf",
    "z1.urdf", "kinova.urdf", "tiago.urdf", "allegro_left_hand.urdf", "g1_29dof_rev_1_0.urdf",
    "iris.urdf", "baxter.urdf",
)  # fmt: skip


def exports() -> None:
    """Prints honest exports that hold, and damaged ones that are found at their part."""
    spent: list[float] = []
    held = 0
    for name in PROVEN:
        robot = open_robot("/" + name)
        for suffix in SUFFIXES:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"robot{suffix}")
                proof, seconds = prove(robot, path, export(robot, path))
            held += proof.holds
            spent.append(seconds)
            if not proof.holds:
                print(f"{name} {suffix} does not hold:")
                bad = [row for row in proof.rows if row.outcome == "differs"]
                for row in bad[:8]:
                    print("   ", row.reader, row.what, row.name, row.text)
    print(f"honest exports: {held} of {len(PROVEN) * len(SUFFIXES)} hold")
    mean = sum(spent) / len(spent)
    print(f"CPU of a proof: {min(spent):.2f} to {max(spent):.2f} s, mean {mean:.2f} s")
    robot, found, number = open_robot("/panda.urdf"), 0, 0
    above = {joint.child: joint.name for joint in robot.joints}
    children = {joint.name: joint.child for joint in robot.joints}
    for suffix in SUFFIXES:
        with tempfile.TemporaryDirectory() as folder:
            told = export(robot, Path(folder, f"robot{suffix}"))
        for part, damage, kinds in DAMAGES:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"robot{suffix}")
                export(damage(robot, part), path)
                # A file is damaged after its export, whose messages know nothing of it.
                proof, _ = prove(robot, path, told)
            parts = {part, above.get(part), children.get(part)}
            bad = [row for row in proof.rows if row.outcome == "differs"]
            named = [row for row in bad if row.what in kinds and row.name in parts]
            number += 1
            found += bool(named)
            if not named:
                print("not found:", suffix, part, kinds, [(row.what, row.name) for row in bad][:5])
    print(f"damaged exports: {found} of {number} named at their part")


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["lint", "time", "exports"]
    if "lint" in wanted:
        lint()
    if "time" in wanted:
        measure_time()
    if "exports" in wanted:
        exports()
