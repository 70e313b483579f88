"""Converters of com.microsoft compared with ONNX Runtime, with symbolic sizes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from onnx_models import check, expected, found, joined, one_node
from optional import amount, package, shortened

import lowering
from relax_dialect.frontends.onnx import load
from relax_dialect.frontends.onnx.microsoft import DOMAIN
from relax_dialect.frontends.onnx.registry import table

onnx = package("onnx", "onnx")
package("onnxruntime")

RANDOM = np.random.default_rng(3)

Case = tuple[str, list[Any], dict[str, Any]]


def f32(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype(np.float32)


def bytes_of(dtype: Any, *shape: int) -> Any:
    ends = np.iinfo(dtype)
    return RANDOM.integers(ends.min, ends.max + 1, shape).astype(dtype)


def one(value: float, dtype: Any = np.float32) -> Any:
    return np.array(value, dtype)


X, IMAGE = f32(2, 3, 8), f32(2, 4, 7, 6)
U8, I8 = np.uint8, np.int8


def quantity(dtype: Any, scale: float, zero: int, *shape: int) -> list[Any]:
    """Bytes, their scale and zero point."""
    return [bytes_of(dtype, *shape), one(scale), one(zero, dtype)]


def to(dtype: Any, scale: float, zero: int) -> list[Any]:
    return [one(scale), one(zero, dtype)]


def plain_cases() -> list[Case]:
    conv = {"kernel_shape": [3, 3], "pads": [1, 0, 1, 1], "strides": [2, 1]}
    kernel, bias = f32(6, 4, 3, 3), f32(6)
    clip = {"activation": "Clip", "activation_params": [-0.5, 0.5]}
    return [
        ("Gelu", [X], {}),
        ("BiasGelu", [X, f32(8)], {}),
        ("FastGelu", [X], {}),
        ("FastGelu", [X, f32(8)], {}),
        *(("QuickGelu", [X], more) for more in ({}, {"alpha": 0.5})),
        *(
            ("FusedMatMul", [a, b], {"transA": t, "transB": u, "alpha": 0.5})
            for (t, a), (u, b) in product(
                ((0, f32(2, 3, 4)), (1, f32(2, 4, 3))), ((0, f32(2, 4, 5)), (1, f32(2, 5, 4)))
            )
        ),
        ("TransposeMatMul", [f32(2, 4, 3), f32(2, 4, 5)], {"transA": 1, "alpha": 2.0}),
        ("FusedMatMul", [f32(3, 2, 4), f32(2, 4, 5)], {"transBatchA": 1}),
        ("FusedMatMul", [f32(3, 2, 4), f32(4, 2, 5)], {"transBatchA": 1, "transBatchB": 1}),
        ("FusedMatMul", [f32(4, 2, 3), f32(5, 2, 4)], {"transBatchA": 1, "transA": 1, "transBatchB": 1, "transB": 1}),
        ("FusedGemm", [f32(3, 4), f32(4, 5), f32(5)], {"activation": "Relu", "alpha": 0.5}),
        ("FusedGemm", [f32(3, 4), f32(5, 4), f32(5)], {"activation": "LeakyRelu", "activation_alpha": 0.3, "transB": 1}),
        *(("FusedConv", [IMAGE, kernel, bias], {**conv, "activation": a}) for a in ("Relu", "Tanh", "Sigmoid")),
        ("FusedConv", [IMAGE, kernel, bias], {**conv, **clip}),
        ("FusedConv", [IMAGE, kernel], {**conv, "activation": "LeakyRelu", "activation_params": [0.2]}),
        ("FusedConv", [IMAGE, kernel, bias], {**conv, "activation": "HardSigmoid", "activation_params": [0.2, 0.4]}),
        ("FusedConv", [IMAGE, kernel, bias, f32(2, 6, 4, 5)], {**conv, "activation": "Relu"}),
        ("NhwcMaxPool", [bytes_of(I8, 2, 7, 6, 4)], {"kernel_shape": [3, 2], "strides": [2, 1]}),
    ]  # fmt: skip


def normalization_cases() -> list[Case]:
    gamma, beta, bias = f32(8), f32(8), f32(8)
    words = [
        RANDOM.integers(0, 9, (2, 3)).astype(np.int32),
        RANDOM.integers(0, 2, (2, 3)).astype(np.int32),
    ]
    tables = [f32(9, 8), f32(5, 8), f32(2, 8), gamma, beta]
    mask = np.array([[1, 1, 0], [1, 1, 1]], np.int32)
    return [
        ("SkipLayerNormalization", [X, X * 2, gamma, beta, bias], {"epsilon": 1e-3}),
        ("SkipLayerNormalization", [X, X * 2, gamma], {"outputs": 4}),
        ("SkipLayerNormalization", [X, X[:1], gamma, beta], {}),
        ("SkipLayerNormalization", [X, X[0], gamma, beta], {}),
        ("SkipSimplifiedLayerNormalization", [X, X * 2, gamma], {}),
        ("SkipSimplifiedLayerNormalization", [X, X * 2, gamma, bias], {"outputs": 4, "epsilon": 1e-5}),
        ("EmbedLayerNormalization", [*words, *tables], {"outputs": 2}),
        ("EmbedLayerNormalization", [*words, *tables, mask], {"outputs": 2, "epsilon": 1e-5}),
        ("EmbedLayerNormalization", [words[0], None, *tables[:2], None, *tables[3:], mask], {"outputs": 2}),
        ("EmbedLayerNormalization", [*words, *tables, mask, np.array([[2, 1, 0]], np.int32)], {"outputs": 2}),
    ]  # fmt: skip


def quantized_cases() -> list[Case]:
    found: list[Case] = []
    for dtype in (U8, I8):
        a, b = (quantity(dtype, s, z, 2, 3, 8) for s, z in ((0.05, 9), (0.1, 3)))
        image = quantity(dtype, 0.02, 7, 2, 4, 7, 6)
        pool = {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}
        last = [bytes_of(dtype, 2, 7, 6, 4), *image[1:]]
        result = to(dtype, 0.07, 5)
        found += [
            *((name, [*a, *b, *result], {}) for name in ("QLinearAdd", "QLinearMul")),
            ("QLinearAdd", [*a, bytes_of(dtype, 8), *b[1:], *result], {}),
            ("QLinearSigmoid", [*a, *to(dtype, 1 / 256, 1)], {}),
            ("QLinearLeakyRelu", [*a, *result], {"alpha": 0.3}),
            ("QLinearSoftmax", [*a, *to(dtype, 1 / 256, 0)], {"version": 13, "axis": 1}),
            ("QLinearSoftmax", [*a, *to(dtype, 1 / 256, 0)], {"version": 12, "axis": 1}),
            ("QLinearAveragePool", [*image, *result], pool),
            ("QLinearAveragePool", [*image, *result], {**pool, "count_include_pad": 1}),
            ("QLinearAveragePool", [*last, *result], {**pool, "channels_last": 1}),
            ("QLinearGlobalAveragePool", [*image, *to(dtype, 0.01, 7)], {}),
            ("QLinearGlobalAveragePool", [*last, *to(dtype, 0.01, 7)], {"channels_last": 1}),
            ("QLinearConcat", [*result, *a, *b], {"axis": 1}),
            ("QLinearWhere", [f32(2, 3, 8) > 0, *a, *b, *result], {}),
            ("QuantizeLinear", [X, *result], {}),
            ("QuantizeLinear", [X, np.abs(f32(3)) + 0.1, bytes_of(dtype, 3)], {"axis": 1}),
            ("DequantizeLinear", [a[0], np.abs(f32(3)) + 0.1, bytes_of(dtype, 3)], {"axis": 1}),
        ]
    return found


def product_cases() -> list[Case]:
    left, right = bytes_of(U8, 2, 3, 8), bytes_of(I8, 8, 5)
    scale, zero, bias = np.abs(f32(5)) + 0.1, bytes_of(I8, 5), f32(5)
    conv = {"kernel_shape": [3, 3], "pads": [1, 0, 1, 1], "channels_last": 1}
    image, kernel = bytes_of(U8, 2, 7, 6, 4), bytes_of(I8, 6, 4, 3, 3)
    a, b = quantity(U8, 0.1, 9, 3, 4), quantity(I8, 0.2, 0, 4, 5)
    sums = RANDOM.integers(-99, 99, 5).astype(np.int32)
    return [
        ("MatMulIntegerToFloat", [left, right, one(0.1), scale, one(9, U8), zero, bias], {}),
        ("MatMulIntegerToFloat", [left, bytes_of(U8, 8, 5), one(0.1), one(0.2)], {}),
        ("DynamicQuantizeMatMul", [X, right, scale, zero, bias], {}),
        ("DynamicQuantizeMatMul", [X, bytes_of(U8, 8, 5), one(0.1), one(99, U8)], {}),
        ("QGemm", [*a, *b, sums], {"alpha": 0.5}),
        ("QGemm", [*a, *b, sums, *to(U8, 1.5, 99)], {}),
        ("QGemm", [a[0].T.copy(), *a[1:], b[0].T.copy(), *b[1:], None, *to(U8, 1.5, 99)], {"transA": 1, "transB": 1}),
        ("QLinearConv", [image, one(0.1), one(2, U8), kernel, np.abs(f32(6)), np.zeros(6, I8), one(3.0), one(9, U8)], conv),
    ]  # fmt: skip


def lstm_cases() -> list[Case]:
    x, state = f32(5, 2, 3), f32(2, 2, 4)
    kinds = [("forward", 1), ("reverse", 1), ("bidirectional", 2)]
    found: list[Case] = []
    for (direction, d), dtype in product(kinds, (I8, U8)):
        zeros = [bytes_of(dtype, d) // 8 for _ in range(2)]
        scales = [np.abs(f32(d)) / 99 for _ in range(2)]
        own = [bytes_of(dtype, d, 3, 16), bytes_of(dtype, d, 4, 16), f32(d, 32)]
        quantities = [scales[0], zeros[0], scales[1], zeros[1]]
        more = {"hidden_size": 4, "direction": direction, "outputs": 3}
        lengths = np.array([5, 3], np.int32)
        found += [
            ("DynamicQuantizeLSTM", [x, *own, None, None, None, None, *quantities], more),
            (
                "DynamicQuantizeLSTM",
                [x, *own, lengths, state[:d], state[:d], f32(d, 12), *quantities],
                {**more, "clip": 0.75},
            ),
        ]
    each = [np.abs(f32(1, 16)) / 99, bytes_of(I8, 1, 16) * 0]
    own = [bytes_of(I8, 1, 3, 16), bytes_of(I8, 1, 4, 16), None]
    found.append(
        (
            "DynamicQuantizeLSTM",
            [x, *own, None, None, None, None, *each, *each],
            {"hidden_size": 4, "outputs": 3},
        )
    )
    return found  # fmt: skip


def few_bits_cases() -> list[Case]:
    found: list[Case] = []
    for bits, block, k in ((4, 16, 48), (4, 32, 40), (8, 32, 64), (2, 32, 64)):
        blocks, rows = -(-k // block), 5
        packed = bytes_of(U8, rows, blocks, block * bits // 8)
        zeros = bytes_of(U8, rows * -(-blocks * bits // 8))
        a, scales = f32(2, 3, k), np.abs(f32(rows, blocks)) / 9
        more = {"N": rows, "K": k, "bits": bits, "block_size": block}
        found.append(("MatMulNBits", [a, packed, scales, zeros], more))
        found.append(("MatMulNBits", [a, packed, scales, None, None, f32(rows)], more))
        if bits == 4:
            found.append(("MatMulNBits", [a, packed, scales, f32(rows, blocks)], more))
    return found


def attention_cases() -> list[Case]:
    x, w, bias = f32(2, 3, 8), f32(8, 24), f32(24)
    past = f32(2, 2, 2, 4, 4)
    lengths, ends = np.array([2, 3], np.int32), np.array([2, 3, 1, 0], np.int32)
    ones = np.array([[1, 1, 0], [1, 1, 1]], np.int32)
    square = (RANDOM.random((2, 3, 3)) < 0.7).astype(np.int32)
    two = {"num_heads": 2}
    bytes_in = [bytes_of(U8, 2, 3, 8), bytes_of(I8, 8, 24), bias, one(0.02), one(0.03)]
    plain = [
        ("Attention", [x, w, bias], two),
        ("Attention", [x, w, bias], {**two, "unidirectional": 1, "outputs": 2}),
        ("Attention", [x, f32(8, 20), f32(20)], {**two, "qkv_hidden_sizes": [8, 8, 4]}),
        *(("Attention", [x, w, bias, mask], two) for mask in (lengths, ones, square)),
        ("Attention", [x, w, bias, ones], {**two, "mask_filter_value": -2.0, "scale": 0.3}),
        ("Attention", [x, w, bias, ends], {**two, "fixed": True}),
        ("Attention", [x, w, bias, None, past], {**two, "outputs": 2}),
        ("Attention", [x, w, bias, None, past], {**two, "outputs": 2, "unidirectional": 1}),
        ("Attention", [x, w, bias, ones, None, f32(1, 2, 3, 3)], two),
        ("QAttention", [*bytes_in, None, one(9, U8), one(0, I8)], two),
        ("QAttention", [*bytes_in, ones, one(9, U8), one(0, I8)], two),
    ]
    q, k, v = f32(2, 3, 8), f32(2, 5, 8), f32(2, 5, 8)
    long = (RANDOM.random((2, 5)) < 0.7).astype(np.int32)
    long[:, 0] = 1
    cached = f32(2, 2, 4, 4), f32(2, 2, 4, 4)
    both = {**two, "outputs": 3}
    multi = [
        ("MultiHeadAttention", [q, k, v], two),
        ("MultiHeadAttention", [q, k, v, bias, long], two),
        ("MultiHeadAttention", [q, k, v, bias, None, f32(1, 2, 3, 5)], {**two, "scale": 0.4}),
        ("MultiHeadAttention", [q, q * 2, q * 3, bias, None, None, *cached], both),
        ("MultiHeadAttention", [q, q * 2, q * 3], {**two, "unidirectional": 1}),
        ("MultiHeadAttention", [q, *cached], two),
    ]
    return [*plain, *multi, *rotary_cases()]


def rotary_cases() -> list[Case]:
    x, angles = f32(2, 3, 16), f32(9, 4)
    cos, sin = np.cos(angles), np.sin(angles)
    places = np.array([[0, 1, 2], [4, 5, 6]])
    groups = {"num_heads": 4, "kv_num_heads": 2, "outputs": 3}
    new = {n: (f32(n, 4 - n, 64), f32(n, 4 - n, 32), f32(n, 4 - n, 32)) for n in (1, 2, 3)}
    past = {n: (f32(n, 2, 4, 16), f32(n, 2, 4, 16)) for n in (1, 3)}
    first = [np.array([1, 1], np.int32), np.array(2, np.int32)]
    later = {n: [np.full(n, 7 - n, np.int32), np.array(8 - n, np.int32)] for n in (1, 3)}
    none = np.zeros((2, 2, 0, 16), np.float32)
    turned = {**groups, "do_rotary": 1, "rotary_interleaved": 1}
    wide = [np.cos(f32(9, 8)), np.sin(f32(9, 8))]
    return [
        ("RotaryEmbedding", [x, places, cos, sin], {}),
        ("RotaryEmbedding", [x, np.array([2]), cos, sin], {"interleaved": 1}),
        ("RotaryEmbedding", [f32(2, 2, 3, 8), places, cos, sin], {}),
        ("RotaryEmbedding", [x, places, cos[:, :2], sin[:, :2]], {"num_heads": 2, "rotary_embedding_dim": 4}),
        ("GroupQueryAttention", [*new[2], none, none, *first], groups),
        *(("GroupQueryAttention", [*new[n], *past[n], *later[n]], groups) for n in (1, 3)),
        *(("GroupQueryAttention", [*new[n], *past[n], *later[n]], {**groups, "local_window_size": 3}) for n in (1, 3)),
        *(("GroupQueryAttention", [*new[n], *past[n], *later[n], *wide], {**groups, "do_rotary": 1}) for n in (1, 3)),
        ("GroupQueryAttention", [f32(1, 3, 128), None, None, *past[1], *later[1], *wide], turned),
    ]  # fmt: skip


CASES = [
    *plain_cases(),
    *normalization_cases(),
    *quantized_cases(),
    *product_cases(),
    *attention_cases(),
    *lstm_cases(),
    *few_bits_cases(),
]
CONSTANT = {
    "RotaryEmbedding": (2, 3),
    "GroupQueryAttention": (7, 8),
    "DynamicQuantizeLSTM": (1, 2, 3, 8, 9, 10, 11),
    "MatMulNBits": (1, 2, 3, 5),
    "EmbedLayerNormalization": range(2, 7),
    "QLinearConv": range(1, 8),
}
"""Inputs that are initializers."""


def model_of(case: Case) -> tuple[Any, dict[str, Any]]:
    """The model of a case, and its inputs."""
    name, inputs, attributes = case
    outputs = attributes.get("outputs", 1)
    constants = [i for i in CONSTANT.get(name, ()) if i < len(inputs) and inputs[i] is not None]
    rest = {k: v for k, v in attributes.items() if k not in ("outputs", "version", "fixed")}
    model, given = one_node(
        name, inputs, 1, outputs, "fixed" not in attributes, constants, DOMAIN, **rest
    )
    if "version" in attributes:
        attribute = onnx.helper.make_attribute("opset", attributes["version"])
        model.graph.node[0].attribute.append(attribute)
    if name.startswith("Skip") and outputs == 4:
        del model.graph.output[1:3]
        model.graph.node[0].output[1:3] = ["", ""]
    return model, given


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_as_onnx_runtime(case: Case):
    model, given = model_of(case)
    for ours, theirs in zip(found(model, given), expected(model, given), strict=True):
        compare(ours, theirs, 2e-3 if case[0] == "DynamicQuantizeLSTM" else 1e-5)


@shortened
def test_in_c():
    """The first case of each operator, in one file of C."""
    first = {case[0]: case for case in reversed(CASES)}
    models = [model_of(case) for case in [*first.values()][:: amount(1, 12)]]
    module = joined([load(model) for model, _ in models])
    with lowering.compile(module, "microsoft", extra_flags=("-O0",)) as compiled:
        for number, (model, given) in enumerate(models):
            results, theirs = compiled[f"f{number}"](*given.values()), expected(model, given)
            for a, b in zip(results if len(theirs) > 1 else [results], theirs, strict=True):
                compare(np.asarray(a), b, 2e-3)


def test_quantized_means():
    """ONNX Runtime defines them without a kernel for CPUs."""
    x, scale, zero = quantity(U8, 0.05, 9, 2, 3, 8)
    inputs = [x, scale, zero, *to(U8, 0.07, 5)]
    model, given = one_node("QLinearReduceMean", inputs, 1, domain=DOMAIN, axes=[1], keepdims=1)
    mean = ((x.astype(np.float32) - 9) * scale).mean(1, keepdims=True)
    compare(found(model, given)[0], np.clip(np.rint(mean / 0.07) + 5, 0, 255).astype(U8))


@pytest.mark.parametrize("axis", [-1, 1])
def test_normalizations_of_older_opsets(axis: int):
    """ONNX Runtime's optimizer writes them into models of any opset, in ONNX's own domain."""
    scale = f32(8) if axis == -1 else f32(3, 8)
    for name, inputs in (
        ("LayerNormalization", [X, scale, scale]),
        ("LayerNormalization", [X, scale]),
        ("SimplifiedLayerNormalization", [X, scale]),
    ):
        model, given = one_node(name, inputs, 11, axis=axis, epsilon=1e-3)
        check(model, given, 1e-4, 1e-5)


def compare(ours: Any, theirs: Any, atol: float = 1e-5) -> None:
    """Floats are close, up to a step of states that are quantized again and again; bytes, which ONNX Runtime rounds by tables, are off by one at most and seldom."""
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if ours.dtype.itemsize > 1:
        np.testing.assert_allclose(ours, theirs, 1e-4, atol)
        return
    off = np.abs(ours.astype(int) - theirs.astype(int))
    assert off.max() <= 1 and (off > 0).mean() < 0.05


def test_every_converter_is_compared():
    ours = {name for domain, name in table() if domain == DOMAIN}
    assert ours - {"QLinearReduceMean"} == {name for name, *_ in CASES}


def test_weights_of_few_bits_stay_narrow():
    """The kernel decodes eight numbers of a word; no constant has as many bytes as floats would take."""
    packed, scales = bytes_of(U8, 48, 2, 16), np.abs(f32(48, 2))
    more = {"N": 48, "K": 64, "bits": 4, "block_size": 32}
    inputs = [f32(2, 3, 64), packed, scales]
    model, _ = one_node("MatMulNBits", inputs, 1, constants=(1, 2), domain=DOMAIN, **more)
    module = lowering.lower(load(model), lowering.pipeline.optimizations(1))
    text = str(lowering.lower(module, ["relax-legalize"]))
    assert "@linear_i4_scale(" in text and "tensor<2x4x48xi32>" in text
