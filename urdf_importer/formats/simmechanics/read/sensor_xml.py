# SPDX-License-Identifier: GPL-3.0-or-later
"""XML that sensors and colours become."""

from xml.sax.saxutils import escape, quoteattr

from ....core.markup.write import format_numbers
from ....core.model import Extra, Pose
from .mechanism.graph import BodyColors
from .parameters.keys import ForceSensorChoice, LinkSensor

# The words of CAD systems and of Gazebo for shares of a colour.
_SHARES = {
    "ambient": "ambient", "diffuse": "diffuse", "specular": "specular", "emission": "emissive",
}  # fmt: skip


def pose_extra(pose: Pose) -> Extra:
    return Extra(tag="gazebo", xml=f"<gazebo>\n  <pose>{_six(pose)}</pose>\n</gazebo>")


def _six(pose: Pose) -> str:
    return format_numbers((*pose.xyz, *pose.rpy))


def look_extras(link: str, look: BodyColors) -> list[Extra]:
    """Returns Gazebo's data for a CAD system's shares of colour; none where the file has none."""
    body = "".join(
        f"      <{tag}>{format_numbers(round(part * look.shares[word], 6) for part in look.color)} "
        f"1</{tag}>\n"
        for word, tag in _SHARES.items()
        if word in look.shares
    )
    visual = f"  <visual>\n    <material>\n{body}    </material>\n  </visual>\n"
    xml = f"<gazebo reference={quoteattr(link)}>\n{visual}</gazebo>"
    return [Extra(tag="gazebo", xml=xml)] if body else []


def sensor_extras(
    sensor: LinkSensor | ForceSensorChoice, owner: str, name: str, pose: Pose
) -> list[Extra]:
    """Returns a sensor of a link, or of a joint, for Gazebo, which knows imu alone for motion
    sensors, and for programs that read <sensor> of URDF."""
    force = ""
    rate = "100"
    if isinstance(sensor, ForceSensorChoice):
        kind, of = "force_torque", "joint"
        direction = "child_to_parent" if sensor.is_child_to_parent else "parent_to_child"
        force = (
            f"{{0}}<force_torque>\n{{0}}  <frame>{sensor.measured_in}</frame>\n"
            f"{{0}}  <measure_direction>{direction}</measure_direction>\n{{0}}</force_torque>\n"
        )
    else:
        kind, of, rate = sensor.type, "link", sensor.rate
    shown = "imu" if kind in ("accelerometer", "gyroscope") else kind
    inner = f"    <update_rate>{escape(rate)}</update_rate>\n" if rate else ""
    inner += f"{force.format('    ')}    <pose>{_six(pose)}</pose>\n"
    inner += "".join(f"    {blob.xml}\n" for blob in sensor.blobs)
    written = quoteattr(name)
    xyz, rpy = format_numbers(pose.xyz), format_numbers(pose.rpy)
    return [
        Extra(
            tag="gazebo",
            xml=f"<gazebo reference={quoteattr(owner)}>\n"
            f"  <sensor name={written} type={quoteattr(shown)}>\n"
            f"    <always_on>1</always_on>\n{inner}  </sensor>\n</gazebo>",
        ),
        Extra(
            tag="sensor",
            xml=f"<sensor name={written} type={quoteattr(kind)}>\n"
            f"  <parent {of}={quoteattr(owner)}/>\n{force.format('  ')}"
            f'  <origin xyz="{xyz}" rpy="{rpy}"/>\n</sensor>',
        ),
    ]
