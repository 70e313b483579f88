"""relax-legalize: the prim func of every operator against numpy, sharing, and what it refuses."""

import inspect
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import erf

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, needs
from prim_funcs import PrimFuncs, dtype_of
from sampling import sampled
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.legalize.registry import RULES
from lowering.legalize.relax_legalize import legalize
from lowering.legalize.steps import STEPS
from relax_dialect import symbolic
from relax_dialect.dialect import OPERATOR_FAMILIES
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.activation import GeluOp, ReluOp, SoftmaxOp
from relax_dialect.ops.binary import (
    AddOp,
    DivideOp,
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    MaximumOp,
    MultiplyOp,
    NotEqualOp,
    SubtractOp,
)
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.core import FuncOp, ReturnOp, ShapeOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.linear_algebra import MatmulOp
from relax_dialect.ops.manipulate import BroadcastToOp, FlattenOp, PermuteDimsOp, ReshapeOp
from relax_dialect.ops.statistical import MaxOp, MeanOp, SumOp
from relax_dialect.ops.unary import (
    ErfOp,
    ExpOp,
    NegativeOp,
    RsqrtOp,
    SigmoidOp,
    SqrtOp,
    TanhOp,
)

SIZES = [
    {"n": 3, "m": 5, "k": 4, "b": 2},
    {"n": 1, "m": 1, "k": 1, "b": 1},
    {"n": 7, "m": 2, "k": 9, "b": 3},
    {"n": 2, "m": 0, "k": 3, "b": 1},
]


@dataclass(frozen=True)
class Case:
    """An operator on operands of some shapes, and numpy's word for it."""

    op: Callable[..., Operation]
    shapes: Sequence[Sequence[object]]
    meaning: Callable[..., np.ndarray]
    dtype: str = "f32"
    sizes: Sequence[dict[str, int]] = field(default_factory=lambda: SIZES)
    values: Callable[[np.ndarray], np.ndarray] = lambda x: x


def special(x: np.ndarray) -> np.ndarray:
    """Some NaN, infinities and large numbers among others."""
    flat = x.reshape(-1)
    for step, value in enumerate((np.nan, np.inf, -np.inf, 1000, -1000)):
        flat[step::11] = value
    return x


def large(x: np.ndarray) -> np.ndarray:
    return x * 1000


def positive(x: np.ndarray) -> np.ndarray:
    return np.abs(x) + np.asarray(0.1, x.dtype)


def to_shape(op: type, *sizes: object) -> Callable[[SSAValue], list[Operation]]:
    """`op` to a shape made by `relax.shape`."""

    def build(x: SSAValue) -> list[Operation]:
        shape = ShapeOp(sizes)  # pyright: ignore[reportArgumentType]
        return [shape, op(x, shape)]

    return build


def np_softmax(axis: int) -> Callable[[np.ndarray], np.ndarray]:
    def softmax(x: np.ndarray) -> np.ndarray:
        powers = np.exp(x - x.max(axis=axis, keepdims=True, initial=-np.inf))
        return powers / powers.sum(axis=axis, keepdims=True)

    return softmax


def np_mean(axis: int | tuple[int, ...] | None, keepdims: bool = False) -> Callable:
    def mean(x: np.ndarray) -> np.ndarray:
        with warnings.catch_warnings(action="ignore"):
            return x.mean(axis=axis, keepdims=keepdims, dtype="f4").astype(x.dtype)

    return mean


N_M = [["n", "m"]]
NOT_EMPTY = [sizes for sizes in SIZES if sizes["m"]]
"""Sizes that a maximum can be taken over."""
HALF = [{"n": 3, "m": 40, "k": 4, "b": 2}]

CASES: dict[str, Case] = {
    "add": Case(AddOp, [["n", "m"], ["n", "m"]], np.add),
    "add_row": Case(AddOp, [["n", "m"], ["m"]], np.add),
    "add_column": Case(AddOp, [["n", "m"], ["n", 1]], np.add),
    "add_outer": Case(AddOp, [["n", 1], [1, "m"]], np.add),
    "add_scalar": Case(AddOp, [[], ["n"]], np.add),
    "add_scalars": Case(AddOp, [[], []], np.add),
    "add_integers": Case(AddOp, [["n", "m"], ["m"]], np.add, "i64"),
    "equal": Case(EqualOp, [["n", "m"], ["m"]], np.equal, "i64"),
    "not_equal": Case(NotEqualOp, [["n", "m"], ["m"]], np.not_equal, "i64"),
    "less": Case(LessOp, [["n", "m"], ["m"]], np.less),
    "less_equal": Case(LessEqualOp, [["n", "m"], ["m"]], np.less_equal),
    "greater": Case(GreaterOp, [["n", "m"], ["m"]], np.greater),
    "greater_equal": Case(GreaterEqualOp, [["n", "m"], ["m"]], np.greater_equal),
    "add_maybe_one": Case(AddOp, [["n"], [4]], np.add, sizes=[{"n": 1}, {"n": 4}]),
    "subtract": Case(SubtractOp, [["n", "m"], ["m"]], np.subtract),
    "multiply": Case(MultiplyOp, [["b", "n", "m"], ["n", "m"]], np.multiply, "f64"),
    "divide": Case(DivideOp, [["n", "m"], ["m"]], np.divide, values=special),
    "maximum": Case(MaximumOp, [["n", "m"], ["m"]], np.maximum, values=special),
    "maximum_integers": Case(MaximumOp, [["n"], ["n"]], np.maximum, "i32"),
    "negative": Case(NegativeOp, N_M, np.negative, values=special),
    "negative_integers": Case(NegativeOp, N_M, np.negative, "i32"),
    "exp": Case(ExpOp, N_M, np.exp, values=special),
    "sqrt": Case(SqrtOp, N_M, np.sqrt, values=special),
    "rsqrt": Case(RsqrtOp, N_M, lambda x: 1 / np.sqrt(x), values=positive),
    "tanh": Case(TanhOp, N_M, np.tanh, values=special),
    "erf": Case(ErfOp, N_M, np.vectorize(erf, otypes=["f"])),
    "sigmoid": Case(SigmoidOp, N_M, lambda x: 1 / (1 + np.exp(-x)), values=special),
    "relu": Case(ReluOp, N_M, lambda x: np.maximum(x, np.float32(0)), values=special),
    "relu_integers": Case(ReluOp, N_M, lambda x: np.maximum(x, 0), "i64"),
    "gelu": Case(
        GeluOp, N_M, lambda x: x * (1 + np.vectorize(erf, otypes=["f"])(x / np.sqrt(2))) / 2
    ),
    "softmax": Case(SoftmaxOp, N_M, np_softmax(-1), values=large),
    "softmax_first": Case(lambda x: SoftmaxOp(x, 0), [["n", 3, "k"]], np_softmax(0)),
    "softmax_middle": Case(lambda x: SoftmaxOp(x, -2), [["n", 3, "k"]], np_softmax(1)),
    "matmul": Case(MatmulOp, [["n", "k"], ["k", "m"]], np.matmul),
    "matmul_static": Case(MatmulOp, [[3, 4], [4, 2]], np.matmul),
    "matmul_integers": Case(MatmulOp, [["n", "k"], ["k", "m"]], np.matmul, "i32"),
    "matmul_vector_left": Case(MatmulOp, [["k"], ["k", "m"]], np.matmul),
    "matmul_vector_right": Case(MatmulOp, [["n", "k"], ["k"]], np.matmul),
    "matmul_vectors": Case(MatmulOp, [["k"], ["k"]], np.matmul),
    "matmul_batch": Case(MatmulOp, [["b", "n", "k"], ["k", "m"]], np.matmul),
    "matmul_batches": Case(MatmulOp, [["b", 1, "n", "k"], [3, "k", "m"]], np.matmul),
    "matmul_batch_vector": Case(MatmulOp, [["k"], ["b", "k", "m"]], np.matmul),
    "matmul_half": Case(
        MatmulOp,
        [["n", "m"], ["m", "k"]],
        lambda a, b: np.matmul(a.astype("f4"), b.astype("f4")).astype("f2"),
        "f16",
        HALF,
    ),
    "sum": Case(SumOp, N_M, np.sum),
    "sum_last": Case(lambda x: SumOp(x, [-1]), N_M, lambda x: x.sum(axis=-1)),
    "sum_kept": Case(
        lambda x: SumOp(x, [2, 0], keepdims=True),
        [["n", "m", "k"]],
        lambda x: x.sum(axis=(0, 2), keepdims=True),
    ),
    "sum_all_kept": Case(lambda x: SumOp(x, keepdims=True), N_M, lambda x: x.sum(keepdims=True)),
    "sum_integers": Case(lambda x: SumOp(x, 0), N_M, lambda x: x.sum(axis=0), "i64"),
    "sum_of_scalar": Case(SumOp, [[]], np.sum),
    "max": Case(MaxOp, N_M, np.max, sizes=NOT_EMPTY, values=special),
    "max_first": Case(lambda x: MaxOp(x, 0), N_M, lambda x: x.max(axis=0)),
    "max_integers": Case(
        lambda x: MaxOp(x, 1), N_M, lambda x: x.max(axis=1), "i32", sizes=NOT_EMPTY
    ),
    "mean": Case(MeanOp, N_M, np_mean(None)),
    "mean_kept": Case(
        lambda x: MeanOp(x, [0, 2], keepdims=True), [["n", "m", "k"]], np_mean((0, 2), True)
    ),
    "mean_half": Case(lambda x: MeanOp(x, 1), N_M, np_mean(1), "f16", HALF, large),
    "flatten": Case(FlattenOp, [["n", "m", 3]], np.ravel),
    "flatten_scalar": Case(FlattenOp, [[]], np.ravel),
    "split_dim": Case(to_shape(ReshapeOp, "n", "m"), [["n * m"]], lambda x, n, m: x.reshape(n, m)),
    "split_static": Case(
        to_shape(ReshapeOp, "n", 2, 2, "m"), [["n", 4, "m"]], lambda x, n, m: x.reshape(n, 2, 2, m)
    ),
    "regroup": Case(
        to_shape(ReshapeOp, "2 * n", 3, "m"),
        [["n", 6, "m"]],
        lambda x, n, m: x.reshape(2 * n, 3, m),
    ),
    "regroup_static": Case(to_shape(ReshapeOp, 8, 3), [[6, 4]], lambda x: x.reshape(8, 3)),
    "merge_inner": Case(
        to_shape(ReshapeOp, "n", "m * k"), [["n", "m", "k"]], lambda x, n, m, k: x.reshape(n, m * k)
    ),
    "unit_dims": Case(
        to_shape(ReshapeOp, 1, "n", "m", 1), [["n", 1, "m"]], lambda x, n, m: x.reshape(1, n, m, 1)
    ),
    "no_elements": Case(to_shape(ReshapeOp, 0, 5), [[2, 0]], lambda x: x.reshape(0, 5)),
    "to_scalar": Case(to_shape(ReshapeOp), [[1, 1]], lambda x: x.reshape(())),
    "from_scalar": Case(to_shape(ReshapeOp, 1, 1), [[]], lambda x: x.reshape(1, 1)),
    "permute_dims": Case(PermuteDimsOp, [["n", "m", "k"]], np.transpose),
    "permute_axes": Case(
        lambda x: PermuteDimsOp(x, [1, -1, 0]), [["n", "m", "k"]], lambda x: x.transpose(1, 2, 0)
    ),
    "broadcast_to": Case(
        to_shape(BroadcastToOp, "n", "m"), [["m"]], lambda x, n, m: np.broadcast_to(x, (n, m))
    ),
    "broadcast_unit": Case(
        to_shape(BroadcastToOp, "n", "m"), [["n", 1]], lambda x, n, m: np.broadcast_to(x, (n, m))
    ),
    "to_integers": Case(
        lambda x: AstypeOp(x, "i32"), N_M, lambda x: x.astype("i4"), values=lambda x: x * 10
    ),
    "to_bool": Case(lambda x: AstypeOp(x, "i1"), N_M, lambda x: x != 0, "i8"),
    "to_double": Case(lambda x: AstypeOp(x, "f64"), N_M, lambda x: x.astype("f8"), "i64"),
    "same_type": Case(lambda x: AstypeOp(x, "f32"), N_M, np.array),
}


def function(name: str, types: Sequence[Attribute], build: Callable[..., object]) -> FuncOp:
    """A relax.func that returns the result of what is built from its parameters."""
    block = Block(arg_types=types)
    built = build(*block.args)
    ops = list(built) if isinstance(built, list) else [built]
    block.add_ops([*ops, ReturnOp(ops[-1].results[0])])
    return FuncOp(name, types, ops[-1].results[0].type, Region(block))


def types_of(case: Case) -> list[Attribute]:
    return [TensorType(shape, case.dtype) for shape in case.shapes]  # pyright: ignore


@cache
def legalized() -> tuple[dict[str, CallTirOp], PrimFuncs]:
    """The call in the place of every case's operator, and the prim funcs compiled."""
    module = ModuleOp([function(n, types_of(CASES[n]), CASES[n].op) for n in sampled(CASES)])
    legalize(module)
    calls = {
        op.sym_name.data: inner
        for op in module.ops
        if isinstance(op, FuncOp)
        for inner in op.body.block.ops
        if isinstance(inner, CallTirOp)
    }
    return calls, PrimFuncs([op for op in module.ops if isinstance(op, func.FuncOp)])


@needs(MLIR)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str):
    case = CASES[name]
    calls, compiled = legalized()
    call = calls[name]
    found = compiled.signatures[call.callee_name]
    passed = call.symbols.data or () if call.symbols is not None else ()
    rng = np.random.default_rng(7)
    for sizes in case.sizes:
        inputs = [random(rng, case, shape, sizes) for shape in case.shapes]
        symbols = {s: dim.evaluate(sizes) for s, dim in zip(found.unbound, passed)}
        with np.errstate(all="ignore"):
            expected = np.asarray(case.meaning(*inputs, **sizes_asked_for(case.meaning, sizes)))
        (output,) = compiled.run(call.callee_name, *inputs, **symbols)
        assert output.shape == expected.shape
        assert output.dtype == dtype_of(call.results[0].type.dtype)  # pyright: ignore
        tolerance = 1e-3 if case.dtype == "f16" else 1e-5
        np.testing.assert_allclose(output, expected, rtol=tolerance, atol=tolerance * 0.1)


def sizes_asked_for(meaning: Callable[..., object], sizes: dict[str, int]) -> dict[str, int]:
    """The sizes that a function takes in addition to the arrays: its parameters `n`, `m` and `k`."""
    if not inspect.isfunction(meaning):
        return {}
    return {s: sizes[s] for s in inspect.signature(meaning).parameters if s in ("n", "m", "k")}


def random(
    rng: np.random.Generator, case: Case, shape: Sequence[object], sizes: dict[str, int]
) -> np.ndarray:
    actual = [symbolic.as_expr(dim).evaluate(sizes) for dim in shape]  # pyright: ignore
    if case.dtype.startswith("i"):
        return rng.integers(-50, 50, actual).astype(dtype_of(case.dtype))
    return case.values(np.asarray(rng.standard_normal(actual)).astype(dtype_of(case.dtype)))


def test_every_operator_has_a_rule():
    operators = {op for family in OPERATOR_FAMILIES for op in family.OPS}
    assert operators == set(RULES) | set(STEPS)


@needs(MLIR)
def test_mlir_accepts_the_prim_funcs():
    module = ModuleOp([function(name, types_of(c), c.op) for name, c in CASES.items()])
    legalize(module)
    check_accepted(ModuleOp([op.clone() for op in module.ops if isinstance(op, func.FuncOp)]))


# Sharing -----------------------------------------------------------------------------------------


def callees(*functions: FuncOp) -> list[str]:
    """The prim funcs that the calls of some functions name, in order."""
    module = ModuleOp(list(functions))
    legalize(module)
    module.verify()
    return [op.callee_name for op in module.walk() if isinstance(op, CallTirOp)]


def add(name: str, left: Sequence[object], right: Sequence[object], dtype: str = "f32") -> FuncOp:
    return function(name, [TensorType(left, dtype), TensorType(right, dtype)], AddOp)  # pyright: ignore


def test_equal_operators_share_a_prim_func_whatever_their_symbols_are_called():
    assert callees(
        add("f", ["n", "m"], ["m"]), add("g", ["a", "b"], ["b"]), add("h", ["m", "n"], ["n"])
    ) == ["add", "add", "add"]


def test_other_shapes_types_and_attributes_do_not_share():
    assert callees(
        add("f", ["n", "n"], ["n"]),
        add("g", ["n", "m"], ["m"]),
        add("h", ["n", "m"], ["m"], "f64"),
        add("i", ["n", 4], [4]),
        function("j", [TensorType(["n", "m"], "f32")], lambda x: SumOp(x, 0)),  # pyright: ignore
        function("k", [TensorType(["n", "m"], "f32")], lambda x: SumOp(x, 1)),  # pyright: ignore
        function("l", [TensorType(["n", "m"], "f32")], lambda x: SumOp(x, 1)),  # pyright: ignore
    ) == ["add", "add_1", "add_2", "add_3", "sum", "sum_1", "sum_1"]


def test_a_name_that_is_taken_is_left_alone():
    assert callees(add("add", ["n"], ["n"])) == ["add_1"]


@pytest.mark.long
def test_a_thousand_shapes_are_a_thousand_prim_funcs():
    types = [TensorType(["n", i + 2], "f32") for i in range(1000)]  # pyright: ignore
    module = ModuleOp([function("f", types, lambda *xs: [ReluOp(x) for x in xs])])
    legalize(module)
    assert sum(isinstance(op, func.FuncOp) for op in module.ops) == 1000


# What it refuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "found"),
    [
        (TensorType(None, "f32"), "rank"),
        (TensorType(["n", None], "f32"), "dimension 1"),
        (TensorType(["n"]), "element type"),
    ],
)
def test_what_is_unknown_is_named(type: TensorType, found: str):
    module = ModuleOp([function("f", [type], ReluOp)])
    message = f"relax.relu: .* operand 'x', found {re.escape(str(type))}, whose {found} is unknown"
    with pytest.raises(RelaxError, match=message + "; insert a relax.match_cast"):
        legalize(module)


def test_two_symbols_broadcast():
    """[n] + [m] is checked in the prim func, whose result has the size of the one that is not 1."""
    module = ModuleOp([add("f", ["n"], ["m"])])
    legalize(module)
    text = str(module)
    assert '{relax.dims = ["broadcast(m, n)"]}' in text
    assert "relax.add: expected sizes to broadcast: to be equal, or one of them 1" in text
