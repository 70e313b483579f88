"""What xDSL's own tools find through the `xdsl.universe` entry point: dialect, passes and target."""

from xdsl.ir import Dialect
from xdsl.universe import Universe
from xdsl.utils.target import Target

from lowering.pipeline import ALL_PASSES


def _dialect() -> Dialect:
    from relax_dialect.dialect import Relax

    return Relax


def _c_target() -> type[Target]:
    from lowering.emit_c.target import CTarget

    return CTarget


RELAX_UNIVERSE = Universe(
    all_dialects={"relax": _dialect},
    all_passes=dict(ALL_PASSES),
    all_targets={"c": _c_target},
)
