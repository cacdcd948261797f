# SPDX-License-Identifier: GPL-3.0-or-later
"""<plugin>: which joints the controllers of a model drive.

Names of plugins are the names in Gazebo and its ROS packages, which all name joints by children
such as <joint_name>, <left_joint> or <frontLeftJoint>. They become transmissions, since
descriptions use these for motors: by them the free joints of loops are chosen. The plugins
themselves are kept word for word beside.
"""

from collections.abc import Collection, Iterator

from ....core.markup.xml import Element
from ....core.model import Transmission
from ....core.readers.transmissions import Drive, make_transmission
from .page import Page, all_of
from .scope import Scope

_DRIVING = ("controller", "drive", "steering", "thruster", "motor", "actuator")
"""In a plugin's name; others, such as the publishers of joint states, only look at joints."""
_BY_POSITION = ("position", "trajectory")
_ENDS = ("joint", "jointname", "joints")


def read_motors(top: Scope, joints: Collection[str]) -> list[Transmission]:
    """Returns the motors that the plugins of a model, and of all within it, name among `joints`;
    one for each joint."""
    found: dict[str, Transmission] = {}
    for scope in top.walk():
        for page, elements in scope.others(frozenset()):
            for plugin in (each for each in elements if each.tag == "plugin"):
                for name in _list_joints(plugin, page, scope):
                    if name in joints and name not in found:
                        drive = _find_drive(plugin, page)
                        found[name] = make_transmission(name, name, drive, line=plugin.line)
    return list(found.values())


def _list_joints(plugin: Element, page: Page, scope: Scope) -> Iterator[str]:
    """The joints that a plugin drives, by their full names."""
    names = f"{plugin.attributes.get('name', '')} {plugin.attributes.get('filename', '')}".lower()
    if not any(word in names for word in _DRIVING):
        return
    for child in plugin:
        if child.tag.lower().replace("_", "").endswith(_ENDS):
            for name in page.text(child).split():
                found = scope.look_up(name)
                if found is not None:
                    yield found[0].prefix + found[1]


def _find_drive(plugin: Element, page: Page) -> Drive:
    if any(page.flag(each) for each in all_of(plugin, "use_force_commands")):
        return "Effort"
    names = f"{plugin.attributes.get('name', '')} {plugin.attributes.get('filename', '')}".lower()
    return "Position" if any(word in names for word in _BY_POSITION) else "Velocity"
