"""Every converter compared with ONNX Runtime, on inputs whose sizes are symbolic while the node is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from onnx_models import check, one_node
from optional import package

from relax_dialect.frontends.onnx.evaluation import evaluators
from relax_dialect.frontends.onnx.model.schemas import schema_of
from relax_dialect.frontends.onnx.model_functions import has_body
from relax_dialect.frontends.onnx.registry import find, table

defs = package("onnx", "onnx").defs

RANDOM = np.random.default_rng(1)
NEWEST = 23
"""The newest opset that the peer has all of."""


def f32(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> Any:
    return (RANDOM.random(shape) + 0.1).astype(np.float32)


def ints(*shape: int, low: int = -9, high: int = 9, dtype: Any = np.int64) -> Any:
    return RANDOM.integers(low, high, shape).astype(dtype)


def bools(*shape: int) -> Any:
    return RANDOM.random(shape) < 0.5


@dataclass
class Case:
    """A node: its inputs, which of them are constants, its attributes."""

    op_type: str
    inputs: Sequence[Any]
    constants: Sequence[int] = ()
    attributes: dict[str, Any] = field(default_factory=dict)
    opset: int = 17
    outputs: int = 1
    symbolic: bool = True

    def __str__(self) -> str:
        told = [f"{k}={v}" for k, v in self.attributes.items()]
        return "-".join([self.op_type, str(self.opset), *told])


def case(
    op_type: str,
    *inputs: Any,
    constants: Sequence[int] = (),
    opset: int = 17,
    outputs: int = 1,
    symbolic: bool = True,
    **attributes: Any,
) -> Case:
    return Case(op_type, inputs, constants, attributes, opset, outputs, symbolic)


X, Y = f32(2, 3, 5), f32(3, 5)
IMAGE, SEQUENCE, VOLUME = f32(2, 4, 9, 8), f32(2, 4, 9), f32(1, 2, 5, 6, 4)
I64 = np.int64


def axes(*numbers: int) -> Any:
    return np.array(numbers, I64)


UNARY = (
    "Abs Atan Asinh Ceil Cos Cosh Erf Exp Floor Neg Reciprocal Round Sigmoid Sign Sin Sinh Tan Tanh"
)
ACTIVATIONS = "Relu Softsign HardSwish Celu Elu LeakyRelu ThresholdedRelu Softplus Selu HardSigmoid Softmax LogSoftmax Hardmax"
BINARY = "Add Sub Mul Div Less Greater LessOrEqual GreaterOrEqual Sum Max Min Mean"
REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceMax ReduceMean ReduceMin ReduceProd ReduceSumSquare ReduceLogSumExp"
)
LSTM = [f32(5, 2, 3), f32(2, 16, 3), f32(2, 16, 4), f32(2, 32), None, f32(2, 2, 4), f32(2, 2, 4)]

CASES = [
    *(case(name, X) for name in UNARY.split()),
    *(case(name, positive(4, 3)) for name in ("Log", "Sqrt")),
    *(case(name, np.tanh(X)) for name in ("Acos", "Asin", "Atanh")),
    case("Acosh", positive(3) + 1),
    case("Not", bools(4)),
    case("BitwiseNot", ints(4), opset=18),
    case("IsNaN", np.array([1, np.nan, np.inf], np.float32)),
    *(case("IsInf", np.array([1, -np.inf, np.inf], np.float32), detect_positive=p, detect_negative=n) for p in (0, 1) for n in (0, 1)),
    *(case(name, X) for name in ACTIVATIONS.split()),
    case("Softmax", X, axis=1),
    case("Softmax", X, axis=1, opset=11),
    case("Hardmax", X, axis=1, opset=11),
    case("Hardmax", f32(2, 0), axis=1, opset=13),
    case("Mish", X, opset=18),
    case("Gelu", X, opset=20),
    case("Gelu", X, opset=20, approximate="tanh"),
    case("Selu", X, alpha=2.0, gamma=0.5),
    case("Shrink", X, lambd=0.4, bias=0.1),
    *(case(name, X, Y) for name in BINARY.split()),
    case("Add", ints(3, 1), ints(4)),
    case("Div", ints(9), ints(9, low=1)),
    case("Equal", ints(9), ints(9)),
    *(case(name, bools(3, 4), bools(4)) for name in ("And", "Or", "Xor")),
    *(case(name, ints(5), ints(5), opset=18) for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")),
    *(case("BitShift", ints(5, low=0, dtype=np.uint32), ints(5, low=0, dtype=np.uint32), direction=d) for d in ("LEFT", "RIGHT")),
    case("Pow", positive(3), f32(3)),
    case("Pow", f32(3), np.array(2, I64)),
    case("Pow", ints(3, low=1), np.array(2.0, np.float32)),
    case("Mod", ints(9), ints(9, low=1)),
    case("Mod", f32(9), positive(9), fmod=1),
    case("PRelu", IMAGE, f32(4, 1, 1)),
    case("PRelu", IMAGE, f32(8)),
    *(case(name, X, axes=[1], keepdims=k) for name in REDUCTIONS.split() for k in (0, 1)),
    case("ReduceLogSum", positive(2, 3), axes=[0]),
    case("ReduceSum", X, axes(0, -1), constants=[1], keepdims=0),
    case("ReduceSum", X),
    case("ReduceSum", X, axes(), constants=[1], noop_with_empty_axes=1),
    case("ReduceMean", X, axes(0, -1), constants=[1], opset=18),
    *(case(name, np.zeros((2, 0, 3), t), axes(1), constants=[1], opset=20) for name in ("ReduceMax", "ReduceMin") for t in (np.float32, np.float16, np.int32, np.uint8)),
    *(case(name, ints(3, 4, low=1, dtype=np.int32), axes(1), constants=[1], opset=18) for name in ("ReduceL2", "ReduceLogSum")),
    *(case(name, X, axis=1, keepdims=k, select_last_index=s) for name in ("ArgMax", "ArgMin") for k in (0, 1) for s in (0, 1)),
    case("NonZero", ints(4, 5, low=0, high=2)),
    case("Unique", ints(9, low=0, high=4), outputs=4),
    case("Unique", ints(4, 3, low=0, high=2), axis=0),
    case("TopK", X, axes(2), constants=[1], outputs=2),
    case("TopK", X, axes(3), constants=[1], outputs=2, largest=0, axis=1, opset=11),
    case("Where", bools(3, 1), X, Y),
    case("Clip", X, np.array(-0.5, np.float32), np.array(0.5, np.float32)),
    case("Clip", X, np.array(-0.5, np.float32), np.array(0.5, np.float32), constants=[1, 2]),
    case("Clip", X, None, np.array(0.5, np.float32)),
    case("Clip", X, min=-0.5, max=0.5, opset=10),
    *(case("Cast", X, to=code) for code in (6, 7, 9, 10, 11)),
    case("CastLike", X, ints(1), opset=19),
    case("ConstantOfShape", axes(3, 4)),
    case("EyeLike", f32(3, 4), k=1),
    case("CumSum", X, np.array(-1), exclusive=1, reverse=1),
    *(case("Trilu", X, np.array(1), constants=[1], upper=u) for u in (0, 1)),
    *(case("Trilu", X, np.array(-1), upper=u) for u in (0, 1)),
    case("Range", np.array(1), np.array(10), np.array(3)),
    case("Range", np.array(10, np.float32), np.array(1, np.float32), np.array(-2.5, np.float32)),
    case("OneHot", ints(3, 2, low=-4, high=4), np.array(4), np.array([0.5, 2], np.float32)),
    case("OneHot", ints(3, 2, low=-4, high=4), np.array([4]), np.array([0, 1]), constants=[1], axis=0),
    *(case("CumSum", X, np.array(1), constants=[1], exclusive=e, reverse=r) for e in (0, 1) for r in (0, 1)),
    *(case("DepthToSpace", f32(1, 8, 2, 3), blocksize=2, mode=m) for m in ("DCR", "CRD")),
    case("SpaceToDepth", f32(1, 2, 4, 6), blocksize=2),
    case("Gather", X, ints(2, 2, low=-3, high=3), axis=1),
    case("GatherElements", X, ints(2, 2, 5, low=-3, high=3), axis=1),
    case("GatherND", X, ints(4, 2, low=0, high=2)),
    case("ScatterElements", X, np.array([[[0, 2, 1, 0, 1]]]), f32(1, 1, 5), axis=1),
    case("ScatterElements", X, np.array([[[0, 2, 1, 0, 1]]]), f32(1, 1, 5), axis=1, reduction="add"),
    case("Scatter", X, np.array([[[0, 2, 1, 0, 1]]]), f32(1, 1, 5), axis=1, opset=10),
    case("ScatterND", X, np.array([[1], [0]]), f32(2, 3, 5)),
    case("ScatterND", X, np.array([[1, 2], [0, 0]]), f32(2, 5), reduction="add", opset=16),
    case("Compress", X, np.array([True, False, True]), axis=1),
    case("Compress", Y, bools(15)),
    case("Slice", X, axes(1, 0), axes(3, 2**62), axes(1, 2), axes(1, 2), constants=[1, 2, 3, 4]),
    case("Slice", X, axes(-1), axes(-(2**62)), axes(-1), axes(-2), constants=[1, 2, 3, 4]),
    case("Slice", X, axes(1), axes(-1), axes(2), constants=[3]),
    case("Slice", X, starts=[0, 1], ends=[9, -1], axes=[0, 2], opset=9),
    *(case("Pad", f32(3, 4), axes(1, 0, 2, 1), constants=[1], mode=m) for m in ("constant", "reflect", "edge")),
    case("Pad", f32(3, 4), axes(1, 0, 2, 1)),
    case("Pad", f32(3, 4), axes(1, -1, -1, 1), np.array(2, np.float32), constants=[1, 2]),
    case("Pad", f32(3, 4), axes(1, 2), np.array(2, np.float32), axes(-1), constants=[1, 3], opset=18),
    case("Pad", f32(3, 4), pads=[0, 1, 1, 0], value=3.0, opset=10),
    case("Tile", Y, axes(2, 3), constants=[1]),
    case("Tile", Y, axes(2, 3)),
    case("ReverseSequence", X, axes(2, 1), time_axis=1, batch_axis=0),
    case("Identity", X),
    case("Reshape", X, axes(0, -1), constants=[1]),
    case("Reshape", X, axes(5, 6)),
    *(case("Flatten", X, axis=a) for a in (0, 1, -1, 3)),
    case("Transpose", X, perm=[2, 0, 1]),
    case("Transpose", Y),
    case("Unsqueeze", X, axes(0, -1), constants=[1]),
    case("Unsqueeze", X, axes=[1], opset=11),
    case("Squeeze", f32(1, 3, 1), axes(0), constants=[1]),
    case("Squeeze", f32(1, 3, 1), axes=[2], opset=11),
    case("Expand", Y, axes(2, 1, 5), constants=[1]),
    case("Expand", f32(3, 1), axes(2, 1, 4)),
    case("Concat", X, f32(2, 1, 5), axis=1),
    case("Split", X, axes(1, 2), constants=[1], outputs=2, axis=1),
    case("Split", X, axes(1, 2), outputs=2, axis=1),
    case("Split", f32(6, 2), outputs=3),
    case("Split", X, split=[2, 3], outputs=2, axis=-1, opset=11),
    case("MatMul", f32(2, 3, 4), f32(4, 5)),
    case("MatMul", f32(4), f32(4)),
    case("Gemm", f32(2, 3), f32(4, 3), f32(4), transB=1),
    case("Gemm", f32(3, 2), f32(3, 4), f32(2, 1), transA=1, alpha=0.5, beta=2.0),
    case("Gemm", f32(3, 2), f32(2, 4)),
    case("Det", f32(2, 3, 4, 4)),
    *(case("TensorScatter", f32(2, 3, 8, 4), f32(2, 3, 5, 4), axes(1, 3), opset=24, mode=m) for m in ("linear", "circular")),
    case("TensorScatter", f32(2, 8, 3), f32(2, 5, 3), opset=24, axis=1),
    case("Einsum", f32(2, 3, 4), f32(2, 4, 5), equation="bij, bjk -> bik"),
    case("BatchNormalization", IMAGE, f32(4), f32(4), f32(4), positive(4), epsilon=1e-3),
    case("InstanceNormalization", IMAGE, f32(4), f32(4)),
    case("LayerNormalization", X, f32(5), f32(5)),
    case("LayerNormalization", X, f32(3, 5), axis=1),
    case("LayerNormalization", X, f32(5), f32(5), outputs=3),
    case("GroupNormalization", IMAGE, f32(4), f32(4), num_groups=2, opset=21, symbolic=False),
    case("GroupNormalization", IMAGE, f32(2), f32(2), num_groups=2, opset=18, symbolic=False),
    case("RMSNormalization", X, f32(5), opset=23),
    *(case("LpNormalization", X, axis=1, p=p) for p in (1, 2)),
    case("LRN", IMAGE, size=3),
    case("Dropout", X),
    case("MeanVarianceNormalization", IMAGE),
    case("Conv", IMAGE, f32(6, 4, 3, 3), f32(6), pads=[1, 0, 1, 2], strides=[2, 1], dilations=[1, 2], constants=[1, 2]),
    case("Conv", IMAGE, f32(6, 4, 2, 3), pads=[1, 0, 1, 2]),
    case("Conv", SEQUENCE, f32(6, 2, 3), constants=[1], group=2, auto_pad="SAME_UPPER"),
    case("Conv", VOLUME, f32(3, 2, 2, 2, 2), f32(3), constants=[1]),
    case("Conv", IMAGE, f32(6, 4, 3, 3), auto_pad="SAME_LOWER", strides=[2, 2], symbolic=False),
    case("ConvTranspose", IMAGE, f32(4, 3, 3, 3), f32(3), constants=[1], strides=[2, 2], pads=[1, 1, 0, 1], output_padding=[1, 0]),
    case("ConvTranspose", IMAGE, f32(4, 3, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER", symbolic=False),
    case("ConvTranspose", IMAGE, f32(4, 3, 3, 3), strides=[2, 2], output_shape=[18, 17], symbolic=False),
    case("MaxPool", IMAGE, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1]),
    *(case(name, f32(1, 2, 3), kernel_shape=[4], opset=19) for name in ("MaxPool", "AveragePool", "LpPool")),
    case("MaxPool", IMAGE, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, dilations=[2, 1]),
    *(case("AveragePool", IMAGE, kernel_shape=[3, 2], pads=[1, 0, 1, 1], count_include_pad=c) for c in (0, 1)),
    case("AveragePool", SEQUENCE, kernel_shape=[3], strides=[2]),
    *(case(name, IMAGE) for name in ("GlobalAveragePool", "GlobalMaxPool")),
    *(case("GlobalLpPool", IMAGE, p=p) for p in (1, 2, 3)),
    case("LpPool", IMAGE, kernel_shape=[3, 2], p=2),
    case("QuantizeLinear", X, np.array(0.1, np.float32), np.array(3, np.uint8)),
    case("QuantizeLinear", X, positive(3), ints(3, dtype=np.int8), axis=1),
    case("DequantizeLinear", ints(2, 3, dtype=np.int8), np.array(0.1, np.float32)),
    case("DequantizeLinear", ints(2, 3, dtype=np.int8), positive(3), ints(3, dtype=np.int8), axis=1),
    case("DynamicQuantizeLinear", X, outputs=3),
    case("MatMulInteger", ints(2, 3, low=0, dtype=np.uint8), ints(3, 4, dtype=np.int8), np.array(2, np.uint8), np.array([1], np.int8)),
    case("QLinearMatMul", ints(2, 3, low=0, dtype=np.uint8), np.array(0.1, np.float32), np.array(2, np.uint8), ints(3, 4, dtype=np.int8), np.array(0.2, np.float32), np.array(0, np.int8), np.array(0.3, np.float32), np.array(9, np.uint8)),
    case("ConvInteger", ints(1, 2, 4, 4, low=0, dtype=np.uint8), ints(3, 2, 2, 2, low=0, dtype=np.uint8), np.array(2, np.uint8), constants=[1]),
    case("QLinearConv", ints(1, 2, 6, low=0, dtype=np.uint8), np.array(0.1, np.float32), np.array(2, np.uint8), ints(3, 2, 3, dtype=np.int8), positive(3), np.zeros(3, np.int8), np.array(0.3, np.float32), np.array(9, np.uint8), ints(3, dtype=np.int32), constants=[1, 2, 3, 4, 5, 6, 7, 8], pads=[1, 1]),
    case("QLinearConv", ints(1, 2, 4, 4, low=0, dtype=np.uint8), np.array(0.1, np.float32), np.array(2, np.uint8), ints(3, 2, 2, 2, dtype=np.int8), positive(3), np.zeros(3, np.int8), np.array(0.3, np.float32), np.array(9, np.uint8), ints(3, dtype=np.int32), constants=[1, 2, 3, 4, 5, 6, 7, 8]),
    case("RNN", f32(5, 2, 3), f32(1, 4, 3), f32(1, 4, 4), f32(1, 8), constants=[1, 2], outputs=2, hidden_size=4),
    case("RNN", f32(5, 2, 3), f32(1, 4, 3), f32(1, 4, 4), outputs=2, hidden_size=4, activations=["Relu"], direction="reverse"),
    *(case("GRU", f32(5, 2, 3), f32(1, 12, 3), f32(1, 12, 4), f32(1, 24), outputs=2, hidden_size=4, linear_before_reset=b) for b in (0, 1)),
    case("LSTM", *LSTM, constants=[1, 2, 3], outputs=3, hidden_size=4, direction="bidirectional"),
    case("LSTM", *LSTM, outputs=3, hidden_size=4, direction="bidirectional"),
    case("RNN", f32(5, 2, 3), f32(2, 4, 3), f32(2, 4, 4), None, ints(2, low=1, high=6, dtype=np.int32), outputs=2, hidden_size=4, direction="bidirectional", activations=["Affine", "Softplus"], activation_alpha=[0.5], activation_beta=[0.25]),
    *(case("GRU", f32(5, 2, 3), f32(1, 12, 3), f32(1, 12, 4), None, ints(2, low=1, high=6, dtype=np.int32), f32(1, 2, 4), outputs=2, hidden_size=4, linear_before_reset=b, direction=d, clip=0.5, activations=["HardSigmoid", "LeakyRelu"], activation_alpha=[0.3, 0.1], activation_beta=[0.4]) for b, d in ((0, "forward"), (1, "reverse"))),
    case("LSTM", *LSTM[:4], ints(2, low=1, high=6, dtype=np.int32), *LSTM[5:], f32(2, 12), outputs=3, hidden_size=4, direction="bidirectional", clip=0.75),
    case("LSTM", *LSTM[:3], None, None, *LSTM[5:], f32(2, 12), constants=[7], outputs=3, hidden_size=4, direction="bidirectional", input_forget=1, activations=["Sigmoid", "Elu", "Softsign", "HardSigmoid", "Tanh", "Relu"]),
    case("Upsample", IMAGE, np.array([1, 1, 2, 3], np.float32), constants=[1], opset=9),
    case("Resize", IMAGE, np.array([1, 1, 2, 3], np.float32), constants=[1], opset=10),
    *(case("Resize", IMAGE, None, np.array([1, 1, 2, 2], np.float32), constants=[2], mode=m, opset=13) for m in ("nearest", "linear", "cubic")),
    *(case("Resize", IMAGE, None, None, axes(2, 4, 5, 11), constants=[3], mode="linear", coordinate_transformation_mode=m, opset=13, symbolic=False) for m in ("align_corners", "asymmetric", "pytorch_half_pixel")),
    *(case("Resize", IMAGE, np.array([0.1, -0.2, 0.8, 1.1], np.float32), None, axes(5, 11), mode=m, axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize", opset=19) for m in ("nearest", "linear")),
    case("Resize", f32(2, 2, 3, 1, 4), None, np.array([2, 1, 2, 3, 2], np.float32), constants=[2], opset=19),
    case("Resize", f32(0, 2, 4), None, np.array([1, 1, 0.2], np.float32), mode="linear", opset=19),
    case("Resize", f32(1, 2, 0), None, None, axes(1, 2, 0), opset=19),
    case("Resize", IMAGE, None, np.array([1, 1, 0.6, 1.7], np.float32), constants=[2], mode="cubic", opset=19, antialias=1),
    case("Resize", IMAGE, None, np.array([1, 1, 0.6, 1.7], np.float32), mode="linear", coordinate_transformation_mode="half_pixel_symmetric", opset=19, symbolic=False),
    case("Resize", IMAGE, None, np.array([0.7, 1.3], np.float32), constants=[2], axes=[1, 2], opset=19, nearest_mode="ceil", symbolic=False),
    *(case("Resize", IMAGE, None, None, axes(5, 11), mode="linear", axes=[2, 3], keep_aspect_ratio_policy=p, opset=19, symbolic=s) for p, s in (("not_larger", True), ("not_smaller", False))),
    case("Resize", IMAGE, np.array([0.1, 0.2, 0.8, 1.1], np.float32), None, axes(5, 11), constants=[1], mode="linear", axes=[2, 3], coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=2.0, opset=19),
    case("GridSample", VOLUME, np.tanh(f32(1, 3, 2, 2, 3)), mode="linear", padding_mode="border", opset=20),
    *(case("AffineGrid", f32(2, 2, 3), axes(2, 1, 4, 2), opset=20, align_corners=a) for a in (0, 1)),
    *(case("GridSample", f32(1, 2, 4, 4), np.tanh(f32(1, 3, 2, 2)), mode=m) for m in ("bilinear", "nearest", "bicubic")),
    *(case("MaxPool", IMAGE, outputs=2, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], dilations=[1, 2], ceil_mode=1, storage_order=o) for o in (0, 1)),
    case("MaxPool", VOLUME, outputs=2, kernel_shape=[2, 2, 3], symbolic=False),
    case("MaxUnpool", f32(1, 2, 2, 3), np.arange(12).reshape(1, 2, 2, 3) * 4, kernel_shape=[2, 2], strides=[2, 2]),
    *(case("NonMaxSuppression", positive(2, 9, 4), f32(2, 3, 9), np.array([3]), np.array([0.3], np.float32), np.array([0.1], np.float32), center_point_box=c) for c in (0, 1)),
    case("NonMaxSuppression", positive(1, 9, 4), f32(1, 1, 9), np.array([5])),
    case("MaxRoiPool", f32(2, 2, 8, 8), np.array([[0, 1, 1, 6, 5], [1, 0, 2, 7, 7]], np.float32), pooled_shape=[2, 3]),
    case("RoiAlign", f32(2, 2, 8, 8), positive(3, 4) * 5, ints(3, low=0, high=2), output_height=2, output_width=3, sampling_ratio=2, mode="max"),
    case("DeformConv", f32(2, 4, 5, 6), f32(6, 2, 2, 3), f32(2, 24, 5, 5), f32(6), f32(2, 12, 5, 5), constants=[1], group=2, offset_group=2, pads=[1, 0, 0, 1], dilations=[1, 1], opset=19),
    case("DeformConv", f32(1, 2, 5, 1), f32(2, 2, 2, 1), f32(1, 4, 2, 1), strides=[2, 1], dilations=[2, 1], kernel_shape=[2, 1], opset=19, symbolic=False),
    case("Col2Im", f32(2, 12, 9), axes(4, 5), axes(2, 3), opset=18),
    case("Col2Im", f32(2, 6, 6), axes(5, 5), axes(2, 3), constants=[1, 2], pads=[0, 1, 1, 0], strides=[2, 1], dilations=[1, 2], opset=18, symbolic=False),
    case("RoiAlign", f32(2, 2, 8, 8), positive(3, 4) * 5, ints(3, low=0, high=2), output_height=2, output_width=3, sampling_ratio=2),
    case("LogSoftmax", X, opset=7, axis=0),
    case("Upsample", IMAGE, opset=7, scales=[1.0, 1.0, 2.0, 3.0]),
    case("TopK", X, opset=7, outputs=2, k=2, axis=1),
    case("Dropout", X, opset=7, ratio=0.3),
    case("Squeeze", f32(1, 3, 1, 2), opset=7, axes=[0, 2]),
    case("Slice", X, opset=7, starts=[-2], ends=[-1]),
    case("Pad", IMAGE, opset=7, pads=[0, 0, 1, 2, 0, 0, 1, 0], mode="edge"),
    *(case("ReduceLogSumExp", X, opset=o, axes=[0, -1][: 2 - (o < 11)], keepdims=0) for o in (7, 11)),
    case("BatchNormalization", IMAGE, f32(4), f32(4), f32(4), positive(4), opset=7),
    case("MaxPool", IMAGE, opset=8, kernel_shape=[2, 3]),
    case("Resize", IMAGE, np.zeros(0, np.float32), np.array([1, 1, 2, 2], np.float32), constants=[1, 2], opset=11),
    case("BitShift", ints(5, low=0, dtype=np.uint8), ints(5, low=0, dtype=np.uint8), direction="LEFT"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_as_onnx_runtime(case: Case):
    model, inputs = one_node(
        case.op_type,
        case.inputs,
        case.opset,
        case.outputs,
        case.symbolic,
        case.constants,
        **case.attributes,
    )
    check(model, inputs, 1e-4, 1e-5)


ELSEWHERE = {"If", "Loop", "Scan", "BitCast", "CumProd", "Bernoulli", "Multinomial"}
ELSEWHERE |= {"DFT", "STFT", "MelWeightMatrix", "SimplifiedLayerNormalization"}
ELSEWHERE |= {f"Random{name}" for name in ("Uniform", "UniformLike", "Normal", "NormalLike")}
"""Converters that other files test, or that the peer has not."""


def test_every_converter_is_compared():
    ours = {name for domain, name in table() if domain == ""}
    ours -= {name for name in ours if "Sequence" in name or "Optional" in name}
    assert ours - {case.op_type for case in CASES} == ELSEWHERE


def test_every_version_is_served():
    """An operator that is served is served in every version that opsets from 7 on have."""
    schemas = [
        s for s in defs.get_all_schemas_with_history() if s.domain == "" and not s.deprecated
    ]
    served: dict[str, list[int]] = {}
    for schema in schemas:
        name, version = schema.name, max(schema.since_version, 7)
        body = schema_of(name, "", version)
        if find("", name, version) or name in evaluators.table() or has_body(body):
            served.setdefault(name, []).append(version)
    known = {(s.name, max(s.since_version, 7)) for s in schemas}
    assert len(served) > 150
    assert not {(n, v) for n, v in known if n in served and v not in served[n]}
