# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings: files of motion, read and written.

A container (a bag, a table, a text) knows nothing of joints, and the code for joints nothing of
containers: messages, as trees of arrays, are between them.
"""
