# SPDX-License-Identifier: GPL-3.0-or-later
"""The statistics of features, as LeRobot's training asks for them, by episodes and joined."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....core.diagnostics import ReadError, quote
from ..trajectory import Numbers

QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}
STATISTICS = ("min", "max", "mean", "std", "count", *QUANTILES)
_MOST = 1e100
Stats = dict[str, Numbers]


def find_stats(numbers: Numbers) -> Stats:
    """Returns the statistics of (m, n) numbers, (n,) each, and (1,) for their count."""
    found = {"min": numbers.min(axis=0), "max": numbers.max(axis=0), "mean": numbers.mean(axis=0),
             "std": numbers.std(axis=0), "count": np.array([len(numbers)])}  # fmt: skip
    return found | {name: np.quantile(numbers, share, axis=0) for name, share in QUANTILES.items()}


def find_picture_stats(pictures: Sequence[Any]) -> Stats:
    """Returns the statistics of pixels (h, w, 3) of 0 to 255 in each channel, as numbers of 0 to
    1, (3, 1, 1) each; the count counts the pictures."""
    pixels = np.concatenate([each[..., :3].reshape(-1, 3) for each in pictures])
    found = find_stats(pixels / 255.0)
    shaped = {name: array.reshape(-1, 1, 1) for name, array in found.items() if name != "count"}
    return shaped | {"count": np.array([len(pictures)])}


def check_stats(key: str, stats: Mapping[str, Any], shape: tuple[int, ...]) -> None:
    """Raises ReadError for statistics of a feature that are not all there, of another shape, or no
    finite numbers."""
    try:
        arrays = {name: np.asarray(stats[key][name], dtype=float) for name in STATISTICS}
    except (LookupError, TypeError, ValueError, OverflowError):
        raise ReadError(f"the statistics of {quote(key)} are damaged") from None
    for name, array in arrays.items():
        wanted = (1,) if name == "count" else shape
        if (
            array.shape != wanted
            or not (np.abs(array) < _MOST).all()
            or (arrays["count"] < 0).any()
        ):
            raise ReadError(f"the statistics of {quote(key)} are damaged: {name}")


def join_stats(every: Sequence[Mapping[str, Any]]) -> Stats:
    """Returns the statistics of all numbers by the parts'; quantiles are the means of the
    parts', by their counts, as LeRobot joins them."""
    arrays = {name: np.array([np.asarray(each[name], dtype=float) for each in every])
              for name in STATISTICS}  # fmt: skip
    counts = arrays["count"].reshape(-1, *([1] * (arrays["mean"].ndim - 1)))
    weights = counts / counts.sum()
    mean = (arrays["mean"] * weights).sum(axis=0)
    spread = (arrays["std"] ** 2 + (arrays["mean"] - mean) ** 2) * weights
    joined = {name: (arrays[name] * weights).sum(axis=0) for name in QUANTILES}
    return joined | {"min": arrays["min"].min(axis=0), "max": arrays["max"].max(axis=0),
                     "mean": mean, "std": np.sqrt(spread.sum(axis=0)),
                     "count": arrays["count"].sum(axis=0).astype(int)}  # fmt: skip
