# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks (height, width) as COCO counts them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def box_of(mask: NDArray[np.bool_]) -> list[int]:
    """Returns x, y, width, height of the pixels of a mask, from the first to the last; -1 four
    times for none."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not len(columns):
        return [-1, -1, -1, -1]
    x, y = int(columns[0]), int(rows[0])
    return [x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1]


def describe_mask(mask: NDArray[np.bool_]) -> dict[str, Any]:
    """Returns the segmentation, the area and the box of a mask."""
    return {
        "segmentation": {"size": list(mask.shape), "counts": pack_runs(mask)},
        "area": int(mask.sum()),
        "bbox": box_of(mask),
    }


def pack_runs(mask: NDArray[np.bool_]) -> str:
    """Returns the lengths of the runs of a mask, column by column and zeros first, as COCO packs
    them: five bits a character, from the fourth on the difference to the last but one."""
    flat = mask.ravel(order="F").astype(np.int8)
    turns = np.flatnonzero(np.diff(flat)) + 1
    runs = np.diff(np.concatenate([[0], turns, [len(flat)]])).tolist()
    if flat[0]:
        runs.insert(0, 0)
    text = []
    for place, run in enumerate(runs):
        left = run - runs[place - 2] if place > 2 else run
        more = True
        while more:
            bits, left = left & 0x1F, left >> 5
            more = left != (-1 if bits & 0x10 else 0)
            text.append(chr(48 + bits + (0x20 if more else 0)))
    return "".join(text)
