# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots for the rules of the check: for each rule the smallest with its fault, and the nearest one
without; and their meshes."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

BOX = '<geometry><box size="0.1 0.1 0.4"/></geometry>'
TOKEN = (
    '<visual><geometry><box size="{0} {0} {0}"/></geometry></visual>'
    f"<collision>{BOX}</collision>"
)
BODY = f"<visual>{BOX}</visual><collision>{BOX}</collision>"
INERTIA = '<inertia ixx="0.06" iyy="0.06" izz="0.008" ixy="0" ixz="0" iyz="0"/>'
MASS = f'<inertial><mass value="4"/>{INERTIA}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="1"/>'


@dataclass
class Arm:
    """Two links 1 m apart and a joint between them, with places for faults."""

    link: str = MASS + BODY
    base: str = ""
    limit: str = LIMIT
    origin: str = '<origin xyz="0 0 1"/>'
    more: str = ""
    name: str = "arm"
    kind: str = "revolute"
    root: str = "base"

    def write(self, folder: Path) -> Path:
        path = folder / "robot.urdf"
        path.write_text(
            f'<robot name="r"><link name="{self.root}">{self.base}</link>\n'
            f'<link name="{self.name}">{self.link}</link>\n'
            f'<joint name="turn" type="{self.kind}"><parent link="{self.root}"/>'
            f'<child link="{self.name}"/>{self.origin}<axis xyz="0 1 0"/>{self.limit}</joint>\n'
            f"{self.more}</robot>"
        )
        return path


def mass(value: float, inertia: float, xyz: str = "0 0 0") -> str:
    tensor = f'ixx="{inertia}" iyy="{inertia}" izz="{inertia / 7}" ixy="0" ixz="0" iyz="0"'
    return f'<inertial><origin xyz="{xyz}"/><mass value="{value}"/><inertia {tensor}/></inertial>'


def mesh(scale: float = 1.0, what: str = "visual", file: str = "box.stl") -> str:
    return (
        f'<{what}><geometry><mesh filename="{file}" scale="{scale} {scale} {scale}"/>'
        f"</geometry></{what}>"
    )


def follower(multiplier: float, offset: float = 0.0) -> str:
    return (
        '<link name="other"/><joint name="follow" type="revolute"><parent link="base"/>'
        f'<child link="other"/><limit lower="0" upper="1" effort="1" velocity="1"/>'
        f'<mimic joint="turn" multiplier="{multiplier}" offset="{offset}"/></joint>'
    )


def finger(name: str, y: float, axis: int, mimic: str = "") -> str:
    shape = '<visual><geometry><box size="0.02 0.02 0.05"/></geometry></visual>'
    return (
        f'<link name="{name}_tip">{shape}</link><joint name="{name}" type="prismatic">'
        f'<parent link="base"/><child link="{name}_tip"/><origin xyz="0 {y} 0"/>'
        f'<axis xyz="0 {axis} 0"/><limit lower="0" upper="0.04" effort="1" velocity="1"/>'
        f"{mimic}</joint>"
    )


def hand(right_axis: int) -> str:
    return finger("one", 0.011, 1) + finger("two", -0.051, right_axis, '<mimic joint="one"/>')


def sides(axis: str, weight: float = 4.0) -> str:
    parts = ""
    for side, turned, kg in (("left", "0 1 0", 4.0), ("right", axis, weight)):
        parts += (
            f'<link name="{side}_leg">{mass(kg, 0.06)}{BODY}</link>'
            f'<joint name="{side}_hip" type="revolute"><parent link="base"/>'
            f'<child link="{side}_leg"/><axis xyz="{turned}"/>{LIMIT}</joint>'
        )
    return parts


FAR = '<collision><origin xyz="{} 0 0"/>' + BOX + "</collision>"
END = (
    f'<link name="end">{BODY}</link><joint name="hold" type="{{}}"><parent link="arm"/>'
    '<child link="end"/></joint>'
)
THIN = BODY.replace("0.1 0.1", "0.05 0.05")
LONG = '<inertia ixx="0.002" iyy="0.06" izz="0.06" ixy="0" ixz="0" iyz="0"/>'
CASES: tuple[tuple[str, str, Arm, Arm], ...] = (
    ("mesh-units", "arm", Arm(link=mesh(1000.0)), Arm(link=mesh(10.0))),
    ("mesh-units", "arm", Arm(link=mesh(1e-4)), Arm(link=mesh(1e-2))),
    ("limit-in-degrees", "turn",
     Arm(limit='<limit lower="-90" upper="90" effort="1" velocity="1"/>'),
     Arm(limit='<limit lower="-31.4159" upper="31.4159" effort="1" velocity="1"/>')),
    ("angle-in-degrees", "turn", Arm(origin='<origin xyz="0 0 1" rpy="90 0 0"/>'),
     Arm(origin='<origin xyz="0 0 1" rpy="7.85398 0 0"/>')),
    ("density-unlikely", "arm", Arm(link=mass(4000.0, 60.0) + BODY), Arm(link=mass(80, 1) + BODY)),
    ("density-unlikely", "arm", Arm(link=mass(0.004, 6e-5) + BODY),
     Arm(link=mass(0.2, 3e-3) + BODY)),
    ("inertia-unlikely", "arm", Arm(link=mass(4, 6e3) + BODY), Arm(link=mass(4, 0.2) + BODY)),
    ("inertia-unlikely", "arm", Arm(link=mass(4, 6e-8) + BODY), Arm(link=mass(4, 0.01) + BODY)),
    ("inertia-axes", "arm",
     Arm(link=MASS.replace(INERTIA, LONG) + THIN), Arm(link=MASS.replace("0.008", "0.002") + THIN)),
    ("centre-outside", "arm", Arm(link=mass(4, 0.06, "0 0 50") + BODY),
     Arm(link=mass(4, 0.06, "0 0 0.3") + BODY)),
    ("collision-unlike-visual", "arm", Arm(link=f"<visual>{BOX}</visual>" + FAR.format(0.5)),
     Arm(link=f"<visual>{BOX}</visual>" + FAR.format(0.15))),
    ("collision-unlike-visual", "arm",
     Arm(link=f"<visual>{BOX}</visual><collision>{BOX.replace('0.4', '4')}</collision>"),
     Arm(link=BODY)),
    ("collision-unlike-visual", "arm", Arm(link=TOKEN.format(0.01)), Arm(link=TOKEN.format(0.001))),
    ("no-collision", "arm", Arm(link=f"{MASS}<visual>{BOX}</visual>", base=BODY), Arm(base=BODY)),
    ("mesh-inside-out", "arm", Arm(link=mesh(file="inside.stl")), Arm(link=mesh())),
    ("mesh-inside-out", "arm", Arm(link=mesh(file="inside_open.stl")), Arm(link=mesh(-1.0))),
    ("collision-heavy", "arm", Arm(link=mesh(what="collision", file="many.stl")),
     Arm(link=mesh(what="collision"))),
    ("collision-concave", "arm", Arm(link=mesh(what="collision", file="two.stl")),
     Arm(link=mesh(what="collision"))),
    ("duplicate-faces", "arm", Arm(link=mesh(file="twice.stl")), Arm(link=mesh())),
    ("mesh-open", "arm", Arm(link=mesh(what="collision", file="open.stl")),
     Arm(link=mesh(what="collision"))),
    ("links-overlap", "base", Arm(base=BODY, origin="", more=
     '<link name="far"/><joint name="fix" type="continuous"><parent link="arm"/>'
     '<child link="far"/></joint>'
     f'<link name="end">{BODY}</link><joint name="fix2" type="continuous"><parent link="far"/>'
     '<child link="end"/></joint>'), Arm(base=BODY)),
    ("links-overlap", "base", Arm(base=BODY, origin="", more=END.format("continuous")),
     Arm(base=BODY, origin="", more=END.format("fixed"))),
    ("base-off-ground", "arm", Arm(), Arm(origin='<origin xyz="0 0 0.2"/>')),
    ("mimic-out-of-range", "follow", Arm(more=follower(-1.0, -1.0)), Arm(more=follower(0.5, 0.5))),
    ("gripper-stays-open", "two", Arm(more=hand(1)), Arm(more=finger("one", 0.011, 1)
     + finger("two", -0.011, -1, '<mimic joint="one"/>'))),
    ("unlike-its-side", "left_hip", Arm(more=sides("1 0 0")), Arm(more=sides("0 -1 0"))),
    ("unlike-its-side", "left_hip", Arm(more=sides("0 1 0", 16.0)), Arm(more=sides("0 1 0", 8.0))),
    ("limit-absurd", "turn", Arm(limit='<limit lower="-1" upper="1" effort="-9" velocity="1"/>'),
     Arm(limit='<limit lower="-1" upper="1" effort="50000" velocity="10000"/>')),
    ("target-velocity", "turn", Arm(limit=LIMIT.replace('velocity="1"', 'velocity="0"')), Arm()),
    ("name-refused", "1arm", Arm(name="1arm"), Arm()),
    ("name-refused", "a::b", Arm(name="a::b"), Arm()),
    ("name-refused", "arm-2", Arm(name="arm-2"), Arm(name="arm_2")),
    ("name-refused", "world", Arm(name="world"), Arm(root="world")),
    ("target-limit", "turn", Arm(limit=""), Arm(limit="", kind="continuous")),
    ("target-limit", "turn", Arm(limit=LIMIT.replace('effort="10"', "")), Arm()),
    ("target-material", "red", Arm(more='<material name="red"/>' * 2),
     Arm(more='<material name="red"/><material name="blue"/>')),
    ("target-root-inertia", "base", Arm(base=MASS), Arm()),
    ("target-mesh", "arm", Arm(link=mesh(what="collision")), Arm(link=BODY)),
    ("target-mesh", "arm", Arm(link=mesh()), Arm(link=mesh(file="file:///box.stl"))),
)  # fmt: skip
"""Code, the part that it is about, a robot with the fault, and one without."""


def write_meshes(folder: Path) -> Path:
    """Writes boxes of 1 m by 0.1 by 0.1, sound and not; returns the folder."""
    box = make_box(np.array([-0.5, -0.05, -0.05]), np.array([0.5, 0.05, 0.05]))
    far = np.concatenate([make_box(np.full(3, at), np.full(3, at + 0.1)) for at in (-0.5, 0.4)])
    write_stl(folder / "box.stl", box)
    write_stl(folder / "inside.stl", box[:, ::-1])
    write_stl(folder / "inside_open.stl", box[:-1, ::-1])
    write_stl(folder / "open.stl", box[:-1])
    write_stl(folder / "two.stl", far)
    write_stl(folder / "twice.stl", np.concatenate([box, box[:, ::-1]]))
    write_stl(folder / "many.stl", np.concatenate([box + 0.2 * n for n in range(10)]))
    return folder


def make_box(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Returns the triangles (12, 3, 3) of a box between two corners, outside out."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    triangles: np.ndarray = (low + corners * (high - low))[np.array(faces)]
    return triangles


def write_stl(path: Path, triangles: np.ndarray) -> None:
    """Writes triangles (N, 3, 3) as a binary STL."""
    records = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")])
    records["p"] = triangles
    path.write_bytes(bytes(80) + np.uint32(len(triangles)).tobytes() + records.tobytes())
