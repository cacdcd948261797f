# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about a robot in its import report, where a button selects the part."""

from typing import Any

from ....core.blender.standing.record import find_record, note_diagnostics
from ....core.diagnostics import Diagnostic
from ..lint import check_robot
from ..options import LintOptions
from ..rules import CODES


def report_findings(armature: Any, options: LintOptions | None = None) -> tuple[Diagnostic, ...]:
    """Checks a robot as shown, puts its findings into its import report in the place of earlier
    ones, and returns them. Raises BuildError for an object that is not an imported
    robot."""
    record = find_record(armature)
    found = check_robot(armature, options=options)
    kept = [item for item in record.diagnostics if item.code not in CODES]
    known = {(item.code, item.subject) for item in kept}
    new = [item for item in found if (item.code, item.subject) not in known]
    note_diagnostics(armature, (*kept, *new))
    return found
