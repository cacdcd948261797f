# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of materials and worlds."""

from collections.abc import Mapping
from typing import Any

import bpy


def node_tree(owner: Any) -> Any:
    """Returns the empty node tree of a new material or world."""
    if owner.node_tree is None:
        owner.use_nodes = True
    owner.node_tree.nodes.clear()
    return owner.node_tree


def add_node(tree: Any, kind: str, inputs: Mapping[Any, Any] | None = None, **settings: Any) -> Any:
    """Adds a node of a `kind` such as MixShader. `inputs` are its inputs, by names or places:
    numbers, colours, or outputs of other nodes, which are linked; `settings` are its properties."""
    node = tree.nodes.new(f"ShaderNode{kind}")
    for name, value in settings.items():
        setattr(node, name, value)
    for key, value in (inputs or {}).items():
        if isinstance(value, bpy.types.NodeSocket):
            tree.links.new(value, node.inputs[key])
        else:
            node.inputs[key].default_value = value
    return node
