"""Gradients of operators over random attributes, sizes and values, in f64, against differences.

What the peers' table draws is differentiated: only its arguments count here, not what another library makes
of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from peers import table
from peers.drawing import Draw, UnsuitableError
from peers.registry import Peer, Trial, all_peers
from xdsl.dialects.builtin import ModuleOp, f64

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import GradientError, gradient
from relax_dialect.gradient.cotangents import field, is_differentiable, leaves
from relax_dialect.interpret import run
from relax_dialect.parsing import verify

from .cases import Fault

T = TypeVar("T")
NARROW = ("float32", "float16", "bfloat16")
STEPS = (1e-6, -1e-6, 3e-7)
SMALLEST, LARGEST = 1e-5, 100.0
"""Differences say nothing of numbers that a step does not change, or makes another of."""


class WideDraw(Draw):
    """Draws floats in f64, all numbers of moderate size."""

    def one(self, choices: Sequence[T]) -> T:
        found = super().one(choices)
        return "float64" if isinstance(found, str) and found in NARROW else found  # pyright: ignore

    def array(
        self,
        shape: Sequence[int],
        dtype: str,
        values: Callable[[np.ndarray, Draw], np.ndarray] | None = None,
    ) -> np.ndarray:
        wide = "float64" if dtype in NARROW else dtype
        return super().array(shape, wide, values or moderate)


def moderate(like: np.ndarray, d: Draw) -> np.ndarray:
    """Numbers around zero, of which no two are equal if they are floats."""
    if like.dtype.kind == "f":
        return d.numbers.uniform(-2, 2, like.shape).astype(like.dtype)
    low, high = {"b": (0, 2), "u": (0, 9)}.get(like.dtype.kind, (-9, 9))
    return d.numbers.integers(low, high, like.shape).astype(like.dtype)


def batch(rng: random.Random, count: int) -> int:
    """Differentiate some operators; how many of them have a gradient. Raises `Fault`."""
    differentiable = (peer for peer in all_peers() if peer.operator != "no_grad")
    peers = sorted(differentiable, key=lambda peer: (peer.operator, peer.draw.__name__))
    assert table.FAMILIES, "importing them fills the table"
    return sum(case(rng.choice(peers), f"{rng.getrandbits(48)}") for _ in range(count))


def case(peer: Peer, seed: str) -> bool:
    """Differentiate one trial of an operator; False where it has no gradient or no meaning."""
    d = WideDraw(peer.operator, random.Random(seed), random.Random(f"{seed} sizes"))
    try:
        made, meaning = peer.draw(d)
        trial = Trial(peer, made, meaning, d.types, d.arguments, (seed, seed))
        module = told(trial)
        if module is None:
            return False
        run(module, "loss", *d.arguments)
    except (UnsuitableError, RelaxError):
        return False
    try:
        gradient(module, "loss")
    except GradientError:
        return False
    try:
        verify(module)
        wrong = difference(module, d.arguments, np.random.default_rng(len(seed)))
    except Exception as error:
        raise Fault(f"{trial}: {type(error).__name__}: {error}", str(module)) from error
    if wrong is not None:
        raise Fault(f"{trial}: {wrong}", str(module))
    return True


def told(trial: Trial) -> ModuleOp | None:
    """A module with `@loss`, one number that all floats of the operator's results tell; None without any."""
    function = trial.function("tried")
    result = function.return_op.operands[0].type
    parts = list(leaves(result))
    types = [argument.type for argument in function.body.block.args]
    if not parts or not any(map(is_differentiable, types)):
        return None
    builder = BlockBuilder()
    builder.add_func(function)
    with builder.function("loss", {f"x{i}": type for i, type in enumerate(types)}) as values:
        value = builder.call("tried", *values, result_type=result)
        total: Any = None
        for path, type in parts:
            part = field(value, path)
            part = part if type.dtype == f64 else part.astype("f64")
            part = op.sum(op.sin(part * 1.3 + 0.7))
            total = part if total is None else total + part
        builder.emit_func_output(builder.emit(total))
    module = builder.get()
    verify(module)
    return module


def difference(module: ModuleOp, arguments: list[Any], numbers: np.random.Generator) -> str | None:
    """How the gradient along a random direction differs from the slope there; None where it does not, or
    where the slope itself is not clear."""
    value, found = run(module, "loss_adjoint", *arguments)
    places = [
        i for i, a in enumerate(arguments) if isinstance(a, np.ndarray) and a.dtype == np.float64
    ]
    sizes = np.concatenate([np.abs(arguments[i]).ravel() for i in places])
    told = (sizes == 0) | ((sizes > SMALLEST) & (sizes < LARGEST))
    if not (np.isfinite(value) and told.all()):
        return None
    if [g.shape for g in found] != [arguments[i].shape for i in places]:
        return f"gradients of the shapes {[g.shape for g in found]}"
    ways = {i: numbers.standard_normal(arguments[i].shape) for i in places}
    slopes: list[float] = []
    for step in STEPS:
        moved = [a + step * ways[i] if i in ways else a for i, a in enumerate(arguments)]
        try:
            slopes.append(float(run(module, "loss", *moved) - value) / step)
        except RelaxError:
            return None  # floats that stand for places
    along = float(sum(np.sum(g * ways[i]) for g, i in zip(found, places)))
    close = {"rtol": 1e-3, "atol": 1e-3}
    if not np.allclose(slopes, slopes[0], **close):
        return None
    expected = (slopes[0] + slopes[1]) / 2
    return (
        None
        if np.isclose(along, expected, **close)
        else f"{along} along a direction, not {expected}"
    )
