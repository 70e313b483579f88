"""Gradients of operators as operators, by PyTorch's automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.drawing import ANY, WIDE, Draw, UnsuitableError, blank, finite, normal, positive
from peers.libraries import by_numpy, by_torch, functional, torch
from peers.registry import Build, Meaning, exact, peer
from peers.table.indexing import from_front
from peers.table.loss import AVERAGED, REDUCTIONS
from peers.table.windows import images, windows
from relax_dialect.interpret.runtime_values import dtype_name
from relax_dialect.ir.types import TensorType
from relax_dialect.ops import backward as ops


def differentiated(d: Draw, function: Callable[..., Any], first: int = 1) -> Meaning:
    """The gradients by the first operands of a function of the operands so far, with a cotangent of its
    result before them."""
    x = d.arguments[0]
    try:
        shape = function(*map(torch.from_numpy, d.arguments)).shape
    except (RuntimeError, IndexError, ValueError):
        raise UnsuitableError from None
    array = np.asarray(normal(blank(list(shape), x.dtype.name), d)).astype(x.dtype)
    d.types.insert(0, TensorType([None] * len(shape), dtype_name(x.dtype)))
    d.arguments.insert(0, array)

    def gradient(given: Any, *rest: Any) -> Any:
        by = [x.requires_grad_() for x in rest[:first]]
        found = torch.autograd.grad(function(*by, *rest[first:]), by, given)
        return found if first > 1 else found[0]

    return by_torch(gradient)


@peer("no_grad", **exact)
def no_grad(d: Draw) -> tuple[Build, Meaning]:
    d.array(d.shape(), d.one(ANY))
    return ops.NoGradOp, by_numpy(np.copy)


@peer("max_pool2d_backward", "avg_pool2d_backward", **AVERAGED)
def pools(d: Draw) -> tuple[Build, Meaning]:
    is_mean, counted = d.operator.startswith("avg"), d.flag()
    images(d, 2, d.one(WIDE), finite)
    how: dict[str, Any] = windows(d, 2, True)
    theirs = how["pool_size"], how["strides"], how["padding"][:2]
    if is_mean:
        how["count_include_pad"] = counted
        meaning = differentiated(
            d, lambda x: functional.avg_pool2d(x, *theirs, how["ceil_mode"], counted)
        )
        return lambda g, x: ops.AvgPool2dBackwardOp(g, x, **how), meaning
    how["dilation"] = [d.whole(1, 2) for _ in range(2)]
    meaning = differentiated(
        d, lambda x: functional.max_pool2d(x, *theirs, how["dilation"], how["ceil_mode"])
    )
    return lambda g, x: ops.MaxPool2dBackwardOp(g, x, **how), meaning


@peer("take_backward", **AVERAGED)
def take(d: Draw) -> tuple[Build, Meaning]:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    d.array(shape, d.one(WIDE), finite)
    d.indices(d.shape(0, 2), shape[axis])

    def taken(x: Any, i: Any) -> Any:
        found = torch.index_select(x, axis, from_front(i, x.shape[axis]).reshape(-1))
        place = axis % x.ndim
        return found.reshape(*x.shape[:place], *i.shape, *x.shape[place + 1 :])

    meaning = differentiated(d, taken)
    return lambda g, x, i: ops.TakeBackwardOp(g, x, i, axis), meaning


@peer("nll_loss_backward", **AVERAGED)
def nll_loss(d: Draw) -> tuple[Build, Meaning]:
    dtype, classes, batch = d.one(WIDE), d.fixed(1, 5), d.size()
    more, ignored, reduction = d.shape(0, 2), d.one((-100, 0, 2)), d.one(REDUCTIONS)
    d.array([batch, classes, *more], dtype, normal)
    d.array([batch, *more], "int64", lambda x, d: d.numbers.integers(0, classes, x.shape))
    if d.flag():
        d.array([classes], dtype, positive)
    how: Any = {"reduction": reduction, "ignore_index": ignored}
    meaning = differentiated(d, lambda *o: functional.nll_loss(*o, **how))
    return lambda *o: ops.NllLossBackwardOp(*o, **how), meaning
