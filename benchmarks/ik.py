# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics on fourteen arms, beside ikpy and a plain loop with Pinocchio.

    python benchmarks/ik.py [targets per arm, default 500] [names of arms]

Targets as in tests/support/arm_chains.py, start in the middle of the limits. A column says how many
Pinocchio confirms, within 1e-4 m and 1e-3 rad and inside limits; "direct" is the share that needed
no start but the middle. Times are CPU time of an answer in ms, and in units of numpy's 100 products
of 32 frames, measured beside them. `fk` is the median answer in calls of forward_kinematics of the
same robot. `warm` starts where a target moved by 1 cm was reached before; `anywhere` starts at
random positions. `together` asks for all targets by one call of inverse_kinematics_many: ms of
each, and how many times less that is than the mean of single calls.

The loop is the textbook's: damped least squares on the logarithm of the frame, at most 1,000 steps
of a tenth, without limits. ikpy (`pip install ikpy`) is asked where it is installed, for a tenth of
the targets, since it takes long.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.arm_chains import ARMS, Arm  # noqa: E402
from urdf_importer import IKOptions, forward_kinematics, inverse_kinematics, inverse_kinematics_many  # noqa: E402

Answer = dict[str, Any] | None


def cpu(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.thread_time()
    answer = work()
    return answer, time.thread_time() - began


def unit() -> float:
    """Seconds that numpy takes for 100 products of 32 frames."""
    frames = np.random.default_rng(0).normal(size=(32, 4, 4))
    runs = []
    for _ in range(9):
        runs.append(cpu(lambda: [frames @ frames for _ in range(100)])[1])
    return float(np.median(runs))


def ours(arm: Arm, count: int) -> None:
    times, reached, direct, false = [], 0, 0, 0
    for _, target in arm.draw(count):
        result, seconds = cpu(
            lambda target=target: inverse_kinematics(
                arm.robot, arm.link, target=target, options=IKOptions(base=arm.base)
            )
        )
        times.append(seconds)
        holds = result.success and arm.reaches(result.positions, target)
        reached += holds
        false += result.success and not holds
        direct += holds and not result.restarts
    _, fk = cpu(lambda: [forward_kinematics(arm.robot) for _ in range(5)])
    one, warm = unit(), np.array(warm_times(arm, max(count // 10, 5)))
    median, most = np.median(times), np.percentile(times, 95)
    print(
        f"{arm.name:10} {len(arm.ranges)} {reached:4}/{count} false {false} direct "
        f"{direct / count:4.0%}  median {1e3 * median:5.1f} ms = {median / one:3.0f}  95 % "
        f"{1e3 * most:5.1f} ms = {most / one:3.0f}  longest {1e3 * max(times):4.0f} ms  "
        f"fk {5 * median / fk:4.1f}  warm {1e3 * np.median(warm):4.2f} ms",
        flush=True,
    )


def anywhere(arm: Arm, count: int) -> None:
    """Single calls from random starts, and all targets at once."""
    targets = np.array([target for _, target in arm.draw(count)])
    chance = np.random.default_rng(5)
    starts = {name: chance.uniform(*ends, count) for name, ends in arm.ranges.items()}
    for begun, name in (({}, "middle"), (starts, "anywhere")):
        times, reached = [], 0
        for number, target in enumerate(targets):
            start = {joint: float(each[number]) for joint, each in begun.items()}
            result, seconds = cpu(
                lambda target=target, start=start: inverse_kinematics(
                    arm.robot,
                    arm.link,
                    target=target,
                    options=IKOptions(base=arm.base),
                    start_positions=start,
                )
            )
            times.append(seconds)
            reached += result.success and arm.reaches(result.positions, target)
        runs = [
            cpu(
                lambda begun=begun: inverse_kinematics_many(
                    arm.robot,
                    arm.link,
                    targets=targets,
                    options=IKOptions(base=arm.base),
                    start_positions=begun,
                )
            )
            for _ in range(3)
        ]
        found, each = runs[0][0], min(seconds for _, seconds in runs) / count
        together = sum(
            arm.reaches({joint: at[row] for joint, at in found.positions.items()}, targets[row])
            for row in np.flatnonzero(found.success)
        )
        print(
            f"  {name:8} {reached}/{count}  median {1e3 * np.median(times):5.2f} ms  95 % "
            f"{1e3 * np.percentile(times, 95):5.2f} ms   together {together}/{count} false "
            f"{found.success.sum() - together}  {1e3 * each:5.3f} ms each, "
            f"{np.mean(times) / each:4.1f} times less",
            flush=True,
        )


def warm_times(arm: Arm, count: int) -> list[float]:
    times = []
    for positions, target in arm.draw(count, seed=2):
        target[:3, 3] += 0.01 * np.array([0.6, 0.0, 0.8])
        _, seconds = cpu(
            lambda target=target, start=positions: inverse_kinematics(
                arm.robot,
                arm.link,
                target=target,
                options=IKOptions(base=arm.base, restarts=0),
                start_positions=start,
            )
        )
        times.append(seconds)
    return times


def by_pinocchio(arm: Arm, target: Any) -> Answer:
    """The textbook's loop."""
    model = arm.truth.model
    joints = [model.getJointId(name) for name in arm.ranges]
    columns = [model.joints[joint].idx_v for joint in joints]
    frame, base = model.getFrameId(arm.link), model.getFrameId(arm.base)
    configuration = pin.neutral(model)
    for name, (lower, upper) in arm.ranges.items():
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 1:
            configuration[joint.idx_q] = (lower + upper) / 2
    data, goal = model.createData(), pin.SE3(target)
    for _ in range(1000):
        pin.framesForwardKinematics(model, data, configuration)
        error = pin.log(data.oMf[frame].actInv(data.oMf[base] * goal)).vector
        if np.linalg.norm(error) < 1e-5:
            return read_positions(arm, configuration)
        jacobian = pin.computeFrameJacobian(model, data, configuration, frame)[:, columns]
        velocity = np.zeros(model.nv)
        damped = jacobian @ jacobian.T + 1e-6 * np.eye(6)
        velocity[columns] = jacobian.T @ np.linalg.solve(damped, error)
        configuration = pin.integrate(model, configuration, 0.1 * velocity)
    return None


def read_positions(arm: Arm, configuration: Any) -> dict[str, float]:
    positions = {}
    for name in arm.ranges:
        joint = arm.truth.model.joints[arm.truth.model.getJointId(name)]
        values = configuration[joint.idx_q : joint.idx_q + joint.nq]
        positions[name] = float(values[0] if joint.nq == 1 else np.arctan2(values[1], values[0]))
    return positions


def compare(name: str, arm: Arm, count: int, solve: Callable[[Arm, Any], Answer]) -> None:
    times, reached, said = [], 0, 0
    for _, target in arm.draw(count):
        answer, seconds = cpu(lambda target=target: solve(arm, target))
        times.append(seconds)
        said += answer is not None
        reached += answer is not None and arm.reaches(answer, target)
    print(
        f"  {name:10} says {said}, of which inside limits {reached}, of {count}; median "
        f"{1e3 * np.median(times):.1f} ms",
        flush=True,
    )


def by_ikpy(arm: Arm) -> Callable[[Arm, Any], Answer]:
    from ikpy.chain import Chain

    elements = [arm.base]
    tree_joints = {joint.child: joint for joint in arm.robot.joints}
    way, link = [], arm.link
    while link != arm.base:
        joint = tree_joints[link]
        way[:0] = [joint.name, link]
        link = joint.parent
    whole = Chain.from_urdf_file(str(arm.path), base_elements=elements + way)
    # It goes on beyond the link that was named.
    chain = Chain([whole.links[0], *(link for link in whole.links if link.name in way)])
    moving = [link.name in arm.ranges for link in chain.links]
    chain.active_links_mask = np.array(moving)
    middle = [sum(arm.ranges.get(link.name, (0.0, 0.0))) / 2 for link in chain.links]

    def solve(arm: Arm, target: Any) -> Answer:
        found = chain.inverse_kinematics_frame(
            target, initial_position=middle, orientation_mode="all"
        )
        return {
            link.name: float(value)
            for link, value in zip(chain.links, found, strict=True)
            if link.name in arm.ranges
        }

    return solve


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    wanted = sys.argv[2:] or [arm.name for arm in ARMS]
    for arm in ARMS:
        if arm.name not in wanted:
            continue
        ours(arm, count)
        anywhere(arm, count)
        compare("Pinocchio", arm, max(count // 10, 5), by_pinocchio)
        try:
            compare("ikpy", arm, max(count // 10, 5), by_ikpy(arm))
        except ImportError:
            print("  ikpy is not installed")


if __name__ == "__main__":
    main()
