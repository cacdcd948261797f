# SPDX-License-Identifier: GPL-3.0-or-later
"""File -> Robot: the content of the description, with the line of everything odd about it."""

from .formats import Description, ReaderFormat, choose_reader
from .mjcf import MJCF
from .sdf.format import SDF, list_models
from .sdf.model_files import MODEL_CONFIG, find_in_folder
from .sdf.page import TEMPLATE_SUFFIXES, refuse_template
from .simmechanics import SIMMECHANICS
from .urdf.robot import URDF, read_robot_text
from .usd import USD, list_articulations
from .xacro.expand import XacroArgument, list_xacro_arguments

__all__ = [
    "MJCF",
    "MODEL_CONFIG",
    "SDF",
    "SIMMECHANICS",
    "TEMPLATE_SUFFIXES",
    "URDF",
    "USD",
    "Description",
    "ReaderFormat",
    "XacroArgument",
    "choose_reader",
    "find_in_folder",
    "list_articulations",
    "list_models",
    "list_xacro_arguments",
    "read_robot_text",
    "refuse_template",
]
