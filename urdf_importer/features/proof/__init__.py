# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of descriptions, repaired copies, and proofs of exports."""

from ...core.shelves import Part

PART = Part(
    name="proof",
    names={
        "findings": ("write_findings",),
        "lint": ("check_robot",),
        "options": ("LintOptions", "ProofOptions"),
        "compare": ("ProofRow",),
        "prove": ("Proof", "prove_export"),
        "repair": ("Repair", "repair_robot"),
    },
    commands="command",
    hooks={
        "add_check_arguments": "checking:add_check_arguments",
        "plan_check": "checking:plan_check",
        "look_further": "checking:look_further",
        "finish_check": "checking:finish_check",
        "add_export_arguments": "proving:add_export_arguments",
        "follow_exports": "proving:plan_proof",
        "export_options": "options:AfterExport",
    },
)
