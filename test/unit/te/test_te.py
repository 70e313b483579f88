"""Tensor expressions: what they mean (MLIR against numpy), how they look, what they refuse."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from math import erf

import numpy as np
import pytest
from mlir_oracle import check_accepted, parse
from numpy.lib.stride_tricks import sliding_window_view
from optional import MLIR, needs
from prim_funcs import PrimFuncs, dtype_of
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp, IndexOp

from relax_dialect import te
from relax_dialect.errors import RelaxError

n, m, h = te.var("n"), te.var("m"), te.var("h")
A = te.placeholder((n, m), name="A")
B = te.placeholder((n, m), name="B")
V = te.placeholder((n,), name="V")
W = te.placeholder((3,), name="W")
I = te.placeholder((5,), "int64", name="I")  # noqa: E741
L = te.placeholder((n,), "int64", name="L")
S = te.placeholder((), name="S")
E = te.placeholder((n, 2 * (m // 2)), name="E")
X = te.placeholder((2, 3), name="X")


@dataclass(frozen=True)
class Case:
    """A prim func and the numpy function that says what it computes."""

    tensors: list[te.Tensor]
    meaning: Callable[..., object]
    sizes: dict[str, int] = field(default_factory=dict)


def axis(extent: object, name: str = "k") -> te.IterVar:
    return te.reduce_axis((0, extent), name=name)


def reduced(reducer: te.Reducer, source: te.Tensor) -> te.Tensor:
    k = axis(m)
    return te.compute((n,), lambda i: reducer(source[i, k], axis=k), name=reducer.name)


def unary(function: Callable[[te.Scalar], te.Scalar]) -> list[te.Tensor]:
    return [A, te.compute((n, m), lambda i, j: function(A[i, j]), name="out")]


def beyond_is_nan(source: te.Tensor) -> te.Tensor:
    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        return te.select(source[i, j] > 0.5, float("nan"), source[i, j])

    return te.compute((n, m), element, name="holed")


def matmul() -> list[te.Tensor]:
    left, right = te.placeholder((n, m), name="A"), te.placeholder((m, h), name="B")
    k = axis(m)
    out = te.compute((n, h), lambda i, j: te.sum(left[i, k] * right[k, j], axis=k), name="C")
    return [left, right, out]


def softmax() -> list[te.Tensor]:
    k = axis(m, "k")
    high = reduced(te.max, A)
    powers = te.compute((n, m), lambda i, j: te.exp(A[i, j] - high[i]), name="powers")
    total = te.compute((n,), lambda i: te.sum(powers[i, k], axis=[k]), name="total")
    return [A, te.compute((n, m), lambda i, j: powers[i, j] / total[i], name="out")]


def mean() -> list[te.Tensor]:
    total = reduced(te.sum, A)
    return [A, te.compute((n,), lambda i: total[i] / m, name="mean")]


def two_outputs() -> list[te.Tensor]:
    square = te.compute((n,), lambda i: V[i] * V[i], name="square")
    return [square, V, te.compute((n,), lambda i: square[i] + 1, name="more")]


def np_softmax(a: np.ndarray) -> np.ndarray:
    powers = np.exp(a - a.max(axis=1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=1, keepdims=True)


def convolution() -> list[te.Tensor]:
    k = axis(3)
    out = te.compute((n - 2,), lambda i: te.sum(V[i + k] * W[k], axis=k), name="out")
    return [V, W, out]


def pool() -> list[te.Tensor]:
    k = axis(3)
    return [V, te.compute((n - 2,), lambda i: te.max(V[i + k], axis=k), name="out")]


def pad() -> list[te.Tensor]:
    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        return te.if_then_else((i >= 1) & (i <= n), A[i - 1, j], -1)

    return [A, te.compute((n + 2, m), element, name="pad")]


def triangle() -> list[te.Tensor]:
    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        return te.select(i >= j, A[i, j], 0) + te.if_then_else(i == j, te.const(10, "f32"), 0.0)

    return [A, te.compute((n, m), element, name="tril")]


def every_axis() -> list[te.Tensor]:
    i, j = axis(n, "i"), axis(m, "j")
    return [A, te.compute((), lambda: te.sum(A[i, j], axis=[i, j]), name="total")]


def indices() -> list[te.Tensor]:
    def element(i: te.IterVar, j: te.IterVar) -> te.Scalar:
        return ((i * 7 + j) % 4 * 100 + (i - 3) // 2 * 10 + (j - 5) % 3).astype("int64")

    return [te.compute((n, 6), element, name="out")]


def integers() -> list[te.Tensor]:
    return [L, te.compute((n,), lambda i: L[i] // 3 * 1000 + L[i] % 3 + (L[i] & 1), name="out")]


def np_indices(n: int) -> np.ndarray:
    i, j = np.indices((n, 6))
    return (i * 7 + j) % 4 * 100 + (i - 3) // 2 * 10 + (j - 5) % 3


def grid(a: np.ndarray) -> np.ndarray:
    i, j = np.indices(a.shape)
    return np.where(i >= j, a, 0) + np.where(i == j, 10, 0)


def logic() -> list[te.Tensor]:
    def element(i: te.IterVar) -> te.Scalar:
        return (V[i] < 0.5) & ~(V[i] <= -0.5) | (V[i] != V[i]) ^ (V[i] > 1)

    return [V, te.compute((n,), element, name="out")]


def np_logic(v: np.ndarray) -> np.ndarray:
    return (v < 0.5) & ~(v <= -0.5) | (v != v) ^ (v > 1)


CASES: dict[str, Case] = {
    "matmul": Case(matmul(), lambda a, b: a @ b, {"h": 4}),
    "softmax": Case(softmax(), np_softmax),
    "mean": Case(mean(), lambda a: a.sum(axis=1) / np.float32(a.shape[1])),
    "two_outputs": Case(two_outputs(), lambda v: [v * v, v * v + 1]),
    "convolution": Case(convolution(), np.correlate),
    "pool": Case(pool(), lambda v: sliding_window_view(v, 3).max(axis=1)),
    "pad": Case(pad(), lambda a: np.pad(a, ((1, 1), (0, 0)), constant_values=-1)),
    "triangle": Case(triangle(), grid),
    "every_axis": Case(every_axis(), lambda a: a.sum()),
    "indices": Case(indices(), np_indices, {"n": 5}),
    "integers": Case(integers(), lambda x: x // 3 * 1000 + x % 3 + (x & 1)),
    "logic": Case(logic(), np_logic),
    "prod": Case([A, reduced(te.prod, A)], lambda a: a.prod(axis=1)),
    "max": Case([A, reduced(te.max, A)], lambda a: a.max(axis=1, initial=-np.inf)),
    "min": Case([A, reduced(te.min, A)], lambda a: a.min(axis=1, initial=np.inf)),
    "nanmax": Case(
        [A, reduced(te.nanmax, beyond_is_nan(A))],
        lambda a: np.fmax.reduce(np.where(a > 0.5, np.nan, a), axis=1, initial=-np.inf),
    ),
    "nanmin": Case(
        [A, reduced(te.nanmin, beyond_is_nan(A))],
        lambda a: np.fmin.reduce(np.where(a > 0.5, np.nan, a), axis=1, initial=np.inf),
    ),
    "transpose": Case([A, te.compute((m, n), lambda i, j: A[j, i])], lambda a: a.T),
    "diagonal": Case([X, te.compute((2,), lambda i: X[i, i])], lambda x: x.diagonal()),
    "flip": Case([V, te.compute((n,), lambda i: V[n - 1 - i])], lambda v: v[::-1]),
    "flip_static": Case([X, te.compute((2, 3), lambda i, j: X[1 - i, j])], lambda x: x[::-1]),
    "slice": Case([X, te.compute((1, 2), lambda i, j: X[i + 1, j])], lambda x: x[1:, :2]),
    "row": Case([X, te.compute((3,), lambda j: X[1, j])], lambda x: x[1]),
    "gather": Case(
        [X, I, te.compute((5, 3), lambda i, j: X[I[i], j])], lambda x, i: x[i], {"n": 0}
    ),
    "broadcast": Case([S, te.compute((n, 2), lambda i, j: S[()])], lambda s: s, {"n": 3}),
    "scalar": Case([S, te.compute((), lambda: -S[()] * 2)], lambda s: -s * 2),
    "extra_symbol": Case([E, te.compute(E.shape, lambda i, j: E[i, j] + 1)], lambda e: e + 1),
    "arange": Case([te.compute((n,), lambda i: i.astype("f32"))], np.arange, {"n": 7}),
    "size": Case([V, te.compute((n,), lambda i: V[i] + 2 * n)], lambda v: v + 2 * len(v)),
    "exp": Case(unary(te.exp), np.exp),
    "sqrt_log": Case(
        unary(lambda x: te.sqrt(x * x) + te.log(te.abs(x) + 1)),
        lambda a: np.sqrt(a * a) + np.log(np.abs(a) + 1),
    ),
    "rsqrt": Case(unary(lambda x: te.rsqrt(x * x + 1)), lambda a: 1 / np.sqrt(a * a + 1)),
    "tanh": Case(unary(te.tanh), np.tanh),
    "erf": Case(unary(te.erf), np.vectorize(erf, otypes=["f"])),
    "clip": Case(
        unary(lambda x: te.minimum(te.maximum(x, -0.5), 1)),
        lambda a: np.minimum(np.maximum(a, -0.5), 1),
    ),
    "negate": Case(unary(lambda x: 1 - -x), lambda a: 1 + a),
    "add": Case([A, B, te.compute((n, m), lambda *i: A[i] + B[i] * A[i])], lambda a, b: a + b * a),
}


@cache
def functions() -> dict[str, FuncOp]:
    return {name: te.create_prim_func(case.tensors, name) for name, case in CASES.items()}


@cache
def compiled() -> PrimFuncs:
    return PrimFuncs(list(functions().values()))


@pytest.mark.parametrize("name", CASES)
def test_text_parses_back_and_reads_every_symbol_once(name: str):
    function = functions()[name]
    module = ModuleOp([function.clone()])
    module.verify()
    text = str(module)
    assert str(parse(text)) == text
    dims = [op for op in function.walk() if isinstance(op, tensor.DimOp)]
    assert len({op.result.name_hint for op in dims}) == len(dims)
    assert function.sym_visibility is not None and function.sym_visibility.data == "private"


@needs(MLIR)
def test_mlir_accepts_every_function():
    check_accepted(ModuleOp([function.clone() for function in functions().values()]))


WINDOWS = ("convolution", "pool")
RUNS = [
    (name, sizes)
    for name in CASES
    for sizes in ((1, 1), (3, 5), (4, 2), (2, 0), (17, 9))
    if name not in WINDOWS or sizes[0] >= 3  # no window fits
]


@needs(MLIR)
@pytest.mark.parametrize(("name", "sizes"), RUNS, ids=str)
def test_meaning(name: str, sizes: tuple[int, int]):
    case = CASES[name]
    values = {"n": sizes[0], "m": sizes[1], "h": 3, **case.sizes}
    rng = np.random.default_rng(len(name))
    inputs = [
        random(rng, t, [dim.evaluate(values) for dim in t.shape])
        for t in case.tensors
        if t.stage is None
    ]
    symbols = {symbol: values[symbol] for symbol in compiled().symbols[name]}
    outputs = compiled().run(name, *inputs, **symbols)
    with np.errstate(all="ignore"):
        expected = case.meaning(*inputs) if inputs else case.meaning(values["n"])
    for output, reference in zip(outputs, expected if isinstance(expected, list) else [expected]):
        reference = np.broadcast_to(np.asarray(reference, output.dtype), output.shape)
        np.testing.assert_allclose(output, reference, rtol=2e-5, atol=2e-6)


def random(rng: np.random.Generator, tensor_: te.Tensor, shape: list[int]) -> np.ndarray:
    """Numbers for an input; those of `I` are row numbers of `X`."""
    if tensor_ is I:
        return rng.integers(0, 2, shape)
    if str(tensor_.dtype) == "i64":
        return rng.integers(-9, 9, shape)
    return rng.standard_normal(shape).astype(np.float32)


@needs(MLIR)
def test_nan_propagates():
    x = np.array([[np.nan, 1, -1]], np.float32)
    (clipped,) = compiled().run("clip", x)
    np.testing.assert_array_equal(clipped, [[np.nan, 1, -0.5]])
    (high,) = compiled().run("max", x)
    assert np.isnan(high).all()


NUMBERS = ["f16", "f32", "f64", "i8", "i32", "i64", "bool"]


@needs(MLIR)
def test_casts_follow_numpy():
    made = []
    for source in NUMBERS:
        x = te.placeholder((n,), source, name="x")
        for target in NUMBERS:
            if source != target:
                out = te.compute((n,), lambda i, x=x, target=target: x[i].astype(target))
                made.append(te.create_prim_func([x, out], f"{source}_{target}"))
    casts = PrimFuncs(made)
    values = np.array([0, 1, -1, 2.5, -2.5, 100, 0.1])
    for name, found in casts.signatures.items():
        source, target = (dtype_of(t.dtype) for t in (*found.params, *found.results))
        x = values.astype(source)
        (y,) = casts.run(name, x)
        np.testing.assert_array_equal(y, x.astype(target), err_msg=name)


# How it looks ------------------------------------------------------------------------------------


def test_the_document_s_example():
    """EmitTE staging integration: the element-wise function, written by hand."""
    a = te.placeholder((128, 128), name="A")
    b = te.compute((128, 128), lambda x, y: a[x, y] * 2, name="B")
    function = te.create_prim_func([a, b], name="tir_element_wise")
    by_hand = parse("""
        func.func private @tir_element_wise(
            %A: tensor<128x128xf32> {relax.dims = ["128", "128"]})
            -> (tensor<128x128xf32> {relax.dims = ["128", "128"]}) {
          %empty = tensor.empty() : tensor<128x128xf32>
          %B = linalg.generic {
              indexing_maps = [affine_map<(x, y) -> (x, y)>, affine_map<(x, y) -> (x, y)>],
              iterator_types = ["parallel", "parallel"]}
              ins(%A : tensor<128x128xf32>) outs(%empty : tensor<128x128xf32>) {
          ^bb0(%a: f32, %out: f32):
            %two = arith.constant 2.0 : f32
            %product = arith.mulf %a, %two : f32
            linalg.yield %product : f32
          } -> tensor<128x128xf32>
          func.return %B : tensor<128x128xf32>
        }""")
    assert by_hand.body.block.first_op is not None
    assert by_hand.body.block.first_op.is_structurally_equivalent(function)


def test_an_unbound_symbol_is_an_argument():
    text = str(functions()["extra_symbol"])
    assert "%A" not in text and '%m: index {relax.symbol = "m"}' in text
    assert 'relax.dims = ["n", "2 * (m floordiv 2)"]' in text


def ops(name: str, kind: type) -> list:
    return [op for op in functions()[name].walk() if isinstance(op, kind)]


def test_a_lazy_branch_reads_inside_of_it():
    (branch,) = ops("pad", scf.IfOp)
    (read,) = ops("pad", tensor.ExtractOp)
    assert read.parent_op() is branch
    assert all(op.parent_op() is not branch for op in ops("pad", IndexOp))
    assert not ops("triangle", tensor.ExtractOp)


def test_what_no_element_changes_stands_outside():
    (generic,) = (op for op in ops("size", GenericOp))
    assert [op.name for op in generic.body.block.ops] == ["arith.addf", "linalg.yield"]


def test_a_window_has_an_operand_for_its_shape():
    (generic,) = ops("pool", GenericOp)
    assert [str(map_) for map_ in generic.indexing_maps] == [
        "affine_map<(d0, d1) -> ((d0 + d1))>",
        "affine_map<(d0, d1) -> (d1)>",
        "affine_map<(d0, d1) -> (d0)>",
    ]
    assert isinstance(generic.inputs[1].owner, tensor.EmptyOp)


def test_an_index_that_runs_over_less_than_its_dimension_is_no_map():
    """linalg would read the extent of the loop from the operand."""
    (generic,) = ops("slice", GenericOp)
    assert len(generic.inputs) == 0


def test_index_arithmetic_divides_cheaply_where_nothing_is_negative():
    assert len(ops("indices", arith.FloorDivSIOp)) == 2
    assert len(ops("indices", arith.RemSIOp)) == 1


def test_equal_accesses_are_one_operand_and_shared_values_are_computed_once():
    x = A[0, 0]
    for _ in range(100):
        x = x + x
    b = te.compute((n,), lambda i: x + A[0, 0], name="b")
    function = te.create_prim_func([A, b])
    (generic,) = (op for op in function.walk() if isinstance(op, GenericOp))
    assert len(generic.inputs) == 1
    assert len(generic.body.block.ops) == 102


def test_odd_names_parse_back():
    a = te.placeholder((n,), name="x_1_7")
    b = te.placeholder((n,), name="x")
    c = te.placeholder((n,), name="2 x?")
    d = te.placeholder((n,), name="_1")
    out = te.compute((n,), lambda i: a[i] + b[i] + c[i] + d[i], name="x_2")
    text = str(ModuleOp([te.create_prim_func([a, b, c, d, out])]))
    assert str(parse(text)) == text


@pytest.mark.slow
def test_many_stages_do_not_recurse():
    x = V
    for _ in range(3000):
        x = te.compute((n,), lambda i, x=x: x[i] + 1, name="x")
    function = te.create_prim_func([V, x])
    assert sum(isinstance(op, GenericOp) for op in function.body.block.ops) == 3000


def test_a_deep_expression_is_emitted_and_printed():
    x, y = V[0], V[0]
    for step in range(190):
        x = x + 1 if step % 2 else te.exp(x)
    for _ in range(38):
        y = te.if_then_else(y > 0, V[0], y)
    result = te.compute((n,), lambda i: te.if_then_else(x > 0, y, x), name="deep")
    module = ModuleOp([te.create_prim_func([V, result])])
    module.verify()
    assert str(parse(str(module))) == str(module)


# What it refuses ---------------------------------------------------------------------------------


def deep() -> te.Scalar:
    x = V[0]
    for _ in range(1000):
        x = x + 1
    return x


def deep_choice() -> te.Scalar:
    x = V[0]
    for _ in range(100):
        x = te.if_then_else(x > 0, x, 1.0)
    return x


k, k2 = axis(m), axis(m, "k2")
out = te.compute((n,), lambda i: V[i], name="out")
leaked: list[te.IterVar] = []
te.compute((n,), lambda i: leaked.append(i) or V[i])

ERRORS: dict[str, tuple[Callable[[], object], str]] = {
    "indices": (lambda: A[k], r"'A' of shape \[n, m\] takes 2 indices, found 1; write A\[i, j\]"),
    "mixed types": (lambda: A[0, 0] + L[0], r"'\+' of mixed element types.*f32, i64.*astype"),
    "number": (lambda: L[0] + 1.5, r"1.5 is not a value of type i64"),
    "large number": (lambda: te.const(300, "i8"), r"300 is not a value of type i8"),
    "division": (lambda: L[0] / 2, r"'/' is defined on float types, found i64.*//"),
    "nested": (lambda: te.sum(A[0, k], axis=k) + 1, r"te\.sum inside .* the whole body"),
    "axis twice": (lambda: te.sum(A[k, k], axis=[k, k]), r"the axis 'k' is used twice"),
    "no axis": (lambda: te.sum(A[0, 0], axis=[]), r"expected an axis, found none"),
    "parallel axis": (
        lambda: te.compute((n,), lambda i: te.sum(V[i], axis=i)),
        r"takes axes made by te\.reduce_axis.*the index 'i'",
    ),
    "free reduction": (
        lambda: te.compute((n,), lambda i: te.sum(A[i, k] + A[i, k2], axis=k)),
        r"uses the index 'k2', which is not among the axis= of its reduction",
    ),
    "foreign index": (
        lambda: te.compute((n,), lambda i: V[leaked[0]]),
        r"uses the index 'i', which is not among its own parameters",
    ),
    "bounds": (lambda: te.reduce_axis((1, n)), r"expected the bounds \(0, extent\)"),
    "f16 sum": (
        lambda: te.sum(te.placeholder((n,), "f16")[k], axis=k),
        r"te\.sum of f16.*astype\(\"float32\"\)",
    ),
    "arity": (lambda: te.compute((n, m), lambda i: V[i]), r"takes 1 indices.* 2 dimensions"),
    "untyped": (lambda: te.compute((n,), lambda i: 0), r"number 0 .*te\.const\(0"),
    "index type": (lambda: te.compute((n,), lambda i: i), r"type index.*astype\(\"i64\"\)"),
    "whole tensor": (lambda: V[0] + V, r"the whole tensor 'V'; index it"),
    "float index": (lambda: V[V[0]], r"an index of tensor 'V' is of type f32"),
    "text index": (lambda: V["i"], r"expected a scalar .*found 'i' of type str"),
    "truth": (lambda: 1 if V[0] > 0 else 2, r"no truth value.*te\.if_then_else"),
    "condition": (lambda: te.if_then_else(V[0], 1.0, 2.0), r"condition .* f32, expected i1"),
    "widths": (lambda: te.reinterpret(V[0], "i64"), r"of one width, found f32 and i64"),
    "past the end": (
        lambda: te.compute((3,), lambda i: X[0, i + 1]),
        r"reads 'X' at indices 1 to 3 of dimension 1, whose size is 3",
    ),
    "before the start": (lambda: te.compute((3,), lambda i: X[i - 1, 0]), r"-1 to 1"),
    "dtype": (lambda: te.placeholder((n,), "float8"), r"element type 'float8': expected one of"),
    "negative size": (lambda: te.placeholder((-1,)), r"negative size"),
    "depth of choices": (deep_choice, r"more than 200 levels deep"),
    "depth": (deep, r"more than 200 levels deep"),
    "no tensor": (lambda: te.create_prim_func([V, 3, out]), r"found 3 of type int"),  # pyright: ignore
    "twice": (lambda: te.create_prim_func([V, V, out]), r"'V' is listed twice"),
    "no result": (lambda: te.create_prim_func([V]), r"no computed tensor"),
    "not listed": (lambda: te.create_prim_func([A, out]), r"placeholder 'V'.*not listed"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_refuses(what: str):
    build, message = ERRORS[what]
    with pytest.raises(RelaxError, match=message):
        build()
