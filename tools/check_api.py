# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what the library offers with what is recorded of it:

    python tools/check_api.py [--record]

The record, tests/data/public_api.json, holds every public name with the parameters of its
functions and methods, and the fields of its classes. A name, parameter or field that is gone, was
renamed or became required breaks code of users: each is printed, and the exit status is 1. New
names and new optional parameters break nothing. `--record` writes the record anew, and
urdf_importer/__init__.pyi, which shows the names to type checkers. Needs bpy.
"""

import inspect
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "data" / "public_api.json"
STUB = ROOT / "urdf_importer" / "__init__.pyi"
Parameters = dict[str, str]
"""Parameter -> its kind as inspect calls it, with a "?" behind where it may be left out."""
_NEW = "?"


def main(arguments: Sequence[str]) -> int:
    """Compares, or records."""
    sys.path.insert(0, str(ROOT))
    import urdf_importer

    offered = describe_module(urdf_importer)
    if "--record" in arguments:
        lines = [f"{json.dumps(name)}: {json.dumps(offered[name])}" for name in sorted(offered)]
        RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        STUB.write_text(describe_stub(), encoding="utf-8")
        return 0
    broken = list(find_breaks(json.loads(RECORD.read_text(encoding="utf-8")), offered))
    sys.stdout.writelines(f"{each}\n" for each in broken)
    return 1 if broken else 0


def describe_stub() -> str:
    """Writes the public names as imports from the modules that hold them."""
    from urdf_importer.core.public_names import OFFERED
    from urdf_importer.core.shelves import list_names

    modules: dict[str, list[str]] = {}
    for name, (package, place) in list_names().items():
        if name in OFFERED:
            continue
        module = f"{package}.{place}".rpartition(":" if ":" in place else ".")[0]
        modules.setdefault(module.removeprefix("urdf_importer"), []).append(name)
    lines = [
        "# SPDX-License-Identifier: GPL-3.0-or-later",
        "# Written by tools/check_api.py --record",
        "from typing import Any",
        "",
    ]
    for module, names in sorted(modules.items()):
        listed = "".join(f"    {name} as {name},\n" for name in sorted(names))
        lines.append(f"from {module} import (\n{listed})")
    lines += ["", "__all__: list[str]", "__version__: str", *(f"{each}: Any" for each in OFFERED)]
    return "\n".join(lines) + "\n"


def describe_module(module: ModuleType) -> dict[str, Parameters]:
    """Describes all public names: those of classes with a dot, those that are called by their
    parameters, all others by nothing."""
    found: dict[str, Parameters] = {}
    for name in module.__all__:
        item = getattr(module, name)
        found[name] = _describe(item)
        if inspect.isclass(item):
            for member in dir(item):
                if not member.startswith("_") and not hasattr(Exception, member):
                    found[f"{name}.{member}"] = _describe(inspect.getattr_static(item, member))
    return found


def _describe(item: Any) -> Parameters:
    item = getattr(item, "__func__", item)
    if not inspect.isfunction(item) and not inspect.isclass(item):
        return {}
    try:
        parameters = inspect.signature(item).parameters.values()
    except (TypeError, ValueError):  # Of classes that are written in C.
        return {}
    return {
        each.name: each.kind.name + _NEW * (each.default is not each.empty) for each in parameters
    }


def find_breaks(
    recorded: Mapping[str, Parameters], offered: Mapping[str, Parameters]
) -> Iterator[str]:
    """Finds what no longer works of what is recorded, one sentence each."""
    for name, before in recorded.items():
        if name not in offered:
            yield f"{name} is gone"
            continue
        now = offered[name]
        for each, kind in before.items():
            if each not in now:
                yield f"{name}: the parameter {each} is gone"
            elif _is_narrower(kind, now[each]):
                yield f"{name}: the parameter {each} was {kind} and is {now[each]}"
        variadic = ("VAR_POSITIONAL", "VAR_KEYWORD")
        for each in now.keys() - before.keys():
            if not now[each].endswith(_NEW) and now[each] not in variadic and before:
                yield f"{name}: the new parameter {each} is required"
        order = [each for each in before if before[each].startswith("POSITIONAL")]
        if order != [each for each in now if now[each].startswith("POSITIONAL")][: len(order)]:
            yield f"{name}: the order of its parameters is another one"


def _is_narrower(before: str, now: str) -> bool:
    """Whether calls that were right are refused now: by place, by keyword, or for lack of it."""
    places = ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")
    wider = before.rstrip(_NEW) == "KEYWORD_ONLY" and now.rstrip(_NEW) in places
    return (before.rstrip(_NEW) != now.rstrip(_NEW) and not wider) or (
        before.endswith(_NEW) and not now.endswith(_NEW)
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
