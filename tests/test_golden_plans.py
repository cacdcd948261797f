# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of each sample's rig, compared with the one that was looked at and found right.

After a change that means to alter rigs: `python tests/test_golden_plans.py` writes them anew; look
at the difference before it is kept.
"""

import json
from pathlib import Path

import pytest

from urdf_importer import ImportOptions, plan_rig, read_robot

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = sorted((ROOT / "sample_urdfs").glob("*.urdf"))
GOLDEN = ROOT / "tests" / "golden"
MORSE = ImportOptions(profile="morse")
# A planar base, which is held; a slide; a neck of two joints, which would be combined.
PLANS = {path.stem: (path, ImportOptions()) for path in SAMPLES} | {
    "planar_base_morse": (ROOT / "sample_urdfs" / "planar_base.urdf", MORSE)
}


def plan_of(name):
    sample, options = PLANS[name]
    return plan_rig(read_robot(sample), options=options).to_json()


@pytest.mark.parametrize("name", PLANS)
def test_plan_is_the_golden_one(name):
    golden = json.loads((GOLDEN / f"{name}.json").read_text())
    assert_alike(plan_of(name), golden, name)


def assert_alike(made, golden, where):
    """Equal, but for the last digits of numbers, which differ from machine to machine."""
    if isinstance(golden, dict):
        assert made.keys() == golden.keys(), where
        for key in golden:
            assert_alike(made[key], golden[key], f"{where}.{key}")
    elif isinstance(golden, list):
        assert len(made) == len(golden), where
        for index, (one, other) in enumerate(zip(made, golden, strict=True)):
            assert_alike(one, other, f"{where}[{index}]")
    elif isinstance(golden, float):
        assert made == pytest.approx(golden, abs=1e-7), where
    else:
        assert made == golden, where


def test_every_golden_plan_has_its_sample():
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(PLANS)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name in PLANS:
        text = json.dumps(plan_of(name), indent=1, ensure_ascii=False)
        (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")
