# SPDX-License-Identifier: GPL-3.0-or-later
"""MCAP files of JSON and Protocol Buffers, by their own writers."""

import json
import math

import foxglove
import numpy as np
import pytest
from foxglove import messages as fox
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.writer import Writer
from mcap_protobuf.writer import Writer as ProtobufWriter

from urdf_importer import Diagnostics, ReadError, list_topics, read_trajectory
from urdf_importer.features.motion.messages.protobuf import ProtobufReader, _Field, read_types

START = 1_700_000_000_000_000_000
SIN = [math.sin(step / 7) for step in range(50)]


def stamp(step):
    return divmod(START + step * 10_000_000, 10**9)


def write_foxglove(path):
    """States of joints and transforms, by Foxglove's own library."""
    with foxglove.open_mcap(str(path)):
        for step, value in enumerate(SIN):
            when = fox.Timestamp(*stamp(step))
            joints = [fox.JointState(name="a", position=value, velocity=2 * value),
                      fox.JointState(name="b", position=-value)]  # fmt: skip
            foxglove.log("/joint_states", fox.JointStates(timestamp=when, joints=joints))
            moved = fox.FrameTransform(
                timestamp=when, parent_frame_id="world", child_frame_id="base",
                translation=fox.Vector3(x=value, y=0.0, z=1.0),
                rotation=fox.Quaternion(x=0.0, y=0.0, z=0.0, w=1.0),
            )  # fmt: skip
            foxglove.log("/tf", fox.FrameTransforms(transforms=[moved]))


def test_foxgloves_own_messages_are_bit_equal(tmp_path):
    path = tmp_path / "f.mcap"
    write_foxglove(path)
    topics = {each.name: (each.motion, each.count) for each in list_topics(path)}
    assert topics == {"/joint_states": ("joints", 50), "/tf": ("frames", 50)}
    found = read_trajectory(path)
    assert found.names == ("a", "b")
    assert found.positions[:, 0].tolist() == SIN
    assert found.positions[:, 1].tolist() == [-each for each in SIN]
    assert found.velocities is not None
    assert found.velocities[:, 0].tolist() == [2 * each for each in SIN]
    assert np.isnan(found.velocities[:, 1]).all()
    assert found.start_time == START
    assert found.times == pytest.approx(np.arange(50) / 100)
    (track,) = found.frames
    assert (track.parent, track.child) == ("world", "base")
    assert track.translations[:, 0].tolist() == SIN


def write_json(path, topic, schema_name, schema, messages, encoding="json"):
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        schema_id = writer.register_schema(schema_name, "jsonschema", schema.encode())
        channel = writer.register_channel(topic, encoding, schema_id)
        for step, message in enumerate(messages):
            data = json.dumps(message).encode()
            writer.add_message(channel, START + step, data, START + step)
        writer.finish()


def test_json_of_foxglove_and_of_ros(tmp_path):
    path = tmp_path / "j.mcap"
    schema = json.dumps({"properties": {"joints": {"name": {}, "position": {}}}})
    messages = []
    for step, value in enumerate(SIN):
        seconds, rest = stamp(step)
        messages.append({"timestamp": {"sec": seconds, "nsec": rest},
                         "joints": [{"name": "a", "position": value}]})  # fmt: skip
    write_json(path, "/joint_states", "foxglove.JointStates", schema, messages)
    found = read_trajectory(path)
    assert found.positions[:, 0].tolist() == SIN
    assert found.times == pytest.approx(np.arange(50) / 100)
    messages = [{"header": {"stamp": dict(zip(("sec", "nanosec"), stamp(step), strict=True)),
                            "frame_id": ""}, "name": ["a", "b"], "position": [value, 1]}
                for step, value in enumerate(SIN)]  # fmt: skip
    write_json(path, "/joint_states", "sensor_msgs/msg/JointState", "", messages)
    found = read_trajectory(path)
    assert found.names == ("a", "b") and found.positions[:, 0].tolist() == SIN


def test_damaged_messages_are_counted(tmp_path):
    path = tmp_path / "j.mcap"
    messages = [{"name": ["a"], "position": [1.0]}, [1, 2], "x", {"name": ["a"], "position": [2.0]}]
    write_json(path, "/joint_states", "JointState", "", messages)
    diagnostics = Diagnostics()
    found = read_trajectory(path, diagnostics=diagnostics)
    assert found.positions.tolist() == [[1.0], [2.0]]
    assert [each.code for each in diagnostics] == ["bad-message"]


@pytest.mark.parametrize("data", [b"\x08\x01", b"\x10\x01", b"\x18\x01", b"\x1a\x03abc"])
def test_fields_of_another_wire_type_are_damage(data):
    types = {"M": {1: _Field("name", 9, "", True, False), 2: _Field("sub", 11, "M", False, True),
                   3: _Field("position", 1, "", True, False)}}  # fmt: skip
    assert ProtobufReader(types, "M").decode(data) is None


@pytest.mark.parametrize("missing", ["number", "type"])
def test_a_description_of_messages_with_half_a_field_is_damaged(missing):
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    field = file.message_type.add(name="M").field.add(name="position", number=1, type=1, label=1)
    field.ClearField(missing)
    schema = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    with pytest.raises(ReadError, match="the description of its messages is damaged"):
        read_types(schema)


def test_other_encodings_are_named(tmp_path):
    path = tmp_path / "x.mcap"
    write_json(path, "/joint_states", "foxglove.JointStates", "", [{}] * 3, "flatbuffer")
    wanted = r"'/joint_states' \(3 of foxglove.JointStates\) is encoded in flatbuffer"
    with pytest.raises(ReadError, match=wanted):
        read_trajectory(path)


KINDS = {"double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7,
         "bool": 8, "uint32": 13, "sfixed32": 15, "sfixed64": 16, "sint32": 17,
         "sint64": 18}  # fmt: skip


def make_type(repeated):
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    message = file.message_type.add(name="M")
    for number, (name, kind) in enumerate(KINDS.items(), start=1):
        message.field.add(name=name, number=number, type=kind, label=3 if repeated else 1)
    message.field.add(name="text", number=30, type=9, label=3 if repeated else 1)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("t.M"))
    return made, descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()


NUMBERS = st.fixed_dictionaries({
    **{name: st.integers(-(2**31), 2**31 - 1) for name in ("int32", "sint32", "sfixed32")},
    **{name: st.integers(-(2**52), 2**52) for name in ("int64", "sint64", "sfixed64")},
    **{name: st.integers(0, 2**32 - 1) for name in ("uint32", "fixed32")},
    **{name: st.integers(0, 2**53) for name in ("uint64", "fixed64")},
    "double": st.floats(allow_nan=False), "float": st.floats(allow_nan=False, width=32),
    "bool": st.booleans(),
})  # fmt: skip


@pytest.mark.parametrize("repeated", [False, True])
@settings(max_examples=60, deadline=None)
@given(rows=st.lists(NUMBERS, min_size=1, max_size=4), texts=st.lists(st.text(), max_size=3))
def test_every_kind_of_number_is_as_googles_library_has_it(repeated, rows, texts):
    made, schema = make_type(repeated)
    reader = ProtobufReader(read_types(schema), "t.M")
    message = made()
    for name in KINDS:
        if repeated:
            getattr(message, name).extend([row[name] for row in rows])
        else:
            setattr(message, name, rows[0][name])
    if repeated:
        message.text.extend(texts)
    tree = reader.decode(message.SerializeToString())
    assert tree is not None
    for name in KINDS:
        wanted = [row[name] for row in rows] if repeated else [rows[0][name]]
        assert tree[name].ravel().tolist() == [float(each) for each in wanted]
    assert tree["text"] == (tuple(texts) if repeated else "")


def test_a_message_of_ones_own_by_the_protobuf_writer(tmp_path):
    file = descriptor_pb2.FileDescriptorProto(name="s.proto", package="my", syntax="proto3")
    message = file.message_type.add(name="State")
    message.field.add(name="name", number=1, type=9, label=3)
    message.field.add(name="position", number=2, type=1, label=3)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("my.State"))
    path = tmp_path / "o.mcap"
    with path.open("wb") as target, ProtobufWriter(target) as writer:
        for step, value in enumerate(SIN):
            state = made(name=["a", "b"], position=[value, 0.0])
            writer.write_message("/s", state, START + step * 10**7, START + step * 10**7)
    found = read_trajectory(path)
    assert found.positions.tolist() == [[each, 0.0] for each in SIN]
    assert found.times == pytest.approx(np.arange(50) / 100)
