"""Operators by their formulas in docs/operators.md, of operators that proofs over the reals compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import const, op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import FunctionRule, Match, PatternRule, apply_rules, is_op
from relax_dialect.dpl.search.aliases import owner

HEADS_FIRST = [0, 2, 1, 3]


def _number(value: float, like: Any) -> Any:
    return const(value, str(like.dtype))


def _gated(x: Any, gate: Any) -> Any:
    return x * (gate + _number(1.0, x)) * _number(0.5, x)


def _gelu_tanh(made: Any, x: Any) -> Any:
    inner = x + _number(0.044715, x) * x * x * x
    return _gated(x, op.tanh(_number(math.sqrt(2 / math.pi), x) * inner))


def _hard_sigmoid(made: Any, x: Any) -> Any:
    line = x * _number(1 / 6, x) + _number(0.5, x)
    return op.minimum(op.maximum(line, _number(0.0, x)), _number(1.0, x))


def _softplus(made: Any, x: Any) -> Any:
    beta = _number(made.beta, x)
    scaled = x * beta
    log = op.log(_number(1.0, x) + op.exp(scaled)) / beta
    return op.where(op.greater(scaled, _number(made.threshold, x)), x, log)


def _softmax(made: Any, x: Any) -> Any:
    power = op.exp(x)
    return power / op.sum(power, [made.axis], keepdims=True)


def _log_softmax(made: Any, x: Any) -> Any:
    return x - op.log(op.sum(op.exp(x), [made.axis], keepdims=True))


def _variance(made: Any, x: Any) -> Any:
    axes = list(made.axes(len(x.shape)))
    centered = x - op.mean(x, axes, keepdims=True)
    return op.mean(op.square(centered), axes, keepdims=made.keepdims)


def _layer_norm(made: Any, x: Any, gamma: Any, beta: Any) -> Any:
    axes = list(made.axes)
    centered = x - op.mean(x, axes, keepdims=True)
    spread = op.mean(op.square(centered), axes, keepdims=True)
    return _along(gamma, x, axes) * centered / op.sqrt(spread + _number(made.epsilon, x)) + _along(
        beta, x, axes
    )


def _rms_norm(made: Any, x: Any, weight: Any) -> Any:
    axes = list(made.axes)
    spread = op.mean(op.square(x), axes, keepdims=True)
    return _along(weight, x, axes) * x / op.sqrt(spread + _number(made.epsilon, x))


def _along(parameter: Any, x: Any, axes: Sequence[int]) -> Any:
    """Return a parameter with size 1 along the other axes."""
    rank = len(x.shape)
    own = {axis % rank for axis in axes}
    return op.reshape(parameter, [x.shape[axis] if axis in own else 1 for axis in range(rank)])


def _attention(made: Any, query: Any, key: Any, value: Any, bias: Any = None) -> Any:
    heads = query.shape[2]
    q, k, v = (op.permute_dims(x, HEADS_FIRST) for x in (query, key, value))
    k, v = (_for_heads(x, source.shape, heads) for x, source in ((k, key), (v, value)))
    depth = query.shape[3].value
    scale = made.scale if made.scale is not None else depth**-0.5
    scores = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) * _number(scale, query)
    if bias is not None and str(bias.dtype) == "i1":
        scores = op.where(bias, scores, _number(-math.inf, query))
    elif bias is not None:
        scores = scores + bias
    if made.causal_mask is not None:
        k = key.shape[1] - query.shape[1] if made.causal_mask == "BottomRight" else 0
        keeps = _up_to_diagonal((query.shape[1], key.shape[1]), k)
        scores = op.where(keeps, scores, _number(-math.inf, query))
    return op.permute_dims(op.matmul(op.softmax(scores, -1), v), HEADS_FIRST)


def _up_to_diagonal(shape: Sequence[Any], k: Any) -> Any:
    """Return a matrix that is true where column - row <= k."""
    rows, columns = shape
    k = k if isinstance(k, int) else k.value
    distance = op.arange(columns) - op.expand_dims(op.arange(rows), 1)
    return op.less_equal(distance, const(k, "i64"))


def _tril(made: Any, x: Any) -> Any:
    return op.where(_up_to_diagonal(x.shape[-2:], made.k), x, _number(0.0, x))


def _triu(made: Any, x: Any) -> Any:
    return op.where(_up_to_diagonal(x.shape[-2:], made.k - 1), _number(0.0, x), x)


def _for_heads(x: Any, shape: Sequence[Any], heads: Any) -> Any:
    """Return keys or values [batch, heads, keys, width] with each head repeated for a group of heads."""
    batch, keys, own, width = shape
    if own is heads or own.value == 1:
        return x
    groups = heads.value // own.value
    spread = op.broadcast_to(op.expand_dims(x, 2), [batch, own, groups, keys, width])
    return op.reshape(spread, [batch, heads, keys, width])


def _repeat(made: Any, x: Any) -> Any:
    """Return elements that are repeated along an axis, as views."""
    axis = made.axis % len(x.shape)
    sizes = list(x.shape)
    wide = [*sizes[: axis + 1], made.repeats, *sizes[axis + 1 :]]
    sizes[axis] = sizes[axis] * made.repeats
    return op.reshape(op.broadcast_to(op.expand_dims(x, axis + 1), wide), sizes)


FORMULAS: Mapping[str, Callable[..., Any]] = {
    "gelu": lambda made, x: _gated(x, op.erf(x * _number(math.sqrt(0.5), x))),
    "gelu_tanh": _gelu_tanh,
    "silu": lambda made, x: x * op.sigmoid(x),
    "quick_gelu": lambda made, x: x * op.sigmoid(x * _number(1.702, x)),
    "hard_sigmoid": _hard_sigmoid,
    "hard_swish": lambda made, x: x * op.hard_sigmoid(x),
    "mish": lambda made, x: x * op.tanh(op.log(_number(1.0, x) + op.exp(x))),
    "softplus": _softplus,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "variance": _variance,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "attention": _attention,
    "repeat": _repeat,
    "dropout": lambda made, x: [x, op.ones_like(x)],
    "tril": _tril,
    "triu": _triu,
}
"""The formula of an operator, of the op and its operands."""


def _rule(name: str) -> PatternRule:
    def replace(root: Value, m: Match) -> object:
        made = owner(root.value)
        assert made is not None
        return FORMULAS[name](made, *map(Value, made.operands))

    pattern = is_op(name)(varg_default_wildcard=True)
    return FunctionRule(pattern, replace, f"the formula of {name}", outside_uses=True)


@cache
def rules() -> list[PatternRule]:
    """Return a rule for each formula."""
    return [_rule(name) for name in FORMULAS]


def expand(module: ModuleOp) -> ModuleOp:
    """Return a copy of a module in which operators are their formulas."""
    copy = module.clone()
    apply_rules(rules(), copy)
    return copy
