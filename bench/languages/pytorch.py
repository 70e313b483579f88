"""Works in PyTorch, op by op, as its modules run them when they no longer learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from bench import THREADS
from bench.languages import Language, Run
from bench.work import Work

torch.set_num_threads(THREADS)


class Torch(Language):
    """The operators as functions of tensors."""

    matmul = staticmethod(torch.matmul)
    linear = staticmethod(F.linear)
    add = staticmethod(torch.add)
    subtract = staticmethod(torch.sub)
    multiply = staticmethod(torch.mul)
    relu = staticmethod(torch.relu)
    tanh = staticmethod(torch.tanh)
    exp = staticmethod(torch.exp)
    sigmoid = staticmethod(torch.sigmoid)
    gelu = staticmethod(F.gelu)
    softmax = staticmethod(torch.softmax)
    log_softmax = staticmethod(torch.log_softmax)
    nll_loss = staticmethod(F.nll_loss)
    mse_loss = staticmethod(F.mse_loss)
    mean = staticmethod(torch.mean)
    reshape = staticmethod(torch.reshape)
    argmax = staticmethod(torch.argmax)

    def __init__(self, sizes: Any):
        super().__init__(sizes)
        self._weights: dict[int, tuple[np.ndarray, Tensor]] = {}

    def const(self, array: np.ndarray) -> Tensor:
        """Return a tensor that is made once."""
        if id(array) not in self._weights:
            self._weights[id(array)] = array, torch.from_numpy(array)
        return self._weights[id(array)][1]

    def sum(self, x: Tensor, axis: int | None = None) -> Tensor:
        return torch.sum(x) if axis is None else torch.sum(x, axis)

    def permute_dims(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        return x.permute(*axes)

    def concat(self, tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
        return torch.cat(list(tensors), axis)

    def sort(self, x: Tensor, axis: int = -1) -> Tensor:
        return torch.sort(x, dim=axis).values

    def layer_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, axes: int) -> Tensor:
        return F.layer_norm(x, x.shape[axes:], gamma, beta)

    def split(self, x: Tensor, sections: int, axis: int = 0) -> Sequence[Tensor]:
        return torch.chunk(x, sections, axis)

    def conv2d(
        self, x: Tensor, weight: Tensor, strides: int = 1, padding: int = 0, groups: int = 1
    ) -> Tensor:
        return F.conv2d(x, weight, None, strides, padding, 1, groups)

    def max_pool2d(self, x: Tensor, pool_size: int, strides: int, padding: int = 0) -> Tensor:
        return F.max_pool2d(x, pool_size, strides, padding)

    def adaptive_avg_pool2d(self, x: Tensor, output_size: int) -> Tensor:
        return F.adaptive_avg_pool2d(x, output_size)

    def batch_norm(
        self, x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, var: Tensor, training: bool
    ) -> Sequence[Tensor]:
        return (F.batch_norm(x, mean, var, gamma, beta, training),)

    def attention(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Transpose heads, which follow positions in ours, and precede them in PyTorch."""
        q, k, v = (x.transpose(1, 2) for x in (query, key, value))
        return F.scaled_dot_product_attention(q, k, v).transpose(1, 2)

    def lstm(self, x: Tensor, h: Tensor, c: Tensor, *weights: Tensor) -> Tensor:
        parameters = [w[0] for w in weights]
        return torch.lstm(x, [h, c], parameters, True, 1, 0.0, False, False, False)[0]


def prepare(work: Work, arrays: Sequence[np.ndarray]) -> Run:
    language = Torch(work.sizes)
    tensors = [torch.from_numpy(array) for array in arrays]
    network = work.network

    def run() -> Tensor:
        with torch.inference_mode():
            return network(language, *tensors)

    if run().is_contiguous():
        return run
    return lambda: run().contiguous()  # a view is not yet the result
