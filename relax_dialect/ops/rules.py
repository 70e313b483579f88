"""Type rules that operators share: broadcasting, element types, axes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    Signedness,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.types import Dim, Dims, PrimType, TensorType, dims_text
from relax_dialect.ops.base import OperatorOp
from relax_dialect.symbolic import SymbolicOverflow

BOOL = IntegerType(1)


def tensor_type(value: SSAValue) -> TensorType:
    """The type of an operand that is declared to be a tensor; a scalar is one of rank 0."""
    if isinstance(value.type, TensorType):
        return value.type
    type = i64 if isinstance(value.type, PrimType) else value.type
    assert isinstance(type, AnyFloat | IntegerType)
    return TensorType.get((), type)


def is_float(dtype: Attribute) -> bool:
    return isinstance(dtype, AnyFloat)


def is_bool(dtype: Attribute) -> bool:
    return isinstance(dtype, IntegerType) and dtype.width.data == 1


def is_unsigned(dtype: Attribute | None) -> bool:
    """Whether an element type is an unsigned integer type."""
    return isinstance(dtype, IntegerType) and dtype.signedness.data is Signedness.UNSIGNED


def require_float(op: OperatorOp, type: TensorType, constraint: str = "C1") -> None:
    """Refuse element types that are known and no floating-point type."""
    if type.dtype is not None and not is_float(type.dtype):
        op.fail(
            f"a floating-point element type ({constraint})",
            f"{type.dtype}",
            "convert with relax.astype first",
        )


def require_number(op: OperatorOp, type: TensorType, constraint: str = "C1") -> None:
    """Refuse tensors of booleans."""
    if type.dtype is not None and is_bool(type.dtype):
        mend = "convert with relax.astype first"
        op.fail(f"a numeric element type ({constraint})", f"{type.dtype}", mend)


def require_bool(op: OperatorOp, type: TensorType) -> None:
    """Refuse element types that are known and not boolean."""
    if type.dtype is not None and not is_bool(type.dtype):
        mend = "compare with 0 by relax.not_equal, or convert with relax.astype, first"
        op.fail("a boolean element type (C1)", f"{type.dtype}", mend)


def require_bits(op: OperatorOp, type: TensorType) -> None:
    """Refuse element types that are known and neither an integer nor a boolean type."""
    if type.dtype is not None and not isinstance(type.dtype, IntegerType):
        mend = "convert with relax.astype first"
        op.fail("an integer or boolean element type (C1)", f"{type.dtype}", mend)


def require_integer(op: OperatorOp, type: TensorType, constraint: str = "C1") -> None:
    """Refuse element types that are known and no integer type."""
    if type.dtype is not None and (is_bool(type.dtype) or not isinstance(type.dtype, IntegerType)):
        mend = "convert with relax.astype first"
        op.fail(f"an integer element type ({constraint})", f"{type.dtype}", mend)


def common_dtype(
    op: OperatorOp, lhs: TensorType, rhs: TensorType, constraint: str = "C1"
) -> Attribute | None:
    """The one element type of both operands, None where it is unknown."""
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
    """The size that two sizes broadcast to, None where one of them is unknown and may decide."""
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
    """The shape that two shapes broadcast to, as numpy does: aligned at the last dimension."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    one = symbolic.const(1)
    padded_a = (one,) * (rank - len(a)) + a
    padded_b = (one,) * (rank - len(b)) + b
    return tuple(broadcast_dim(op, x, y, constraint) for x, y in zip(padded_a, padded_b))


def broadcast_shapes(op: OperatorOp, values: Sequence[SSAValue], constraint: str) -> Dims | None:
    """The shape that those of several tensors broadcast to; those that are known must do so in any case."""
    shapes = [tensor_type(value).shape for value in values]
    known = [shape for shape in shapes if shape is not None]
    found = reduce(lambda a, b: broadcast_dims(op, a, b, constraint), known, ())
    return found if len(known) == len(shapes) else None


def normalize_axis(op: OperatorOp, axis: int, rank: int, constraint: str = "C2") -> int:
    """An axis counted from the front; negative ones count from the end."""
    if not -rank <= axis < rank:
        op.fail(
            f"an axis from {-rank} to {rank - 1} for a tensor of rank {rank} ({constraint})"
            if rank
            else f"no axis for a tensor of rank 0 ({constraint})",
            str(axis),
            "axes count from zero, negative ones from the end",
        )
    return axis + rank if axis < 0 else axis


def ints(attribute: DenseArrayBase | Sequence[int]) -> tuple[int, ...]:
    """The numbers of an `array<i64: ...>`."""
    is_attribute = isinstance(attribute, DenseArrayBase)
    return tuple(int(v) for v in (attribute.get_values() if is_attribute else attribute))  # pyright: ignore


def normalize_axes(
    op: OperatorOp,
    axes: DenseArrayBase | Sequence[int] | None,
    rank: int,
    constraint: str = "C2",
) -> tuple[int, ...]:
    """All axes from the front, every axis where none are given; refuses one named twice."""
    if axes is None:
        return tuple(range(rank))
    found = tuple(normalize_axis(op, int(a), rank, constraint) for a in ints(axes))
    if len(set(found)) != len(found):
        op.fail(
            f"each axis once ({constraint})",
            str(list(ints(axes))),
            "leave out the repeated ones",
        )
    return found


def flag(attribute: IntegerAttr | None) -> bool:
    """A boolean property that may be left out, which means false."""
    return attribute is not None and bool(attribute.value.data)


def require_same_size(op: OperatorOp, old: Sequence[Dim], new: Sequence[Dim]) -> None:
    """Refuse a new shape that provably holds another number of elements."""
    if None in old or None in new:
        return
    before, after = symbolic.product(old), symbolic.product(new)  # pyright: ignore
    if symbolic.provably_different(before, after):
        op.fail(
            f"a shape of as many elements as {dims_text(tuple(old))}, which is {before} (C1)",
            f"{dims_text(tuple(new))} of {after}",
            "correct the new shape",
        )


def shared_dtype(
    op: OperatorOp, types: Sequence[TensorType], constraint: str = "C1"
) -> Attribute | None:
    """The one element type of all operands, None where one of them is unknown."""
    known = [type for type in types if type.dtype is not None]
    for other in known[1:]:
        common_dtype(op, known[0], other, constraint)
    return known[0].dtype if known and len(known) == len(types) else None


def shared_dim(op: OperatorOp, sizes: Sequence[Dim], where: str, constraint: str) -> Dim:
    """The one size that all operands have somewhere, None where none of them is known."""
    known = [size for size in sizes if size is not None]
    for other in known[1:]:
        if symbolic.provably_different(known[0], other):
            op.fail(
                f"equal sizes {where} ({constraint})",
                f"{known[0]} and {other}",
                "slice, pad or reshape one of the operands",
            )
    return min(known, key=lambda size: not size.is_constant) if known else None


def require_rank(op: OperatorOp, type: TensorType, least: int, constraint: str) -> None:
    """Refuse a tensor that is known to have fewer dimensions."""
    if type.rank is not None and type.rank < least:
        op.fail(
            f"a tensor of rank {least} or more ({constraint})",
            f"one of rank {type.rank}",
            "add dimensions with relax.expand_dims or relax.reshape",
        )


def require_at_least(op: OperatorOp, name: str, value: int, least: int, constraint: str) -> None:
    """Refuse an attribute that is too small a number."""
    if value < least:
        op.fail(f"{name} to be at least {least} ({constraint})", str(value), f"correct {name}")


def require_results(op: OperatorOp, count: int, constraint: str) -> None:
    """Refuse an op that has more or fewer results than its attributes ask for."""
    if len(op.results) != count:
        expected = f"{count} result{'s' if count != 1 else ''} ({constraint})"
        op.fail(expected, str(len(op.results)), "correct their number")
