# SPDX-License-Identifier: GPL-3.0-or-later
"""The graph of links and joints: as text for Graphviz, as a picture, and as groups that move
together."""

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from ..model import Robot
from ..model.graph import GraphEdge

_ROW, _COLUMN, _CHARACTER = 26, 40, 7.2


def write_graph(name: str, edges: Iterable[GraphEdge]) -> str:
    """Returns graphviz: blue arrows are reversed, yellow ones not in the tree, thick ones move."""
    lines = [f"digraph {_quoted(name)} {{"]
    for edge in edges:
        attributes = [f"label={_quoted(edge.label)}"]
        if not edge.in_tree:
            attributes.append('color="yellow"')
        elif edge.is_reversed:
            attributes.append('color="blue"')
        if edge.in_tree and edge.moves:
            attributes.append('penwidth="5"')
        lines.append(f"{_quoted(edge.parent)} -> {_quoted(edge.child)} [{' '.join(attributes)}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    """A text of Graphviz: only quotes, backslashes and line ends are written otherwise."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\r", " ").replace("\n", " ") + '"'


def write_groups(robot: Robot) -> str:
    """Returns the groups of parts that move together: BASE, or the joint that moves a group, and
    its links."""
    above = {joint.child: joint for joint in robot.joints}
    groups: dict[str, list[str]] = {"": []}
    group_of: dict[str, str] = {}
    for link in robot.links:
        chain = []
        name = link.name
        while name not in group_of:
            joint = above.get(name)
            chain.append(name)
            if joint is None or len(chain) > len(robot.links):
                group = ""
                break
            if joint.type != "fixed":
                group = joint.name
                break
            name = joint.parent
        else:
            group = group_of[name]
        group_of.update(dict.fromkeys(chain, group))
        groups.setdefault(group, []).append(link.name)
    order = ["", *(joint.name for joint in robot.joints if joint.name in groups)]
    return "".join(
        f"{group or 'BASE'}:\n\t{' '.join(groups[group])}\n\n" for group in order if groups[group]
    )


def write_graph_picture(name: str, edges: Sequence[GraphEdge]) -> str:
    """Returns SVG: the tree as an indented outline, with its joints beside the lines and dashed
    arcs for joints that close loops. Needs no program to draw it."""
    places, depths = _outline(edges)
    labels = {edge.child: edge for edge in edges if edge.in_tree}
    body: list[str] = []
    width = 0.0
    for link, row in places.items():
        x, y = 20 + _COLUMN * depths[link], 40 + _ROW * row
        joint = labels.get(link)
        if joint is not None:
            top = 40 + _ROW * places[joint.parent]
            color = "#3465a4" if joint.is_reversed else "#555555"
            thick = 4 if joint.moves else 1.5
            start = x - _COLUMN + 6
            body.append(
                f'<path d="M{start} {top + 9}V{y}H{x - 4}" fill="none" stroke="{color}" '
                f'stroke-width="{thick}"/>'
            )
        words = link if joint is None else f"{link}   \u2190 {joint.label}"
        width = max(width, x + _CHARACTER * len(words))
        body.append(f'<text x="{x}" y="{y + 4}">{_shown(words)}</text>')
    for number, edge in enumerate(edge for edge in edges if not edge.in_tree):
        one, other = (40 + _ROW * places[link] for link in (edge.parent, edge.child))
        side = width + 30 + 18 * (number % 12)
        body.append(
            f'<path d="M{width + 6:g} {one}H{side:g}V{other}H{width + 6:g}" fill="none" '
            f'stroke="#c4a000" stroke-width="2" stroke-dasharray="5 3">'
            f"<title>{_shown(edge.label)}</title></path>"
        )
    full, height = width + 300, 60 + _ROW * max(len(places), 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full:g}" height="{height}" '
        f'font-family="monospace" font-size="12">\n<title>{_shown(name)}</title>\n'
        '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _shown(text: str) -> str:
    """Text for SVG: characters that XML cannot hold are replaced."""
    return escape("".join(c if c.isprintable() else "\ufffd" for c in text))


def _outline(edges: Sequence[GraphEdge]) -> tuple[dict[str, int], dict[str, int]]:
    """The row and the depth of each link, depth first."""
    children: dict[str, list[str]] = {}
    below: set[str] = set()
    for edge in edges:
        if edge.in_tree:
            children.setdefault(edge.parent, []).append(edge.child)
            below.add(edge.child)
    links = dict.fromkeys(link for edge in edges for link in (edge.parent, edge.child))
    depths: dict[str, int] = {}
    for root in links:
        if root in below:
            continue
        stack = [(root, 0)]
        while stack:
            link, depth = stack.pop()
            if link in depths:
                continue
            depths[link] = depth
            stack.extend((child, depth + 1) for child in reversed(children.get(link, ())))
    for link in links:
        depths.setdefault(link, 0)
    return {link: row for row, link in enumerate(depths)}, depths
