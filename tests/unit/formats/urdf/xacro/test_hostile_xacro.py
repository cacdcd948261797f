# SPDX-License-Identifier: GPL-3.0-or-later
"""xacro computes: whatever it is given, it ends soon, stays small and reaches nothing."""

import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support import xacro_truth
from support.seconds import within
from urdf_importer.core.diagnostics import Diagnostics, ReadError
from urdf_importer.core.files.packages import PackageResolver
from urdf_importer.formats.urdf.read.robot import read_robot_text
from urdf_importer.formats.urdf.xacro.expand import expand_xacro
from urdf_importer.formats.urdf.xacro.values import Allowance

HEAD = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='base'/>\n"
SECONDS = 2.0
# Beside the budget's own time, for what cannot be interrupted, on a busy computer.
GRACE = 8.0
MOST_BYTES = 400 * 2**20

Expand = Callable[[str], bytes]


@pytest.fixture
def expand(tmp_path: Path) -> Iterator[Expand]:
    """Expands the inside of a robot; fails where that takes long or much memory."""
    source = str(tmp_path / "robot.xacro")
    resolver = PackageResolver(source, environment={})

    def expand(inside: str) -> bytes:
        raw = f"{HEAD}{inside}\n</robot>".encode()
        return expand_xacro(raw, source, resolver, (), Diagnostics(), Allowance(seconds=SECONDS))

    tracemalloc.start()
    began = time.thread_time()
    yield expand
    assert time.thread_time() - began < SECONDS + GRACE
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_BYTES


HUGE = [
    "10**10**8",
    "10**10**10**10",
    "1 << 10**9",
    "(-2)**-(10**5000)",
    "9**9**3 * 9**9**4",
    "'a' * 10**9",
    "[0] * 10**9",
    "(0,) * 10**9",
    "[[0] * 1000] * 10**6",
    "[i for i in range(10**9)]",
    "[i for i in range(10**5) for j in range(10**5)]",
    "[str(range(10000)) for i in range(10000)]",
    "[['a' * 10**5 for i in range(10)] for j in range(10**5)]",
    "sum([[0] * 1000] * 1000, [])",
    "max([i * j for i in range(10000) for j in range(10000)])",
    "list(map(list, [range(1000)] * 10**5))",
    "math.factorial(10**6)",
    "math.comb(10**7, 5 * 10**6)",
    "math.perm(10**6)",
    "math.prod([10**3000] * 10**5)",
    "round(5, -10**9)",
    "int('9' * 10**5)",
    "int('f' * 10**5, 16)",
    "'%1000000000d' % 1",
    "'%.999999999f' % 1",
    "'%*d' % (10**9, 1)",
    "'a'.join(['b' * 1000] * 10**6)",
    "('a' * 1000).join(['b'] * 10**6)",
    "('a' * 10**5).replace('a', 'b' * 10**5)",
    "'(a)s' % 1 + '%(a)s' * 10**5",
    "python.list(python.zip(*[range(10000)] * 1000))",
    "python.set(range(10**8))",
    "sorted(range(10**5), key=python.sorted)",
    "-" * 9000 + "1",
    "(" * 3000 + "1" + ")" * 3000,
    "1" + " + 1" * 2000,
    "0" * 20000,
    "9" * 9000,
]


@pytest.mark.parametrize("expression", HUGE, ids=lambda text: text[:30])
def test_huge_values(expand: Expand, expression: str) -> None:
    with pytest.raises(ReadError) as caught:
        expand(f'<x y="${{{expression}}}"/>')
    assert caught.value.line == 2 and "\n" not in caught.value.message


REACHING = [
    "().__class__",
    "''.__class__.__mro__",
    "().__class__.__base__.__subclasses__()",
    "math.__loader__",
    "python.type(0).__subclasses__",
    "[].append.__self__",
    "'{0.__class__}'.format(0)",
    "'a'.format_map(python.dict())",
    "python.type('X', (), python.dict())",
    "python.vars(math)",
    "vars",
    "open('/etc/passwd')",
    "python.open('/etc/passwd')",
    "__import__('os')",
    "__builtins__",
    "eval('1')",
    "exec('1')",
    "getattr(1, 'real')",
    "lambda: 0",
    "(lambda f: f(f))(lambda f: f(f))",
    "f'{1}'",
    "(x := 1)",
    "(yield)",
    "python.hash(1)",
    "xacro.load_yaml('/dev/zero')",
    "xacro.load_yaml('/etc/hostname')",
    "xacro.load_yaml('../../../../etc/hostname')",
    "math",
    "xacro",
    "b'a'",
    "...",
    "max(*[1], **python.dict())",
    "1()",
    "'a'()",
    "math.sin.__name__",
]


@pytest.mark.parametrize("expression", REACHING)
def test_nothing_can_be_reached(expand: Expand, expression: str) -> None:
    with pytest.raises(ReadError) as caught:
        expand(f'<x y="${{{expression}}}"/>')
    assert caught.value.line == 2


DOUBLING = "".join(
    f"<xacro:macro name='m{i + 1}'><xacro:m{i}/><xacro:m{i}/></xacro:macro>" for i in range(40)
)
TEXTS = "".join(f"<xacro:property name='p{i + 1}' value='${{p{i}}}${{p{i}}}'/>" for i in range(60))
LISTS = "".join(f"<xacro:property name='p{i + 1}' value='${{[p{i}] * 100}}'/>" for i in range(20))
BLOCKS = "".join(
    f"<xacro:macro name='b{i + 1}' params='*x'><xacro:b{i}><a><xacro:insert_block name='x'/>"
    f"<xacro:insert_block name='x'/></a></xacro:b{i}></xacro:macro>"
    for i in range(30)
)
BOMBS = {
    "macros": f"<xacro:macro name='m0'><x/></xacro:macro>{DOUBLING}<xacro:m40/>",
    "texts": f"<xacro:property name='p0' value='ab'/>{TEXTS}<x y='${{p60}}'/>",
    "lists": f"<xacro:property name='p0' value='a'/>{LISTS}<x y='${{p20}}'/>",
    "blocks": "<xacro:macro name='b0' params='*x'><xacro:insert_block name='x'/></xacro:macro>"
    f"{BLOCKS}<xacro:b30><a/></xacro:b30>",
    "a macro in itself": "<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>",
    "a property in itself": "<xacro:property name='p' value='${p}'/><x y='${p}'/>",
    "properties in a row": "".join(
        f"<xacro:property name='p{i}' value='${{p{i + 1}}}'/>" for i in range(3000)
    )
    + "<x y='${p0}'/>",
    "a file in itself": "<xacro:include filename='robot.xacro'/>",
    "a long text": f"<x y='{'$a' * 4_000_000}'/>",
    "a text of many parts": f"<x y='{'${1}' * 249_999}{'${1}' * 10}'/>",
    "a large file": f"<x y='{'a' * 9_000_000}'/>",
    "deep elements": "<a>" * 100_000 + "</a>" * 100_000,
    "parameters that fork": f"<xacro:macro name='m' params=\"a:={'b' * 60}'\"/><xacro:m/>",
    "quotes that fork": f"<xacro:macro name='m' params=\"a:={chr(39) * 61}\"/><xacro:m/>",
    "a pattern": "<x y=\"${xacro.tokenize('a' * 50, ']|(a+)+$|[')}\"/><xacro:stop/>",
    "a long name": f"<xacro:property name='{'-' * 900_000}' value='1'/>",
    "many large values": "".join(
        f"<x y=\"${{len('a' * 900_000)}}\" z='{i}'/>" for i in range(3000)
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(expand: Expand, tmp_path: Path, name: str) -> None:
    (tmp_path / "robot.xacro").write_text(f"{HEAD}{BOMBS[name]}</robot>")
    with pytest.raises(ReadError) as caught:
        expand(BOMBS[name])
    assert "\n" not in caught.value.message and len(caught.value.message) < 600


YAMLS = {
    "aliases": "a: &a [x, x]\n"
    + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20)
    ),
    "itself": "&a [*a, *a]",
    "deep": "[" * 5000,
    "python": "!!python/object/apply:os.system ['false']",
    "large": "a: 1\n" * 200_000,
    "unit": "!degrees ().__class__",
    "binary": "!!binary AAAA",
    "not text": "\x00",
}


@pytest.mark.parametrize("name", YAMLS)
def test_hostile_yaml(expand: Expand, tmp_path: Path, name: str) -> None:
    (tmp_path / "robot.yaml").write_text(YAMLS[name])
    with pytest.raises(ReadError):
        expand("<x y=\"${xacro.load_yaml('robot.yaml') + 1}\"/>")


def test_entities_are_refused(expand: Expand, tmp_path: Path) -> None:
    (tmp_path / "part.xacro").write_text(
        "<!DOCTYPE robot [<!ENTITY a 'aaaa'>]>\n<robot><link name='&a;'/></robot>"
    )
    with pytest.raises(ReadError, match="document type"):
        expand("<xacro:include filename='part.xacro'/>")


def test_loops_by_macros_that_call_themselves_work(tmp_path: Path) -> None:
    """A known idiom, of which real descriptions need a few dozen turns; xacro allows some 240. It
    works, however long a busy computer takes for it."""
    source = str(tmp_path / "robot.xacro")
    macro = "<xacro:macro name='m' params='n'><xacro:if value='${n}'><link name='l${n}'/>"
    loop = f"{macro}<xacro:m n='${{n - 1}}'/></xacro:if></xacro:macro><xacro:m n='240'/>"
    resolver = PackageResolver(source, environment={})
    raw = f"{HEAD}{loop}\n</robot>".encode()
    text = expand_xacro(raw, source, resolver, (), Diagnostics(), Allowance(seconds=60.0))
    assert text.count(b"<link ") == 241


# Random input

OPERATORS = ("**", "*", "/", "+", "-", "%", "<<", "==", "<", ":=", "~", "not", "in", "is", "or")
BRACKETS = ("(", ")", "[", "]", ",", ".", ":", "'", '"', "\\", "{", "$", "#", "\n", "...")
VALUES = ("0", "1", "2.5", "10", "1e9", "'a'", "True", "None", "\u0660", "x", "p", "pi", "_")
CALLS = ("range", "list", "str", "len", "map", "math.", "python.", "xacro.", "load_yaml", "arg")
OTHERS = ("tokenize", "sorted", "__class__", "format", "join", "lambda", "if", "else", "for")
WORDS = st.sampled_from(OPERATORS + BRACKETS + VALUES + CALLS + OTHERS)
EXPRESSIONS = st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=30)
PIECES = st.one_of(
    EXPRESSIONS.map(lambda text: f"${{{text}}}"),
    EXPRESSIONS.map(lambda text: f"$({text})"),
    st.sampled_from(["$", "$$", "$${", "$(arg a)", "$(find a)", "$(eval 1 + 1)", "", "true", "a"]),
    st.text(max_size=10),
)
TEXT = st.lists(PIECES, max_size=4).map("".join)
MACROS = ("xacro:macro", "xacro:m", "xacro:p.m", "xacro:call", "xacro:insert_block", "link")
CONDITIONS = ("xacro:if", "xacro:unless", "xacro:property", "xacro:arg", "xacro:include")
TAGS = (*MACROS, *CONDITIONS, "xacro:element", "xacro:attribute")
NAMES = ("name", "value", "params", "default", "filename", "macro", "ns", "scope", "optional")
ATTRIBUTES = (*NAMES, "lazy_eval", "remove", "xacro:name", "x")


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@st.composite
def elements(draw: st.DrawFn, levels: int = 3) -> str:
    tag = draw(st.sampled_from(TAGS))
    chosen = draw(st.dictionaries(st.sampled_from(ATTRIBUTES), TEXT | st.just("m"), max_size=4))
    attributes = "".join(f' {name}="{escaped(value)}"' for name, value in chosen.items())
    inner = elements(levels - 1) if levels else st.just("")
    children = draw(st.lists(inner | TEXT.map(escaped), max_size=3))
    return f"<{tag}{attributes}>{''.join(children)}</{tag}>"


def check(raw: bytes, source: str) -> None:
    """A robot or a ReadError, in time."""
    for _ in within(SECONDS + GRACE):
        resolver = PackageResolver(source, environment={})
        try:
            text = expand_xacro(
                raw, source, resolver, (), Diagnostics(), Allowance(seconds=SECONDS)
            )
            read_robot_text(text, source, Diagnostics())
        except ReadError as error:
            assert "\n" not in error.message


@given(TEXT)
@example("${[].x}")
@example("${'a' % 1}")
@example("${{}}")
@example("${~ True}")
def test_random_texts(text: str) -> None:
    check(f'{HEAD}<x y="{escaped(text)}"/></robot>'.encode("utf-8", "replace"), "robot.xacro")


@given(st.lists(elements(), max_size=4))
def test_random_elements(inside: list[str]) -> None:
    check(f"{HEAD}{''.join(inside)}</robot>".encode("utf-8", "replace"), "robot.xacro")


REAL = [path for path in xacro_truth.descriptions() if path.stat().st_size < 20_000]
MARKS = (b"", b"<", b">", b'"', b"'", b"${", b"}", b"$(", b")", b"*", b"**9", b"${[0]*", b"&amp;")
OTHER_MARKS = (b"xacro:", b"</robot>", b"\0", b"params", b"0", b"\xff", b"$(find x)", b"^|", b":=")
TOKENS = st.sampled_from(MARKS + OTHER_MARKS)
CHANGES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), TOKENS), min_size=1, max_size=4)


@given(st.sampled_from(REAL), CHANGES)
def test_real_files_with_changes(path: Path, changes: list[tuple[float, int, bytes]]) -> None:
    data = path.read_bytes()
    for where, length, token in changes:
        start = int(where * len(data))
        data = data[:start] + token + data[start + length :]
    check(data, str(path))
