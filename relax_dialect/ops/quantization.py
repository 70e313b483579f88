"""Quantization, and integer arithmetic on quantized tensors.

A quantized tensor q represents the numbers `scale * (q - zero_point)`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float64Type,
    IntegerType,
    Signedness,
    f32,
    i32,
)
from xdsl.ir import Attribute
from xdsl.irdl import result_def

from relax_dialect import symbolic
from relax_dialect.ir.storage import SCALE, STORAGE, is_storage
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.convolution import ForwardConvolutionOp, KernelOp
from relax_dialect.ops.demands import Demand, equal, guarded, one_or, refuse_unmet
from relax_dialect.ops.fields import Dtype, Operand, element_type, integer, one_axis, tensor
from relax_dialect.ops.kinds import K_BROADCAST, K_OPAQUE, NEVER
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.products import MatrixProductOp
from relax_dialect.ops.type_rules import FLOAT, INTEGER, Elements, Rank, is_float, tensor_type

i8, ui8 = IntegerType(8), IntegerType(8, Signedness.UNSIGNED)
BYTES: Sequence[Attribute] = (i8, ui8)
QUANTIZED: Sequence[Attribute] = (*BYTES, IntegerType(16), IntegerType(16, Signedness.UNSIGNED))
"""The element types that floats are quantized to."""
EIGHT_BITS = Elements(
    lambda dtype: dtype in BYTES,
    "the element type i8 or ui8",
    "quantize it, or use the operator for all numbers with out_dtype",
)
WHOLE_OR_STORED = Elements(
    lambda dtype: INTEGER.holds(dtype) or is_storage(dtype),
    "an integer element type or a storage type",
)
ONE_OR_EACH = Rank(0, "C3", other=1)
"""One number for all, or one for each index along an axis."""

LARGEST: Mapping[Attribute, float] = {
    Float16Type(): 65504.0,
    BFloat16Type(): (2 - 2**-7) * 2.0**127,
}
"""The largest finite number of the types that a dequantized number may be beyond."""


def computed_in(*types: Attribute) -> Attribute:
    """Return the floating-point type to compute in: f64 if an operand has that, else f32."""
    return Float64Type() if Float64Type() in types else f32


class ParameterOp(OperatorOp):
    """An operator with scales and zero points: one for all of the tensor, or one for each index along
    `axis`; it computes in f32, or in f64 if an operand is f64.

    (C1) Scales have a floating-point and zero points an integer element type.
    (C2) -rank <= axis < rank.
    (C3) Scales and zero points have rank 0, or one axis, as long as that of the tensor or of length 1.
    """

    PATTERN_KIND: ClassVar = K_BROADCAST

    @property
    @abstractmethod
    def axis(self) -> int:
        """The axis that scales and zero points are along."""

    @property
    @abstractmethod
    def out_dtype(self) -> Attribute:
        """The element type of the result."""

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """Yield the demands that scales and zero points fit the tensor."""
        data, *parameters = shapes
        lengths = [shape[0] for shape in parameters if shape]
        if data is None or (not data and not lengths):
            return
        size = data[self.axis_of(len(data))]
        for length in lengths:
            yield from fits(length, size)

    def check(self, data: TensorType) -> None:
        """Refuse scales and zero points that do not fit the tensor."""
        parameters = [tensor_type(getattr(self, name)) for name in self.names()]
        refuse_unmet(self, self.demands([data.shape, *(p.shape for p in parameters)]))

    @classmethod
    def names(cls) -> Sequence[str]:
        """Return the names of the operands that are scales and zero points."""
        return [name for name, _ in cls.get_irdl_definition().operands][1:]


def fits(length: Dim, size: Dim) -> Iterator[Demand]:
    """Yield the demand for one number, or one for each index along an axis."""
    expected = "one scale or zero point for all, or one for each index along the axis (C3)"
    yield from one_or(expected, length, size, "correct the axis, or the scale or zero point")


class QuantizingOp(ParameterOp):
    """An operator whose result is quantized.

    (C4) `out_dtype` is i8, ui8, i16 or ui16.
    """

    QUANTIZED: ClassVar[Sequence[Attribute]] = QUANTIZED
    """The element types that the result may have."""

    @property
    def quantized(self) -> Attribute:
        """The element type of the result."""
        dtype = self.out_dtype
        if dtype not in self.QUANTIZED:
            *names, last = map(str, self.QUANTIZED)
            expected = f"out_dtype {', '.join(names)} or {last} (C4)"
            self.fail(expected, str(dtype), "name one of these")
        return dtype


class BlockedOp(ParameterOp):
    """An operator whose scales and zero points may be those of blocks along `axis`.

    (C3) Scales and zero points have rank 0, or one axis, as long as that of the tensor or of length 1; with
         a `block_size`, they have the sizes of the tensor, but along the axis one for each block; the last
         block may be shorter.
    (C5) `block_size` is 0, for no blocks, or more.
    """

    @property
    @abstractmethod
    def block_size(self) -> int:
        """The number of indices along the axis that share a scale and a zero point; 0 for all, or one
        each."""

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """Yield the demands that scales and zero points fit the tensor."""
        data, *parameters = shapes
        if not self.block_size:
            yield from super().demands(shapes)
            return
        if data is None:
            return
        axis = self.axis_of(len(data))
        for shape in filter(None, parameters):
            for d, size in enumerate(data):
                expected, wanted = "sizes of scales and zero points as the tensor's (C3)", size
                if d == axis and size is not None:
                    expected = f"a scale or zero point for each block of {self.block_size} (C3)"
                    wanted = guarded(partial(symbolic.ceildiv, size, self.block_size))
                mend = "correct block_size, or the scale or zero point"
                yield from equal(f"{expected} in dimension {d}", shape[d], wanted, mend)

    def check(self, data: TensorType) -> None:
        """Refuse scales and zero points that do not fit the tensor."""
        for name in self.names():
            type = tensor_type(getattr(self, name))
            if not self.block_size:
                ONE_OR_EACH.check(self, name, type)
            elif type.rank not in (None, 0, data.rank) and data.rank is not None:
                expected = (
                    f"'{name}' of rank {data.rank}, as the tensor has, with 'block_size' (C3)"
                )
                self.fail(expected, f"rank {type.rank}", "reshape it, or leave out block_size")
        super().check(data)


@operator("relax.quantize")
class QuantizeOp(QuantizingOp, BlockedOp):
    """`round(data / scale) + zero_point`, halves rounded to even, cut off at the bounds of `out_dtype`;
    NaN becomes 0. For a storage type of floats it is `data / scale + zero_point`, rounded to that by
    `relax.astype` and cut off at its bounds.

    (C1) data and the scale have floating-point element types, the zero point an integer or storage type.
    (C4) `out_dtype` is i8, ui8, i16, ui16 or a storage type that has zero.
    """

    QUANTIZED: ClassVar = (*QUANTIZED, *(type for type in STORAGE.values() if type != SCALE))

    STORES: ClassVar = True

    NUMBERS: ClassVar = {"zero_point": "out_dtype"}

    data: Operand = tensor(FLOAT)
    scale: Operand = tensor(FLOAT)
    zero_point: Operand = tensor(WHOLE_OR_STORED)
    axis: int = one_axis("data", default=-1, checked=False)
    out_dtype: Dtype = element_type(default="i8")
    block_size: int = integer(default=0, least=0, constraint="C5")

    def infer(self) -> Sequence[Attribute]:
        data = tensor_type(self.data)
        self.check(data)
        return (TensorType.get(data.shape, self.quantized),)


@operator("relax.dequantize")
class DequantizeOp(BlockedOp):
    """`scale * (data - zero_point)`, of integers cut off at the largest finite numbers of f16 and bf16.

    (C1) data and the zero point have integer or storage types, the scale has a floating-point one.
    (C4) `out_dtype` is a floating-point type.
    """

    STORES: ClassVar = True

    NUMBERS: ClassVar = {"scale": "f32"}

    data: Operand = tensor(WHOLE_OR_STORED)
    scale: Operand = tensor(FLOAT)
    zero_point: Operand = tensor(WHOLE_OR_STORED)
    axis: int = one_axis("data", default=-1, checked=False)
    out_dtype: Dtype = element_type(default="f32")
    block_size: int = integer(default=0, least=0, constraint="C5")

    def infer(self) -> Sequence[Attribute]:
        data, dtype = tensor_type(self.data), self.out_dtype
        self.check(data)
        if not is_float(dtype):
            self.fail("a floating-point out_dtype (C4)", str(dtype), "name one, such as f32")
        return (TensorType.get(data.shape, dtype),)


@operator("relax.requantize")
class RequantizeOp(QuantizingOp):
    """Quantized numbers with another scale and zero point:
    `round((data - input_zero_point) * (input_scale / output_scale)) + output_zero_point`, halves rounded
    to even, cut off at the bounds of `out_dtype`.

    (C1) data and zero points have integer element types, scales have floating-point ones.
    """

    NUMBERS: ClassVar = {
        "input_scale": "f32",
        "output_scale": "f32",
        "output_zero_point": "out_dtype",
    }

    data: Operand = tensor(INTEGER)
    input_scale: Operand = tensor(FLOAT, ONE_OR_EACH)
    input_zero_point: Operand = tensor(INTEGER, ONE_OR_EACH)
    output_scale: Operand = tensor(FLOAT, ONE_OR_EACH)
    output_zero_point: Operand = tensor(INTEGER, ONE_OR_EACH)
    axis: int = one_axis("data", default=-1, checked=False)
    out_dtype: Dtype = element_type(default="i8")

    def infer(self) -> Sequence[Attribute]:
        data = tensor_type(self.data)
        self.check(data)
        return (TensorType.get(data.shape, self.quantized),)


@operator("relax.dynamic_quantize", K_OPAQUE)
class DynamicQuantizeOp(OperatorOp):
    """x quantized to ui8 by its own range, which is widened to hold 0; the scale and the zero point.

    The scale is `(high - low) / 255` (1 where that is 0), the zero point `round(-low / scale)`, and the
    numbers are `round(x / scale) + zero_point`, halves rounded to even, cut off at 0 and 255.

    (C1) The element type is a floating-point type; the scale is f32, or f64 for f64.
    """

    x: Operand = tensor(FLOAT)
    result = result_def(TensorType)
    scale = result_def(TensorType)
    zero_point = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        x = tensor_type(self.x)
        scale = None if x.dtype is None else computed_in(x.dtype)
        types = TensorType.get(x.shape, ui8), TensorType.get((), scale), TensorType.get((), ui8)
        return types


class IntegerMatmulOp(MatrixProductOp):
    """A product of quantized matrices, accumulated in i32.

    (C1) The matrices have element types of 8 bits, zero points integer and scales floating-point ones.
    (C5) Scales and zero points of `lhs` have rank 0, or one axis, its rows; those of `rhs`, its columns;
    those of the result have rank 0.
    """

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """Yield the demands that scales and zero points fit the matrices."""
        names = [name for name, _ in self.get_irdl_definition().operands]
        by_name = dict(zip(names, shapes))
        for side, place in (("lhs", -2), ("rhs", -1)):
            matrix = by_name[side]
            for name, shape in by_name.items():
                if not name.startswith(f"{side}_") or not shape or matrix is None:
                    continue
                if len(matrix) < 2:
                    expected = f"'{name}' of rank 0 for a vector (C5)"
                    self.fail(expected, "rank 1", "write one number for all")
                expected = f"'{name}' to be one number, or one for each row or column (C5)"
                yield from one_or(expected, shape[0], matrix[place], f"slice or reshape '{name}'")

    def infer_product(self) -> TensorType:
        """Return the shape of the result, and the type that the products are accumulated in."""
        definitions = self.get_irdl_definition().operands
        types = {name: tensor_type(getattr(self, name)) for name, _ in definitions}
        refuse_unmet(self, self.demands([type.shape for type in types.values()]))
        shape = self.product_shape(types["lhs"].shape, types["rhs"].shape)
        return TensorType.get(shape, i32)


@operator("relax.matmul_integer")
class MatmulIntegerOp(IntegerMatmulOp):
    """`(lhs - lhs_zero_point) @ (rhs - rhs_zero_point)` in i32."""

    lhs: Operand = tensor(EIGHT_BITS)
    rhs: Operand = tensor(EIGHT_BITS)
    lhs_zero_point: Operand = tensor(INTEGER, ONE_OR_EACH)
    rhs_zero_point: Operand = tensor(INTEGER, ONE_OR_EACH)

    def infer(self) -> Sequence[Attribute]:
        return (self.infer_product(),)


@operator("relax.qlinear_matmul")
class QlinearMatmulOp(IntegerMatmulOp):
    """The product of two quantized matrices, quantized: with the sums of `relax.matmul_integer`,
    `round(sums * (lhs_scale * rhs_scale / result_scale)) + result_zero_point`, halves rounded to even.

    The result has the element type of its zero point, and is cut off at the bounds of that.

    (C6) `result_zero_point` is i8 or ui8.
    """

    lhs: Operand = tensor(EIGHT_BITS)
    lhs_scale: Operand = tensor(FLOAT, ONE_OR_EACH)
    lhs_zero_point: Operand = tensor(INTEGER, ONE_OR_EACH)
    rhs: Operand = tensor(EIGHT_BITS)
    rhs_scale: Operand = tensor(FLOAT, ONE_OR_EACH)
    rhs_zero_point: Operand = tensor(INTEGER, ONE_OR_EACH)
    result_scale: Operand = tensor(FLOAT, Rank(0, "C5", "take one element"))
    result_zero_point: Operand = tensor(INTEGER, Rank(0, "C5", "take one element"))

    def infer(self) -> Sequence[Attribute]:
        product, dtype = self.infer_product(), tensor_type(self.result_zero_point).dtype
        if dtype is not None and dtype not in BYTES:
            expected = "'result_zero_point' of i8 or ui8 (C6)"
            self.fail(expected, str(dtype), "convert with relax.astype first")
        return (TensorType.get(product.shape, dtype),)


class ZeroPointsOp(KernelOp):
    """Windows of a quantized x and a quantized kernel."""

    x: Operand = tensor(EIGHT_BITS)
    weight: Operand = tensor(EIGHT_BITS)
    x_zero_point: Operand = tensor(INTEGER, Rank(0, "C9", "take one element"))
    weight_zero_point: Operand = tensor(INTEGER, Rank(0, "C9", other=1))


@operator("relax.conv2d_integer", precision=NEVER)
class Conv2dIntegerOp(ForwardConvolutionOp, ZeroPointsOp):
    """The convolution of quantized images with a quantized kernel, less their zero points, accumulated in
    i32; the padding of x counts 0, as its zero point does.

    (C1) x and `weight` have element types of 8 bits, zero points integer ones; `out_dtype` is absent.
    (C9) The zero point of x has rank 0, that of the kernel too, or it has one for each filter; checked at
         run time unless proved.
    """

    SPATIAL: ClassVar = "HW"
    SPLIT: ClassVar = ""

    def zero_demands(self, filters: Dim, zero_point: Dims | None) -> Iterator[Demand]:
        """Yield the demand for as many zero points as filters, if there are several."""
        for size in zero_point or ():
            if size is not None and filters is not None:
                expected = "'weight_zero_point' to have one element for each filter (C9)"
                yield from equal(expected, size, filters, "slice or broadcast it")

    def infer(self) -> Sequence[Attribute]:
        if self.out_dtype is not None:
            mend = "convert the result with relax.astype"
            self.fail("no 'out_dtype' (C1)", str(self.out_dtype), mend)
        sizes, kernel = self.x_sizes, self.weight_sizes
        refuse_unmet(self, self.demands(sizes, kernel))
        zeros = tensor_type(self.weight_zero_point).shape
        refuse_unmet(self, self.zero_demands(kernel["O"], zeros))
        shape = self.laid_out(sizes["N"], kernel["O"], self.extents(sizes, kernel))
        return (TensorType.get(shape, i32),)


OPS = operators_in(globals())
