# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample motion, there and back until 30 s are full, on real robots: nobody says what is what.

    python benchmarks/retargeting.py

Prints for each robot the joints that move, CPU seconds, MB above those before, degrees that 95 of
100 frames of the worst limb keep with the joints at limits there, the creep of standing feet in mm,
and positions beyond limits.
"""

import math
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.people import long_person  # noqa: E402
from support.real_robots import ROOT as ROBOTS  # noqa: E402
from urdf_importer import Diagnostics, RetargetOptions, read_robot  # noqa: E402
from urdf_importer.core.kinematics.tree import retrace_tree  # noqa: E402
from urdf_importer.core.progress import finish  # noqa: E402
from urdf_importer.features.motion.check import check_motion  # noqa: E402
from urdf_importer.features.motion.limits import limits_of  # noqa: E402
from urdf_importer.features.retargeting.run import find_match, follow  # noqa: E402

_ROBOTS = (
    "g1_description/urdf/g1_29dof_rev_1_0.urdf", "talos_data/robots/talos_reduced.urdf",
    "icub_description/robots/icub.urdf", "romeo_description/urdf/romeo.urdf",
    "human_description/robots/human.urdf", "alex_description/urdf/alex_nub_hands.urdf",
    "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf", "pr2_description/urdf/pr2.urdf",
    "tiago_description/robots/tiago_dual.urdf", "tiago_pro_description/robots/tiago_pro.urdf",
    "baxter_description/urdf/baxter.urdf", "simple_humanoid_description/urdf/simple_humanoid.urdf",
)  # fmt: skip


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def measure(path: str) -> None:
    robot = read_robot(ROBOTS / path, diagnostics=Diagnostics())
    person = long_person(30.0)
    limits = limits_of(robot, None, Diagnostics())
    before, began = megabytes(), time.process_time()
    found = find_match(retrace_tree(robot), person, RetargetOptions(), frozenset())
    result = finish(follow(found, RetargetOptions(), {}, limits))
    seconds = time.process_time() - began
    motion = result.trajectory
    names = {name: name for name in motion.names if name in limits.joints}
    broken = [each for each in check_motion(motion, limits, names) if each.kind == "position"]
    worst = max(result.limbs, key=lambda limb: limb.most)
    print(
        f"{Path(path).stem:28} {len(motion.names):3} {seconds:5.1f} {megabytes() - before:6.0f} "
        f"{len(result.pairs)} {math.degrees(worst.most):5.1f} {result.slide * 1000.0:5.2f} "
        f"{len(broken)} {worst.limb}: {' '.join(worst.limited)}"
    )


if __name__ == "__main__":
    print(f"{'robot':26} joints   s     MB limbs deg  creep broken  worst limb: joints at limits")
    for each in _ROBOTS:
        measure(each)
