# SPDX-License-Identifier: GPL-3.0-or-later
# Says in found.json how Godot 3 sees the scenes of asked.json, a list of
#   {"file": "a.glb", "times": {clip: [seconds]}, "joints": {joint: value}}
# Joints are turned by hand with joints.gd, the sample of docs/how-to/engines.md.
extends SceneTree

func _init():
	var found = []
	for each in read("res://asked.json"):
		found.append(look(each))
	var file = File.new()
	file.open("res://found.json", File.WRITE)
	file.store_string(JSON.print(found))
	file.close()
	quit()

func read(path):
	var file = File.new()
	file.open(path, File.READ)
	return JSON.parse(file.get_as_text()).result

func look(asked):
	var scene = load("res://" + asked["file"]).instance()
	get_root().add_child(scene)
	var skeleton = find(scene, "Skeleton")
	var player = find(scene, "AnimationPlayer")
	var mesh = find(scene, "MeshInstance")
	var found = {"rest": poses(skeleton), "mesh": mesh.name, "clips": {}, "shown": {}}
	for clip in player.get_animation_list() if player else []:
		found["clips"][clip] = player.get_animation(clip).length
	for clip in asked["times"]:
		player.play(clip)
		found["shown"][clip] = []
		for time in asked["times"][clip]:
			player.seek(time, true)
			found["shown"][clip].append(poses(skeleton))
		player.stop()
	for bone in skeleton.get_bone_count():
		skeleton.set_bone_pose(bone, Transform())
	if asked["joints"]:
		var robot = load("res://joints.gd").new()
		robot.open(scene, "res://" + asked["file"].get_basename() + ".physics.json")
		for joint in asked["joints"]:
			robot.set_joint(joint, asked["joints"][joint])
		found["by_hand"] = poses(skeleton)
		robot.free()
	found["materials"] = materials(mesh)
	get_root().remove_child(scene)
	scene.free()
	return found

func find(node, type):
	if node.is_class(type):
		return node
	for child in node.get_children():
		var inside = find(child, type)
		if inside:
			return inside
	return null

# bone -> its frame in the scene, row by row: 3 x 4
func poses(skeleton):
	var found = {}
	var place = Transform()
	var node = skeleton
	while node is Spatial:
		place = node.transform * place
		node = node.get_parent()
	for index in skeleton.get_bone_count():
		var pose = place * skeleton.get_bone_global_pose(index)
		var rows = []
		for row in 3:
			rows.append([pose.basis.x[row], pose.basis.y[row], pose.basis.z[row], pose.origin[row]])
		found[skeleton.get_bone_name(index)] = rows
	return found

# name -> [red, green, blue, metallic], as the engine shows sRGB
func materials(mesh):
	var found = {}
	for index in mesh.mesh.get_surface_count():
		var material = mesh.mesh.surface_get_material(index)
		var color = material.albedo_color
		found[material.resource_name] = [color.r, color.g, color.b, material.metallic]
	return found
