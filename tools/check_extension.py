# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that a built extension keeps the rules of the platform for extensions:

    python tools/check_extension.py [--release] [ZIP]

Prints a line for each fault, and ends with status 1 where there is any. The rules: what the zip
holds and weighs, its manifest, wheels that are pure and bring what they require, and code that
starts no threads, unpickles nothing, evaluates no texts, changes neither Python's path, modules
nor environment, and opens connections and starts processes in one place each. Blender's own check
runs too where this Python has bpy. With `--release`, addresses that are still to be filled in are
faults.
"""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 2_450_000
SUFFIXES = {".md", ".py", ".toml", ".txt", ".whl"}
ABOVE = {"CHANGELOG.md", "LICENSE", "README.md", "__init__.py", "blender_manifest.toml"}
"""What lies beside the folders `operators`, `urdf_importer` and `wheels`."""
STAND_INS = {"pyyaml": "ruamel.yaml reads YAML for xacro"}
"""Requirements of wheels that are not in the zip, and why nothing misses them."""
REFUSED = {
    "threading", "_thread", "multiprocessing", "concurrent", "pickle", "_pickle",
    "marshal", "shelve", "runpy", "code", "site", "pip", "ensurepip",
}  # fmt: skip
"""Modules of Python that no file of the zip imports."""
NETWORK = {"socket", "ssl", "selectors", "http", "ftplib", "smtplib", "asyncio", "requests"}
NETWORK_FOLDER = "urdf_importer/features/live/"
PROCESS_FILES = (
    "urdf_importer/features/proof/child.py",
    "urdf_importer/formats/usd/stages/process.py",
)
"""The files that start a process, of Blender's own Python: its library pxr and the readers of a
proof crash and hang on spoilt files, and would take the user's session with them."""
EVALUATING = {"eval", "exec", "compile", "__import__"}
STATE = {"sys.path", "sys.modules", "sys.meta_path", "sys.path_hooks", "os.environ"}
"""What of the process is read and never changed."""
READING = {"get", "keys", "values", "items", "copy"}
PLACEHOLDER = re.compile(r"[\w.@/:-]+\.invalid\b")
PAGES = (
    "pyproject.toml", "blender_manifest.toml", "README.md", "CITATION.cff", "SECURITY.md",
    "listing/description.md",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Checks the zip named, or that of dist/."""
    words = [each for each in arguments if each != "--release"]
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    default = ROOT / "dist" / f"{manifest['id']}-{manifest['version']}.zip"
    archive = Path(words[0]) if words else default
    faults = [*find_faults(archive), *validate(archive)]
    if "--release" in arguments:
        faults += find_placeholders()
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return 1 if faults else 0


def find_faults(archive: Path) -> Iterator[str]:
    """Finds what the zip has that the platform refuses, one sentence each."""
    size = archive.stat().st_size
    if size > MOST_BYTES:
        yield f"the zip has {size} bytes, more than {MOST_BYTES}"
    with zipfile.ZipFile(archive) as opened:
        contents = {name: opened.read(name) for name in opened.namelist()}
    yield from check_names(contents)
    yield from check_manifest(tomllib.loads(contents["blender_manifest.toml"].decode()), contents)
    yield from check_wheels(archive)
    for name, data in contents.items():
        if name.endswith(".py"):
            yield from check_code(name, data)


def check_names(names: Sequence[str] | dict[str, bytes]) -> Iterator[str]:
    """Only code, texts and wheels, in their folders."""
    for name in names:
        path = PurePosixPath(name)
        if path.parts[0] not in ("operators", "urdf_importer", "wheels") and name not in ABOVE:
            yield f"{name} does not belong into the zip"
        elif name != "LICENSE" and path.suffix not in SUFFIXES:
            yield f"{name} is neither code nor text nor a wheel"
        if any(part.startswith(".") or part == "__pycache__" for part in path.parts):
            yield f"{name} is hidden or a cache"


def check_manifest(manifest: dict[str, object], names: dict[str, bytes]) -> Iterator[str]:
    """What Blender's own check does not ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if manifest.get("website") != project["urls"]["Documentation"]:
        yield "the manifest's website is not the documentation's address in pyproject.toml"
    author = project["authors"][0]
    if manifest.get("maintainer") != f"{author['name']} <{author['email']}>":
        yield "the manifest's maintainer is not the first author in pyproject.toml, with address"
    named = manifest.get("wheels")
    listed = {str(each).removeprefix("./") for each in named} if isinstance(named, list) else set()
    if listed != {name for name in names if name.endswith(".whl")}:
        yield "the manifest names other wheels than those that are there"


def check_wheels(archive: Path) -> Iterator[str]:
    """Wheels are pure, bring their licence, and all that they require is there."""
    required: dict[str, str] = {}
    there: set[str] = set()
    for name, wheel in open_wheels(archive):
        there.add(name)
        files = wheel.namelist()
        metadata = HeaderParser().parsestr(read_metadata(wheel))
        pure = next(each for each in files if each.endswith(".dist-info/WHEEL"))
        if b"Root-Is-Purelib: true" not in wheel.read(pure):
            yield f"the wheel of {name} is not pure Python"
        if not any(re.search(r"\.dist-info/.*licen[cs]e", each, re.IGNORECASE) for each in files):
            yield f"the wheel of {name} has no licence in it"
        for line in metadata.get_all("Requires-Dist", []):
            if "extra ==" not in line:
                required[normalize(re.split(r"[\s;<>=!~\[(]", line, maxsplit=1)[0])] = name
    for each, name in required.items():
        if each not in there | set(STAND_INS):
            yield f"{name} requires {each}, which is not in the zip"


def open_wheels(archive: Path) -> Iterator[tuple[str, zipfile.ZipFile]]:
    """Opens each wheel of a zip, with the name of its library."""
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            if name.endswith(".whl"):
                with opened.open(name) as file, zipfile.ZipFile(file) as wheel:
                    yield normalize(PurePosixPath(name).name.partition("-")[0]), wheel


def read_metadata(wheel: zipfile.ZipFile) -> str:
    """Reads what a wheel says of itself."""
    (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
    return wheel.read(name).decode()


def normalize(name: str) -> str:
    """Returns the name of a library as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def check_code(name: str, data: bytes) -> Iterator[str]:
    """What a file of ours does that extensions may not do."""
    tree = ast.parse(data, name)
    for node in ast.walk(tree):
        for fault in (*_name_imports(name, node), *_name_calls(node), *_name_changes(node)):
            yield f"{name}:{getattr(node, 'lineno', 0)}: {fault}"


def _name_imports(name: str, node: ast.AST) -> Iterator[str]:
    modules: list[str] = []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        modules = [f"{node.module}.{alias.name}" for alias in node.names]
    for module in modules:
        top, _, below = module.partition(".")
        if top == "subprocess" and name not in PROCESS_FILES:
            yield "imports subprocess, outside of " + " and ".join(PROCESS_FILES)
        if top in REFUSED:
            yield f"imports {top}"
        online = top in NETWORK or (top == "urllib" and below.startswith("request"))
        if online and not name.startswith(NETWORK_FOLDER):
            yield f"imports {module}, outside of {NETWORK_FOLDER}"


def _name_calls(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in EVALUATING:
            yield f"calls {node.func.id}()"
    elif isinstance(node, ast.Attribute) and ast.unparse(node) in ("os.putenv", "os.unsetenv"):
        yield "changes the environment"


def _name_changes(node: ast.AST) -> Iterator[str]:
    """Names what of the process a node changes: by a method, by an item, or as a whole."""
    changed: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in READING:
            changed = [node.func.value]
    elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        changed = [node.value, node]
    for each in changed:
        if ast.unparse(each) in STATE:
            yield f"changes {ast.unparse(each)}"


def validate(archive: Path) -> Iterator[str]:
    """What Blender's own tool for extensions says, where this Python has it."""
    if importlib.util.find_spec("bpy") is None:
        return
    sys.path.insert(0, str(Path(__file__).parent))
    from build_extension import find_extension_tool, find_tags

    tool = find_extension_tool()
    words = [sys.executable, str(tool), "validate", str(archive), "--valid-tags"]
    done = subprocess.run(
        [*words, str(find_tags(tool))], capture_output=True, text=True, check=False
    )
    if done.returncode or "warning" in done.stdout.lower():
        yield f"Blender's tool: {(done.stdout + done.stderr).strip()}"


def find_placeholders() -> Iterator[str]:
    """Finds addresses that are still to be filled in, which no release may have."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            for found in PLACEHOLDER.findall(line):
                yield f"{page}:{number}: {found} is to be filled in before a release"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
