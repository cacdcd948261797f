# SPDX-License-Identifier: GPL-3.0-or-later
"""python -m urdf_importer: the command urdf-importer."""

import sys

from .cli import main

sys.exit(main())
