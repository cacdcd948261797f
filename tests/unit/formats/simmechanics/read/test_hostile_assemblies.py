# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile XML, YAML and CSV: one sentence, bounded time, nothing run and nothing read elsewhere."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.assembly_text import (
    CadBody,
    CadFrame,
    CadJoint,
    chain,
    first_generation,
    instance,
    part,
    second_generation,
)
from support.gates import gate
from support.paths import ROOT
from support.seconds import within
from support.simmechanics_reading import Read
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.writers.graph import write_graph_picture, write_groups
from urdf_importer.formats.simmechanics.read import (
    edges_of_assembly,
    read_assembly,
    write_starter_parameters,
)

LAUGHS = b"a: &a [x, x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + i, 98 + i, b", ".join([b"*%c" % (97 + i)] * 10)) for i in range(12)
)


@pytest.mark.parametrize(
    "data",
    [
        b"<robot name='x'/>",
        b"<PhysicalModelingXMLFile/>",
        b"<SimscapeMultibodyImportXML/>",
        b"<!DOCTYPE x [<!ENTITY a 'b'>]><PhysicalModelingXMLFile>&a;</PhysicalModelingXMLFile>",
        b"<!DOCTYPE x SYSTEM 'file:///etc/passwd'><PhysicalModelingXMLFile/>",
        gate()[:500],
    ],
)
def test_no_assembly(read: Read, data: bytes) -> None:
    with pytest.raises(ReadError) as caught:
        read(data)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        (b"a: [1, 2", 1),
        (b"\n- a\n- b\n", 2),
        (b"a: 1\nroot: !!python/object/apply:os.system ['touch /tmp/owned']\n", 2),
        (b"root: !evil x\n", 1),
        (b"root: *nothing\n", 1),
        (b"? [a, b]\n: c\n", 1),
        (b"a: " + b"[" * 5000, 1),
        (b"x" * (256 * 1024 + 1), 0),
        (b"a: b\nc: \xff\n", 2),
        (b"a: \0\n", 0),
        (LAUGHS, 5),
    ],
)
def test_parameter_files_that_are_refused(read: Read, yaml: bytes, line: int) -> None:
    for _ in within(5.0):
        with pytest.raises(ReadError) as caught:
            read(gate(), yaml)
    assert Path(caught.value.source).name == "p.yaml" and caught.value.line == line
    assert not Path("/tmp/owned").exists()


@pytest.mark.parametrize("text", ["root: POST1\n" * 5000, "a" * 200_000, "- " * 50_000, "{" * 90])
def test_odd_parameter_files_take_little_time(read: Read, text: str) -> None:
    for _ in within(20.0):
        try:
            read(gate(), text)
        except ReadError as error:
            assert "\n" not in error.message


@pytest.mark.parametrize(
    "csv",
    [
        '"' * 5000, "a'b\"c," * 5000, "joint_name," * 20_000, "joint_name\n" + "x\n" * 50_000,
        "joint_name\n" + "x," * 100_000, 'joint_name\n"' + "x" * 200_000,
    ],
)  # fmt: skip
def test_odd_tables_take_little_time(read: Read, csv: str) -> None:
    for _ in within(20.0):
        try:
            read(gate(), "", csv)
        except ReadError as error:
            assert "\n" not in error.message


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "none"), "/dev/zero", "a\0b"):
        for key in ("parameters", "joint_parameters"):
            with pytest.raises(ReadError):
                read_assembly(gate(), "x.xml", Diagnostics(), **{key: path})


def test_formats_are_data(read: Read) -> None:
    bodies = [CadBody(name="A", geometry="%(x)s{0.__class__}%s")]
    geometry = read(first_generation(bodies), "filenameformat: '{0}%%d/%s'\n").robot
    assert geometry.links[0].visuals[0].geometry.filename == "{0}%d/%(x)s{0.__class__}%s"  # type: ignore[union-attr]


def test_deep_nesting_does_not_recurse(read: Read) -> None:
    depth = 20_000
    within = "<Subsystem><subsystems>" * depth + "</subsystems></Subsystem>" * depth
    assert len(read(first_generation([CadBody(name="A")], within=within)).robot.links) == 1
    nested = "".join(
        f'<Instance name="i{n}" uid="i{n}" entityUid="e{n}">' for n in range(depth)
    ) + instance("leaf") + "</Instance>" * depth  # fmt: skip
    assert len(read(second_generation(nested, parts=part())).robot.links) == 1


def test_long_chains_do_not_recurse_and_take_linear_time(read: Read) -> None:
    def seconds(count: int) -> float:
        data = chain(count)
        began = time.process_time()
        outcome = read(data)
        edges = edges_of_assembly(outcome.reading)
        write_groups(outcome.robot)
        write_graph_picture("x", edges)
        write_starter_parameters(outcome.reading)
        return time.process_time() - began

    seconds(50)
    small = min(seconds(300) for _ in range(3))
    # A pause of the machine only adds, and seldom comes twice.
    assert any(seconds(3000) < 30 * small for _ in range(2))


def test_many_loops_are_bounded(read: Read) -> None:
    """A thousand joints across a long chain: all are kept, and judging them stops in time."""
    count = 2000
    bodies = [
        CadBody(
            name=f"B{n}",
            frames=[CadFrame(name=f"CS{k}", ref=10 * n + k, point=(n, 0, 0)) for k in (2, 3, 4)],
        )
        for n in range(count)
    ]
    joints = [CadJoint(name="J", base=10 * n + 2, follower=10 * n + 13) for n in range(count - 1)]
    joints += [
        CadJoint(name="L", base=10 * n + 4, follower=10 * (count - 1 - n) + 4)
        for n in range(count // 2 - 1)
    ]
    for _ in within(30.0):
        outcome = read(first_generation(bodies, joints))
    assert len(outcome.robot.loops) == count // 2 - 1 and "loops-not-judged" in outcome.codes


def test_without_the_library_one_sentence(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blender programs do not bring it. Assemblies alone, and tables of joints, need none."""
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    assert len(read(gate(), "", "joint_name\n").robot.links) == 3
    with pytest.raises(ReadError, match=r"needs the Python package ruamel\.yaml") as caught:
        read(gate(), "root: POST1\n")
    assert Path(caught.value.source).name == "p.yaml"


MEMORY = """
import resource, sys
from urdf_importer import ImportOptions, RobotError, read_robot
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + 1500 * 2**20,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
try:
    read_robot(sys.argv[1], options=ImportOptions(parameters=sys.argv[2]))
except RobotError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("assembly", "parameters"),
    [
        (b"<PhysicalModelingXMLFile>" + b"<a>" * 1_000_000, b""),
        (b"<PhysicalModelingXMLFile name='" + b"x" * 20_000_000, b""),
        (b"<SimscapeMultibodyImportXML>" + b"<Part/>" * 1_000_000, b""),
        (gate(), LAUGHS),
        (gate(), b"[" * 100_000),
        (gate(), b"x: '" + b"y" * 20_000_000),
    ],
    ids=["deep", "long", "many", "laughs", "nested", "long value"],
)
def test_memory_is_bounded(tmp_path: Path, assembly: bytes, parameters: bytes) -> None:
    (tmp_path / "a.xml").write_bytes(assembly)
    (tmp_path / "a.yaml").write_bytes(parameters)
    given = [str(tmp_path / "a.xml"), str(tmp_path / "a.yaml") if parameters else ""]
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, *given],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout) < 600 and "Traceback" not in done.stderr
