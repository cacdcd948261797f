# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of Blender's own readers and writers, in words for users."""

import re

_FOLDERS = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?[\\/](?:[^\\/\n'\":]*[\\/])*(?=[^\\/\n'\":])")


def last_words(error: Exception) -> str:
    """Returns the cause of a failure: the last line of its traceback, without the place in
    Blender's own files and without the folders of this machine."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith("Location:")]
    return _FOLDERS.sub("", told[-1]) if told else "it gives no reason"
