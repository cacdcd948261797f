# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of descriptions, unattended: no file stops another, nothing is lost.

    result = urdf_importer.batch(["robots/"], "out", to=("blend", "png"))

One supervisor feeds one child process, which holds Blender and converts robots one after another. A
child that freezes, dies or grows too big costs one robot. Supervisors run in threads of this
process, or inside the tasks of a Dask cluster. Documented in docs/how-to/batch.md.
"""

from ...core.shelves import Part

PART = Part(
    name="batch",
    names={
        "dataset": (
            "DatasetResult",
            "make_dataset",
        ),
        "options": ("BatchOptions",),
        "records": (
            "BatchRecord",
            "BatchResult",
        ),
        "run": ("batch",),
    },
    commands="arguments",
)
