# SPDX-License-Identifier: GPL-3.0-or-later
"""Links and joints as Webots has them."""
