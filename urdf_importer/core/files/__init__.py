# SPDX-License-Identifier: GPL-3.0-or-later
"""Finding files, reading them safely, and writing them whole or not at all."""
