# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample person, and the same person as other programs would have them."""

from dataclasses import replace

import numpy as np

from support.paths import ROOT
from urdf_importer import Diagnostics
from urdf_importer.core.geometry.transforms import rotation_from_rpy, rotations_about
from urdf_importer.features.retargeting.bvh import read_bvh
from urdf_importer.features.retargeting.person import Person

SAMPLE = ROOT / "sample_urdfs" / "walk_and_wave.bvh"


def sample_person() -> Person:
    return read_bvh(str(SAMPLE), Diagnostics())


def long_person(seconds: float) -> Person:
    """The sample there and back until so much time is full."""
    person = sample_person()
    last = len(person.points) - 1
    rows = np.arange(round(seconds * person.rate))
    rows = np.abs((rows + last) % (2 * last) - last)
    return replace(person, points=person.points[rows], turns=person.turns[rows])


def nameless(person: Person) -> Person:
    return replace(
        person, names=tuple(f"b{n}" if name else "" for n, name in enumerate(person.names))
    )


def turned(person: Person) -> Person:
    """Somewhere else, looking another way, in inches."""
    turn = rotation_from_rpy((0.0, 0.0, 2.0))
    points = person.points @ turn.T / 2.54 + [300.0, -120.0, 40.0]
    return replace(person, points=points, turns=turn @ person.turns)


def with_empty_bones(person: Person) -> Person:
    """With bones of no length above each bone, as some skeletons have them at hips and neck."""
    names: list[str] = []
    parents: list[int] = []
    places: list[int] = []
    new: dict[int, int] = {-1: -1}
    for bone, (name, parent) in enumerate(zip(person.names, person.parents, strict=True)):
        above = new[parent]
        if name.endswith(("UpLeg", "Neck", "Shoulder")):
            names.append(f"{name}Joint")
            parents.append(above)
            places.append(parent)
            above = len(names) - 1
        names.append(name)
        parents.append(above)
        places.append(bone)
        new[bone] = len(names) - 1
    return replace(
        person,
        names=tuple(names),
        parents=tuple(parents),
        points=person.points[:, places],
        turns=person.turns[:, places],
    )


def with_twist_bones(person: Person) -> Person:
    """With upper arms and thighs in two pieces, as game engines have them."""
    names, parents, points = list(person.names), list(person.parents), [person.points]
    for bone, name in enumerate(person.names):
        if name.endswith(("ForeArm", "Leg")) and "Up" not in name:
            parent = person.parents[bone]
            points.append((person.points[:, [bone]] + person.points[:, [parent]]) / 2)
            names.append(f"{name}Twist")
            parents.append(parent)
            parents[bone] = len(names) - 1
    return _in_order(_with_more(person, names, parents, points))


def _with_more(
    person: Person, names: list[str], parents: list[int], points: list[np.ndarray]
) -> Person:
    """With more bones, which do not turn."""
    still = np.zeros((len(person.points), len(names) - len(person.names), 3, 3)) + np.eye(3)
    return replace(
        person,
        names=tuple(names),
        parents=tuple(parents),
        points=np.concatenate(points, axis=1),
        turns=np.concatenate([person.turns, still], axis=1),
    )


def noisy(person: Person) -> Person:
    noise = np.random.default_rng(3).normal(scale=0.15, size=person.points.shape)
    return replace(person, points=person.points + noise)


def _in_order(person: Person) -> Person:
    """Parents first."""
    order: list[int] = []

    def add(bone: int) -> None:
        order.append(bone)
        for child, parent in enumerate(person.parents):
            if parent == bone:
                add(child)

    for root in (bone for bone, parent in enumerate(person.parents) if parent < 0):
        add(root)
    new = {bone: place for place, bone in enumerate(order)} | {-1: -1}
    return replace(
        person,
        names=tuple(person.names[bone] for bone in order),
        parents=tuple(new[person.parents[bone]] for bone in order),
        points=person.points[:, order],
        turns=person.turns[:, order],
    )


def dog() -> Person:
    """A dog that trots on the spot and forward: diagonal legs together."""
    times = np.arange(0.0, 3.0, 1.0 / 30.0)
    names = ["hips", "spine", "chest", "head", ""]
    parents = [-1, 0, 1, 2, 3]
    way = np.column_stack([0.5 * times, 0 * times, 0.5 + 0 * times])
    points = [
        way + np.array([x, 0.0, z])
        for x, z in ((0, 0), (0.3, 0), (0.55, 0), (0.75, 0.1), (0.9, 0.1))
    ]
    for side, y in (("Left", 0.1), ("Right", -0.1)):
        for name, bone, x in (("Hind", 0, 0.0), ("Front", 2, 0.55)):
            phase = np.pi * ((y > 0) == (x > 0))
            swing = np.sin(2 * np.pi * times * 1.5 + phase)
            lift = np.maximum(np.cos(2 * np.pi * times * 1.5 + phase), 0.0)
            root = way + np.array([x, y, -0.02])
            paw = np.column_stack([way[:, 0] + x + 0.08 * swing, 0 * times + y, 0.02 + 0.06 * lift])
            middle = (root + paw) / 2 + [-0.08, 0.0, 0.0]
            first = len(names)
            names += [f"{side}{name}Leg", f"{side}{name}Shin", f"{side}{name}Foot", ""]
            parents += [bone, first, first + 1, first + 2]
            points += [root, middle, paw, paw + np.array([0.05, 0.0, -0.02])]
    still = np.zeros((len(times), len(names), 3, 3)) + np.eye(3)
    return Person(
        names=tuple(names),
        parents=tuple(parents),
        points=np.stack(points, axis=1),
        turns=still,
        rate=30.0,
    )


def with_fingers(person: Person) -> tuple[Person, np.ndarray]:
    """With five fingers of three bones on each hand, which close and open; the person, and how far
    each piece is bent against the one before it, in radians (m)."""
    names, parents, points = list(person.names), list(person.parents), [person.points]
    closed = 0.6 - 0.6 * np.cos(np.arange(len(person.points)) / 15.0)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        hand = names.index(f"{side}Hand")
        wrist = person.points[:, hand]
        along = wrist - person.points[:, names.index(f"{side}ForeArm")]
        size = np.linalg.norm(along, axis=1, keepdims=True)
        along = along / size
        across = np.cross(along, [0.2, 0.3, 1.0])
        across = sign * across / np.linalg.norm(across, axis=1, keepdims=True)
        normal = sign * np.cross(along, across)
        for number, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
            apart = 0.35 - 0.12 * number
            place = wrist + size * (0.35 if number else 0.1) * along + size * apart * across
            above = hand
            for piece in range(4):
                points.append(place[:, None])
                names.append(f"{side}Hand{finger}{piece + 1}" if piece < 3 else "")
                parents.append(above)
                above = len(names) - 1
                turn = (closed * (piece + 0.5))[:, None]
                place = place + 0.12 * size * (np.cos(turn) * along + np.sin(turn) * normal)
    return _in_order(_with_more(person, names, parents, points)), closed


def on_toes(person: Person) -> Person:
    """With heels that rise beyond upright in each swing, as at the end of a fast step."""
    points, turns = person.points.copy(), person.turns.copy()
    for side in ("Left", "Right"):
        foot, toe = person.names.index(f"{side}Foot"), person.names.index(f"{side}Toe")
        across = person.points[:, person.names.index("LeftUpLeg")]
        across = across - person.points[:, person.names.index("RightUpLeg")]
        height = points[:, foot, 2] - points[:, foot, 2].min()
        turn = rotations_about(
            across / np.linalg.norm(across, axis=1, keepdims=True), 2.2 * height / height.max()
        )
        for bone in (toe, *(n for n, parent in enumerate(person.parents) if parent == toe)):
            away = (points[:, bone] - points[:, foot])[:, :, None]
            points[:, bone] = points[:, foot] + (turn @ away)[:, :, 0]
        turns[:, foot] = turn @ turns[:, foot]
    return replace(person, points=points, turns=turns)
