# SPDX-License-Identifier: GPL-3.0-or-later
"""The child process that opens a stage of USD. It is on its own: nothing else of the library is
imported in it, and nothing here is imported by the library."""
