"""Values added to zeros at indices, as gradients of tables are: sums over ranks if the values are cut."""

from __future__ import annotations

from xdsl.ir import SSAValue

from relax_dialect.ops import scattering as ops
from relax_dialect.ops.create import ZerosLikeOp, ZerosOp
from relax_dialect.sharding.registry import Factors, aligned, named, shape_of, shards


@shards(ops.IndexPutOp)
def index_put(op: ops.IndexPutOp) -> Factors | None:
    if not op.accumulate or not is_zero(op.data) or len(op.indices) != 1:
        return None
    (indices,), rank = op.indices, len(shape_of(op.data))
    data, at = (None, *named(rank)[1:]), named(len(shape_of(indices)), prefix="i")
    places = op.places(shape_of(op.data), shape_of(indices))
    ((values,), names) = aligned([shape_of(op.values)], places)
    renamed = dict(zip(names, (*at, *data[1:])))
    own = tuple(renamed[name] if name is not None else None for name in values)
    if any(name is None for name in own):
        return None
    return Factors([data, at, own], [data], dict.fromkeys(at, "sum"))  # pyright: ignore


def is_zero(value: SSAValue) -> bool:
    """Return whether a value is made of zeros alone."""
    return isinstance(value.owner, ZerosOp | ZerosLikeOp)
