# SPDX-License-Identifier: GPL-3.0-or-later
"""LeRobot's datasets of episodes, read and written, and Parquet as a plain table."""
