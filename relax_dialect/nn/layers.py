"""The layers that language models consist of: linear maps, embeddings, norms and gated units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relax_dialect.builder import op
from relax_dialect.nn.module import Module, Parameter, emit


def value_of(weight: Parameter | Module) -> Any:
    """Return the value of a weight, which a module computes if it is stored in another form."""
    return weight() if isinstance(weight, Module) else weight


class Linear(Module):
    """`x @ transpose(weight) + bias`: [..., inputs] to [..., outputs]; the weight is [outputs, inputs]."""

    def __init__(self, inputs: int, outputs: int, bias: bool = True, dtype: str = "f32"):
        self.weight: Parameter | Module = Parameter([outputs, inputs], dtype)
        self.bias = Parameter([outputs], dtype) if bias else None

    def forward(self, x: Any) -> Any:
        return op.linear(x, value_of(self.weight), bias=self.bias)


class Embedding(Module):
    """The rows of a table [count, width] by their numbers: [...] to [..., width]."""

    def __init__(self, count: int, width: int, dtype: str = "f32"):
        self.weight: Parameter | Module = Parameter([count, width], dtype)

    def forward(self, numbers: Any) -> Any:
        return op.take(value_of(self.weight), numbers, 0)


class RMSNorm(Module):
    """`x / sqrt(mean(x^2) + epsilon) * weight` along the last axis (Zhang and Sennrich, 2019)."""

    def __init__(self, width: int, epsilon: float = 1e-5, dtype: str = "f32"):
        self.weight = Parameter([width], dtype)
        self.epsilon = epsilon

    def forward(self, x: Any) -> Any:
        return op.rms_norm(x, self.weight, -1, self.epsilon)


class LayerNorm(Module):
    """`(x - mean(x)) / sqrt(variance(x) + epsilon) * weight + bias` along the last axis (Ba and others,
    2016)."""

    def __init__(self, width: int, epsilon: float = 1e-5, dtype: str = "f32"):
        self.weight = Parameter([width], dtype)
        self.bias = Parameter([width], dtype)
        self.epsilon = epsilon

    def forward(self, x: Any) -> Any:
        return op.layer_norm(x, self.weight, self.bias, -1, self.epsilon)


class SwiGLU(Module):
    """`down(silu(gate(x)) * up(x))` (Shazeer, 2020), with the names of Llama's MLP."""

    def __init__(self, width: int, inner: int, bias: bool = False, dtype: str = "f32"):
        self.gate_proj = Linear(width, inner, bias, dtype)
        self.up_proj = Linear(width, inner, bias, dtype)
        self.down_proj = Linear(inner, width, bias, dtype)

    def forward(self, x: Any) -> Any:
        return self.down_proj(op.silu(self.gate_proj(x)) * self.up_proj(x))


class MLP(Module):
    """`fc2(activation(fc1(x)))`, by default with the tanh form of gelu."""

    def __init__(
        self,
        width: int,
        inner: int,
        activation: Callable[[Any], Any] = op.gelu_tanh,
        dtype: str = "f32",
    ):
        self.fc1 = Linear(width, inner, True, dtype)
        self.fc2 = Linear(inner, width, True, dtype)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        return self.fc2(self.activation(self.fc1(x)))


def last(x: Any) -> Any:
    """Return the last position of [batch, length, width]: [batch, width]."""
    x = emit(x)
    batch, length, width = x.shape
    return op.reshape(op.strided_slice(x, [1], [length - 1], [length]), [batch, width])
