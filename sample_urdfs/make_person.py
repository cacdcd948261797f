# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the sample motion of a person beside this file: `python sample_urdfs/make_person.py`.

A person of 22 bones walks around a corner, waves and squats: forward kinematics, with legs that
reach for steps. All of its poses are computed, so it is free of everyone's rights (CC0).
"""

import io
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
THIGH, SHIN, ANKLE, HIP = 0.42, 0.40, 0.08, 0.09
"""Metres: lengths, the height of an ankle above the ground, half the width of the hips."""
STEP, FIRST, LAST = 0.6, 0.8, 5.0
"""Seconds of a step, and when the walk begins and ends."""
SPEED, TURN = 0.75, 1.1
"""Metres a second, and how far the walk turns, in radians."""
SECONDS, RATE = 9.0, 30.0

BONES = {
    "Hips": ("", (0.0, 0.0, 0.0)),
    "Spine": ("Hips", (0.0, 0.0, 0.10)),
    "Spine1": ("Spine", (0.0, 0.0, 0.12)),
    "Spine2": ("Spine1", (0.0, 0.0, 0.12)),
    "Neck": ("Spine2", (0.0, 0.0, 0.22)),
    "Head": ("Neck", (0.0, 0.0, 0.10)),
} | {
    f"{side}{name}": (parent if parent == "Hips" or parent == "Spine2" else f"{side}{parent}", at)
    for side, y in (("Left", 1.0), ("Right", -1.0))
    for name, parent, at in (
        ("UpLeg", "Hips", (0.0, y * HIP, 0.0)),
        ("Leg", "UpLeg", (0.0, 0.0, -THIGH)),
        ("Foot", "Leg", (0.0, 0.0, -SHIN)),
        ("Toe", "Foot", (0.14, 0.0, -0.06)),
        ("Shoulder", "Spine2", (0.0, y * 0.03, 0.16)),
        ("Arm", "Shoulder", (0.0, y * 0.14, 0.0)),
        ("ForeArm", "Arm", (0.0, 0.0, -0.28)),
        ("Hand", "ForeArm", (0.0, 0.0, -0.25)),
    )
}
"""Bone -> its parent, and its head in the parent's frame, x forward and z up, in metres."""
ENDS = {"Head": (0.0, 0.0, 0.18), "Toe": (0.06, 0.0, 0.0), "Hand": (0.0, 0.0, -0.16)}


def about(axis, angles):
    """Returns rotations (m, 3, 3) about the axis x, y or z by angles (m,)."""
    a, b = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    turns = np.tile(np.eye(3), (len(angles), 1, 1))
    turns[:, a, a] = turns[:, b, b] = np.cos(angles)
    turns[:, b, a] = np.sin(angles)
    turns[:, a, b] = -np.sin(angles)
    return turns


def ease(times, first, last):
    """Rises smoothly from 0 at `first` to 1 at `last`."""
    share = np.clip((times - first) / (last - first), 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def make_person(times):
    """Returns the rotations of all bones in the world, bone -> (m, 3, 3), and the place of the
    hips (m, 3), at times (m,): x, y and z up, in metres."""
    fine = np.arange(0.0, max(SECONDS, float(times[-1])) + 1.0, 0.002)
    pace = SPEED * (ease(fine, FIRST, FIRST + 0.8) - ease(fine, LAST - 0.8, LAST))
    turned = TURN * ease(fine, 1.8, 3.6)
    road = np.cumsum(np.stack([np.cos(turned), np.sin(turned)], axis=1) * pace[:, None], axis=0)
    road *= 0.002

    def at(when):
        place = np.stack([np.interp(when, fine, column) for column in road.T], axis=-1)
        return place, np.interp(when, fine, turned)

    walking = ease(times, FIRST, FIRST + 0.5) - ease(times, LAST - 0.5, LAST)
    beat = np.pi * (times - FIRST) / STEP
    place, heading = at(times)
    squat = ease(times, 7.2, 8.0) - ease(times, 8.0, 8.8)
    height = THIGH + SHIN + ANKLE - 0.02 - 0.02 * walking - 0.25 * squat
    height = height + 0.008 * walking * np.cos(2.0 * beat)
    hips = np.column_stack([place, height])
    forth = 0.08 * squat
    hips[:, :2] -= forth[:, None] * np.column_stack([np.cos(heading), np.sin(heading)])
    turns = {"Hips": about("z", heading + 0.06 * walking * np.sin(beat))}
    lean = about("y", 0.05 * walking + 0.45 * squat)
    for name in ("Spine", "Spine1", "Spine2", "Neck", "Head"):
        turns[name] = about("z", heading - 0.08 * walking * np.sin(beat)) @ (
            lean if name.startswith("Spine") else about("y", 0.1 * squat)
        )
    for side, y in (("Left", 1.0), ("Right", -1.0)):
        _swing_arm(turns, side, y, times, walking * np.sin(beat) * -y, squat)
        _step(turns, side, y, times, hips, at)
    return turns, hips


def _swing_arm(turns, side, y, times, swing, squat):
    wave = (ease(times, 5.2, 6.0) - ease(times, 6.6, 7.2)) * (side == "Right")
    arm = about("y", -0.15 - 0.4 * swing - 1.1 * squat) @ about("x", y * (0.22 + 1.4 * wave))
    bend = 0.35 + 0.25 * np.abs(swing) + 1.2 * wave + 0.3 * np.sin(9.0 * times) * wave
    turns[f"{side}Shoulder"] = turns["Spine2"]
    turns[f"{side}Arm"] = turns["Spine2"] @ arm @ about("z", -y * 1.3 * wave)
    turns[f"{side}ForeArm"] = turns[f"{side}Arm"] @ about("y", -bend)
    turns[f"{side}Hand"] = turns[f"{side}ForeArm"] @ about("x", y * 0.1 * wave)


def _step(turns, side, y, times, hips, at):
    """Reaches for the steps of one foot with thigh and shin; feet rest flat between them."""
    lifts = np.arange(FIRST + (0.0 if side == "Left" else STEP), LAST, 2.0 * STEP)
    lands = lifts + STEP
    where, facing = at(np.concatenate([[0.0], lands + 0.5 * STEP]))
    aside = np.stack([-np.sin(facing), np.cos(facing)], axis=1)
    steps = where + y * HIP * aside
    share = np.stack([ease(times, a, b) for a, b in zip(lifts, lands, strict=True)])
    foot = steps[0] + np.einsum("km,kc->mc", share, np.diff(steps, axis=0))
    yaw = facing[0] + np.diff(facing) @ share
    up = (4.0 * share * (1.0 - share)).sum(axis=0)
    ankle = np.column_stack([foot, ANKLE + 0.10 * up])
    hip = hips + turns["Hips"] @ np.array([0.0, y * HIP, 0.0])
    down = ankle - hip
    reach = np.minimum(np.linalg.norm(down, axis=1), THIGH + SHIN - 1e-4)
    down /= np.linalg.norm(down, axis=1, keepdims=True)
    # The knee is in the plane of the way down and the foot's direction.
    ahead = about("z", yaw)[:, :, 0]
    side_axis = np.cross(-down, ahead)
    side_axis /= np.linalg.norm(side_axis, axis=1, keepdims=True)
    ahead = np.cross(side_axis, -down)
    inner = np.arccos((THIGH**2 + reach**2 - SHIN**2) / (2.0 * THIGH * reach))
    outer = np.arccos((SHIN**2 + reach**2 - THIGH**2) / (2.0 * SHIN * reach))
    straight = np.stack([ahead, side_axis, -down], axis=2)
    turns[f"{side}UpLeg"] = straight @ about("y", -inner)
    turns[f"{side}Leg"] = straight @ about("y", outer)
    turns[f"{side}Foot"] = about("z", yaw) @ about("y", 0.25 * up)
    turns[f"{side}Toe"] = turns[f"{side}Foot"]


def write_bvh(times):
    """Returns the motion as BVH: y up, centimetres, rotations Z, X, Y of each bone in its parent's
    frame."""
    turns, hips = make_person(times)
    to_file = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    text = io.StringIO()
    text.write("HIERARCHY\n")
    columns = [100.0 * hips @ to_file.T]
    _write_bone(text, "Hips", 0, turns, to_file, columns)
    text.write(f"MOTION\nFrames: {len(times)}\nFrame Time: {1.0 / RATE:.7f}\n")
    np.savetxt(text, np.concatenate(columns, axis=1), fmt="%.2f")
    return text.getvalue().replace("-0.00", "0.00")


def _write_bone(text, name, depth, turns, to_file, columns):
    parent, offset = BONES[name]
    tab = "\t" * depth
    x, y, z = 100.0 * to_file @ offset
    places = "" if parent else " Xposition Yposition Zposition"
    text.write(f"{tab}{'JOINT' if parent else 'ROOT'} {name}\n{tab}{{\n")
    text.write(f"{tab}\tOFFSET {x:.1f} {y:.1f} {z:.1f}\n")
    text.write(f"{tab}\tCHANNELS {3 if parent else 6}{places} Zrotation Xrotation Yrotation\n")
    local = turns[name] if not parent else np.swapaxes(turns[parent], 1, 2) @ turns[name]
    m = to_file @ local @ to_file.T
    columns.append(
        np.degrees(
            np.stack(
                [
                    np.arctan2(-m[:, 0, 1], m[:, 1, 1]),
                    np.arcsin(np.clip(m[:, 2, 1], -1.0, 1.0)),
                    np.arctan2(-m[:, 2, 0], m[:, 2, 2]),
                ],
                axis=1,
            )
        )
    )
    for child, (above, _) in BONES.items():
        if above == name:
            _write_bone(text, child, depth + 1, turns, to_file, columns)
    end = ENDS.get(name.removeprefix("Left").removeprefix("Right"))
    if end is not None:
        x, y, z = 100.0 * to_file @ end
        text.write(f"{tab}\tEnd Site\n{tab}\t{{\n")
        text.write(f"{tab}\t\tOFFSET {x:.1f} {y:.1f} {z:.1f}\n{tab}\t}}\n")
    text.write(f"{tab}}}\n")


if __name__ == "__main__":
    text = write_bvh(np.arange(0.0, SECONDS, 1.0 / RATE))
    (HERE / "walk_and_wave.bvh").write_text(text, encoding="utf-8", newline="\n")
