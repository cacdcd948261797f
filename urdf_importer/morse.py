# SPDX-License-Identifier: GPL-3.0-or-later
"""MORSE's part by the name that builder scripts have for it: `urdf_importer.morse.builder` is the
module `urdf_importer_morse.builder` of the distribution urdf-importer-morse, and no copy of it."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

_PART = "urdf_importer_morse"


class _Namesakes(MetaPathFinder, Loader):
    """Finds the modules below this one in the part."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.startswith(f"{__name__}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_PART + spec.name.removeprefix(__name__))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module, which was run under its own name, its own specification back."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


try:
    _part = import_module(_PART)
except ModuleNotFoundError as missing:
    if missing.name != _PART:
        raise
    raise ModuleNotFoundError(
        "urdf_importer.morse is a part of its own, which is not installed: "
        "pip install 'urdf-importer[morse]'",
        name=__name__,
    ) from None
sys.meta_path.insert(0, _Namesakes())
sys.modules[__name__] = _part
