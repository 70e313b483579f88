"""The table of kinds of kernels, and the default schedule of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.strategies import (
    contraction,
    convolution,
    elementwise,
    integer_contraction,
    narrow_convolution,
    pooling,
    powers,
    reduction,
    small_result,
)
from lowering.support.target import Cpu


@dataclass(frozen=True)
class Kind:
    """A kind of kernel."""

    name: str
    has: Callable[[linalg.GenericOp], bool]
    """Whether an op is the main one of such a kernel."""
    steps: Callable[[Kernel, Cpu], Iterator[Primitive]]
    """Its schedule. Each step is applied before the next one is requested, so that a strategy may depend on
    the changed kernel; empty if the kernel is best left alone."""


KINDS: Sequence[Sequence[Kind]] = (
    (
        Kind("narrow convolution", narrow_convolution.is_narrow, narrow_convolution.steps),
        Kind("convolution to few pixels", small_result.has_small_result, small_result.steps),
        Kind("convolution", convolution.is_convolution, convolution.steps),
        Kind("contraction", contraction.is_product, contraction.steps),
        Kind(
            "integer convolution",
            integer_contraction.is_convolution,
            integer_contraction.convolution_steps,
        ),
        Kind("integer contraction", integer_contraction.is_product, integer_contraction.steps),
        Kind("pooling", pooling.is_pool, pooling.steps),
    ),
    (
        Kind("reduction", reduction.is_reduction, reduction.steps),
        Kind("integer reduction", reduction.is_integer_reduction, reduction.integer_steps),
    ),
    (Kind("powers", powers.is_power, powers.steps),),
    (Kind("elementwise", elementwise.has_steps, elementwise.steps),),
)
"""Kinds that are tried one after the other, in rounds over all ops: expensive ops come first, and fuse
their elementwise epilogue. The first kind that matches an op is used."""
