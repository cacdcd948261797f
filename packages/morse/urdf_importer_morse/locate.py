# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's builder, imported from wherever it is, without the import's side effects on the process.

MORSE 1.4 expects to run inside a Blender program called "blender": outside of it, its mathutils are
stand-ins that do nothing. It also sets a hook that ends the process at the first exception, and
puts a folder on Python's path. Blender's Python of today has a name of its own, so it goes by the
name that MORSE expects while these two modules are imported, and everything else is restored.
"""

import importlib
import importlib.util
import io
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from os import PathLike
from pathlib import Path
from types import ModuleType

from urdf_importer.core.diagnostics import BuildError, quote

VARIABLE = "MORSE_ROOT"
"""Where MORSE itself looks for its data: the folder that holds lib/ and share/."""

BUILDER = "morse.builder"
_LIBRARIES = ("lib/python3*/dist-packages", "lib/python3*/site-packages", "lib64/python3*/*")
_DATA = "share/morse/data"
_ASK_FOR_BLENDER = ("morse.core.mathutils", "morse.core.blenderapi")
_NAME_MORSE_WANTS = "blender"
_VECTOR_CLASSES = ("Matrix", "Vector", "Euler", "Quaternion")


def find_morse(root: str | PathLike[str] | None = None) -> ModuleType:
    """Imports MORSE's package morse.builder and returns it.

    `root` is the folder that holds MORSE's lib/ and share/, such as "/usr". Without it, uses MORSE
    if it is loaded already, then the one in the variable MORSE_ROOT, then the one that Python
    finds. Sets MORSE_ROOT: MORSE looks for its data there. Raises BuildError if there is no MORSE,
    or if a MORSE other than the one in `root` is loaded.
    """
    loaded = sys.modules.get(BUILDER)
    package = _find_loaded(root) if loaded is not None else _find_package(root)
    _name_root(package, root)
    if loaded is None:
        _import_quietly(package)
    _repair_mathutils()
    _repair_data()
    _drop_exit_hook()
    return sys.modules[BUILDER]


def _find_loaded(root: str | PathLike[str] | None) -> Path:
    package = Path(next(iter(sys.modules["morse"].__path__)))
    if root is not None and package.resolve() not in _packages_below(Path(root)):
        raise BuildError(f"MORSE is loaded already, from {quote(str(package.parent))}")
    return package


def _find_package(root: str | PathLike[str] | None) -> Path:
    """Returns the folder of the package morse."""
    named = root if root is not None else os.environ.get(VARIABLE)
    if named:
        for package in _packages_below(Path(named)):
            return package
        raise BuildError(
            f"MORSE is not in {quote(str(named))}: no morse/builder in its lib folders"
        )
    spec = importlib.util.find_spec("morse")
    for place in (spec and spec.submodule_search_locations) or ():
        if _is_morse(Path(place)):
            return Path(place)
    raise BuildError(
        "Python finds no MORSE here: name the folder that holds its lib and share, or set "
        f"{VARIABLE} to it"
    )


def _packages_below(root: Path) -> list[Path]:
    """Returns MORSE's packages below a folder, newest Python first; 3.10 is newer than 3.9."""
    found = [
        folder / "morse"
        for pattern in _LIBRARIES
        for folder in (*root.glob(pattern), *root.glob(f"local/{pattern}"))
    ]
    there = [package.resolve() for package in (*found, root / "morse") if _is_morse(package)]
    return sorted(there, key=_version, reverse=True)


def _version(package: Path) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", package.parent.parent.name)))


def _is_morse(package: Path) -> bool:
    """Tells MORSE's package from others called morse."""
    return (package / "builder" / "bpymorse.py").is_file()


def _name_root(package: Path, root: str | PathLike[str] | None) -> None:
    if root is not None:
        os.environ[VARIABLE] = str(root)
    elif not os.environ.get(VARIABLE):
        for folder in package.parents:
            if (folder / _DATA).is_dir():
                os.environ[VARIABLE] = str(folder)
                return


def _import_quietly(package: Path) -> None:
    """Imports MORSE without putting its folder on Python's path: its neighbours are not needed and
    are made for another Python."""
    path, hook = list(sys.path), sys.excepthook
    try:
        with quiet_import():
            _import_package(package)
            with _running_in_blender():
                for name in _ASK_FOR_BLENDER:
                    importlib.import_module(name)
            importlib.import_module(BUILDER)
    except BaseException:
        for name in [name for name in sys.modules if name.partition(".")[0] == "morse"]:
            del sys.modules[name]
        raise
    finally:
        sys.path[:], sys.excepthook = path, hook


@contextmanager
def quiet_import() -> Iterator[None]:
    """Silences the import of MORSE, which is from 2016: Python warns about its spelling, and it
    prints where it is not."""
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def _import_package(package: Path) -> None:
    spec = importlib.util.spec_from_file_location(
        "morse", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["morse"] = module
    spec.loader.exec_module(module)


@contextmanager
def _running_in_blender() -> Iterator[None]:
    executable = sys.executable
    sys.executable = _NAME_MORSE_WANTS
    try:
        yield
    finally:
        sys.executable = executable


def _repair_mathutils() -> None:
    """Replaces MORSE's stand-ins of Blender's classes wherever they went, in case a script imported
    MORSE first."""
    # mathutils can be imported only after bpy.
    import bpy  # noqa: F401
    import mathutils

    stand_ins = sys.modules["morse.core.mathutils"]
    for name in _VECTOR_CLASSES:
        real, former = getattr(mathutils, name), getattr(stand_ins, name)
        if former is not real:
            for module in _morse_modules():
                if vars(module).get(name) is former:
                    setattr(module, name, real)


def _repair_data() -> None:
    """Corrects where MORSE looks for data, in case a script imported it before MORSE_ROOT was
    set."""
    data = sys.modules["morse.builder.data"]
    wrong = data.MORSE_COMPONENTS
    right = os.path.join(os.environ.get(VARIABLE, ""), _DATA)
    if wrong == right or not os.path.isdir(right):
        return
    for names in map(vars, _morse_modules()):
        if names.get("MORSE_COMPONENTS") == wrong:
            searched = names["MORSE_RESOURCE_PATH"].split(":")
            names["MORSE_RESOURCE_PATH"] = ":".join(right if x == wrong else x for x in searched)
            names["MORSE_COMPONENTS"] = right


def _drop_exit_hook() -> None:
    """Drops MORSE's hook, with which one mistake in a script ends Blender and loses unsaved
    work."""
    if sys.excepthook is sys.modules["morse.builder.morsebuilder"].morse_excepthook:
        sys.excepthook = sys.__excepthook__


def _morse_modules() -> Iterable[ModuleType]:
    return [module for name, module in sys.modules.items() if name.startswith("morse.")]
