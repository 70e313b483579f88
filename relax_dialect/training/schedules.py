"""Learning rates as functions of the step number: they return expressions of the program.

A schedule takes the number of steps done before, a tensor of rank 0 and type f64, and returns the rate of
the step, an expression or a number; any such function is a schedule. They equal PyTorch's schedulers if
those are stepped after every training step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.training.numbers import counted, within

Schedule: TypeAlias = Callable[[Value], Any]
"""The rate of a step, by how many were done before."""


def constant(lr: float) -> Schedule:
    """Return the schedule of a constant rate."""
    within("constant: lr", lr)
    return lambda step: op.full_like(step, lr)


def step_decay(lr: float, every: int, gamma: float = 0.1) -> Schedule:
    """`lr * gamma ** (step // every)`, PyTorch's StepLR."""
    within("step_decay: lr", lr)
    within("step_decay: gamma", gamma)
    counted("step_decay: every", every)
    return lambda step: lr * op.power(gamma, op.floor(step / float(every)))


def exponential(lr: float, gamma: float) -> Schedule:
    """`lr * gamma ** step`, PyTorch's ExponentialLR."""
    within("exponential: lr", lr)
    within("exponential: gamma", gamma)
    return lambda step: lr * op.power(gamma, step)


def cosine(lr: float, steps: int, least: float = 0.0) -> Schedule:
    """From `lr` to `least` along half a period of the cosine, and `least` from then on (Loshchilov and
    Hutter, 2017); over the `steps` it is PyTorch's CosineAnnealingLR."""
    within("cosine: lr", lr)
    within("cosine: least", least)
    counted("cosine: steps", steps)
    return lambda step: _along_cosine(lr, least, op.minimum(step / float(steps), 1.0))


def linear_warmup(steps: int, then: Schedule | float, start_factor: float = 1 / 3) -> Schedule:
    """Scale the first rate of another schedule by a factor that grows from `start_factor` to 1 over the
    steps, then that schedule from its beginning: PyTorch's SequentialLR of a LinearLR and another."""
    counted("linear_warmup: steps", steps)
    within("linear_warmup: start_factor", start_factor)
    if not callable(then):
        within("linear_warmup: then", then)
    following = then if callable(then) else constant(then)

    def rate(step: Value) -> Any:
        grown = op.minimum(step / float(steps), 1.0)
        factor = start_factor + (1.0 - start_factor) * grown
        return factor * following(op.maximum(step - float(steps), 0.0))  # pyright: ignore

    return rate


def one_cycle(
    max_lr: float,
    steps: int,
    pct_start: float = 0.3,
    div_factor: float = 25.0,
    final_div_factor: float = 1e4,
) -> Schedule:
    """Up to `max_lr` during a part of the steps, then down to nearly nothing, both along cosines (Smith and
    Topin, 2018); PyTorch's OneCycleLR with its defaults."""
    within("one_cycle: max_lr", max_lr)
    within("one_cycle: pct_start", pct_start, 0.0, 1.0)
    within("one_cycle: div_factor", div_factor, above=True)
    within("one_cycle: final_div_factor", final_div_factor, above=True)
    counted("one_cycle: steps", steps)
    first, last = pct_start * steps - 1, float(steps - 1)
    start = max_lr / div_factor

    def rate(step: Value) -> Any:
        up = _along_cosine(start, max_lr, step / first) if first > 0 else op.full_like(step, max_lr)
        part = op.minimum((step - first) / max(last - first, 1.0), 1.0)
        down = _along_cosine(max_lr, start / final_div_factor, part)
        return op.where(op.less_equal(step, first), up, down)

    return rate


def _along_cosine(start: float, end: float, part: Any) -> Any:
    """Interpolate from start to end by a cosine, for a part from 0 to 1."""
    return end + (start - end) / 2 * (1.0 + op.cos(math.pi * part))
