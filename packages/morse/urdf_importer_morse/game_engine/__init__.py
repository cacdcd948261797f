# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of Blender 2.7 that MORSE's builder scripts use, on top of today's Blender, and the game
engine's data of objects.

Nothing here is in place before install_attributes() and install_functions() of attributes.py and
functions.py are called; replacements.py takes it back.
"""
