# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that a child process of a batch is given."""

import base64
import io

from urdf_importer.features.batch.child import _work


def test_options_of_a_class_that_the_child_does_not_have_fail_that_task_alone() -> None:
    line = base64.b64encode(b"cno_such_module\nOptions\n.") + b"\n"
    done = _work(line, io.BytesIO(), {})["done"]
    assert done["status"] == "failed" and "'no_such_module'" in done["error"]
