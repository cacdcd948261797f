# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter file and table of joints -> plain data, with the line of everything that is odd."""
