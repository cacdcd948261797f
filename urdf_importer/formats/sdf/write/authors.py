# SPDX-License-Identifier: GPL-3.0-or-later
"""The people whom the package of a description names."""

import os

from ....core.diagnostics import ReadError
from ....core.files.folders import walk_up
from ....core.files.regular import read_regular_file
from ....core.markup.xml import parse_fragment, text_of


def find_authors(source: str) -> list[tuple[str, str]]:
    """Finds the names and addresses of the authors, else the maintainers, in the package.xml
    nearest above a description; none where there is no such file."""
    for folder in walk_up(os.path.dirname(os.path.abspath(source))) if source else ():
        try:
            data = read_regular_file(os.path.join(folder, "package.xml"))
        except ReadError:
            continue
        data = data[max(data.find(b"<package"), 0) :]
        root = parse_fragment(data)
        for tag in ("author", "maintainer"):
            found = [
                (name, child.attributes.get("email", "").strip())
                for child in root or ()
                if child.tag == tag and (name := text_of(child, data).strip())
            ]
            if found:
                return found
        break
    return []
