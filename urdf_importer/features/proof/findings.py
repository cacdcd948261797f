# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings as files for other programs: SARIF 2.1.0 (OASIS), JUnit's XML, lines of JSON, text."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import quote as encode
from xml.etree import ElementTree

from ...core.arguments import choice_of
from ...core.command.summary import count
from ...core.diagnostics import Diagnostic, RobotError, Severity
from ...core.files.outputs import AnyPath, write_text
from ...core.files.version import find_version
from .rules import CODES

FindingsFormat = Literal["text", "json", "sarif", "junit"]
FORMATS: tuple[FindingsFormat, ...] = get_args(FindingsFormat)
Results = Mapping[str, Sequence[Diagnostic | RobotError]]
"""Path of a description -> its diagnostics; a RobotError among them: it could not be read."""

_PAGES = "https://urdf-importer.invalid/docs/reference/diagnostics"
_OWN = ("target-refused", "repaired", "unreadable")
"""Codes beside the rules' that have entries on the page of these."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_MOST_RESULTS = 25_000
"""GitHub takes no more in a run."""


def write_findings(results: Results, path: AnyPath, *, format: FindingsFormat = "sarif") -> Path:
    """Writes the findings of checks to a file and returns its path: `results` are path of a
    description -> its diagnostics, with the RobotError of one that cannot be read among them.

    text   a line each, as compilers write
    json   an object each, on one line, with `help`, the address of its explanation
    sarif  SARIF 2.1.0, as GitHub takes it: at most 25,000 findings, with a note where it is cut
    junit  JUnit's XML: a suite for each file; notes are skipped tests, a clean file passes one

    Raises ArgumentError for another format, WriteError where the file cannot be written.
    """
    write_text(path, describe_findings(results, format))
    return Path(path)


def describe_findings(results: Results, format: FindingsFormat) -> str:
    """Returns the text of write_findings."""
    writers = {"text": _text, "json": _json, "sarif": _sarif, "junit": _junit}
    return writers[choice_of(format, "format", FORMATS)](results)


def find_help(code: str) -> str:
    """Returns the address of the explanation of a code."""
    return f"{_PAGES}{'/lints' if code in (*CODES, *_OWN) else ''}.html#{code}"


def _items(results: Results) -> Iterator[tuple[str, Diagnostic]]:
    for path, found in results.items():
        for item in found:
            if isinstance(item, RobotError):
                item = Diagnostic(
                    severity=Severity.ERROR,
                    code="unreadable",
                    message=item.message,
                    source=item.source,
                    line=item.line,
                )
            yield path, item


def _text(results: Results) -> str:
    items = [item for _, item in _items(results)]
    kinds = Counter(item.severity for item in items)
    total = ", ".join(count(kinds[kind], kind.value) for kind in Severity if kinds[kind])
    files = count(len(results), "file")
    text = "".join(f"{item}\n" for item in items) + f"{files}: {total or 'no findings'}\n"
    return text.encode("utf-8", "backslashreplace").decode()


def _json(results: Results) -> str:
    return "".join(
        json.dumps(
            {"input": path}
            | asdict(item)
            | {"severity": item.severity.value, "help": find_help(item.code)}
        )
        + "\n"
        for path, item in _items(results)
    )


def _sarif(results: Results) -> str:
    items = list(_items(results))
    codes = list(dict.fromkeys(item.code for _, item in items))
    shown = [_result(path, item, codes.index(item.code)) for path, item in items[:_MOST_RESULTS]]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "urdf-importer",
                "version": find_version(),
                "informationUri": "https://urdf-importer.invalid/docs",
                "rules": [_rule(code, items) for code in codes],
            }
        },
        "originalUriBaseIds": {"ROOT": {"uri": Path.cwd().as_uri().rstrip("/") + "/"}},
        "results": shown,
        "invocations": [{"executionSuccessful": not _has_errors(results.values())}],
    }
    if len(items) > _MOST_RESULTS:
        text = f"{len(items) - _MOST_RESULTS} findings more are left out"
        run["invocations"][0]["toolExecutionNotifications"] = [{"message": {"text": text}}]
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _has_errors(found: Iterable[Sequence[Diagnostic | RobotError]]) -> bool:
    return any(isinstance(item, RobotError) for each in found for item in each)


def _rule(code: str, items: Sequence[tuple[str, Diagnostic]]) -> dict[str, Any]:
    level = next(item.severity.value for _, item in items if item.code == code)
    return {
        "id": code,
        "shortDescription": {"text": code.replace("-", " ")},
        "helpUri": find_help(code),
        "defaultConfiguration": {"level": level},
    }


def _result(path: str, item: Diagnostic, index: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(item.source or path)}
    if item.line > 0:
        place["region"] = {"startLine": item.line}
    where: dict[str, Any] = {"physicalLocation": place}
    if item.subject:
        where["logicalLocations"] = [{"name": item.subject, "kind": "member"}]
    key = "\n".join((item.code, item.subject, item.source or path))
    return {
        "ruleId": item.code,
        "ruleIndex": index,
        "level": item.severity.value,
        "message": {"text": item.message},
        "locations": [where],
        "partialFingerprints": {"urdf/v1": sha256(key.encode("utf-8", "replace")).hexdigest()},
    }


def _artifact(path: str) -> dict[str, str]:
    """Returns the place of a file, relative to the working folder where it is below."""
    whole = os.path.abspath(path)
    inside = os.path.relpath(whole) if whole.startswith(os.getcwd() + os.sep) else ""
    if inside:
        uri = encode(inside.replace(os.sep, "/"), errors="surrogateescape")
        return {"uri": uri, "uriBaseId": "ROOT"}
    return {"uri": "file://" + encode(whole.replace(os.sep, "/"), errors="surrogateescape")}


def _junit(results: Results) -> str:
    root = ElementTree.Element("testsuites")
    for path, found in results.items():
        items = [item for _, item in _items({path: found})]
        unread = sum(isinstance(item, RobotError) for item in found)
        failed = sum(item.severity is not Severity.NOTE for item in items) - unread
        numbers = {"tests": max(len(items), 1), "failures": failed, "errors": unread, "time": 0}
        suite = _add(root, "testsuite", name=path, **numbers)
        for item in items:
            name = f"{item.code}:{item.subject}" if item.subject else item.code
            case = _add(suite, "testcase", classname=path, name=name)
            kind = "error" if item.code == "unreadable" else "failure"
            if item.severity is Severity.NOTE:
                _add(case, "skipped", message=item.message)
            else:
                _add(case, kind, str(item), message=item.message, type=item.code)
        if not items:
            _add(suite, "testcase", classname=path, name="check")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _add(
    parent: ElementTree.Element, tag: str, text: str = "", /, **attributes: Any
) -> ElementTree.Element:
    """Adds an element, with letters that XML forbids spelled out."""
    made = {key: _spell(str(value)) for key, value in attributes.items()}
    element = ElementTree.SubElement(parent, tag, made)
    element.text = _spell(text) or None
    return element


def _spell(text: str) -> str:
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text.encode("utf-8", "backslashreplace").decode()
    )
