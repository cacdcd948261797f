# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation spread over several programs, each of which runs some of the robots."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pprint import pformat

from ...diagnostics import quote
from ..game_engine.game_data import GameData
from ..game_engine.scene_objects import find_object, find_with_property
from ..game_engine.scene_setup import write_text

logger = logging.getLogger(__name__)

_CONFIG = "multinode_config.py"
_TAG = "Robot_Tag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Multinode:
    """`distribution` is node -> names of the robots that it runs."""

    protocol: str = "socket"
    server_address: str = "localhost"
    server_port: str = "65000"
    distribution: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def choose_robots(self, node: str) -> list[str] | None:
        """The robots of a node; None for all, where nothing was said."""
        if not self.distribution:
            return None
        found = self.distribution.get(node, ())
        return [found] if isinstance(found, str) else list(found)

    def write(self, node: str) -> None:
        """Makes all robots but those of this node external ones, which stand still, and writes the
        node's configuration."""
        if node not in self.distribution:
            logger.warning("no robots were given to node %s", quote(node))
        own = set(self.distribution.get(node, ()))
        for name in own:
            item = find_object(name)
            if item is not None and _TAG not in GameData(item).properties:
                logger.warning("%s is no robot, so node %s can not run it", name, quote(node))
        for item in find_with_property(_TAG):
            if item.name not in own:
                game = GameData(item)
                game.properties[_TAG].name = f"External_{_TAG}"
                game.physics_type = "STATIC"
        settings = {
            "protocol": self.protocol,
            "node_name": node,
            "server_address": self.server_address,
            "server_port": self.server_port,
        }
        write_text(_CONFIG, f"node_config = {pformat(settings)}\n")
