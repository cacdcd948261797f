# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of all packages share: a clean Blender profile, and how long hypothesis searches.
Their conftest.py imports it before anything of Blender."""

import atexit
import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

# Blender reads this when bpy is imported, so it must be set before any test module is read. A
# folder of its own for every process: tests run side by side, and never see the user's profile.
# $TEST_PROFILE is one that was made for the tests: libraries for a Blender program lie in it.
_profile = os.environ.get("TEST_PROFILE", "")
if not _profile:
    _profile = tempfile.mkdtemp(prefix="urdf-importer-profile-")
    atexit.register(shutil.rmtree, _profile, ignore_errors=True)
os.environ["BLENDER_USER_RESOURCES"] = _profile
os.environ["XDG_CACHE_HOME"] = os.environ["LOCALAPPDATA"] = os.path.join(_profile, "cache")

# No deadline: the first example pays for what others find made. The same examples every time, here
# and in CI, unless HYPOTHESIS_PROFILE=explore asks for new ones.
_slow_is_fine = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("explore", deadline=None, suppress_health_check=_slow_is_fine)
settings.register_profile("default", settings.get_profile("explore"), derandomize=True)
settings.register_profile("ci", settings.get_profile("default"), print_blob=True)
# Where the same tests run in another Blender, too; tests that name a number keep it.
settings.register_profile("brief", settings.get_profile("ci"), max_examples=30)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def mistakes_in_planning_loops_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an import would bear, a test does not."""
    from urdf_importer.core.kinematics.loops import closings

    monkeypatch.setattr(closings, "FAILURES", ())
