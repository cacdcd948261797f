# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of Blender 2.7 that builder scripts of MORSE use, over the Blender of today, and what
the game engine kept of objects.

Nothing here is in place before install_attributes() and install_functions() of attributes.py and
functions.py are called; what they replace, replacements.py puts back.
"""
