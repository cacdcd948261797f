# SPDX-License-Identifier: GPL-3.0-or-later
"""Parquet files by NumPy alone, so that datasets are read and written within Blender too.

Sources: the formats of Apache Parquet 2.11, and Thrift's compact protocol.
"""
