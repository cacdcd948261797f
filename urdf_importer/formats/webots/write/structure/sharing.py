# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that is used several times in a tree is written once, with DEF, and then by USE."""

from collections.abc import Container, Iterable, Iterator
from typing import Any

from ..vrml import Node, Use, Value


def share_repeats(root: Node, taken: Container[str] = frozenset()) -> None:
    """Gives names to the nodes that are in the tree more than once (the same object) and replaces
    all but the first, in the order of the text, by USE.

    `taken` are DEF names that must not be used; the tree's own are kept clear as well.
    """
    names = {node.name for node in _walk(root) if node.name}
    seen = {id(root)}
    todo = [_places(root.fields)]
    while todo:
        place = next(todo[-1], None)
        if place is None:
            todo.pop()
            continue
        holder, key = place
        node = holder[key]
        if id(node) not in seen:
            seen.add(id(node))
            todo.append(_places(node.fields))
            continue
        if not node.name:
            node.name = _new_name(node.kind, names, taken)
        holder[key] = Use(node.name)


def _places(fields: dict[str, Value] | list[Value]) -> Iterator[tuple[Any, Any]]:
    """Yields the places of nodes in the fields of a node: a dict or list, and the key or index in
    it."""
    pairs: Iterable[tuple[Any, Value]]
    pairs = fields.items() if isinstance(fields, dict) else enumerate(fields)
    for key, value in list(pairs):
        if isinstance(value, Node):
            yield fields, key
        elif isinstance(value, list):
            yield from _places(value)


def _new_name(kind: str, names: set[str], taken: Container[str]) -> str:
    number = 1
    while (name := f"{kind}_{number}") in names or name in taken:
        number += 1
    names.add(name)
    return name


def _walk(root: Node) -> Iterator[Node]:
    """Yields every node once."""
    seen = {id(root)}
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        for holder, key in _places(node.fields):
            if id(holder[key]) not in seen:
                seen.add(id(holder[key]))
                todo.append(holder[key])
