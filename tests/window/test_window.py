# SPDX-License-Identifier: GPL-3.0-or-later
"""The installed extension in a real window, with real events; the pictures are in out/window."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support import real_robots

from .conftest import Program

pytestmark = pytest.mark.window

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_urdfs"
PANDA = real_robots.ROOT / "panda_description" / "urdf" / "panda.urdf"
LEGS = real_robots.ROOT / "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf"
UR5 = real_robots.ROOT / "ur_description" / "urdf" / "ur5_robot.urdf"
HUMANOID = real_robots.ROOT / "g1_description" / "urdf" / "g1_29dof_with_hand_rev_1_0.urdf"
_SIDES = ("left", "right")
TALOS = real_robots.ROOT / "talos_data" / "robots" / "talos_full_v2.urdf"
LONGEST_WAIT = 60.0
"""Seconds of the minute; some ten where nothing else runs, the rest is for reading."""
MOST_MILLISECONDS = 12.0
"""Of a redraw; 3 where nothing else runs."""
_ELBOWS = ("arm_left_4_joint", "arm_right_4_joint")

Play = Callable[..., Path]


def test_file_import_and_undo(play: Play) -> None:
    play("file_import", PANDA, "panda")


def test_from_the_zip_to_a_moving_joint_in_a_minute(play_anew: Play) -> None:
    """Five things to do, as the listing's text says, in a profile that knows nothing yet."""
    folder = play_anew("first_minute", SAMPLES / "two_link_arm.urdf", "elbow")
    waits = json.loads((folder / "steps.json").read_text())
    assert len(waits) == 5
    assert sum(waits.values()) < LONGEST_WAIT, waits


def test_arguments_of_a_xacro_file(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(
        "<robot name='arm' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
        "<xacro:arg name='reach' default='0.4'/>\n<xacro:arg name='tool' default='gripper'/>\n"
        "<link name='base'><visual><geometry><box size='0.1 0.1 $(arg reach)'/></geometry></visual>"
        "</link>\n</robot>\n"
    )
    play("xacro_arguments", path, "reach", "0.8")


def test_drop_on_the_viewport(play: Play) -> None:
    play("drop", SAMPLES / "two_link_arm.urdf", "two_link_arm")


def test_simmechanics_import_with_the_files_beside_it(play: Play) -> None:
    play("simmechanics", SAMPLES / "pumpjack.xml", "pumpjack", "tail_pin")


def test_a_robot_on_loops_is_dragged_after_a_drop(play: Play) -> None:
    play("drop_loops", SAMPLES / "hexapod.xml", "hexapod", "leg_1")


def test_a_robot_without_its_meshes(play: Play, tmp_path: Path) -> None:
    """The two fingers are all that is shown."""
    shutil.copy(PANDA, tmp_path / "panda.urdf")
    play("bare", tmp_path / "panda.urdf", "panda", "panda_link0")


def test_several_files_dropped_at_once(play: Play) -> None:
    names = ("quadruped_leg", "gripper", "humanoid_arm")
    play("drop_several", *(SAMPLES / f"{name}.urdf" for name in names))


def test_a_recording_dropped_on_a_robot(play: Play) -> None:
    play("drop_motion", SAMPLES / "humanoid_arm.urdf", SAMPLES / "pick_and_place.mcap")


def test_simmechanics_dropped_on_the_viewport(play: Play) -> None:
    play("drop", SAMPLES / "pumpjack.xml", "pumpjack")


def test_escape_while_a_big_robot_comes_in(play: Play, tmp_path: Path) -> None:
    """Real robots are there before anybody can press a key."""
    links = "".join(
        f"<link name='l{i}'><visual><geometry><sphere radius='0.1'/></geometry></visual></link>\n"
        for i in range(4000)
    )
    joints = "".join(
        f"<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{i + 1}'/>"
        f"<origin xyz='0 0.05 0.1'/><axis xyz='{i % 2} {(i + 1) % 2} 0'/></joint>\n"
        for i in range(3999)
    )
    path = tmp_path / "tower.urdf"
    path.write_text(f"<robot name='tower'>\n{links}{joints}</robot>\n")
    play("cancel", path)


def test_a_broken_file(play: Play, tmp_path: Path) -> None:
    path = tmp_path / "broken.urdf"
    path.write_text("<robot name='broken'>\n<link name='base'>\n</robot>\n")
    play("broken_file", path)


def test_sliders(play: Play) -> None:
    play("sliders", PANDA, "panda_joint4")


def test_a_motion_is_checked_and_retimed(play: Play, tmp_path: Path) -> None:
    table = tmp_path / "wave.csv"
    table.write_text("time,shoulder,elbow\n0,0,0\n0.5,0,0\n0.625,0.5,-0.1\n1,0.4,0\n")
    play("motion", SAMPLES / "two_link_arm.urdf", table, "shoulder")


def test_a_robot_of_several_armatures(play: Play) -> None:
    play("split", PANDA, "panda_joint4", "panda_joint6")


def test_a_robot_is_one_thing(play: Play) -> None:
    play("whole_robot", SAMPLES / "quadruped_leg.urdf", "quadruped_leg")


def test_file_export(play: Play, tmp_path: Path) -> None:
    play("export", SAMPLES / "two_link_arm.urdf", tmp_path / "arm.wbt")
    assert (tmp_path / "two_link_arm.proto").exists()


def test_export_to_game_engines(play: Play, tmp_path: Path) -> None:
    play("engines", SAMPLES / "quadruped_leg.urdf", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "quadruped_leg.fbx", "quadruped_leg.physics.json", "quadruped_leg.usda",
    }  # fmt: skip


def test_exports_that_take_long_show_a_bar_and_end_by_escape(play: Play, tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    play("slow_exports", SAMPLES / "quadruped_leg.urdf", folder)


def test_update_from_source(play: Play, tmp_path: Path) -> None:
    shutil.copy(SAMPLES / "two_link_arm.urdf", tmp_path)
    play(
        "update", tmp_path / "two_link_arm.urdf", '<mass value="6"/>', '<mass value="7.5"/>', "base"
    )


def test_the_line_of_a_message_is_opened(play: Play) -> None:
    play("open_line", SAMPLES / "messy.urdf", 34)


def test_missing_meshes_are_located(play: Play, tmp_path: Path) -> None:
    play("locate", *_write_crane(tmp_path), "crane")


def test_a_world_without_robots_says_what_it_lacks(play: Play, tmp_path: Path) -> None:
    """Of two copies of a world one lies where Gazebo's usual layout has it, beside its models."""
    usual, lonely = tmp_path / "house/worlds/w.world", tmp_path / "lonely" / "w.world"
    model = tmp_path / "house/models/crate"
    for each in (usual.parent, lonely.parent, model):
        each.mkdir(parents=True)
    for each in (usual, lonely):
        each.write_text(
            "<sdf version='1.6'><world name='w'><light name='sun' type='directional'/>"
            "<include><uri>model://crate</uri></include></world></sdf>"
        )
    (model / "model.sdf").write_text(
        "<sdf version='1.6'><model name='crate'><link name='body'><visual name='v'><geometry><box>"
        "<size>1 1 1</size></box></geometry></visual></link></model></sdf>"
    )
    (model / "model.config").write_text(
        "<model><name>crate</name><sdf version='1.6'>model.sdf</sdf></model>"
    )
    play("world_report", lonely, model.parent, usual, "crate")


def test_buttons_of_a_real_robot(play: Play, program: Program, tmp_path: Path) -> None:
    """An arm in one program, a humanoid in the other: it has two sides."""
    robot = {"4": (PANDA, *["panda_joint4"] * 2), "5": (TALOS, *_ELBOWS)}[program.number]
    play("buttons", *_write_crane(tmp_path), "crane", *robot)


def _write_crane(folder: Path) -> tuple[Path, Path]:
    """A robot, and far from it the folder of the package in which its meshes are."""
    shapes = "".join(
        f"<visual><geometry><mesh filename='package://harbour/meshes/{name}.stl'/></geometry></visual>"
        for name in ("post", "boom", "hook")
    )
    lonely, meshes = folder / "one" / "crane.urdf", folder / "two" / "three" / "harbour/meshes"
    for each in (lonely.parent, meshes):
        each.mkdir(parents=True)
    lonely.write_text(f"<robot name='crane'><link name='base'>{shapes}</link></robot>")
    made = sorted((SAMPLES / "meshes").glob("*.stl"))
    for name, source in zip(("post", "boom", "hook"), made, strict=False):
        shutil.copy(source, meshes / f"{name}.stl")
    return lonely, meshes.parent.parent


def test_bodies_are_dragged(play: Play) -> None:
    play("gizmo", PANDA)


def test_hands_on_all_kinds_of_joints(play: Play) -> None:
    play("all_hands", SAMPLES / "planar_base.urdf", SAMPLES / "drone.urdf")


def test_handles_among_the_bodies_of_a_humanoid(play: Play) -> None:
    legs = ",".join(
        f"{side}_hip_{way}_joint" for side in _SIDES for way in ("pitch", "roll", "yaw")
    )
    play("handles", HUMANOID, "right_hand_palm_link", legs, "waist_pitch_joint")


def test_poses_by_shares_and_limbs_alone(play: Play) -> None:
    srdf = real_robots.ROOT / "panda_description" / "srdf" / "panda.srdf"
    play("poses", PANDA, srdf, "panda_joint4")


def test_reshape_and_export_of_changes(play: Play, tmp_path: Path) -> None:
    play("reshape", SAMPLES / "two_link_arm.urdf", "0.5", "elbow", tmp_path)


def test_a_robot_follows_a_server(play: Play) -> None:
    """The server runs in a process of its own, in the program's Python."""
    script = ROOT / "tests" / "support" / "live_server.py"
    play("follow", SAMPLES / "two_link_arm.urdf", script, "shoulder", "elbow")


_PANELS = {
    "gripper": ("Joints", "Inverse Kinematics", "Poses", "Motion"),
    "legs": ("Simulate", "Retarget", "Look"),
    "scout": ("Sensors", "Collision Shapes", "Import Report"),
    "rover": ("Links", "Reshape", "Live"),
    "arm": ("Waypoints",),
    "maker": ("Build",),
}


@pytest.mark.parametrize("robot", _PANELS)
def test_every_panel_in_three_widths(play: Play, robot: str, tmp_path: Path) -> None:
    labels = [label for each in _PANELS.values() for label in each]
    paths = {
        "gripper": SAMPLES / "gripper.urdf", "legs": LEGS, "arm": SAMPLES / "two_link_arm.urdf",
        "maker": SAMPLES / "two_link_arm.urdf",
    }  # fmt: skip
    path = paths.get(robot) or _write_scout(tmp_path)
    person = SAMPLES / "walk_and_wave.bvh"
    play("sidebar", path, person, ",".join(labels), *_PANELS[robot], size="640x1500")


def _write_scout(folder: Path) -> Path:
    """A robot with sensors, and a file with faults, two of one kind."""
    text = (
        (SAMPLES / "differential_drive.urdf").read_text().replace("meshes/", f"{SAMPLES}/meshes/")
    )
    mesh = "<geometry><mesh filename='package://harbour/meshes/mast.stl'/></geometry>"
    path = folder / "scout.urdf"
    path.write_text(
        text.replace(
            "</robot>",
            f"<link name='mast'><visual>{mesh}</visual><collision><geometry/></collision>"
            "<collision><geometry/></collision></link><joint name='mast_mount' type='fixed'>"
            "<parent link='base_link'/><child link='mast'/></joint><gazebo reference='base_link'>"
            "<sensor name='scan' type='ray'><ray><scan><horizontal><samples>90</samples>"
            "<min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan><range>"
            "<min>0.2</min><max>5</max></range></ray></sensor><sensor name='eye' type='camera'>"
            "<camera><horizontal_fov>1.2</horizontal_fov><image><width>64</width><height>48</height></image></camera></sensor>"
            "<sensor name='imu' type='imu'/></gazebo></robot>",
        )
    )
    return path


def test_touching_links_are_red_after_undo_deletion_and_reload(play: Play) -> None:
    play("touching", PANDA)


def test_an_arm_is_made_of_three_meshes(play: Play, tmp_path: Path) -> None:
    play("build_arm", tmp_path / "arm.urdf", size="1280x1240")


def test_collision_shapes_with_esc_one_link_and_undo(play: Play, tmp_path: Path) -> None:
    play("collision_shapes", UR5, tmp_path)


def test_simulate_from_the_panel_with_esc_and_undo(play_anew: Play) -> None:
    play_anew("simulate", SAMPLES / "quadruped_leg.urdf")


def test_a_robot_follows_a_person_with_a_pair_corrected_by_two_clicks(play: Play) -> None:
    play("retarget", LEGS, SAMPLES / "walk_and_wave.bvh")


def test_an_animator_from_the_drop_of_a_person_to_a_table_and_back(
    play_anew: Play, tmp_path: Path
) -> None:
    """The first fifty frames of a person in centimetres, at a rate that the scene does not have."""
    head, _, frames = (SAMPLES / "walk_and_wave.bvh").read_text().partition("Frames: 270")
    poses = frames.strip().splitlines()[1:51]
    path = tmp_path / "walk.bvh"
    path.write_text("\n".join([f"{head}Frames: 50", "Frame Time: 0.0166667", *poses, ""]))
    play_anew("animator", LEGS, path, tmp_path / "table.csv")


def test_drive_by_hand_with_esc_and_undo(play: Play) -> None:
    play("drive_by_hand", SAMPLES / "differential_drive.urdf")


def test_a_recording_of_sensors_that_escape_ends(play: Play, tmp_path: Path) -> None:
    text = (SAMPLES / "two_link_arm.urdf").read_text()
    scan = (
        '<gazebo reference="base"><sensor name="scan" type="ray"><ray><scan><horizontal><samples>90'
        "</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan><range>"
        "<min>0.1</min><max>9</max></range></ray></sensor></gazebo></robot>"
    )
    path = tmp_path / "arm.urdf"
    path.write_text(text.replace("</robot>", scan))
    folder = tmp_path / "recorded"
    folder.mkdir()
    play("sensor_recording", path, folder)


def test_a_studio_is_left_by_undo_orbit_removal_reload_and_a_new_file(
    play_anew: Play, tmp_path: Path
) -> None:
    play_anew("studio", SAMPLES / "gripper.urdf", tmp_path / "studio.blend", size="1280x720")


def test_three_robots_in_two_windows_with_links_deletion_and_undo(
    play_anew: Play, tmp_path: Path
) -> None:
    files = (SAMPLES / "quadruped_leg.urdf", SAMPLES / "two_link_arm.urdf")
    play_anew("keeper", *files, tmp_path / "library.blend")


def test_a_joint_gets_another_name_while_solutions_are_shown(
    play_anew: Play, tmp_path: Path
) -> None:
    shutil.copytree(SAMPLES / "meshes", tmp_path / "meshes")
    shutil.copy(SAMPLES / "humanoid_arm.urdf", tmp_path)
    play_anew("stale", tmp_path / "humanoid_arm.urdf", "elbow", "elbow_joint", size="1280x720")


def test_a_drag_while_the_animation_plays_and_a_simulation(play: Play) -> None:
    play("playing", SAMPLES / "two_link_arm.urdf", "elbow")


def test_sixty_joints_from_the_drop_to_the_first_drag(play: Play, tmp_path: Path) -> None:
    """Panel and gizmos stay fast."""
    folder = play("five_minutes", _write_limbs(tmp_path), "limb_2_joint_3")
    measured = json.loads((folder / "measured.json").read_text())
    waiting, hands = measured.pop("waiting"), measured.pop("hands")
    assert waiting + hands < LONGEST_WAIT
    assert {"JointsPanel.draw", "JointGizmo.draw"} <= measured.keys(), measured
    assert sum(measured.values()) < MOST_MILLISECONDS, measured


def _write_limbs(folder: Path) -> Path:
    """A body with six limbs of ten joints each."""
    shape = "<visual><geometry><box size='0.05 0.05 0.1'/></geometry></visual>"
    parts = [f"<link name='torso'>{shape}</link>"]
    for limb in range(6):
        parent, place = "torso", f"0 {0.2 * limb} 0"
        for number in range(10):
            name = f"limb_{limb}_joint_{number}"
            parts.append(
                f"<link name='{name}_link'>{shape}</link><joint name='{name}' type='revolute'>"
                f"<parent link='{parent}'/><child link='{name}_link'/><origin xyz='{place}'/>"
                f"<axis xyz='{number % 2} {1 - number % 2} 0'/>"
                "<limit lower='-1.5' upper='1.5' effort='9' velocity='2'/></joint>"
            )
            parent, place = f"{name}_link", "0 0 0.12"
    path = folder / "limbs.urdf"
    path.write_text(f"<robot name='limbs'>{''.join(parts)}</robot>")
    return path
