# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of writers for ROS: names of packages, and texts from templates."""

from pathlib import Path
from string import Template

_LONGEST = 80


def make_package_name(robot: str) -> str:
    """Makes a name as ROS wants it: lower-case letters, digits and single _, beginning with a
    letter."""
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in robot.lower())
    words = "_".join(word for word in plain.split("_") if word) or "robot"
    words = words if words[0].isalpha() else f"robot_{words}"
    return words[:_LONGEST].rstrip("_")


def fill_template(path: Path, **words: str) -> str:
    """Returns the text of a template with its $words replaced."""
    return Template(path.read_text(encoding="utf-8")).substitute(words)
