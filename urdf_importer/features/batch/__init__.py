# SPDX-License-Identifier: GPL-3.0-or-later
"""Thousands of descriptions, unattended: no file stops another, nothing is lost.

    result = urdf_importer.batch(["robots/"], "out", to=("blend", "png"))

One supervisor feeds one child process, which holds Blender and converts robots one after another. A
child that freezes, dies or grows too big costs one robot. Supervisors run in threads of this
process, or inside the tasks of a Dask cluster. Documented in docs/how-to/batch.md.
"""

from importlib import import_module
from typing import Any

_PLACES = {
    "BatchOptions": "options",
    "BatchRecord": "records",
    "BatchResult": "records",
    "DatasetResult": "dataset",
    "batch": "run",
    "make_dataset": "dataset",
}
OFFERED = tuple(_PLACES)
"""Names that are public names of the whole library too."""


def add_commands(commands: Any) -> None:
    """Adds `urdf-importer batch` and `urdf-importer dataset`."""
    from .arguments import add_batch, add_dataset

    add_batch(commands)
    add_dataset(commands)


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f".{_PLACES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
