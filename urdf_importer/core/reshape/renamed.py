# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of a robot are the same under other names, in two states of its description."""

from ..model import Joint, Robot


def suggest_names(before: Robot, after: Robot) -> dict[str, str]:
    """Suggests the new names, old -> new, of links and joints that `after` calls by other names;
    nothing where that is not certain.

    A joint is the same where its type, its axis and its links are, and nothing else is like it; its
    child may have got another name too, where the origin stayed. A link is the same where a joint
    at it is, and the root is the root.
    """
    found = _Pairs(before, after)
    found.pair_links(_find_root(before), _find_root(after))
    for name in found.old_joints.keys() & found.new_joints.keys():
        old, new = found.old_joints[name], found.new_joints[name]
        found.pair_links(old.parent, new.parent)
        found.pair_links(old.child, new.child)
    # Down the tree: a joint can be found once its parent is known.
    while found.pair_joints():
        pass
    return {**found.links, **found.joints}


class _Pairs:
    def __init__(self, before: Robot, after: Robot) -> None:
        self.old_joints = {joint.name: joint for joint in before.joints}
        self.new_joints = {joint.name: joint for joint in after.joints}
        old, new = ({link.name for link in each.links} for each in (before, after))
        self._gone, self._come = old - new, new - old
        self.links: dict[str, str] = {}
        self.joints: dict[str, str] = {}

    def pair_links(self, old: str, new: str) -> None:
        if old in self._gone and new in self._come and new not in self.links.values():
            self.links.setdefault(old, new)

    def pair_joints(self) -> bool:
        """Pairs the joints that only one other can be; returns whether any was."""
        gone = [name for name in self.old_joints if name not in self.new_joints | self.joints]
        taken = self.joints.values()
        come = [
            joint
            for name, joint in self.new_joints.items()
            if name not in self.old_joints and name not in taken
        ]
        for name in gone:
            joint = self.old_joints[name]
            alike = [each for each in come if self._is_alike(joint, each)]
            fits = [each for each in alike if each.child == self._now(joint.child)] or alike
            if len(fits) == 1:
                self.joints[name] = fits[0].name
                self.pair_links(joint.child, fits[0].child)
                return True
        return False

    def _is_alike(self, old: Joint, new: Joint) -> bool:
        if (new.parent, new.type, new.axis) != (self._now(old.parent), old.type, old.axis):
            return False
        renamed = old.child in self._gone and new.child in self._come and new.origin == old.origin
        return renamed or new.child == self._now(old.child)

    def _now(self, link: str) -> str:
        return self.links.get(link, link)


def _find_root(robot: Robot) -> str:
    children = {joint.child for joint in robot.joints}
    return next((link.name for link in robot.links if link.name not in children), "")
