"""relax-quantize: what becomes integers, what stays, and that C and the interpreter agree on every bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, amount, shortened
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.builder.constant_values import const
from relax_dialect.dpl import is_constant, is_op, wildcard
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.quantization.quantize import quantize

from .quantizable import images, names, network, normal, numbers, perceptron

FORMS = (
    "relax-to-a-normal-form",
    "relax-to-graph-normal-form",
    "relax-to-basic-block-normal-form",
    "relax-to-non-dataflow",
    "relax-normalize",
)
NETWORKS: dict[str, tuple[Callable[[], ModuleOp], tuple[int, ...], tuple[int, ...]]] = {
    "perceptron": (perceptron, (50, 6), (7, 6)),
    "images": (images, (4, 3, 20, 20), (3, 3, 17, 16)),
}


@pytest.mark.slow
@pytest.mark.parametrize("activations", ["ui8", "i8"])
@pytest.mark.parametrize("name", NETWORKS)
def test_c_and_the_interpreter_agree_on_every_bit(name: str, activations: str, tmp_path: Path):
    """The result is a product of the i32 sums, so that it shows each bit of them."""
    make, seen, other = NETWORKS[name]
    module, x = make(), normal(9, *other)
    exact = run(module, "main", x)
    report = quantize(module, {"x": normal(8, *seen, scale=1.3)}, activations=activations)
    verify(module)
    assert not report.kept
    ours = run(module, "main", x)
    model = lowering.compile(
        module,
        f"{name}_{activations}",
        directory=tmp_path,
        extra_flags=UNOPTIMISED if activations == "i8" else (),
    )
    for batch in (x, x[:1], normal(10, *seen)):
        np.testing.assert_array_equal(model.main(batch), run(module, "main", batch))
    assert np.abs(ours - exact).max() <= 0.03 * np.ptp(exact)
    assert np.abs(ours - exact).max() > 0


def test_neighbours_are_connected_in_8_bits():
    module = perceptron()
    quantize(module, {"x": normal(8, 50, 6)})
    layer = ["matmul_integer", "add"]
    assert names(module) == ["quantize", *layer, "maximum", "requantize", *layer, "dequantize"]
    module = images()
    quantize(module, {"x": normal(8, 4, 3, 20, 20)})
    first = ["quantize", "conv2d_integer", "add", "maximum", "requantize", "max_pool2d"]
    second = ["conv2d_integer", "requantize", "max_pool2d", "permute_dims"]
    assert names(module) == [*first, *second, "matmul_integer", "add", "dequantize"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_program_is_quantised_alike(form: str):
    x, seen = normal(9, 7, 6), {"x": normal(8, 50, 6)}
    plain, formed = perceptron(), perceptron()
    lowering.lower(formed, [form])
    for module in (plain, formed):
        quantize(module, seen)
        verify(module)
    found = names(formed)
    assert found.count("quantize") == found.count("requantize") == found.count("dequantize") == 1
    np.testing.assert_array_equal(run(formed, "main", x), run(plain, "main", x))


def test_an_input_of_two_regions_is_quantised_once():
    module = network(["n", 4], lambda x: op.tanh(x @ normal(1, 4, 3)) + x @ normal(2, 4, 3))
    quantize(module, {"x": normal(3, 9, 4)})
    found = ["quantize", "matmul_integer", "dequantize", "tanh", "matmul_integer", "dequantize"]
    assert names(module) == [*found, "add"]


def test_a_value_that_floats_use_too_is_kept_for_them():
    def body(x: Any) -> Any:
        bb_value = op.relu(x @ const(normal(1, 4, 4)))
        return bb_value @ const(normal(2, 4, 4)) + bb_value

    module = network(["n", 4], body)
    x = normal(3, 9, 4)
    exact = run(module, "main", x)
    quantize(module, {"x": x})
    assert names(module).count("requantize") == 1
    assert names(module).count("dequantize") == 2
    assert np.abs(run(module, "main", x) - exact).max() < 0.03 * np.ptp(exact)


def test_a_relu_after_a_value_with_a_zero_point_inside_keeps_its_zero():
    """In i8 the zero point is 0 and not the least number, so that the relu stays as a maximum."""
    module = network(
        ["n", 4],
        lambda x: op.relu(op.reshape(x @ const(normal(1, 4, 6)), [2, "n", 3])) @ normal(2, 3, 2),
    )
    x = normal(3, 8, 4)
    exact = run(module, "main", x)
    quantize(module, {"x": x}, activations="i8")
    chain = ["quantize", "matmul_integer", "requantize", "reshape", "maximum", "matmul_integer"]
    assert [name for name in names(module) if name != "shape"] == [*chain, "dequantize"]
    assert np.abs(run(module, "main", x) - exact).max() < 0.03 * np.ptp(exact)


def test_a_view_that_floats_use_too_stays_in_floats():
    def body(x: Any) -> Any:
        pooled = op.max_pool2d(op.conv2d(x, const(normal(1, 2, 2, 1, 1))), 2)
        return op.conv2d(pooled, const(normal(2, 2, 2, 1, 1))) + pooled

    module = network(["n", 2, 6, 6], body)
    quantize(module, {"x": normal(3, 2, 2, 6, 6)})
    region = ["quantize", "conv2d_integer", "dequantize"]
    assert names(module) == [*region, "max_pool2d", *region, "add"]


def test_a_quantize_goes_all_the_way_or_stays():
    def body(x: Any) -> Any:
        turned = op.permute_dims(x @ const(normal(1, 4, 4)))
        return op.permute_dims(op.permute_dims(turned)) @ const(normal(2, 4, 4)) + turned

    module = network([4, 4], body)
    quantize(module, {"x": normal(3, 4, 4)})
    first = ["quantize", "matmul_integer", "dequantize", *["permute_dims"] * 3]
    assert names(module) == [*first, "quantize", "matmul_integer", "dequantize", "add"]


def test_each_channel_of_a_weight_has_a_scale():
    weight = np.float32([[1, 0, -3], [-2, 0, 0.5]])
    module = network(["n", 2], lambda x: x @ const(weight))
    quantize(module, {"x": np.float32([[0, 255]])})
    ((scales,),) = numbers(module, "dequantize", 1)
    np.testing.assert_allclose(scales, np.float32([2 / 127, 1, 3 / 127]))


def test_regions_of_two_blocks_are_not_connected():
    bb = BlockBuilder()
    with bb.function("main", {"x": TensorType(["n", 4], "f32")}) as (x,):
        for seed in (1, 2):
            with bb.dataflow():
                x = bb.emit_output(x @ const(normal(seed, 4, 4)))
        bb.emit_func_output(x)
    module = bb.get()
    quantize(module, {"x": normal(3, 9, 4)})
    verify(module)
    region = ["quantize", "matmul_integer", "dequantize"]
    assert names(module) == [*region, *region]


@shortened
def test_a_long_way_between_two_regions_is_led_through():
    count = amount(300, 200)

    def body(x: Any) -> Any:
        y = x @ const(normal(1, 4, 4))
        for _ in range(count):
            y = op.permute_dims(op.permute_dims(y))
        return y @ const(normal(2, 4, 4))

    module = network(["n", 4], body)
    quantize(module, {"x": normal(3, 9, 4)})
    found = names(module)
    assert found[:3] == ["quantize", "matmul_integer", "requantize"]
    assert found[3:-2] == ["permute_dims"] * (2 * count)


def test_what_lies_beyond_the_calibrated_range_is_cut_off():
    module = perceptron()
    quantize(module, {"x": np.clip(normal(8, 50, 6), -1, 2)})
    ((scale, zero),) = numbers(module, "quantize", 1, 2)
    low, high = -float(scale) * int(zero), float(scale) * (255 - int(zero))
    far = normal(9, 20, 6, scale=10)
    assert far.min() < low < 0 < high < far.max()
    cut = np.clip(far, low, high).astype(np.float32)
    np.testing.assert_array_equal(run(module, "main", far), run(module, "main", cut))


def test_a_percentile_narrows_the_range():
    x = np.append(np.linspace(-1, 1, 999), 1000).astype(np.float32).reshape(250, 4)
    found = {}
    for percentile in (100, 99):
        module = network(["n", 4], lambda x: x @ const(normal(1, 4, 3)))
        quantize(module, {"x": x}, percentile=percentile)
        ((scale, _),) = numbers(module, "quantize", 1, 2)
        found[percentile] = float(scale)
    low, high = np.percentile(x, [1, 99])
    assert found[100] == pytest.approx(1001 / 255)
    assert found[99] == pytest.approx((high - low) / 255)


def test_several_runs_widen_the_range():
    def scale_of(calibration: Any) -> float:
        module = network([2, 2], lambda x: x @ const(normal(1, 2, 3)))
        quantize(module, calibration)
        ((scale,),) = numbers(module, "quantize", 1)
        return float(scale)

    a, b = np.float32([[0, 1], [2, 3]]), np.float32([[0, 1], [2, 5.1]])
    assert scale_of({"x": a}) == pytest.approx(3 / 255)
    for both in ([(a,), (b,)], {"x": np.stack([a, b])}, ((each,) for each in (b, a))):
        assert scale_of(both) == pytest.approx(5.1 / 255)


def test_functions_that_are_called_are_quantised_by_all_their_calls():
    text = """
    relax.func @main(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
      %y = relax.call @f(%x) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
      %z = relax.call @f(%y) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
      relax.return %z : !relax.tensor<[n, 2], f32>
    }
    relax.func private @f(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
      %w = relax.constant dense<[[3.0, 0.0], [0.0, 3.0]]> : tensor<2x2xf32>
      %y = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 2], f32>) -> !relax.tensor<[n, 2], f32>
      relax.return %y : !relax.tensor<[n, 2], f32>
    }
    """
    module = parse(text)
    report = quantize(module, {"x": np.float32([[0, 1]])})
    verify(module)
    assert str(report) == "1 region quantised"
    assert report.quantized == ["@f: relax.matmul (%y)"]
    ((scale,),) = numbers(module, "quantize", 1)
    assert float(scale) == pytest.approx(3 / 255)  # the second call sees what the first gives


def test_a_branch_that_no_input_takes_stays_in_floats():
    bb = BlockBuilder()
    condition = TensorType([], "i1")
    with bb.function("main", {"x": TensorType([1, 2], "f32"), "c": condition}) as (x, c):

        def branch(seed: int, name: str) -> Any:
            return lambda: bb.emit(x @ const(normal(seed, 2, 3)), name)

        bb.emit_func_output(bb.if_(c, branch(1, "taken"), branch(2, "left")))
    module = bb.get()
    report = quantize(module, {"x": normal(3, 1, 2), "c": np.array(True)})
    verify(module)
    assert len(report.quantized) == 1 and "%taken" in report.quantized[0]
    assert [why for _, why in report.kept] == ["no calibration input reaches it"]


def test_only_what_the_patterns_match_is_quantised():
    x, w = wildcard(), is_constant()
    module = images()
    strided = is_op("conv2d")(x, w).has_attr("strides", [2])
    report = quantize(module, {"x": normal(8, 2, 3, 9, 9)}, [strided])
    verify(module)
    assert len(report.quantized) == 1
    assert {why for _, why in report.kept} == {"no pattern matches it as a whole"}
    assert names(module)[:5] == ["quantize", "conv2d_integer", "dequantize", "add", "relu"]


def test_a_pattern_of_other_operators_is_refused():
    module = network(["n", 2], lambda x: op.gelu(x @ const(normal(1, 2, 2))))
    pattern = is_op("gelu")(is_op("matmul")(wildcard(), wildcard()))
    message = (
        "expected matches of a matmul, linear or conv2d, then an add of a constant, then a relu"
    )
    with pytest.raises(RelaxError, match=message) as caught:
        quantize(module, {"x": normal(2, 3, 2)}, [pattern])
    assert "found relax.gelu" in str(caught.value)


def test_a_bias_that_is_none_stays_an_addition_of_floats():
    added = [normal(2, 3, 4), normal(2, 2, 3, 4)]
    for bias in added:
        module = network([3, 5], lambda x, b=bias: op.relu(x @ const(normal(1, 5, 4)) + const(b)))
        x = normal(3, 3, 5)
        exact = run(module, "main", x)
        quantize(module, {"x": x})
        verify(module)
        assert names(module) == ["quantize", "matmul_integer", "dequantize", "add", "relu"]
        assert np.abs(run(module, "main", x) - exact).max() < 0.02 * np.ptp(exact)


def test_a_large_bias_with_small_weights_is_kept_to_a_millionth():
    """The scale of a channel grows until its bias fits; without that the bias would be beyond i32."""
    weight, bias = np.float32([[1e-12, 0], [0, 0]]), np.float32([3000, -7])
    module = network(["n", 2], lambda x: x @ const(weight) + const(bias))
    quantize(module, {"x": np.ones((1, 2), np.float32)})
    found = run(module, "main", np.ones((3, 2), np.float32))
    np.testing.assert_allclose(found, np.broadcast_to(bias, (3, 2)), rtol=1e-6)


def test_sums_that_i32_cannot_hold_stay_in_floats():
    module = network(["n", 70000], lambda x: x @ const(np.ones((70000, 1), np.float32)))
    report = quantize(module, {"x": np.ones((1, 70000), np.float32)})
    assert [why for _, why in report.kept] == [
        "its sums may be beyond i32, or its scales too small for f32"
    ]
    assert names(module) == ["matmul"]


@pytest.mark.parametrize(("weight", "size"), [(1e-25, 1e-20), (1e25, 1e20), (1e-42, 1)])
def test_scales_that_f32_cannot_hold_stay_in_floats(weight: float, size: float):
    module = network(["n", 2], lambda x: x @ const(np.full((2, 2), weight, np.float32)))
    with np.errstate(all="raise", under="ignore"):
        report = quantize(module, {"x": np.full((1, 2), size, np.float32)})
    assert not report.quantized and names(module) == ["matmul"]


def test_of_a_sum_of_products_neither_is_a_bias():
    w, v = const(normal(1, 4, 3)), const(normal(2, 3, 4))
    module = network(["n", 4], lambda x: x @ w + op.linear(x, v))
    linear = is_op("linear")(wildcard(), is_constant())
    report = quantize(module, {"x": normal(3, 5, 4)}, is_op("add")(linear, wildcard()))
    assert not report.quantized
    report = quantize(module, {"x": normal(3, 5, 4)}, [is_op("add")(linear, wildcard()), linear])
    assert len(report.quantized) == 1
    found = ["matmul", "quantize", "matmul_integer", "dequantize", "add"]
    assert names(module) == found


@pytest.mark.parametrize("weight", [np.zeros((4, 0)), np.full((4, 2), np.nan), np.ones(4)])
def test_weights_that_are_no_finite_matrix_stay_in_floats(weight: np.ndarray):
    module = network(["n", 4], lambda x: x @ const(weight.astype(np.float32)))
    report = quantize(module, {"x": normal(1, 2, 4)})
    assert not report.quantized and names(module) == ["matmul"]


def test_zeros_are_quantised_too():
    module = network(["n", 4], lambda x: x @ const(np.zeros((4, 2), np.float32)))
    quantize(module, {"x": np.zeros((2, 4), np.float32)})
    np.testing.assert_array_equal(run(module, "main", np.ones((3, 4), np.float32)), 0)


def test_quantize_ops_of_the_user_stay():
    def body(x: Any) -> Any:
        scale, zero = const(0.5, "f32"), const(0, "i8")
        own = op.quantize(op.dequantize(op.quantize(x, scale, zero), scale, zero), scale, zero)
        return op.dequantize(own, scale, zero) @ const(normal(1, 4, 2))

    module = network(["n", 4], body)
    quantize(module, {"x": normal(1, 2, 4)})
    assert names(module)[:4] == ["quantize", "dequantize", "quantize", "requantize"]


def test_a_second_run_changes_nothing():
    module = images()
    seen = {"x": normal(8, 2, 3, 9, 9)}
    quantize(module, seen)
    before = str(module)
    assert not quantize(module, seen).quantized
    assert str(module) == before


MISTAKES: dict[str, tuple[Any, str]] = {
    "one array": (normal(1, 2, 6), "expected arrays by name, or tuples of arguments, found one nd"),
    "no runs": ([], "expected calibration inputs, found none; pass at least one"),
    "no tuple": ([normal(1, 2, 6)], r"calibration input #0: expected a tuple .* write \(x,\)"),
    "too many": ([(1, 2)], r"#0: expected 1 arguments \(parameter 'x'\), found 2; pass one for"),
    "another type": ([(normal(1, 2, 6).astype("i4"),)], "expected element type f32, found i"),
    "another size": ([(normal(1, 2, 5),)], r"expected shape \[n, 6\], found \[2, 5\]; reshape"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_inputs_is_told(name: str):
    calibration, message = MISTAKES[name]
    with pytest.raises(RelaxError, match=message):
        quantize(perceptron(), calibration)


def test_a_parameter_that_is_no_tensor_needs_tuples():
    text = """
    relax.func @main(%s: !relax.shape<[m]>, %x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 1], f32> {
      %w = relax.constant dense<1.0> : tensor<2x1xf32>
      %y = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 1], f32>) -> !relax.tensor<[n, 1], f32>
      relax.return %y : !relax.tensor<[n, 1], f32>
    }
    """
    x = normal(1, 3, 2)
    with pytest.raises(RelaxError, match=r"'s': expected a tensor .*; call quantize from Python"):
        quantize(parse(text), {"x": x})
    assert quantize(parse(text), [((4,), x)]).quantized


def test_a_run_that_fails_is_told():
    text = """
    relax.func @main(%x: !relax.tensor<[n, 2], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n, 1], f32> {
      %w = relax.constant dense<1.0> : tensor<2x1xf32>
      %z = relax.matmul %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 1], f32>) -> !relax.tensor<[n, 1], f32>
      relax.return %z : !relax.tensor<[n, 1], f32>
    }
    """
    with pytest.raises(RelaxError, match="relax-quantize: calibration input #0: @main: argument"):
        quantize(parse(text), {"x": normal(1, 3, 2), "y": normal(1, 4)})
    stacks = {"x": normal(1, 2, 3, 2), "y": normal(1, 3, 3)}
    with pytest.raises(RelaxError, match="stacks of as many arguments, found 2 of 'x', 3 of 'y'"):
        quantize(parse(text), stacks)
