# SPDX-License-Identifier: GPL-3.0-or-later
"""What a public function is handed: an import's result stands for its armature and its robot, and
what cannot be meant is named in one sentence, in every one of them."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urdf_importer
from support.paths import ROOT
from urdf_importer import (
    ArgumentError,
    Diagnostics,
    IKOptions,
    ImportOptions,
    KinematicsError,
    Reshaping,
    WebotsOptions,
    apply_trajectory,
    check_trajectory,
    export_robot,
    forward_kinematics,
    get_joint_positions,
    import_robot,
    inverse_kinematics,
    link_pose,
    mirror_pose,
    place_robots,
    read_robot,
    set_joint_positions,
)
from urdf_importer.core import reshape

ROBOT = ROOT / "sample_urdfs" / "two_link_arm.urdf"
RIGS = ("armature", "armatures", "robot", "robot_or_armature", "tool")
MAY_LACK = {("retime_trajectory", "armature"), ("retime_trajectory", "robot"),
            ("update_robot", "robot"), ("check_trajectory", "robot_or_armature"),
            ("find_limits", "robot_or_armature"), ("write_trajectory", "robot"),
            ("read_trajectory", "robot"), ("write_episodes", "robot")}  # fmt: skip


def list_cases() -> list[Any]:
    cases = []
    for room in (urdf_importer, reshape):
        for name in room.__all__:
            function = getattr(room, name)
            if inspect.isfunction(function):
                cases += [
                    pytest.param(function, each, id=f"{name}-{each}")
                    for each in inspect.signature(function).parameters
                    if each in RIGS and (name, each) not in MAY_LACK
                ]
    return cases


def call(function: Callable[..., Any], name: str, given: Any) -> None:
    """Calls a function with one argument that counts and others that do not get their turn."""
    values: dict[str, Any] = {}
    for each in inspect.signature(function).parameters.values():
        if each.name in RIGS and each.name != name and each.name != "armatures":
            values[each.name] = read_robot(ROBOT)
        elif each.default is each.empty:
            values[each.name] = None
    if name == "robot" and "armature" in values:
        values["armature"] = import_robot(ROBOT)
    result = function(**(values | {name: given}))
    if inspect.isgenerator(result):
        list(result)


WRONG = ("arm.urdf", {}, ImportOptions(), 3.0, None, [])


@pytest.mark.parametrize(("function", "name"), list_cases())
def test_what_is_no_robot_is_named(scene: Any, function: Callable[..., Any], name: str) -> None:
    for given in WRONG:
        if name == "armatures" and given == []:
            continue
        with pytest.raises(ArgumentError, match=r"is given (by|as)") as refused:
            call(function, name, given)
        assert "\n" not in str(refused.value)


def test_the_result_of_an_import_stands_for_its_armature(scene: Any, tmp_path: Path) -> None:
    result = import_robot(ROBOT)
    set_joint_positions(result, {"elbow": np.float32(0.5)})
    assert get_joint_positions(result)["elbow"] == pytest.approx(0.5)
    assert np.allclose(link_pose(result, "tool"), link_pose(result.armature, "tool"))
    place_robots(result)
    place_robots([result, result.armature])
    export_robot(result, tmp_path / "Arm.proto")
    export_robot(result.armature, tmp_path / "Same.proto")
    texts = [(tmp_path / f"{name}.proto").read_text() for name in ("Arm", "Same")]
    assert texts[0].replace("Arm", "Same") == texts[1]


def test_the_result_of_an_import_stands_for_its_robot(scene: Any) -> None:
    result = import_robot(ROBOT)
    robot = read_robot(ROBOT)
    frames: Any = forward_kinematics(result)  # type: ignore[arg-type]
    assert {name: frame.tolist() for name, frame in frames.items()} == {
        name: frame.tolist() for name, frame in forward_kinematics(robot).items()
    }
    assert reshape.rename(result, prefix="a_") == reshape.rename(robot, prefix="a_")  # type: ignore[arg-type]


def test_a_robot_that_was_deleted_is_named(scene: Any) -> None:
    result = import_robot(ROBOT)
    urdf_importer.delete_robot(result)
    with pytest.raises(ArgumentError, match="no longer in Blender"):
        get_joint_positions(result)


def test_options_in_the_place_of_diagnostics_are_named() -> None:
    options: Any = ImportOptions()
    with pytest.raises(ArgumentError, match=r"options are given by name: options=\.\.\.$"):
        read_robot(ROBOT, diagnostics=options)
    wrong: Any = {"packages": {}}
    with pytest.raises(ArgumentError, match=r"options must be ImportOptions\(\.\.\.\), not"):
        read_robot(ROBOT, options=wrong)
    with pytest.raises(ArgumentError, match="options must be ImportOptions"):
        import_robot(ROBOT, options=WebotsOptions())  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [[0.5], 0.5, "elbow", [("elbow", 0.5)]])
def test_positions_are_by_joint(scene: Any, given: Any) -> None:
    robot = read_robot(ROBOT)
    for call in (
        lambda: forward_kinematics(robot, given),
        lambda: inverse_kinematics(robot, "tool", target=(0.1, 0.1, 0.1), start_positions=given),
        lambda: set_joint_positions(import_robot(ROBOT), given),
        lambda: reshape.move_zero(robot, given),
    ):
        with pytest.raises(ArgumentError, match=r"must be {joint: number}, not"):
            call()


@pytest.mark.parametrize("given", ["a", "5", None, {}, [[1.0]], (), (1.0, 2.0)])
def test_a_position_is_a_number(given: Any) -> None:
    with pytest.raises(KinematicsError, match="joint 'elbow' must be one finite number"):
        forward_kinematics(read_robot(ROBOT), {"elbow": given})


def test_names_that_are_nearly_right_are_recalled() -> None:
    robot = read_robot(ROBOT)
    for ask, hint in (
        (lambda: forward_kinematics(robot, {"elbo": 0.1}), "no joint 'elbo'; did you mean 'elbow'"),
        (
            lambda: inverse_kinematics(robot, "Tool", target=(0, 0, 0)),
            "'Tool'; did you mean 'tool'",
        ),
        (lambda: reshape.prune(robot, remove="tol"), "no link or joint 'tol'; did you mean 'tool'"),
        (lambda: forward_kinematics(robot, {"zzz": 0.1}), "no joint 'zzz'; there are 'shoulder'"),
    ):
        with pytest.raises(KinematicsError, match=hint):
            ask()


def test_one_name_is_one_name_and_not_its_letters(scene: Any) -> None:
    robot = read_robot(ROBOT)
    assert reshape.prune(robot, keep="tool") == reshape.prune(robot, keep=["tool"])
    assert reshape.merge_fixed(robot, keep="tool") == reshape.merge_fixed(robot, keep=["tool"])
    assert reshape.seat_links(robot, "elbow") == reshape.seat_links(robot, ["elbow"])
    assert Reshaping(strip="visual", rename={"a": "b"}) == Reshaping(  # type: ignore[arg-type]
        strip=("visual",), rename=(("a", "b"),)
    )
    with pytest.raises(KinematicsError, match="no joint 'ellbow'"):
        inverse_kinematics(
            robot, "tool", target=(0.1, 0.1, 0.1), options=IKOptions(joints="ellbow")
        )
    assert mirror_pose(import_robot(ROBOT), joints="elbow") == 1
    with pytest.raises(ArgumentError, match="joints is 3; it must be texts"):
        mirror_pose(import_robot(ROBOT), joints=3)  # type: ignore[arg-type]


def test_one_folder_for_an_update_is_one_folder(scene: Any, tmp_path: Path) -> None:
    result = import_robot(ROBOT)
    updated = urdf_importer.update_robot(
        result, options=ImportOptions(visuals=False), package_paths=str(tmp_path)
    )
    from urdf_importer.core.blender.standing.record import find_record

    assert find_record(updated.armature).options.package_paths == (str(tmp_path),)


def test_a_motion_may_be_a_path(scene: Any, tmp_path: Path) -> None:
    table = tmp_path / "wave.csv"
    table.write_text("time,elbow\n0,0\n1,0.5\n")
    result = import_robot(ROBOT)
    assert apply_trajectory(result, str(table)).name == "wave"
    assert check_trajectory(result, table) == ()
    assert check_trajectory(result.robot, table) == ()
    wrong: Any = {"elbow": [0.0]}
    with pytest.raises(ArgumentError, match="a motion is given as a Trajectory"):
        apply_trajectory(result, wrong)


def test_diagnostics_show_their_lines() -> None:
    diagnostics = Diagnostics("arm.urdf")
    assert repr(diagnostics) == "no diagnostics"
    diagnostics.warning("some-code", "a thing", line=3)
    diagnostics.warning("some-code", "another", line=5)
    assert repr(diagnostics).splitlines() == [str(item) for item in diagnostics]


def test_dir_is_what_is_public() -> None:
    assert set(dir(urdf_importer)) == set(urdf_importer.__all__)
    assert all(hasattr(urdf_importer, name) for name in dir(urdf_importer))
    assert urdf_importer.__version__.count(".") == 2
