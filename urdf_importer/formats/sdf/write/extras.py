# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of <gazebo> of a URDF, and of SDF itself, as elements of SDF.

Gazebo's own converter renames and moves a few settings, and takes everything else word for word:

link    mu1, mu2, fdir1, kp, kd, maxVel, minDepth, maxContacts, laserRetro -> of each collision
        turnGravityOff, selfCollide, dampingFactor -> of the link
joint   springReference, springStiffness -> <dynamics>; stopCfm, stopErp, fudgeFactor,
        implicitSpringDamper, cfmDamping, provideFeedback -> <physics>
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import unescape

from ....core.markup.write import format_number, format_text, quote_attribute
from ....core.markup.xml import Element, parse_fragment, text_of, verbatim
from ....core.model import Robot
from ....core.writers.masses import find_friction

_SURFACE = {
    "mu": ("friction", "ode", "mu"),
    "mu1": ("friction", "ode", "mu"),
    "mu2": ("friction", "ode", "mu2"),
    "fdir1": ("friction", "ode", "fdir1"),
    "kp": ("contact", "ode", "kp"),
    "kd": ("contact", "ode", "kd"),
    "maxvel": ("contact", "ode", "max_vel"),
    "mindepth": ("contact", "ode", "min_depth"),
}
_FRICTIONS = (_SURFACE["mu1"], _SURFACE["mu2"])
_COLLISION = {"maxcontacts": "max_contacts", "laserretro": "laser_retro"}
_DYNAMICS = {"springreference": "spring_reference", "springstiffness": "spring_stiffness"}
_PHYSICS = {
    "stopcfm": ("ode", "limit", "cfm"),
    "stoperp": ("ode", "limit", "erp"),
    "fudgefactor": ("ode", "fudge_factor"),
    "implicitspringdamper": ("ode", "implicit_spring_damper"),
    "cfmdamping": ("ode", "cfm_damping"),
    "providefeedback": ("provide_feedback",),
}
_SWITCHES = ("preservefixedjoint", "disablefixedjointlumping")
_OF_SHAPES = ("visual", "collision")
_LISTED = ("sensor", "plugin", "light", "projector", "audio_source", "battery")
"""Elements that a link may have several times."""
_TRUE = ("1", "true")
_KNOWN = {
    "link": "audio_sink audio_source battery enable_wind gravity kinematic light must_be_base_link "
    "particle_emitter plugin projector self_collide sensor velocity_decay",
    "joint": "gearbox_ratio gearbox_reference_body physics plugin screw_thread_pitch sensor "
    "thread_pitch",
    "model": "allow_auto_disable enable_wind gripper plugin pose self_collide static",
    "sensor": "air_pressure air_speed altimeter always_on camera contact enable_metrics "
    "force_torque frame gps imu lidar logical_camera magnetometer navsat origin plugin pose ray "
    "rfid rfidtag sonar topic transceiver update_rate visualize",
    "imu": "angular_velocity enable_orientation linear_acceleration noise "
    "orientation_reference_frame topic",
}
"""The elements of SDF that are kept word for word. Others get a prefix: Drake refuses files that
have some without one, and Gazebo warns."""
_PREFIX = "urdf:"
_NAMED = re.compile(
    r"""(<\S+(?:\s+(?!name\s*=)[^\s=]+\s*=\s*(?:"[^"]*"|'[^']*'))*\s+)name\s*=\s*("[^"]*"|'[^']*')"""
)
_QUOTES = {"&quot;": '"', "&apos;": "'"}


@dataclass(slots=True, eq=False)
class Said:
    """The data about a link or joint. `own` are elements of SDF, tag and text; `settings`
    map a place below <collision>, <dynamics> or <physics> to its text."""

    own: list[tuple[str, str]] = field(default_factory=list)
    surface: dict[tuple[str, ...], str] = field(default_factory=dict)
    surfaces: list[str] = field(default_factory=list)
    collision: dict[str, str] = field(default_factory=dict)
    dynamics: dict[str, str] = field(default_factory=dict)
    physics: dict[tuple[str, ...], str] = field(default_factory=dict)
    shapes: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    material: str = ""
    flags: set[str] = field(default_factory=set)


class GazeboData:
    """Gazebo's data in a robot. `model` are elements of the whole model, tag and text."""

    def __init__(self, robot: Robot) -> None:
        self.model: list[tuple[str, str]] = []
        self._said: dict[str, Said] = {}
        links = {link.name for link in robot.links}
        for extra in robot.extras:
            if extra.tag == "gazebo":
                self._read(extra.xml.encode("utf-8", "replace"), links)
        self._take_contacts(robot)
        # Without a meaning in SDF, but not lost.
        kept = [each.xml for each in robot.transmissions if each.xml]
        kept += [each.xml for each in robot.extras if each.tag == "ros2_control"]
        for xml in kept:
            data = xml.encode("utf-8", "replace")
            element = parse_fragment(data)
            self.model += [] if element is None else [_keep(element, data, "model")]
        self.model = list(_free_names(self.model, links | {each.name for each in robot.joints}))

    def _take_contacts(self, robot: Robot) -> None:
        """Takes the friction that links have in Bullet's words."""
        found = find_friction(robot)
        for link in robot.links:
            if link.name in found and any(extra.tag == "contact" for extra in link.extras):
                surface = self._said.setdefault(link.name, Said()).surface
                if surface.keys().isdisjoint(_FRICTIONS):
                    surface |= dict.fromkeys(_FRICTIONS, format_number(found[link.name]))

    def about(self, name: str) -> Said:
        """Returns the data about a link or joint; empty for none."""
        return self._said.get(name) or Said()

    def keeps(self, joint: str, lumps: bool) -> bool:
        """Whether a fixed joint stays a joint, whatever it carries: where it has a sensor or, if
        links are lumped, where it must not be lumped."""
        said = self.about(joint)
        return any(tag == "sensor" for tag, _ in said.own) or (lumps and bool(said.flags))

    def locks(self, joint: str) -> bool:
        """Whether a fixed joint becomes one that turns and is locked."""
        return "disablefixedjointlumping" in self.about(joint).flags

    def _read(self, data: bytes, links: set[str]) -> None:
        element = parse_fragment(data)
        if element is None:
            return
        name = element.attributes.get("reference", "").strip()
        if not name:
            # A pose in a frame of the world says nothing of a model alone.
            own = [each for each in element if "relative_to" not in each.attributes]
            self.model += [_keep(child, data, "model") for child in own]
            return
        said = self._said.setdefault(name, Said())
        for child in element:
            _take(said, child, data, is_link=name in links)


def _take(said: Said, child: Element, data: bytes, *, is_link: bool) -> None:
    tag = child.tag.lower()
    text = text_of(child, data) or child.attributes.get("value", "")
    if tag in _SWITCHES:
        said.flags |= {tag} if text.strip().lower() in _TRUE else set()
    elif not (_take_of_link if is_link else _take_of_joint)(said, tag, text):
        if is_link and tag == "surface":
            said.surfaces.append(verbatim(child, data))
        elif is_link and tag in _OF_SHAPES:
            found = said.shapes.setdefault(tag, [])
            found += [(each.tag, verbatim(each, data)) for each in child]
        else:
            said.own.append(_keep(child, data, "link" if is_link else "joint"))


def _take_of_link(said: Said, tag: str, text: str) -> bool:
    """Takes a setting of a link, whose tag is in lower case; returns whether it is one."""
    if tag in _SURFACE:
        said.surface[_SURFACE[tag]] = text
    elif tag in _COLLISION:
        said.collision[_COLLISION[tag]] = text
    elif tag == "turngravityoff":
        off = "false" if text.strip().lower() in _TRUE else "true"
        said.own.append(("gravity", format_text("gravity", off)))
    elif tag == "selfcollide":
        said.own.append(("self_collide", format_text("self_collide", text)))
    elif tag == "dampingfactor":
        inner = format_text("linear", text) + format_text("angular", text)
        said.own.append(("velocity_decay", f"<velocity_decay>{inner}</velocity_decay>"))
    elif tag == "material":
        said.material = text.split()[0] if text.split() else ""
    else:
        return False
    return True


def _take_of_joint(said: Said, tag: str, text: str) -> bool:
    """Takes a setting of a joint, whose tag is in lower case; returns whether it is one."""
    if tag in _DYNAMICS:
        said.dynamics[_DYNAMICS[tag]] = text
    elif tag in _PHYSICS:
        said.physics[_PHYSICS[tag]] = text
    else:
        return False
    return True


def _keep(child: Element, data: bytes, holder: str) -> tuple[str, str]:
    """The tag and the text of an element that is kept."""
    tag, text = child.tag, verbatim(child, data)
    if ":" in tag or tag in _KNOWN[holder].split():
        return tag, _renew_sensor(child, data, text) if tag == "sensor" else text
    text = f"<{_PREFIX}{text[1:]}"
    end = f"</{tag}"
    if end in text[-len(end) - 8 :]:
        before, _, after = text.rpartition(end)
        text = f"{before}</{_PREFIX}{tag}{after}"
    return _PREFIX + tag, text


def _free_names(model: list[tuple[str, str]], taken: set[str]) -> Iterator[tuple[str, str]]:
    """Yields the elements of a model, and the names with a prefix that another part of it has: SDF
    demands that names beside each other differ, of elements that it does not know as well."""
    taken = set(taken)
    for tag, text in model:
        start = _NAMED.match(text) if tag.startswith(_PREFIX) else None
        name = None if start is None else unescape(start[2][1:-1], _QUOTES)
        if start is not None and name in taken:
            text = f"{start[1]}{_PREFIX}{text[start.end(1) :]}"
        elif name is not None:
            taken.add(name)
        yield tag, text


def _renew_sensor(sensor: Element, data: bytes, text: str) -> str:
    """The sensor with words of SDF alone, and with the noise of an IMU as it is since 1.5, by
    axes."""
    for part, holder in ((sensor, "sensor"), *((each, "imu") for each in sensor)):
        if part.tag == holder:
            for child in part:
                text = text.replace(verbatim(child, data), _keep(child, data, holder)[1], 1)
    imu = next((child for child in sensor if child.tag == "imu"), Element())
    noise = next((child for child in imu if child.tag == "noise"), None)
    if noise is None:
        return text
    parts = {child.tag: child for child in noise}
    kind = text_of(parts["type"], data) if "type" in parts else "gaussian"
    new = ""
    for old, tag in (("rate", "angular_velocity"), ("accel", "linear_acceleration")):
        if old in parts and all(child.tag != tag for child in imu):
            numbers = "".join(verbatim(each, data) for each in parts[old])
            said = f"<noise type={quote_attribute(kind)}>{numbers}</noise>"
            new += f"<{tag}>{''.join(f'<{axis}>{said}</{axis}>' for axis in 'xyz')}</{tag}>"
    return text.replace(verbatim(noise, data), new, 1)


def own_elements(said: Said, *, listed: bool = False) -> Iterator[tuple[str, str]]:
    """Yields the elements of a link or joint, of single ones the last; with `listed` only elements
    that may be there several times.
    """
    single = {tag: xml for tag, xml in said.own if tag not in _LISTED}
    if not listed:
        yield from single.items()
    yield from ((tag, xml) for tag, xml in said.own if tag in _LISTED)


def nest(settings: dict[tuple[str, ...], str]) -> str:
    """Returns settings by their places as XML, elements of one way within each other."""
    return "".join(_nest(list(settings.items())))


def _nest(items: list[tuple[tuple[str, ...], str]]) -> Iterator[str]:
    tags = dict.fromkeys(way[0] for way, _ in items)
    for tag in tags:
        below = [(way[1:], text) for way, text in items if way[0] == tag]
        for way, text in below:
            if not way:
                yield format_text(tag, text)
        inner = "".join(_nest([each for each in below if each[0]]))
        if inner:
            yield f"<{tag}>{inner}</{tag}>"
