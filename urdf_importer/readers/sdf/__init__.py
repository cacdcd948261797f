# SPDX-License-Identifier: GPL-3.0-or-later
"""SDF, the models of Gazebo, into robots.

XML -> scopes (models in models, included files) -> frames resolved -> tree and loops -> Robot
"""

from .format import SDF, list_models
from .models import MODEL_CONFIG, find_in_folder
from .page import TEMPLATE_SUFFIXES, refuse_template

__all__ = [
    "MODEL_CONFIG",
    "SDF",
    "TEMPLATE_SUFFIXES",
    "find_in_folder",
    "list_models",
    "refuse_template",
]
