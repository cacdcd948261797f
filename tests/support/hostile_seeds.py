# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files of every kind, which searches damage: some use much of a format, some are made to
harm."""

import io
import sqlite3
import struct
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from support.assembly_text import chain, instance, joint, mate, part, second_generation
from support.collada_text import document
from support.gates import gate
from support.mesh_files import png
from support.paths import ROOT, TESTS
from support.raw_recordings import (
    BAG,
    bag_chunk,
    bag_connection,
    bag_message,
    bag_record,
    joint_state,
    lz4_bomb,
    lz4_frame,
    make_database,
    nested,
)
from support.recorded import START, record, serialize
from support.recorded import joint_state as state
from support.recorded import transform as frame
from urdf_importer.features.motion.recordings.definitions import text_of

SAMPLES = ROOT / "sample_urdfs"
QUIRKS = TESTS / "data" / "quirks" / "q_pkg" / "meshes"
DIGITS = "9" * 5000

URDF = [
    (TESTS / "data" / name).read_bytes()
    for name in ("complete_urdf_1_2.urdf", "attributes_at_every_level.urdf",
                 "lenient_transmissions.urdf", "lenient_limits.urdf", "extras_at_every_level.urdf")
] + [(SAMPLES / "two_link_arm.urdf").read_bytes()]  # fmt: skip
LAUNCH = (
    b"""from launch.substitutions import Command, LaunchConfiguration as Value
def generate_launch_description():
    side = DeclareLaunchArgument("side", default_value="left")
    share = FindPackageShare("arm")
    path = PathJoinSubstitution([share, "urdf", f"{'arm'}.urdf.xacro"])
    text = Command(["xacro ", path, " side:=", LaunchConfiguration("side"), " prefix:='\"\"'"])
    other = xacro.process_file(Path(share) / ("a" + ".xacro"), mappings={"b": str(1.5)})
""",
)
XACRO = [(TESTS / "data" / "xacro" / "everything.urdf.xacro").read_bytes()]
SRDF = [(TESTS / "data" / "every_element.srdf").read_bytes()]
SDF = [
    (SAMPLES / "gate.sdf").read_bytes(),
    b"""<sdf version="1.10"><world name="w"><gravity>0 0 -9</gravity><scene><background>.1 .2 .3 1
</background></scene><gui><camera name="c"><pose>1 2 3 0 .1 .2</pose></camera></gui>
<light name="l" type="spot"><pose relative_to="f">0 0 1 0 0 0</pose><diffuse>1 .5 0 1</diffuse>
<intensity>2</intensity><direction>0 1 -1</direction><spot><outer_angle>.7</outer_angle></spot>
</light>
<frame name="f" attached_to="m::a"/><model name="n"><static>1</static><pose relative_to="f"/>
<link name="a"><collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>
</link></model><model name="m"><pose relative_to="world">1 0 0 0 0 0</pose><link name="a"/></model>
<joint name="j" type="fixed"><parent>m</parent><child>n</child></joint><actor name="a"/>
</world></sdf>""",
    b"""<sdf version="1.10"><world name="w"><model name="m" canonical_link="b"><static>0</static>
<self_collide>1</self_collide><frame name="f" attached_to="b"><pose relative_to="a"
rotation_format="quat_xyzw">1 2 3 0 0 0 1</pose></frame><link name="a"><inertial auto="true">
<density>2</density></inertial><collision name="c"><geometry><capsule><radius>1</radius>
<length>2</length></capsule></geometry></collision><visual name="v"><geometry><polyline>
<point>0 0</point><point>1 0
</point><point>0 1</point><height>1</height></polyline></geometry><material><pbr><metal><metalness>
0.5</metalness></metal></pbr></material></visual><sensor name="s" type="imu"/></link><link name="b">
<visual name="w"><geometry><mesh><uri>x.stl</uri><scale>1 1 1</scale></mesh></geometry></visual>
</link><joint name="j" type="universal"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>
<mimic joint="k"><multiplier>2</multiplier><offset>0</offset><reference>0</reference></mimic></axis>
<axis2><xyz expressed_in="f">0 1 0</xyz></axis2></joint><include><uri>model://m</uri><name>n</name>
<placement_frame>f</placement_frame><experimental:params><link element_id="a" action="remove"/>
</experimental:params></include></model></world></sdf>""",
]
MJCF = [
    b"""<mujoco model="m"><compiler angle="radian" eulerseq="xyz" meshdir="m"/>
<default><geom size="0.1"/><default class="x"><joint axis="0 1 0"/></default></default>
<asset><mesh name="m" file="m.stl" scale="1 2 3"/><mesh name="v" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
<material name="r" rgba="1 0 0 1" metallic="1"
shininess="0.5" emission="1"><layer role="normal" texture="t"/></material>
<hfield name="h" file="h.png" size="1 1 1 1"/></asset>
<worldbody><geom type="hfield" hfield="h"/><geom type="mesh" mesh="v"/>
<geom type="plane" size="1 1 1"/><body name="a" pos="0 0 1" childclass="x">
<freejoint name="f"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom material="r"/>
<frame euler="1 2 3"><body name="b" quat="1 0 0 1"><joint name="j" range="-1 1" ref="0.1"/>
<geom type="capsule" fromto="0 0 0 1 0 0"/><geom type="mesh" mesh="m"/><site name="s"/></body>
<site name="t" type="capsule" size="0.1" fromto="0 0 0 1 1 1" rgba="1 0 0 1" group="3"/></frame>
<replicate count="2" offset="1 0 0" euler="0 0 1"><site name="u" xyaxes="1 0 0 0 1 0"/></replicate>
</body><site name="w"/></worldbody><equality><joint joint1="j" polycoef="1 0"/>
<connect body1="a" body2="b" anchor="0 0 0"/><connect site1="s" site2="t"/>
<weld body1="a" body2="b" relpose="0 0 0 1 0 0 0" anchor="1 0 0" torquescale="0.1"/></equality>
<tendon><spatial><site site="s"/><geom geom="g" sidesite="u0"/></spatial></tendon>
<actuator><motor joint="j"/><general site="t" refsite="w"/></actuator><keyframe><key name="k"
qpos="0 0 1 1 0 0 0 0.5"/></keyframe>
<sensor><touch site="s"/><framepos objtype="site" objname="u1"/></sensor>
</mujoco>"""
]


def assemblies() -> list[bytes]:
    """SimMechanics, both generations."""
    two = instance("a", grounded="true") + instance("b", rigid="true", inner=instance("c"))
    mates = mate("Concentric", "m", ("a", "cylinder", (0, 0, 1), (0, 0, 1)),
                 ("b/c", "circle", (0, 0, 1), (0, 0, 1)))  # fmt: skip
    joints = joint("Cylindrical", "j", "a", "b/c")
    second = second_generation(two, joints=joints, constraints=mates, parts=part())
    return [gate(), chain(3), second]


PARAMETERS = [
    b"""root: POST1
rename: {POST--WING: hinge}
redefinedjoints: {4: {name: swing, limits: {lower: -1, upper: 0.2}, axis: 0 0 1}}
moreframes: [{offset: [0, 0, 1], orientation: [0, 0, 0, 1], parent: WORLD, child: MID}]
extrajoints: {brace: {pid: POST1, cid: BOLT1, jorigin: MID, attributes: {type: fixed}}}
exportedFrames: [{frameName: LATCH, additionalTransformation: [1, 2, 3, 0, 0, 0]}]
assignedCollisionGeometry: [{linkName: WING, geometricShape: {shape: box, size: 1 1 1}}]
sensors: [{linkName: WING, sensorType: imu, updateRate: 10, sensorBlobs: ["<a/>"]}]
XMLBlobs: ["<gazebo/>"]
"""
]
JOINT_TABLE = [b"joint_name,lower_limit,upper_limit\nhinge,-10,20\n"]
MEASURES = [
    b"origins: {torso: [0, 83.2, 0]}\nlengths: {elbow: 17.6, w: &s 13.12, o: *s}\nfactors: "
    b"{head: 1.2, hand: [1, 2, 1]}\nsymmetric: yes\nconvention: {axes: zxy, unit: 0.01}\n",
    b'{"origins": {"torso": [0, 83.2, 0]}, "lengths": {"elbow": 17.6}, "factors": {"head": 1.2},'
    b' "symmetric": true, "convention": {"axes": "zxy", "unit": 0.01}}',
    b"joint,x,y,z\ntorso,0,0,0.832\nelbow,0.176,0,0\n",
]
LIMITS = [
    b"default_velocity_scaling_factor: 0.5\njoint_limits:\n  shoulder:\n    has_velocity_limits: "
    b"true\n    max_velocity: 1.5\n    has_acceleration_limits: yes\n    max_acceleration: 3\n"
]
WAYPOINTS = [
    b"link: gun\nwaypoints:\n  - {name: home, positions: {a: 0.0, b: -0.3}}\n"
    b"  - {name: weld, move: linear, pose: [0.4, 0.1, 0.3, 1, 0, 0, 0], blend: 0.01}\n"
    b"  - {move: circular, via: [0.4, 0.1, 0.3], pose: [0.5, 0.1, 0.3, 1, 0, 0, 0], pause: 1}\n"
]
WAYPOINT_TABLE = [
    b"name,move,x,y,z,qx,qy,qz,qw,via_x,via_y,via_z,blend,joint:a\n"
    b"p1,linear,1,2,3,0,0,0,1,,,,0.1,0.5\np2,circular,1,2,4,0,0,0,1,1,1,1,,\n"
]
PATHS = [b"time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,0.1,0,0,0,0,0,1\n",
         b"time,vx,vy,vz,wx,wy,wz\n0,0,0,0,0,0,0\n1,0.1,0,0,0,0,0\n"]  # fmt: skip

TABLES = [
    b"time,a,b\n0,1,2\n1,3,4\n2,,5\n", b"t;a;b\n0,5;1,5;2\n1,5;3;4\n",
    b"time,a,base_x,base_y,base_z,base_qx,base_qy,base_qz,base_qw\n0,1,0,0,0,0,0,0,1\n",
    b"%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.name1,"
    b"field.position0,field.position1,field.velocity0,field.velocity1\n"
    b"1700000000000000100,1,1700000000000000001,,a,b,1,2,3,4\n"
    b"1700000000000000200,2,1700000000000000101,,b,a,5,6,7,8\n",
    b"%time,field.name\n1700000000000000100,a\n",
    b"%time,field.pose.position.x,field.name0\n1700000000000000100,5,a\n",
    b"time,joint,position\n0,a,1\n0,b,2\n1,a,3\n",
    b"timestamp,a\n2026-01-31 23:59:59.75,1\n2026-02-01T00:00:00.25Z,2\n",
    b"sec,nanosec,a,t\n1,5,1,x\n2,6,2,y\n", b"index,__time,a\n0,1700000000.5,1\n1,1700000001,2\n",
    b"0,0,1,0,0,0,1,0.5,0.25\n0,0,1,0,0,0,1,0.5,0.25\n",
    b'{"FrameDuration": 0.02, "Frames": [[0,0,1,0,0,0,1,2,3],[0,0,1,0,0,0,1,2,3]]}',
]  # fmt: skip
POINTS = (
    '{"header": {"stamp": {"sec": 5, "nanosec": 0}, "frame_id": ""}, "interpolation": "linear", '
    '"joint_names": ["a", "b"], "frames": [{"parent": "p", "child": "c", "times": [0.0, 1.0], '
    '"translations": [[0, 0, 0], [1, 0, 0]], "quaternions": [[0, 0, 0, 1], [0, 0, 0, 1]]}], '
    '"points": [{"positions": [1, null], "time_from_start": 0.0}, {"positions": [1, 2], '
    '"velocities": [0, 0], "time_from_start": {"secs": 1, "nsecs": 0}}]}'
)
STATES = '[{"name": ["a"], "position": [1], "header": {"stamp": {"sec": 1}}}, {"transforms": [' \
    '{"child_frame_id": "b", "transform": {"translation": {"x": 1, "y": 0, "z": 0}, "rotation": ' \
    '{"x": 0, "y": 0, "z": 0, "w": 1}}}]}]'  # fmt: skip
HUGE = STATES.replace('"w": 1', '"w": 1e308')
LATE = POINTS.replace('"times": [0.0, 1.0]', '"times": [0.0, 1e308]')
ODD = POINTS.replace("[[0, 0, 0], [1, 0, 0]]", '[[0, "a", 0], [1, 0, 0]]')
LISTED = POINTS.replace('"linear"', "[0, 1]")
LINES = STATES[1:-1].replace("}, {", "}\n{")
JSON = [each.encode() for each in (POINTS, STATES, LINES, HUGE, LATE, ODD, LISTED)]
YAML = [
    b"header: {stamp: {secs: 5, nsecs: 0}}\nname: [a, b]\nposition: [0.5, .nan]\n---\n"
    b"header: {stamp: {secs: 6, nsecs: 0}}\nname: &n [a]\nposition: [2]\neffort: *n\n",
    b'header: {"stamp": {"sec": 5, "nanosec": 0}}\njoint_names: ["a"]\npoints:\n'
    b'  - {"positions": [1], "time_from_start": 0.0}\n'
    b'  - {"positions": [2], "time_from_start": 1.0}\n',
    b"a: &a [x, x, x, x, x, x, x, x]\n"
    + b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b", ".join([b"*%c" % (97 + i)] * 8))
               for i in range(9)),
]  # fmt: skip


def arrays() -> list[bytes]:
    """Trajectories as NumPy's files, packed and not."""
    content = {
        "names": np.array(["a", "b"]), "times": np.arange(3.0), "positions": np.zeros((3, 2)),
        "start_time": np.array(5), "interpolation": np.array("linear"),
        "frames": np.array([["p", "c"]]), "times_0": np.arange(2.0),
        "translations_0": np.zeros((2, 3)), "quaternions_0": np.array([[0, 0, 0, 1.0]] * 2),
    }  # fmt: skip
    found = []
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", packing) as archive:
            for name, array in content.items():
                with archive.open(f"{name}.npy", "w") as target:
                    np.lib.format.write_array(target, np.asarray(array))
        found.append(file.getvalue())
    return [*found, *foreign_arrays()]


def foreign_arrays() -> list[bytes]:
    """The arrays of other programs."""
    row = np.zeros((2, 3, 4), np.float32)
    row[..., 0] = 1.0
    joints = np.zeros((2, 2))
    layouts: list[dict[str, Any]] = [
        {"fps": [50.0], "joint_pos": joints, "joint_vel": joints, "joint_names": ["a", "b"],
         "body_pos_w": row[..., :3], "body_quat_w": row},
        {"fps": 30, "dof_pos": joints, "root_pos": row[:, 0, :3], "root_rot": row[:, 0]},
        {"time": [0.0, 0.5], "qpos": np.zeros((2, 9)), "joint_names": ["a", "b"]},
    ]  # fmt: skip
    found = []
    for layout in layouts:
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **layout)
        found.append(file.getvalue())
    return found


def parquets() -> list[bytes]:
    """Files of pyarrow, packed in several ways."""
    folder = ROOT / "tests" / "data" / "parquet"
    return [each.read_bytes() for each in sorted(folder.glob("*.parquet"))]


DATASET = (
    '{"codebase_version": "v2.1", "fps": 30, "data_path": "data/chunk-{episode_chunk:03d}/'
    'episode_{episode_index:06d}.parquet", "features": {"observation.state": {"dtype": "float32", '
    '"shape": [3], "names": ["arm", "finger", "x"]}}}'
)
SERVOS = [
    b"preset: feetech\nservos:\n  pan: {id: 1}\n"
    b"  elbow: {id: 3, zero: 1980, sign: -1, counts: [150, 3900], speed: 3000}\n",
    b'{"preset": "pwm", "servos": {"a": {"id": 1, "range": 120}}}',
    b'{"a": {"id": 1, "drive_mode": 0, "homing_offset": 5, "range_min": 800, "range_max": 3000}}',
]


LONG = f"string[] name\nfloat64[{DIGITS}] position\nHeader header"
ECHO = [state(START + i * 10**6, {"a": i, "b": 2.0}) for i in range(3)] + [
    frame(START + 5, "odom", "base", 1.0)
]


def bags() -> list[bytes]:
    """ROS 1 bags, by a program and by hand."""
    records = bag_connection() + bag_message(joint_state("ab", [1.0, 2.0]))
    bomb = bag_chunk(lz4_frame(lz4_bomb(40_000)), 9_000_000)
    empty = bytes(8) + struct.pack("<I", 50_000) + bytes(50_000)
    return [
        *_recorded("bag", "bag bz2", "bag lz4"),
        BAG + bag_chunk(records, 5000, b"none") + bytes(64) + records,
        BAG + bag_record([b"op=\x03", b"index_pos=" + bytes(8)], b"") + records + bomb,
        BAG + bag_connection(nested("A", 40, 2), "p/M") + bag_message(empty),
        BAG + bag_connection(LONG, "a/B") + bag_message(joint_state("a", [1.0])),
    ]


def mcaps() -> list[bytes]:
    """MCAP files."""
    folder = ROOT / "tests" / "data" / "mcap"
    more = [each.read_bytes() for each in sorted(folder.glob("*.mcap"))]
    return [*_recorded("mcap", "mcap zstd", "mcap lz4"), *more]


def _recorded(*kinds: str) -> list[bytes]:
    found = []
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder:
            found.append(record(Path(folder), kind, ECHO).read_bytes())
    return found


def databases() -> list[bytes]:
    """Databases of ROS 2."""
    rows = [(log, serialize(kind, fields)) for _, kind, log, fields in ECHO[:3]]
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            make_database(Path(folder, f"{i}.db3"), rows, text)
            for i, text in enumerate(("", text_of("sensor_msgs/JointState", "cdr"), LONG, ""))
        ]
        database = sqlite3.connect(paths[-1])
        with database:
            database.execute("DROP TABLE message_definitions")
            database.execute("CREATE VIEW message_definitions AS SELECT instr(zeroblob(9), X'00')")
        database.close()
        return [path.read_bytes() for path in paths]


def motions() -> list[bytes]:
    """People in glTF: a skeleton that turns, with a file beside it."""
    return [
        b'{"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {}], "skins": [{"joints": '
        b'[0, 1]}], "buffers": [{"byteLength": 8, "uri": "%s"}], "images": [{"uri": "a.png"}], '
        b'"bufferViews": [{"buffer": 0, "byteLength": 8}], "accessors": [{"bufferView": 0, '
        b'"componentType": 5126, "count": 2, "type": "SCALAR"}]}' % uri
        for uri in (b"data:;base64,AAAAAAAAAAA=", b"beside.bin", b"../x%2ebin", b"data:/../x")
    ]


def kept_shapes() -> list[bytes]:
    """Files of the cache of shapes."""
    file = io.BytesIO()
    arrays = {"count": np.array(1), "numbers": np.ones(2), "vertices 0": np.ones((3, 3), "f4"),
              "corners 0": np.arange(3, dtype="i4")}  # fmt: skip
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return [file.getvalue()]


PUBLISHED = [
    b'{"op": "publish", "topic": "/joint_states", "msg": ' + each + b"}"
    for each in (POINTS.encode(), STATES[1:-1].partition(', {"transforms')[0].encode())
] + [
    b'{"op": "publish", "topic": "/tf", "msg": {"transforms": [{"header": {"frame_id": "o", '
    b'"stamp": {"secs": 1, "nsecs": 2}}, "child_frame_id": "b", "transform": {"translation": '
    b'{"x": 1, "y": 0, "z": 0}, "rotation": {"x": 0, "y": 0, "z": 0, "w": 1}}}]}}',
    b'{"op": "service_response", "values": {"topics": ["/j", "/tf"], "types": '
    b'["sensor_msgs/JointState", "tf2_msgs/TFMessage"]}}',
    b'{"op": "fragment", "id": "f", "num": 0, "total": 2, "data": "{\\"op\\": \\"publ"}\n--\n'
    b'{"op": "fragment", "id": "f", "num": 1, "total": 2, "data": "ish\\"}"}',
]
SPLIT = b"\n--\n"
"""Stands between the messages of a server."""


def _advertise(name: str, encoding: str, schema: str) -> bytes:
    text = schema.replace("\n", "\\n")
    return (
        f'{{"op": "advertise", "channels": [{{"id": 5, "topic": "/joint_states", "encoding": '
        f'"{encoding}", "schemaName": "{name}", "schema": "{text}"}}]}}'
    ).encode()


def _sent(data: bytes) -> bytes:
    return b"\1" + struct.pack("<IQ", 1, 7) + data


def channels() -> list[bytes]:
    """What a server of Foxglove's protocol says: its channels, and messages on them."""
    kind, ros2 = "sensor_msgs/JointState", serialize(*ECHO[0][1::2])
    info = b'{"op": "serverInfo", "capabilities": ["clientPublish"], "supportedEncodings": ["cdr"]}'
    echo = SPLIT.join([info, _advertise(kind, "ros1", text_of(kind, "ros1")),
                       _sent(joint_state("ab", [1.0, 2.0])), b'{"op": "unadvertise", '
                       b'"channelIds": [5]}'])  # fmt: skip
    empty = bytes(8) + struct.pack("<I", 50_000) + bytes(50_000)
    text = nested("A", 40, 2).replace("p/A0", "trajectory_msgs/JointTrajectory")
    return [
        echo,
        SPLIT.join([_advertise(kind, "cdr", ""), _sent(ros2), _sent(ros2[:-3])]),
        SPLIT.join([_advertise(kind, "json", ""), _sent(STATES[1:-1].encode())]),
        SPLIT.join([_advertise(kind, "ros1", LONG), _sent(joint_state("a", [1.0]))]),
        SPLIT.join([_advertise("p/M", "ros1", text), _sent(empty)]),
    ]


def frames() -> list[bytes]:
    """A server's greeting and frames, byte by byte."""
    head = (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n")  # fmt: skip
    return [
        head + b"\x81\x05hello\x89\x00\x01\x02ab\x80\x01c\x82\x7e\x00\x80" + bytes(128) + b"\x88\0",
        b"HTTP/1.1 \xb2 x\r\n\r\n", b"HTTP/1.1 " + DIGITS.encode() + b"\r\n\r\n",
    ]  # fmt: skip


def meshes(suffix: str) -> list[bytes]:
    """Small mesh files of a format."""
    found = [path.read_bytes() for path in sorted(QUIRKS.glob(f"*{suffix}"))]
    if suffix == ".dae":
        odd = f"<?xml version='1.0' encoding='utf{DIGITS}'?>"
        found += [document().encode(), document(head=odd).encode()]
    if suffix == ".glb":
        points = b'"count": 3, "type": "VEC3"'
        found.append(found[0].replace(points, points.replace(b"3", b"0", 1)))
        assert found[-1] != found[0]
    if suffix == ".msh":
        points = np.arange(12, dtype="<f4").tobytes()
        faces = np.array([0, 2, 1, 0, 1, 3], "<i4").tobytes()
        counts = [(4, 0, 0, 2), (4, 4, 4, 2)]
        signalling = np.array([0x7FA00000] * 3, "<u4").tobytes()
        more = [b"", signalling + points[12:] + np.zeros(8, "<f4").tobytes()]
        found += [np.array(count, "<i4").tobytes() + points + rest + faces
                  for count, rest in zip(counts, more, strict=True)]  # fmt: skip
    return found


def images() -> list[bytes]:
    """Images of each kind that is looked into, some by their heads alone."""
    pixel = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 70, 0, 0, 54, 40, 2, -2, 1, 24, 0, 16, 1, 1,
                        0, 0) + bytes(16)  # fmt: skip
    targa = bytes([0, 0, 10]) + bytes(9) + struct.pack("<HHBB", 2, 2, 24, 0) + b"\x83\1\2\3"
    tags = [(256, 2), (257, 2), (258, 8), (259, 5), (262, 1), (273, 122), (277, 1), (278, 2),
            (279, 4)]  # fmt: skip
    tiff = b"II*\0\x08\0\0\0" + struct.pack("<H", len(tags))
    tiff += b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags) + bytes(4)
    jpeg = (b"\xff\xd8\xff\xdb" + struct.pack(">H", 67) + b"\0" + bytes(range(1, 65))
            + b"\xff\xc0\0\x0b\x08\0\x10\0\x10\1\1\x11\0\xff\xd9")  # fmt: skip
    return [png(), png(40, 30), pixel, targa, tiff + b"\x80\0\x40\x40", jpeg]


PEOPLE = (
    b"HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
    b"CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    + b"".join(
        b"JOINT %sLeg\n{\nOFFSET %d 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        b"JOINT %sKnee\n{\nOFFSET 0 -4 0\nCHANNELS 1 Xrotation\nJOINT %sFoot\n{\nOFFSET 0 -4 0\n"
        b"CHANNELS 0\nEnd Site\n{\nOFFSET 0 0 1\n}\n}\n}\n}\n" % (side, at, side, side)
        for side, at in ((b"Left", 1), (b"Right", -1))
    )
    + b"}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 8 0 0 0 0 0 9 0 5 0 -9 0 5\n0 8 1 0 0 0"
    b" 0 -9 0 5 0 9 0 5\n",
)
