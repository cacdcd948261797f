# SPDX-License-Identifier: GPL-3.0-or-later
"""XML that users bring along, kept word for word, and XML that sensors and colours become."""

from collections.abc import Iterable
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from ...model import Extra, Pose
from .mechanism.graph import Look
from .parameters.values import Values


class _RefusedError(Exception):
    pass


def root_tag(text: str) -> str:
    """Returns the tag of the one element that a text is. Raises ValueError, with what is wrong, for
    text that is not one well-formed element, and for any document type."""
    parser = expat.ParserCreate()
    tags: list[str] = []

    def start(tag: str, _attributes: dict[str, str]) -> None:
        if not tags:
            tags.append(tag)

    def refuse(*_declaration: object) -> None:
        raise _RefusedError

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        raise ValueError(f"the XML is broken: {expat.ErrorString(error.code)}") from None
    except _RefusedError:
        raise ValueError("it declares a document type, which is refused") from None
    if text.lstrip().startswith("<?xml"):
        raise ValueError("it begins with an XML declaration, which belongs at the top of a file")
    return tags[0]


def check_blob(text: str, line: int, key: str, values: Values) -> bool:
    """Whether a text is one element that may stand in a file of ours; reported where not."""
    try:
        root_tag(text)
    except ValueError as problem:
        values.bad(key, f"{problem}; it is left out", line)
        return False
    return True


def blob_extras(blobs: Iterable[tuple[str, int]]) -> list[Extra]:
    return [Extra(tag=root_tag(text), xml=text) for text, _ in blobs]


def number_text(number: float) -> str:
    """Returns the shortest text of a number; zero without a sign."""
    return repr(number + 0.0).removesuffix(".0")


def pose_extra(pose: Pose) -> Extra:
    return Extra(tag="gazebo", xml=f"<gazebo>\n  <pose>{_six(pose)}</pose>\n</gazebo>")


def _six(pose: Pose) -> str:
    return " ".join(map(number_text, (*pose.xyz, *pose.rpy)))


def look_extra(link: str, look: Look) -> Extra | None:
    """Returns what Gazebo shows of a CAD system's shares of colour; None where the file has
    none."""
    shares = {
        "ambient": look.ambient,
        "diffuse": look.diffuse,
        "specular": look.specular,
        "emissive": look.emission,
    }
    lines = [
        f"      <{tag}>{_shaded(look, share)} 1</{tag}>"
        for tag, share in shares.items()
        if share is not None
    ]
    if not lines:
        return None
    body = "\n".join(lines)
    return Extra(
        tag="gazebo",
        xml=f"<gazebo reference={quoteattr(link)}>\n  <visual>\n    <material>\n{body}\n"
        "    </material>\n  </visual>\n</gazebo>",
    )


def _shaded(look: Look, share: float) -> str:
    return " ".join(number_text(round(part * share, 6)) for part in look.color)


def sensor_extras(
    *, owner: str, name: str, kind: str, rate: str, pose: Pose, blobs: Iterable[str]
) -> list[Extra]:
    """Returns a sensor of a link for Gazebo, which knows imu alone for what feels motion, and for
    programs that read <sensor> of URDF."""
    shown = "imu" if kind in ("accelerometer", "gyroscope") else kind
    rate_line = f"    <update_rate>{escape(rate)}</update_rate>\n" if rate else ""
    inner = "".join(f"    {blob}\n" for blob in blobs)
    return [
        _gazebo_sensor(owner, name, shown, f"{rate_line}    <pose>{_six(pose)}</pose>\n{inner}"),
        Extra(
            tag="sensor",
            xml=f"<sensor name={quoteattr(name)} type={quoteattr(kind)}>\n"
            f"  <parent link={quoteattr(owner)}/>\n{_origin(pose)}</sensor>",
        ),
    ]


def force_torque_extras(
    *, owner: str, name: str, rate: str, pose: Pose, measured_in: str, is_child_to_parent: bool,
    blobs: Iterable[str],
) -> list[Extra]:  # fmt: skip
    """Returns a force-torque sensor of a joint, in both ways."""
    direction = "child_to_parent" if is_child_to_parent else "parent_to_child"
    force = (
        f"<force_torque>\n{{0}}  <frame>{measured_in}</frame>\n"
        f"{{0}}  <measure_direction>{direction}</measure_direction>\n{{0}}</force_torque>\n"
    )
    inner = "".join(f"    {blob}\n" for blob in blobs)
    return [
        _gazebo_sensor(
            owner,
            name,
            "force_torque",
            f"    <update_rate>{escape(rate)}</update_rate>\n    {force.format('    ')}"
            f"    <pose>{_six(pose)}</pose>\n{inner}",
        ),
        Extra(
            tag="sensor",
            xml=f'<sensor name={quoteattr(name)} type="force_torque">\n'
            f"  <parent joint={quoteattr(owner)}/>\n  {force.format('  ')}{_origin(pose)}</sensor>",
        ),
    ]


def _gazebo_sensor(owner: str, name: str, kind: str, inner: str) -> Extra:
    return Extra(
        tag="gazebo",
        xml=f"<gazebo reference={quoteattr(owner)}>\n"
        f"  <sensor name={quoteattr(name)} type={quoteattr(kind)}>\n"
        f"    <always_on>1</always_on>\n{inner}  </sensor>\n</gazebo>",
    )


def _origin(pose: Pose) -> str:
    xyz = " ".join(map(number_text, pose.xyz))
    rpy = " ".join(map(number_text, pose.rpy))
    return f'  <origin xyz="{xyz}" rpy="{rpy}"/>\n'
