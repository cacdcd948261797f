# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot as a builder script of the MORSE simulator: one file that needs no other."""

from .names import make_module_name
from .script import BuilderScript, write_builder_script

__all__ = ["BuilderScript", "make_module_name", "write_builder_script"]
