# SPDX-License-Identifier: GPL-3.0-or-later
"""Every link and picture of the documentation leads somewhere, and every page is reached."""

import re
from pathlib import Path

import pytest

from support.paths import ROOT

UNTRIED = (
    ROOT / "docs" / "start" / "install.md",
    ROOT / "docs" / "explanation" / "limits.md",
    ROOT / "listing" / "description.md",
)
"""Pages that say on which systems nothing ran yet."""
INDEX = ROOT / "docs" / "index.md"
PAGES = (
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "sample_urdfs" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
LISTING = sorted((ROOT / "listing").glob("*.md"))
"""What the platform of extensions shows."""
MOST_BYTES = 300_000
"""Of one picture: whoever clones the project fetches all of them, in all versions."""
MOST_WORDS = 2500
"""Of one page, tables and all: ten minutes of reading, and a search that ends."""
WIDEST = 120
CODE = ("|", "<", "![", "`", "**`", "* **`")
"""How lines begin that are tables, pictures, or code that stands alone."""


def read_links(page: Path) -> list[tuple[Path, str]]:
    """(file, anchor or "") for each link and picture of a page that stays in the project."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    parts = [target.partition("#") for target in targets if "://" not in target]
    return [(page.parent / path if path else page, anchor) for path, _, anchor in parts]


def read_anchors(page: Path) -> set[str]:
    """The names that a heading has as the target of a link."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), flags=re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", (*PAGES, *LISTING), ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    dead = [
        f"{name_of(path.resolve())}#{anchor}"
        for path, anchor in read_links(page)
        if not path.exists() or (anchor and anchor not in read_anchors(path))
    ]
    assert dead == []


def test_every_page_is_linked_from_the_index_and_that_from_the_readme() -> None:
    listed = {path.resolve() for path, _ in read_links(INDEX)}
    assert [
        name_of(page) for page in PAGES[1:] if page != INDEX and page.resolve() not in listed
    ] == []
    assert INDEX in {path.resolve() for path, _ in read_links(PAGES[0])}


@pytest.mark.parametrize("page", (*PAGES, *LISTING, *sorted(ROOT.glob("*.md"))), ids=name_of)
def test_prose_is_wrapped(page: Path) -> None:
    """Tables, pictures and blocks of code are as wide as they are; so is code that stands alone."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    prose = (line for line in text.splitlines() if not line.startswith(CODE))
    assert [line for line in prose if len(line) > WIDEST] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=name_of)
def test_pages_are_short(page: Path) -> None:
    assert len(page.read_text("utf-8").split()) <= MOST_WORDS


def test_every_picture_is_shown_and_small() -> None:
    shown = {path.resolve() for page in PAGES for path, _ in read_links(page)}
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    assert len(pictures) > 10
    assert [name_of(path) for path in pictures if path.resolve() not in shown] == []
    assert [name_of(path) for path in pictures if path.stat().st_size > MOST_BYTES] == []


@pytest.mark.parametrize("page", UNTRIED, ids=name_of)
def test_systems_on_which_nothing_ran_are_named(page: Path) -> None:
    """Until the workflow of .github/ has passed there."""
    assert "not yet run on Windows and macOS" in " ".join(page.read_text("utf-8").split())
