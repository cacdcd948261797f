# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's English: docstrings begin with a verb, sentences name their subject, and phrases
that read translated are not written.
"""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.paths import MORSE, ROOT

# First words of questions that a function answers, and of generators' and decorators' docstrings.
ALLOWED = {"whether", "is", "has", "does"}
NOT_VERBS = {
    *("this", "its", "as", "always", "plus", "minus", "less", "unless", "thus", "perhaps", "axis"),
    *("bounds", "bones", "joints", "links", "names", "lines", "faces", "places", "things", "files"),
}
# Pronouns in the place of nouns: "what a file says", "the name is that of the joint", "one of which
# is told". Plain English names the thing. "Stands on the ground" is meant as it reads.
PRONOUNS = (
    r"what (?!if\b)`?[a-z]\w*",
    r"of (?:which|whom)",
    r"(?:that|those) of",
    r"those (?:that|which|who|whose|for|with|without|in|on|from)",
    r"(?:is|are|was|were) of(?! (?:no )?use\b)",
    r"(?:un)?said|told|says? so",
    r"(?:stands|stood)(?! on (?:the|a) (?:ground|plane))",
    r"the ones (?:of|that|in|with|on|for|by)",
    r"(?:of|for|in|on|at|to|with|from|by) each(?=[.,;:)]|$)",
)
# Turns of phrase that read translated; each with what to write instead.
TRANSLATED = (
    # must, or a plain present tense. "It has to do with", "it is to the left" are plain English.
    r"(?:has|have|having) to(?! (?:do|say)\b)",
    r"(?:is|are|was|were) (?:not )?to(?= [a-z])(?! (?:the|its|a|an|one|each|both|their)\b)",
    # is not a, does not count, is an empty range; "where there are none" is plain English.
    r"(?<!there )(?:is|are|was|were) (?-i:none)",
    r"(?-i:none) (?:that|which)",
    r"(?<!there )(?:are|were) no(?! longer| more| less)",
    # may be absent, can skip, is out of reach
    r"needs? not",
    r"(?:has|have|is|with) no way",
    # is attached, is the child of, is connected; of programs: freezes
    r"hangs?|hanging|hung",
    # remove, is lost
    r"(?:takes?|taken|taking|took)\b[^.;:]{0,30}? away",
    r"(?:goes?|gone|went) away",
    # continues, still does
    r"(?:goes|went) on",
    # choose one of, name
    r"(?<=[,;:] )say (?:which|some)",
    # reverse, swap
    r"turn(?:s|ed|ing)? round",
    # name the caller, the reader, the worker
    r"whoever",
    # something other than, does not exist, an unknown kind, through, earlier files
    r"else than",
    r"that there (?:is|are) not",
    r"by way of",
    r"(?:files|names|ones?) of before",
    # is nested too deeply; has no permission; fewer than three corners
    r"nests? too deep",
    r"no right to",
    r"less than (?:two|three|four|five) \w+s",
    # exact
    r"the very (?!first|last|same|end|top)",
)
# "There is no such file" and "is no longer" are plain English.
BANNED = re.compile(
    r"\b(?:(?<!there )is no(?! longer| more| less)|shall|can not|nobody|somebody|"
    + "|".join((*PRONOUNS, *TRANSLATED))
    + r")\b",
    re.IGNORECASE,
)


# Headings of pages may ask what a thing is, and texts what to do; sentences begin with a noun.
CODE = re.compile(r"```.*?```|`[^`\n]*`|^#.*?$|^ {4}.*?$", re.DOTALL | re.MULTILINE)
BANNED_IN_PAGES = re.compile(
    r"\b(?:(?<!there )is no(?! longer| more| less)|shall|can not|nobody|somebody|"
    r"(?<=[.:;*] )(?-i:What)|what (?:was (?:found|done)|it is)|"
    + "|".join(each for each in PRONOUNS if not each.startswith(("what", "(?:un)", "(?:stands")))
    + "|"
    + "|".join(TRANSLATED)
    + r"|(?:un)?said|told|says? so|(?:stands|stood)(?! for\b| on (?:the|a) (?:ground|plane)))\b",
    re.IGNORECASE,
)


FILES = [
    path
    for room in ("urdf_importer", "operators", "packages/morse/urdf_importer_morse")
    for path in sorted((ROOT / room).rglob("*.py"))
]


def public_functions(
    tree: ast.Module | ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any("property" in ast.unparse(each) for each in node.decorator_list)
            if not node.name.startswith("_") and not is_property:
                yield node


def begins_with_a_verb(docstring: str) -> bool:
    """Whether the first word looks like a verb in the third person. Words such as "bounds" may be
    nouns or verbs: words that were nouns more often than not are refused by name."""
    word = docstring.split(maxsplit=1)[0].strip(".,:;").lower()
    if word in ALLOWED:
        return True
    return word.isalpha() and word.endswith("s") and word not in NOT_VERBS


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {docstring.splitlines()[0]}"
        for path in FILES
        for node in public_functions(ast.parse(path.read_text("utf-8")))
        if (docstring := ast.get_docstring(node)) and not begins_with_a_verb(docstring)
    ]
    assert not wrong, "\n".join(wrong)


_INDENT = re.compile(r"[ \t]*\n[ \t]*")


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every comment and every text of a file without the indents of its lines, with its line; the
    pieces of a text that stand side by side as one."""
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, _INDENT.sub("\n", node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = [each.value if isinstance(each, ast.Constant) else "x" for each in node.values]
            yield node.lineno, _INDENT.sub("\n", "".join(map(str, parts)))


def test_no_banned_phrases() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line + text[: found.start()].count(chr(10))} {found[0]!r}: "
        + " ".join(text[max(found.start() - 30, 0) : found.end() + 30].split())
        for path in FILES
        for line, text in texts_of(path)
        for found in BANNED.finditer(text.replace("\n", " "))
    ]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_no_banned_phrases_in_pages() -> None:
    wrong = []
    for page in (ROOT / "README.md", MORSE / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = CODE.sub("", page.read_text("utf-8"))
        name = page.relative_to(ROOT)
        wrong += [
            f"{name}: {found[0]!r}" for found in BANNED_IN_PAGES.finditer(_INDENT.sub(" ", text))
        ]
    assert not wrong, "\n".join(wrong)


def test_comments_that_go_on_over_lines_are_searched_as_well(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text('# It can not be.\nX = f"there is no {1} and there shall be"\n"""Is\nno."""\n')
    found = [text for _, text in texts_of(path)]
    assert found[0] == "# It can not be." and "there is no x and there shall be" in found


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("Returns the content of a file.", True),
        ("The robot stands on the ground.", True),
        ("It is no longer there, and there is no other.", True),
        ("Returns what a file holds.", False),
        ("What `read` makes of it.", False),
        ("Names, some of which are new.", False),
        ("The name is that of the joint.", False),
        ("Of several, those that are near count.", False),
        ("A file is of another format.", False),
        ("The caller is told.", False),
        ("Limits, without the ones that are open.", False),
        ("It writes a line for each joint.", True),
        ("Files, with a line for each.", False),
        ("It stands in the file.", False),
        ("The way is to the left, and has to do with it; there are none.", True),
        ("A suffix must end the name.", True),
        ("A name has to end in .urdf.", False),
        ("The link is to be moved.", False),
        ("Negative bounds are none.", False),
        ("There are none that fit.", False),
        ("A file need not exist.", False),
        ("A link hangs on a joint.", False),
        ("Takes the keyframes of a joint away.", False),
        ("The joint is turned round.", False),
        ("Tags that are no elements.", False),
        ("The work goes on.", False),
        ("There are several: say which.", False),
        ("Whoever reads it.", False),
    ],
)
def test_the_rule_tells_nouns_from_pronouns(text: str, is_plain: bool) -> None:
    assert (BANNED.search(text) is None) == is_plain


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ("Look what comes, and see what to do.", True),
        ("A prefix stands for names.", True),
        ("It is done. What is left over is reported.", False),
        ("* What the rig has goes on.", False),
        ("The frames are those of the scene.", False),
        ("A warning says so.", False),
        ("| code | what was found |", False),
    ],
)
def test_pages_may_ask_and_not_begin_with_a_pronoun(text: str, is_plain: bool) -> None:
    assert (BANNED_IN_PAGES.search(text) is None) == is_plain


@pytest.mark.parametrize(
    ("docstring", "is_right"),
    [
        ("Returns the pose.", True),
        ("Reads, and raises.", True),
        ("Whether it moves.", True),
        ("The pose of a link.", False),
        ("All joints.", False),
        ("Bones of a rig.", False),
        ("(4, 4) the frame.", False),
    ],
)
def test_the_rule_tells_verbs_from_nouns(docstring: str, is_right: bool) -> None:
    assert begins_with_a_verb(docstring) == is_right
