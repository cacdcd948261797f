# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages as trees -> samples of joints and poses of frames.

A message's fields decide its kind, so that anything that contains a JointState, a JointTrajectory,
a transform or a pose is understood, under any name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError, quote
from ..gather import MOST_VALUES, FrameBlock, Gathered, SampleBlock, Times
from ..options import MotionOptions
from ..trajectory import KINDS, Numbers, to_nanoseconds
from .commands import Command, join_commands
from .joining import join_poses, join_samples, pack
from .trees import MOST_LEVELS, TRACK_ARRAYS, Tree

_ARRAYS = {
    "positions": ("position", "positions"),
    "velocities": ("velocity", "velocities"),
    "accelerations": ("acceleration", "accelerations"),
    "efforts": ("effort",),
}
_STATES = ("feedback", "actual", "reference", "desired", "output")
_MOST_LETTERS = 1000
_AXES, _TURNS = ("x", "y", "z"), ("x", "y", "z", "w")


@dataclass(frozen=True, slots=True, kw_only=True)
class _When:
    """The messages of a tree: when each was recorded, in nanoseconds, and in which order."""

    logs: Times
    order: Times
    is_static: bool
    origin: str


class Collector:
    """Takes trees, message by message or many of one form at once."""

    def __init__(self, options: MotionOptions, most_joints: int = MOST_VALUES) -> None:
        """Passes over messages of more than `most_joints` joints, and names of more than 1,000
        letters."""
        self._clock = options.clock
        self._most_joints = most_joints
        self._packed = self._packed_frames = 0
        self._gathered = Gathered()
        self._sample_logs: list[Times] = []
        self._frame_logs: list[Times] = []
        self._commands: list[Command] = []

    def collect(
        self, tree: Tree, logs: Times, order: Times, *, is_static: bool = False, origin: str = ""
    ) -> None:
        """Takes (m,) messages of the topic `origin`. Raises ReadError where there is more than can
        be held."""
        when = _When(logs=logs, order=order, is_static=is_static, origin=origin)
        self._find(tree, {}, when, 0)

    def pack(self) -> None:
        """Joins the samples taken since the last time, where messages came one by one: an array for
        a number takes little room, an array for each message much."""
        found = self._gathered
        self._packed = pack(found.samples, self._sample_logs, self._packed, join_samples)
        self._packed_frames = pack(found.frames, self._frame_logs, self._packed_frames, join_poses)

    def finish(self) -> Gathered:
        """Returns the samples found, with the times of stamps, or of recording where these are not
        set. Raises ReadError where there is more than can be held."""
        found = self._gathered
        samples = _set_clock(found.samples, self._sample_logs, self._clock)
        frames = _set_clock(found.frames, self._frame_logs, self._clock)
        result = Gathered(frames=frames)
        for block in join_samples(samples):
            result.add(block)
        for block, interpolation in join_commands(self._commands, self._clock):
            result.add(block)
            if interpolation == "spline":
                result.interpolation = "spline"
        return result

    def _find(self, tree: Tree, header: Tree, when: _When, level: int) -> None:
        """Finds the motions in a tree; `header` is the nearest one above."""
        if level > MOST_LEVELS:
            return
        if isinstance(tree, list):
            for each in tree:
                self._find(each, header, when, level + 1)
        if not isinstance(tree, Mapping):
            return
        header = tree.get("header", header)
        for kind, take in self._takers.items():
            if _has(tree, kind):
                take(self, tree, header, when)
                return
        commands = len(self._commands)
        for each in tree.values():
            self._find(each, header, when, level + 1)
        _follow_each_other(self._commands, commands)

    def _take_state(self, tree: Tree, header: Tree, when: _When) -> None:
        self._add_samples(_texts(tree["name"]), tree, header, when)

    def _take_controller(self, tree: Tree, header: Tree, when: _When) -> None:
        states = (_member(tree, key) for key in _STATES)
        state = next((s for s in states if isinstance(_member(s, "positions"), np.ndarray)), None)
        if state is not None:
            self._add_samples(_texts(tree["joint_names"]), state, header, when)

    def _takes(self, names: tuple[str, ...]) -> bool:
        return 0 < len(names) <= self._most_joints and max(map(len, names)) <= _MOST_LETTERS

    def _add_samples(self, names: tuple[str, ...], tree: Tree, header: Tree, when: _When) -> None:
        count = len(when.logs)
        arrays = {kind: _numbers(tree, kind, count, len(names)) for kind in KINDS}
        positions = arrays.pop("positions")
        if positions is None or not self._takes(names):
            return
        times, order = _stamps(header, count), when.order
        block = SampleBlock(names=names, times=times, order=order, positions=positions, **arrays)
        self._gathered.add(block)
        self._sample_logs.append(when.logs)

    def _take_command(self, tree: Tree, header: Tree, when: _When) -> None:
        points, count, width = tree["points"], len(when.logs), len(_texts(tree["joint_names"]))
        if not (when.origin or isinstance(tree.get("interpolation", ""), str)):
            raise ReadError("its interpolation is not a text: write 'linear' or 'spline'")
        stamps = _stamps(header, count)
        if _are_columns(points):
            times = points["time_from_start"]
            arrays = {kind: _numbers(points, kind, len(times), width) for kind in KINDS}
            self._command(tree, (stamps, when, 0), times, arrays)
        points = points if isinstance(points, list) else []
        after = [_to_times(_member(point, "time_from_start"), count) for point in points]
        stacks = {kind: _stack(points, kind, count, width) for kind in KINDS}
        for row in range(count if points else 0):
            times = np.array([each[row] for each in after], dtype=np.int64)
            arrays = {kind: each if each is None else each[row] for kind, each in stacks.items()}
            self._command(tree, (stamps, when, row), times, arrays)
        self._take_moving_frames(tree, points, stamps, after, when)

    def _command(
        self,
        tree: Tree,
        came: tuple[Times, _When, int],
        times: Times,
        arrays: dict[str, Numbers | None],
    ) -> None:
        names, (stamps, when, row) = _texts(tree["joint_names"]), came
        if arrays["positions"] is None or not self._takes(names):
            return
        self._gathered.count(arrays["positions"].size)
        self._commands.append(
            Command(
                stamp=int(stamps[row]),
                log=int(when.logs[row]),
                order=int(when.order[row]),
                is_linear=_text(tree, "interpolation") == "linear",
                names=names,
                times=times,
                arrays=arrays,
            )
        )

    def _take_moving_frames(
        self, tree: Tree, points: Tree, stamps: Times, after: Sequence[Times], when: _When
    ) -> None:
        """Takes the transforms of points, and the frames that only our own files have."""
        names = _texts(tree["joint_names"])
        for point, later in zip(points, after, strict=True):
            placed = _member(point, "transforms")
            for name, each in zip(names, placed if isinstance(placed, list) else (), strict=False):
                self._add_frame("", name, _pose(each, len(stamps)), stamps + later, when)
        frames = tree.get("frames")
        for each in frames if isinstance(frames, list) else ():
            if isinstance(each, Mapping) and each.keys() >= set(TRACK_ARRAYS) and not when.origin:
                self._add_own_frame(each, int(stamps[0]), when)

    def _add_own_frame(self, tree: Tree, start: int, when: _When) -> None:
        parent, child = tree.get("parent", ""), tree.get("child", "")
        if not (isinstance(parent, str) and isinstance(child, str)):
            raise ReadError("the parent and the child of a frame are not names")
        seconds, *rows = (tree[kind] for kind in TRACK_ARRAYS)
        lengths = [_row_lengths(each) for each in rows]
        count = seconds.size if isinstance(seconds, np.ndarray) else -1
        if lengths != [[3] * count, [4] * count]:
            raise ReadError(
                f"the frame {quote(child)} does not have three numbers in `translations` and four "
                "in `quaternions` for each of its `times`"
            )
        if not count:
            return
        times = to_nanoseconds(np.nan_to_num(seconds.ravel(), posinf=0, neginf=0))
        poses = np.array(rows[0], float).reshape(-1, 3), np.array(rows[1], float).reshape(-1, 4)
        when = replace(when, logs=times + start, order=np.arange(count))
        self._add_frame(parent, child, poses, times + start, when)

    def _take_transforms(self, tree: Tree, header: Tree, when: _When) -> None:
        for each in tree["transforms"] if isinstance(tree["transforms"], list) else ():
            if not isinstance(each, Mapping) or "child_frame_id" not in each:
                continue
            if "parent_frame_id" in each:
                self._take_plain(each, header, when)
            else:
                self._take_transform(each, each.get("header", header), when)

    def _take_plain(self, tree: Tree, header: Tree, when: _When) -> None:
        """Takes a transform as Foxglove has it."""
        head = {"stamp": _member(tree, "timestamp"), "frame_id": _text(tree, "parent_frame_id")}
        self._add_placed(_text(tree, "child_frame_id"), tree, head, when)

    def _take_items(self, tree: Tree, header: Tree, when: _When) -> None:
        """Takes joints that are items with a name and a position, as Foxglove has them."""
        items = tree["joints"] if isinstance(tree["joints"], list) else []
        items = [each for each in items if _text(each, "name")]
        count = len(when.logs)
        states: dict[str, Any] = {}
        for key in ("position", "velocity", "effort"):
            columns = [_member(each, key) for each in items]
            if any(isinstance(each, np.ndarray) for each in columns):
                blank = np.full(count, np.nan)
                found = [c if isinstance(c, np.ndarray) and c.shape == (count,) else blank
                         for c in columns]  # fmt: skip
                states[key] = np.stack(found, axis=1)
        names = tuple(_text(each, "name") for each in items)
        if len(set(names)) == len(names) and states:
            head = {"stamp": _member(tree, "timestamp")} if "timestamp" in tree else header
            self._add_samples(names, states, head, when)

    def _take_transform(self, tree: Tree, header: Tree, when: _When) -> None:
        self._add_placed(_text(tree, "child_frame_id"), tree.get("transform"), header, when)

    def _take_many(self, tree: Tree, header: Tree, when: _When) -> None:
        for name, each in zip(_texts(tree["joint_names"]), tree["transforms"], strict=False):
            self._add_placed(name, each, header, when)

    def _take_pose(self, tree: Tree, header: Tree, when: _When) -> None:
        inner = tree["pose"]
        if isinstance(inner, Mapping) and "pose" in inner:
            inner = inner["pose"]
        self._add_placed(_text(tree, "child_frame_id"), inner, header, when)

    def _add_placed(self, child: str, pose: Tree, header: Tree, when: _When) -> None:
        """Adds a frame in the frame of a header, at its stamps."""
        count, parent = len(when.logs), _text(header, "frame_id")
        self._add_frame(parent, child, _pose(pose, count), _stamps(header, count), when)

    def _add_frame(
        self,
        parent: str,
        child: str,
        pose: tuple[Numbers, Numbers] | None,
        stamps: Times,
        when: _When,
    ) -> None:
        if pose is None or max(len(parent), len(child)) > _MOST_LETTERS:
            return
        self._gathered.add_frame(
            FrameBlock(
                parent=parent.lstrip("/"),
                child=child.lstrip("/"),
                times=stamps,
                order=when.order,
                translations=pose[0],
                quaternions=pose[1],
                is_static=when.is_static,
                origin=when.origin,
            )
        )
        self._frame_logs.append(when.logs)

    _takers = {  # noqa: RUF012
        ("name", "position"): _take_state,
        ("joints",): _take_items,
        ("parent_frame_id", "child_frame_id"): _take_plain,
        ("joint_names", "points"): _take_command,
        ("joint_names", "transforms"): _take_many,
        ("joint_names", "feedback"): _take_controller,
        ("joint_names", "actual"): _take_controller,
        ("transforms",): _take_transforms,
        ("transform", "child_frame_id"): _take_transform,
        ("pose", "header"): _take_pose,
    }


def _has(tree: Mapping[str, Any], keys: Sequence[str]) -> bool:
    named = isinstance(tree.get(keys[0]), tuple) or keys[0] not in ("name", "joint_names")
    empty = isinstance(tree.get(keys[0]), np.ndarray) and tree[keys[0]].size == 0
    items = keys[0] != "joints" or isinstance(tree.get("joints"), list)
    return all(key in tree for key in keys) and (named or empty) and items


def _follow_each_other(commands: list[Command], first: int) -> None:
    """Trajectories in one message are shown one after the other, as MoveIt does it."""
    ends: dict[int, int] = {}
    for index in range(first, len(commands)):
        each = commands[index]
        shift = ends.get(each.order, 0)
        if shift:
            commands[index] = replace(each, times=each.times + shift)
        ends[each.order] = int(commands[index].times[-1])


def _are_columns(points: Tree) -> bool:
    """Whether the points of one trajectory are stacked, each kind of numbers as one array."""
    times = _member(points, "time_from_start")
    return isinstance(times, np.ndarray) and times.ndim == 1 and times.dtype == np.int64


def _texts(value: Tree) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _member(tree: Tree, key: str) -> Tree:
    return tree.get(key) if isinstance(tree, Mapping) else None


def _text(tree: Tree, key: str) -> str:
    value = _member(tree, key)
    return value if isinstance(value, str) else ""


def _row_lengths(value: Tree) -> list[int]:
    """Returns how many numbers each row of a list has; -1 for anything but numbers."""
    if isinstance(value, np.ndarray):
        return [-1] * value.size
    rows = value if isinstance(value, list) else [value]
    return [each.size if isinstance(each, np.ndarray) else -1 for each in rows]


def _stamps(header: Tree, count: int) -> Times:
    """Returns (m,) nanoseconds; zero where there is no stamp."""
    return _to_times(_member(header, "stamp"), count)


def _to_times(value: Tree, count: int) -> Times:
    """Returns nanoseconds of a time, or of a number of seconds."""
    if not isinstance(value, np.ndarray) or value.shape != (count,):
        return np.zeros(count, dtype=np.int64)
    if value.dtype == np.int64:
        return value
    seconds = np.where(np.abs(value) < 4e9, value, 0.0)
    return to_nanoseconds(np.nan_to_num(seconds))


def _numbers(tree: Tree, kind: str, count: int, width: int) -> Numbers | None:
    """Returns (m, n) numbers, NaN for infinite ones; None where there are not so many."""
    for key in _ARRAYS[kind]:
        found = _member(tree, key)
        if isinstance(found, np.ndarray) and found.shape == (count, width):
            return np.where(np.isfinite(found), found, np.nan)
    return None


def _stack(points: list[Tree], kind: str, count: int, width: int) -> Numbers | None:
    """Returns (m, p, n) numbers of the points of m messages; None where none says any."""
    found = [_numbers(point, kind, count, width) for point in points]
    if all(each is None for each in found):
        return None
    nothing = np.full((count, width), np.nan)
    return np.stack([nothing if each is None else each for each in found], axis=1)


def _pose(tree: Tree, count: int) -> tuple[Numbers, Numbers] | None:
    """Returns translations (m, 3) and quaternions (m, 4) of a Transform or a Pose."""
    if not isinstance(tree, Mapping):
        return None
    moved = _vector(tree.get("translation", tree.get("position")), _AXES, count)
    turned = _vector(tree.get("rotation", tree.get("orientation")), _TURNS, count)
    return None if moved is None or turned is None else (moved, turned)


def _vector(tree: Tree, keys: Sequence[str], count: int) -> Numbers | None:
    found = [_member(tree, key) for key in keys]
    if not all(isinstance(each, np.ndarray) and each.shape == (count,) for each in found):
        return None
    stacked: Numbers = np.stack(found, axis=1).astype(np.float64)
    return stacked


def _set_clock(blocks: list[Any], logs: list[Times], clock: str) -> list[Any]:
    """Returns the blocks with the times that count: the times of recording where the stamps of all
    samples are the same."""
    first = next((int(block.times[0]) for block in blocks if len(block.times)), 0)
    several = sum(len(block.times) for block in blocks) > 1
    useless = all((block.times == first).all() for block in blocks) and (several or first == 0)
    if clock == "stamp" and not useless:
        return blocks
    return [replace(block, times=log) for block, log in zip(blocks, logs, strict=True)]
