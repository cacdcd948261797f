# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages in JSON as trees; and trees of one form stacked, so that many are looked at at once."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.diagnostics import ReadError
from ..recordings.trees import MOST_JSON_BYTES, Tree, to_tree

Places = NDArray[np.int64]
_TYPES = ("JointState", "JointTrajectory")
_JOINTS, _FRAMES = ('"position"', '"name"'), ('"translation"', '"rotation"')


def find_json_motion(kind: str, schema: str) -> str:
    """Returns "joints" or "frames" where a JSON schema, or the name of a type without one, seems to
    hold these."""
    if all(key in schema for key in _JOINTS) or any(name in kind for name in _TYPES):
        return "joints"
    return "frames" if all(key in schema for key in _FRAMES) or "Transform" in kind else ""


def decode_json(message: bytes | memoryview) -> Tree | None:
    """Returns the tree of a message; None for anything but a mapping."""
    if len(message) > MOST_JSON_BYTES:
        return None
    try:
        found = json.loads(bytes(message))
        return to_tree(found) if isinstance(found, dict) else None
    except (ValueError, RecursionError, ReadError):
        return None


def stack_messages(
    messages: Sequence[bytes | memoryview], decode: Callable[[bytes | memoryview], Tree | None]
) -> list[tuple[Places, Tree]]:
    """Returns the trees of messages, one for each form, each with the places of its
    messages; damaged ones are in none."""
    forms: dict[Any, tuple[list[int], list[Tree]]] = {}
    for place, message in enumerate(messages):
        tree = decode(message)
        if tree is not None:
            places, trees = forms.setdefault(_form_of(tree), ([], []))
            places.append(place)
            trees.append(tree)
    return [(np.array(places), _stack(trees)) for places, trees in forms.values()]


def _form_of(tree: Tree) -> Any:
    if isinstance(tree, dict):
        return tuple((key, _form_of(each)) for key, each in tree.items())
    if isinstance(tree, list):
        return ("list", *map(_form_of, tree))
    if isinstance(tree, np.ndarray):
        # Columns of points are a whole trajectory: none is like another.
        return id(tree) if tree.shape[0] != 1 else (tree.dtype.kind, tree.shape[1:])
    return tree


def _stack(trees: Sequence[Tree]) -> Tree:
    first = trees[0]
    if len(trees) == 1:
        return first
    if isinstance(first, dict):
        return {key: _stack([each[key] for each in trees]) for key in first}
    if isinstance(first, list):
        return [_stack([each[at] for each in trees]) for at in range(len(first))]
    return np.concatenate(trees) if isinstance(first, np.ndarray) else first
