# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension zip with Blender's own tool. For those who have nothing but Blender:

    blender -b --factory-startup --python-exit-code 1 -P tools/build_extension.py [-- OUT.zip]

tools/build-extension runs it in a Python that has pip, and bpy beside it.

The manifest in the checkout names no wheels, so that it is valid before any are fetched. The zip is
made from a copy whose manifest names them. Beside the zip, NAME.cdx.json lists what is in it, by
which digest and under which licence (CycloneDX). Prints the path of the zip.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
WHEELS = ROOT / "wheels"
PINS = Path(__file__).with_name("wheels.txt")
SHIPPED = (
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "__init__.py",
    "blender_manifest.toml",
    "operators",
    "urdf_importer",
)
"""What of the checkout goes into the zip."""
PART = ROOT / "packages" / "morse" / "urdf_importer_morse"
RUNNING = (
    "blend_file", "builder.py", "call_stack.py", "compat.py", "game_engine", "locate.py",
    "patches.py", "robot.py", "stand_in",
)  # fmt: skip
"""What of the part for MORSE runs builder scripts, which the extension writes alone."""

_TOOL = "addons_core/bl_pkg/cli/blender_ext.py"
_LIBRARY = re.compile(r"^( *from )urdf_importer(?:\.(?!morse)([\w.]+)|(?= ))", re.MULTILINE)
_PIN = re.compile(r"(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})  # (\S+)")
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""When all files of the zip were changed; a zip knows no earlier time."""


class Pin(NamedTuple):
    """A library of the zip: which wheel, the SHA-256 of it, and its licence by SPDX."""

    name: str
    version: str
    digest: str
    licence: str


def main(arguments: Sequence[str]) -> int:
    """Builds the zip named, or dist/<id>-<version>.zip."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    name = f"{manifest['id']}-{manifest['version']}.zip"
    out = Path(arguments[0]) if arguments else ROOT / "dist" / name
    build_extension(out, fetch_wheels(), find_extension_tool())
    bill = json.dumps(list_materials(manifest, out), indent=2)
    out.with_suffix(".cdx.json").write_text(f"{bill}\n", encoding="utf-8")
    sys.stdout.write(f"{out}\n")
    return 0


def fetch_wheels() -> list[Path]:
    """The wheels that tools/wheels.txt pins, from wheels/ or else from the package index."""
    wheels = [_find_wheel(pin) for pin in read_pins()]
    if None in wheels:
        _download_wheels()
        wheels = [_find_wheel(pin) for pin in read_pins()]
    found = sorted(wheel for wheel in wheels if wheel is not None)
    if len(found) < len(wheels):
        raise SystemExit(f"{PINS} pins a library that has no wheel of pure Python")
    return found


def read_pins() -> list[Pin]:
    """What tools/wheels.txt says."""
    lines = PINS.read_text(encoding="utf-8").splitlines()
    pins = [_PIN.fullmatch(line) for line in lines if line and not line.startswith("#")]
    if None in pins:
        raise SystemExit(
            f"{PINS} has a line that is not NAME==VERSION --hash=sha256:HASH  # LICENCE"
        )
    return [Pin(*pin.groups()) for pin in pins if pin is not None]


def find_extension_tool() -> Path:
    """Blender's tool for extensions, of the program that runs this or of the module bpy of this
    Python, which is not imported."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        raise SystemExit(f"there is no bpy in {sys.executable}; use tools/build-extension")
    # Not where bpy says it is: that changes once it is imported.
    folder = Path(spec.origin).parent
    tools = [*folder.glob(f"*/scripts/{_TOOL}"), *folder.parents[1].glob(_TOOL)]
    if not tools:
        raise SystemExit(f"the Blender of {sys.executable} has no tool for extensions")
    return tools[0]


def find_tags(tool: Path) -> Path:
    """The tags that the platform knows, beside Blender's tool."""
    return tool.parents[3] / "modules" / "_bpy_internal" / "extensions" / "tags.py"


def build_extension(out: Path, wheels: Sequence[Path], tool: Path) -> None:
    """Writes the zip `out`, as a whole or not at all."""
    tags = find_tags(tool)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".build-", dir=out.parent) as place:
        source, built, packed = (Path(place, name) for name in ("source", "built.zip", "zip.zip"))
        stage_extension(source, wheels)
        _run(tool, "build", "--source-dir", source, "--output-filepath", built, tags=tags)
        _pack_reproducibly(built, packed)
        _run(tool, "validate", packed, tags=tags)
        os.replace(packed, out)


def list_materials(manifest: dict[str, Any], archive: Path) -> dict[str, Any]:
    """Lists the zip and the libraries in it as a bill of materials, CycloneDX 1.5. It says nothing
    of when and where, so the same zip has the same bill."""
    own = Pin(
        name=manifest["id"],
        version=manifest["version"],
        digest=hashlib.sha256(archive.read_bytes()).hexdigest(),
        licence=manifest["license"][0].removeprefix("SPDX:"),
    )
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": _describe_material(own, "application", "generic")},
        "components": [_describe_material(pin, "library", "pypi") for pin in read_pins()],
    }


def _describe_material(pin: Pin, kind: str, source: str) -> dict[str, Any]:
    place = f"pkg:{source}/{pin.name}@{pin.version}"
    return {
        "type": kind,
        "bom-ref": place,
        "name": pin.name,
        "version": pin.version,
        "purl": place,
        "licenses": [{"license": {"id": pin.licence}}],
        "hashes": [{"alg": "SHA-256", "content": pin.digest}],
    }


def stage_extension(folder: Path, wheels: Sequence[Path]) -> None:
    """Copies what the zip shall hold, and names the wheels in its manifest."""
    folder.mkdir()
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
            )
        else:
            shutil.copyfile(ROOT / name, folder / name)
    stage_part(folder / "urdf_importer" / "formats" / "morse")
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copyfile(wheel, folder / "wheels" / wheel.name)
    _name_wheels(folder / "blender_manifest.toml", wheels)


def stage_part(folder: Path) -> None:
    """Copies the part for MORSE as a format of the extension's library, whose name is Blender's to
    give: there the part imports the library relative to itself."""
    shutil.copytree(
        PART, folder, ignore=shutil.ignore_patterns("__pycache__", "py.typed", *RUNNING)
    )
    for path in folder.rglob("*.py"):
        dots = "." * (len(path.relative_to(folder).parts) + 2)
        path.write_text(_LIBRARY.sub(rf"\1{dots}\2", path.read_text("utf-8")), "utf-8")


def _name_wheels(manifest: Path, wheels: Sequence[Path]) -> None:
    """Adds the wheels before the first table: behind it they would belong to that."""
    text = manifest.read_text(encoding="utf-8")
    lines = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    head, table, rest = text.partition("\n[")
    text = f"{head}\nwheels = [\n{lines}]\n{table}{rest}"
    assert len(tomllib.loads(text)["wheels"]) == len(wheels)
    manifest.write_text(text, encoding="utf-8")


def _pack_reproducibly(built: Path, out: Path) -> None:
    """Blender's tool packs files as the folder lists them, with their times and permissions."""
    with zipfile.ZipFile(built) as source, zipfile.ZipFile(out, "w") as target:
        for name in sorted(source.namelist()):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            target.writestr(entry, source.read(name), zipfile.ZIP_DEFLATED, compresslevel=9)


def _find_wheel(pin: Pin) -> Path | None:
    """None too where the file is not the one that was pinned."""
    wheel = WHEELS / f"{re.sub('[-_.]+', '_', pin.name)}-{pin.version}-py3-none-any.whl"
    if not wheel.is_file() or hashlib.sha256(wheel.read_bytes()).hexdigest() != pin.digest:
        return None
    return wheel


def _download_wheels() -> None:
    """Into wheels/, each as a whole; pip checks the hashes."""
    WHEELS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".download-", dir=WHEELS) as place:
        command = [sys.executable, *find_pip(), "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--require-hashes", "--requirement", str(PINS)]
        command += ["--only-binary=:all:", "--platform", "any", "--abi", "none"]
        command += ["--implementation", "py", "--dest", place]
        if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode:
            raise SystemExit(f"pip could not fetch the libraries of {PINS}")
        for wheel in Path(place).glob("*.whl"):
            os.replace(wheel, WHEELS / wheel.name)


def find_pip() -> list[str]:
    """The arguments with which this Python runs pip. Blender's brings one that waits to be
    installed; it runs where it lies."""
    if importlib.util.find_spec("pip") is not None:
        return ["-m", "pip"]
    spec = importlib.util.find_spec("ensurepip")
    bundled = Path(spec.origin).parent / "_bundled" if spec and spec.origin else WHEELS
    for wheel in sorted(bundled.glob("pip-*.whl")):
        return [str(wheel / "pip")]
    raise SystemExit(
        f"there is no pip in {sys.executable}; with another Python's, fetch the libraries by "
        f"`python3 -m pip download --no-deps --require-hashes -r {PINS} -d {WHEELS}`"
    )


def _run(tool: Path, *arguments: str | Path, tags: Path) -> None:
    """Runs Blender's tool, which says on standard output what is wrong."""
    command = [sys.executable, str(tool), *map(str, arguments), "--valid-tags", str(tags)]
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode:
        raise SystemExit(f"Blender's tool refuses the extension:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    # Blender keeps its own arguments before the two dashes, and always has some.
    in_blender = "bpy" in sys.modules
    own = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
    status = main(own if in_blender else sys.argv[1:])
    if not in_blender:
        sys.exit(status)
