# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/how-to/webots.md knows every option of an export, with its default."""

import ast
import re
from dataclasses import fields

from support.paths import ROOT
from urdf_importer import WebotsOptions

PAGE = ROOT / "docs" / "how-to" / "webots.md"
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|", re.MULTILINE)


def test_page_has_every_option_with_its_default() -> None:
    """Several options of one default share a row; "zeros" are three of them."""
    found = {}
    section = PAGE.read_text("utf-8").partition("## Options")[2].partition("\n## ")[0]
    for names, written in ROW.findall(section):
        several = re.findall(r"`(\w+)`", names)
        texts = re.findall(r"`([^`]+)`", written)
        values = [ast.literal_eval(text) for text in texts] or [(0.0, 0.0, 0.0)]
        if len(values) == 1:
            values *= len(several)
        found |= dict(zip(several, values, strict=True))
    assert found == {field.name: field.default for field in fields(WebotsOptions)}
