# SPDX-License-Identifier: GPL-3.0-or-later
"""XML text to elements that know their lines, and back, for every format that is XML."""
