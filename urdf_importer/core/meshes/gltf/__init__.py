# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF and GLB files to arrays."""
