"""A whole TransformerEncoderLayer, op by op as torch.export writes it: recognised, interpreted and compiled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest
from optional import UNOPTIMISED, package

import lowering
from relax_dialect import BlockBuilder, symbolic
from relax_dialect.builder import op, var
from relax_dialect.builder.constant_values import const
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify
from relax_dialect.rewrites.recognition.recognize_operators import recognize_operators

torch = package("torch")
B, N = symbolic.var("b"), symbolic.var("n")
WIDTH, HEADS, HIDDEN = 8, 2, 12
DEPTH = WIDTH // HEADS


def linear(x: Any, weight: Any, bias: Any, sizes: list[Any], width: int) -> Any:
    """`addmm` of all rows."""
    rows = op.reshape(x, [N * B, weight.shape[1]])
    return op.reshape(op.matmul(rows, op.permute_dims(const(weight))) + bias, [*sizes, width])


def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
    """As `native_layer_norm` is decomposed, by `var_mean`."""
    variance, mean = op.variance(x, [2], keepdims=True), op.mean(x, [2], keepdims=True)
    return (x - mean) * op.rsqrt(variance + 1e-5) * weight + bias


def softmax(scores: Any) -> Any:
    power = op.exp(scores - op.max(scores, [-1], keepdims=True))
    return power / op.sum(power, [-1], keepdims=True)


def attention(x: Any, mask: Any, w: Mapping[str, Any]) -> Any:
    """`nn.MultiheadAttention`: one product for q, k and v; scales on both sides; products of rank 3."""
    turned = op.permute_dims(x, [1, 0, 2])
    weight = op.broadcast_to(op.permute_dims(const(w["in_proj_weight"])), [N, WIDTH, 3 * WIDTH])
    packed = op.reshape(op.matmul(turned, weight) + w["in_proj_bias"], [N, B, 3, WIDTH])
    packed = op.permute_dims(op.expand_dims(packed, [0]), [3, 1, 2, 0, 4])
    packed = op.squeeze(packed, [-2])

    def heads(index: int) -> Any:
        own = op.take(packed, const(np.int64(index)), axis=0)
        own = op.permute_dims(op.reshape(own, [N, HEADS * B, DEPTH]), [1, 0, 2])
        return op.reshape(own, [B, HEADS, N, DEPTH])

    def joined(x: Any, *sizes: Any) -> Any:
        return op.reshape(op.broadcast_to(x, [B, HEADS, *sizes]), [HEADS * B, *sizes])

    root = np.float32(DEPTH**-0.25)
    q, k = heads(0) * root, op.permute_dims(heads(1), [0, 1, 3, 2]) * root
    scores = op.reshape(op.matmul(joined(q, N, DEPTH), joined(k, DEPTH, N)), [B, HEADS, N, N])
    if mask is not None:
        scores = scores + mask
    shares = softmax(scores)
    some = op.any(op.logical_not(op.equal(scores, -np.inf)), [-1], keepdims=True)
    zeros = op.full([B, HEADS, N, N], const(np.float32(0)))
    shares = op.where(op.logical_not(some), zeros, shares)
    found = op.reshape(
        op.matmul(joined(shares, N, N), joined(heads(2), N, DEPTH)), [B, HEADS, N, DEPTH]
    )
    found = op.permute_dims(op.permute_dims(found, [2, 0, 1, 3]), [1, 2, 0, 3])
    found = op.permute_dims(found, [2, 0, 1, 3])
    found = linear(found, w["out_proj.weight"], w["out_proj.bias"], [N, B], WIDTH)
    return op.permute_dims(found, [1, 0, 2])


def padding(hidden: Any) -> Any:
    """A mask of keys that are padding."""
    added = op.where(hidden, np.float32(-np.inf), op.full([B, N], const(np.float32(0))))
    spread = op.broadcast_to(op.reshape(added, [B, 1, 1, N]), [B, HEADS, 1, N])
    return op.reshape(op.reshape(spread, [HEADS * B, 1, N]), [B, HEADS, 1, N])


def causal() -> Any:
    """`triu` of a full tensor, decomposed."""
    after = op.expand_dims(op.arange(N), [-2]) - op.expand_dims(op.arange(N), [-1])
    return op.where(op.greater_equal(after, 1), op.full([N, N], const(-np.inf, "f32")), 0.0)


def gelu(x: Any) -> Any:
    return x * 0.5 * (op.erf(x * np.float32(0.5**0.5)) + 1.0)


def quick_gelu(x: Any) -> Any:
    return x * op.sigmoid(x * 1.702)


ACTIVATIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "relu": (op.relu, "relu"),
    "gelu": (gelu, "gelu"),
    "quick_gelu": (quick_gelu, lambda x: x * torch.sigmoid(1.702 * x)),
}
MASKS = {"padding": padding, "causal": causal}
LAYERS = {
    "post": (False, "gelu", None),
    "post_padded": (False, "relu", "padding"),
    "pre_causal": (True, "quick_gelu", "causal"),
}


def encoder_layer(x: Any, mask: Any, w: dict[str, Any], norm_first: bool, activation: Any) -> Any:
    own = {name.removeprefix("self_attn."): a for name, a in w.items()}

    def fed_forward(x: Any) -> Any:
        inner = linear(x, w["linear1.weight"], w["linear1.bias"], [B, N], HIDDEN)
        return linear(activation(inner), w["linear2.weight"], w["linear2.bias"], [B, N], WIDTH)

    def norm(x: Any, number: int) -> Any:
        return layer_norm(x, w[f"norm{number}.weight"], w[f"norm{number}.bias"])

    if norm_first:
        x = x + attention(norm(x, 1), mask, own)
        return x + fed_forward(norm(x, 2))
    x = norm(x + attention(x, mask, own), 1)
    return norm(x + fed_forward(x), 2)


def torch_layer(name: str) -> Any:
    norm_first, activation, _ = LAYERS[name]
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(
        WIDTH, HEADS, HIDDEN, 0.0, ACTIVATIONS[activation][1], 1e-5, True, norm_first
    ).train()  # in training PyTorch takes no shortcut, and nothing is dropped
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    return layer


@cache
def recognised() -> tuple[Any, dict[str, Counter[str]]]:
    """The layers as functions of one module, and the operators that each is made of."""
    builder = BlockBuilder()
    for name, (norm_first, activation, kind) in LAYERS.items():
        weights = {n: p.detach().numpy() for n, p in torch_layer(name).named_parameters()}
        params = [var("x", TensorType((B, N, WIDTH), "f32"))]
        params += [var("hidden", TensorType((B, N), "i1"))] if kind == "padding" else []
        with builder.function(name, params):
            with builder.dataflow():
                mask = MASKS[kind](*params[1:]) if kind else None
                form = ACTIVATIONS[activation][0]
                made = encoder_layer(params[0], mask, weights, norm_first, form)
                result = builder.emit_output(made)
            builder.emit_func_output(result)
    recognize_operators(builder.module)
    verify(builder.module)
    counts = {
        op.sym_name.data: Counter(re.findall(r"relax\.(\w+) %", str(op)))  # pyright: ignore
        for op in builder.module.ops
    }
    return builder.module, counts


def test_all_of_a_layer_is_recognised():
    module, counts = recognised()
    for name, (_, activation, _) in LAYERS.items():
        found = counts[name]
        assert (found["attention"], found["layer_norm"], found[activation]) == (1, 2, 1), name
        assert not found.keys() & {"softmax", "exp", "erf", "sigmoid", "variance", "any"}
        assert found["matmul"] == 4
    assert str(module).count("causal_mask") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_computes_what_pytorch_does(name: str):
    module, _ = recognised()
    x = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(1))
    given, masks = [x.numpy()], {}
    if LAYERS[name][2] == "padding":
        hidden = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        given.append(hidden.numpy())
        masks["src_key_padding_mask"] = hidden
    if LAYERS[name][2] == "causal":
        masks["src_mask"] = torch.nn.Transformer.generate_square_subsequent_mask(5)
    with torch.no_grad():
        expected = torch_layer(name)(x, **masks).numpy()
    for result in (run(module, name, *given), getattr(compiled(), name)(*given)):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=2e-5)


@cache
def compiled() -> Any:
    return lowering.compile(recognised()[0].clone(), extra_flags=UNOPTIMISED)
