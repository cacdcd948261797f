# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML is read as PyYAML reads it, which xacro uses, within bounds."""

import datetime
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.paths import TESTS
from urdf_importer import ReadError, read_robot
from urdf_importer.core.diagnostics import Diagnostics
from urdf_importer.formats.urdf.xacro.values import Allowance
from urdf_importer.formats.urdf.xacro.yaml_values import XacroYaml

Twice = list[tuple[str, int]]


def read(text: str, twice: Twice | None = None) -> Any:
    found: Twice = [] if twice is None else twice
    warn: Callable[[str, int], None] = lambda key, line: found.append((key, line))  # noqa: E731
    documents = XacroYaml("a.yaml", Allowance(), float, warn).read(text)
    assert twice is not None or not found
    return documents[0] if documents else None


SPELLINGS = (TESTS / "data" / "yaml" / "spellings_of_scalars.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("text", [*SPELLINGS, "", "|\n  yes"])
def test_a_scalar_is_the_one_that_pyyaml_makes(text: str) -> None:
    assert len(SPELLINGS) > 90
    for place in ("a: {}\n", "- {}\n", "{}\n"):
        written = place.replace("{}", text)
        assert repr(read(written)) == repr(yaml.safe_load(written))


@pytest.mark.parametrize("text", [
    *("!!int x", "!!bool maybe", "!!float x", "!!python/name:os.system", "!!timestamp x"),
    *("!unknown 1", "!!seq 1", "!!int ''", "!!int 99999x", "!degrees x"),
])  # fmt: skip
def test_a_scalar_without_a_meaning_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(f"a: 1\nb: {text}\n")
    assert (caught.value.source, caught.value.line) == ("a.yaml", 2)


@pytest.mark.parametrize("text", ["1e3", "1e-3", "-2E+5", "1.5e3", ".5e3", "1_0e2"])
def test_powers_of_ten_are_numbers_where_pyyaml_makes_texts(
    text: str, recwarn: pytest.WarningsRecorder, capfd: pytest.CaptureFixture[str]
) -> None:
    assert yaml.safe_load(text) == text
    assert read(f"a: {text}") == {"a": float(text.replace("_", ""))}
    assert not recwarn and capfd.readouterr() == ("", "")


def test_units_are_si() -> None:
    found = read("a: !degrees 180\nb: !millimeters 2\nc: [!inches 1, !foot 1]\nd: !radians 1")
    assert found == {"a": pytest.approx(3.14159265), "b": 0.002, "c": [0.0254, 0.3048], "d": 1.0}


@pytest.mark.parametrize(
    "text",
    [
        "x: 1\ny: 2\nn: 3\nN: 4\n",
        "yes: 1\n2: 2\n1.5: 3\n~: 4\n2001-12-14: 5\n'1': 6\n",
        "? a\n: 1\n? b\n",
        "!!set {a, b}\n",
        "a: !!omap [x: 1, y: 2]\nb: !!pairs [x: 1, x: 2]\n",
        "a: &a {x: 1, yy: 2}\nb: {zz: 0, <<: *a, yy: 3}\nc: &c {<<: *a, yy: 4}\nd: {<<: *c}\n",
        "a: &a [1, 2]\nb: *a\nc: &d x\n*d : 1\n",
        "a: &a {xx: 1}\nb: {<<: [*a, {yy: 2}], zz: 3}\nc: {'<<': 1}\n",
        "- a\n- - b\n  - c: d\n",
        "%YAML 1.2\n---\nyes: no\n",
        "'a b': \"c\\td\"\ne: >\n  f\n  g\n",
        "",
        "# nothing\n",
    ],
)
def test_collections_are_those_of_pyyaml(text: str) -> None:
    assert read(text) == yaml.safe_load(text)


def test_merges_give_way_to_own_keys_and_the_first_of_a_list_counts() -> None:
    """As YAML's own rule and PyYAML up to 6.0.3 have it; in 6.0.4, the place of a key in memory
    decides between two of a list."""
    text = "a: &a {mass: 1, size: 5}\nb: &b {mass: 2, name: x}\nc: {mass: 0, <<: [*a, *b]}\n"
    text += "d: {<<: [*a, *b]}\ne: {<<: [*b, *a]}\nf: {<<: *a, <<: *b}\n"
    found = read(text)
    assert found["c"] == {"mass": 0, "size": 5, "name": "x"}
    assert [found[key]["mass"] for key in "def"] == [1, 2, 2]


def test_of_a_key_that_comes_twice_the_last_one_counts() -> None:
    twice: Twice = []
    found = read("a: 1\nb:\n  yes: 1\n  true: 2\na: 3\n1: x\n1.0: y\nc: {<<: {d: 1}, d: 2}", twice)
    assert found == {"a": 3, "b": {True: 2}, 1: "y", "c": {"d": 2}}
    assert twice == [("True", 4), ("a", 5), ("1.0", 7)]


def bomb(merge: str, keys: int, levels: int) -> str:
    first = ", ".join(f"k{number}: 1" for number in range(keys))
    rows = [f"a0: &a0 {{{first}}}"]
    for level in range(1, levels):
        value = merge.replace("*", f"*a{level - 1}")
        rows.append(f"a{level}: &a{level} {{<<: {value}, x{level}: 1}}")
    return "\n".join(rows)


@pytest.mark.parametrize("keys", [1, 200])
@pytest.mark.parametrize("merge", ["[*, *]", "[*, *, *]", "*, <<: *", "[*, *], y: [*, *]"])
def test_bombs_of_merges_are_refused_before_they_are_built(merge: str, keys: int) -> None:
    before = time.process_time()
    with pytest.raises(ReadError, match="aliases"):
        read(bomb(merge, keys, 25 if keys == 1 else 20))
    assert time.process_time() - before < 2.0


def test_long_chains_of_merges_are_read() -> None:
    found = read(bomb("*", 50, 60))
    assert len(found["a59"]) == 50 + 59


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: {<<: 1}", "merges mappings"),
        ("a: {<<: [{b: 1}, 2]}", "merges mappings"),
        ("{[1]: 2}", "a key is"),
        ("{{a: 1}: 2}", "a key is"),
        ("a: *b", "names nothing"),
        ("a: &a [*a]", "names nothing"),
        ("a: !!pairs [x]", "pairs"),
        ("a: !thing {b: 1}", "unknown"),
        ("a: !!python/tuple [1]", "unknown"),
        ("a: [", "not YAML"),
        ("[" * 200, "levels"),
    ],
)
def test_others_are_refused_in_one_sentence(text: str, problem: str) -> None:
    with pytest.raises(ReadError, match=problem) as caught:
        read(text)
    assert caught.value.line == 1 and "\n" not in caught.value.message


def test_a_time_is_a_value_of_expressions() -> None:
    assert read("a: 2001-12-14")["a"] == datetime.date(2001, 12, 14)


# From a xacro file


def write(folder: Path, text: str, expression: str) -> Path:
    (folder / "sizes.yaml").write_text(text, encoding="utf-8")
    path = folder / "arm.xacro"
    path.write_text(
        "<robot name='arm' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
        "<xacro:property name='p' value=\"${xacro.load_yaml('sizes.yaml')}\"/>\n"
        "<xacro:property name='again' value=\"${xacro.load_yaml('sizes.yaml')}\"/>\n"
        f"<link name='a'><visual><geometry><sphere radius='{expression}'/></geometry></visual>"
        "</link><xacro:if value='${len(again) > 99}'/></robot>",
        encoding="utf-8",
    )
    return path


def radius(path: Path, diagnostics: Diagnostics) -> float:
    (link,) = read_robot(path, diagnostics=diagnostics).links
    found: Any = link.visuals[0].geometry
    return float(found.radius)


def test_a_key_that_comes_twice_is_one_warning_with_the_place_in_the_yaml(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    path = write(tmp_path, "y: 1.0\nsize:\nsize:\n  n: 2.5\n", '${p["size"]["n"] * p.y}')
    assert radius(path, diagnostics) == 2.5
    (item,) = diagnostics
    assert (item.code, item.subject, item.line) == ("duplicate-yaml-key", "size", 3)
    assert item.source == str(tmp_path / "sizes.yaml")


def test_a_second_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="more than one document"):
        radius(write(tmp_path, "a: 1\n---\na: 2\n", "${p.a}"), Diagnostics())


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert radius(write(tmp_path, "\ufeffa: 1e-3\n", "${p.a}"), Diagnostics()) == 0.001
