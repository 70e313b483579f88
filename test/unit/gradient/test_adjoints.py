"""The adjoint of every operator against differences of the interpreter's results, in f64."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from adjoint_cases import CASES, PARTS, cases_of
from gradient_page import PAGE, page
from optional import FULL, UNOPTIMISED, amount

from lowering.emit_c import emit
from lowering.pipeline import lower
from lowering.runtime import calling, loading
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.dialect import OPERATOR_FAMILIES
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import GradientError, gradient, jvp
from relax_dialect.gradient.registry import CONSTANT, EXPANSIONS, REFUSED, RULES, load_rules
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.ccl import CommunicationOp
from relax_dialect.parsing import verify

STEP = 1e-6
load_rules()


def losses(names: Iterable[str], *, known: bool = True) -> Any:
    """A module with a function for each case: a sum of numbers that tell the elements of its value apart.
    Of its operands the sizes may be not known."""
    builder = BlockBuilder()
    for name in names:
        case, sizes = CASES[name], {}
        params = {
            f"x{i}": TensorType(
                [sizes.setdefault(d, f"n{d}") if case.is_symbolic and d > 1 else d for d in shape]
                if known
                else [None] * len(shape),
                "f64",
            )
            for i, shape in enumerate(case.shapes)
        }
        with builder.function(name, params) as values:
            value = builder.emit(case.build(*values))
            builder.emit_func_output(builder.emit(op.sum(op.sin(value * 1.3 + 0.7))))
    return builder.get()


def drawn(name: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Operands of a case, and a direction for each."""
    case, random = CASES[name], np.random.default_rng(zlib.crc32(name.encode()))
    arrays = [random.uniform(case.low, case.high, shape) for shape in case.shapes]
    return arrays, [random.standard_normal(shape) for shape in case.shapes]


@pytest.mark.slow
@pytest.mark.shortened
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.rpartition(".")[2])
def test_gradients_are_differences(part: ModuleType):
    """In short the first case of each operator, and some of the others."""
    first = {names[0] for names in cases_of().values()}
    for place, name in enumerate(part.CASES):
        if FULL or name in first or place % 4 == 0:
            try:
                check(name)
            except Exception as error:
                raise AssertionError(f"{name}: {error}") from error


def check(name: str) -> None:
    module = losses([name])
    gradient(module, name)
    verify(module)
    arrays, ways = drawn(name)
    value, found = run(module, f"{name}_adjoint", *arrays)
    assert [g.shape for g in found] == list(CASES[name].shapes)
    ahead, behind = (
        run(module, name, *(a + step * way for a, way in zip(arrays, ways)))
        for step in (STEP, -STEP)
    )
    np.testing.assert_allclose(value, (ahead + behind) / 2, rtol=1e-6)
    along = sum(np.sum(g * way) for g, way in zip(found, ways))
    np.testing.assert_allclose(along, (ahead - behind) / (2 * STEP), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.rpartition(".")[2])
def test_sizes_that_are_not_known(part: ModuleType):
    """The gradients are those of known sizes, or an error tells who needs them; of the first case of each
    operator."""
    first = {names[0] for names in cases_of().values()}
    for name in (name for name in part.CASES if name in first):
        try:
            module = losses([name], known=False)
        except RelaxError:
            continue  # the operator itself needs them
        try:
            gradient(module, name)
        except GradientError as error:
            assert name == "attention_causal" and "(C4), found size" in str(error), name
            continue
        verify(module)
        exact = losses([name])
        gradient(exact, name)
        adjoint, (arrays, _) = f"{name}_adjoint", drawn(name)
        for one, other in zip(run(module, adjoint, *arrays)[1], run(exact, adjoint, *arrays)[1]):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=name)


INTRICATE = [
    *("max_2d_last_pool", "logcumsumexp_1", "lstm_all", "layer_norm_turned", "avg_2d_pool"),
    *("grid_sample_bilinear_zeros", "gru_reverse", "batch_norm", "roi_align_avg", "cumprod_0"),
    *("attention_causal", "resize_cubic", "pad_reflect", "adaptive_max_2d_pool", "det", "rnn_both"),
]
"""Cases of rules with loops and places, whose gradients go through other operators than those they are of."""


@pytest.mark.shortened
def test_forward_and_back_agree():
    """The derivative along a direction by `jvp`, which differentiates the adjoint, is that by the gradient."""
    for name in INTRICATE[: amount(len(INTRICATE), 2)]:
        module = losses([name])
        gradient(module, name)
        jvp(module, name)
        arrays, ways = drawn(name)
        found = run(module, f"{name}_adjoint", *arrays)[1]
        along = sum(np.sum(g * way) for g, way in zip(found, ways))
        _, slope = run(module, f"{name}_jvp", *arrays, *ways)
        np.testing.assert_allclose(slope[0], along, rtol=1e-9, err_msg=name)


@pytest.mark.slow
@pytest.mark.shortened
def test_compiled_gradients():
    names = INTRICATE[: amount(3, 1)]
    module = losses(names)
    for name in names:
        gradient(module, name)
    wanted = {name: run(module, f"{name}_adjoint", *drawn(name)[0]) for name in names}
    signatures = calling.signatures(module)
    lower(module)
    model = loading.build(emit(module, "model"), extra_flags=UNOPTIMISED, signatures=signatures)
    for name, (value, gradients) in wanted.items():
        found = model[f"{name}_adjoint"](*drawn(name)[0])
        np.testing.assert_allclose(found[0], value, rtol=1e-12, err_msg=name)
        for one, other in zip(found[1], gradients, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 6])
def test_windows_that_x_is_too_small_for(size: int):
    """Steps are wider than windows, so that what none is spread over would be smaller than nothing."""
    builder = BlockBuilder()
    with builder.function("loss", {"x": TensorType([1, 1, "n"], "f64")}) as (x,):
        weight = np.array([[[2.0, 3.0, 5.0]]])
        found = op.sum(op.conv1d(x, weight, strides=4)) + op.sum(op.avg_pool1d(x, 3, 4))
        builder.emit_func_output(builder.emit(found))
    module = builder.get()
    gradient(module, "loss")
    _, (found,) = run(module, "loss_adjoint", np.ones((1, 1, size)))
    wanted = [2 + 1 / 3, 3 + 1 / 3, 5 + 1 / 3] if size >= 3 else []
    np.testing.assert_allclose(found[0, 0], [*wanted, *[0.0] * (size - len(wanted))])


def test_every_rule_has_a_case():
    told = {op for op in (*RULES, *EXPANSIONS) if not issubclass(op, CommunicationOp)}
    assert {op.name for op in told} == {op.name for op in cases_of() if op in told}


def test_every_operator_has_a_rule_or_a_reason():
    tables = (RULES, EXPANSIONS, CONSTANT, REFUSED)
    for family in OPERATOR_FAMILIES:
        for each in family.OPS:
            assert sum(each in table for table in tables) == 1, each.name


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == page(), "run python test/unit/support/gradient_page.py"


def test_a_product_with_zeros_among_its_factors():
    array = np.array([[0.0, 2, 3], [0, 0, 1], [1, 2, 3]])
    builder = BlockBuilder()
    with builder.function("loss", {"x": TensorType(["n", "m"], "f64")}) as (x,):
        builder.emit_func_output(builder.emit(op.sum(op.prod(x, axis=[1]))))
    module = builder.get()
    gradient(module, "loss")
    _, (found,) = run(module, "loss_adjoint", array)
    np.testing.assert_array_equal(found, [[6, 0, 0], [0, 0, 0], [6, 3, 2]])


def test_probabilities_of_0_and_1():
    """As a sigmoid gives them where it is rounded."""
    arrays = np.array([0, 0, 1, 1], "f4"), np.array([0, 1, 0, 1], "f4")
    builder = BlockBuilder()
    with builder.function("loss", {n: TensorType(["n"], "f32") for n in "pt"}) as (p, t):
        builder.emit_func_output(builder.emit(op.binary_cross_entropy(p, t, reduction="sum")))
    module = builder.get()
    gradient(module, "loss", wrt=["p"])
    _, (found,) = run(module, "loss_adjoint", *arrays)
    np.testing.assert_array_equal(found, [1, 0, 0, -1])


@pytest.mark.parametrize("weights", [[], [np.array([0.5, 0.25])]], ids=["plain", "weighted"])
def test_a_mean_of_targets_that_are_all_ignored(weights: list[np.ndarray]):
    """The loss is not a number, but its gradient is 0 whatever its cotangent is, and so is that of this one."""
    builder = BlockBuilder()
    with builder.function("loss", {"g": TensorType([], "f64"), "x": TensorType([3, 2], "f64")}) as (
        g,
        x,
    ):
        targets = np.full(3, -100)
        found = builder.emit(op.nll_loss_backward(g, x, targets, *weights))
        builder.emit_func_output(builder.emit(op.sum(found)))
    module = builder.get()
    gradient(module, "loss")
    value, (of_g, of_x) = run(module, "loss_adjoint", np.array(2.0), np.ones((3, 2)))
    assert value == of_g == 0
    np.testing.assert_array_equal(of_x, np.zeros((3, 2)))


def test_straight_through():
    builder = BlockBuilder()
    with builder.function("loss", {"x": TensorType(["n"], "f32")}) as (x,):
        rounded = op.dequantize(op.quantize(x, 0.5, np.int8(0)), 0.5, np.int8(0))
        builder.emit_func_output(builder.emit(op.sum(x + op.no_grad(rounded - x))))
    module = builder.get()
    gradient(module, "loss")
    value, (found,) = run(module, "loss_adjoint", np.array([0.3, 1.1], "f4"))
    assert value == 1.5
    np.testing.assert_array_equal(found, [1, 1])
