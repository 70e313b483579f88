"""Operators that fill tensors with one number, or with it on or next to a diagonal."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute

from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import ShapeOp
from relax_dialect.ops.fields import (
    Operand,
    OptionalDtype,
    ShapeOperand,
    element_type,
    integer,
    shape_value,
    tensor,
)
from relax_dialect.ops.kinds import FOLLOW, K_ELEMWISE, K_INJECTIVE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import LeastRank, Rank, sizes_of, tensor_type
from relax_dialect.symbolic import Expr

Size = Expr | int | str
T = TypeVar("T")


class CreationOp(OperatorOp):
    """An operator that makes a tensor of the element type `dtype`."""

    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    @property
    @abstractmethod
    def dtype(self) -> Attribute | None:
        """The element type of the result, None for the usual one."""

    def element_type(self, default: Attribute | None, constraint: str = "C1") -> Attribute | None:
        """Return the element type of the result; refuses types that tensors cannot have."""
        if self.dtype is None:
            return default
        if not is_element_type(self.dtype):
            self.fail(
                f"an element type that tensors can have ({constraint})",
                str(self.dtype),
                "name one, such as f32 or i64",
            )
        return self.dtype


class FillOp(CreationOp):
    """A tensor with the same number everywhere."""

    PATTERN_KIND: ClassVar = K_ELEMWISE

    NUMBER: ClassVar[int | None] = None
    """The number, None if it is the operand `fill_value`."""


class FullShapeOp(FillOp):
    """A tensor of the shape that is the operand `shape`, of the element type `dtype`.

    (C1) `dtype` is an element type that tensors can have; required if no operand has one.
    """

    shape: ShapeOperand = shape_value()

    @property
    def sizes(self) -> Dims | None:
        """The sizes of the result, as far as they are known."""
        return sizes_of(self.shape)

    def infer(self) -> Sequence[Attribute]:
        dtype = self.element_type(None)
        if dtype is None:
            self.fail("an element type for the result (C1)", "none", "write dtype, such as f32")
        return (TensorType.get(self.sizes, dtype),)


class LikeOp(FillOp):
    """A tensor of the shape of x and of its element type, or of `dtype` if present.

    (C1) `dtype` is an element type that tensors can have.
    """

    x: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        return (TensorType.get(type.shape, self.element_type(type.dtype)),)


@operator("relax.full")
class FullOp(FullShapeOp):
    """A tensor of a shape, filled with a number that is converted to `dtype` if present.

    (C2) `fill_value` has rank 0.
    """

    NUMBERS: ClassVar = {"fill_value": "dtype"}

    fill_value: Operand = tensor(Rank(0, "C2", "take one element of it"))
    dtype: OptionalDtype = element_type(default=None)

    def infer(self) -> Sequence[Attribute]:
        filling = tensor_type(self.fill_value).dtype
        return (TensorType.get(self.sizes, self.element_type(filling)),)


@operator("relax.full_like")
class FullLikeOp(LikeOp):
    """A tensor of the shape of x, filled with a number that is converted to its element type, or to `dtype`
    if present.

    (C2) `fill_value` has rank 0.
    """

    fill_value: Operand = tensor(Rank(0, "C2", "take one element of it"))
    dtype: OptionalDtype = element_type(default=None)


class ConstantShapeOp(FullShapeOp):
    """A tensor of a shape, filled with a number that the operator is named after."""

    dtype: OptionalDtype = element_type(default="f32", absent=None)


@operator("relax.zeros")
class ZerosOp(ConstantShapeOp):
    """A tensor of zeros."""

    NUMBER: ClassVar = 0


@operator("relax.ones")
class OnesOp(ConstantShapeOp):
    """A tensor of ones."""

    NUMBER: ClassVar = 1


@operator("relax.zeros_like")
class ZerosLikeOp(LikeOp):
    """A tensor of zeros, of the shape of another."""

    NUMBER: ClassVar = 0

    dtype: OptionalDtype = element_type(default=None)


@operator("relax.ones_like")
class OnesLikeOp(LikeOp):
    """A tensor of ones, of the shape of another."""

    NUMBER: ClassVar = 1

    dtype: OptionalDtype = element_type(default=None)


@operator("relax.eye")
class EyeOp(CreationOp):
    """A matrix of zeros with ones on a diagonal, the one `k` above the main one.

    From Python it takes the numbers of rows and columns (as many as rows if they are left out).

    (C1) `dtype` is an element type that tensors can have; f32 where it is left out.
    (C2) The shape is that of a matrix.
    """

    shape: Operand = shape_value()
    k: int = integer(default=0, shown=True)
    dtype: OptionalDtype = element_type(default="f32", shown=True)

    def __init__(self, n: Size, m: Size | None = None, k: int = 0, dtype: Attribute | str = "f32"):
        self.init_fields(shape=ShapeOp([n, n if m is None else m]), k=k, dtype=dtype)

    def infer(self) -> Sequence[Attribute]:
        sizes = sizes_of(self.shape)
        if sizes is not None and len(sizes) != 2:
            self.fail("the shape of a matrix (C2)", f"{len(sizes)} sizes", "write two sizes")
        return (TensorType.get(sizes or (None, None), self.element_type(f32)),)


@operator("relax.eye_like")
class EyeLikeOp(CreationOp):
    """A matrix of the shape of x: zeros with ones on a diagonal, the one `k` above the main one.

    (C1) `dtype` is an element type that tensors can have; that of x where it is left out.
    (C2) x has rank 2.
    """

    x: Operand = tensor(Rank(2, "C2", "use relax.zeros_like"))
    k: int = integer(default=0, shown=True)
    dtype: OptionalDtype = element_type(default=None)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        return (TensorType.get(type.shape or (None, None), self.element_type(type.dtype)),)


class TriluOp(OperatorOp):
    """A part of the matrices in the last two dimensions; zeros elsewhere.

    (C1) x has rank 2 or more.
    """

    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    x: Operand = tensor(LeastRank(2, "C1"))
    k: int = integer(default=0, shown=True)


@operator("relax.tril")
class TrilOp(TriluOp):
    """The lower triangles, up to the diagonal that is `k` above the main one."""


@operator("relax.triu")
class TriuOp(TriluOp):
    """The upper triangles, from the diagonal that is `k` above the main one on."""


OPS = operators_in(globals())
