# SPDX-License-Identifier: GPL-3.0-or-later
"""What links of SDF are made of, the files that it names, and what is said of faulty ones."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.paths import ROOT
from urdf_importer import Diagnostics, ImportOptions, ReadError, RobotError, list_models, read_robot
from urdf_importer.cli import main
from urdf_importer.core.kinematics.tree import plan_tree
from urdf_importer.core.model import Box, Capsule, Mesh, Sphere, VisualMaterials

LINK = '<link name="a"/>'


def read_text(tmp_path, text, name="model.sdf", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    diagnostics = Diagnostics()
    robot = read_robot(path, diagnostics=diagnostics, options=ImportOptions(**options))
    return robot, [each.code for each in diagnostics]


def model(text, version="1.9"):
    return f'<sdf version="{version}"><model name="m">{text}</model></sdf>'


def test_the_sample_gate():
    robot = read_robot(ROOT / "sample_urdfs" / "gate.sdf", options=ImportOptions(model="gate"))
    swing = next(each for each in robot.joints if each.name == "swing")
    assert swing.mimic.joint == "spin" and swing.mimic.multiplier == pytest.approx(-0.05)
    assert {"world", "post", "wing", "hinge", "drive::wheel"} == {each.name for each in robot.links}


def test_mass_and_its_defaults(tmp_path):
    inertial = "<inertial><pose>1 2 3 0 0 0</pose><mass>5</mass><inertia><ixx>2</ixx></inertia>"
    text = f'<link name="a">{inertial}</inertial></link><link name="b"/>'
    robot, codes = read_text(tmp_path, model(text))
    a, b = (each.inertial for each in robot.links if each.name in "ab")
    assert (a.mass, a.origin.xyz, a.inertia.ixx, a.inertia.izz) == (5.0, (1.0, 2.0, 3.0), 2.0, 1.0)
    assert (b.mass, b.inertia.ixx, b.inertia.ixy) == (1.0, 1.0, 0.0) and not codes


def test_automatic_inertia_is_that_of_the_shapes(tmp_path):
    """A cube and a ball of steel; the moments are those of textbooks."""
    cube = "<box><size>2 2 2</size></box>"
    collision = f'<collision name="c"><density>7</density><geometry>{cube}</geometry></collision>'
    text = f'<link name="a"><inertial auto="true"/>{collision}</link>'
    robot, _ = read_text(tmp_path, model(text, "1.11"))
    found = robot.links[0].inertial
    assert found.mass == pytest.approx(56.0)
    assert found.inertia.ixx == pytest.approx(56.0 * (4 + 4) / 12)
    ball = collision.replace(cube, "<sphere><radius>1</radius></sphere>")
    away = ball.replace('name="c">', 'name="d"><pose>3 0 0 0 0 0</pose>')
    both = f'<link name="a"><inertial auto="true"/>{ball}{away}</link>'
    found = read_text(tmp_path, model(both, "1.11"))[0].links[0].inertial
    mass = 7 * 4 / 3 * math.pi
    assert found.origin.xyz == pytest.approx((1.5, 0.0, 0.0))
    assert found.inertia.ixx == pytest.approx(2 * 0.4 * mass)
    assert found.inertia.izz == pytest.approx(2 * (0.4 * mass + mass * 1.5**2))


def test_shapes_colours_and_what_is_kept(tmp_path):
    look = """<visual name="v{0}"><geometry>{1}</geometry>{2}</visual>"""
    shapes = [
        look.format(0, "<box><size>1 2 3</size></box>", "<transparency>0.25</transparency>"
                    "<material><diffuse>0.1 0.2 0.3 1</diffuse></material>"),
        look.format(1, "<capsule><radius>0.2</radius><length>1</length></capsule>",
                    "<material><script><name>Gazebo/Red</name></script></material>"),
        look.format(2, "<sphere><radius>2</radius></sphere>", ""),
        look.format(3, "<mesh><uri>part.stl</uri><scale>1 2 3</scale></mesh>", ""),
        look.format(4, "<heightmap/>", ""),
    ]  # fmt: skip
    surface = """<collision name="c"><geometry><sphere/></geometry><surface><friction><ode>
        <mu>0.7</mu><mu2>0.6</mu2></ode></friction></surface></collision>"""
    sensor = """<sensor name="eye" type="camera"><pose relative_to="f">0 0 1 0 0 0</pose>
        <camera/></sensor>"""
    frame = '<frame name="f"><pose>5 0 0 0 0 0</pose></frame>'
    text = f"""<plugin name="p" filename="q"/><link name="a"><pose>1 0 0 0 0 0</pose>
        {"".join(shapes)}{surface}{sensor}<kinematic>0</kinematic></link>{frame}"""
    robot, codes = read_text(tmp_path, model(text))
    link = next(each for each in robot.links if each.name == "a")
    assert codes == ["sdf-heightmap"]
    assert [type(each.geometry) for each in link.visuals] == [Box, Capsule, Sphere, Mesh]
    assert link.visuals[0].material.color == pytest.approx((0.1, 0.2, 0.3, 0.75))
    assert VisualMaterials(robot).find(link.visuals[1], link).color == (1.0, 0.0, 0.0, 1.0)
    assert link.visuals[2].material.color[:3] == (0.7, 0.7, 0.7)
    assert link.visuals[3].material is None
    (camera,) = robot.sensors
    assert (camera.reference, camera.origin.xyz) == ("a", (4.0, 0.0, 1.0))
    friction = [each.friction for each in robot.settings if each.friction]
    assert friction == [(0.7, 0.6)]
    kept = "".join(each.xml for each in robot.extras)
    assert "<kinematic>0</kinematic>" in kept and 'filename="q"' in kept


def test_names_of_files_in_included_models_lead_from_the_model(tmp_path):
    inner = '<link name="a"><visual name="v"><geometry><mesh><uri>meshes/a.stl</uri></mesh>'
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "model.config").write_text(
        '<model><sdf version="1.6">arm.sdf</sdf></model>'
    )
    (tmp_path / "arm" / "arm.sdf").write_text(model(f"{inner}</geometry></visual></link>", "1.6"))
    for uri, wanted in (("model://arm", "model://arm/meshes/a.stl"), ("arm", "arm/meshes/a.stl")):
        robot, _ = read_text(tmp_path, model(f"<include><uri>{uri}</uri></include>"))
        (mesh,) = (v.geometry for link in robot.links for v in link.visuals)
        assert mesh.filename == wanted


def put_model(folder, links, includes=""):
    """Makes the folder of a model that has its name."""
    folder.mkdir(parents=True)
    (folder / "model.config").write_text('<model><sdf version="1.9">model.sdf</sdf></model>')
    inside = "".join(f'<link name="{link}"/>' for link in links)
    text = f'<sdf version="1.9"><model name="{folder.name}">{inside}{includes}</model></sdf>'
    (folder / "model.sdf").write_text(text)


@pytest.mark.parametrize("uri", ["model://gripper", "gripper", "model://gripper/model.sdf"])
def test_a_model_that_is_not_there_is_never_another(tmp_path, uri):
    put_model(tmp_path / "arm", ["arm_link"])
    (tmp_path / "model.sdf").write_text(model(LINK))
    text = model(f"{LINK}\n<include><uri>{uri}</uri></include>")
    robot, codes = read_text(tmp_path, text, "cell.sdf")
    assert [each.name for each in robot.links] == ["a"] and codes == ["sdf-include"]


@pytest.mark.parametrize(
    "place", ["in it", "beside it", "SDF_PATH", "GZ_SIM_RESOURCE_PATH", "given"]
)
def test_bare_names_are_models_in_every_place_of_models(tmp_path, monkeypatch, place):
    """The including model lies in a folder of a model too, and never includes itself."""
    outer, elsewhere = tmp_path / "models" / "drone_camera", tmp_path / "other"
    put_model(outer, [], "<include merge='true'><uri>drone</uri></include>")
    folders = {"in it": outer, "beside it": outer.parent}
    put_model(
        folders.get(place, elsewhere) / "drone", ["body"], "<include><uri>blade</uri></include>"
    )
    put_model(folders.get(place, elsewhere) / "blade", ["tip"])
    if place.isupper():
        monkeypatch.setenv(place, str(elsewhere))
    options = ImportOptions(package_paths=(str(elsewhere),) if place == "given" else ())
    diagnostics = Diagnostics()
    for path in (outer, outer / "model.sdf"):
        robot = read_robot(path, diagnostics=diagnostics, options=options)
        assert {each.name for each in robot.links} >= {"body", "blade::tip"}
    assert not list(diagnostics)


@pytest.mark.parametrize("uri", ["../gripper", "../gripper/model.sdf"])
def test_models_beside_the_folder_of_the_model_are_included(tmp_path, uri):
    put_model(tmp_path / "arm", ["arm_link"], f"<include><uri>{uri}</uri></include>")
    put_model(tmp_path / "gripper", ["finger"])
    robot = read_robot(tmp_path / "arm")
    assert {each.name for each in robot.links} >= {"arm_link", "gripper::finger"}
    far = model(f"{LINK}<include><uri>../../{tmp_path.name}/gripper/model.sdf</uri></include>")
    put_model(tmp_path / "deep" / "er" / "arm", [])
    (tmp_path / "deep" / "er" / "arm" / "model.sdf").write_text(
        far.replace("../../", "../../../../")
    )
    diagnostics = Diagnostics()
    read_robot(tmp_path / "deep" / "er" / "arm", diagnostics=diagnostics)
    assert [each.code for each in diagnostics] == ["sdf-include"]


def test_a_model_found_by_another_spelling_is_reported_once(tmp_path):
    put_model(tmp_path / "Arm", ["arm_link"])
    (tmp_path / "Arm" / "model.sdf").rename(tmp_path / "Arm" / "Model.sdf")
    world = '<sdf version="1.9"><world name="w">{}</world></sdf>'
    robot, codes = read_text(tmp_path, world.format("<include><uri>Arm</uri></include>"), "w.world")
    assert codes == ["wrong-case"] and [each.name for each in robot.links] == ["arm_link"]


def test_a_model_that_cannot_be_included_gives_its_own_reason(tmp_path):
    missing = "<include><name>{0}</name><uri>model://no_{0}</uri></include>\n"
    nameless = "<include><uri>model://no_c</uri></include>"
    text = "".join(map(missing.format, "ab"))
    world = f'<sdf version="1.9"><world name="w">\n{nameless}\n{text}</world></sdf>'
    with pytest.raises(ReadError, match="'no_b'") as refused:
        read_text(tmp_path, world, model="b")
    assert refused.value.line == 4 and "no_a" not in refused.value.message
    assert "no_c" not in refused.value.message


FAULTS = {
    "missing-version": f'<sdf><model name="m">{LINK}</model></sdf>',
    "unknown-version": f'<sdf version="3.1"><model name="m">{LINK}</model></sdf>',
    "sdf-bad-name": model(f'{LINK}<link name="__x__"/>'),
    "sdf-duplicate-name": model(f"{LINK}{LINK}"),
    "sdf-shared-name": model(
        f'{LINK}<link name="b"/><joint name="b" type="fixed"><parent>a</parent>'
        "<child>b</child></joint>", "1.6"),
    "sdf-unknown-frame": model(f'{LINK}<link name="b"><pose relative_to="x"/></link>'),
    "sdf-unknown-link": model(
        f'{LINK}<joint name="j" type="fixed"><parent>a</parent><child>x</child></joint>'),
    "sdf-joint-type": model(
        f'{LINK}<link name="b"/><joint name="j" type="plane"><parent>a</parent>'
        "<child>b</child></joint>"),
    "sdf-gearbox": model(
        f'{LINK}<link name="b"/><joint name="j" type="gearbox"><parent>a</parent>'
        "<child>b</child></joint>"),
    "sdf-include": model(f"{LINK}<include><uri>model://nowhere</uri></include>"),
    "sdf-auto-inertia": model(
        '<link name="a"><inertial auto="true"/><collision name="c"><geometry><mesh>'
        "<uri>a.stl</uri></mesh></geometry></collision></link>"),
    "self-parent": model(
        f'{LINK}<joint name="j" type="fixed"><parent>a</parent><child>a</child></joint>'),
    "zero-axis": model(
        f'{LINK}<link name="b"/><joint name="j" type="revolute"><parent>a</parent>'
        "<child>b</child><axis><xyz>0 0 0</xyz></axis></joint>"),
}  # fmt: skip


@pytest.mark.parametrize("code", FAULTS)
def test_faults_are_said_once_and_the_robot_is_there(tmp_path, code):
    robot, codes = read_text(tmp_path, FAULTS[code])
    assert codes == [code] and any(each.name == "a" for each in robot.links)


def test_rings_of_frames_are_left_out(tmp_path):
    ring = '<frame name="{0}"><pose relative_to="{1}"/></frame>'
    text = model(LINK + ring.format("f", "g") + ring.format("g", "f"))
    robot, codes = read_text(tmp_path, text)
    assert codes == ["sdf-frame-ring"] * 2 and len(robot.links) == 1


def test_models_that_include_themselves_end(tmp_path):
    include = "<include><uri>model.sdf</uri></include>"
    robot, codes = read_text(tmp_path, model(f"{LINK}{include}{include}"))
    assert set(codes) == {"sdf-include", "sdf-duplicate-name"} and len(robot.links) <= 8


REFUSED = {
    "<density> is beyond 1e9": model(
        '<link name="a"><inertial auto="true"><density>1e999</density></inertial><collision '
        'name="c"><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>'),
    "is not a number": model('<link name="a"><pose>1 2 x 0 0 0</pose></link>'),
    "must hold six": model('<link name="a"><pose>1 2 3</pose></link>'),
    "has no links": model('<frame name="f"/>'),
    "has no model": '<sdf version="1.9"/>',
    "erb FILE": '<sdf version="1.9"><% 3.times do %><model name="m"/><% end %></sdf>',
}  # fmt: skip


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_no_robot_is_refused_in_a_sentence(tmp_path, sentence):
    with pytest.raises(ReadError, match=sentence) as caught:
        read_text(tmp_path, REFUSED[sentence])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", [".erb", ".rsdf", ".sdf.erb"])
def test_templates_say_how_to_expand_them(tmp_path, suffix):
    with pytest.raises(ReadError, match="erb FILE"):
        read_text(tmp_path, "<%\n a = 2\n%>\n<sdf version='1.6'/>", f"model{suffix}")


def test_xacro_is_expanded(tmp_path):
    text = """<sdf version="1.9" xmlns:xacro="http://www.ros.org/wiki/xacro">
        <xacro:arg name="n" default="2"/><model name="m"><link name="a${1 + 1}"/></model></sdf>"""
    robot, _ = read_text(tmp_path, text, "m.sdf.xacro")
    assert [each.name for each in robot.links] == ["a2"]


GATE = (ROOT / "sample_urdfs" / "gate.sdf").read_bytes()


@settings(max_examples=150)
@given(st.integers(0, len(GATE)), st.integers(0, 60), st.sampled_from([b"", b"<", b"gate", b"9 9"]))
def test_damaged_files_are_read_or_refused(tmp_path_factory, start, length, instead):
    path: Path = tmp_path_factory.getbasetemp() / "damaged.sdf"
    path.write_bytes(GATE[:start] + instead + GATE[start + length :])
    try:
        read_robot(path, options=ImportOptions(model="gate"), diagnostics=Diagnostics())
    except RobotError as error:
        assert str(error) and "\n" not in str(error)


def joined(inside="", kind="revolute", ends="<parent>a</parent><child>b</child>"):
    """A joint in line 3."""
    return f'{LINK}<link name="b"/>\n<joint name="j" type="{kind}">{ends}{inside}</joint>'


AXIS = "<axis><xyz{0}>0 0 1</xyz>{1}</axis>"
OLD = "<use_parent_model_frame>1</use_parent_model_frame>"
WRONG = [
    ("1.9", joined(AXIS.format(' expressed_in="x"', "")), 2, "sdf-unknown-frame"),
    ("1.9", f'{LINK}\n\n<frame name="f" attached_to="x"/>', 3, "sdf-unknown-frame"),
    ("1.9", f'{LINK}\n<frame name="f"><pose relative_to="x"/></frame>', 2, "sdf-unknown-frame"),
    ("1.9", joined(ends="<child>b</child>", kind="fixed"), 2, "sdf-unknown-link"),
    ("1.9", joined(kind="fixed", ends="<parent>n::a</parent><child>b</child>"), 2,
     "sdf-unknown-link"),
    ("1.9", joined(kind="fixed", ends="<parent>a</parent><child>world</child>"), 2,
     "sdf-world-child"),
    ("1.9", f'{LINK}<frame name="f" attached_to="a"/>\n<joint name="j" type="fixed">'
     "<parent>a</parent><child>f</child></joint>", 2, "self-parent"),
    ("1.9", '\n<link name="a"><inertial>\n<inertia><ixx>9</ixx></inertia></inertial></link>', 3,
     "inertia-triangle"),
    ("1.9", '<link name="a"><inertial>\n<inertia><ixx>-1</ixx></inertia></inertial></link>', 2,
     "inertia-not-positive"),
    ("1.9", f"{LINK}\n<include><name>x</name></include>", 2, "sdf-include"),
    ("1.9", f"{LINK}\n<include><uri>https://fuel/models/Arm</uri></include>", 2, "sdf-include"),
    ("1.10", joined(AXIS.format("", "") + "\n<thread_pitch>3</thread_pitch>", "screw"), 3,
     "sdf-deprecated"),
    ("1.7", joined(AXIS.format(' expressed_in="a"', "\n" + OLD)), 3, "sdf-deprecated"),
    ("1.9", '<link name="a">\n<visual name="v"><geometry><voxels/></geometry></visual></link>', 2,
     "sdf-geometry"),
    ("1.9", '<link name="a">\n<visual name="v"><geometry><heightmap><uri>a.png</uri></heightmap>'
     "</geometry></visual></link>", 2, "sdf-heightmap"),
    ("1.9", '<link name="a">\n<collision name="v"><geometry><heightmap/></geometry></collision>'
     "</link>", 2, "sdf-heightmap"),
    ("1.9", '<link name="a"><inertial>\n<mass>0</mass></inertial></link>', 2,
     "mass-not-positive"),
    ("1.9", '<link name="a"><inertial>\n\n<mass>-2</mass></inertial></link>', 3,
     "mass-not-positive"),
    ("1.9", f"{LINK}\n<placement_frame>x</placement_frame>", 2, "sdf-unknown-frame"),
    ("1.9", f"{LINK}\n<placement_frame>a</placement_frame>", 0, ""),
    ("1.9", f'{LINK}\n<link name="a::b"/>', 2, "sdf-bad-name"),
    ("1.9", f"{LINK}\n{LINK}", 2, "sdf-duplicate-name"),
    ("1.11", '<link name="a">\n<inertial auto="true"/></link>', 2, "sdf-auto-inertia"),
]  # fmt: skip


@pytest.mark.parametrize(("version", "text", "line", "code"), WRONG)
def test_what_is_wrong_is_said_with_its_line(tmp_path, version, text, line, code):
    (tmp_path / "m.sdf").write_text(model(text, version))
    diagnostics = Diagnostics()
    read_robot(tmp_path / "m.sdf", diagnostics=diagnostics)
    assert [(each.code, each.line) for each in diagnostics] == [(code, line)] * bool(code)


def test_canonical_links_that_are_not_there_leave_the_first(tmp_path):
    text = model(f'{LINK}<joint name="j" type="fixed"><parent>world</parent>'
                 "<child>__model__</child></joint>")  # fmt: skip
    robot, codes = read_text(tmp_path, text.replace("<model ", '<model canonical_link="x" '))
    assert codes == ["sdf-unknown-link"] and ("world", "a") in [
        (joint.parent, joint.child) for joint in robot.joints
    ]


NO_PLACES = [
    (
        '<link name="a">\n<pose rotation_format="turns">0 0 0 0 0 0</pose></link>',
        2,
        "quat_xyzw are",
    ),
    ('<link name="a">\n<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>', 2, "zero"),
]


@pytest.mark.parametrize(("text", "line", "words"), NO_PLACES)
def test_poses_that_say_no_place_are_refused(tmp_path, text, line, words):
    (tmp_path / "m.sdf").write_text(model(text))
    with pytest.raises(ReadError, match=words) as caught:
        read_robot(tmp_path / "m.sdf")
    assert caught.value.line == line


def test_numbers_with_stray_characters_are_read_as_gazebo_reads_them(tmp_path):
    inertial = """<inertial>\n<mass>2.35"</mass>
        <pose>1, 2, '3' 0 0.5f 0;</pose></inertial>"""
    text = f'<link name="a"><pose>1" 0 0 0 0 0</pose>{inertial}</link><frame name="f"/>'
    diagnostics = Diagnostics()
    (tmp_path / "m.sdf").write_text(model(text))
    robot = read_robot(tmp_path / "m.sdf", diagnostics=diagnostics)
    inertial = next(each for each in robot.links if each.name == "a").inertial
    assert inertial.mass == 2.35 and inertial.origin.xyz == (1.0, 2.0, 3.0)
    assert inertial.origin.rpy == pytest.approx((0.0, 0.5, 0.0))
    found = [(each.code, each.line) for each in diagnostics]
    assert sorted(found) == [("stray-characters", line) for line in (1, 2, 3)]


@pytest.mark.parametrize("word", ["x", "2,35", "1.2.3", "0x10", '"', "1e", "12mm"])
def test_what_may_mean_another_number_is_refused(tmp_path, word):
    text = f'<link name="a"><inertial>\n<mass>{word}</mass></inertial></link>'
    with pytest.raises(ReadError, match="is not a number") as refused:
        read_text(tmp_path, model(text))
    assert refused.value.line == 2


def test_a_joint_without_an_end_says_which(tmp_path):
    (tmp_path / "m.sdf").write_text(model(joined(ends="<parent>a</parent>", kind="fixed")))
    diagnostics = Diagnostics()
    read_robot(tmp_path / "m.sdf", diagnostics=diagnostics)
    (said,) = diagnostics
    assert "names no child" in said.message and said.code == "sdf-unknown-link"


def test_a_world_whose_models_are_not_there_says_why(tmp_path):
    include = "<include><uri>model://nowhere</uri>{}</include>"
    for name in ("", "<name>x</name>"):
        world = f'<sdf version="1.9"><world name="w">\n{include.format(name)}</world></sdf>'
        (tmp_path / "w.sdf").write_text(world)
        with pytest.raises(ReadError, match="'nowhere'"):
            read_robot(tmp_path / "w.sdf")


def test_models_of_one_name_are_the_first(tmp_path):
    one, other = (f'<model name="m"><link name="{name}"/></model>' for name in "ab")
    robot, codes = read_text(tmp_path, f'<sdf version="1.9">{one}\n{other}</sdf>')
    assert codes == ["sdf-duplicate-name"] and [each.name for each in robot.links] == ["a"]
    assert list_models(tmp_path / "model.sdf") == ("m",)


def test_joints_of_the_world_are_reported_of_the_model_that_they_hold(tmp_path):
    world = f"""<sdf version="1.10"><world name="w"><model name="one">{LINK}</model>
        <model name="two">{LINK}</model><joint name="j" type="fixed"><parent>world</parent>
        <child>one::a</child></joint></world></sdf>"""
    (tmp_path / "w.sdf").write_text(world)
    for name, wanted in (("one", [("sdf-world-joint", 2)]), ("two", [])):
        diagnostics = Diagnostics()
        read_robot(tmp_path / "w.sdf", diagnostics=diagnostics, options=ImportOptions(model=name))
        assert [(each.code, each.line) for each in diagnostics] == wanted


def test_models_made_by_macros_are_listed_and_read(tmp_path):
    path = tmp_path / "w.sdf.xacro"
    path.write_text(
        """<sdf version="1.9" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="end"
        default="b"/><xacro:macro name="box" params="name"><model name="${name}"><link name="l"/>
        </model></xacro:macro><xacro:box name="a"/><xacro:box name="$(arg end)"/></sdf>"""
    )
    assert list_models(path) == ("a", "b")
    options = ImportOptions(xacro_args=(("end", "c"),), model="c")
    assert list_models(path, options=options) == ("a", "c")
    assert read_robot(path, options=options).name == "c"
    macro = '<xacro:macro name="box" params=""><model name="a"/></xacro:macro>'
    path.write_text(f'<sdf version="1.9" xmlns:xacro="http://www.ros.org/wiki/xacro">{macro}</sdf>')
    with pytest.raises(ReadError, match="'box'"):
        read_robot(path)


def test_limits_upside_down_are_swapped(tmp_path):
    limit = "<limit><lower>2</lower><upper>1</upper></limit>"
    robot, codes = read_text(tmp_path, model(joined(AXIS.format("", limit))))
    diagnostics = Diagnostics()
    (motion,) = plan_tree(robot, diagnostics).joint_motions
    assert not codes and [each.code for each in diagnostics] == ["swapped-limits"]
    assert (motion.lower, motion.upper) == (1.0, 2.0)


def test_balls_are_nothing_unknown(tmp_path):
    robot, codes = read_text(tmp_path, model(joined(kind="ball")))
    diagnostics = Diagnostics()
    (motion,) = plan_tree(robot, diagnostics).joint_motions
    assert motion.kind == "spherical" and not codes and not list(diagnostics)


def test_models_of_a_world_are_listed_and_chosen(tmp_path, capsys):
    world = f"""<sdf version="1.9"><world name="w"><model name="floor"><static>1</static>{LINK}
        </model><model name="arm">{LINK}</model></world></sdf>"""
    (tmp_path / "w.world").write_text(world)
    assert list_models(tmp_path / "w.world") == ("floor", "arm")
    with pytest.raises(ReadError, match="'floor', 'arm'"):
        read_robot(tmp_path / "w.world")
    assert main(["check", str(tmp_path / "w.world")]) != 0
    assert "'floor', 'arm'" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "w.world"), "--model", "floor"]) == 0
    assert "floor" in capsys.readouterr().out
    robot = read_robot(tmp_path / "w.world", options=ImportOptions(model="floor"))
    assert any("<static>1</static>" in each.xml for each in robot.extras)
