# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices of Webots in <webots>: nodes of their links, judged by the independent checker."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.webots.webots_robots import BOX, Small, joint, link

COLLISION = f"<collision>{BOX}</collision>"
FIELDS = {
    "Emitter": {"type": "infra-red", "range": "2", "channel": "3", "allowedChannels": "1 2"},
    "Receiver": {"aperture": "1.5", "signalStrengthNoise": "0.1", "bufferSize": "4096"},
    "LightSensor": {"lookupTable": "0 0 0 1 1000 0", "colorFilter": "1 0 0", "occlusion": "TRUE"},
    "DistanceSensor": {"type": "sonar", "numberOfRays": "4", "aperture": "0.5"},
    "TouchSensor": {"type": "force", "lookupTable": "0 0 0 10 10 0"},
    "Charger": {"battery": "1 2 3", "radius": "0.1", "emissiveColor": "1 0 0", "gradual": "FALSE"},
}


def write_device(node: str, **fields: str) -> str:
    inner = "".join(f'<field name="{name}">{text}</field>' for name, text in fields.items())
    pose = "<pose>0.1 0.2 0.3 0.1 0.2 0.3</pose>"
    device = f'<device type="{node}" name="eye">{pose}{inner}</device>'
    return f'<webots reference="head">{device}</webots>'


def make(folder: Path, *elements: str, **options: Any) -> Small:
    return Small(
        folder,
        link("body", inside=COLLISION),
        link("head", inside=COLLISION),
        joint("neck", "revolute", "body", "head", xyz="0 0 1"),
        "<webots><battery>10 20 1.5</battery></webots>",
        *elements,
        **options,
    )


@pytest.mark.parametrize("node", list(FIELDS))
def test_devices_are_nodes_of_their_links(node: str, tmp_path: Path) -> None:
    small = make(tmp_path, write_device(node, **FIELDS[node]))
    checked = small.check()
    assert checked.solids["eye"]["type"] == node
    place = np.linalg.inv(checked.pose("head")) @ checked.pose("eye")
    wanted = (0.0, 0.0, 0.0) if node == "TouchSensor" else (0.1, 0.2, 0.3)
    np.testing.assert_allclose(place[:3, 3], wanted, atol=1e-6)
    text = small.text
    for name in FIELDS[node]:
        assert f"{name} " in text
    assert "battery [" in text and small.codes == []


@pytest.mark.parametrize(
    "element",
    [
        write_device("Laser"),
        write_device("LightSensor", lookuptable="1"),
        write_device("Emitter", range="far"),
        write_device("Emitter").replace("head", "nowhere"),
    ],
)
def test_devices_that_webots_does_not_have_are_reported(element: str, tmp_path: Path) -> None:
    small = make(tmp_path, element)
    assert small.codes == ["webots-sensor-dropped"]
    assert "eye" not in small.check().solids


def test_devices_are_left_out_with_the_sensors(tmp_path: Path) -> None:
    small = make(tmp_path, write_device("Emitter"), sensors=False)
    assert small.codes == [] and "Emitter" not in small.text
