# SPDX-License-Identifier: GPL-3.0-or-later
"""People's motion onto robots, as arrays. Knows neither Blender nor other files than BVH.

Points of a person -> its limbs -> the robot's limbs -> targets -> positions of all joints in all
frames -> feet that stay where they are.
"""
