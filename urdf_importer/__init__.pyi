# SPDX-License-Identifier: GPL-3.0-or-later
# Written by tools/check_api.py --record
from typing import Any

from .core import (
    reshape as reshape,
)
from .core.blender.curves import (
    set_frame_rate as set_frame_rate,
)
from .core.blender.save import (
    new_file as new_file,
    open_blend as open_blend,
    save_blend as save_blend,
)
from .core.blender.semantics.apply import (
    extract_semantics as extract_semantics,
)
from .core.blender.standing.finishes import (
    set_material_preset as set_material_preset,
)
from .core.blender.standing.mirrored import (
    mirror_pose as mirror_pose,
)
from .core.blender.standing.placing import (
    place_robots as place_robots,
)
from .core.blender.standing.pose import (
    get_joint_positions as get_joint_positions,
    link_pose as link_pose,
    set_joint_positions as set_joint_positions,
)
from .core.blender.standing.robot_table import (
    find_robots as find_robots,
)
from .core.blender.standing.whole import (
    delete_robot as delete_robot,
    duplicate_robot as duplicate_robot,
)
from .core.blender.update.reset import (
    reset_parts as reset_parts,
)
from .core.diagnostics import (
    ArgumentError as ArgumentError,
    BuildError as BuildError,
    ConnectError as ConnectError,
    Diagnostic as Diagnostic,
    Diagnostics as Diagnostics,
    KinematicsError as KinematicsError,
    MeshError as MeshError,
    ReadError as ReadError,
    RobotError as RobotError,
    Severity as Severity,
    WriteError as WriteError,
)
from .core.kinematics.conventions import (
    Convention as Convention,
)
from .core.kinematics.drive import (
    DriveOptions as DriveOptions,
)
from .core.kinematics.link_path_file import (
    write_link_path as write_link_path,
)
from .core.kinematics.loops import (
    close_loops as close_loops,
    forward_kinematics as forward_kinematics,
    trace_loops as trace_loops,
)
from .core.kinematics.semantic_groups import (
    group_joints as group_joints,
)
from .core.model import (
    CollisionPair as CollisionPair,
    Dynamics as Dynamics,
    Limit as Limit,
    Link as Link,
    Mimic as Mimic,
    Pose as Pose,
    Robot as Robot,
    Semantics as Semantics,
)
from .core.model.device import (
    WebotsDevice as WebotsDevice,
)
from .core.options import (
    ExportOptions as ExportOptions,
    FileOptions as FileOptions,
    ImportOptions as ImportOptions,
    PlacementOptions as PlacementOptions,
    StartOptions as StartOptions,
)
from .core.pipeline.converting import (
    convert_description as convert_description,
)
from .core.pipeline.exporting import (
    export_robot as export_robot,
)
from .core.pipeline.extracting import (
    compare_with_description as compare_with_description,
    extract_robot as extract_robot,
    find_reshaped as find_reshaped,
)
from .core.pipeline.formats import (
    find_writer as find_writer,
    reader_formats as reader_formats,
    writer_formats as writer_formats,
)
from .core.pipeline.importing import (
    ImportResult as ImportResult,
    import_robot as import_robot,
    import_steps as import_steps,
    list_models as list_models,
    list_xacro_arguments as list_xacro_arguments,
    read_robot as read_robot,
)
from .core.pipeline.locating import (
    find_package_folders as find_package_folders,
    locate_package as locate_package,
)
from .core.pipeline.reshaping import (
    Reshaping as Reshaping,
    reshape_robot as reshape_robot,
)
from .core.pipeline.updating import (
    UpdateResult as UpdateResult,
    compare_with_source as compare_with_source,
    update_robot as update_robot,
)
from .core.progress import (
    Progress as Progress,
)
from .core.readers.formats import (
    ReaderFormat as ReaderFormat,
)
from .core.reshape import (
    adapt_srdf as adapt_srdf,
)
from .core.reshape.compare import (
    Change as Change,
)
from .core.rig import (
    RigPlan as RigPlan,
    plan_rig as plan_rig,
)
from .core.sensors.placed import (
    PlacedSensor as PlacedSensor,
)
from .core.writers.formats import (
    WriterFormat as WriterFormat,
    Written as Written,
)
from .features.batch.dataset import (
    DatasetResult as DatasetResult,
    make_dataset as make_dataset,
)
from .features.batch.options import (
    BatchOptions as BatchOptions,
)
from .features.batch.records import (
    BatchRecord as BatchRecord,
    BatchResult as BatchResult,
)
from .features.batch.run import (
    batch as batch,
)
from .features.build.axes import (
    FittedAxis as FittedAxis,
    fit_circle as fit_circle,
    fit_cylinder as fit_cylinder,
)
from .features.build.blender.links import (
    edit_joint as edit_joint,
    make_link as make_link,
    new_robot as new_robot,
    remove_link as remove_link,
)
from .features.build.blender.pick import (
    fit_axis as fit_axis,
)
from .features.build.blender.split import (
    split_object as split_object,
)
from .features.build.inertials import (
    ComputedInertials as ComputedInertials,
    compute_inertials as compute_inertials,
)
from .features.build.options import (
    InertiaOptions as InertiaOptions,
    RangeOptions as RangeOptions,
)
from .features.build.ranges import (
    FoundRanges as FoundRanges,
    find_ranges as find_ranges,
)
from .features.collisions.check import (
    avoid_collisions as avoid_collisions,
    check_collisions as check_collisions,
)
from .features.collisions.disabled_pairs import (
    find_disabled_collisions as find_disabled_collisions,
    replace_disabled as replace_disabled,
)
from .features.collisions.fit import (
    CollisionOptions as CollisionOptions,
    FittedCollisions as FittedCollisions,
    FittedLink as FittedLink,
    fit_collisions as fit_collisions,
)
from .features.collisions.options import (
    CheckOptions as CheckOptions,
)
from .features.collisions.report import (
    CollisionReport as CollisionReport,
    LinkContact as LinkContact,
)
from .features.driving.blender.bake import (
    bake_drive as bake_drive,
)
from .features.driving.blender.grasp import (
    grasp as grasp,
    release as release,
)
from .features.driving.blender.velocity import (
    bake_velocity as bake_velocity,
)
from .features.ik.blender.bake import (
    bake_ik as bake_ik,
)
from .features.ik.blender.live import (
    add_ik as add_ik,
    remove_ik as remove_ik,
)
from .features.ik.blender.solve import (
    solve_ik as solve_ik,
)
from .features.ik.many import (
    inverse_kinematics_many as inverse_kinematics_many,
)
from .features.ik.options import (
    IKOptions as IKOptions,
    RigIKOptions as RigIKOptions,
)
from .features.ik.solve import (
    IKResult as IKResult,
    find_solutions as find_solutions,
    inverse_kinematics as inverse_kinematics,
)
from .features.live.blender.live import (
    connect as connect,
)
from .features.live.link import (
    LiveLink as LiveLink,
)
from .features.live.options import (
    LiveOptions as LiveOptions,
)
from .features.motion.blender.apply import (
    apply_trajectory as apply_trajectory,
)
from .features.motion.blender.episodes import (
    record_episode_steps as record_episode_steps,
    record_episodes as record_episodes,
)
from .features.motion.blender.sample import (
    sample_trajectory as sample_trajectory,
)
from .features.motion.datasets.episodes import (
    Episode as Episode,
    EpisodeOptions as EpisodeOptions,
)
from .features.motion.datasets.servo_frames import (
    write_servo_frames as write_servo_frames,
)
from .features.motion.fitting.servos import (
    Servo as Servo,
    read_servos as read_servos,
    write_servos as write_servos,
)
from .features.motion.limits import (
    JointLimits as JointLimits,
    Violation as Violation,
)
from .features.motion.messages.description import (
    find_description as find_description,
)
from .features.motion.motions import (
    check_trajectory as check_trajectory,
    find_limits as find_limits,
    read_trajectory as read_trajectory,
    retime_trajectory as retime_trajectory,
    write_episodes as write_episodes,
    write_trajectory as write_trajectory,
)
from .features.motion.options import (
    MotionOptions as MotionOptions,
    RetimeOptions as RetimeOptions,
)
from .features.motion.recordings.formats import (
    motion_formats as motion_formats,
)
from .features.motion.recordings.read import (
    list_topics as list_topics,
)
from .features.motion.recordings.topics import (
    Topic as Topic,
)
from .features.motion.trajectory import (
    FrameTrack as FrameTrack,
    Trajectory as Trajectory,
)
from .features.proof.compare import (
    ProofRow as ProofRow,
)
from .features.proof.findings import (
    write_findings as write_findings,
)
from .features.proof.lint import (
    check_robot as check_robot,
)
from .features.proof.options import (
    LintOptions as LintOptions,
    ProofOptions as ProofOptions,
)
from .features.proof.prove import (
    Proof as Proof,
    prove_export as prove_export,
)
from .features.proof.repair import (
    Repair as Repair,
    repair_robot as repair_robot,
)
from .features.retargeting.options import (
    Contact as Contact,
    LimbReport as LimbReport,
    Pair as Pair,
    RetargetOptions as RetargetOptions,
    RetargetResult as RetargetResult,
)
from .features.retargeting.retarget import (
    find_pairs as find_pairs,
    retarget as retarget,
    retarget_steps as retarget_steps,
)
from .features.sensing.dataset import (
    DatasetOptions as DatasetOptions,
)
from .features.sensing.options import (
    RecordOptions as RecordOptions,
    SenseOptions as SenseOptions,
)
from .features.sensing.reading import (
    Reading as Reading,
)
from .features.sensing.record import (
    record_sensors as record_sensors,
)
from .features.sensing.sense import (
    find_sensors as find_sensors,
    sense as sense,
)
from .features.simulation.options import (
    Push as Push,
    SimulationOptions as SimulationOptions,
)
from .features.simulation.simulate import (
    simulate as simulate,
    simulation_steps as simulation_steps,
)
from .features.simulation.states import (
    MotorEffort as MotorEffort,
    Overload as Overload,
    SimulatedRobot as SimulatedRobot,
    Simulation as Simulation,
)
from .features.studio.blender.asset import (
    mark_as_asset as mark_as_asset,
)
from .features.studio.blender.render import (
    render_preview as render_preview,
)
from .features.studio.blender.stage import (
    build_studio as build_studio,
    remove_studio as remove_studio,
)
from .features.waypoints.blender.bake import (
    bake_waypoints as bake_waypoints,
)
from .features.waypoints.blender.bake_path import (
    bake_path as bake_path,
    trace_path as trace_path,
)
from .features.waypoints.blender.objects import (
    get_waypoints as get_waypoints,
    record_waypoint as record_waypoint,
    set_waypoints as set_waypoints,
)
from .features.waypoints.files import (
    read_waypoints as read_waypoints,
    write_waypoints as write_waypoints,
)
from .features.waypoints.model import (
    Plan as Plan,
    PlanProblem as PlanProblem,
    PlannedMove as PlannedMove,
    Waypoint as Waypoint,
)
from .features.waypoints.options import (
    PlanOptions as PlanOptions,
)
from .features.waypoints.plan import (
    plan_waypoints as plan_waypoints,
)
from .features.waypoints.swivel import (
    Swivel as Swivel,
    find_swivel as find_swivel,
    turn_elbow as turn_elbow,
)
from .features.waypoints.tools import (
    set_tool as set_tool,
)
from .formats.engines.export import (
    EngineOptions as EngineOptions,
)
from .formats.mjcf.write.options import (
    MjcfOptions as MjcfOptions,
)
from .formats.ros2.write.options import (
    Ros2Options as Ros2Options,
)
from .formats.sdf.write.options import (
    SdfOptions as SdfOptions,
)
from .formats.srdf.files import (
    apply_srdf as apply_srdf,
    find_srdf as find_srdf,
    read_srdf as read_srdf,
    write_srdf as write_srdf,
)
from .formats.urdf.files import (
    UrdfOptions as UrdfOptions,
    write_urdf as write_urdf,
)
from .formats.urdf.xacro.expand import (
    XacroArgument as XacroArgument,
)
from .formats.webots.write.options import (
    WebotsOptions as WebotsOptions,
)
from .formats.worlds.export import (
    export_world as export_world,
)
from .formats.worlds.importing import (
    World as World,
    import_world as import_world,
    import_world_steps as import_world_steps,
)

__all__: list[str]
__version__: str
MorseOptions: Any
check_morse_profile: Any
write_builder_script: Any
