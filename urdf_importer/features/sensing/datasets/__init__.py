# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of pictures in the layouts of programs that learn from them."""
