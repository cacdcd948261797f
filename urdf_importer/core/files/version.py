# SPDX-License-Identifier: GPL-3.0-or-later
"""The version, which the manifest states, also for the pip package made from it."""

import tomllib
from functools import cache
from pathlib import Path

MANIFEST = Path(__file__).parents[3] / "blender_manifest.toml"


@cache
def find_version() -> str:
    """Finds the version of the checkout or extension that this file lies in, else of the
    package."""
    try:
        with MANIFEST.open("rb") as file:
            manifest = tomllib.load(file)
    except OSError:
        from importlib import metadata

        return metadata.version("urdf-importer")
    return str(manifest["version"])
