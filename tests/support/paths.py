# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the checkout and its test data are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
MORSE = ROOT / "packages" / "morse"
