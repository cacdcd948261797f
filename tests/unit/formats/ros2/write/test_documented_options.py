# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/ros2.md knows every option of the packages, with its default."""

import ast
import re
from dataclasses import fields

from support.paths import ROOT
from urdf_importer import Ros2Options

PAGE = ROOT / "docs" / "how-to" / "ros2.md"
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| `([^|`]+)` \|", re.MULTILINE)


def test_page_has_every_option_with_its_default() -> None:
    section = PAGE.read_text("utf-8").partition("## Options")[2].partition("\n## ")[0]
    rows = ROW.findall(section)
    found = {
        name: ast.literal_eval(written)
        for names, written in rows
        for name in re.findall(r"`(\w+)`", names)
    }
    assert found == {field.name: field.default for field in fields(Ros2Options)}
