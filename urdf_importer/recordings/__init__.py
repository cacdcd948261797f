# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings: files of motion, read and written.

A container (a bag, a table, a text) knows nothing of joints, and what knows joints nothing of
containers: between them stand messages, as trees of arrays.
"""
