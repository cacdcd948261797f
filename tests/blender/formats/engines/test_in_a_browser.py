# SPDX-License-Identifier: GPL-3.0-or-later
"""A page made with three.js opens the robot in a real browser, plays its clip, and is looked at.

It needs three.js (tools/get-three FOLDER; THREE_JS=FOLDER) and Chromium.
"""

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.blender.engine_robots import FPS, animate, frames_at, into_engine
from support.paths import ROOT
from urdf_importer import EngineOptions, export_robot, import_robot

THREE = os.environ.get("THREE_JS", "")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or ""
PAGE = ROOT / "tests" / "support" / "three_page.html"
BACKGROUND = np.array([0x30, 0x34, 0x3C]) / 255.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("scene"),
    pytest.mark.skipif(
        not (THREE and BROWSER), reason="needs Chromium, and three.js: tools/get-three, $THREE_JS"
    ),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, format: str, *arguments: Any) -> None:
        """Says nothing."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """(a folder with the page and three.js, its address)."""
    folder = tmp_path / "site"
    folder.mkdir()
    shutil.copy(PAGE, folder / "page.html")
    (folder / "three").symlink_to(Path(THREE, "three").resolve(), target_is_directory=True)
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}/page.html"
        server.shutdown()


def browse(address: str, picture: Path, profile: Path) -> dict[str, Any]:
    """What the page wrote; the picture of it is a file then."""
    options = [
        "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
        "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=480,400",
        "--virtual-time-budget=30000", f"--user-data-dir={profile}", "--dump-dom",
    ]  # fmt: skip
    done = subprocess.run(
        [BROWSER, *options, f"--screenshot={picture}", address],
        capture_output=True,
        text=True,
        timeout=300,
    )
    written = re.search(r'id="report">(.*?)</script>', done.stdout)
    assert written is not None, done.stdout[-500:] + done.stderr[-500:]
    report: dict[str, Any] = json.loads(written[1])
    assert "error" not in report, report["error"]
    return report


def read_picture(path: Path) -> Any:
    """(height, width, 3), as the file has them."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    pixels = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(pixels)
    bpy.data.images.remove(image)
    return pixels.reshape(height, width, 4)[..., :3]


def test_three_js_plays_the_robot(site: tuple[Path, str], tmp_path: Path) -> None:
    folder, address = site
    result = import_robot(ROOT / "sample_urdfs" / "quadruped_leg.urdf")
    animate(result.armature, frames=(1, 13, 25))
    written = export_robot(result.armature, folder / "leg.glb", options=EngineOptions(engine="web"))
    engine, pictures = into_engine("z"), []
    for frame in (1, 13):
        picture = tmp_path / f"{frame}.png"
        time = (frame - 1) / FPS
        report = browse(f"{address}?file=leg.glb&time={time}", picture, tmp_path / "profile")
        assert report["clips"] == [[written.animations[0], pytest.approx(1.0)]]
        assert report["skinned"] > 0
        shown = frames_at(result.armature, result.robot, frame)
        for link, bone in written.bones.items():
            found = np.array(report["bones"][bone]).reshape(4, 4).T
            assert np.abs(found - engine @ shown[link]).max() < 1e-5, link
        pictures.append(read_picture(picture))
    for pixels in pictures:
        drawn = np.abs(pixels - BACKGROUND).max(axis=2) > 0.1
        assert 0.05 < drawn.mean() < 0.7
        red, green, blue = pixels[..., 0], pixels[..., 1], pixels[..., 2]
        assert ((red > 0.7) & (green < 0.6) & (blue < 0.3)).sum() > 100, "the knee is orange"
        assert ((red > 0.7) & (green > 0.7) & (blue > 0.7)).sum() > 1000, "shells are white"
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 0.1).mean() > 0.03
