"""Operators that change the shape of a tensor, or the order of its dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.axes import normalize_axes
from relax_dialect.ops.base import IllFormedOpError, OperatorOp
from relax_dialect.ops.fields import (
    Axes,
    Given,
    Operand,
    OptionalAxes,
    ShapeOperand,
    ints,
    shape_value,
    some_axes,
    tensor,
)
from relax_dialect.ops.kinds import FOLLOW, K_BROADCAST, K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import require_same_size
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.type_rules import LeastRank, sizes_of, tensor_type
from relax_dialect.symbolic import Expr


class ToShapeOp(OperatorOp):
    """An operator whose second operand, a shape value, is the shape of its result."""

    STORES: ClassVar = True

    x: Operand = tensor()
    shape: ShapeOperand = shape_value()

    @property
    def target(self) -> Dims | None:
        """The sizes of the result, as far as they are known."""
        return sizes_of(self.shape)


@operator("relax.reshape", K_INJECTIVE, FOLLOW)
class ReshapeOp(ToShapeOp):
    """The elements in row-major order in another shape.

    (C1) The new shape holds as many elements; checked at run time unless proved.

    From Python the shape may be a list of sizes, one of which may be -1: the number of elements divided by
    the others, rounded down, so that the check fails if they do not divide it.
    """

    def __init__(self, x: Given, shape: Given | Iterable[Expr | int | str]):
        if isinstance(shape, Iterable):
            shape = ShapeOp(resolved_sizes(SSAValue.get(x).type, shape))
        self.init_fields(x=x, shape=shape)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is not None and self.target is not None:
            require_same_size(self, type.shape, self.target)
        return (TensorType.get(self.target, type.dtype),)


def reshape(
    x: SSAValue | Operation, shape: SSAValue | Operation | Iterable[Expr | int | str]
) -> ReshapeOp:
    """Return a `relax.reshape` to a shape value, or to sizes one of which may be -1.

    For `x` of type `[n]`, `reshape(x, [-1, 2])` has the type `[n floordiv 2, 2]`, and is an error at run
    time unless n is even. The `relax.shape` is not inserted yet either: it is the owner of the operand.
    """
    return ReshapeOp(x, shape)


def resolved_sizes(type: Attribute, shape: Iterable[Expr | int | str]) -> list[Expr]:
    """Return the sizes to reshape a tensor of a type to, with -1 resolved from the others."""
    sizes = [symbolic.as_expr(size) for size in shape]
    negative = [i for i, size in enumerate(sizes) if (size.bounds()[1] or 0) < 0]
    if not negative:
        return sizes
    text = f"[{', '.join(map(str, sizes))}]"
    if len(negative) > 1 or sizes[negative[0]].value != -1:
        raise IllFormedOpError(
            f"relax.reshape: expected sizes of at least 0, and -1 at most once, found {text}; "
            "correct the negative sizes"
        )
    old = type.shape if isinstance(type, TensorType) else None
    if old is None or None in old:
        raise IllFormedOpError(
            f"relax.reshape: expected a tensor of known shape to find -1 in {text}, found {type}; "
            "write the size, or insert a relax.match_cast that names the unknown ones"
        )
    others = [size for i, size in enumerate(sizes) if i != negative[0]]
    sizes[negative[0]] = _left_over([d for d in old if d is not None], others, text)
    return sizes


def _left_over(old: Sequence[Expr], others: Sequence[Expr], text: str) -> Expr:
    """Return the number of elements over the product of the other sizes: exact where that divides it."""
    rest = list(old)
    divisors = [size for size in others if not _cancel(rest, size)]
    count, divisor = symbolic.product(rest), symbolic.product(divisors)
    if divisor.value == 0:
        raise IllFormedOpError(
            f"relax.reshape: expected sizes other than 0 where one is -1, found {text}; write every size"
        )
    exact = symbolic.exact_quotient(count, divisor)
    return symbolic.floordiv(count, divisor) if exact is None else exact


def _cancel(sizes: list[Expr], size: Expr) -> bool:
    """Take a size out of others, if it is there."""
    if size in sizes:
        sizes.remove(size)
        return True
    return False


@operator("relax.flatten", K_INJECTIVE, FOLLOW)
class FlattenOp(OperatorOp):
    """The elements in row-major order as a vector."""

    STORES: ClassVar = True

    x: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        return (TensorType.get((element_count(type.shape),), type.dtype),)


@operator("relax.batch_flatten", K_INJECTIVE, FOLLOW)
class BatchFlattenOp(OperatorOp):
    """All dimensions but the first as one: `[n, c, h, w]` becomes `[n, c * h * w]`.

    (C1) x has rank 1 or more.
    """

    STORES: ClassVar = True

    x: Operand = tensor(LeastRank(1, "C1"))

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is None:
            return (TensorType.get((None, None), type.dtype),)
        return (TensorType.get((type.shape[0], element_count(type.shape[1:])), type.dtype),)


def element_count(sizes: Dims | None) -> Dim:
    """Return the number of elements of a shape, None if it is not known."""
    if sizes is None or None in sizes:
        return None
    try:
        return symbolic.product(sizes)  # pyright: ignore[reportArgumentType]
    except symbolic.SymbolicOverflow:
        return None


def permutation(op: PermuteDimsOp, axes: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return all axes from the front, by default in reverse order."""
    rank = tensor_type(op.x).rank
    if rank is None:
        return None if axes is None else tuple(axes)
    return tuple(axis % rank for axis in (reversed(range(rank)) if axes is None else axes))


@operator("relax.permute_dims", K_INJECTIVE, FOLLOW)
class PermuteDimsOp(OperatorOp):
    """The dimensions in another order; reversed by default.

    (C1) `axes` names every axis of x once.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    axes: OptionalAxes = ints(default=None, meaning=permutation)

    def permutation(self, rank: int) -> tuple[int, ...]:
        """Return for every axis of the result the axis of x it comes from."""
        if self.axes is None:
            return tuple(reversed(range(rank)))
        found = normalize_axes(self, self.axes, rank, "C1")
        if len(found) != rank:
            self.fail(
                f"{rank} axes, one for each of x (C1)",
                str(list(self.axes)),
                "name every axis once",
            )
        return found

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is None:
            rank = None if self.axes is None else len(self.axes)
            shape = None if rank is None else (None,) * rank
            return (TensorType.get(shape, type.dtype),)
        permuted = tuple(type.shape[i] for i in self.permutation(len(type.shape)))
        return (TensorType.get(permuted, type.dtype),)


@operator("relax.broadcast_to", K_BROADCAST, FOLLOW)
class BroadcastToOp(ToShapeOp):
    """The tensor repeated to a shape, as `numpy.broadcast_to`.

    (C1) The new shape has at least the rank of x.
    (C2) Aligned at the end, every size of x is 1 or the new one; checked at run time unless
         proved.
    """

    DEMAND: ClassVar = "sizes of x that are 1 or those of the new shape"

    def infer(self) -> Sequence[Attribute]:
        type, target = tensor_type(self.x), self.target
        if type.shape is not None and target is not None:
            if len(target) < len(type.shape):
                self.fail(
                    f"a shape of rank {len(type.shape)} or more (C1)",
                    dims_text(target),
                    "add the missing sizes",
                )
            for old, new in zip(reversed(type.shape), reversed(target)):
                refuse_other_size(self, old, new, "C2")
        return (TensorType.get(target, type.dtype),)


def refuse_other_size(op: OperatorOp, small: Dim, large: Dim, constraint: str) -> None:
    """Refuse a size that provably is neither 1 nor the size it is broadcast to."""
    if small is None or large is None or small is large:
        return
    one = symbolic.const(1)
    if symbolic.differ_unless_empty(small, large) and symbolic.provably_different(small, one):
        op.fail(f"a size that is 1 or {large} ({constraint})", str(small), "correct the shape")


@operator("relax.expand_dims", K_BROADCAST, FOLLOW)
class ExpandDimsOp(OperatorOp):
    """Dimensions of size 1 inserted as the axes `axis` of the result.

    (C1) Every axis is within -rank..rank-1 of the result and occurs once.
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    axis: Axes = some_axes("result", ordered=False)

    def axes(self, rank: int) -> tuple[int, ...]:
        """Return the new axes of the result, for an operand of a rank."""
        return normalize_axes(self, self.axis, rank + len(self.axis), "C1")

    def result_shape(self, x: Dims) -> Dims:
        axes, kept = self.axes(len(x)), iter(x)
        return tuple(
            symbolic.const(1) if d in axes else next(kept) for d in range(len(x) + len(axes))
        )


def squeezed(op: SqueezeOp, axes: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return the axes that are left out, in ascending order, as far as the shape determines them."""
    shape = tensor_type(op.x).shape
    if shape is None:
        return None if axes is None else tuple(axes)
    found = op.unit_axes(shape) if axes is None else [axis % len(shape) for axis in axes]
    return None if found is None else tuple(sorted(found))


@operator("relax.squeeze", K_INJECTIVE, FOLLOW)
class SqueezeOp(OperatorOp):
    """Dimensions of size 1 removed: the axes `axis`, by default all.

    Without `axis` the rank of the result is known only if every size is known to be 1 or not 1.

    (C1) Every axis is within -rank..rank-1 and occurs once.
    (C2) The size of every axis is 1; checked at run time unless proved.
    """

    STORES: ClassVar = True

    RESULT_KNOWN_BY: ClassVar = "name the axes to leave out by 'axis'"

    x: Operand = tensor()
    axis: OptionalAxes = ints(default=None, meaning=squeezed)

    def axes(self, shape: Dims) -> tuple[int, ...] | None:
        """Return the axes to leave out of a shape, None if its sizes do not determine them."""
        if self.axis is not None:
            one, axes = symbolic.const(1), normalize_axes(self, self.axis, len(shape), "C1")
            for axis in axes:
                size = shape[axis]
                if size is not None and symbolic.provably_different(size, one):
                    self.fail(self.demand(axis) + " (C2)", str(size), "correct the axes")
            return axes
        return self.unit_axes(shape)

    @staticmethod
    def unit_axes(shape: Dims) -> tuple[int, ...] | None:
        """Return all axes of size 1, None if the sizes do not determine them."""
        one = symbolic.const(1)
        if any(d is None or not (d is one or symbolic.provably_different(d, one)) for d in shape):
            return None
        return tuple(axis for axis, size in enumerate(shape) if size is one)

    def demand(self, axis: int) -> str:
        """Return the demand on the size of an axis that is named, for errors."""
        return f"the size of axis {axis} to be 1"

    def result_shape(self, x: Dims) -> Dims | None:
        axes = self.axes(x)
        return None if axes is None else tuple(d for axis, d in enumerate(x) if axis not in axes)


OPS = operators_in(globals())
