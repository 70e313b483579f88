"""Products: summed dimensions leave sums over ranks."""

from __future__ import annotations

from relax_dialect.ops import linear_algebra as ops
from relax_dialect.sharding.registry import Factors, Labels, aligned, shape_of, shards


@shards(ops.MatmulOp)
def matmul(op: ops.MatmulOp) -> Factors | None:
    a, b = (shape_of(x) for x in op.operands)
    if min(len(a), len(b)) < 2:
        return None
    (left, right), batch = aligned([a[:-2], b[:-2]], shape_of(op.result)[:-2], "b")
    return Factors([(*left, "i", "k"), (*right, "k", "j")], [(*batch, "i", "j")], {"k": "sum"})


@shards(ops.LinearOp)
def linear(op: ops.LinearOp) -> Factors | None:
    rank = len(shape_of(op.x))
    if len(shape_of(op.weight)) != 2:
        return None
    rows = tuple(f"i{axis}" for axis in range(rank - 1))
    operands: list[Labels] = [(*rows, "k"), ("j", "k")]
    if op.bias is not None:  # it would be added once for each rank
        operands = [(*rows, None), ("j", None), ("j",) * len(shape_of(op.bias))]
    return Factors(operands, [(*rows, "j")], {"k": "sum"})


@shards(ops.EinsumOp)
def einsum(op: ops.EinsumOp) -> Factors | None:
    text = op.subscripts.replace(" ", "")
    if "." in text or "->" not in text:
        return None
    left, _, right = text.partition("->")
    operands = [tuple(each) for each in left.split(",")]
    if any(len(set(each)) < len(each) for each in operands):
        return None
    summed = {letter for each in operands for letter in each} - set(right)
    return Factors(operands, [tuple(right)], dict.fromkeys(summed, "sum"))
