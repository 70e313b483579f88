"""What xDSL's own tools find through the `xdsl.universe` entry point: dialect, passes and target."""

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

from lowering.pipeline import PASSES


def _dialect() -> Dialect:
    from relax_dialect.dialect import Relax

    return Relax


def _to_loops() -> type[ModulePass]:
    from lowering.to_loops import ToLoopsPass

    return ToLoopsPass


def _c_target() -> type[Target]:
    from lowering.emit_c.target import CTarget

    return CTarget


RELAX_UNIVERSE = Universe(
    all_dialects={"relax": _dialect},
    all_passes={**PASSES, "relax-to-loops": _to_loops},
    all_targets={"c": _c_target},
)
