# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work of an export on one page: plan -> nodes -> files, all of them or none."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from ....core.diagnostics import Diagnostics, WriteError, quote
from ....core.files.outputs import check_output, replace_files, write_text
from ....core.gazebo.devices import read_battery
from ....core.model import Robot
from ....core.writers.formats import Facts, OpenExport, count_robot, report_springs
from .names import NameTables, make_proto_name
from .options import WebotsOptions
from .plan import plan_structure
from .project import PROJECT_CONTROLLER, write_project
from .proto import build_robot, write_proto
from .results import ExportedAxis, ExportedLink, ExportResult
from .sensors.place import SensorWriter, plan_sensors
from .shapes.contacts import plan_contacts
from .shapes.shapes import ShapeNodeWriter
from .structure.links import SolidTreePlan
from .world import Planned, write_world


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectFiles:
    """Where the files go: `proto` and `world`, if any, in the folder `root`. A project holds more
    than these."""

    root: Path
    proto: Path
    world: Path | None = None
    project: bool = False


def export_webots(found: OpenExport[WebotsOptions], path: Path) -> ExportResult:
    """Writes the output that `path` names: a PROTO (.proto) with its meshes in a folder beside it;
    a world (.wbt) with the PROTO beside it; or else a project folder.

    Raises KinematicsError if the robot is not a tree,
    or if an option does not fit any joint or link of it; WriteError if the files cannot be written.
    Nothing is written then.
    """
    diagnostics = found.diagnostics
    report_springs(found.robot.joints, "Webots", diagnostics)
    layout = plan_layout(found.robot, path, diagnostics)
    for file in (layout.proto, layout.world):
        if file is not None and (layout.root / file).parent.is_dir():
            check_output(layout.root / file)
    with replace_files(layout.root) as folder:
        planned = write_robot(found, folder / layout.proto)
        _write_around(planned, found, folder, layout)
        files = found.list_made(folder, layout.root)
    links = {
        name: ExportedLink(
            solid=solid.name, def_name=held.def_name or solid.def_name, frame=held.pose
        )
        for name, (solid, held) in planned.plan.holders().items()
    }
    shown = [each.name for each in fields(ExportedAxis)]
    axes = tuple(
        ExportedAxis(**{name: getattr(axis, name) for name in shown})
        for axis in planned.plan.axes()
    )
    return ExportResult(
        path=path if layout.world else layout.root / layout.proto,
        proto=layout.root / layout.proto,
        files=files,
        robot=planned.plan.root.name,
        links=links,
        axes=axes,
        facts=_summarize(found.robot, links, axes),
        diagnostics=tuple(diagnostics),
    )


def _summarize(robot: Robot, links: dict[str, ExportedLink], axes: Sequence[ExportedAxis]) -> Facts:
    motors: dict[str, list[str]] = {}
    sensors: dict[str, list[str]] = {}
    for axis in axes:
        motors.setdefault(axis.joint, []).append(axis.motor)
        sensors.setdefault(axis.joint, []).append(axis.sensor)
    free = sum(axis.leader in ("", axis.joint) for axis in axes)
    return {
        **count_robot(
            robot, links=len(robot.links), moving_joints=len(motors), degrees_of_freedom=free
        ),
        "solids": {name: link.solid for name, link in links.items()},
        "motors": motors,
        "sensors": sensors,
    }


def plan_layout(robot: Robot, path: Path, diagnostics: Diagnostics) -> ProjectFiles:
    """Plans where the files go. A PROTO is named after its file: where Webots takes no PROTO with
    that name, the file gets another one, and a diagnostic reports it. Raises WriteError for a path
    without a clear kind of output."""
    suffix = path.suffix.lower()
    if suffix == ".proto":
        return ProjectFiles(root=path.parent, proto=Path(_find_file_name(path, diagnostics)))
    name = make_proto_name(robot.name)
    if suffix == ".wbt":
        return ProjectFiles(root=path.parent, proto=Path(f"{name}.proto"), world=Path(path.name))
    if suffix and not path.is_dir():
        raise WriteError(
            f"cannot write {quote(path.name)}: the name must end with .proto or "
            ".wbt, or be a folder's"
        )
    proto, world = Path("protos", f"{name}.proto"), Path("worlds", f"{name}.wbt")
    return ProjectFiles(root=path, proto=proto, world=world, project=True)


def _find_file_name(path: Path, diagnostics: Diagnostics) -> str:
    name = f"{make_proto_name(path.stem)}.proto"
    if name != path.name:
        diagnostics.warning(
            "webots-renamed-file",
            f"a PROTO is named as its file, and Webots takes no PROTO named {quote(path.stem)}: "
            f"the file is {quote(name)}",
        )
    return name


def write_robot(found: OpenExport[WebotsOptions], path: Path) -> Planned:
    """Writes a PROTO, and its meshes beside it."""
    robot, options, diagnostics = found.robot, found.options, found.diagnostics
    path.parent.mkdir(parents=True, exist_ok=True)
    meshes = f"{path.stem}_meshes"
    shapes = ShapeNodeWriter(found, path.parent / meshes, f"{meshes}/")
    shapes.shows_collisions = found.files.note_collisions(robot)
    names = NameTables()
    planned = plan_sensors(robot, options, diagnostics)
    contacts = plan_contacts(robot, diagnostics)
    kept = frozenset(each.link for each in planned)
    plan = plan_structure(found, shapes.collision_volume, names, kept)
    materials = contacts.materials
    sensors = SensorWriter(planned, plan, names, shapes.bounding_object, materials, diagnostics)
    node = build_robot(plan, shapes, sensors, options, materials)
    battery = read_battery(robot) if options.sensors else ()
    if battery:
        node.fields["battery"] = list(battery)
    write_text(path, write_proto(path.stem, plan, node, options, find_renamed(plan)))
    return Planned(plan=plan, contacts=contacts, sensors=sensors.sensors, shapes=shapes)


def _write_around(
    planned: Planned, found: OpenExport[WebotsOptions], folder: Path, layout: ProjectFiles
) -> None:
    """Writes the world around the PROTO, and the rest of a project."""
    if layout.world is None:
        return
    world = folder / layout.world
    world.parent.mkdir(parents=True, exist_ok=True)
    url = Path(os.path.relpath(layout.proto, layout.world.parent)).as_posix()
    text = write_world(
        layout.proto.stem,
        planned,
        found,
        proto=url,
        controller=PROJECT_CONTROLLER if layout.project else "<none>",
    )
    write_text(world, text)
    if layout.project:
        write_project(folder, layout.proto.stem, world.name, planned, found)


def find_renamed(plan: SolidTreePlan) -> list[tuple[str, str]]:
    """Returns the links and joints that could not keep their names, with their new names: links by
    their DEF names or their Solids' names, joints by their motors."""
    renamed = []
    for name, (solid, held) in plan.holders().items():
        own = held.def_name or solid.name
        if solid is not plan.root and own != name:
            renamed.append((json.dumps(name), own))
    for axis in plan.axes():
        own = axis.motor.rpartition("::")[2]
        # A joint of several axes names each of its motors after itself.
        if own and own != axis.joint and not own.startswith(f"{axis.joint}_"):
            renamed.append((f"the motor of {json.dumps(axis.joint)}", axis.motor))
    return renamed
