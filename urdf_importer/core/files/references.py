# SPDX-License-Identifier: GPL-3.0-or-later
"""The references in a description, and the package folders in the environment, before any file is
looked at.

    package://name/path  package:///name/path  model://name/path  $(find name)/path
    file:///path  file://localhost/path  file:path  file://../path
    /path  C:/path  path

Back slashes are slashes, on every system, and blanks around a name are not part of it.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from ..diagnostics import MeshError, quote

MOST_CHARACTERS = 4096
_FOLDER_VARIABLES = (
    "ROS_PACKAGE_PATH",
    "GZ_SIM_RESOURCE_PATH",
    "IGN_GAZEBO_RESOURCE_PATH",
    "GAZEBO_MODEL_PATH",
    "SDF_PATH",
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")
_FIND = re.compile(r"/*\$\(\s*(?:find|find-pkg-share)\s+([^\s()]+)\s*\)/*")
_DRIVE = re.compile(r"/*(?=[A-Za-z]:/)")


def is_address(path: str) -> bool:
    """Whether a path is the address of a server, whose robot has no folder."""
    return path.lower().startswith(("ws://", "wss://"))


def name_source(path: str | os.PathLike[str]) -> str:
    """Returns the path of a description as records keep it: absolute, an address as it is."""
    plain = os.fspath(path)
    return plain if is_address(plain) else str(Path(plain).absolute())


@dataclass(frozen=True, slots=True)
class Reference:
    """`path` lies in `package`; where that is empty it is absolute, or relative to the folder of
    the file that names it. The parts are separated by slashes."""

    package: str
    path: str

    @property
    def parts(self) -> tuple[str, ...]:
        """All names of the path, package first, without empty and `.` parts."""
        names = (self.package, *self.path.split("/"))
        return tuple(name for name in names if name not in ("", ".", ".."))

    def unquoted(self) -> tuple["Reference", ...]:
        """Returns the reference with %20 read as a blank; nothing where that is the same."""
        other = Reference(unquote(self.package), unquote(self.path))
        return () if other == self or "\0" in other.package + other.path else (other,)


def read_reference(uri: str, kind: str) -> Reference:
    """Returns the parts of `uri`. Raises MeshError for text that can never be a local file; `kind`
    is for its code."""
    text = uri.strip().replace("\\", "/")
    if not text:
        raise MeshError("the file name is empty", code=f"missing-{kind}")
    if text[:5].lower() == "data:":
        raise MeshError("data: URIs are not read", code=f"missing-{kind}")
    if len(text) > MOST_CHARACTERS or "\0" in text:
        raise MeshError(f"{quote(uri)} is not a file name", code=f"missing-{kind}")
    scheme = _SCHEME.match(text)
    if scheme:
        name, rest = scheme[1].lower(), text[scheme.end() :]
        if name in ("package", "model"):
            return _package_reference(rest)
        if name != "file":
            raise MeshError(
                f"{quote(uri)} is not a file on this computer, and nothing is fetched",
                code="remote-file",
            )
        text = _file_path(rest)
    find = _FIND.match(text)
    if find:
        return _package_reference(f"{find[1]}/{text[find.end() :]}")
    return Reference("", _DRIVE.sub("", text, count=1) if os.name == "nt" else _one_root(text))


def _package_reference(text: str) -> Reference:
    package, _, path = text.lstrip("/").partition("/")
    path = path.lstrip("/")
    if package in ("", ".", ".."):
        return Reference("", f"{package}/{path}" if package else path or ".")
    return Reference(package, path)


def _file_path(rest: str) -> str:
    """The path after `file:`; a name in the place of the host is a folder, never a computer."""
    if rest.startswith("//localhost/"):
        return rest.removeprefix("//localhost")
    if rest.startswith("//") and not rest.startswith("///"):
        return rest.removeprefix("//")
    return "/" + rest.lstrip("/")


def _one_root(path: str) -> str:
    """POSIX gives two leading slashes a meaning of their own."""
    return "/" + path.lstrip("/") if path.startswith("//") else path


def make_absolute(folder: str) -> str:
    """Returns the path of a folder that a user or the environment names."""
    return os.path.abspath(os.path.expanduser(folder))


def list_package_folders(
    environment: Mapping[str, str] | None, variables: Sequence[str] = _FOLDER_VARIABLES
) -> list[str]:
    """Lists the folders that variables of an environment name; none without one."""
    values = [environment.get(name, "") for name in variables] if environment is not None else []
    folders = [folder for value in values for folder in value.split(os.pathsep)]
    return [make_absolute(folder) for folder in folders if folder.strip()]
