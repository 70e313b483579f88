"""Rules to infer the results of operators: broadcasting, one element type or size of several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.symbolic import SymbolicOverflow

BOOL = IntegerType(1)


def common_dtype(
    op: OperatorOp, lhs: TensorType, rhs: TensorType, constraint: str = "C1"
) -> Attribute | None:
    """Return the one element type of both operands, None if it is unknown."""
    if lhs.dtype is None or rhs.dtype is None:
        return None
    if lhs.dtype != rhs.dtype:
        op.fail(
            f"operands of one element type ({constraint})",
            f"{lhs.dtype} and {rhs.dtype}",
            "convert one of them with relax.astype",
        )
    return lhs.dtype


def broadcast_dim(op: OperatorOp, a: Dim, b: Dim, constraint: str) -> Dim:
    """Return the size that two sizes broadcast to, None if one of them is unknown and may decide."""
    if a is not None and b is not None:
        try:
            return symbolic.broadcast(a, b)
        except SymbolicOverflow:
            return None
        except SymbolicError:
            op.fail(
                f"sizes that broadcast: equal, or one of them 1 ({constraint})",
                f"{a} and {b}",
                "reshape or slice one of the operands",
            )
    known = a if a is not None else b
    if known is not None and symbolic.provably_different(known, symbolic.const(1)):
        return known
    return None


def broadcast_dims(
    op: OperatorOp, a: Dims | None, b: Dims | None, constraint: str = "C2"
) -> Dims | None:
    """Return the shape that two shapes broadcast to, as numpy does: aligned at the last dimension."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    one = symbolic.const(1)
    padded_a = (one,) * (rank - len(a)) + a
    padded_b = (one,) * (rank - len(b)) + b
    return tuple(broadcast_dim(op, x, y, constraint) for x, y in zip(padded_a, padded_b))


def broadcast_shapes(op: OperatorOp, values: Sequence[SSAValue], constraint: str) -> Dims | None:
    """Return the shape that several tensors broadcast to; the known shapes must broadcast in any case."""
    shapes = [tensor_type(value).shape for value in values]
    known = [shape for shape in shapes if shape is not None]
    found = reduce(lambda a, b: broadcast_dims(op, a, b, constraint), known) if known else ()
    return found if len(known) == len(shapes) else None


def require_same_size(op: OperatorOp, old: Sequence[Dim], new: Sequence[Dim]) -> None:
    """Refuse a new shape that provably holds another number of elements, unless both hold none."""
    if None in old or None in new:
        return
    before, after = symbolic.product(old), symbolic.product(new)  # pyright: ignore
    if symbolic.differ_unless_empty(before, after):
        op.fail(
            f"a shape of as many elements as {dims_text(tuple(old))}, which is {before} (C1)",
            f"{dims_text(tuple(new))} of {after}",
            "correct the new shape",
        )


def shared_dtype(
    op: OperatorOp, types: Sequence[TensorType], constraint: str = "C1"
) -> Attribute | None:
    """Return the one element type of all operands, None if one of them is unknown."""
    known = [type for type in types if type.dtype is not None]
    for other in known[1:]:
        common_dtype(op, known[0], other, constraint)
    return known[0].dtype if known and len(known) == len(types) else None


def shared_dim(op: OperatorOp, sizes: Sequence[Dim], where: str, constraint: str) -> Dim:
    """Return the one size that all operands have somewhere, None if none of them is known."""
    known = [size for size in sizes if size is not None]
    for other in known[1:]:
        if symbolic.differ_unless_empty(known[0], other):
            op.fail(
                f"equal sizes {where} ({constraint})",
                f"{known[0]} and {other}",
                "slice, pad or reshape one of the operands",
            )
    return min(known, key=lambda size: not size.is_constant) if known else None
