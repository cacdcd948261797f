# SPDX-License-Identifier: GPL-3.0-or-later
"""index.html: the robots of a batch at a glance. One file without network, which opens from disk.

Names come from files of strangers: every text is escaped, every path quoted, and the page's policy
lets no script run but its own.
"""

import base64
import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...core.command.terminal import printable
from ...core.files.outputs import write_text
from .records import BatchRecord

PAGE = "index.html"
_TEMPLATES = Path(__file__).parent / "templates"
_ORDER = ("failed", "crashed", "timeout", "memory", "lost", "skipped", "ok")
_SLOWEST = 10
_MOST_DIAGNOSTICS = 50
"""Diagnostics shown of one robot; the log has all."""


def write_page(path: Path, records: Sequence[BatchRecord], total: int) -> None:
    """Writes the page of `records`, of `total` robots in all. Raises WriteError."""
    write_text(path, make_page(records, total))


def make_page(records: Sequence[BatchRecord], total: int) -> str:
    """Makes the text of the page."""
    style, script = (
        (_TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.css", "page.js")
    )
    # Failures come first; otherwise it is the order of the inputs.
    shown = sorted(records, key=lambda record: _ORDER.index(record.status))
    parts = {
        "POLICY": f"default-src 'none'; img-src 'self' file: data:; style-src {_hash_of(style)}; "
        f"script-src {_hash_of(script)}; base-uri 'none'; form-action 'none'",
        "STYLE": style,
        "SCRIPT": script,
        "HEAD": _make_head(records, total),
        "CARDS": "\n".join(map(_make_card, shown)),
    }
    page = (_TEMPLATES / "page.html").read_text(encoding="utf-8")
    head, *pieces = page.split("%%")
    texts = [parts[piece] if number % 2 == 0 else piece for number, piece in enumerate(pieces)]
    page = head + "".join(texts)
    return page.encode("utf-8", "backslashreplace").decode("utf-8")  # It may have surrogates.


def _hash_of(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _make_head(records: Sequence[BatchRecord], total: int) -> str:
    counts = Counter[str](record.status for record in records)
    buttons = [_make_button("all", len(records))]
    buttons += [_make_button(status, counts[status]) for status in _ORDER if counts[status]]
    seconds = sum(record.total_seconds for record in records)
    slowest = sorted(records, key=lambda record: -record.total_seconds)[:_SLOWEST]
    rows = "".join(
        f"<li><a href='#{_anchor(each)}'>{_text(_title(each))}</a> {each.total_seconds:.1f} s</li>"
        for each in slowest
    )
    left = total - len(records)
    waiting = f"{left} not done yet. " if left else ""
    return (
        f"<h1>{total} robots</h1><p>{waiting}{seconds:.0f} s of work in all.</p>"
        f"<div id='statuses'>{''.join(buttons)}</div>"
        f"<details><summary>Slowest</summary><ol>{rows}</ol></details>"
    )


def _make_button(status: str, number: int) -> str:
    pressed = "true" if status == "all" else "false"
    return (
        f"<button type='button' data-show='{status}' class='{status}' aria-pressed='{pressed}'>"
        f"{status} {number}</button>"
    )


def _make_card(record: BatchRecord) -> str:
    title = _title(record)
    search = f"{title} {record.input} {record.error}".lower()
    return (
        f"<article id='{_anchor(record)}' class='{record.status}' data-status='{record.status}' "
        f"data-name='{_text(title.lower())}' data-time='{record.total_seconds:.3f}' "
        f"data-search='{_text(search)}'>"
        f"{_make_picture(record)}<h2>{_text(title)}</h2>{_make_facts(record)}"
        f"{_make_error(record)}{_make_diagnostics(record)}{_make_files(record)}"
        f"<p class='path'>{_text(record.input)}</p></article>"
    )


def _title(record: BatchRecord) -> str:
    return record.robot or record.place or record.input


def _anchor(record: BatchRecord) -> str:
    return "r" + hashlib.sha256(_bytes(record.input)).hexdigest()[:16]


def _make_picture(record: BatchRecord) -> str:
    picture = next((file for file in record.files if file.endswith(".png")), None)
    if picture is None:
        return f"<div class='none'>{record.status}</div>"
    name = _text(f"Picture of {_title(record)}")
    return f"<img src='{_link(picture)}' alt='{name}' loading='lazy' decoding='async'>"


def _make_facts(record: BatchRecord) -> str:
    facts = record.facts
    texts = [
        f"{number:g} {name}"
        for key, name in (("links", "links"), ("moving_joints", "joints"), ("total_mass", "kg"))
        if isinstance(number := facts.get(key), int | float)
    ]
    texts.append(f"{record.total_seconds:.1f} s")
    return f"<p>{_text(' · '.join(texts))}</p>"


def _make_error(record: BatchRecord) -> str:
    """The path is given below; its name is enough here."""
    error = record.error.replace(record.input, os.path.basename(record.input))
    return f"<p class='error'>{_text(error)}</p>" if error else ""


def _make_diagnostics(record: BatchRecord) -> str:
    if not record.diagnostics:
        return ""
    items = [_describe(each) for each in record.diagnostics[:_MOST_DIAGNOSTICS]]
    more = len(record.diagnostics) - len(items)
    if more:
        items.append(f"and {more} more")
    rows = "".join(f"<li>{_text(each)}</li>" for each in items)
    count = len(record.diagnostics)
    word = "message" if count == 1 else "messages"
    return f"<details><summary>{count} {word}</summary><ul>{rows}</ul></details>"


def _describe(diagnostic: Mapping[str, Any]) -> str:
    line = diagnostic.get("line")
    place = f"line {line}: " if line else ""
    return f"{place}{diagnostic.get('message', '')} [{diagnostic.get('code', '')}]"


def _make_files(record: BatchRecord) -> str:
    """Links to the files in the robot's own folder; meshes and textures lie deeper."""
    deep = record.place.count("/") + 1
    shown = [file for file in record.files if file.count("/") == deep]
    links = [f"<a href='{_link(file)}'>{_text(file.rsplit('.', 1)[-1])}</a>" for file in shown]
    return f"<p class='files'>{' '.join(links)}</p>" if links else ""


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def _link(path: str) -> str:
    return "./" + quote(_bytes(path), safe="/")


def _bytes(path: str) -> bytes:
    """Returns the path as the file system has it, which may be in any encoding."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "backslashreplace")
