# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of dataclasses that say by which key, and how, they are read from a parameter file."""

from collections.abc import Callable, Mapping
from dataclasses import field, fields
from typing import Any, TypeVar

from .....core.markup.yaml_tree import YamlNode
from .values import Values

Entry = TypeVar("Entry")
# The value of a node below a key; None, and reported, for one that cannot be meant.
Reader = Callable[[Values, YamlNode, str], Any]


def said(
    *keys: str,
    read: Reader = Values.text,
    needed: bool = False,
    default: Any = "",
    factory: Callable[[], Any] | None = None,
) -> Any:
    """Returns a field that any of several keys may fill; where more of them are there, the last
    one counts."""
    metadata = {"keys": keys, "read": read, "needed": needed}
    if factory is not None:
        return field(default_factory=factory, metadata=metadata)
    return field(default=default, metadata=metadata)


def keys_of(kind: Any) -> dict[str, tuple[str, Reader]]:
    """Returns key -> name of the field and how it is read, for all fields that a class takes."""
    return {
        key: (each.name, each.metadata["read"])
        for each in fields(kind)
        for key in each.metadata.get("keys", ())
    }


def read_entry(
    kind: Callable[..., Entry],
    attributes: Mapping[str, YamlNode],
    line: int,
    key: str,
    values: Values,
) -> Entry | None:
    """Returns an entry with its line; None, and reported, where one of its values is wrong or one
    that it needs is not there. An empty text says nothing."""
    found: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]
        names = each.metadata.get("keys", ())
        for name in names:
            if name not in attributes or attributes[name].is_null:
                continue
            value = each.metadata["read"](values, attributes[name], f"{key}: {name}")
            if value is None:
                return None
            if value != "":
                found[each.name] = value
        if names and each.metadata["needed"] and each.name not in found:
            values.bad(key, f"an entry has no {names[0]}; it is left out", line)
            return None
    return kind(**found, line=line)


def entry_of(kind: type[Any]) -> Reader:
    """Returns a reader of a mapping that says something of a joint."""
    known = keys_of(kind)

    def read(values: Values, node: YamlNode, key: str) -> Any:
        pairs = values.pairs(node, key)
        for attribute, value in pairs.items():
            if attribute not in known:
                values.bad(key, f"there is no attribute {attribute[:80]!r} here", value.line)
        return read_entry(kind, pairs, node.line, key, values)

    return read


def list_of(kind: type[Any]) -> Reader:
    """Returns a reader of a list of mappings."""
    known = keys_of(kind)

    def read(values: Values, node: YamlNode, key: str) -> tuple[Any, ...]:
        entries = values.entries(node, key, known)
        found = [read_entry(kind, pairs, line, key, values) for line, pairs in entries]
        return tuple(entry for entry in found if entry is not None)

    return read


def mapping_of(read_value: Reader) -> Reader:
    """Returns a reader of a mapping of names to values; empty ones say nothing."""

    def read(values: Values, node: YamlNode, key: str) -> dict[str, Any]:
        pairs = values.pairs(node, key)
        found = {name: read_value(values, value, key) for name, value in pairs.items()}
        return {name: value for name, value in found.items() if value not in (None, "")}

    return read


def one_of(words: Mapping[str, Any]) -> Reader:
    """Returns a reader of a word for a value."""

    def read(values: Values, node: YamlNode, key: str) -> Any:
        text = values.text(node, key)
        if text is None or text.lower() in words:
            return None if text is None else words[text.lower()]
        values.bad(
            key, f"{text[:80]!r} is not one of {', '.join(words)}; it is left out", node.line
        )
        return None

    return read
