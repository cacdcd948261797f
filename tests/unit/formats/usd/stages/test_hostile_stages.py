# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages made to crash, to hang, to fill memory or to read other files: each ends in one clear
sentence, or in the robot that is left, in little time and memory."""

import io
import math
import os
import resource
import time
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
import pytest

from support.mutations import apply, plan_damage
from support.paths import ROOT
from support.usd_files import run_pxr, to_crate
from support.usd_machines import PHYSICS
from urdf_importer import Diagnostics, Robot, export_robot, read_robot
from urdf_importer.core.diagnostics import ReadError, RobotError
from urdf_importer.formats.usd.stages import process
from urdf_importer.formats.usd.stages.session import arrays
from urdf_importer.formats.usd.stages.session.refusal import RefusedError

MEMORY, SECONDS = 3 * 2**29, 10
"""What the child gets here, of 4 GiB and 60 s otherwise; pxr alone takes 1.1 GiB of addresses."""
HEAD = """#usda 1.0
(
    defaultPrim = "r"
    metersPerUnit = 1
    upAxis = "Z"
    {more}
)
"""
ARM = """
def Xform "r" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{{
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        {first}
    }}
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
    {{
        {second}
    }}
    def PhysicsRevoluteJoint "j"
    {{
        rel physics:body0 = </r/a>
        rel physics:body1 = </r/b>
        {joint}
    }}
}}
"""
REFERS = 'def "r" (references = @{}@)\n{{\n}}\n'


def head(more: str = "") -> str:
    return HEAD.format(more=more)


def arm(first: str = "", second: str = "", joint: str = "") -> str:
    return head() + ARM.format(first=first, second=second, joint=joint)


def put(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def pack(path: Path, *members: tuple[str, str], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return path


@pytest.fixture(autouse=True)
def _in_little_time_and_memory(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[None]:
    """Bounds the child closely, and looks at the time of both processes, unless a test reads many
    files and looks at each. What needs more memory than MEMORY ends in another sentence than the
    one that a test asks for."""
    bounds = (
        "import resource; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY})); "
        f"resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS})); "
    )
    monkeypatch.setattr(process, "_START", bounds + process._START)
    process._kept.clear()
    before = spent()
    yield
    assert request.function is test_spoilt_crates_are_read_or_refused or is_little(before)
    process._kept.clear()


def is_little(before: float) -> bool:
    return spent() - before < SECONDS + 5


def spent() -> float:
    """CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def refusal(path: Path) -> str:
    """The sentence about a stage, without its path."""
    with pytest.raises(ReadError) as caught:
        read_robot(path)
    said = str(caught.value)
    assert "\n" not in said and "Traceback" not in said and said.count(str(path)) == 1, said
    assert len(said) < 400 + len(str(path)), said
    return said.removeprefix(f"{path}: ")


def read(path: Path) -> tuple[Robot, list[str]]:
    diagnostics = Diagnostics(str(path))
    robot = read_robot(path, diagnostics=diagnostics)
    for joint in robot.joints:
        assert all(map(math.isfinite, (*joint.origin.xyz, *joint.origin.rpy, *joint.axis)))
    return robot, [each.code for each in diagnostics]


# Crash, hang, and fill memory


def test_prims_within_one_another_that_crash_pxr_are_one_sentence(tmp_path: Path) -> None:
    text = "#usda 1.0\n" + 'def "a" {' * 200_000 + "}" * 200_000
    said = refusal(put(tmp_path / "deep.usda", text))
    assert said.startswith("the process that reads the stage was stopped: ") and "SIGSEGV" in said
    assert list(tmp_path.iterdir()) == [tmp_path / "deep.usda"]  # No core.


def ten_of_ten(how: str = "") -> str:
    """Ten references to ten references, seven deep: 4 kB of text, 10^7 prims."""
    child = 'def "c{}" (' + how + "references = </l{}>)\n{{\n}}\n"
    levels = (
        f'def "l{level}"\n{{\n' + "".join(child.format(i, level + 1) for i in range(10)) + "}\n"
        for level in range(7)
    )
    return "#usda 1.0\n" + "".join(levels) + 'def "l7"\n{\n}\n'


def test_a_stage_that_is_composed_for_ever_is_stopped_by_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "SECONDS", 2.0)
    began = time.monotonic()
    said = refusal(put(tmp_path / "many.usda", ten_of_ten()))
    assert said == "reading it takes longer than 2 seconds"
    assert time.monotonic() - began < 20.0


def test_a_stage_that_is_composed_for_ever_is_stopped_by_its_own_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = process._START.replace(f"({SECONDS}, {SECONDS})", "(2, 2)")
    monkeypatch.setattr(process, "_START", start)
    said = refusal(put(tmp_path / "many.usda", ten_of_ten()))
    assert "needs more time or memory than a stage may have" in said


@pytest.mark.parametrize("most", [2000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_instances_of_instances_are_counted(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer = f"import session.stage; session.stage.MOST_PRIMS = {most}; runpy.run_module"
    monkeypatch.setattr(process, "_START", process._START.replace("runpy.run_module", fewer))
    path = put(tmp_path / "many.usda", ten_of_ten("instanceable = true\n"))
    assert refusal(path) == f"it has more than {most} prims"


def test_huge_arrays_of_a_small_crate_are_refused(tmp_path: Path) -> None:
    """Zeros take no room in a crate: 0.2 MB of it are 640 MB in memory."""
    path = tmp_path / "huge.usdc"
    run_pxr(
        "from pxr import Usd, UsdGeom, UsdPhysics, Vt\n"
        "stage = Usd.Stage.CreateNew(sys.argv[1])\n"
        "UsdPhysics.RigidBodyAPI.Apply(stage.DefinePrim('/r', 'Xform'))\n"
        "mesh = UsdGeom.Mesh.Define(stage, '/r/m')\n"
        "mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray(160_000_000))\n"
        "stage.Save()\n",
        path,
    )
    assert path.stat().st_size < 1_000_000
    said = refusal(path)
    assert "more memory than a stage may have" in said or "unpacking a value" in said


def test_meshes_that_are_too_big_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "MOST_BYTES", 100)
    file = arrays.ArrayFile(io.BytesIO())
    assert [file.add(np.zeros(n, np.int32)) for n in (20, 0, 20)] == [0, 1, 0]
    with pytest.raises(RefusedError, match="too big for a robot"):
        file.add(np.zeros(6, np.int32))


def test_a_description_of_prims_that_fills_memory_is_refused(tmp_path: Path) -> None:
    """A long text that is shown 20,000 times."""
    text = "x" * 400_000
    shown = "".join(f'def "p{i}" (references = </one>)\n{{\n}}\n' for i in range(20_000))
    stage = f'#usda 1.0\ndef "one"\n{{\n    custom string s = "{text}"\n}}\n{shown}'
    said = refusal(put(tmp_path / "said.usda", stage))
    assert said == "its prims have more values than a robot needs"


# Other files


@pytest.mark.parametrize("how", ["references", "payload", "subLayers", "attribute", "variant"])
def test_stages_outside_the_allowed_folders_are_not_read(how: str, tmp_path: Path) -> None:
    other = put(tmp_path / "secret" / "arm.usda", arm())
    names = [str(other), "../secret/arm.usda", "./x/../../secret/arm.usda"]
    for name in names if how == "references" else names[1:2]:
        text = {
            "references": head() + REFERS.format(name),
            "payload": head() + f'def "r" (payload = @{name}@)\n{{\n}}\n',
            "subLayers": head(f"subLayers = [@{name}@]"),
            "attribute": head() + f'def "r"\n{{\n    asset a = @{name}@\n}}\n',
            "variant": head()
            + 'def "r" (variantSets = "v")\n{\n    variantSet "v" = {\n        "one" '
            f"(references = @{name}@) {{\n        }}\n    }}\n}}\n",
        }[how]
        said = refusal(put(tmp_path / "open" / "stage.usda", text))
        assert "secret/arm.usda' lies outside the folders that may be read" in said


def test_names_of_files_are_not_worked_out(tmp_path: Path) -> None:
    """The variable of the file above counts, so one file alone does not say what is opened."""
    put(tmp_path / "secret" / "arm.usda", arm())
    put(tmp_path / "open" / "safe.usda", arm())
    variable = 'expressionVariables = {{\n        string X = "{}"\n    }}'
    refers = REFERS.format('`"${X}.usda"`')
    put(tmp_path / "open" / "inner.usda", head(variable.format("safe")) + refers)
    outer = head(variable.format(tmp_path / "secret" / "arm")) + REFERS.format("inner.usda")
    said = refusal(put(tmp_path / "open" / "outer.usda", outer))
    assert said == "'outer.usda' works out names of files, which is not done"
    constant = head() + REFERS.format('`"safe.usda"`')
    said = refusal(put(tmp_path / "open" / "constant.usda", constant))
    assert said == "'constant.usda' works out names of files, which is not done"


def test_files_that_are_no_stages_and_addresses_are_never_opened(tmp_path: Path) -> None:
    names = ("/etc/passwd", "/dev/zero", "http://127.0.0.1:9/x.usda", "file:///etc/passwd")
    listed = ", ".join(f"@{name}@" for name in names)
    path = put(tmp_path / "arm.usda", arm().replace('"r" (', f'"r" (references = [{listed}]\n'))
    robot, codes = read(path)
    assert len(robot.links) == 2 and set(codes) <= {"usd-missing-layer"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes by name here")
def test_pipes_are_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.usda")
    path = put(tmp_path / "stage.usda", head() + REFERS.format("pipe.usda"))
    assert refusal(path).endswith("pipe.usda' is not a regular file")
    assert "not a regular file" in refusal(tmp_path / "pipe.usda")


def test_links_on_disk_lead_nowhere_else(tmp_path: Path) -> None:
    other = put(tmp_path / "secret" / "arm.usda", arm())
    path = put(tmp_path / "open" / "stage.usda", head() + REFERS.format("near.usda"))
    (tmp_path / "open" / "near.usda").symlink_to(other)
    assert "lies outside the folders that may be read" in refusal(path)


NAMED = 'def "r"\n{{\n    {}\n}}\n'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes by name here")
@pytest.mark.parametrize(
    "text",
    [
        REFERS.format("../secret/pipe.usdz[a.usda]"),
        NAMED.format("asset a = @../secret/pipe.usdz[a.png]@"),
        NAMED.format("asset[] a = [@../secret/pipe.usdz[b.usdz[a.png]]@]"),
        NAMED.format("asset a.timeSamples = { 0: @../secret/pipe.usdz[a.png]@ }"),
        NAMED.format('asset a = @`"../secret/pipe.usdz[a.png]"`@'),
    ],
)
def test_archives_outside_are_not_opened(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe would be waited for."""
    (tmp_path / "secret").mkdir()
    os.mkfifo(tmp_path / "secret" / "pipe.usdz")
    monkeypatch.setattr(process, "SECONDS", 20.0)
    said = refusal(put(tmp_path / "open" / "stage.usda", head() + text))
    assert "lies outside the folders" in said or "works out names of files" in said


def test_clips_whose_files_are_looked_for_are_refused(tmp_path: Path) -> None:
    clips = 'clips = {{ dictionary default = {{ string templateAssetPath = "{}/c.##.usda" }} }}'
    text = head() + f'def "r" ({clips.format(tmp_path)})\n{{\n}}\n'
    said = refusal(put(tmp_path / "open" / "stage.usda", text))
    assert said == "'stage.usda' works out names of files, which is not done"


MATERIALS = '<?xml version="1.0"?>{}<materialx version="1.38">{}</materialx>'
INCLUDES = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="../secret/pipe.mtlx"/>'


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes by name here")
@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("m.mtlx", MATERIALS.format("", INCLUDES), "includes other files"),
        ("M.MTLX", MATERIALS.format("", INCLUDES.replace("xi:", "")), "includes other files"),
        ("m.mtlx", MATERIALS.format("", INCLUDES).encode("utf-16"), "includes other files"),
        ("m.mtlx", MATERIALS.format("<!DOCTYPE a SYSTEM 'b'>", ""), "a document type"),
        ("m.mtlx", MATERIALS.format("", "<a"), "is not XML"),
        ("m.mtlx", MATERIALS.format("", '<surfacematerial name="M" type="material"/>'), ""),
    ],
)
def test_materials_that_include_files_are_refused(
    name: str, content: str | bytes, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blender's own library reads MaterialX, the one of the package index does not."""
    found = find_spec("bpy")
    places = [] if found is None else (found.submodule_search_locations or [])
    folders = [each.parent for place in places for each in Path(place).rglob("site-packages/pxr")]
    if not folders:
        pytest.skip("Blender is not there")
    monkeypatch.setattr(process, "find_pxr", lambda: str(folders[0]))
    monkeypatch.setattr(process, "SECONDS", 20.0)
    bound = f"({MEMORY}, {MEMORY})"
    monkeypatch.setattr(process, "_START", process._START.replace(bound, f"({4 * MEMORY}, -1)"))
    (tmp_path / "secret").mkdir()
    os.mkfifo(tmp_path / "secret" / "pipe.mtlx")
    put(tmp_path / "open" / name, content)
    path = put(
        tmp_path / "open" / "stage.usda", arm().replace('"r" (', f'"r" (references = @{name}@\n')
    )
    if wanted:
        assert wanted in refusal(path)
    else:
        assert len(read(path)[0].links) == 2


@pytest.mark.parametrize("how", ["references", "payload", "subLayers", "inherits", "specializes"])
def test_cycles_end(how: str, tmp_path: Path) -> None:
    if how in ("inherits", "specializes"):
        text = (
            arm()
            .replace('"r" (', f'"r" ({how} = </r/a>\n')
            .replace('"a" (', f'"a" ({how} = </r>\n')
        )
        put(tmp_path / "a.usda", text)
    else:
        for name, other in ("ab", "bc", "ca"):
            path = f"@{other}.usda@"
            if how == "subLayers":
                put(
                    tmp_path / f"{name}.usda",
                    head(f"subLayers = [{path}]") + arm().partition("\n)\n")[2],
                )
            else:
                text = arm().replace('"r" (', f'"r" ({how} = {path}\n')
                put(tmp_path / f"{name}.usda", text)
    robot, _ = read(tmp_path / "a.usda")
    assert {"a", "b"} <= {each.name for each in robot.links}


def test_a_thousand_files_are_the_most(tmp_path: Path) -> None:
    for number in range(1001):
        put(tmp_path / f"l{number}.usda", "#usda 1.0\n")
    names = ", ".join(f"@l{number}.usda@" for number in range(1001))
    path = put(tmp_path / "stage.usda", head(f"subLayers = [{names}]"))
    assert refusal(path) == "it consists of more than 1000 files"


# Damage


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("crate")
    robot = read_robot(ROOT / "sample_urdfs" / "gripper.urdf")
    export_robot(robot, folder / "gripper.usda", options=PHYSICS)
    to_crate(folder / "gripper.usda", folder / "gripper.usdc")
    return (folder / "gripper.usdc").read_bytes()


BROKEN: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut": (lambda data: data[: len(data) // 2], "pxr cannot open it: "),
    "bare": (lambda data: data[:8], "pxr cannot open it: "),
    "version": (lambda data: data[:8] + b"\xff" + data[9:], "pxr cannot open it: "),
    "place of its table": (
        lambda data: data[:16] + b"\xff" * 8 + data[24:],
        "pxr cannot open it: ",
    ),
    "other bytes": (lambda data: bytes(range(256)) * 8, "bootstrap section corrupt"),
    "nothing": (lambda data: b"", "'arm.usdc' is empty"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_damaged_crates_are_one_sentence(how: str, crate: bytes, tmp_path: Path) -> None:
    spoil, wanted = BROKEN[how]
    said = refusal(put(tmp_path / "arm.usdc", spoil(crate)))
    assert wanted in said and "pxrInternal" not in said and "/opt/" not in said


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_spoilt_crates_are_read_or_refused(count: int, crate: bytes, tmp_path: Path) -> None:
    for number in range(count):
        random = Random(f"crate {number}")
        path = put(tmp_path / "arm.usdc", apply(plan_damage(random), crate))
        before = spent()
        try:
            read_robot(path, diagnostics=Diagnostics())
        except RobotError as error:
            assert "\n" not in error.message and "Traceback" not in error.message, number
            assert len(error.message) < 500 and error.message, number
        assert is_little(before), number


TEXTS = {
    "metersPerUnit is nan": arm().replace("metersPerUnit = 1", "metersPerUnit = nan"),
    "metersPerUnit is 1e+300": arm().replace("metersPerUnit = 1", "metersPerUnit = 1e300"),
    "upAxis is X": arm().replace('upAxis = "Z"', 'upAxis = "X"'),
    "Failed to parse value": arm().replace("metersPerUnit = 1", 'metersPerUnit = "one"'),
    "the stage has 2 models": arm().replace("PhysicsRevoluteJoint", "PhysicsBananaJoint"),
    "the stage has no rigid bodies": arm().replace("PhysicsRigidBodyAPI", "PhysicsBananaAPI"),
    "Expected }": arm()[:-3],
}


@pytest.mark.parametrize("wanted", TEXTS)
def test_nonsense_is_one_sentence(wanted: str, tmp_path: Path) -> None:
    assert wanted in refusal(put(tmp_path / "arm.usda", TEXTS[wanted]))


def mesh(sizes: str, corners: str, points: str, more: str = "") -> str:
    return (
        f'def Mesh "m"\n{{\nint[] faceVertexCounts = [{sizes}]\n'
        f"int[] faceVertexIndices = [{corners}]\npoint3f[] points = [{points}]\n{more}\n}}\n"
    )


TRIANGLE = "(0, 0, 0), (1, 0, 0), (0, 1, 0)"
AT = 'double3 xformOp:{0} = {1}\nuniform token[] xformOpOrder = ["xformOp:{0}"]'
ODD = {
    "more corners than there are": arm(mesh("2147483647", "0, 1, 2", TRIANGLE)),
    "faces of fewer than none": arm(mesh("-3, 6", "0, 1, 2", TRIANGLE)),
    "points that are not there": arm(mesh("3", "0, 1, 2147483647", TRIANGLE)),
    "points at no place": arm(mesh("3", "0, 1, 2", "(nan, 0, 0), (inf, 0, 0), (0, 0, 0)")),
    "a normal for many faces": arm(
        mesh("2147483647, 2147483647", "0, 1, 2", TRIANGLE,
             'normal3f[] normals = [(0, 0, 1), (0, 0, 1)] (interpolation = "uniform")')),
    "images by numbers beyond all": arm(
        mesh("3", "0, 1, 2", TRIANGLE,
             'texCoord2f[] primvars:st = [(0, 0)] (interpolation = "faceVarying")\n'
             "int[] primvars:st:indices = [0, 99999999, -7]")),
    "no place": arm(AT.format("translate", "(nan, inf, 0)")),
    "a place too far": arm(second=AT.format("translate", "(1e308, 1e308, 0)")),
    "no size": arm(second=AT.format("scale", "(0, 0, 0)")),
    "limits": arm(joint="float physics:lowerLimit = nan\nfloat physics:upperLimit = -inf"),
    "frames": arm(joint="point3f physics:localPos0 = (nan, 0, 0)\n"
                        "quatf physics:localRot0 = (nan, 0, 0, 0)"),
    "values of other types": arm(joint='string physics:axis = "Q"\nfloat physics:localPos0 = 3\n'
                                       'string physics:lowerLimit = "a"'),
    "masses": arm("float physics:mass = 1e20\nfloat3 physics:diagonalInertia = (nan, 1e38, -4)\n"
                  "float physics:density = inf"),
    "shapes": arm('def Cube "c"\n{\ndouble size = nan\n}\n'
                  'def Sphere "s"\n{\ndouble radius = -inf\n}'),
    "a mimic of itself": arm(joint="rel newton:mimicJoint = </r/j>\nfloat newton:mimicCoef1 = nan"),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_robots_with_nonsense_in_them_are_read(what: str, tmp_path: Path) -> None:
    robot, _ = read(put(tmp_path / "arm.usda", ODD[what]))
    assert {each.name for each in robot.links} == {"a", "b"}
    diagnostics = Diagnostics()
    export_robot(robot, tmp_path / "arm.urdf", diagnostics=diagnostics)
    again = read_robot(tmp_path / "arm.urdf", diagnostics=diagnostics)
    assert len(again.links) == 2


# Archives


def test_archives_that_hide_a_bomb_are_refused_unpacked(tmp_path: Path) -> None:
    long = arm() + "# " + "x" * 50_000_000
    path = pack(tmp_path / "bomb.usdz", ("a.usda", long), compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    assert refusal(path).endswith("compressed files are not supported")


def test_paths_of_archives_lead_nowhere_else(tmp_path: Path) -> None:
    put(tmp_path / "secret" / "arm.usda", arm())
    (tmp_path / "open").mkdir()
    # Members are read where they are: none is written to a path.
    for name in ("/tmp/passwd.usda", "../../passwd.usda"):
        robot, _ = read(pack(tmp_path / "open" / "named.usdz", (name, arm())))
        assert len(robot.links) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["open", "secret"]
    for name in (str(tmp_path / "secret" / "arm.usda"), "../secret/arm.usda"):
        text = head() + REFERS.format(name)
        said = refusal(pack(tmp_path / "open" / "out.usdz", ("a.usda", text)))
        assert "lies outside the folders" in said or "is not a file of USD" in said


def test_archives_that_are_none_are_refused(tmp_path: Path) -> None:
    for content in (b"PK\3\4" + bytes(100), bytes(range(256)), b"PK\5\6" + bytes(18)):
        said = refusal(put(tmp_path / "arm.usdz", content))
        assert "is not" in said or "cannot open it" in said
