# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever stands in a <gazebo> element, the files that come out are valid."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.webots.proto_check import check
from support.webots.webots_robots import BOX, joint, link
from urdf_importer import Diagnostics, WebotsOptions, export_robot, read_robot
from urdf_importer.core.gazebo.parts import KINDS

COLLISION = f"<collision>{BOX}</collision>"
WORDS = """
pose camera image width height clip near far noise stddev mean horizontal_fov ray lidar scan
horizontal vertical samples resolution min_angle max_angle range min max sonar radius imu
navsat altimeter contact collision force_torque plugin mu1 mu2 topic update_rate distortion
k1 center depth_camera sensor parent origin frameName ros remapping
"""
TAGS = WORDS.split()
NUMBERS = "0 1 -1 1e300 -1e300 1e-300 nan inf 1e400 3.2 7 100000 0.001"
OTHERS = ("", "x", "1 2 3", "1 2 3 4 5 6", "0 0 0 1e9 0 0", "~/out:=a b/c", "true", "é&lt;")
TEXTS = st.sampled_from((*NUMBERS.split(), *OTHERS))
REFERENCES = ("head", "neck", "body", "bolt", "nowhere")


@st.composite
def elements(draw: st.DrawFn, depth: int = 4) -> str:
    tag = draw(st.sampled_from(TAGS))
    if depth == 0 or draw(st.booleans()):
        return f"<{tag}>{draw(TEXTS)}</{tag}>"
    inner = "".join(draw(st.lists(elements(depth=depth - 1), max_size=4)))
    return f'<{tag} name="{draw(TEXTS)}">{inner}</{tag}>'


# What sensors say in the right places, with any texts.
SENSIBLE = (
    "<pose>{}</pose><camera><horizontal_fov>{}</horizontal_fov><image><width>{}</width>"
    "<height>{}</height></image><clip><near>{}</near><far>{}</far></clip><noise><stddev>{}</stddev>"
    "</noise><distortion><k1>{}</k1><center>{}</center></distortion></camera>",
    "<ray><scan><horizontal><samples>{}</samples><resolution>{}</resolution><min_angle>{}"
    "</min_angle><max_angle>{}</max_angle></horizontal><vertical><samples>{}</samples><min_angle>{}"
    "</min_angle><max_angle>{}</max_angle></vertical></scan><range><min>{}</min><max>{}</max>"
    "<resolution>{}</resolution></range><noise><stddev>{}</stddev></noise></ray>",
    "<sonar><min>{}</min><max>{}</max><radius>{}</radius></sonar>",
    "<navsat><position_sensing><horizontal><noise><stddev>{}</stddev></noise></horizontal>"
    "</position_sensing></navsat><altimeter><vertical_position><noise><stddev>{}</stddev></noise>"
    "</vertical_position></altimeter>",
    '<ray/><plugin name="{}" filename="libgazebo_ros_range.so"><radiation>{}</radiation></plugin>',
    "<update_rate>{}</update_rate><topic>{}</topic><frame_id>{}</frame_id>",
)


@st.composite
def sensible(draw: st.DrawFn) -> str:
    template = draw(st.sampled_from(SENSIBLE))
    return template.format(*(draw(TEXTS) for _ in range(template.count("{}"))))


@st.composite
def gazebo(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(sorted(KINDS)))
    tag = draw(st.sampled_from(("sensor", "sensor", f"sensor:{kind}", "physics")))
    inner = "".join(draw(st.lists(sensible() | elements(), max_size=6)))
    reference = draw(st.sampled_from(REFERENCES))
    name = draw(st.sampled_from(("a", "head", "neck", "x:y", "")))
    return (
        f'<gazebo reference="{reference}"><{tag} type="{kind}" name="{name}">{inner}</{tag}>'
        f"{draw(elements())}</gazebo>"
    )


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(found=st.lists(gazebo(), min_size=1, max_size=4))
def test_any_sensor_gives_a_valid_project(found: list[str], tmp_path: Path) -> None:
    source = tmp_path / "any.urdf"
    parts = (
        link("body", inside=COLLISION),
        link("head", inside=COLLISION),
        link("bolted", inside=COLLISION),
        joint("neck", "revolute", "body", "head"),
        joint("bolt", "fixed", "head", "bolted"),
    )
    source.write_text(f'<robot name="any">{"".join(parts)}{"".join(found)}</robot>', "utf-8")
    robot = read_robot(source, diagnostics=Diagnostics())
    result = export_robot(robot, tmp_path / "project", options=WebotsOptions())
    (world,) = (file for file in result.files if file.suffix == ".wbt")
    assert check(world).problems == ()
