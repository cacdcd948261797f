# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a .blend file, each with the blocks that belong to it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...diagnostics import ReadError
from .blocks import Block, Layout, open_blend
from .dna import Catalogue, View, read_catalogue

# Longer than any list that a person made by hand.
MOST_LINKED = 100_000


@dataclass(frozen=True, slots=True)
class Contents:
    """`version` is (269, 4) for Blender 2.69 sub 4. `names` are the names of all data-blocks by
    their address, without the two letters of their kind."""

    catalogue: Catalogue
    version: tuple[int, int]
    objects: tuple["StoredObject", ...]
    names: dict[int, str]


@dataclass(frozen=True, slots=True)
class StoredObject:
    """`blocks` by address: addresses are unique within what belongs to one data-block only."""

    name: str
    address: int
    view: View
    blocks: dict[int, Block]

    def take_data(self, address: int) -> bytes:
        """What belongs to one owner only, such as the text of a property; empty where it is not
        stored. It can be taken once, so that the work does not grow beyond the file."""
        block = self.blocks.pop(address, None)
        return block.data if block else b""

    def take_view(self, address: int) -> View | None:
        """The structure at an address, taken like take_data; None where it is not stored."""
        view = self._view_at(address)
        self.blocks.pop(address, None)
        return view

    def _view_at(self, address: int) -> View | None:
        block = self.blocks.get(address)
        return block and self.view.catalogue.view(block.structure, block.data)

    def iterate_list(self, path: str, structure: str) -> Iterator[tuple[int, View]]:
        """Address and view of each element of a linked list.

        Raises ReadError where the list leads elsewhere than to structures of that name or has no
        end.
        """
        address = self.view.read_pointer(f"{path}.first")
        seen: set[int] = set()
        while address:
            view = self._view_at(address)
            if view is None or view.structure.name != structure:
                raise ReadError(f"the file is damaged: a list of {structure} is broken")
            if address in seen or len(seen) >= MOST_LINKED:
                raise ReadError(f"the file is damaged: a list of {structure} has no end")
            seen.add(address)
            yield address, view
            address = view.read_pointer("next")


@dataclass(slots=True)
class _Gathered:
    """The blocks that matter: of data-blocks only the head, of objects all that follows it."""

    heads: list[Block] = field(default_factory=list)
    objects: list[tuple[Block, dict[int, Block]]] = field(default_factory=list)
    general: Block | None = None
    catalogue: bytes = b""

    def take(self, block: Block, owner: bytes) -> None:
        if block.code == b"DNA1":
            self.catalogue = block.data
        elif block.code == b"GLOB":
            self.general = block
        elif block.code == b"DATA":
            if owner == b"OB" and block.data:
                self.objects[-1][1][block.address] = block
        elif len(block.code) == 2:
            self.heads.append(block)
            if block.code == b"OB":
                self.objects.append((block, {}))


def read_contents(path: Path) -> Contents | None:
    """None for files of Blender 2.80 and later, which are not looked into. Raises ReadError."""
    with open_blend(path) as opened:
        if opened is None:
            return None
        layout, blocks = opened
        gathered = _Gathered()
        owner = b""
        for block in blocks:
            if block.code != b"DATA":
                owner = block.code
            gathered.take(block, owner)
    if not gathered.catalogue:
        raise ReadError("the file is damaged: it has no catalogue of its structures")
    return _resolve(gathered, layout)


def _resolve(gathered: _Gathered, layout: Layout) -> Contents:
    catalogue = read_catalogue(gathered.catalogue, layout)
    names = _read_names(gathered.heads, catalogue)
    objects = []
    for block, blocks in gathered.objects:
        view = catalogue.view(block.structure, block.data)
        if view is None or view.structure.name != "Object":
            raise ReadError("the file is damaged: an object in it is none")
        objects.append(StoredObject(names.get(block.address, ""), block.address, view, blocks))
    version = (layout.version, _read_subversion(gathered.general, catalogue))
    return Contents(catalogue, version, tuple(objects), names)


def _read_names(heads: list[Block], catalogue: Catalogue) -> dict[int, str]:
    structure = catalogue.get("ID")
    if structure is None or "name" not in structure.members:
        raise ReadError("the file is damaged: its data-blocks have no names")
    names = {}
    for block in heads:
        head = View(catalogue, structure, block.data.ljust(structure.size, b"\0"))
        names[block.address] = (head.read_text("name") or "")[2:]
    return names


def _read_subversion(general: Block | None, catalogue: Catalogue) -> int:
    view = general and catalogue.view(general.structure, general.data)
    return (view.read_whole("subversion") if view else None) or 0
