# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a rig's import, kept on its armature: its file, its options, and everything
substituted or lost. It can be shown, and the import repeated, also in a re-opened .blend."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from ...diagnostics import ArgumentError, BuildError, Diagnostic, Severity, quote
from ...files.references import name_source
from ...files.states import FileState as FileState
from ...files.states import find_changed as find_changed
from ...files.states import look_for_changed as look_for_changed
from ...files.states import read_state as read_state
from ...options import AUTO, ImportOptions
from ..memory import forget
from . import properties

# Options that are paths: absolute, since the record is read from anywhere.
_FILES = ("parameters", "joint_parameters", "srdf")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRecord:
    """`path` is absolute, or an address; `diagnostics` are in the order of the work; `files` are
    the states of the files that were read, by their paths."""

    path: str
    options: ImportOptions
    diagnostics: tuple[Diagnostic, ...]
    files: Mapping[str, FileState] = field(default_factory=dict)


def record_import(
    armature: Any,
    path: str,
    options: ImportOptions,
    diagnostics: Iterable[Diagnostic],
    files: Mapping[str, FileState] | None = None,
) -> None:
    """Records how a rig was made, in place of the record on the armature before."""
    recorded: dict[str, Any] = {
        "path": name_source(path),
        "options": json.dumps(_chosen(options)),
        "files": json.dumps(files or {}),
    }
    described = [_describe(item) for item in diagnostics]
    # Custom properties cannot hold empty lists.
    armature[properties.IMPORT] = recorded | ({"diagnostics": described} if described else {})
    forget()


def note_files(armature: Any, files: Mapping[str, FileState]) -> None:
    """Records the states of the files from which a rig is made, in place of the earlier ones.
    Touches nothing where they are the same."""
    if find_record(armature).files != files:
        armature[properties.IMPORT]["files"] = json.dumps(files)
        forget()


def note_diagnostics(armature: Any, diagnostics: Iterable[Diagnostic]) -> None:
    """Records diagnostics in place of the earlier ones of an import, whose record is there."""
    described = [_describe(item) for item in diagnostics]
    if described:
        armature[properties.IMPORT]["diagnostics"] = described
    elif "diagnostics" in armature[properties.IMPORT]:
        del armature[properties.IMPORT]["diagnostics"]
    forget()


def find_record(armature: Any) -> ImportRecord:
    """Finds the record of record_import. Raises BuildError for an object that is not an imported
    robot."""
    kept = properties.read_group(armature, properties.IMPORT, "path", "options")
    if kept is None:
        raise BuildError(f"object {quote(armature.name)} has no record of its import")
    try:
        return ImportRecord(
            path=kept["path"],
            options=_read_options(kept["options"]),
            diagnostics=tuple(_read_diagnostic(item) for item in kept.get("diagnostics", ())),
            files=_read_files(kept.get("files", "")),
        )
    except (LookupError, AttributeError, TypeError, ValueError):
        raise properties.edited_by_hand(armature, properties.IMPORT) from None


def _chosen(options: ImportOptions) -> dict[str, Any]:
    return {
        field.name: getattr(options, field.name)
        for field in fields(options)
        if getattr(options, field.name) != field.default
    } | {
        name: str(Path(getattr(options, name)).absolute())
        for name in _FILES
        if getattr(options, name) not in ("", AUTO)
    }


def _read_options(text: str) -> ImportOptions:
    """Reads options; options from a later version that this one does not know, and values that it
    does not take, are left out."""
    known = {field.name for field in fields(ImportOptions)}
    options = ImportOptions()
    for key, value in json.loads(text).items():
        if key in known:
            with suppress(ArgumentError):
                options = replace(options, **{key: value})
    return options


def _read_files(text: str) -> dict[str, FileState]:
    """Reads states of files; none where a person or another version wrote something else."""
    try:
        return {path: (int(size), int(time)) for path, (size, time) in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _describe(item: Diagnostic) -> dict[str, Any]:
    described = asdict(item) | {"severity": item.severity.value}
    return {key: value for key, value in described.items() if value not in ("", 0)}


def _read_diagnostic(kept: Any) -> Diagnostic:
    given = kept.to_dict()
    return Diagnostic(**(given | {"severity": Severity(given["severity"])}))
