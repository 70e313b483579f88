"""Sorting along an axis. All sorts are stable, and NaN counts as the greatest number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Attribute
from xdsl.irdl import (
    var_result_def,
)

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, guarded, refuse_unmet
from relax_dialect.ops.fields import (
    Dtype,
    Operand,
    element_type,
    flag,
    integer,
    one_axis,
    string,
    tensor,
)
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import is_bool, tensor_type
from relax_dialect.prim.run_time_checks import hole


class AlongAxisOp(OperatorOp):
    """An operator along one axis, by default the last one.

    (C1) The axis is within -rank..rank-1.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE
    FIRST_IN_TEXT: ClassVar[tuple[str, ...]] = ("descending",)

    x: Operand = tensor()
    axis: int = one_axis("x", "C1", default=-1, shown=True)


def place_type(op: OperatorOp, dtype: Attribute) -> Attribute:
    """Return the element type of indices along an axis."""
    if is_bool(dtype) or not isinstance(dtype, IntegerType):
        op.fail("an integer type as dtype (C2)", str(dtype), "name one, such as i64")
    return dtype


@operator("relax.sort")
class SortOp(AlongAxisOp):
    """The elements in ascending or `descending` order along an axis."""

    descending: bool = flag(default=False)


@operator("relax.argsort")
class ArgsortOp(AlongAxisOp):
    """The indices of the elements that sort first, second, ... along an axis; equal elements in the order
    of their indices.

    (C2) `dtype` is an integer type.
    """

    FIRST_IN_TEXT: ClassVar = ("descending", "dtype")

    descending: bool = flag(default=False)
    dtype: Dtype = element_type(default=i32, shown=True)

    def infer(self) -> Sequence[Attribute]:
        places = place_type(self, self.dtype)
        return (TensorType.get(tensor_type(self.x).shape, places),)


@operator("relax.topk", K_OPAQUE)
class TopkOp(OperatorOp):
    """The `k` largest elements along an axis (the smallest if `largest` is false) in order, and their
    indices as integers of the type `dtype`; all elements if k is less than 1, as in TVM.

    (C1) The axis is within -rank..rank-1.
    (C2) `dtype` is an integer type.
    (C3) `ret_type` is "both", "values" or "indices"; there is a result for each.
    (C4) k is at most the size of the axis; checked at run time unless proved.
    """

    FIRST_IN_TEXT: ClassVar = ("k", "ret_type", "largest", "dtype")

    x: Operand = tensor()
    k: int = integer(default=1, shown=True)
    axis: int = one_axis("x", "C1", default=-1, shown=True)
    ret_type: str = string(
        default="both", shown=True, among=("both", "values", "indices"), constraint="C3"
    )
    largest: bool = flag(default=True)
    dtype: Dtype = element_type(default=i32, shown=True)
    outs = var_result_def(TensorType)

    RESULTS: ClassVar = "(C3)"

    @property
    def result_count(self) -> int:
        return 2 if self.ret_type == "both" else 1

    @property
    def gives_values(self) -> bool:
        return self.ret_type != "indices"

    @property
    def gives_indices(self) -> bool:
        return self.ret_type != "values"

    def count_of(self, size: Dim) -> Dim:
        """Return the number of elements taken of `size`."""
        return size if self.k < 1 else symbolic.const(self.k)

    def demands(self, shape: Dims) -> Iterator[Demand]:
        """Yield the demands on the size of the axis, if it is known."""
        axis = self.axis_of(len(shape))
        size = shape[axis]
        least = None if size is None else guarded(lambda: symbolic.minimum(self.k, size))
        if self.k >= 1 and size is not None and least is not None:
            wanted, found = symbolic.const(self.k), f"{self.k} for a size of {hole(size)}"
            mend = "correct k; one less than 1 takes all elements"
            yield Demand(
                f"k to be at most the size of axis {axis} (C4)", least, wanted, found, mend
            )

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        shape = type.shape
        if shape is not None:
            axis = self.axis_of(len(shape))
            refuse_unmet(self, self.demands(shape))
            shape = (*shape[:axis], self.count_of(shape[axis]), *shape[axis + 1 :])
        dtypes = [*([type.dtype] if self.gives_values else [])]
        dtypes += [place_type(self, self.dtype)] if self.gives_indices else []
        return [TensorType.get(shape, dtype) for dtype in dtypes]


OPS = operators_in(globals())
