# SPDX-License-Identifier: GPL-3.0-or-later
"""What a public function is handed by mistake is named in one sentence, in every one of them."""
