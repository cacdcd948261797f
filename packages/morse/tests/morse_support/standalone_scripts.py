# SPDX-License-Identifier: GPL-3.0-or-later
"""Builder scripts that run with MORSE and without it; together they use every class and every
method of the stand-alone builder. `report` holds what a script found out itself."""

HEADER = "from urdf_importer.morse.builder import *\n"

# What a scene, or an object, keeps beside what builder_runs looks at.
LOOK = """
import bpy
from urdf_importer_morse.game_engine.storage import read_game

def numbers(values):
    return [round(float(value), 5) for value in values]

def look_at_scene():
    scene = bpy.context.scene
    settings = read_game(scene)["settings"]
    world = scene.world
    return {
        "settings": settings,
        "gravity": numbers(scene.gravity),
        "units": scene.unit_settings.system,
        "camera": scene.camera.name,
        "lens": numbers([scene.camera.data.lens, scene.camera.data.clip_start,
                         scene.camera.data.clip_end]),
        "world": world and numbers(world.color),
        "mist": world and [world.mist_settings.use_mist, world.mist_settings.falloff,
                           *numbers([world.mist_settings.intensity, world.mist_settings.start,
                                     world.mist_settings.depth])],
        "background": scene.background_set and scene.background_set.name,
        "debug": bpy.app.debug,
    }
"""

ARMATURE = """
import bpy
from mathutils import Matrix

def make_armature(name, count, aimed=()):
    data = bpy.data.armatures.new(name)
    item = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number in range(count):
        bone = data.edit_bones.new(f"joint_{number}")
        bone.head = (0.1 * number, 0.0, 0.3 * number)
        bone.tail = (0.1 * number + 0.1, 0.05, 0.3 * number + 0.3)
        bone.roll = 0.4
        bone.parent, parent = parent, bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in aimed:
        item.pose.bones[bone].constraints.new("IK").ik_type = "DISTANCE"
    return item
"""

SENSORS = """
robot = FakeRobot()
accelerometer = Accelerometer()
airspeed = Airspeed()
attitude = Attitude()
barometer = Barometer()
battery = Battery()
clock = Clock()
collision = Collision()
collision.properties(only_objects_with_property="Object")
depth = DepthCamera()
gps = GPS()
gyroscope = Gyroscope()
hokuyo = Hokuyo()
imu = IMU()
infrared = Infrared()
kinect = Kinect()
magnetometer = Magnetometer()
odometry = Odometry()
pose = Pose()
proximity = Proximity()
ptu_posture = PTUPosture()
radar = RadarAltimeter()
rescue = SearchAndRescue()
rescue.properties(Angle=30.0, Distance=4.0, Abilities="3")
semantic = SemanticCamera()
sick = Sick()
ldmrs = SickLDMRS()
stereo = StereoUnit()
thermometer = Thermometer()
velocity = Velocity()
video = VideoCamera()
compound = CompoundSensor([pose, gps])
for number, component in enumerate(AbstractComponent.components):
    if component is not robot and not hasattr(component, "parent"):
        component.translate(x=0.1 * number, y=-0.2, z=0.01 * number)
        component.rotate(x=0.1, y=0.2 * number, z=-0.3)
        robot.append(component)
env = Environment("empty")
env.create()
"""

ACTUATORS = """
robot = FakeRobot("truck")
destination = Destination()
drag = Drag()
force = ExternalForce()
torque = ForceTorque()
joystick = Joystick(index=2)
keyboard = Keyboard()
light = Light()
light.properties(size=0.5, distance=7.0, color="(255, 127, 0)")
mocap = MocapControl()
vw = MotionVW()
diff = MotionVWDiff()
xyw = MotionXYW()
orientation = Orientation()
dynamic = QuadrotorDynamicControl()
attitude = RotorcraftAttitude()
velocity = RotorcraftVelocity()
waypoint = RotorcraftWaypoint()
stabilized = StabilizedQuadrotor()
steer = SteerForce()
teleport = Teleport()
goal = Waypoint("goal")
other_goal = Waypoint()
sound = Sound()
import wave
with wave.open("beep.wav", "wb") as file:
    file.setparams((1, 2, 8000, 0, "NONE", ""))
    file.writeframes(b"\\0\\0" * 800)
sound.open("beep.wav")
for component in list(AbstractComponent.components):
    if component is not robot and not hasattr(component, "parent"):
        robot.append(component)
import bpy
lamp = light.light._bpy_object.data
report = {"lamp": [lamp.type, round(lamp.spot_size, 5), round(lamp.cutoff_distance, 5),
                   lamp.use_custom_distance, list(lamp.color)]}
env = Environment("empty", fastmode=True)
env.create()
"""

STREAMS = """
INTERFACES = ("socket", "ros", "yarp", "yarp_json", "text", "moos", "pocolibs", "mavlink", "hla")
robot = FakeRobot()
made = [kind() for kind in (
    Accelerometer, Airspeed, ArmaturePose, Attitude, Barometer, Battery, Clock, Collision,
    DepthCamera, GPS, Gyroscope, Hokuyo, IMU, Infrared, Magnetometer, Odometry, Pose, Proximity,
    PTUPosture, RadarAltimeter, SearchAndRescue, SemanticCamera, Sick, SickLDMRS, StereoUnit,
    Thermometer, Velocity, VideoCamera, Destination, ExternalForce, ForceTorque, Light, MotionVW,
    MotionVWDiff, MotionXYW, Orientation, QuadrotorDynamicControl, RotorcraftAttitude,
    RotorcraftVelocity, RotorcraftWaypoint, MocapControl, Sound, StabilizedQuadrotor, SteerForce,
    Teleport, Waypoint, Kinect)]
made.append(CompoundSensor(made[:2]))
for number, component in enumerate(made):
    component.name = f"{type(component).__name__.lower()}_{number}"
    robot.append(component)
    for interface in INTERFACES:
        component.add_stream(interface, topic=f"/{interface}/{number}", port=number)
for kind, levels in ((GPS, ("simple", "raw", "extended")), (Hokuyo, ("raw", "rssi", "range")),
                     (Odometry, ("differential", "raw", "integrated"))):
    for level in levels:
        component = kind(f"{kind.__name__.lower()}_{level}")
        component.level(level)
        robot.append(component)
        for interface in INTERFACES:
            component.add_stream(interface)
pose = Pose("pose")
robot.append(pose)
pose.add_stream("ros", "my.module.Publisher")
pose.add_stream("ros", "Publisher", "my/module.py", frame_id="map")
pose.add_stream("mine.Manager", "my.module.Publisher")
pose.add_stream("mine.Manager")
pose.add_stream("socket", direction="IN")
pose.add_stream("socket", classpath="morse.sensors.gps.GPS")
spinning = DepthCamera("spinning")
robot.append(spinning)
spinning.add_stream("ros", classpath="morse.sensors.depth_camera.DepthCameraRotationZ")
pose.add_stream("ros", method="x.Y", classpath="morse.actuators.teleport.Teleport")
pose.add_stream("socket", classpath="morse.actuators.externalForce.ExternalForce")
pose.add_stream("socket", classpath="morse.sensors.nothing.Nothing")
robot.add_stream("socket")
robot.add_stream("socket", method="a.B", direction="OUT")
env = Environment("empty")
env.configure_stream_manager("ros", one=1)
env.configure_stream_manager("ros", two=[2])
env.configure_stream_manager("mine.Manager", three={"a": None})
env.create()
"""

SERVICES = """
robot = FakeRobot()
pose = Pose()
pose.add_service("socket")
pose.add_service("yarp_json")
pose.add_service("socket", config="my.Manager")
pose.add_overlay("ros", "my.Overlay", namingscheme="other")
pose.add_overlay("socket", "my.Overlay", config="my.Manager")
pose.alter("NED")
pose.alter("UTM", direction="IN")
pose.alter(classpath="my.Modifier", gain=2.0)
pose.alter("Noise", pos_std=0.1)
robot.append(pose)
for kind in (GPS, Gyroscope, Odometry, IMU, Destination, Waypoint, Orientation, Teleport):
    component = kind(kind.__name__.lower())
    robot.append(component)
    for modifier in ("NED", "ECEF", "feet", "geodetic", "geocentric", "UTM", "PoseNoise",
                     "IMUNoise", "Noise"):
        try:
            component.alter(modifier)
        except KeyError:
            component.properties(**{f"not_{modifier}": True})
pose.add_service("socket", component=component)
motion = MotionVW()
motion.add_interface("ros", topic="/cmd_vel")
keyboard = Keyboard()
keyboard.add_interface("socket")
robot.append(motion)
robot.append(keyboard)
env = Environment("empty")
env.add_service("socket")
env.configure_service("ros")
env.create()
"""

DEFAULTS = """
robot = FakeRobot()
other = FakeRobot()
pose = Pose()
robot.append(pose)
pose.add_stream("ros", topic="/pose")
gps = GPS()
gps.add_service("ros")
pose.append(gps)
imu = IMU()
gps.append(imu)
cube = Cube("crate")
robot.append(cube)
lost = Odometry()
cube.append(lost)
collision = Collision()
robot.append(collision)
keyboard = Keyboard()
robot.append(keyboard)
kinect = Kinect()
robot.append(kinect)
barometer = Barometer()
other.append(barometer)
robot.add_default_interface("ros")
other.add_default_interface("socket")
env = Environment("empty")
env.create()
"""

NAMES = """
class Scout(FakeRobot):
    def __init__(self, name=None):
        FakeRobot.__init__(self, name)
        self.motion = MotionVW()
        self.append(self.motion)
        inner = Pose()
        self.append(inner)
        self.extra = None
        self.append(GPS())

def build():
    local = Scout()
    eye = VideoCamera()
    local.append(eye)
    return local

class Deep(FakeRobot):
    def mount(self, component):
        self.append(component, level=2)

scout = Scout()
second = Scout("chosen")
built = build()
deep = Deep()
probe = IMU()
deep.mount(probe)
motion = MotionXYW("motion")
scout.append(motion)
again = Pose("motion")
scout.append(again)
third = Pose("motion")
scout.append(third)
unnamed = [Pose(), Pose()]
for one in unnamed:
    second.append(one)
tower = Cube("anything")
named = Cube("else")
named.name = "named"
top = Sphere("top")
tower.append(top)
pose = Pose()
pose.add_stream("socket")
pose.name = "late"
scout.append(pose)
pose = Pose("motion_001")
scout.append(pose)
scout2 = scout
robots = [FakeRobot(), FakeRobot()]
carried = FakeRobot()
scout.append(carried)
on_top = GPS()
carried.append(on_top)
report = {"shown": [str(scout), str(pose), pose.basename]}
env = Environment("empty")
report["after"] = [str(scout), str(pose), motion.name, str(unnamed[0])]
env.create()
"""

CLASS_SCRIPT = """
class World:
    def __init__(self):
        self.robot = FakeRobot()
        self.pose = Pose()
        self.robot.append(self.pose)
        self.finish()

    def finish(self):
        self.env = Environment("empty")

robot = FakeRobot()
gps = GPS()
robot.append(gps)
world = World()
world.env.create()
"""

NO_CREATE = """
robot = FakeRobot()
pose = Pose()
pose.frequency(120)
pose.add_stream("socket")
robot.append(pose)
env = Environment("empty")
env.properties(UTMXOffset=2.0)
"""

NO_RENAMING = (
    """
robot = FakeRobot()
pose = Pose()
pose.frequency(200)
pose.add_stream("socket")
robot.append(pose)
env = Environment("empty", component_renaming=False, auto_tune_time=False)
env.set_time_scale(accelerate_by=6.0)
env.create("node")
"""
    + LOOK
    + """
report = look_at_scene()
"""
)

PLACING = """
robot = FakeRobot()
robot.translate(x=1.0, y=2.0)
robot.translate(z=0.5)
robot.rotate(z=0.3)
robot.rotate(x=0.1, y=-0.2)
robot.scale = (2.0, 1.0, 0.5)
pose = Pose()
pose.location = (0.1, 0.2, 0.3)
pose.rotation_euler = (0.4, 0.5, 0.6)
pose.location.x = 0.7
robot.append(pose)
camera = VideoCamera()
camera.translate(x=0.2)
camera.rotate(x=0.1)
camera.rotate(y=0.2, z=0.3)
camera.rotate(0.01, 0.02, 0.03)
pose.append(camera)
camera.hide_mesh()
camera.hide_mesh(False)
depth = DepthCamera()
depth.rotate(y=1.0)
camera.append(depth)
import bpy
for name in ("arm_link", "arm_link_2", "arm", "hand.L", "finger.001", "deep"):
    link = bpy.data.objects.new(name, None)
    bpy.context.collection.objects.link(link)
    link.parent = bpy.data.objects["arm"] if name in ("hand.L", "finger.001") else robot._bpy_object
    link.location = (0.1 * len(name), 0.0, 0.2)
    if name == "deep":
        link.parent = bpy.data.objects["hand.L"]
bpy.context.view_layer.update()
for number, child in enumerate(("arm_link", "arm_link.007", "arm", "hand.L", "fing", "deep")):
    sensor = GPS(f"gps_{number}")
    sensor.translate(z=0.1)
    robot.append(sensor, child)
def found(*args, **options):
    item = robot.get_child(*args, **options)
    return item and item.name
report = {
    "children": [found(name) for name in
                 ("arm_link", "arm_li", "arm_link_2.003", "hand.L", "hand", "finger", "nothing",
                  "deep", "de", "Pose", "Camera", "")],
    "flat": [found(name, recursive=False) for name in ("deep", "arm", "hand")],
    "among": [found("de", objects=[bpy.data.objects["arm"]]),
              found("arm", objects=[bpy.data.objects["arm_link"]]),
              found("deep", objects=[])],
    "morseable": [robot.is_morseable(), camera.camera.is_morseable()],
    "exportable": [pose.is_exportable(), Keyboard().is_exportable()],
}
pose.mark_unexportable()
report["marked"] = pose.is_exportable()
camera.select()
report["selected"] = [item.name for item in bpy.context.selected_objects]
report["active"] = bpy.context.view_layer.objects.active.name
env = Environment("empty")
env.create()
"""

PROPERTIES = """
robot = FakeRobot()
robot.properties(a=True, b=3, c=2.5, d="text", e=timer(4.0), f=int(5 / 2), g="")
robot.properties(b=4.5, d=False, h=-1, c=timer(1))
robot.properties()
pose = Pose()
pose.frequency(30)
pose.frequency()
pose.frequency(12.5)
pose.profile()
pose.profile()
robot.profile()
pose.level("fine")
robot.append(pose)
report = {"values": [robot.property_value(name) for name in "abcdefghi"],
          "pose": [pose.property_value("frequency"), pose.property_value("Component_Tag")]}
custom = Component("sensors")
plain = Component("props")
quiet = Component("actuators", make_morseable=False)
odd = Component("zones")
custom.name = "custom"
odd.morseable()
odd.morseable("calling.robot_action")
robot.append(custom)
robot.append(quiet)
custom.add_stream("socket")
env = Environment("empty")
env.create()
"""

PHYSICS = """
import bpy
robot = FakeRobot()
robot.set_mass(12.5)
robot.set_rigid_body()
robot.set_collision_bounds()
second = Robot(name="second")
second.set_dynamic()
third = FakeRobot()
third.make_external()
ghost = FakeRobot()
body = Cube("body")
body.color(1.0, 0.5, 0.25)
shell = Sphere("shell")
shell.color(0.0, 0.5, 0.25)
body.append(shell)
ghost.append(body)
ghost.make_ghost(0.4)
painted = FakeRobot()
case = Cylinder("case")
case.color()
bare = Cone("bare")
painted.append(case)
painted.append(bare)
painted.set_color(0.2, 0.4, 0.6)
hand = Cube("the_hand")
robot.append(hand)
robot.make_grasper("the_hand")
robot.make_grasper("the_hand")
slippery = FakeRobot()
slippery.set_friction(3.0)
def materials(component):
    return [[slot.material.name, [round(part, 5) for part in slot.material.diffuse_color],
             slot.material.surface_render_method]
            for slot in component._bpy_object.material_slots]
report = {"materials": [materials(each) for each in (body, shell, case, bare)]}
env = Environment("empty")
env.create()
"""

ARMATURES = (
    ARMATURE
    + """
robot = FakeRobot()
first = make_armature("arm_rig", 3, aimed=["joint_2"])
first.location = (0.1, 0.2, 0.3)
first.rotation_euler = (0.0, 0.0, 0.5)
arm = Armature(armature_name="arm_rig")
robot.append(arm)
arm.create_ik_targets(["joint_0", "joint_1"])
arm_pose = ArmaturePose()
arm.append(arm_pose)
arm.translate(z=0.2)
second = make_armature("leg_rig", 4)
leg = Armature("leg", "leg_rig")
robot.append(leg)
leg_pose = ArmaturePose("pose")
leg.append(leg_pose)
leg.create_ik_targets(["joint_3"])
leg.ik_targets[0][0].parent = robot._bpy_object
state = CompoundSensor([arm_pose, leg_pose], "joint_state")
robot.append(state)
state.add_stream("ros", "morse.middleware.ros.jointstate.JointStatePR2Publisher")
mast = make_armature("mast_rig", 2)
mast_actuator = Armature(None, "mast_rig")
arm.append(mast_actuator)
robot.add_default_interface("socket")
report = {"constraints": [
    [bone.name, aim.type, aim.ik_type, aim.use_rotation, aim.use_tail, bool(aim.target)]
    for rig in (first, second) for bone in rig.pose.bones for aim in bone.constraints]}
env = Environment("empty")
env.create()
report["targets"] = [
    [bone.name, aim.target.name]
    for rig in (first, second) for bone in rig.pose.bones for aim in bone.constraints]
"""
)

ENVIRONMENT = (
    """
import bpy
bpy.data.scenes.new("Backdrop")
robot = FakeRobot()
camera = VideoCamera()
camera.frequency(90)
robot.append(camera)
env = Environment("empty")
env.set_camera_location([1.0, 2.0, 3.0])
env.set_camera_rotation([0.1, 0.2, 0.3])
env.set_camera_clip(clip_start=0.5, clip_end=700.0)
env.set_camera_speed(3.5)
env.set_camera_focal_length(28.0)
env.set_horizon_color((0.1, 0.2, 0.3))
env.enable_mist(True)
env.set_mist_settings(intensity=0.25, start=1.0, depth=50.0, falloff="LINEAR")
env.show_debug_properties(True)
env.show_framerate()
env.show_physics(False)
env.set_gravity(3.72)
env.set_gravity(1)
env.set_material_mode("MULTITEXTURE")
env.set_auto_start()
env.set_time_strategy(TimeStrategies.BestEffort)
env.set_time_scale(slowdown_by=4.0)
env.set_time_scale(slowdown_by=4.0, accelerate_by=2.0)
env.use_relative_time(True)
env.fullscreen()
env.set_stereo(mode="SIDEBYSIDE", eye_separation=0.2)
env.set_animation_record()
env.set_physics_step_sub(5)
env.set_background_scene("Backdrop")
env.set_log_level("core.sensor", "debug")
env.properties(UTMXOffset=100.0, latitude=43.6, note="here")
env.use_internal_syncer()
env.configure_multinode(distribution={"one": ["robot"], "two": []})
"""
    + LOOK
    + """
import logging
env.create("one")
report = {**look_at_scene(), "level": logging.getLogger("morse.core.sensor").level}
"""
)

SPREAD = (
    """
alpha = FakeRobot()
beta = FakeRobot()
crate = Cube("crate")
gps = GPS()
gps.add_stream("socket")
gps.alter("NED")
alpha.append(gps)
imu = IMU()
imu.add_interface("ros")
imu.add_overlay("socket", "my.Overlay")
beta.append(imu)
env = Environment("empty", fastmode=True)
env.place_camera([0.0, 0.0, 9.0])
env.aim_camera([0.0, 0.1, 0.0])
env.simulator_frequency(120, 5, 6)
env.use_vsync("ADAPTIVE")
env.set_time_strategy(TimeStrategies.FixedSimulationStep)
env.set_debug(False)
env.configure_multinode("hla", "10.0.0.1", "4000", {"one": ["beta", "crate"], "two": "alpha"})
env.create("one")
"""
    + LOOK
    + """
report = look_at_scene()
"""
)

TUNED = (
    """
robot = FakeRobot()
pose = Pose()
pose.frequency(150)
robot.append(pose)
env = Environment("empty")
env.create()
"""
    + LOOK
    + """
report = look_at_scene()
"""
)

SHAPES = """
plane = Plane("plane_object")
cube = Cube("cube_object")
sphere = Sphere("sphere_object")
ico = IcoSphere("ico_object")
cylinder = Cylinder("cylinder_object")
cone = Cone("cone_object")
torus = Torus("torus_object")
empty = Empty("empty_object")
frame = Coordsys("frame_object")
spot = Spot("spot_object")
lamp = Spot("lamp_object", "POINT")
camera = Camera("camera_object")
zone = Zone("Charging")
zone.size = (2.0, 3.0, 1.0)
zone.rotate(z=1.0)
zone.translate(x=2.0)
zone.name = "charger"
cube.color(0.5, 0.6, 0.7)
cube.color(0.1, 0.6, 0.7)
cube.scale = (0.5, 0.5, 2.0)
cube.rotate(z=0.2)
cube.append(sphere)
def measure(component):
    item = component._bpy_object
    return [round(float(value), 4) for corner in item.bound_box for value in corner]
report = {"sizes": [measure(each) for each in (plane, cube, cylinder, cone, torus)],
          "lens": [camera._bpy_object.data.lens, camera._bpy_object.data.clip_end],
          "shown": [frame._bpy_object.empty_display_type,
                    round(frame._bpy_object.empty_display_size, 5)]}
env = Environment("empty")
env.create()
"""

RAYS = """
robot = FakeRobot()
hokuyo = Hokuyo()
hokuyo.properties(scan_window=33.0, resolution=0.1)
ldmrs = SickLDMRS()
infrared = Infrared()
infrared.create_laser_arc()
infrared.properties(scan_window=50.0, resolution=2.5)
infrared.create_laser_arc()
own = Sick()
own.properties(layers=3)
for scanner in (hokuyo, ldmrs, infrared, own):
    robot.append(scanner)
env = Environment("empty")
env.create()
import bpy
report = {}
for item in bpy.context.scene.objects:
    if item.name.startswith("Arc_"):
        mesh = item.data
        report[item.name] = [
            item.parent.name,
            [[round(part, 5) for part in vertex.co] for vertex in mesh.vertices],
            [list(face.vertices) for face in mesh.polygons],
        ]
"""

MODELS = """
import bpy
from pathlib import Path
from urdf_importer_morse.game_engine.storage import set_property, set_setting

def make_file(path):
    base = bpy.data.objects.new("cart", None)
    body = bpy.data.objects.new("cart_body", bpy.data.meshes.new("body"))
    wheels = [bpy.data.objects.new(f"Wheel_{side}", bpy.data.meshes.new("wheel")) for side in "LR"]
    light = bpy.data.objects.new("_light", None)
    made = [base, body, *wheels, light]
    for number, item in enumerate(made):
        bpy.context.collection.objects.link(item)
        item.location = (0.1 * number, 0.2, 0.0)
        if item not in (base, light):
            item.parent = base
    set_property(base, "kept", 7)
    set_setting(body, "mass", 3.5)
    bpy.data.libraries.write(path, set(made))
    for item in made:
        bpy.data.objects.remove(item)

make_file("cart.blend")

class Cart(WheeledRobot):
    def __init__(self, name=None):
        WheeledRobot.__init__(self, "cart.blend", name)
        self.properties(classpath="mine.Cart", WheelFLName="Wheel_L", WheelFRName="Wheel_R",
                        WheelRLName="None", WheelRRName="None")

class Crawler(GroundRobot):
    def __init__(self):
        GroundRobot.__init__(self, "cart.blend", None)

class Arm(SensorCreator):
    _classpath = "morse.sensors.pose.Pose"
    _blendname = "cart.blend"
    def __init__(self, name=None):
        SensorCreator.__init__(self, name)
        self.append_meshes(["cart_body"], "cart.blend")

class Box(ActuatorCreator):
    _classpath = "mine.Box"
    def __init__(self, name=None):
        ActuatorCreator.__init__(self, name, ActuatorCreator.USE_BLEND, "cart.blend", "Wheel_L.003")

cart = Cart()
cart.rotate(z=0.3)
pose = Pose()
pose.translate(x=1.0, y=0.5)
pose.rotate(x=0.1)
cart.append(pose)
crawler = Crawler()
crawler.translate(y=3.0)
plain = Robot("cart.blend")
arm = Arm()
plain.append(arm)
crate = PassiveObject("cart.blend", prefix="cart_body")
crate.setgraspable()
crate.setgraspable()
kept = PassiveObject("cart.blend", prefix="Wheel_R", keep_pose=True)
kept.properties(Label="mine")
kept.setgraspable()
env = Environment("cart.blend")
env.create()
"""

SCENES = """
import bpy
wall = bpy.data.objects.new("wall", None)
gate = bpy.data.objects.new("gate", None)
gate.parent = wall
wall.location = (1.0, 2.0, 3.0)
for item in (wall, gate):
    bpy.context.collection.objects.link(item)
bpy.context.scene.name = "Yard"
other = bpy.data.scenes.new("Other")
tree = bpy.data.objects.new("tree", None)
other.collection.objects.link(tree)
bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath("yard.blend"), copy=True)
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
robot = FakeRobot()
robot.translate(x=1.0)
env = Environment("yard.blend", main_scene="Yard")
env.create()
"""

ABSENT = """
from urdf_importer.core.diagnostics import RobotError
report = {}
for kind in (ATRV, KukaLWR, Velodyne, PTU, Human, BasePR2):
    try:
        kind()
    except RobotError as error:
        report[kind.__name__] = [isinstance(error, FileNotFoundError), str(error)]
class Mine(Morsy):
    pass
try:
    Mine("mine")
except RobotError as error:
    report["Mine"] = [isinstance(error, FileNotFoundError), str(error)]
robot = FakeRobot()
env = Environment("indoors-1/indoor-1")
env.create()
"""

ERRORS = """
import bpy
report = {"errors": []}
def attempt(action, *args, **options):
    try:
        action(*args, **options)
    except (Exception, SystemExit) as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        report["errors"].append([kinds, str(error)])
    else:
        report["errors"].append(None)

def assign(component, name, value):
    setattr(component, name, value)

robot = FakeRobot()
pose = Pose()
robot.append(pose)
gps = GPS()
cube = bpy.data.objects.new("cube", None)
bpy.context.collection.objects.link(cube)
keyboard = Keyboard()
before = len(bpy.data.objects)
attempt(robot.append, gps, "no_such_link")
attempt(robot.append, cube)
attempt(robot.append, None)
attempt(robot.append, robot)
attempt(assign, pose, "name", "with.dots")
attempt(assign, pose, "name", "")
attempt(pose.add_service, "text")
attempt(pose.add_service, "nothing")
attempt(pose.add_interface, "moos")
attempt(pose.add_overlay, "nothing", "x.Y")
attempt(pose.alter, "nothing")
attempt(pose.alter, "IMUNoise")
attempt(pose.add_stream, "socket", classpath="nodots")
attempt(pose.alter, classpath="x.Y", direction="IN")
gps.level("no_such_level")
attempt(gps.add_stream, "socket")
attempt(keyboard.add_stream, "socket")
attempt(Armature)
attempt(Armature, "name")
attempt(Armature, armature_name="no_such_object")
attempt(Armature, armature_name="cube")
attempt(Robot, "no_such_file.blend")
attempt(Component, "sensors", "no_such_file")
attempt(PassiveObject, "no_such_file.blend")
attempt(robot.make_external)
attempt(robot.make_external)
attempt(robot.make_grasper, "no_such_object")
attempt(robot.properties, value=[1, 2])
attempt(robot.properties, value=None)
attempt(Spot, "spot", "NO_SUCH_LIGHT")
attempt(robot.get_child, 7)
attempt(Environment, "no_such_world.blend")
attempt(Sound("sound").open, "no_such_sound.wav")
bpy.data.objects.remove(bpy.data.objects["sound"])
bpy.context.view_layer.update()
report["made"] = len(bpy.data.objects) - before
# MORSE stumbles over what could not be made.
AbstractComponent.components[:] = [
    each for each in AbstractComponent.components
    if each._bpy_object and each.basename != "sound"
    and hasattr(each, "default_interface") == isinstance(each, Robot)
]
env = Environment("empty")
attempt(env.add_service, "nothing")
attempt(env.set_time_strategy, 7)
attempt(env.set_background_scene, "no_such_scene")
attempt(env.set_log_level, "core", "loudly")
attempt(env.use_vsync, "SOMETIMES")
attempt(env.set_material_mode, "NO_SUCH_MODE")
attempt(env.set_viewport, "NO_SUCH_SHADE")
attempt(env.set_stereo, "NO_SUCH_MODE")
attempt(env.set_mist_settings, falloff="NO_SUCH_FALLOFF")
env.create()
"""

DESCRIBED = """
from pathlib import Path
import urdf_importer

samples = Path(urdf_importer.__file__).resolve().parents[1] / "sample_urdfs"
robot = URDFRobot(samples / "humanoid_arm.urdf")
robot.translate(x=1.0, z=0.5)
robot.rotate(z=0.3)
arm = robot.armature()
links = list(robot.links)
camera = VideoCamera()
camera.translate(x=0.1)
robot.append(camera, link=links[-1])
gps = GPS()
robot.append(gps)
state = robot.joint_state()
robot.set_joints({list(robot.joints)[0]: 0.3})
robot.create_ik_targets()
other = Robot(str(samples / "gripper.urdf"), name="other")
motion = MotionVW()
other.append(motion)
robot.add_default_interface("socket")
other.add_default_interface("ros")
report = {"links": links, "joints": list(robot.joints), "child": robot.get_child(links[1]).name}
env = Environment("empty")
env.create()
"""

AGAIN = """
import ast
import bpy
report = {}

def run(component, robot="robot", end="Environment('empty').create()"):
    text = f'''
from urdf_importer_morse.builder import *
{robot} = FakeRobot()
{component} = {component.upper() if len(component) == 3 else component.title()}()
{component}.add_stream("socket")
{robot}.append({component})
{end}
'''
    exec(compile(text, "<script>", "exec"), {"__name__": "__main__"})

def streams():
    text = bpy.data.texts["component_config.py"].as_string()
    first = ast.parse(text).body[0]
    return sorted(ast.literal_eval(first.value))

run("pose")
report["first"] = streams()
run("gps", "other")
report["second"] = streams()
run("odometry", end="")
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
run("imu")
report["opened"] = streams()
try:
    run("velocity", end="Robot('no_such_file.blend')")
except FileNotFoundError:
    pass
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
run("clock")
report["broken"] = streams()
"""

LOST = """
import bpy
robot = FakeRobot()
pose = Pose()
pose.add_stream("socket")
robot.append(pose)
gps = GPS()
robot.append(gps)
gps.select()
bpy.data.objects.remove(gps._bpy_object)
Cube("anything")
try:
    lost = Robot("no_such_file.blend")
except FileNotFoundError:
    pass
env = Environment("empty")
env.create()
"""

STRAY = """
robot = FakeRobot()
pose = Pose()
pose.add_stream("socket")
pose.name = "late"
robot.append(pose)
imu = IMU("imu_" + "x" * 300)
robot.append(imu)
imu.add_stream("socket")
right = GPS()
right.name = "right"
right.add_stream("socket")
robot.append(right)
env = Environment("empty")
env.create()
"""

SAME: dict[str, str] = {
    "sensors": SENSORS,
    "actuators": ACTUATORS,
    "streams": STREAMS,
    "services": SERVICES,
    "defaults": DEFAULTS,
    "names": NAMES,
    "class_script": CLASS_SCRIPT,
    "no_create": NO_CREATE,
    "no_renaming": NO_RENAMING,
    "placing": PLACING,
    "properties": PROPERTIES,
    "physics": PHYSICS,
    "armatures": ARMATURES,
    "environment": ENVIRONMENT,
    "spread": SPREAD,
    "tuned": TUNED,
    "shapes": SHAPES,
    "rays": RAYS,
    "models": MODELS,
    "described": DESCRIBED,
}
"""Each leaves the same with MORSE and without it."""
