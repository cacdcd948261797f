# SPDX-License-Identifier: GPL-3.0-or-later
"""Names: each once in its model, and models within models for names such as arm::wrist.

From SDF 1.8 on no name may hold `::`. No part can name another outside its own model, so a joint
between two models is in the one around both, and a link whose base lies outside is placed in the
model's own frame. The frames of all models within are the frame of the outermost one.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from ....core.diagnostics import Diagnostics, quote
from ....core.geometry.inertia import move_pose
from ....core.geometry.transforms import Matrix, invert
from ....core.kinematics.forward import zero_frames
from ....core.model import Pose
from ....core.names import Claims
from .parts import SEPARATOR, WORLD, FramePart, JointPart, LinkPart, ModelPlan, SdfPart

_MOST_DEPTH = 32
Path = tuple[str, ...]


@dataclass(slots=True, eq=False)
class Nest:
    """A model: its parts in their order, and the models within."""

    parts: list[SdfPart] = field(default_factory=list)
    inner: dict[str, "Nest"] = field(default_factory=dict)


class Addresses:
    """The place of each part, and its name from elsewhere."""

    def __init__(self, plan: ModelPlan, diagnostics: Diagnostics) -> None:
        self._plan = plan
        self._diagnostics = diagnostics
        self._frames: Matrix | None = None
        self._models = _find_models(plan)
        self._claims: defaultdict[Path, Claims] = defaultdict(Claims)
        self._paths: dict[SdfPart, Path] = {}
        self._links: dict[str, Path] = {}
        self._joints: dict[str, Path] = {}
        self.top = Nest()
        for path in sorted(self._models):
            self._claims[path[:-1]].claim(path[-1])
        for part in sorted(plan.parts, key=_rank):
            names = self._joints if _is_joint(part) else self._links
            path = self._paths[part] = self._settle(part, self._path_of(part))
            names.setdefault(part.name, path)
        for part in plan.parts:
            nest = self.top
            for name in self._paths[part][:-1]:
                nest = nest.inner.setdefault(name, Nest())
            nest.parts.append(part)

    def whole_names(self) -> tuple[dict[str, str], dict[str, str]]:
        """Returns the names of links and frames, and of joints: the robot's -> the model's."""
        links, joints = (
            {name: SEPARATOR.join(path) for name, path in names.items()}
            for names in (self._links, self._joints)
        )
        return links, joints

    def name(self, part: SdfPart) -> str:
        """Returns the name of a part in its own model."""
        return self._paths[part][-1]

    def joint_name(self, name: str, part: SdfPart) -> str | None:
        """Returns the name of a joint as a part has to say it; None where it cannot."""
        return self._spell(self._joints.get(name), part)

    def link_name(self, name: str, part: SdfPart) -> str | None:
        """Returns the name of a link, or of its frame, as a part has to say it; None where it
        cannot."""
        return WORLD if name == WORLD else self._spell(self._links.get(name), part)

    def find_pose(self, part: SdfPart) -> tuple[str, Pose]:
        """Returns the name of the base of a part, "" for the model, and the pose there."""
        if not part.base:
            return "", part.pose
        find = self.joint_name if part.on_joint else self.link_name
        found = find(part.base, part)
        return ("", self.in_model(*part.anchor)) if found is None else (found, part.pose)

    def shape_base(self, link: str, part: LinkPart, pose: Pose) -> tuple[str, Pose]:
        """Returns the base and the pose of a shape that lies in the frame of a link which a part
        carries."""
        if link == part.name:
            return "", pose
        found = self.link_name(link, part)
        if found is not None:
            return found, pose
        frames, index = self._zero(), self._plan.tree.index
        between = invert(frames[index[part.name]]) @ frames[index[link]]
        return "", move_pose(between, pose)

    def in_model(self, link: str, pose: Pose) -> Pose:
        """Returns a pose in a link's frame as one in the model's."""
        return move_pose(self._zero()[self._plan.tree.index[link]], pose)

    def _zero(self) -> Matrix:
        if self._frames is None:
            self._frames = zero_frames(self._plan.tree)
        return self._frames

    def _spell(self, target: Path | None, part: SdfPart) -> str | None:
        home = self._paths[part][:-1]
        if target is None or target[: len(home)] != home:
            return None
        return SEPARATOR.join(target[len(home) :])

    # Which model

    def _path_of(self, part: SdfPart) -> Path:
        own = self._split(part.name)
        if isinstance(part, LinkPart):
            return own
        ends = [part.holder] if isinstance(part, FramePart) else []
        if isinstance(part, JointPart):
            ends = [part.parent, part.child, *([part.gear[0]] if part.gear else [])]
        homes = [self._links[end][:-1] for end in ends if end in self._links]
        if not all(home[: len(own) - 1] == own[:-1] for home in homes):
            shared = homes[0]
            while any(home[: len(shared)] != shared for home in homes):
                shared = shared[:-1]
            rest = own[len(shared) :] if own[: len(shared)] == shared else own
            return (*shared, "_".join(rest))
        return own

    def _split(self, name: str) -> Path:
        words = tuple(name.split(SEPARATOR))
        return words if words[:-1] in self._models or len(words) == 1 else (name,)

    def _settle(self, part: SdfPart, path: Path) -> Path:
        """Gives a part a name that SDF takes and nothing else in its model has."""
        *home, wanted = path
        plain = wanted.replace(SEPARATOR, "_").strip() or "unnamed"
        if _is_reserved(plain):
            plain = f"{plain.strip('_') or 'part'}_{_kind(part)}"
        claims = self._claims[tuple(home)]
        found = claims.claim(plain)
        if _is_joint(part) and found != plain:
            found = claims.claim(f"{plain}_joint")
        whole = SEPARATOR.join((*home, found))
        if whole != part.name:
            self._diagnostics.warning(
                "sdf-renamed",
                f"{_kind(part)} {quote(part.name)} is called {quote(whole)}: names of SDF must not "
                "contain ::, be taken or be reserved",
                subject=part.name,
            )
        return (*home, found)


def _kind(part: SdfPart) -> str:
    if isinstance(part, JointPart):
        return "joint"
    return "link" if isinstance(part, LinkPart) else "frame"


def _is_joint(part: SdfPart) -> bool:
    return isinstance(part, JointPart) or (isinstance(part, FramePart) and part.of_joint)


def _rank(part: SdfPart) -> int:
    """Links have their names first, then frames, whose places depend on them, then joints."""
    return 2 if _is_joint(part) else 0 if isinstance(part, LinkPart) else 1


def _find_models(plan: ModelPlan) -> set[Path]:
    """Models that a name of a link lies in, and that nothing else is called."""
    names = {part.name for part in plan.parts}
    found: set[Path] = set()
    for part in plan.parts:
        words = part.name.split(SEPARATOR)
        if not isinstance(part, LinkPart) or not 1 < len(words) <= _MOST_DEPTH or not all(words):
            continue
        ways = [tuple(words[:count]) for count in range(1, len(words))]
        if not any(SEPARATOR.join(way) in names or _is_reserved(way[-1]) for way in ways):
            found.update(ways)
    return found


def _is_reserved(name: str) -> bool:
    return name == WORLD or (name.startswith("__") and name.endswith("__"))
