# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of rigs and of the extension share."""
