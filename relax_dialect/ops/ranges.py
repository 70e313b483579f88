"""Operators that make tensors from element indices: ranges, one_hot and windows."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from typing import Any, TypeVar

from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.create import CreationOp, Size
from relax_dialect.ops.fields import (
    Num,
    Operand,
    OptionalDtype,
    OptionalNum,
    OptionalOperand,
    element_type,
    flag,
    integer,
    number,
    one_axis,
    real,
    shape_value,
    tensor,
)
from relax_dialect.ops.kinds import K_INJECTIVE
from relax_dialect.ops.number_attributes import Number, require_number_of
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.ops.type_rules import FLOAT, INTEGER, is_bool, sizes_of, tensor_type
from relax_dialect.symbolic import Expr, SymbolicOverflow

T = TypeVar("T")


@operator("relax.one_hot", K_INJECTIVE)
class OneHotOp(OperatorOp):
    """For every index a row of `depth` elements along a new axis: `on_value` at the index, `off_value`
    elsewhere (everywhere for an index out of range).

    (C1) The indices are integers.
    (C2) `on_value` and `off_value` have one type that elements can have: that of the result.
    (C3) `depth` is at least 0.
    (C4) The axis is within -rank..rank-1 of the result.
    """

    indices: Operand = tensor(INTEGER)
    on_value: Num = number(of_float=f32)
    off_value: Num = number(of_float=f32)
    depth: int = integer(least=0, constraint="C3")
    axis: int = one_axis("result", "C4", default=-1, shown=True)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.indices)
        dtype, other = (self.properties[name].type for name in ("on_value", "off_value"))  # pyright: ignore
        if dtype != other or not is_element_type(dtype):
            self.fail(
                "on_value and off_value of one element type (C2)",
                f"{dtype} and {other}",
                "write both with the type of the result",
            )
        if type.shape is None:
            return (TensorType.get(None, dtype),)
        shape = list(type.shape)
        shape.insert(self.axis_of(len(shape) + 1), symbolic.const(self.depth))
        return (TensorType.get(tuple(shape), dtype),)


@operator("relax.arange")
class ArangeOp(CreationOp):
    """The numbers `start`, `start + step`, `start + 2 * step`, ... before `end`.

    Symbolic bounds are sizes of the shape operand: it holds `start` and `end`, in this order, unless they
    are numbers. From Python all bounds are arguments, as in `arange(0, "n", 2)`; `end` alone suffices.
    Element `i` is computed as `start + i * step`: in i64 if all numbers are whole, else in f64, and then
    converted.

    (C1) `dtype` is a numeric element type; by default i64 if all numbers are whole, else f32.
    (C2) Every bound is specified once.
    (C3) `step` is not 0; with symbolic bounds all numbers are whole.
    (C4) The first and the last element are numbers that an integer element type holds.
    """

    bounds: OptionalOperand = shape_value(default=None)
    start: OptionalNum = number(default=None)
    end: OptionalNum = number(default=None)
    step: Num = number(default=1, required=True)
    dtype: OptionalDtype = element_type(default=None)

    def __init__(
        self,
        start: Number | Size,
        end: Number | Size | None = None,
        step: Number = 1,
        dtype: Attribute | str | None = None,
    ):
        given = {"start": 0 if end is None else start, "end": start if end is None else end}
        symbols = [v for v in given.values() if isinstance(v, Expr | str)]
        numbers = {name: v for name, v in given.items() if not isinstance(v, Expr | str)}
        bounds = ShapeOp(symbols) if symbols else None
        self.init_fields(bounds=bounds, **numbers, step=step, dtype=dtype)

    @property
    def given_numbers(self) -> list[Number]:
        """Return the bounds that are numbers, and the step."""
        return [value for value in (self.start, self.end, self.step) if value is not None]

    @property
    def is_whole(self) -> bool:
        """Whether the elements are whole numbers, which they are computed as."""
        return all(isinstance(value, int) for value in self.given_numbers)

    def interval(self, sizes: Sequence[T]) -> tuple[T | Number, T | Number]:
        """Return both bounds, with the sizes of the shape operand."""
        rest = iter(sizes)
        given = (self.start, self.end)
        start, end = (next(rest) if value is None else value for value in given)
        return start, end

    def infer(self) -> Sequence[Attribute]:
        dtype = self.element_type(i64 if self.is_whole else f32)
        if dtype is not None and is_bool(dtype):
            self.fail("a numeric element type (C1)", str(dtype), "name one, such as i64")
        missing = (self.start is None) + (self.end is None)
        sizes: Dims | None = ()
        if self.bounds is not None:
            sizes = sizes_of(self.bounds)
        if (sizes is not None and len(sizes) != missing) or (self.bounds is None and missing):
            self.fail(
                f"{missing} sizes for the bounds that are no numbers (C2)",
                str(len(sizes or ())),
                "write each of start and end once",
            )
        self._check_numbers()
        if sizes is None or None in sizes:
            return (TensorType.get((None,), dtype),)
        try:
            count = self.count(*self.interval([size for size in sizes if size is not None]))
        except SymbolicOverflow:
            return (TensorType.get((None,), dtype),)
        if self.bounds is None and count.value:
            first: Any = self.start
            last = first + (count.value - 1) * self.step
            for name, value in (("start", first), ("the end", last)):
                require_number_of(self, name, value if self.is_whole else int(value), dtype, "C4")
        return (TensorType.get((count,), dtype),)

    def _check_numbers(self) -> None:
        if self.step == 0:
            self.fail("a step other than 0 (C3)", "0", "correct step")
        if not all(map(isfinite, self.given_numbers)):
            self.fail("finite numbers (C3)", str(self.given_numbers), "correct them")
        if self.bounds is not None and not self.is_whole:
            self.fail(
                "whole numbers with symbolic bounds (C3)",
                str([value for value in self.given_numbers if not isinstance(value, int)]),
                "make a range of integers and scale it",
            )

    def count(self, start: Expr | Number, end: Expr | Number) -> Expr:
        """Return the number of elements from one bound to the other."""
        step = self.step
        if isinstance(start, float) or isinstance(end, float) or isinstance(step, float):
            return symbolic.const(max(0, ceil((end - start) / step)))  # pyright: ignore
        span = symbolic.as_expr(end) - symbolic.as_expr(start)
        return symbolic.maximum(0, symbolic.ceildiv(span if step > 0 else -span, abs(step)))


class VectorOp(CreationOp):
    """A vector of floating-point numbers, whose length is the only size of the operand `shape`.

    (C1) `dtype` is a floating-point type; f32 by default.
    (C2) The shape has one size.
    """

    shape: Operand = shape_value()

    def infer(self) -> Sequence[Attribute]:
        sizes = sizes_of(self.shape)
        type = TensorType.get((None,) if sizes is None else sizes, self.element_type(f32))
        FLOAT.check(self, "result", type)
        if type.rank != 1:
            self.fail(
                "a shape of one size (C2)", f"{type.rank} sizes", "write the number of elements"
            )
        return (type,)


@operator("relax.linspace")
class LinspaceOp(VectorOp):
    """Numbers at equal distances from `start` to `stop`, both included; `start` where there is one.

    From Python it takes their number, the operand is a shape of this one size.

    (C3) `start` and `stop` are finite.
    """

    start: Num = number()
    stop: Num = number()
    dtype: OptionalDtype = element_type(default="f32", shown=True)

    def __init__(self, start: Number, stop: Number, num: Size = 50, dtype: Attribute | str = "f32"):
        self.init_fields(shape=ShapeOp([num]), start=start, stop=stop, dtype=dtype)

    @property
    def ends(self) -> tuple[float, float]:
        """The first and the last number."""
        return float(self.start), float(self.stop)

    def infer(self) -> Sequence[Attribute]:
        if not all(map(isfinite, self.ends)):
            self.fail("finite ends (C3)", str(list(self.ends)), "correct them")
        return super().infer()


@operator("relax.hamming_window")
class HammingWindowOp(VectorOp):
    """The window `alpha - beta * cos(2 * pi * i / m)` of n elements, with `m = n` where it is periodic
    and `m = n - 1` where it is symmetric (Blackman and Tukey, 1958); a single element is 1.

    From Python it takes the number of elements, the operand is a shape of this one size.
    """

    periodic: bool = flag(default=True, shown=True)
    alpha: float = real(default=0.54, shown=True)
    beta: float = real(default=0.46, shown=True)
    dtype: OptionalDtype = element_type(default="f32", shown=True)

    def __init__(
        self,
        window_size: Size,
        periodic: bool = True,
        alpha: float = 0.54,
        beta: float = 0.46,
        dtype: Attribute | str = "f32",
    ):
        numbers = {"periodic": periodic, "alpha": alpha, "beta": beta}
        self.init_fields(shape=ShapeOp([window_size]), **numbers, dtype=dtype)


OPS = operators_in(globals())
