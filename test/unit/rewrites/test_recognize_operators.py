"""relax-recognize-operators: every way to write an operator is recognised, and means what it did."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from effort import effort
from expanded_forms import Form, activations, arguments, attentions, function, norms
from hypothesis import assume, given
from hypothesis import strategies as st
from optional import examples, package
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i64

from relax_dialect import BlockBuilder
from relax_dialect.builder import constant_values, op, var
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.blocks import DataflowOp
from relax_dialect.ops.core import ConstantOp, FuncOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.recognition.recognize_operators import recognize_operators

TOLERANCE = {"f64": 2e-6, "f32": 2e-5, "f16": 2e-2}
"""How far the operator may be from its expanded form, absolutely and relative to it: numbers of f32 stand
in forms of f64, and every step of a form rounds."""


def operators(text: str) -> list[str]:
    """The operators of a program but for those that make numbers and masks, which are left over."""
    return re.findall(r"relax\.(\w+) %", text)


def check(form: Form) -> None:
    """Recognise a form; compare with what it was."""
    with np.errstate(all="ignore"):
        before = run(form.module, "main", *form.arguments)
    recognize_operators(form.module)
    verify(form.module)
    text = str(form.module)
    assert operators(text).count(form.operator) == 1, text
    after = run(form.module, "main", *form.arguments)
    assert after.dtype == before.dtype
    tolerance = TOLERANCE[form.dtype]
    np.testing.assert_allclose(after, before, rtol=tolerance, atol=tolerance)
    assert recognize_operators(form.module) == 0
    assert str(form.module) == text == str(parse(text))


@examples(20)
@given(activations())
def test_activations(form: Form):
    check(form)


@examples(20)
@given(norms())
def test_norms(form: Form):
    check(form)


@examples(20)
@given(attentions())
def test_attentions(form: Form):
    check(form)
    left = set(operators(str(form.module)))
    assert not left & {"softmax", "matmul", "masked_fill", "astype"} - {"astype"}


def one(data: st.DataObject, choices: list[Any]) -> Any:
    """One of some choices; hypothesis shows its number, since ops print at length."""
    return choices[data.draw(st.integers(0, len(choices) - 1))]


def meaning_stays(form: Form, tolerance: float) -> None:
    """Recognise what there is; the result stays where it is finite: form and operator overflow apart.

    A score and -1e9 have a sum that f32 rounds, the interpreter's operator not: no row may hide all so.
    """
    assume("-1.000000e+09" not in str(form.module))
    try:
        with np.errstate(all="ignore"):
            before = run(form.module, "main", *form.arguments)
    except RelaxError:
        assume(False)
    recognize_operators(form.module)
    verify(form.module)
    with np.errstate(all="ignore"):
        after = run(form.module, "main", *form.arguments)
    finite = np.isfinite(before)
    np.testing.assert_allclose(after[finite], before[finite], rtol=tolerance, atol=tolerance)


def numbers_of(form: Form) -> list[tuple[ConstantOp, np.ndarray]]:
    """The numbers of a formula that stand in it as constants; not what is added under the root."""
    found = [op for op in form.module.walk() if isinstance(op, ConstantOp)]
    arrays = [(op, np.asarray(from_dense(op.value))) for op in found if op.result.first_use]
    return [(op, array) for op, array in arrays if abs(array.flat[0]) > 1e-2]


@examples(16)
@given(activations() | norms(), st.data())
def test_another_number_is_not_recognised(form: Form, data: st.DataObject):
    numbers = numbers_of(form)
    assume(numbers)
    constant, array = one(data, numbers)
    assert constant.parent is not None
    other = constant_values.array((array * array.dtype.type(1.01)).astype(array.dtype))
    constant.parent.insert_op_before(other, constant)
    constant.result.replace_all_uses_with(other.result)
    meaning_stays(form, 20 * TOLERANCE[form.dtype])
    if form.operator not in ("mish", "softplus"):  # log(1 + exp(x)) is one with any threshold
        assert form.operator not in operators(str(form.module))


@examples(20)
@given(activations() | norms() | attentions(), st.data())
def test_another_operand_is_seen(form: Form, data: st.DataObject):
    """Any operand replaced by any other value of its type: what is still recognised is what is meant."""
    assume(form.dtype != "f16")
    (block,) = (op for op in form.module.walk() if isinstance(op, DataflowOp))
    ops = [op for op in block.body.block.ops if op.operands]
    op = one(data, ops[:-1])
    index = data.draw(st.integers(0, len(op.operands) - 1))
    (function,) = (op for op in form.module.walk() if isinstance(op, FuncOp))
    before = [o for o in block.body.block.ops if o.is_before_in_block(op)]
    values = [*function.body.block.args, *(r for o in before for r in o.results)]
    old = op.operands[index]
    fitting = [v for v in values if v is not old and v.type == old.type]
    assume(fitting)
    op.operands[index] = one(data, fitting)
    meaning_stays(form, 2e-3)


@pytest.mark.slow
@examples(16)
@given(norms() | attentions(), st.data())
def test_another_axis_is_seen(form: Form, data: st.DataObject):
    """The axis of a softmax or mean, the diagonal of a mask: what is recognised is what is meant."""
    assume(form.dtype != "f16")
    ops = [o for o in form.module.walk() if {"axis", "k"} & {*o.properties} and "x" not in o.name]
    ops += [o for o in form.module.walk() if o.name in ("relax.softmax", "relax.triu")]
    assume(ops)
    op = one(data, ops)
    if "k" in op.properties or op.name == "relax.triu":
        op.properties["k"] = IntegerAttr(data.draw(st.sampled_from([-1, 0, 2])), 64)
    elif op.name == "relax.softmax":
        op.properties["axis"] = IntegerAttr(0, 64)
    else:
        op.properties["axis"] = DenseArrayBase.from_list(i64, [0])
    try:
        verify(form.module)
    except RelaxError:
        assume(False)
    meaning_stays(form, 2e-3)


TYPES = {
    "few sizes known": ([("b", 2, "n", 4), ("b", 2, None, 4), ("b", 2, None, 8)], None),
    "another batch": ([("b", 2, "n", 4), (1, 2, "m", 4), ("b", 2, "m", 8)], None),
    "another head": ([("b", 2, "n", 4), ("b", 2, "m", 4), ("b", 1, "m", 8)], "relax.attention"),
}


@pytest.mark.parametrize("name", TYPES)
def test_shapes_that_types_do_not_prove(name: str):
    shapes, expected = TYPES[name]

    def make(q: Any, k: Any, v: Any) -> Any:
        scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2]))
        return op.matmul(op.softmax(scores, -1), v)

    module = function(make, [(shape, "f32") for shape in shapes])
    recognize_operators(module)
    assert ("relax.attention" in str(module)) == (expected is not None)


def test_a_row_without_keys_becomes_zeros():
    def make(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = op.where(mask, op.matmul(q, op.permute_dims(k, [1, 0])), -np.inf)
        return op.matmul(op.softmax(scores, -1), v)

    types = [((2, 4), "f32"), ((3, 4), "f32"), ((3, 4), "f32"), ((2, 3), "i1")]
    module = function(make, types)
    given = arguments(types, 0)
    given[3] = np.array([[True, False, True], [False, False, False]])
    with np.errstate(all="ignore"):
        before = run(module, "main", *given)
    assert np.isnan(before[1]).all()
    recognize_operators(module)
    after = run(module, "main", *given)
    np.testing.assert_allclose(after[0], before[0], rtol=1e-5)
    assert (after[1] == 0).all()


@pytest.mark.parametrize("low", [-1e4, -1e9, np.finfo("f").min])
def test_a_row_of_hidden_scores_keeps_equal_shares(low: float):
    def make(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = op.where(mask, op.matmul(q, op.permute_dims(k, [1, 0])), low)
        return op.matmul(op.softmax(scores, -1), v)

    types = [((2, 4), "f32"), ((3, 4), "f32"), ((3, 4), "f32"), ((2, 3), "i1")]
    module = function(make, types)
    given = arguments(types, 0)
    given[3] = np.array([[True, False, True], [False, False, False]])
    before = run(module, "main", *given)
    recognize_operators(module)
    assert "attention" in operators(str(module))
    after = run(module, "main", *given)
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(after[1], given[2].mean(0), rtol=1e-5, atol=1e-6)


def attention_of(mask: Any = None, score: str = "bhqd,bhkd->bhqk", result: str = "") -> Any:
    """Attention of [2, 3, 3, 4], by `einsum`, with a mask of some scores."""

    def make(q: Any, k: Any, v: Any) -> Any:
        scores = op.einsum([q, k], score)
        shares = op.softmax(scores if mask is None else mask(scores), -1)
        return op.einsum([shares, v], result or "bhqk,bhkd->bhqd")

    return make


def places(start: int = 0, step: int = 1, dtype: str = "i64") -> Any:
    return op.arange(start, start + 3 * step, step, dtype)


NO_ATTENTION: dict[str, Any] = {
    "-100 hides no score": attention_of(
        lambda s: op.where(op.greater(s, 0.0), s, np.float32(-100.0))
    ),
    "keys and queries exchanged": attention_of(
        lambda s: op.where(op.less_equal(op.expand_dims(places(), 1), places()), s, -1e9)
    ),
    "every other key": attention_of(
        lambda s: op.where(op.less_equal(places(0, 2), op.expand_dims(places(), 1)), s, -1e9)
    ),
    "keys from 1 on": attention_of(
        lambda s: op.where(op.less_equal(places(1), op.expand_dims(places(), 1)), s, -1e9)
    ),
    "earlier keys alone": attention_of(
        lambda s: op.where(op.less(places(), op.expand_dims(places(), 1)), s, -1e9)
    ),
    "values of the other axis": attention_of(result="bhqk,bhqd->bhkd"),
    "shares summed over queries": attention_of(result="bhqk,bhkd->bhkd"),
    "scores of all heads": attention_of(score="bhqd,bgkd->bhqk"),
}


@pytest.mark.parametrize("name", NO_ATTENTION)
def test_what_is_nearly_attention_means_the_same(name: str):
    types = [((2, 3, 3, 4), "f32")] * 3
    module = function(NO_ATTENTION[name], types)
    given = arguments(types, 3)
    before = run(module, "main", *given)
    recognize_operators(module)
    verify(module)
    text = str(module)
    assert "causal_mask" not in text
    if "key" not in name:  # a mask of keys is one, though no causal one
        assert "attention" not in operators(text)
    np.testing.assert_allclose(run(module, "main", *given), before, rtol=1e-5, atol=1e-6)


def test_tables_are_chosen():
    def make(x: Any) -> Any:
        return op.multiply(x, op.sigmoid(x)) * op.rsqrt(op.mean(x * x, [-1], keepdims=True) + 1e-5)

    def names(*only: str) -> set[str]:
        module = function(make, [(("n", 4), "f32")])
        recognize_operators(module, only)
        return set(operators(str(module))) & {"silu", "rms_norm"}

    assert names("activations") == {"silu"}
    assert names("attention") == set()
    with pytest.raises(
        RelaxError,
        match=r"found 'gelu'; there are activations, softmax, norms, products, attention",
    ):
        recognize_operators(function(make, [(("n", 4), "f32")]), ["gelu"])


LAYERS: dict[str, Any] = {
    "recognised": lambda x: x * op.sigmoid(x),
    "norm": lambda x: x * op.rsqrt(op.mean(x * x, [-1], keepdims=True) + 1e-5),
    "nearly gelu": lambda x: x * 0.5 * (op.erf(x * 0.5) + 1.0),
    "products": lambda x: x * 0.5 * x,
    "attention": lambda x: op.matmul(op.softmax(op.matmul(x, op.permute_dims(x, [1, 0])), -1), x),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LAYERS)
def test_work_is_linear(name: str):
    def work(length: int) -> int:
        def make(x: Any) -> Any:
            for _ in range(length):
                x = builder.emit(LAYERS[name](x))
            return op.tanh(x)

        x = var("x", TensorType((4, 4), "f32"))
        builder = BlockBuilder()
        with builder.function("main", [x]):
            with builder.dataflow():
                result = builder.emit_output(make(x))
            builder.emit_func_output(result)
        return effort(lambda: recognize_operators(builder.module))

    work(4)
    assert work(24) < 2.5 * work(12)


def centered(x: Any) -> Any:
    return x - op.mean(x, [-1], keepdims=True)


def over_root(d: Any, variance: Any) -> Any:
    return d * op.rsqrt(variance + 1e-5)


def mean_square(x: Any, axes: Any = (-1,)) -> Any:
    return op.mean(x * x, list(axes), keepdims=True)


def powers(x: Any, axis: int = -1) -> Any:
    return op.exp(x - op.max(x, [axis], keepdims=True))


def log_of_powers(x: Any) -> Any:
    return op.log1p(op.exp(x * 2.0))


NEARLY: dict[str, Any] = {
    "quick gelu of another steepness": lambda x: x * op.sigmoid(x * 1.7),
    "gelu, cut at another place": lambda x: x * (op.erf(x / math.sqrt(2)) * 0.5 + 0.4),
    "gelu of another half": lambda x: x * (op.erf(x / math.sqrt(2)) * 0.25 + 0.5),
    "softplus, below": lambda x: op.where(op.less(x, 20.0), x, op.log1p(op.exp(x))),
    "softplus, over another beta": lambda x: op.where(
        op.greater(x * 2.0, 20.0), x, log_of_powers(x) / 3.0
    ),
    "softplus, x above 2 x": lambda x: op.where(op.greater(x, 20.0), x, log_of_powers(x) / 2.0),
    "softplus of negative beta": lambda x: op.where(
        op.greater(x * -2.0, 20.0), x, op.log1p(op.exp(x * -2.0)) / -2.0
    ),
    "softmax along two axes": lambda x: powers(x) / op.sum(powers(x), [0], keepdims=True),
    "softmax of other powers": lambda x: powers(x) / op.sum(op.exp(x), [-1], keepdims=True),
    "softmax along all": lambda x: (
        op.exp(x - op.max(x, keepdims=True)) / op.sum(powers(x), keepdims=True)
    ),
    "layer norm by E[x] - E[x]^2": lambda x: over_root(
        centered(x), mean_square(x) - op.mean(x, [-1], keepdims=True)
    ),
    "layer norm by E[x^2] - E[x^2]^2": lambda x: over_root(
        centered(x), mean_square(x) - op.square(mean_square(x))
    ),
    "layer norm by E[x]^2 - E[x^2]": lambda x: over_root(
        centered(x), op.square(op.mean(x, [-1], keepdims=True)) - mean_square(x)
    ),
    "rms norm by sum / 3": lambda x: over_root(x, op.sum(x * x, [-1], keepdims=True) / 3.0),
    "rms norm by sum * 4": lambda x: over_root(x, op.sum(x * x, [-1], keepdims=True) * 4.0),
    "rms norm by the sum over an unknown number": lambda x: over_root(
        x, op.sum(x * x, [0], keepdims=True) / 3.0
    ),
}


@pytest.mark.parametrize("name", NEARLY)
def test_what_is_nearly_an_operator_stays(name: str):
    module = function(NEARLY[name], [(("n", 4), "f32")])
    given = 9 * arguments([(("n", 4), "f32")], 0)[0]
    before = run(module, "main", given)
    found = recognize_operators(module)
    if name.startswith("softplus"):  # the logarithm in it is one
        assert "where" in operators(str(module))
    else:
        assert found == 0
    np.testing.assert_allclose(run(module, "main", given), before, rtol=1e-5, atol=1e-5)


FIXTURES = Path(__file__).parents[2] / "filecheck" / "rewrites" / "recognize_operators"
Q, K, V = (2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 8)
FUSED: list[tuple[str, str, list[tuple[int, ...]], Any]] = [
    ("activations", "gelu", [(2, 3, 4)], lambda f, x: f.gelu(x)),
    ("activations", "gelu_tanh", [(2, 3, 4)], lambda f, x: f.gelu(x, approximate="tanh")),
    ("activations", "mish", [(2, 3, 4)], lambda f, x: f.mish(x)),
    ("norms", "layer_norm", [(2, 3, 4), (4,), (4,)], lambda f, x, g, b: f.layer_norm(x, [4], g, b)),
    ("norms", "rms_norm", [(2, 3, 4), (4,)], lambda f, x, w: f.rms_norm(x, [4], w)),
    (
        "attention",
        "torch_decomposed",
        [Q, K, V, (2, 1, 3, 5)],
        lambda f, q, k, v, m: f.scaled_dot_product_attention(q, k, v, m),
    ),
    (
        "attention",
        "onnx_causal",
        [Q, K, V],
        lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
    ),
    (
        "dynamo",
        "dynamo_plain",
        [Q, K, V],
        lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v),
    ),
    (
        "dynamo",
        "dynamo_causal",
        [Q, K, V],
        lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
    ),
    (
        "dynamo",
        "dynamo_floating",
        [Q, K, V, (2, 1, 3, 5)],
        lambda f, q, k, v, m: f.scaled_dot_product_attention(q, k, v, m),
    ),
]


@pytest.mark.parametrize(("file", "name", "shapes", "fused"), FUSED, ids=lambda x: str(x)[:20])
def test_against_the_fused_operators_of_pytorch(file: str, name: str, shapes: Any, fused: Any):
    torch = package("torch")
    module = parse((FIXTURES / f"{file}.mlir").read_text("utf-8"))
    recognize_operators(module)
    given = arguments([(shape, "f32") for shape in shapes], 1)
    expected = fused(torch.nn.functional, *map(torch.from_numpy, given)).numpy()
    np.testing.assert_allclose(run(module, name, *given), expected, rtol=2e-5, atol=2e-5)
