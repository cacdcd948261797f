# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages beyond ROS, as trees: JSON and Protocol Buffers."""
