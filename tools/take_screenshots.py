# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the pictures of Blender's window in docs/images or in listing/; tools/take-screenshots
runs it."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(os.environ["BLENDER_PROGRAMS"])
IMAGES = ROOT / "docs" / "images"
LISTING = ROOT / "listing"
SCENARIOS = ROOT / "tests" / "window"
SECONDS = 300

FOLDER = Path("/tmp/robots")
"""Where the robots lie, as the pictures show it: a place that says nothing of the machine."""

SIZES = {
    "install": (1280, 800),
    "preferences": (1280, 800),
    "file_menu": (1280, 800),
    "file_browser": (1280, 800),
    "xacro_arguments": (1280, 800),
    "progress": (800, 600),
    "panel": (1280, 960),
    "joint_gizmo": (1280, 800),
    "tip_handle": (1280, 800),
    "channels": (1280, 800),
    "groups": (1280, 1240),
    "motion": (1280, 1180),
    "simulate": (1280, 800),
    "retarget_panel": (1280, 800),
    "keyframes": (1280, 800),
    "inverse_kinematics": (1280, 800),
    "ik_ways": (1280, 940),
    "live": (1280, 1110),
    "sensors_panel": (1280, 800),
    "engine_export": (1280, 700),
    "export_changes": (1280, 700),
    "render": (1280, 800),
    "report": (1280, 1560),
    "check_report": (1280, 960),
    "reshape_dialog": (1280, 800),
    "update": (1280, 800),
    "error": (1280, 800),
}
"""Width and height of the display, in pixels, by picture: as much as there is to show."""
MOVING = dict.fromkeys(("drop_robot", "drag_hand", "play_keyframes"), (1200, 720))
"""Moving pictures, which loop."""
LISTED = dict.fromkeys(("drag", "solutions", "animate"), (1920, 1080))
"""The windows of the listing, in the size that the platform asks for."""
DRAWN = ("icon", "featured")
"""The listing's other pictures; draw_listing.py makes them."""
SMALL = ("-selective-blur", "0x2+2%", "+dither", "-colors", "256")
"""Takes the last grain out of a rendered picture, or it would not pack."""

XACRO = """\
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="prefix" default="left_"/>
  <xacro:arg name="reach" default="0.6"/>
  <xacro:arg name="gripper" default="true"/>
  <link name="$(arg prefix)base">
    <visual><geometry><box size="0.1 0.1 $(arg reach)"/></geometry></visual>
  </link>
  <xacro:if value="$(arg gripper)"><link name="$(arg prefix)gripper"/></xacro:if>
</robot>
"""
BROKEN = """\
<robot name="arm">
  <link name="base">
    <visual><geometry><box size="0.1 0.1 0.4"/></geometry>
  </link>
</robot>
"""
FAULTS = {
    '<origin xyz="0 0 -0.09"/>\n      <mass value="1"/>': (
        '<origin xyz="0 0 -0.09"/>\n      <mass value="1000"/>'
    ),
    'lower="-1.2" upper="1.2"': 'lower="-70" upper="70"',
}
"""Grams and degrees, in the place of a forearm's mass and a wrist's limits."""
SENSORS = """\
<gazebo reference="base_link">
  <sensor name="scan" type="ray"><pose>0 0 0.15 0 0 0</pose><update_rate>10</update_rate>
    <ray><scan><horizontal><samples>360</samples><min_angle>-2.2</min_angle>
      <max_angle>2.2</max_angle></horizontal></scan><range><min>0.2</min><max>5</max></range></ray>
  </sensor>
  <sensor name="eye" type="rgbd"><pose>0.2 0 0.12 0 0 0</pose><update_rate>15</update_rate>
    <camera><horizontal_fov>1.2</horizontal_fov><image><width>640</width><height>480</height>
      </image><clip><near>0.05</near><far>8</far></clip></camera>
  </sensor>
  <sensor name="imu" type="imu"><update_rate>200</update_rate></sensor>
  <sensor name="bumper" type="contact"/>
</gazebo>
</robot>
"""


def copy_robots() -> None:
    """The samples, real robots, and the files that only pictures need."""
    shutil.copytree(ROOT / "sample_urdfs", FOLDER, ignore=shutil.ignore_patterns("*.py", "*.md"))
    (FOLDER / "arm.urdf.xacro").write_text(XACRO)
    (FOLDER / "broken.urdf").write_text(BROKEN)
    scout = (FOLDER / "differential_drive.urdf").read_text().replace("differential_drive", "scout")
    (FOLDER / "scout.urdf").write_text(scout.replace("</robot>", SENSORS))
    grams = (FOLDER / "humanoid_arm.urdf").read_text()
    for right, wrong in FAULTS.items():
        grams = grams.replace(right, wrong)
    (FOLDER / "grams.urdf").write_text(grams)
    (FOLDER / "workspace" / "src").mkdir(parents=True)
    share = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix", "share", "example-robot-data")
    for name in ("panda_description", "talos_data", "ur_description"):
        target = FOLDER / "workspace" / "src" / "example-robot-data" / "robots" / name
        shutil.copytree(share / "robots" / name, target)


def install(profile: Path, zipped: Path) -> None:
    subprocess.run(
        [
            *(PROGRAMS / "bin" / "blender-5", "--command", "extension", "install-file"),
            *("-r", "user_default", "--enable", zipped),
        ],
        env={**os.environ, "BLENDER_USER_RESOURCES": str(profile)},
        stdout=subprocess.DEVNULL,
        check=True,
    )


def play(name: str, profile: Path, place: Path) -> Path:
    """One scenario in a new window. Returns its picture; ends this program where it failed."""
    width, height = {**SIZES, **MOVING, **LISTED}[name]
    plays = "listing_plays" if name in LISTED else "moving_pictures"
    scenarios = SCENARIOS / f"{'pictures' if name in SIZES else plays}.py"
    done = subprocess.run(
        [
            *(PROGRAMS / "bin" / "xvfb-5", "blender", "--gpu-backend", "opengl"),
            *("--enable-event-simulate", "-p", "0", "0", str(width), str(height)),
            *("--python", scenarios, "--", name, place, FOLDER),
        ],
        env={
            **os.environ,
            "BLENDER_USER_RESOURCES": str(profile),
            "HOME": str(place),
            "XVFB_SCREEN": f"{width}x{height}x24",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    result = place / "result.json"
    error = json.loads(result.read_text())["error"] if result.exists() else "Blender ended early"
    if error or "Traceback" in done.stdout:
        sys.exit(f"take-screenshots: {name}: {error}\n{done.stdout}")
    result.unlink()
    return place / f"{name}.{'webp' if name in MOVING else 'png'}"


def draw(name: str, place: Path) -> Path:
    import draw_listing

    path = place / f"{name}.png"
    if name == "icon":
        path.write_bytes(draw_listing.draw_icon())
    else:
        draw_listing.render_line_up(path)
        command = (PROGRAMS / "bin" / "in-blender-5", "magick", path, *SMALL, path)
        subprocess.run(command, check=True)
    return path


def take(names: list[str], zipped: Path) -> None:
    with tempfile.TemporaryDirectory() as text:
        place = Path(text)
        for name in names:
            if name in DRAWN:
                keep(draw(name, place), LISTING / f"{name}.png")
        names = [name for name in names if name not in DRAWN]
        if names:
            install(place / "profile", zipped)
        for name in names:
            # A copy: what one picture leaves in the profile must not show in the next.
            profile = place / name
            if name == "install":
                profile.mkdir()
            else:
                shutil.copytree(place / "profile", profile, symlinks=True)
            picture = play(name, profile, place)
            keep(picture, (LISTING if name in LISTED else IMAGES) / picture.name)


def keep(picture: Path, target: Path) -> None:
    shutil.copyfile(picture, target)
    size = target.stat().st_size // 1024
    sys.stdout.write(f"{target.relative_to(ROOT)} ({size} kB)\n")
    sys.stdout.flush()


def main(zipped: str, *names: str) -> None:
    known = (*DRAWN, *LISTED) if "--listing" in names else (*SIZES, *MOVING)
    names = tuple(name for name in names if name != "--listing")
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"take-screenshots: no such picture: {unknown[0]} ({', '.join(known)})")
    if FOLDER.exists():
        sys.exit(f"take-screenshots: {FOLDER} is there already; move it away and try again")
    IMAGES.mkdir(parents=True, exist_ok=True)
    try:
        copy_robots()
        take(list(names or known), Path(zipped))
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
