# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work: XML with its includes -> bodies -> links and joints -> Robot."""

from pathlib import PurePath

from ...diagnostics import MeshError, NoLinksError
from ...files.packages import PackageResolver
from ...geometry.mesh_data import MeshData
from ...meshes.loaders import load_mesh
from ...model import Extra, Material, Mesh, Robot
from ..formats import Description, ReaderFormat
from .bodies import BodyReader, build_links
from .constraints import ConstraintReader
from .document import ROOT, Compiler, Defaults, Files, Node
from .geoms import Assets
from .masses import Scales, scale_to

_SECTIONS = ("default", "asset", "worldbody", "equality", "compiler")
"""Those that become the robot; the others are kept word for word."""


def read_mjcf(given: Description) -> Robot:
    """Reads a model of MuJoCo: its bodies, joints, geoms, masses, mimic joints and loops. Raises
    ReadError, with file and line, for what MuJoCo refuses too; all milder things go to the
    diagnostics."""
    diagnostics = given.diagnostics
    root = Files(given.resolver, given.source, diagnostics).read(given.data, given.source)
    compiler, defaults = Compiler(root), Defaults(root)
    assets = Assets(root, compiler, defaults, diagnostics)
    bodies = BodyReader(compiler, defaults, assets, diagnostics).read(root)
    if len(bodies) == 1 and not bodies[0].geoms:
        raise NoLinksError("the model has no bodies", source=given.source, line=root.line)
    scales = Scales(compiler, _Meshes(given.resolver).load, diagnostics)
    loops = any(node.tag != "joint" for each in root.all("equality") for node in each.children)
    built = build_links(bodies, compiler, assets, scales, keeps_world=loops)
    constraints = ConstraintReader(bodies, built.joints, built.joint_nodes, compiler, diagnostics)
    constraints.read(root, defaults)
    links = scale_to(built.links, compiler.node.number("settotalmass", -1.0))
    return Robot(
        name=root.text("model") or PurePath(given.source).stem,
        links=links,
        joints=constraints.joints,
        loops=tuple(constraints.loops),
        materials=_list_materials(assets),
        extras=_list_extras(root),
        source=given.source,
    )


def _list_materials(assets: Assets) -> tuple[Material, ...]:
    return tuple(assets.materials.values())


def _list_extras(root: Node) -> tuple[Extra, ...]:
    """Motors, sensors, keyframes and the rest, as one element that MuJoCo reads in URDF too."""
    kept = [node.xml for node in root.children if node.tag not in _SECTIONS and node.xml]
    if not kept:
        return ()
    return (Extra(tag=ROOT, xml=f"<{ROOT}>{''.join(kept)}</{ROOT}>", line=root.line),)


class _Meshes:
    """Mesh files that masses are worked out of; what is odd about them is reported when they are
    shown."""

    def __init__(self, resolver: PackageResolver) -> None:
        self._resolver = resolver

    def load(self, mesh: Mesh) -> MeshData | None:
        """Returns the arrays of a mesh, scaled; None where it cannot be read."""
        try:
            path = self._resolver.resolve_file(mesh.filename, _ignore)
            return load_mesh(
                path,
                mesh.scale,
                _ignore,
                lambda uri, kind: self._resolver.resolve_file(
                    uri, _ignore, kind=kind, base=path.parent
                ),
            )
        except MeshError:
            return None


def _ignore(code: str, message: str) -> None:
    pass


MJCF = ReaderFormat(
    name="mjcf",
    label="MuJoCo",
    suffixes=(".mjcf",),
    roots=(ROOT,),
    read=read_mjcf,
)
