# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of a robot are."""

from ..files.packages import AnyPath, PackageResolver
from ..options import FileOptions, ImportOptions


def find_files(path: AnyPath, options: ImportOptions | FileOptions) -> PackageResolver:
    """Returns what finds the files that the description at `path` names."""
    return PackageResolver(str(path), options.packages, options.package_paths)
