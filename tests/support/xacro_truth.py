# SPDX-License-Identifier: GPL-3.0-or-later
"""What the unmodified program xacro makes of files, without ROS.

Run as a program: reads {"find": {package: folder}, "files": [...], "given": {...}} and writes
{file: expanded text, or null where xacro fails}.
"""

import importlib.util
import json
import subprocess
import sys
import types
from functools import cache
from pathlib import Path

_SPEC = importlib.util.find_spec("rtbdata")
ROOT = Path(_SPEC.origin or "").parent if _SPEC is not None else Path("rtbdata")


@cache
def descriptions() -> tuple[Path, ...]:
    """All xacro files of rtb-data. It is a test dependency: none found is a failure."""
    found = tuple(sorted(ROOT.rglob("*.xacro")))
    assert len(found) > 55, f"rtb-data is not installed in {ROOT}"
    return found


def packages_below(root: Path) -> dict[str, str]:
    """Every folder in and right below rtb-data's bundles, by its name."""
    folders = sorted(root.glob("*/*/")) + sorted(root.glob("*/"))
    return {folder.name: str(folder) for folder in folders}


def expand_with_xacro(
    find: dict[str, str], files: list[Path], **given: str
) -> dict[str, str | None]:
    """File -> what the program makes of it with the arguments `given`."""
    order = json.dumps({"find": find, "files": [str(path) for path in files], "given": given})
    done = subprocess.run(
        [sys.executable, __file__], input=order, capture_output=True, text=True, check=True
    )
    answer: dict[str, str | None] = json.loads(done.stdout)
    return answer


def main() -> None:
    order = json.load(sys.stdin)
    packages = types.ModuleType("ament_index_python.packages")
    packages.get_package_share_directory = order["find"].__getitem__  # type: ignore[attr-defined]
    sys.modules["ament_index_python"] = types.ModuleType("ament_index_python")
    sys.modules["ament_index_python.packages"] = packages
    xacro = __import__("xacro")
    answer: dict[str, str | None] = {}
    for path in order["files"]:
        try:
            answer[path] = xacro.process_file(path, mappings=dict(order["given"])).toprettyxml(
                indent="  "
            )
        except Exception as error:
            sys.stderr.write(f"{path}: {error}\n")
            answer[path] = None
            if not isinstance(error, xacro.XacroException | OSError):
                raise
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
