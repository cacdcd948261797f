# SPDX-License-Identifier: GPL-3.0-or-later
"""The user interface: operators poll, translate and report; they know nothing about robots."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .registration import add_part, take_out
from .session import forget_session

_NAMES = (
    "importing.xacro_fields", "preferences", "option_properties", "stepping",
    "importing.run_import", "importing.operators", "exporting.operators", "reports",
    "sidebar.pose_operators", "sidebar.select_operators", "sidebar.whole_robot",
    "sidebar.panel", "sidebar.panel_data", "sidebar.panel_joints", "sidebar.panel_display",
    "sidebar.panel_links", "sidebar.panel_limbs", "sidebar.panel_report",
    "sidebar.reshape_operators", "sidebar.robot_menu", "active_robot",
    "studio.operators", "ik.operators", "ik.panel", "driving.operators", "driving.steer",
    "importing.update", "importing.locate", "exporting.menu", "worlds.export", "srdf.files",
    "semantics.group_operators", "semantics.pose_blend", "semantics.panel_groups",
    "build.links", "build.joints", "build.masses", "build.parts", "build.panel",
    "collisions.fit", "collisions.disabled_pairs", "collisions.overlay", "collisions.panel",
    "ik.drag_tip", "ik.tip_gizmo", "gizmos.drag_joint", "gizmos.joint_gizmo", "gizmos.switch",
    "renamed_bones", "command_line", "motion.range_test", "motion.motion_files", "motion.episodes",
    "motion.panel", "simulation.operators", "retargeting.panel", "retargeting.person_file",
    "kept_views", "waypoints.operators", "waypoints.panel", "waypoints.overlay", "waypoints.swivel",
    "proof.operators", "sensing.looking", "sensing.operators", "sensing.panel", "live.panel",
)  # fmt: skip


def _list_present() -> Iterator[ModuleType]:
    """Yields the modules; modules of a removed feature are passed over, with its folder."""
    for name in _NAMES:
        folder = name.rpartition(".")[0]
        # A folder that only caches are left in has no origin.
        found = find_spec(f".{folder}", __name__) if folder else __spec__
        if found is not None and found.origin is not None:
            yield import_module(f".{name}", __name__)


PARTS = tuple(_list_present())
"""The modules with classes for Blender or a `register` of their own, in the order of registration:
gizmos in the order in which Blender asks them for the part under the mouse."""


def register() -> None:
    """Adds the operators and their menu entries to Blender."""
    for part in PARTS:
        add_part(part)


def unregister() -> None:
    """Takes them out again."""
    take_out()
    forget_session()
