"""Sorting along an axis. All sorts are stable, and NaN counts as the greatest number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    var_result_def,
)

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.create import dtype_attribute
from relax_dialect.ops.demands import guarded
from relax_dialect.ops.rules import (
    flag,
    is_bool,
    normalize_axis,
    require_one_of,
    require_results,
    tensor_type,
)
from relax_dialect.symbolic import Expr
from relax_dialect.types import Dim, TensorType


class AlongAxisOp(OperatorOp):
    """An operator that works along one axis, the last one where it is left out.

    (C1) The axis is within -rank..rank-1.
    """

    x = operand_def(TensorType)
    axis = opt_prop_def(IntegerAttr)

    def axis_of(self, rank: int) -> int:
        """The axis counted from the front, for a tensor of a rank."""
        axis = -1 if self.axis is None else self.axis.value.data
        return normalize_axis(self, axis, rank, "C1")

    def check_axis(self) -> None:
        rank = tensor_type(self.x).rank
        if rank is not None:
            self.axis_of(rank)


class PlacesOp(AlongAxisOp):
    """An operator that gives places along an axis as integers of the type `dtype`, i32 where it is left
    out.

    (C2) `dtype` is an integer type.
    """

    dtype = opt_prop_def(TypeAttribute)

    @property
    def place_type(self) -> Attribute:
        """The element type of the places."""
        if self.dtype is None:
            return i32
        if is_bool(self.dtype) or not isinstance(self.dtype, IntegerType):
            self.fail("an integer type as dtype (C2)", str(self.dtype), "name one, such as i64")
        return self.dtype


@irdl_op_definition
class SortOp(AlongAxisOp):
    """The elements in ascending or `descending` order along an axis."""

    name = "relax.sort"

    descending = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, axis: int = -1, descending: bool = False):
        super().__init__(x, axis=axis, descending=descending or None)

    @property
    def is_descending(self) -> bool:
        return flag(self.descending)

    def infer(self) -> Sequence[Attribute]:
        self.check_axis()
        return (tensor_type(self.x),)


@irdl_op_definition
class ArgsortOp(PlacesOp):
    """Where the elements stand that come first, second, ... in order along an axis; equal elements in the
    order of their places."""

    name = "relax.argsort"

    descending = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        x: SSAValue | Operation,
        axis: int = -1,
        descending: bool = False,
        dtype: Attribute | str = i32,
    ):
        properties = {
            "axis": axis,
            "descending": descending or None,
            "dtype": dtype_attribute(dtype),
        }
        super().__init__(x, **properties)

    @property
    def is_descending(self) -> bool:
        return flag(self.descending)

    def infer(self) -> Sequence[Attribute]:
        self.check_axis()
        return (TensorType.get(tensor_type(self.x).shape, self.place_type),)


@irdl_op_definition
class TopkOp(PlacesOp):
    """The `k` largest elements along an axis (the smallest where `largest` is false) in order, and their
    places; all elements where k is less than 1, or more than there are.

    (C3) `ret_type` is "both", "values" or "indices"; there is a result for each.
    """

    name = "relax.topk"

    k = opt_prop_def(IntegerAttr)
    ret_type = opt_prop_def(StringAttr)
    largest = opt_prop_def(IntegerAttr)
    outs = var_result_def(TensorType)

    RETURNS: ClassVar = ("both", "values", "indices")

    def __init__(
        self,
        x: SSAValue | Operation,
        k: int = 1,
        axis: int = -1,
        ret_type: str = "both",
        largest: bool = True,
        dtype: Attribute | str = i32,
    ):
        properties = {
            "k": k,
            "axis": axis,
            "ret_type": StringAttr(ret_type),
            "largest": None if largest else False,
            "dtype": dtype_attribute(dtype),
        }
        self.init_inferred([x], properties, 2 if ret_type == "both" else 1, variadic=True)

    @property
    def returns(self) -> str:
        """What is given: "both", "values" or "indices"."""
        found = "both" if self.ret_type is None else self.ret_type.data
        require_one_of(self, "ret_type", found, self.RETURNS, "C3")
        return found

    @property
    def gives_values(self) -> bool:
        return self.returns != "indices"

    @property
    def gives_indices(self) -> bool:
        return self.returns != "values"

    @property
    def is_largest(self) -> bool:
        return self.largest is None or flag(self.largest)

    def count_of(self, size: Expr) -> Expr:
        """How many of so many elements are taken."""
        k = 1 if self.k is None else self.k.value.data
        return size if k < 1 else symbolic.minimum(k, size)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        self.check_axis()
        shape = type.shape
        if shape is not None:
            axis = self.axis_of(len(shape))
            size: Dim = shape[axis]
            taken = None if size is None else guarded(lambda: self.count_of(size))
            shape = (*shape[:axis], taken, *shape[axis + 1 :])
        dtypes = [*([type.dtype] if self.gives_values else [])]
        dtypes += [self.place_type] if self.gives_indices else []
        require_results(self, len(dtypes), "C3")
        return [TensorType.get(shape, dtype) for dtype in dtypes]


OPS: list[type[Operation]] = [SortOp, ArgsortOp, TopkOp]
