# SPDX-License-Identifier: GPL-3.0-or-later
"""The user interface: operators poll, translate and report; they know nothing about robots."""

from . import command_line, mending, option_properties, preferences, reports, session, stepping
from .collisions import panel as collision_shapes_panel
from .driving import operators as drives
from .driving import steer
from .exporting import menu
from .exporting import operators as exporters
from .exporting import world as world_exporter
from .gizmos import classes as gizmo_classes
from .ik import panel as ik_panel
from .importing import locate, run_import, source_watch, update, xacro_fields
from .importing import operators as importers
from .motion import live_panel, motion_files, motion_panel, retarget_panel
from .seeing import panel as sensors_panel
from .semantics import collision_operator, group_operators, panel_groups, srdf_files
from .sidebar import classes as sidebar_classes
from .simulating import panel as simulate_panel

PARTS = (
    session,
    xacro_fields,
    preferences,
    option_properties,
    stepping,
    run_import,
    importers,
    exporters,
    world_exporter,
    reports,
    sidebar_classes,
    ik_panel,
    drives,
    steer,
    update,
    source_watch,
    locate,
    menu,
    srdf_files,
    group_operators,
    collision_operator,
    collision_shapes_panel,
    panel_groups,
    gizmo_classes,
    mending,
    command_line,
    motion_files,
    motion_panel,
    simulate_panel,
    retarget_panel,
    sensors_panel,
    live_panel,
)
"""Each with register() and unregister(), in the order of registration."""


def register() -> None:
    """Adds the operators and their menu entries to Blender."""
    for part in PARTS:
        part.register()


def unregister() -> None:
    """Takes them out again."""
    for part in reversed(PARTS):
        part.unregister()
