# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter file -> Parameters."""

from collections.abc import Mapping

from .....core.diagnostics import Diagnostics
from .....core.markup.yaml_tree import YamlNode, parse_yaml
from .fields import keys_of
from .keys import Parameters
from .values import Values

_MOST_BYTES = 256 * 1024

# Marks a file as written for robotology's converter.
ROBOTOLOGY_KEYS = frozenset(
    (
        "filenameformatchangeext", "stringToRemoveFromMeshFileName", "robotName", "rename",
        "originXYZ", "originRPY", "epsilon", "linkFrames", "exportedFrames", "exportAllUseradded",
        "reverseRotationAxis", "assignedMasses", "assignedInertias", "mirroredInertia",
        "inertiaWorkaround", "assignedColors", "assignedCollisionGeometry", "damping", "friction",
        "effort_limit", "velocity_limit", "forceTorqueSensors", "sensors", "XMLBlobs",
    )
)  # fmt: skip

READERS = keys_of(Parameters)


def read_parameters(
    data: bytes, source: str, diagnostics: Diagnostics, *, has_table: bool, generation: int
) -> Parameters:
    """Returns the parameters in a file; `has_table`: a table of joints is given beside it.

    Raises ReadError for text that is not YAML or not a mapping, and for an impossible root, base
    frame or format of filenames; an ERROR diagnostic reports other wrong values.
    """
    root = parse_yaml(
        data, source, diagnostics, called="the parameter file", most_bytes=_MOST_BYTES
    )
    assert root.pairs is not None
    parameters = start_parameters(source, root.pairs, has_table=has_table, generation=generation)
    values = Values(source, diagnostics)
    for key, node in root.pairs.items():
        line = root.lines.get(key, node.line)
        parameters.lines[key, ""] = line
        for name, value in (node.pairs or {}).items():
            parameters.lines[key, name] = value.line
        for item in node.items or ():
            parameters.lines.setdefault((key, item.text.strip()), item.line)
        if key not in READERS:
            values.unknown(key, line, READERS)
        elif not node.is_null:
            name, read = READERS[key]
            found = read(values, node, key)
            if found is not None:
                setattr(parameters, name, found)
    _check_formats(parameters, root, values)
    return parameters


def start_parameters(
    source: str, pairs: Mapping[str, YamlNode], *, has_table: bool, generation: int
) -> Parameters:
    """Returns the settings that count before any key is read: the dialect, and its consequences."""
    word = pairs["dialect"].text.strip().lower() if "dialect" in pairs else ""
    is_robotology = generation == 2 or has_table or not ROBOTOLOGY_KEYS.isdisjoint(pairs)
    if word in ("ros", "robotology"):
        is_robotology = word == "robotology"
    return Parameters(
        source=source,
        dialect="robotology" if is_robotology else "ros",
        lower_case=is_robotology,
    )


def _check_formats(parameters: Parameters, root: YamlNode, values: Values) -> None:
    keys = [key for key in ("filenameformat", "filenameformatchangeext") if key in root.lines]
    if len(keys) == 2:
        raise values.refusal(
            keys[1], "it is set beside filenameformat, and only one can count", root.lines[keys[1]]
        )
    parameters.drops_extension = keys == ["filenameformatchangeext"]
    rest = parameters.filename_format.replace("%%", "")
    if keys and (rest.count("%") != 1 or rest.count("%s") != 1):
        raise values.refusal(
            keys[0], "it must hold %s exactly once, and %% for a percent sign", root.lines[keys[0]]
        )
