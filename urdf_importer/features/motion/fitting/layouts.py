# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of other programs, whose keys tell their layouts: arrays of NumPy, AMP's JSON, and tables
without a heading.

Sources: scripts/csv_to_npz.py of mjlab and of BeyondMimic's whole_body_tracking, motion_loader.py
of Isaac Lab's humanoid_amp, bvh_to_robot.py of GMR, the motions of motion_imitation and
AMP_for_hardware, and Unitree's LAFAN1_Retargeting_Dataset.
"""

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError, quote
from ....core.geometry.array_cache import ArraysOfFile, read_array, refused_arrays
from ..gather import MOST_VALUES
from ..trajectory import Numbers
from .recorded import Order, Quaternion, Recorded, Unnamed, are_quaternions

_MOST_NAMES = 100_000
_LAFAN_RATE = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The keys of a program's arrays: positions, velocities and names of joints, places and
    quaternions of bodies or of the base alone."""

    positions: str
    velocities: str = ""
    names: str = ""
    bodies: tuple[str, str] | None = None
    base: tuple[str, str] | None = None
    has_base: bool | None = False
    quaternion: Quaternion = "wxyz"
    order: Order = "file"


_LAYOUTS = (
    _Layout(positions="joint_pos", velocities="joint_vel", names="joint_names",
            bodies=("body_pos_w", "body_quat_w")),
    _Layout(positions="dof_positions", velocities="dof_velocities", names="dof_names",
            bodies=("body_positions", "body_rotations")),
    _Layout(positions="dof_pos", names="dof_names", base=("root_pos", "root_rot"),
            quaternion="xyzw"),
    _Layout(positions="qpos", velocities="qvel", names="joint_names", has_base=None,
            order="mujoco"),
)  # fmt: skip
"""mjlab and BeyondMimic; Isaac Lab's AMP; GMR; MuJoCo."""
_TIMES, _RATES = ("time", "times"), ("fps", "framerate", "frame_rate")


def read_layout(file: ArraysOfFile, rate: float, source: str) -> Recorded | None:
    """Returns the columns of an .npz file; None where no layout has such arrays. Raises
    ReadError."""
    layout = next((each for each in _LAYOUTS if each.positions in file.names), None)
    if layout is None:
        return None
    table = _matrix(file, layout.positions, 2)
    names = _names(file, layout.names)
    found = Unnamed(
        times=_times(file, len(table), rate),
        table=table,
        velocities=_matrix(file, layout.velocities, 2) if layout.velocities in file.names else None,
        bodies=_poses(file, layout.bodies, len(table), 3),
        base=_poses(file, layout.base, len(table), 2),
        has_base=layout.has_base,
        quaternion=layout.quaternion,
        order=layout.order,
        names=names,
    )
    if names and table.shape[1] - len(names) not in (0, 7):
        raise ReadError(f"it names {len(names)} joints and has {table.shape[1]} columns of them")
    if found.velocities is not None and len(found.velocities) != len(table):
        raise ReadError(f"{layout.velocities} has {len(found.velocities)} rows, not {len(table)}")
    return Recorded(unnamed=found, source=source)


def _poses(
    file: ArraysOfFile, keys: tuple[str, str] | None, count: int, depth: int
) -> tuple[Numbers, Numbers] | None:
    if keys is None or not set(keys) <= set(file.names):
        return None
    places, turns = (_matrix(file, key, depth) for key in keys)
    for key, array, width in ((keys[0], places, 3), (keys[1], turns, 4)):
        if array.shape[-1] != width or len(array) != count or not array.size:
            raise ReadError(f"the array {quote(key)} does not hold {width} numbers for each row")
    if places.shape[:-1] != turns.shape[:-1]:
        raise ReadError(f"{keys[0]} and {keys[1]} have different numbers of bodies")
    return places, turns


def _matrix(file: ArraysOfFile, key: str, depth: int) -> Numbers:
    return _as_matrix(file.read(key), key, depth)


def _as_matrix(found: Any, key: str, depth: int) -> Numbers:
    if found.dtype.kind not in "fiu" or found.ndim != depth or not len(found):
        raise ReadError(f"the array {quote(key)} is not of numbers in {depth} dimensions")
    numbers: Numbers = found.astype(np.float64)
    return numbers


def _names(file: ArraysOfFile, key: str) -> tuple[str, ...]:
    if not key or key not in file.names:
        return ()
    found = file.read(key)
    if found.dtype.kind != "U" or found.ndim != 1 or found.size > _MOST_NAMES:
        raise ReadError(f"the array {quote(key)} is not of names")
    return tuple(map(str, found.tolist()))


def _times(file: ArraysOfFile, count: int, rate: float) -> Numbers:
    key = next((key for key in _TIMES if key in file.names), "")
    if key and not rate:
        times = np.asarray(file.read(key), dtype=np.float64).ravel()
        if len(times) != count:
            raise ReadError(f"it has {len(times)} times and {count} rows of joints")
        shifted: Numbers = times - times[0]
        return shifted
    key = next((key for key in _RATES if key in file.names), "")
    if key and not rate:
        numbers = np.asarray(file.read(key), dtype=np.float64).ravel()
        rate = float(numbers[0]) if len(numbers) else 0.0
    return make_times(count, rate)


def make_times(count: int, rate: float) -> Numbers:
    """Returns the times of rows, `rate` a second. Raises ReadError for none."""
    if not 0.0 < rate < 1e9:
        raise ReadError("it has no times; the option rate says how many rows there are a second")
    return np.arange(count) / rate


def read_matrix(data: bytes, rate: float, source: str) -> Recorded:
    """Returns the columns of an .npy file, as MuJoCo's qpos. Raises ReadError."""
    with refused_arrays():
        table = _as_matrix(read_array(io.BytesIO(data), MOST_VALUES, "qpos"), "qpos", 2)
    found = Unnamed(
        times=make_times(len(table), rate),
        table=table,
        has_base=None,
        quaternion="wxyz",
        order="mujoco",
    )
    return Recorded(unnamed=found, source=source)


def knows_frames(text: str) -> bool:
    """Whether a text is AMP's JSON."""
    return text[:1_000_000].lstrip().startswith("{") and '"Frames"' in text


def read_frames(text: str, rate: float, source: str) -> Recorded:
    """Returns the columns of AMP's JSON, whose frames begin with the base and the joints. Raises
    ReadError."""
    if text.count("[") * 8 > MOST_VALUES or text.count(",") > MOST_VALUES:
        raise ReadError(f"its Frames have more than {MOST_VALUES:,} numbers")
    try:
        content = json.loads(text)
        frames = np.array(content["Frames"], dtype=np.float64)
        period = float(content.get("FrameDuration", 0))
    except RecursionError:
        raise ReadError("the file is nested too deeply") from None
    except (ValueError, TypeError, KeyError, OverflowError, AttributeError):
        raise ReadError("its Frames are not rows of numbers of one length") from None
    if frames.ndim != 2 or frames.shape[1] < 8 or frames.size > MOST_VALUES:
        raise ReadError("its Frames are not rows of seven numbers of the base and the joints'")
    rate = rate or (1.0 / period if period > 1e-9 else 0.0)
    times = make_times(len(frames), rate)
    found = Unnamed(times=times, table=frames, has_base=True, is_open=True)
    return Recorded(unnamed=found, source=source)


def recorded_rows(table: Numbers, rate: float, source: str) -> Recorded:
    """Returns the columns of a table without a heading: the base and joints, as Unitree's, 30 a
    second; or joints alone where `rate` is given. Raises ReadError."""
    has_base = table.shape[1] > 7 and are_quaternions(table[:, 3:7])
    if not has_base and not rate:
        raise ReadError(
            "the table has no heading, and its columns 4 to 7 hold no quaternion of a base: the "
            "option columns names its columns, or rate says how many lines there are per second"
        )
    times = make_times(len(table), rate or _LAFAN_RATE)
    return Recorded(unnamed=Unnamed(times=times, table=table, has_base=None), source=source)
