# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a web site of docs/ with Sphinx; tools/build-docs runs it.

The pages are plain Markdown that reads well on a code host. Only a copy of them gets what a site
needs beside: the table of contents, made from the lists of docs/index.md; the reference of the
functions that a page lists under "Signatures", from their docstrings; an anchor for each code of a
diagnostic; and links into the checkout as links to the source.
"""

import enum
import inspect
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.autodoc.mock import mock

import urdf_importer
from urdf_importer.core.options import Options

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MOVED = {
    "README.md": "index.md",
    "CHANGELOG.md": "project/changelog.md",
    "CODE_OF_CONDUCT.md": "project/code_of_conduct.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "sample_urdfs/README.md": "project/sample_robots.md",
}
"""Pages that lie outside of docs/ in the checkout; the index takes the place of the README."""
BLENDER = ("addon_utils", "blf", "bmesh", "bpy", "bpy_extras", "gpu", "gpu_extras", "mathutils")
SETTINGS: dict[str, Any] = {
    "project": "URDF Importer",
    "author": PROJECT["authors"][0]["name"],
    "version": urdf_importer.__version__,
    "release": urdf_importer.__version__,
    "extensions": ["myst_parser", "sphinx.ext.autodoc"],
    "html_theme": "furo",
    "html_title": f"URDF Importer {urdf_importer.__version__}",
    "html_copy_source": False,
    "myst_heading_anchors": 4,
    "default_role": "literal",
    "nitpicky": True,
    "add_module_names": False,
    "autodoc_mock_imports": list(BLENDER),
    "autodoc_member_order": "bysource",
    "maximum_signature_line_length": 88,
    "suppress_warnings": ["config.cache"],
}
LINK = re.compile(r'(\]\(|src=")([^)"\s]+)')
CODE_OF_ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (?=warning|error)", re.MULTILINE)
LISTED = "\n## Signatures\n"


def stage_pages(stage: Path) -> None:
    """Copies all pages with their pictures, and adds to the copy what the site needs."""
    shutil.copytree(ROOT / "docs", stage, dirs_exist_ok=True)
    for name in MOVED:
        if name != "README.md":
            (stage / MOVED[name]).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    origins = {(stage / new).resolve(): ROOT / old for old, new in MOVED.items() if "/" in new}
    codes: dict[str, str] = {}
    for page in sorted(stage.rglob("*.md")):
        place = page.relative_to(stage).as_posix()
        text = move_links(page.read_text("utf-8"), origins.get(page, ROOT / "docs" / place), place)
        text, _, names = text.partition(LISTED)
        if names:
            text += f"\n## Signatures\n\n{''.join(describe_names(names))}"
        codes |= {code: place for code in CODE_OF_ROW.findall(text)}
        page.write_text(CODE_OF_ROW.sub(r'| <a id="\1"></a>`\1` | ', text), "utf-8")
    add_contents(stage / "index.md")
    add_codes(stage / "reference" / "diagnostics.md", codes)


def move_links(text: str, origin: Path, place: str) -> str:
    """Returns a page whose links lead to pages of the site, or to files of the source."""

    def move(found: re.Match[str]) -> str:
        path, mark, anchor = found[2].partition("#")
        if "://" in path or not path:
            return found[0]
        name = os.path.relpath(origin.parent / path, ROOT)
        target = MOVED.get(name) or (name[5:] if name.startswith("docs/") else None)
        if target is None:
            return f"{found[1]}{PROJECT['urls']['Source']}/{name}"
        return f"{found[1]}{os.path.relpath(target, os.path.dirname(place) or '.')}{mark}{anchor}"

    parts = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    parts[::2] = [LINK.sub(move, part) for part in parts[::2]]
    return "".join(parts)


def add_contents(index: Path) -> None:
    """Makes tables of contents of the index's lists, one for each heading."""
    text = index.read_text("utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, *lines = section.splitlines()
        pages = re.findall(r"^\* \[[^]]*\]\(([^)]*)\)", "\n".join(lines), re.MULTILINE)
        listed = "\n".join(pages)
        text += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"
    index.write_text(text, "utf-8")


def add_codes(page: Path, codes: dict[str, str]) -> None:
    """Appends all codes, each as an anchor of this page and a link to its row."""
    rows = []
    for code, place in sorted(codes.items()):
        target = os.path.relpath(place, page.parent.name).replace(".md", f".html#{code}")
        rows.append(f'<li id="{code}"><a href="{target}"><code>{code}</code></a></li>')
    with page.open("a", encoding="utf-8") as file:
        file.write(f"\n## Codes from A to Z\n\n<ul>\n{chr(10).join(rows)}\n</ul>\n")


def describe_names(names: str) -> Iterator[str]:
    """Yields the reference of each name that a page lists."""
    for name in re.findall(r"`(\w+)`", names):
        value = getattr(urdf_importer, name)
        kind, members = "data", ""
        if inspect.ismodule(value):
            kind, members = "module", "   :members:\n   :imported-members:\n"
        elif inspect.isclass(value):
            kind, members = "class", "   :members:\n"
            members += "   :undoc-members:\n" if issubclass(value, enum.Enum) else ""
        elif inspect.isfunction(value):
            kind = "function"
        yield f"```{{eval-rst}}\n.. auto{kind}:: urdf_importer.{name}\n{members}```\n\n"
        if is_dataclass(value) and issubclass(value, Options):
            yield describe_options(value)


def describe_options(options: type[Options]) -> str:
    """Returns a table of the fields of a class of options."""
    rows = ["| field | default | does |", "|---|---|---|"]
    for each in fields(options):
        does = escape(each.metadata["help"], quote=False).replace("|", "\\|")
        for choice, text in each.metadata.get("choices", {}).items():
            does += f"; `{choice!r}`: {escape(text, quote=False)}"
        rows.append(f"| `{each.name}` | `{each.default!r}` | {does} |")
    return "\n".join(rows) + "\n\n"


def link_public(app: Sphinx, env: Any, node: Any, text: Any) -> Any:
    """Links types of signatures to the class that the package offers under this name."""
    if node.get("refdomain") != "py":
        return None
    name = node["reftarget"].rpartition(".")[2]
    known = env.get_domain("py").objects
    if name in urdf_importer.__all__ and f"urdf_importer.{name}" in known:
        target = f"urdf_importer.{name}"
        kind = known[target].objtype
        role = env.get_domain("py").role_for_objtype(kind, "obj")
        return env.get_domain("py").resolve_xref(
            env, node["refdoc"], app.builder, role, target, node, text
        )
    return text


def define_terms(_app: Sphinx, _kind: str, _name: str, _of: Any, _options: Any, lines: Any) -> None:
    """Makes definition lists of a docstring's columns: name, two blanks or more, meaning."""
    blocks = re.split(r"\n\n", "\n".join(lines))
    for place, block in enumerate(blocks):
        found = re.match(r"\S.*? {2,}(?=\S)", block)
        if found is None:
            continue
        rows = []
        for line in block.splitlines():
            wide = re.match(r"(\S.*?) {2,}(?=\S)", line)
            end = wide.end() if wide else found.end()
            if line[:end].strip():
                rows.append(f"{wide[1] if wide else line[:end].strip()}\n   {line[end:]}")
            else:
                rows.append(f"   {line.strip()}")
        blocks[place] = "\n".join(rows)
    lines[:] = "\n\n".join(blocks).splitlines()


def build(out: Path) -> int:
    """Writes the site and returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Path(folder).resolve() / "docs"
        with mock(list(BLENDER)):
            stage_pages(stage)
        app = Sphinx(
            srcdir=stage,
            confdir=None,
            outdir=out,
            doctreedir=Path(folder) / "doctrees",
            buildername="html",
            confoverrides=SETTINGS,
            status=None,
            warningiserror=True,
        )
        app.connect("missing-reference", link_public)
        app.connect("autodoc-process-docstring", define_terms)
        app.build()
        return int(app.statuscode)


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1])))
