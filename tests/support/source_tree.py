# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's own Python files, for tests about the source itself."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from support.paths import MORSE, ROOT

FOLDERS = (
    "urdf_importer", "operators", "packages", "tests", "benchmarks", "docs", "sample_urdfs",
    "tools",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Source:
    """One file, read and parsed when that is asked for; `parts` is its dotted name in the checkout,
    or in packages/morse, without a final `__init__`."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def tree(self) -> ast.Module:
        return _parse(self)

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def parts(self) -> tuple[str, ...]:
        top = MORSE if self.path.is_relative_to(MORSE) else ROOT
        parts = self.path.relative_to(top).with_suffix("").parts
        return parts[:-1] if parts[-1] == "__init__" else parts

    @property
    def package(self) -> tuple[str, ...]:
        """Where its relative imports start from."""
        return self.parts if self.path.name == "__init__.py" else self.parts[:-1]

    def place(self, node: ast.stmt | ast.expr | ast.ExceptHandler) -> str:
        return f"{self.name}:{node.lineno}"


@cache
def all_sources() -> tuple[Source, ...]:
    paths = [*ROOT.glob("*.py")]
    for folder in FOLDERS:
        paths += (ROOT / folder).rglob("*.py")
    return tuple(Source(path) for path in sorted(paths))


def sources_of(*folders: str) -> tuple[Source, ...]:
    return tuple(
        source for source in all_sources() if source.parts[:1] and source.parts[0] in folders
    )


def walk_with_depth(tree: ast.Module) -> Iterator[tuple[ast.AST, bool]]:
    """Every node, and whether it stands in a function or below `if TYPE_CHECKING`."""
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, deferred = todo.pop()
        yield node, deferred
        inside = deferred or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        inside = inside or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        todo += [(child, inside) for child in ast.iter_child_nodes(node)]


@cache
def _parse(source: Source) -> ast.Module:
    return ast.parse(source.text, filename=str(source.path))
