# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of Blender 2.7's Python that builder scripts of MORSE use, over today's Blender.

Nothing here is in place before install_attributes() and install_functions() of attributes.py and
functions.py are called; what they replace, replacements.py puts back.
"""
