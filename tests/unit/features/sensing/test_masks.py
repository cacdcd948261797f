# SPDX-License-Identifier: GPL-3.0-or-later
"""Outlines of masks, as pycocotools fills them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from pycocotools import mask as masks
from scipy.ndimage import binary_fill_holes, label

from urdf_importer.features.sensing.masks import list_polygons

# Of pycocotools itself, with numpy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=st.booleans()))
def test_polygons_fill_the_mask(mask):
    found = list_polygons(mask)
    if not mask.any():
        assert found == []
        return
    filled = binary_fill_holes(mask, np.ones((3, 3)))
    polygons = [[float(each) for each in polygon] for polygon in found]
    runs = masks.merge(masks.frPyObjects(polygons, *mask.shape))
    np.testing.assert_array_equal(masks.decode(runs), filled)
    assert len(found) == label(mask)[1]


def test_corners_of_pixels():
    assert list_polygons(np.ones((2, 3), bool)) == [[3, 0, 3, 2, 0, 2, 0, 0]]
