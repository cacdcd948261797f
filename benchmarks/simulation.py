# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU seconds of robots that drop for 2 s at 60 frames a second, and their median.

.venv/bin/python -m benchmarks.simulation [--engine bullet] ROBOT.urdf ...
"""

import argparse
import statistics
import time

import urdf_importer


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="auto")
    parser.add_argument("robots", nargs="+")
    given = parser.parse_args()
    all_spent = []
    for path in given.robots:
        urdf_importer.new_file()
        try:
            armature = urdf_importer.import_robot(path).armature
        except urdf_importer.RobotError as error:
            print(f"{path}: {error}")
            continue
        urdf_importer.set_frame_rate(60)
        options = urdf_importer.SimulationOptions(engine=given.engine, base="free", height=0.3)
        began = time.process_time()
        found = urdf_importer.simulate(armature, seconds=2.0, options=options)
        spent = time.process_time() - began
        all_spent.append(spent)
        print(f"{path}: {found.engine}, {spent:.2f} s, drift {1000 * found.drift:.3g} mm")
    print(f"median {statistics.median(all_spent):.2f} s, most {max(all_spent):.2f} s")


if __name__ == "__main__":
    main()
