# SPDX-License-Identifier: GPL-3.0-or-later
"""An SRDF as a custom property of the main armature: the whole of it, with the text that was read.

It is packed as the model is (see properties.py), but for positions of states, which are joints,
their counts of numbers, and the numbers, and pairs of links, which may be many: their common parts
are in lists.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, replace
from typing import Any

from ...model import CollisionPair, GroupState, Semantics, VirtualJoint
from ..extract.robot import unpack
from ..standing import properties

_PAIRS = ("disabled_collisions", "enabled_collisions")


def keep_semantics(armature: Any, semantics: Semantics) -> None:
    """Keeps an SRDF on a robot's main armature, in place of an earlier one."""
    bare = replace(semantics, group_states=(), disabled_collisions=(), enabled_collisions=())
    packed = properties.pack(bare)
    if semantics.source:
        packed["source"] = semantics.source
    text = properties.pack_text(semantics.text)
    if text:
        packed["text"] = text
    if semantics.group_states:
        packed["group_states"] = [_pack_state(state) for state in semantics.group_states]
    for name in _PAIRS:
        pairs = getattr(semantics, name)
        if pairs:
            packed[name] = _pack_pairs(pairs)
    armature[properties.SEMANTICS] = packed


def find_semantics(armature: Any) -> Semantics | None:
    """Returns the SRDF that a robot's main armature keeps; None where there is none. Raises
    BuildError for one that was edited by hand."""
    kept = properties.read_group(armature, properties.SEMANTICS)
    if kept is None:
        return None
    try:
        return _read(kept)
    except (LookupError, AttributeError, TypeError, ValueError, StopIteration):
        raise properties.edited_by_hand(armature, properties.SEMANTICS) from None


def _read(kept: Any) -> Semantics:
    packed = _whole(Semantics, kept.to_dict())
    virtual = packed.get("virtual_joints", ())
    packed["virtual_joints"] = [_whole(VirtualJoint, joint) for joint in virtual]
    states = packed.pop("group_states", ())
    disabled, enabled = (_unpack_pairs(packed.pop(name, {})) for name in _PAIRS)
    packed["text"] = packed.get("text", "").encode("utf-8")
    semantics = unpack(Semantics, packed)
    return replace(
        semantics,
        group_states=tuple(map(_unpack_state, states)),
        disabled_collisions=disabled,
        enabled_collisions=enabled,
    )


def has_semantics(armature: Any) -> bool:
    """Whether a robot's main armature keeps an SRDF."""
    return properties.SEMANTICS in armature


def effector_links(armature: Any) -> list[str]:
    """Lists the links that end effectors sit on, without reading the rest: for panels."""
    kept = armature.get(properties.SEMANTICS, {})
    return [str(effector["parent_link"]) for effector in kept.get("end_effectors", ())]


def _pack_state(state: GroupState) -> dict[str, Any]:
    packed: dict[str, Any] = properties.pack(replace(state, positions=()))
    if state.positions:
        packed["joints"] = [joint for joint, _ in state.positions]
        packed["counts"] = [len(numbers) for _, numbers in state.positions]
        packed["numbers"] = [float(number) for _, numbers in state.positions for number in numbers]
    return packed


def _unpack_state(packed: Mapping[str, Any]) -> GroupState:
    numbers = iter(packed.get("numbers", ()))
    joints, counts = packed.get("joints", ()), packed.get("counts", ())
    positions = tuple(
        (joint, tuple(next(numbers) for _ in range(count)))
        for joint, count in zip(joints, counts, strict=True)
    )
    return replace(unpack(GroupState, packed), positions=positions)


def _pack_pairs(pairs: tuple[CollisionPair, ...]) -> dict[str, Any]:
    packed: dict[str, Any] = {
        name: [getattr(pair, name) for pair in pairs] for name in ("link1", "link2", "reason")
    }
    more = {
        str(place): properties.pack(pair)
        for place, pair in enumerate(pairs)
        if pair.attributes or pair.extras
    }
    return packed | ({"more": more} if more else {})


def _unpack_pairs(packed: Mapping[str, Any]) -> tuple[CollisionPair, ...]:
    more = packed.get("more", {})
    columns = (packed.get(name, ()) for name in ("link1", "link2", "reason"))
    return tuple(
        unpack(CollisionPair, more[str(place)])
        if str(place) in more
        else CollisionPair(link1=link1, link2=link2, reason=reason)
        for place, (link1, link2, reason) in enumerate(zip(*columns, strict=True))
    )


def _whole(kind: type[Any], packed: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a group with the texts that must be there: empty ones are left out by packing."""
    needed = [each.name for each in fields(kind) if each.default is MISSING and each.type is str]
    return {name: "" for name in needed} | dict(packed)
