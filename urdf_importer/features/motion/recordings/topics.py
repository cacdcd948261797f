# SPDX-License-Identifier: GPL-3.0-or-later
"""The topics of a recording, and the choice of the one to read as a motion."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ....core.diagnostics import ReadError, quote

Motion = Literal["joints", "frames", ""]
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A stream of messages in a recording.

    type    as ROS 1 spells it, such as sensor_msgs/JointState
    count   how many messages there are
    start, end  nanoseconds: when the first and the last were recorded
    motion  "joints" or "frames" where they can be read as such, else empty
    """

    name: str
    type: str
    count: int
    start: int
    end: int
    motion: Motion


def choose_topic(topics: Sequence[Topic], wanted: str | None) -> Topic:
    """Returns the topic that is wanted; without a wish /joint_states, or the only one that has
    joints, or else frames. Raises ReadError, which lists the topics, where none is clear."""
    if wanted is not None:
        for topic in topics:
            if topic.name.lstrip("/") == wanted.lstrip("/"):
                _check(topic)
                return topic
        raise ReadError(f"there is no topic {quote(wanted)}; {_list(topics)}")
    for motion in ("joints", "frames"):
        found = [each for each in topics if each.motion == motion and each.count]
        usual = [each for each in found if each.name.lstrip("/") in ("joint_states", "tf")]
        if usual or len(found) == 1:
            return (usual or found)[0]
        namespaced = [each for each in found if each.name.endswith("/joint_states")]
        if len(namespaced) == 1:
            return namespaced[0]
        if found:
            raise ReadError(f"several topics are motions, choose one: {_list(found)}")
    raise ReadError(f"no topic is a motion of joints or frames; {_list(topics)}")


def _check(topic: Topic) -> None:
    if not topic.motion:
        raise ReadError(
            f"topic {quote(topic.name)} has the type {quote(topic.type)}, which holds no motion"
        )


def _list(topics: Sequence[Topic]) -> str:
    """Returns the topics with type and number of messages, for a message."""
    if not topics:
        return "the recording is empty"
    shown = [
        f"{quote(each.name)} ({each.count} of {quote(each.type)[1:-1]})"
        for each in topics[:_MOST_NAMED]
    ]
    more = len(topics) - _MOST_NAMED
    return "there are " + ", ".join(shown) + (f" and {more} more" if more > 0 else "")
