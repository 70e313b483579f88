"""Steps of optimizers: the inputs are a learning rate, the number of steps before, and for each of several
parameters the parameter, its gradient and the optimizer's state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relax_dialect.builder import op
from relax_dialect.frontends.onnx.node import OnnxNode
from relax_dialect.frontends.onnx.registry import converter

PREVIEW = "ai.onnx.preview.training"
"""The domain of the optimizers."""

Step = Callable[..., Sequence[Any]]
"""From a parameter, its regularized gradient and its state: the next parameter and state."""


def _stepped(node: OnnxNode, states: int, step: Step) -> Any:
    """Return the next parameters, followed by each part of the next states."""
    given = node.tensors(2)
    count = len(given) // (states + 2)
    if count * (states + 2) != len(given) or not count:
        node.fail(f"{states + 2} inputs for each parameter", str(len(given)), "correct the model")
    groups = [given[i * count : (i + 1) * count] for i in range(states + 2)]
    decay = node.attr("norm_coefficient")
    found = [
        [node.emit(each) for each in step(x, op.add(op.multiply(x, decay), gradient), *state)]
        for x, gradient, *state in zip(*groups)
    ]
    return tuple(part for parts in zip(*found) for part in parts)


def _steps_before(node: OnnxNode, dtype: str) -> Any:
    return op.astype(node.scalar(1), dtype)


@converter("Adagrad", domain=PREVIEW)
def adagrad(node: OnnxNode) -> Any:
    decay = op.multiply(_steps_before(node, node.dtype(0).name), node.attr("decay_factor"))
    rate = node.emit(op.divide(node.scalar(0), op.add(decay, 1.0)))

    def step(x: Any, gradient: Any, squares: Any) -> Sequence[Any]:
        squares = node.emit(op.add(squares, op.square(gradient)))
        scale = op.add(op.sqrt(squares), node.attr("epsilon"))
        return op.subtract(x, op.divide(op.multiply(gradient, rate), scale)), squares

    return _stepped(node, 1, step)


@converter("Adam", domain=PREVIEW)
def adam(node: OnnxNode) -> Any:
    alpha, beta = node.attr("alpha"), node.attr("beta")
    steps, rate = _steps_before(node, "f64"), node.scalar(0)
    first, second = (
        op.subtract(1.0, op.power(np.array(base, np.float64), steps)) for base in (alpha, beta)
    )
    correction = op.where(op.greater(steps, 0.0), op.divide(op.sqrt(second), first), np.array(1.0))
    rate = node.emit(op.multiply(rate, op.astype(correction, node.dtype(0).name)))

    def step(x: Any, gradient: Any, mean: Any, squares: Any) -> Sequence[Any]:
        mean = node.emit(op.add(op.multiply(mean, alpha), op.multiply(gradient, 1 - alpha)))
        new = op.multiply(op.square(gradient), 1 - beta)
        squares = node.emit(op.add(op.multiply(squares, beta), new))
        scale = op.add(op.sqrt(squares), node.attr("epsilon"))
        x = op.subtract(x, op.divide(op.multiply(mean, rate), scale))
        return op.multiply(x, 1 - node.attr("norm_coefficient_post")), mean, squares

    return _stepped(node, 2, step)


@converter("Momentum", domain=PREVIEW)
def momentum(node: OnnxNode) -> Any:
    alpha, beta, rate = node.attr("alpha"), node.attr("beta"), node.scalar(0)
    is_nesterov = node.choice("mode", {"standard": False, "nesterov": True})
    is_first = op.equal(node.scalar(1), np.int64(0))
    one, beta = (np.array(number, node.dtype(0)) for number in (1, beta))
    share = node.emit(op.where(is_first, one, beta))

    def step(x: Any, gradient: Any, velocity: Any) -> Sequence[Any]:
        gradient = node.emit(gradient)
        velocity = op.add(op.multiply(velocity, alpha), op.multiply(gradient, share))
        velocity = node.emit(velocity)
        change = op.add(gradient, op.multiply(velocity, alpha)) if is_nesterov else velocity
        return op.subtract(x, op.multiply(change, rate)), velocity

    return _stepped(node, 1, step)
