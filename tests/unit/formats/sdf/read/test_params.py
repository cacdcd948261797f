# SPDX-License-Identifier: GPL-3.0-or-later
"""<experimental:params> of includes: the changed model is the one that is written so."""

import dataclasses
import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf_importer import Diagnostics, ReadError, RobotError, read_robot
from urdf_importer.core.model import Extra, Mesh
from urdf_importer.formats.sdf.read import changes

CAMERA = '<sensor name="eye" type="camera"><pose>1 0 0 0 0 0</pose><camera/></sensor>'
CRATE = "<geometry><box><size>1 2 3</size></box></geometry>"
HULL = f'<visual name="hull"><pose>0 0 1 0 0 0</pose>{CRATE}</visual>'
MASS = "<inertial><mass>3</mass></inertial>"
BODY = f'<link name="body">{HULL}{CAMERA}{MASS}</link>'
HINGE = """<joint name="hinge" type="revolute"><parent>body</parent><child>wheel</child>
    <axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>"""
WHEEL = '<link name="wheel"><pose>0 2 0 0 0 0</pose></link>'
TIP = '<link name="tip"><visual name="nail"><geometry><sphere/></geometry></visual></link>'
ARM = f'<model name="arm"><pose>0 0 5 0 0 0</pose>{TIP}</model>'
CAR = (BODY, HINGE, WHEEL, ARM)
WHEELS = '<link name="wheels"/>'
NEW = '<link name="new"><pose>3 0 0 0 0 0</pose></link>'


def sdf(text, version="1.9", name="m"):
    return f'<sdf version="{version}"><model name="{name}">{text}</model></sdf>'


def include(parameters, uri="car.sdf", more=""):
    inner = f"<experimental:params>{parameters}</experimental:params>"
    return f"<include><uri>{uri}</uri>{more}{inner}</include>"


def read(folder, text, **others):
    """The robot of a text, and what is said of it; `others` are files beside it, by their names
    without suffix."""
    for name, other in {"main": text, **others}.items():
        (folder / f"{name}.sdf").write_text(other)
    diagnostics = Diagnostics()
    return read_robot(folder / "main.sdf", diagnostics=diagnostics), diagnostics


def plain(thing):
    """A robot without its lines, and without the blanks of what is kept word for word."""
    if isinstance(thing, Extra):
        return thing.tag, re.sub(r"\s+|(?<=>)\s*(?=<)", "", thing.xml)
    if isinstance(thing, tuple):
        return tuple(plain(each) for each in thing)
    if dataclasses.is_dataclass(thing):
        kept = [
            each.name
            for each in dataclasses.fields(thing)
            if each.name not in ("line", "source", "text")
        ]
        return type(thing), *(plain(getattr(thing, name)) for name in kept)
    return thing


def replaced(index, old, new):
    parts = list(CAR)
    assert old in parts[index]
    parts[index] = parts[index].replace(old, new)
    return "".join(parts)


SAME_AS = {
    "add a link": (
        f'<link element_id="" action="add" {NEW[6:]}',
        "".join(CAR) + NEW,
    ),
    "add to a link": (
        f'<visual element_id="body" action="add" name="roof">{CRATE}</visual>',
        replaced(0, MASS, f'{MASS}<visual name="roof">{CRATE}</visual>'),
    ),
    "add to a nested model": (
        f'<link element_id="arm" action="add" {NEW[6:]}',
        replaced(3, TIP, TIP + NEW),
    ),
    "remove": ('<visual element_id="body::hull" action="remove"/>', replaced(0, HULL, "")),
    "remove a nested model": ('<model element_id="arm" action="remove"/>', "".join(CAR[:3])),
    "remove children": (
        '<sensor element_id="body::eye" action="remove"><pose/></sensor>',
        replaced(0, "<pose>1 0 0 0 0 0</pose>", ""),
    ),
    "modify": (
        '<sensor element_id="body::eye" action="modify" type="depth"><pose>2 0 0 0 0 0</pose>'
        "</sensor>",
        replaced(0, CAMERA, CAMERA.replace("1 0 0", "2 0 0").replace('"camera"', '"depth"')),
    ),
    "modify deep down": (
        '<joint element_id="hinge" action="modify"><axis><limit><upper>3</upper></limit></axis>'
        "</joint>",
        replaced(1, "<upper>1<", "<upper>3<"),
    ),
    "modify to the default": (
        '<joint element_id="hinge" action="modify"><axis><xyz/></axis></joint>',
        replaced(1, "<xyz>0 1 0</xyz>", "<xyz></xyz>"),
    ),
    "rename": (
        '<link element_id="body"><visual name="shell" action="modify"/></link>',
        replaced(0, '"hull"', '"shell"'),
    ),
    "replace": (
        '<visual element_id="body::hull" action="replace" name="ball"><geometry><sphere/>'
        "</geometry></visual>",
        replaced(0, HULL, '<visual name="ball"><geometry><sphere/></geometry></visual>'),
    ),
    "each child": (
        """<visual element_id="body::hull"><transparency action="add">0.5</transparency>
        <geometry action="replace"><sphere><radius>4</radius></sphere></geometry>
        <pose action="modify" degrees="1">0 0 0 90 0 0</pose></visual>""",
        replaced(0, HULL, '<visual name="hull"><pose degrees="1">0 0 0 90 0 0</pose><geometry>'
                 "<sphere><radius>4</radius></sphere></geometry><transparency>0.5</transparency>"
                 "</visual>"),
    ),
    "one after the other": (
        f'<link element_id="" action="add" {NEW[6:]}<link element_id="new"><pose action="modify">'
        '7 0 0 0 0 0</pose></link><visual element_id="arm::tip::nail" action="remove"/>',
        replaced(3, TIP, '<link name="tip"/>') + NEW.replace("3 0 0", "7 0 0"),
    ),
    "the same plugin twice": (
        '<plugin element_id="" action="add" name="p" filename="q"><a>1 &lt; 2</a></plugin>' * 2,
        "".join(CAR) + '<plugin name="p" filename="q"><a>1 &lt; 2</a></plugin>' * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME_AS)
def test_changed_models_are_those_that_are_written_so(tmp_path, name):
    parameters, text = SAME_AS[name]
    changed, said = read(tmp_path, sdf(include(parameters)), car=sdf("".join(CAR)))
    wanted, _ = read(tmp_path, sdf("<include><uri>car.sdf</uri></include>"), car=sdf(text))
    assert not list(said) and plain(changed) == plain(wanted)


WAYS = {"named": "far", "with its own name": "car", "merged": ""}
THROUGH = [
    (name, way)
    for name, (parameters, _) in SAME_AS.items()
    for way in WAYS
    if way != "merged" or 'element_id=""' not in parameters
]


@pytest.mark.parametrize(("name", "way"), THROUGH)
def test_parameters_go_through_the_includes_of_the_model(tmp_path, name, way):
    """The model in between includes the one that changes. (Of a merged one, what is added to the
    model itself is added to the one in between.)"""
    parameters, text = SAME_AS[name]
    if way != "merged":
        parameters = re.sub('element_id="(?=[a-z])', f'element_id="{WAYS[way]}::', parameters)
        parameters = parameters.replace('element_id=""', f'element_id="{WAYS[way]}"')
    start = '<include merge="1">' if way == "merged" else "<include>"
    named = "<name>far</name>" if way == "named" else ""
    middle = sdf(f"{start}<uri>car.sdf</uri>{named}<pose>0 1 0 0 0 0</pose></include>{WHEELS}")
    files = {"car": sdf("".join(CAR), name="car"), "middle": middle}
    changed, said = read(tmp_path, sdf(include(parameters, "middle.sdf")), **files)
    files["car"] = sdf(text, name="car")
    wanted, _ = read(tmp_path, sdf("<include><uri>middle.sdf</uri></include>"), **files)
    assert not list(said) and plain(changed) == plain(wanted)


def test_an_include_is_moved_and_taken_out_from_outside(tmp_path):
    moved = '<model element_id="far"><pose action="modify">0 7 0 0 0 0</pose></model>'
    middle = sdf(f"<include><uri>car.sdf</uri><name>far</name><pose>0 1 0 0 0 0</pose></include>"
                 f"{WHEELS}")  # fmt: skip
    files = {"car": sdf("".join(CAR)), "middle": middle}
    changed, said = read(tmp_path, sdf(include(moved, "middle.sdf")), **files)
    files["middle"] = middle.replace("0 1 0", "0 7 0")
    wanted, _ = read(tmp_path, sdf("<include><uri>middle.sdf</uri></include>"), **files)
    assert not list(said) and plain(changed) == plain(wanted)
    gone = '<model element_id="far" action="remove"/>'
    changed, said = read(tmp_path, sdf(include(gone, "middle.sdf")), **files)
    assert not list(said) and [each.name for each in changed.links] == ["m::wheels"]


def test_two_includes_of_a_file_differ(tmp_path):
    parameters = '<link element_id="body"><visual name="hull" action="remove"/></link>'
    text = include(parameters, more="<name>a</name>")
    text += "<include><uri>car.sdf</uri><name>b</name></include>"
    robot, said = read(tmp_path, sdf(text), car=sdf("".join(CAR)))
    shown = {each.name for each in robot.links if each.visuals}
    assert not list(said) and shown == {"a::arm::tip", "b::body", "b::arm::tip"}


def test_files_lie_beside_the_file_that_names_them(tmp_path):
    (tmp_path / "cars").mkdir()
    mesh = '<visual name="{0}"><geometry><mesh><uri>{0}.stl</uri></mesh></geometry></visual>'
    (tmp_path / "cars" / "car.sdf").write_text(sdf(f'<link name="a">{mesh.format("old")}</link>'))
    new = mesh.format("new").replace("<visual", '<visual element_id="a" action="add"')
    robot, _ = read(tmp_path, sdf(include(new, "cars/car.sdf")))
    shapes = [visual.geometry for link in robot.links for visual in link.visuals]
    assert shapes == [Mesh(filename="cars/old.stl"), Mesh(filename="new.stl")]


def test_what_is_added_goes_by_the_version_of_its_own_file(tmp_path):
    """Up to 1.4 axes are in the frame of the model."""
    turned = '<link name="b"><pose>0 0 0 0 0 1.5707963267948966</pose></link>'
    joint = """<joint{1} name="to_{0}" type="revolute"><parent>a</parent><child>{0}</child>
        <axis><xyz>1 0 0</xyz></axis></joint>"""
    car = f'<link name="a"/>{turned}{turned.replace("b", "c")}{joint.format("b", "")}'
    add = joint.format("c", ' element_id="" action="add"')
    robot, _ = read(tmp_path, sdf(include(add)), car=sdf(car, "1.4"))
    axes = {each.name: each.axis for each in robot.joints if each.axis}
    assert axes["m::to_b"] == pytest.approx((0.0, -1.0, 0.0), abs=1e-9)
    assert axes["m::to_c"] == (1.0, 0.0, 0.0)


def test_what_is_odd_in_a_parameter_is_said_of_its_line(tmp_path):
    """Three pieces: of the car, of the parameters, of the car behind them."""
    odd = """<link name="{0}"><visual name="v"><geometry>
        <voxels/></geometry></visual></link>"""
    add = odd.format("new").replace("<link", '\n\n<link element_id="" action="add"')
    car = "\n".join(odd.format(name) for name in ("a", "b"))
    _, said = read(tmp_path, sdf(include(add)), car=sdf(car))
    found = [(each.source.rsplit("/")[-1].rsplit("\\")[-1], each.line) for each in said]
    assert found == [("car.sdf", 1), ("car.sdf", 3), ("main.sdf", 3)]
    wrong = add.replace("<visual", "<pose>x</pose><visual")
    with pytest.raises(ReadError) as caught:
        read(tmp_path, sdf(include(wrong)))
    assert caught.value.line == 3 and caught.value.source.endswith("main.sdf")


FAULTS = {
    "no element_id": ("<link/>", "it has no element_id"),
    "no name": ('<link element_id="a::" action="remove"/>', "ends without a name"),
    "empty": ('<link element_id="" action="remove"/>', "ends without a name"),
    "too deep": (f'<link element_id="{"a::" * 99}b" action="remove"/>', "leads deeper"),
    "nothing there": ('<link element_id="x" action="remove"/>', "no such element"),
    "another kind": ('<visual element_id="body" action="remove"/>', "no such element"),
    "action": ('<link element_id="body" action="paint"/>', "'paint' is not an action"),
    "empty action": ('<link element_id="body" action=""/>', "'' is not an action"),
    "add without name": ('<link element_id="" action="add"/>', "has no name"),
    "add twice": ('<link element_id="" action="add" name="body"/>', "there is a <link> 'body'"),
    "add nowhere": ('<visual element_id="x" action="add" name="v"/>', "to add something to"),
    "replace without name": (
        '<link element_id="body"><visual action="replace"/></link>', "the replacement has no name"),
    "child without action": (
        '<link element_id="body"><visual name="hull"/></link>', "its <visual> has no action"),
    "child with another": (
        '<link element_id="body"><visual action="x"/></link>', "'x' is not an action"),
    "no such child": (
        '<link element_id="body"><visual name="x" action="remove"/></link>', "no such <visual>"),
    "no grandchild": (
        '<visual element_id="body::hull"><geometry action="remove"><sphere/></geometry></visual>',
        "no <sphere> to be removed"),
    "no change": (
        '<link element_id="body" action="modify"><sound/></link>', "no <sound> to be modified"),
    "no content": (
        '<link element_id="body" action="modify"><visual/></link>', "has no content"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_parameters_that_cannot_act_are_passed_over(tmp_path, name):
    """Those behind them act."""
    fault, sentence = FAULTS[name]
    parameters = f'\n{fault}<sensor element_id="body::eye" action="remove"/>'
    robot, said = read(tmp_path, sdf(include(parameters)), car=sdf("".join(CAR)))
    (found,) = said
    assert (found.code, found.line) == ("sdf-params", 2) and sentence in found.message
    assert found.source.endswith("main.sdf") and not robot.sensors
    wanted, _ = read(tmp_path, sdf("<include><uri>car.sdf</uri></include>"),
                     car=sdf(replaced(0, CAMERA, "")))  # fmt: skip
    assert plain(robot) == plain(wanted)


def test_urdf_is_not_changed(tmp_path):
    (tmp_path / "car.urdf").write_text('<robot name="car"><link name="a"/></robot>')
    parameters = '<link element_id="a" action="remove"/>'
    robot, said = read(tmp_path, sdf(include(parameters, "car.urdf")))
    assert "is URDF" in next(iter(said)).message and [each.name for each in robot.links] == [
        "car::a"
    ]


def test_work_is_bounded(tmp_path, monkeypatch):
    """Many parameters of many links, many includes of a long file."""
    monkeypatch.setattr(changes, "MOST_STEPS", 20_000)
    links = "".join(f'<link name="l{number}"/>' for number in range(300))
    many = '<link element_id="l299" action="modify" name="l299"/>' * 300
    with pytest.raises(ReadError, match="change too much"):
        read(tmp_path, sdf(include(many)), car=sdf(links))
    monkeypatch.setattr(changes, "MOST_BYTES", 20_000)
    one = '<link element_id="l1" action="modify" name="l1"/>'
    often = "".join(include(one, more=f"<name>c{number}</name>") for number in range(9))
    with pytest.raises(ReadError, match="change too much"):
        read(tmp_path, sdf(often), car=sdf(links))


def test_models_that_include_and_change_themselves_end(tmp_path):
    own = include('<link element_id="a" action="remove"/><link element_id="x::a" action="remove"/>',
                  "main.sdf", "<name>x</name>")  # fmt: skip
    merged = own.replace("<include>", '<include merge="true">')
    for text in (own, merged, own + merged):
        robot, said = read(tmp_path, sdf(f'<link name="a"/>{text}'))
        assert robot.links and "sdf-include" in {each.code for each in said}


@cache
def texts_of_parameters():
    ids = ["", "body", "body::hull", "hinge", "arm", "arm::tip", "arm::tip::nail", "x", "body::"]
    tags = ["link", "visual", "joint", "model", "pose", "geometry", "include", "sensor"]
    actions = ["", *(f' action="{action}"' for action in (*changes.ACTIONS, "x"))]
    names = ["", *(f' name="{name}"' for name in ("body", "hull", "new", "a::b"))]
    start = st.tuples(st.sampled_from(tags), st.sampled_from(actions), st.sampled_from(names))
    ends = ["", "1 2 3 0 0 0", "x", "<box/>", "<uri>main.sdf</uri>", "<![CDATA[<]]>"]
    within = st.builds(lambda s, text: f"<{s[0]}{s[1]}{s[2]}>{text}</{s[0]}>", start,
                       st.sampled_from(ends))  # fmt: skip
    inside = st.lists(within, max_size=2).map("".join)
    whole = st.builds(
        lambda s, place, text: f'<{s[0]} element_id="{place}"{s[1]}{s[2]}>{text}</{s[0]}>',
        start, st.sampled_from(ids), inside,
    )  # fmt: skip
    return st.lists(whole, min_size=1, max_size=4).map("".join)


@settings(max_examples=150)
@given(st.data())
def test_any_parameters_are_followed_or_refused_in_a_sentence(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    text = include(data.draw(texts_of_parameters()))
    try:
        robot, _ = read(folder, sdf(f'<link name="own"/>{text}'), car=sdf("".join(CAR)))
    except RobotError as error:
        assert str(error) and "\n" not in str(error)
    else:
        assert any(each.name == "own" for each in robot.links)
