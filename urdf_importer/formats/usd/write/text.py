# SPDX-License-Identifier: GPL-3.0-or-later
"""USD as text: prims and their properties, and the archive that holds a text with its images.

The syntax is the .usda text format of OpenUSD. Only necessary characters are escaped.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....core.files.outputs import list_files
from ....core.geometry.transforms import Matrix, quaternion_from_rotation
from ....core.meshes.write import plain_numbers

_ODD = re.compile(r"[^A-Za-z0-9_]+")
_MOST_LETTERS = 100
_BLOCK = 64
"""Files in a .usdz begin at multiples of as many bytes."""
_CHUNK = 4096


class Prim:
    """A prim with its properties, each a line of text, and the prims below it. `kind` may be empty;
    a prim that `is_class` is only there to be referred to."""

    def __init__(self, kind: str, name: str, *, is_class: bool = False) -> None:
        self.kind, self.name, self.is_class = kind, name, is_class
        self.schemas: list[str] = []
        self.metadata: list[str] = []
        self.children: list[Prim] = []
        self._properties: list[str | Sequence[str]] = []

    def add(self, declaration: str, value: Any) -> None:
        """Adds a property, such as "float physics:mass", with a value that is written already or
        one number or truth."""
        text = value if isinstance(value, str) else _write_scalar(value)
        self._properties.append(f"{declaration} = {text}")

    def declare(self, declaration: str) -> None:
        """Adds a property without a value, such as the output of a shader."""
        self._properties.append(declaration)

    def add_array(self, declaration: str, parts: Sequence[str], note: str = "") -> None:
        """Adds a property of many values; `note` is its metadata."""
        self._properties.append((f"{declaration} = [", *parts, f"]{note}"))

    def show_as(self, name: str) -> None:
        """Lets viewers show a name that a prim cannot have."""
        if name != self.name:
            self.metadata.append(f"displayName = {quote_text(name)}")

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yields the text in pieces that end with lines. Prims may be nested some hundred deep."""
        indent = "    " * depth
        head = f"{'class' if self.is_class else 'def'} {self.kind} "
        yield f"{indent}{head.replace('  ', ' ')}{quote_text(self.name)}"
        metadata = list(self.metadata)
        if self.schemas:
            listed = ", ".join(map(quote_text, self.schemas))
            metadata.append(f"prepend apiSchemas = [{listed}]")
        if metadata:
            inner = "".join(f"{indent}    {line}\n" for line in metadata)
            yield f" (\n{inner}{indent})"
        yield f"\n{indent}{{\n"
        for each in self._properties:
            yield f"{indent}    "
            yield from (each,) if isinstance(each, str) else each
            yield "\n"
        for child in self.children:
            yield from child.lines(depth + 1)
        yield f"{indent}}}\n"


def clean_identifier(name: str) -> str:
    """Returns a valid name of a prim in USD: ASCII letters, digits and _, not a digit first."""
    text = _ODD.sub("_", name)[:_MOST_LETTERS] or "link"
    return f"_{text}" if text[0].isdigit() else text


def quote_text(text: str) -> str:
    """Returns a text in quotes, on one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else _escape(c) for c in escaped) + '"'


def _escape(character: str) -> str:
    return {"\n": "\\n", "\t": "\\t"}.get(character, " ")


def path_to(*parts: str) -> str:
    """Returns the path of a prim as a target."""
    return f"</{'/'.join(parts)}>"


def write_tuple(values: Iterable[Any], digits: int = 9) -> str:
    """Returns numbers in parentheses. Nine digits write single precision exactly; 0 means as many
    as double precision needs."""
    numbers = (_write_number(float(value), digits) for value in values)
    return f"({', '.join(numbers)})"


def write_quaternion(rotation: Matrix, digits: int = 9) -> str:
    """Returns a rotation (3, 3) as USD writes quaternions: the real part first."""
    x, y, z, w = quaternion_from_rotation(rotation)
    return write_tuple((w, x, y, z), digits)


def _write_number(value: float, digits: int) -> str:
    return f"{value + 0.0:.{digits}g}" if digits else repr(value + 0.0)


def _write_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _write_number(float(value), 9)


def rows_of(rows: NDArray[np.float32]) -> list[str]:
    """Returns rows (N, k) as tuples of seven digits, which is a tenth of a micrometre in a metre,
    ready for an array."""
    width = int(rows.shape[1])
    pattern = "(" + ", ".join(["%.7g"] * width) + "), "
    numbers = plain_numbers(rows)
    step = _CHUNK * width
    return [
        pattern * (len(part) // width) % part
        for part in (numbers[at : at + step] for at in range(0, len(numbers), step))
    ]


def integers_of(values: NDArray[np.integer[Any]]) -> list[str]:
    """Returns whole numbers, ready for an array."""
    return [", ".join(map(str, values.tolist()))]


def add_place(prim: Prim, frame: Matrix, scale: Sequence[float] | None = None) -> None:
    """Adds the operations that put a prim at `frame` (4, 4) in its parent, in double precision, and
    a `scale` before these."""
    order = ["xformOp:translate", "xformOp:orient"]
    prim.add("double3 xformOp:translate", write_tuple(frame[:3, 3], 0))
    prim.add("quatd xformOp:orient", write_quaternion(frame[:3, :3], 0))
    if scale is not None:
        prim.add("double3 xformOp:scale", write_tuple(scale, 0))
        order.append("xformOp:scale")
    prim.add("uniform token[] xformOpOrder", f"[{', '.join(map(quote_text, order))}]")


def write_layer(path: Path, default: str, prims: Iterable[Prim]) -> None:
    """Writes a file of text: Z up, metres, kilograms. `default` is the prim for files that refer to
    this one."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(
            "#usda 1.0\n(\n"
            f"    defaultPrim = {quote_text(default)}\n"
            "    kilogramsPerUnit = 1\n    metersPerUnit = 1\n"
            '    upAxis = "Z"\n)\n'
        )
        for prim in prims:
            file.write("\n")
            file.writelines(prim.lines())


def pack_usdz(path: Path, layer: Path, folder: Path) -> None:
    """Packs a text and all else in `folder` into an archive, as the specification of .usdz has it:
    the layer first, nothing compressed, each file's content at a multiple of 64 bytes."""
    others = [each for each in list_files(folder) if each != layer]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for file in (layer, *others):
            info = zipfile.ZipInfo(file.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            assert archive.fp is not None
            start = archive.fp.tell() + 30 + len(info.filename.encode())
            # An extra field takes four bytes by itself.
            gap = -(start + 4) % _BLOCK
            info.extra = b"\x86\x19" + gap.to_bytes(2, "little") + bytes(gap)
            archive.writestr(info, file.read_bytes())
