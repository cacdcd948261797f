# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs builder scripts as users do, each in a process of its own, and gives back what stands in
Blender then, as plain data.

This file is also the program of that process: builder_runs.py SCRIPT RESULT.
"""

import ast
import gc
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.paths import MORSE, ROOT, TESTS

SECONDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltObject:
    """`matrix_world` is (4, 4), in rows; `game` is what records.read_game gives."""

    name: str
    type: str
    parent: str
    parent_bone: str
    matrix_world: tuple[tuple[float, ...], ...]
    scenes: tuple[str, ...]
    game: dict[str, Any]

    @property
    def properties(self) -> dict[str, Any]:
        """Name -> value of the game properties."""
        return {record["name"]: record["value"] for record in self.game["properties"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a script left.

    `configs` are those texts that assign plain values only, name -> variable -> value. `report` is
    the dictionary that the script kept under this name, if it did.
    """

    texts: dict[str, str]
    configs: dict[str, dict[str, Any]]
    objects: dict[str, BuiltObject]
    active_scene: str
    report: dict[str, Any]
    stdout: str
    stderr: str

    @property
    def config(self) -> dict[str, Any]:
        """The variables of component_config.py."""
        return self.configs["component_config.py"]


def run_script(
    folder: Path,
    text: str,
    *,
    morse_root: Path | None,
    environment: Mapping[str, str] | None = None,
) -> Scene:
    """Runs `text` in an empty scene of a new process, with Blender's factory settings.

    An Environment that the script does not create itself is created when the script's variables
    go, as in Blender. Raises AssertionError with what the process said where the script failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    script, result = folder / "script.py", folder / "result.json"
    script.write_text(text, encoding="utf-8")
    result.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "default", __file__, str(script), str(result)],
        cwd=folder,
        env=_environment(folder, morse_root) | dict(environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.returncode == 0 and result.is_file(), said
    return _read_scene(json.loads(result.read_text(encoding="utf-8")), done)


def _environment(folder: Path, morse_root: Path | None) -> dict[str, str]:
    left = {name: value for name, value in os.environ.items() if not name.startswith("MORSE_")}
    profile = folder / "profile"
    profile.mkdir(exist_ok=True)
    # Blender takes the working folder from PWD.
    paths = os.pathsep.join(map(str, (ROOT, TESTS, MORSE, MORSE / "tests")))
    here = {"PYTHONPATH": paths, "BLENDER_USER_RESOURCES": str(profile), "PWD": str(folder)}
    return left | here | ({"MORSE_ROOT": str(morse_root)} if morse_root else {})


def _read_scene(found: dict[str, Any], done: subprocess.CompletedProcess[str]) -> Scene:
    return Scene(
        texts=found["texts"],
        configs={
            name: values
            for name, text in found["texts"].items()
            if (values := _read_assignments(text)) is not None
        },
        objects={
            given["name"]: BuiltObject(
                **{
                    **given,
                    "matrix_world": tuple(map(tuple, given["matrix_world"])),
                    "scenes": tuple(given["scenes"]),
                }
            )
            for given in found["objects"]
        },
        active_scene=found["active_scene"],
        report=found["report"],
        stdout=done.stdout,
        stderr=done.stderr,
    )


def _read_assignments(text: str) -> dict[str, Any] | None:
    """None where the text does anything else."""
    values = {}
    try:
        for node in ast.parse(text).body:
            if not isinstance(node, ast.Assign):
                return None
            values[ast.unparse(node.targets[0])] = ast.literal_eval(node.value)
    except (SyntaxError, ValueError):
        return None
    return values


def _run(script: str, result: str) -> None:
    """The process: the script in an empty scene, then what it left, as JSON."""
    import bpy

    ignored: list[Any] = []
    shown = sys.unraisablehook

    def note(unraisable: Any) -> None:
        ignored.append(unraisable)
        shown(unraisable)

    sys.unraisablehook = note
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    variables = runpy.run_path(script, run_name="__main__")
    report = variables.get("report", {})
    # Now goes an Environment that was not created yet, as when Blender has run a script.
    del variables
    gc.collect()
    assert not ignored, "an exception was ignored"
    Path(result).write_text(json.dumps(_describe_scene(report)), encoding="utf-8")


def _describe_scene(report: dict[str, Any]) -> dict[str, Any]:
    import bpy

    for scene in bpy.data.scenes:
        for view_layer in scene.view_layers:
            view_layer.update()
    return {
        "texts": {text.name: text.as_string() for text in bpy.data.texts},
        "objects": [_describe_object(item) for item in bpy.data.objects],
        "active_scene": bpy.context.scene.name,
        "report": report,
    }


def _describe_object(item: Any) -> dict[str, Any]:
    from urdf_importer_morse.game_engine.storage import read_game

    return {
        "name": item.name,
        "type": item.type,
        "parent": item.parent.name if item.parent else "",
        "parent_bone": item.parent_bone,
        "matrix_world": [list(row) for row in item.matrix_world],
        "scenes": [scene.name for scene in item.users_scene],
        "game": read_game(item),
    }


if __name__ == "__main__":
    _run(*sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # bpy may crash while Python shuts down, which is none of the script's doing.
    os._exit(0)
