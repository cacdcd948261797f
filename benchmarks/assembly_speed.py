# SPDX-License-Identifier: GPL-3.0-or-later
"""CAD assemblies of growing size: processor time of reading, which must grow in proportion.

    python benchmarks/assembly_speed.py [BODIES ...]

Chains of bodies with CS1 turned and every tenth hinge reversed, all bodies and joints of one name;
and as many instances of one part on hinges, of the second generation. Nothing but the processor
time of this process is measured, so other work on the machine disturbs little.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.assembly_text import chain, instance, joint, part, second_generation  # noqa: E402
from urdf_importer.core.diagnostics import Diagnostics  # noqa: E402
from urdf_importer.formats.simmechanics.read import read_assembly  # noqa: E402


def hinged_instances(count: int) -> bytes:
    instances = "".join(instance(f"i{index}") for index in range(count))
    hinges = "".join(
        joint("Revolute", f"h{index}", f"i{index - 1}", f"i{index}") for index in range(1, count)
    )
    return second_generation(instances, joints=hinges, parts=part())


def measure(make: Callable[[int], bytes], count: int) -> float:
    data = make(count)
    start = time.process_time()
    reading = read_assembly(data, "big.xml", Diagnostics())
    seconds = time.process_time() - start
    assert len(reading.robot.links) == count
    return seconds


def main() -> None:
    counts = [int(word) for word in sys.argv[1:]] or [1000, 10_000, 20_000]
    for name, make in (("first", chain), ("second", hinged_instances)):
        measure(make, 100)
        for count in counts:
            seconds = measure(make, count)
            print(f"{name:>7} generation {count:>8} bodies {seconds:8.2f} s", end="")
            print(f"   {1e6 * seconds / count:7.1f} us each")


if __name__ == "__main__":
    main()
