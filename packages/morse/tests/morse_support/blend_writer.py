# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes small .blend files as Blender 2.4 to 2.79 did, in any byte order and pointer size.

The structures are short forms of Blender's own: members that matter here, in an order of their own,
with others between that shift all offsets.
"""

import gzip
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

SIZES = {"char": 1, "short": 2, "int": 4, "long": 4, "float": 4, "double": 8, "void": 0}
LETTERS = {"short": "h", "int": "i", "long": "i", "float": "f", "double": "d"}

BRICK = "short type; short flag; short pad; short totlinks; char name[64]; void *data"
STRUCTURES = {
    "ListBase": "void *first; void *last",
    "ID": "void *next; void *prev; int pad[2]; char name[66]; short flag; int us",
    "FileGlobal": "char subvstr[4]; short subversion; short minversion; void *curscreen",
    "Object": (
        "ID id; Object *parent; float obmat[4][4]; float mass; float damping; float inertia;"
        "float formfactor; float rdamping; float margin; float max_vel; float min_vel;"
        "float obstacleRad; char boundtype; char collision_boundtype; char body_type; char pad;"
        "void (*callback)(); ListBase prop; ListBase sensors; ListBase controllers;"
        "ListBase actuators; int gameflag; int gameflag2"
    ),
    "bProperty": (
        "bProperty *next; bProperty *prev; char name[64]; short type; short flag; int data;"
        "void *poin"
    ),
    "bSensor": (
        f"bSensor *next; bSensor *prev; {BRICK}; bController **links; short pulse; short freq;"
        "short invert; short level; short tap; short pad2"
    ),
    "bController": (
        f"bController *next; bController *prev; {BRICK}; bActuator **links; int state_mask"
    ),
    "bActuator": f"bActuator *next; bActuator *prev; {BRICK}; Object *ob",
    "bNearSensor": "char name[64]; float dist; float resetdist",
    "bTouchSensor": "char name[64]; Material *ma",
    "bKeyboardSensor": (
        "short key; short qual; short type; short qual2; char targetName[64]; char toggleName[64]"
    ),
    "bPropertySensor": "int type; char name[64]; char value[64]; char maxvalue[64]",
    "bMouseSensor": (
        "short type; short flag; short pad; short mode; char propname[64]; char matname[64]"
    ),
    "bCollisionSensor": "char name[64]; char materialName[64]; short mode; short pad2",
    "bRadarSensor": "char name[64]; float angle; float range; short flag; short axis",
    "bRaySensor": (
        "char name[64]; float range; char propname[64]; char matname[64]; short mode; short pad;"
        "int axisflag"
    ),
    "bJoystickSensor": (
        "char name[64]; char type; char joyindex; short flag; short axis; short axis_single;"
        "int axisf; int button; int hat; int hatf; int precision"
    ),
    "bArmatureSensor": "char posechannel[64]; char constraint[64]; int type; float value",
    "bActuatorSensor": "int type; int pad; char name[64]",
    "bDelaySensor": "short delay; short duration; short flag; short pad",
    "bRandomSensor": "char name[64]; int seed; int delay",
    "bMessageSensor": "Object *fromObject; char subject[64]; char body[64]",
    "bExpressionCont": "char str[128]",
    "bPythonCont": "Text *text; char module[64]; int mode; int flag",
    "bActionActuator": (
        "bAction *act; short type; short flag; float sta; float end; char name[64];"
        "char frameProp[64]; short blendin; short priority; short layer; short end_reset;"
        "short blend_mode; short pad; float layer_weight"
    ),
    "bIpoActuator": (
        "short flag; short type; float sta; float end; char name[64]; char frameProp[64]"
    ),
    "bObjectActuator": (
        "short flag; short type; short otype; short damping; float forceloc[3]; float forcerot[3];"
        "float dloc[3]; float drot[3]; float linearvelocity[3]; float angularvelocity[3];"
        "Object *reference"
    ),
    "bCameraActuator": (
        "Object *ob; float height; float min; float max; float damping; short pad; short axis"
    ),
    "Sound3D": "float min_gain; float max_gain; float cone_inner_angle; float cone_outer_angle",
    "bSoundActuator": (
        "short flag; short type; float volume; float pitch; bSound *sound; Sound3D sound3D"
    ),
    "bPropertyActuator": "int pad; int type; char name[64]; char value[64]; Object *ob",
    "bConstraintActuator": (
        "short type; short mode; short flag; short damp; float minloc[3]; float maxloc[3];"
        "float minrot[3]; float maxrot[3]; char matprop[64]"
    ),
    "bEditObjectActuator": (
        "int time; short type; short flag; Object *ob; Mesh *me; float linVelocity[3];"
        "short localflag; short dyn_operation; short upflag; short trackflag"
    ),
    "bSceneActuator": "short type; short pad1; int pad; Scene *scene; Object *camera",
    "bRandomActuator": (
        "int seed; int distribution; int int_arg_1; int int_arg_2; float float_arg_1;"
        "float float_arg_2; char propname[64]"
    ),
    "bMessageActuator": (
        "char toPropName[64]; Object *toObject; char subject[64]; short bodyType; short pad1;"
        "int pad2; char body[64]"
    ),
    "bGameActuator": "short flag; short type; int sta; int end; char filename[64]",
    "bVisibilityActuator": "int flag",
    "bTwoDFilterActuator": (
        "char pad[4]; short type; short flag; int int_arg; float float_arg; Text *text"
    ),
    "bParentActuator": "char pad[2]; short flag; int type; Object *ob",
    "bStateActuator": "int type; int mask",
    "bArmatureActuator": (
        "char posechannel[64]; char constraint[64]; int type; float weight; float influence;"
        "float pad; Object *target; Object *subtarget"
    ),
    "bSteeringActuator": (
        "char pad[5]; char flag; short facingaxis; int type; float dist; float velocity;"
        "float acceleration; float turnspeed; int updateTime; Object *target; Object *navmesh"
    ),
    "bMouseActuator": (
        "short type; short flag; int object_axis[2]; float threshold[2]; float sensitivity[2];"
        "float limit_x[2]; float limit_y[2]"
    ),
}

COLLISION = 1 << 16
NEW_OBJECT = {
    "mass": 1.0,
    "inertia": 1.0,
    "damping": 0.04,
    "rdamping": 0.1,
    "formfactor": 0.4,
    "margin": 0.04,
    "gameflag": COLLISION | 1 << 14,
}


def single(value: float) -> float:
    """A number in single precision."""
    result: float = struct.unpack("f", struct.pack("f", value))[0]
    return result


def ends(addresses: Sequence[int]) -> dict[str, int]:
    """The value of a ListBase."""
    return {"first": addresses[0], "last": addresses[-1]}


@dataclass(slots=True)
class BlendWriter:
    """`order` is < or >, `pointer_size` 4 or 8, `version` (279, 0) for Blender 2.79."""

    order: str = "<"
    pointer_size: int = 8
    version: tuple[int, int] = (279, 0)
    structures: dict[str, str] = field(default_factory=lambda: dict(STRUCTURES))
    blocks: list[bytes] = field(default_factory=list)
    _addresses: Any = field(default_factory=lambda: count(0x1000, 0x40))

    def new_address(self) -> int:
        address: int = next(self._addresses)
        return address

    def reserve(self, count: int) -> list[int]:
        """Addresses for elements of lists that objects point to before they are written."""
        return [self.new_address() for _ in range(count)]

    def write_object(self, name: str, **values: Any) -> int:
        """An object as Blender 2.79 makes a new one, but for `values`."""
        address = self.new_address()
        members = {**NEW_OBJECT, "id": {"name": "OB" + name}, **values}
        self.write_block("OB", address, "Object", self.pack("Object", members))
        return address

    def write_id(self, code: str, name: str, address: int = 0) -> int:
        """A data-block of which only the name matters."""
        address = address or self.new_address()
        self.write_block(code, address, "ID", self.pack("ID", {"name": code + name}))
        return address

    def write(self, structure: str, values: Mapping[str, Any], address: int = 0) -> int:
        address = address or self.new_address()
        self.write_block("DATA", address, structure, self.pack(structure, values))
        return address

    def write_pointers(self, pointers: Sequence[int]) -> int:
        address = self.new_address()
        self.write_block("DATA", address, "ListBase", b"".join(map(self.pack_pointer, pointers)))
        return address

    def write_list(
        self, structure: str, elements: Sequence[Mapping[str, Any]], addresses: Sequence[int]
    ) -> None:
        following = [*addresses[1:], 0]
        for address, after, values in zip(addresses, following, elements, strict=True):
            self.write(structure, {"next": after, **values}, address)

    def write_block(self, code: str, address: int, structure: str, data: bytes) -> None:
        number = list(self.structures).index(structure)
        self.blocks.append(self.pack_head(code, len(data), address, number) + data)

    def pack_head(self, code: str, length: int, address: int, number: int) -> bytes:
        """Two-letter codes were numbers: in big-endian files they stand last."""
        padded = (
            code.encode().ljust(4, b"\0") if self.order == "<" else code.encode().rjust(4, b"\0")
        )
        return (
            padded
            + struct.pack(f"{self.order}i", length)
            + self.pack_pointer(address)
            + struct.pack(f"{self.order}ii", number, 1)
        )

    def pack_pointer(self, address: int) -> bytes:
        return struct.pack(f"{self.order}{'I' if self.pointer_size == 4 else 'Q'}", address)

    def pack(self, structure: str, values: Mapping[str, Any]) -> bytes:
        unused = set(values)
        packed = b""
        for type_name, written in self.members_of(structure):
            name = re.search(r"\w+", written)
            assert name is not None
            unused.discard(name[0])
            packed += self._pack_member(type_name, written, values.get(name[0], 0))
        assert not unused, f"{structure} has no {unused}"
        return packed

    def _pack_member(self, type_name: str, written: str, value: Any) -> bytes:
        if written.startswith(("*", "(")):
            return self.pack_pointer(value)
        length = self._length_of(written)
        if type_name == "char" and length > 1:
            text: bytes = value.encode() if isinstance(value, str) else value or b""
            assert len(text) < length
            return text.ljust(length, b"\0")
        if type_name in self.structures:
            return self.pack(type_name, value or {}) * length
        values = list(value) if isinstance(value, list | tuple) else [value] * length
        letter = "b" if type_name == "char" else LETTERS[type_name]
        return struct.pack(f"{self.order}{length}{letter}", *values)

    def members_of(self, structure: str) -> list[tuple[str, str]]:
        lines = (line.strip() for line in self.structures[structure].split(";"))
        pairs = (line.partition(" ") for line in lines if line)
        return [(type_name, written.strip()) for type_name, _, written in pairs]

    @staticmethod
    def _length_of(written: str) -> int:
        length = 1
        for size in re.findall(r"\[(\d+)\]", written):
            length *= int(size)
        return length

    def size_of(self, type_name: str, written: str = "") -> int:
        if written.startswith(("*", "(")):
            return self.pointer_size
        if type_name in self.structures:
            size = sum(self.size_of(*member) for member in self.members_of(type_name))
        else:
            size = SIZES.get(type_name, 0)
        return size * self._length_of(written)

    def pack_catalogue(self) -> bytes:
        types = list(SIZES)
        names: list[str] = []
        for structure in self.structures:
            types += [name for name, _ in self.members_of(structure) if name not in types]
            types += [structure] if structure not in types else []
            names += [name for _, name in self.members_of(structure) if name not in names]
        entries = b""
        for structure in self.structures:
            members = self.members_of(structure)
            numbers = [types.index(structure), len(members)]
            for type_name, written in members:
                numbers += [types.index(type_name), names.index(written)]
            entries += struct.pack(f"{self.order}{len(numbers)}H", *numbers)
        sizes = [self.size_of(name) for name in types]
        lengths = struct.pack(f"{self.order}{len(sizes)}H", *sizes)
        parts = [
            b"SDNA",
            b"NAME" + self._pack_names(names),
            b"TYPE" + self._pack_names(types),
            b"TLEN" + lengths,
            b"STRC" + struct.pack(f"{self.order}i", len(self.structures)) + entries,
        ]
        return b"".join(part + b"\0" * (-len(part) % 4) for part in parts)

    def _pack_names(self, names: Sequence[str]) -> bytes:
        text = b"".join(name.encode() + b"\0" for name in names)
        return struct.pack(f"{self.order}i", len(names)) + text

    def header(self) -> bytes:
        pointer = "_" if self.pointer_size == 4 else "-"
        order = "v" if self.order == "<" else "V"
        return f"BLENDER{pointer}{order}{self.version[0]}".encode()

    def pack_file(self, *, packed: bool = False) -> bytes:
        general = self.pack("FileGlobal", {"subversion": self.version[1]})
        number = list(self.structures).index("FileGlobal")
        catalogue = self.pack_catalogue()
        data = b"".join(
            (
                self.header(),
                self.pack_head("GLOB", len(general), 1, number) + general,
                *self.blocks,
                self.pack_head("DNA1", len(catalogue), 2, 0) + catalogue,
                self.pack_head("ENDB", 0, 0, 0),
            )
        )
        return gzip.compress(data) if packed else data
