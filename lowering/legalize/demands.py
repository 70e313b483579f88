"""The demands of operators on sizes, as checks of the prim func."""

from __future__ import annotations

from collections.abc import Iterable

from relax_dialect import te
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, run_time_message


def requirements(op: OperatorOp, demands: Iterable[Demand]) -> list[te.Requirement]:
    """Return the demands on sizes that are not proved, to be checked before anything is computed."""
    return [
        te.Requirement(
            f"{op.name}: {run_time_message(demand)}", demand.size, (demand.wanted,), True
        )
        for demand in demands
        if demand.size is not demand.wanted
    ]
