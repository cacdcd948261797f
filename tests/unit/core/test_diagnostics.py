# SPDX-License-Identifier: GPL-3.0-or-later
"""Diagnostics by their kinds, and what is missing in one sentence."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_importer import Diagnostic, Diagnostics, Severity
from urdf_importer.core.command.report import Report
from urdf_importer.core.command.session import describe_work
from urdf_importer.core.diagnostics import advise_blender, describe_missing, group_diagnostics


def missing(package: str, lost: str = "mesh") -> Diagnostic:
    return note("missing-package" if package else "missing-mesh", lost=lost, package=package)


def note(code: str, **given: Any) -> Diagnostic:
    return Diagnostic(severity=Severity.WARNING, code=code, message=f"it is {code}", **given)


DIAGNOSTICS = st.lists(
    st.builds(
        note,
        st.sampled_from(["missing-mesh", "missing-limit"]),
        lost=st.sampled_from(["", "mesh", "texture"]),
        package=st.sampled_from(["", "one", "other"]),
    )
)


@given(DIAGNOSTICS)
def test_every_diagnostic_is_in_one_group(diagnostics: list[Diagnostic]) -> None:
    groups = group_diagnostics(diagnostics)
    assert sorted(place for group in groups for place in group.places) == list(
        range(len(diagnostics))
    )
    for group in groups:
        assert [diagnostics[place] for place in group.places] == list(group.items)
        assert len({(item.code, item.lost, item.package) for item in group.items}) == 1
    assert len({group.key for group in groups}) == len(groups)


def test_what_is_missing_comes_first_by_package() -> None:
    limit, other = note("missing-limit"), note("second-robot")
    groups = group_diagnostics([limit, missing(""), missing("x"), other, limit, missing("x")])
    assert [group.title for group in groups] == [
        "Package 'x' not found: 2 meshes",
        "it is missing-mesh",
        "it is missing-limit (1 more like it)",
        "it is second-robot",
    ]


def test_a_sentence_says_what_is_missing() -> None:
    assert describe_missing([note("missing-limit")]) == ""
    assert describe_missing([missing("")]) == "1 mesh missing"
    both = [missing("x"), missing("x"), missing("y", "texture"), missing("")]
    assert describe_missing(both) == (
        "3 meshes and 1 texture missing (packages 'x', 'y' not found)"
    )
    many = [missing(f"p{number}") for number in range(9)]
    assert describe_missing(many).endswith("(packages 'p0', 'p1', 'p2' and 6 more not found)")


def test_the_command_says_it_in_its_summary() -> None:
    found = (note("missing-limit"), missing("x"), missing("x"))
    summary = "arm: 3 links, 2 moving joints, 2 bones"
    report = Report("arm.urdf", summary=summary, diagnostics=found, seconds={"build": 1.0})
    assert describe_work(report) == (
        "arm: 3 links, 2 moving joints, 2 bones in 1.00 s; 2 meshes missing (package 'x' not "
        "found); 1 warning"
    )


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        (
            (3, 12, 1),
            "this is Python 3.12, and Blender as a module exists for 3.11 (Blender 4.2 to 4.5) and "
            "3.13 (Blender 5.2 and 5.3): use",
        ),
        ((3, 13, 0), "install it with `pip install 'urdf-importer[blender]'`, or use a Blender"),
    ],
)
def test_a_missing_blender_is_explained_by_the_python_that_runs(
    version: tuple[int, int, int], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    assert advise_blender().startswith(wanted)


def test_notes_are_no_faults_for_strict_mode() -> None:
    found = Diagnostics("arm.urdf")
    found.remark("good-to-know", "the shapes are shown", line=3)
    found.warning("a-code", "one")
    found.error("a-code", "two")
    assert found.count_faults() == 2
    assert str(next(iter(found))) == "arm.urdf:3: note: the shapes are shown [good-to-know]"
