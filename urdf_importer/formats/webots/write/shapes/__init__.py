# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes, looks and contacts as Webots has them."""
