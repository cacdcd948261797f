# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks (height, width) as COCO counts them."""

from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

_WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Along the edges of a pixel, from its corner at the top left: x and y."""


def box_of(mask: NDArray[np.bool_]) -> list[int]:
    """Returns x, y, width, height of the pixels of a mask, from the first to the last; -1 four
    times for none."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not len(columns):
        return [-1, -1, -1, -1]
    x, y = int(columns[0]), int(rows[0])
    return [x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1]


def describe_mask(mask: NDArray[np.bool_], *, polygons: bool = False) -> dict[str, Any]:
    """Returns the segmentation, the area and the box of a mask, and its polygons on demand."""
    return {
        "segmentation": {"size": list(mask.shape), "counts": pack_runs(mask)},
        "area": int(mask.sum()),
        "bbox": box_of(mask),
        **({"polygons": list_polygons(mask)} if polygons else {}),
    }


def list_polygons(mask: NDArray[np.bool_]) -> list[list[int]]:
    """Lists the outlines of a mask, x and y in turn, along the edges of pixels, whose corners are
    integers as in COCO: (0, 0) is a corner of the picture. Holes are filled; pixels that share a
    corner only are apart."""
    edges = _find_edges(mask)
    found = []
    while edges:
        first = x, y, way = next(iter(edges))
        outline, area, is_open = [], 0, True
        while is_open:
            del edges[x, y, way]
            x, y = x + _WAYS[way][0], y + _WAYS[way][1]
            area += x * _WAYS[way][1]
            turns = ((x, y, (way + turn) % 4) for turn in (1, 0, 3))
            after = next(each for each in turns if each == first or each in edges)
            is_open = after != first
            if after[2] != way:
                outline += [x, y]
            way = after[2]
        if area > 0:
            found.append(outline)
    return found


def _find_edges(mask: NDArray[np.bool_]) -> dict[tuple[int, int, int], None]:
    """Returns the edges between pixels of a mask and others, from above to below: the corner x, y
    at which each begins and its way, with the mask on the right."""
    padded = np.pad(mask, 1)
    edges: dict[tuple[int, int, int], None] = {}
    for way, (x, y) in enumerate(_WAYS):
        beside = np.roll(padded, (x, -y), (0, 1))[1:-1, 1:-1]
        rows, columns = np.nonzero(mask & ~beside)
        across, down = columns + (way in (1, 2)), rows + (way > 1)
        edges.update(dict.fromkeys(zip(across.tolist(), down.tolist(), repeat(way), strict=False)))
    return edges


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
