# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of descriptions, repaired copies, and proofs of exports."""

from ...core.shelves import Part

PART = Part(
    name="proof",
    names={
        "findings": ("write_findings",),
        "lint": ("check_robot",),
        "options": ("LintOptions",),
    },
    hooks={
        "add_check_arguments": "command:add_check_arguments",
        "plan_check": "command:plan_check",
        "look_further": "command:look_further",
        "finish_check": "command:finish_check",
    },
)
