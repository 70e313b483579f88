"""Works in numpy, if it has them in a call or a few."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from bench.languages import Language, Run
from bench.work import Work

Array = np.ndarray


class Numpy(Language):
    """The operators as functions of arrays."""

    matmul = staticmethod(np.matmul)
    add = staticmethod(np.add)
    subtract = staticmethod(np.subtract)
    multiply = staticmethod(np.multiply)
    tanh = staticmethod(np.tanh)
    exp = staticmethod(np.exp)

    def linear(self, x: Array, weight: Array, bias: Array | None = None) -> Array:
        product = x @ weight.T
        return product if bias is None else product + bias

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def sigmoid(self, x: Array) -> Array:
        return 1 / (1 + np.exp(-x))

    def softmax(self, x: Array, axis: int = -1) -> Array:
        powers = np.exp(x - x.max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)

    def layer_norm(self, x: Array, gamma: Array, beta: Array, axes: int) -> Array:
        centred = x - x.mean(axis=axes, keepdims=True)
        variance = np.square(centred).mean(axis=axes, keepdims=True)
        return centred / np.sqrt(variance + np.float32(1e-5)) * gamma + beta

    def permute_dims(self, x: Array, axes: Sequence[int]) -> Array:
        return x.transpose(axes)

    def concat(self, tensors: Sequence[Array], axis: int = 0) -> Array:
        return np.concatenate(tensors, axis)

    def sum(self, x: Array, axis: int | None = None) -> Any:
        return np.sum(x, axis=axis)

    def argmax(self, x: Array, axis: int | None = None) -> Any:
        return np.argmax(x, axis=axis)

    def sort(self, x: Array, axis: int = -1) -> Array:
        return np.sort(x, axis=axis)


def prepare(work: Work, arrays: Sequence[Array]) -> Run:
    network = partial(work.network, Numpy(work.sizes))
    result = network(*arrays)
    if isinstance(result, Array) and any(np.may_share_memory(result, array) for array in arrays):
        return lambda: np.ascontiguousarray(network(*arrays))  # a view is not yet the result
    return partial(network, *arrays)
