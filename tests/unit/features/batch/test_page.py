# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a batch: every robot is on it, and hostile names stay text."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from urllib.parse import unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from urdf_importer.features.batch.page import make_page
from urdf_importer.features.batch.records import BatchRecord

HOSTILE = "<script>alert(1)</script>\"'&%%HEAD%%<!--]]>"


class Page(HTMLParser):
    """What a browser sees: tags with their attributes, and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def find(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def make(name: str, **more: object) -> BatchRecord:
    given = {"input": f"/in/{name}.urdf", "place": name, "status": "ok", "robot": name}
    return BatchRecord(**(given | more))  # type: ignore[arg-type]


def test_hostile_names_stay_text() -> None:
    record = make(
        HOSTILE,
        error=HOSTILE,
        files=(f"{HOSTILE.replace('/', '')}/a.png", "#1?%41/b.blend"),
        place="x",
        diagnostics=({"message": HOSTILE, "code": HOSTILE, "line": 3},),
    )
    page = Page(make_page([record], 1))
    assert len(page.find("script")) == 1
    assert [text for text in page.texts if text == HOSTILE]
    assert page.find("img")[0]["src"].startswith("./%3Cscript%3E")  # type: ignore[union-attr]
    (link,) = [each["href"] for each in page.find("a") if "blend" in str(each["href"])]
    assert unquote_to_bytes(str(link)) == b"./#1?%41/b.blend"


def test_only_the_pages_own_script_may_run() -> None:
    text = make_page([make("a")], 1)
    policy = str(Page(text).find("meta")[1]["content"])
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    assert "unsafe" not in policy and "http" not in text.replace("http-equiv", "")


def test_what_went_wrong_comes_first() -> None:
    records = [make("a"), make("b", status="failed", error="no links"), make("c", status="timeout")]
    page = Page(make_page(records, 5))
    assert [each["data-status"] for each in page.find("article")] == ["failed", "timeout", "ok"]
    assert [each["data-show"] for each in page.find("button")] == ["all", "failed", "timeout", "ok"]
    assert any("2 not done yet" in text for text in page.texts)


def test_links_lead_to_the_robots_own_files() -> None:
    files = ("a/b/b.blend", "a/b/b.proto", "a/b/b_meshes/x.stl")
    page = Page(make_page([make("a/b", files=files)], 1))
    links = [each["href"] for each in page.find("a") if str(each["href"]).startswith(".")]
    assert links == ["./a/b/b.blend", "./a/b/b.proto"]


@given(st.text(st.characters(exclude_categories=()), min_size=1), st.text())
def test_every_name_makes_a_page(name: str, error: str) -> None:
    text = make_page([make(name, error=error, status="failed", files=(f"{name}.png",))], 1)
    page = Page(text.encode("utf-8").decode())
    assert len(page.find("article")) == 1 and len(page.find("script")) == 1
    assert all(str(each["src"]).isascii() for each in page.find("img"))
