# SPDX-License-Identifier: GPL-3.0-or-later
"""The ranges of joints as wires beside them, each under the empty of the link it stands in."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..rig.limit_marks import draw_limits
from ..rig.rig_plan import LimitMarkPlan
from . import properties
from .ledger import Ledger
from .links import place


def build_limit_marks(
    plans: Sequence[LimitMarkPlan], links: Mapping[str, Any], collection: Any, ledger: Ledger
) -> None:
    """Makes them into the collection. They are seen through the robot and never rendered, and a
    click goes through them."""
    for plan in plans:
        name = f"{plan.joint}_limits"
        mesh = ledger.new_mesh(name)
        points, edges = draw_limits(plan)
        mesh.from_pydata(points.tolist(), edges, ())
        mark = ledger.new_object(name, mesh)
        mark.parent = links[plan.parent]
        place(mark, plan.place)
        mark.display_type = "WIRE"
        mark.show_in_front = True
        mark.hide_render = True
        mark.hide_select = True
        mark[properties.LIMITS_OF] = plan.joint
        collection.objects.link(mark)
