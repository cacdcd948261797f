# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of USD, opened in a child process that has bounds, to plain data."""

from .data import StagePrim, UsdStage, split, split_stretch
from .process import Variants, open_stage

__all__ = ["StagePrim", "UsdStage", "Variants", "open_stage", "split", "split_stretch"]
