# SPDX-License-Identifier: GPL-3.0-or-later
"""A few texts that come back in the next session, in a file of the extension's own folder.

It is a convenience: where the folder cannot be written or read, nothing is remembered.
"""

import json
import os
from contextlib import suppress
from pathlib import Path

import bpy

EXTENSION = (__package__ or "").removesuffix(".operators")
_FILE = "remembered.json"


def load() -> dict[str, str]:
    """What save kept last."""
    try:
        kept = json.loads(_folder(create=False).joinpath(_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {key: value for key, value in kept.items() if isinstance(value, str)}


def save(texts: dict[str, str]) -> None:
    """Replaces what was kept; the file is there as a whole or as it was."""
    if texts == load():
        return
    with suppress(OSError):
        path = _folder(create=True) / _FILE
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(texts, indent=1), encoding="utf-8")
        os.replace(fresh, path)


def _folder(*, create: bool) -> Path:
    return Path(bpy.utils.extension_path_user(EXTENSION, create=create))
