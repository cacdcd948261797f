# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that webots_ros2_driver needs beside a PROTO."""
