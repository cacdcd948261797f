# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of README.md and docs/how-to/python.md run, and the page knows every option."""

import re
from dataclasses import fields

import pytest

import urdf_importer
from support.blender.rigs import new_scene
from support.paths import ROOT
from urdf_importer import ImportOptions

PAGES = (
    "README.md", "docs/how-to/python.md", "docs/how-to/update.md", "docs/how-to/motion_from_ros.md",
    "docs/how-to/motion_in_webots.md", "docs/how-to/motion_to_robots.md",
)  # fmt: skip


def read_examples() -> list[tuple[str, str]]:
    """(name, code) of every Python example, in order."""
    return [
        (f"{page} {number}", code)
        for page in PAGES
        for number, code in enumerate(
            re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL), start=1
        )
    ]


EXAMPLES = read_examples()


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in EXAMPLES])
def test_example_runs(code, tmp_path, monkeypatch):
    new_scene()
    (tmp_path / "sample_urdfs").symlink_to(ROOT / "sample_urdfs")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {"__name__": "example"})


def test_there_are_examples_of_all_pages():
    assert {name.split()[0] for name, _ in EXAMPLES} == set(PAGES)


def test_page_has_every_option_with_its_default():
    page = (ROOT / "docs" / "reference" / "api" / "importing.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.MULTILINE))
    defaults = {name: eval(text) for name, text in rows.items()}  # noqa: S307
    assert defaults == {field.name: field.default for field in fields(ImportOptions)}


def test_reference_lists_all_that_is_public_once():
    pages = sorted((ROOT / "docs" / "reference" / "api").glob("*.md"))
    lists = [page.read_text("utf-8").partition("## Signatures")[2] for page in pages]
    assert sorted(re.findall(r"`(\w+)`", " ".join(lists))) == sorted(urdf_importer.__all__)
