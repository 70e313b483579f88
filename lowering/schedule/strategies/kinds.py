"""The table of kinds of kernels, and the default schedule of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.linalg import ops as linalg

from lowering.schedule.kernels.kernel import Kernel
from lowering.schedule.match.decoded_contraction import is_narrow_product
from lowering.schedule.match.grouped_contraction import is_grouped_product
from lowering.schedule.primitives.base import Primitive
from lowering.schedule.strategies import (
    contraction,
    convolution,
    elementwise,
    grouped_contraction,
    integer_contraction,
    narrow_contraction,
    narrow_convolution,
    pointwise,
    pooling,
    powers,
    reduction,
    small_result,
)
from lowering.support.target import Cpu


@dataclass(frozen=True)
class KernelKind:
    """A kind of kernel."""

    name: str
    has: Callable[[linalg.GenericOp], bool]
    """Whether an op is the main one of such a kernel."""
    steps: Callable[[Kernel, Cpu], Iterator[Primitive]]
    """Its schedule. Each step is applied before the next one is requested, so that a strategy may depend on
    the changed kernel; empty if the kernel is best left alone."""


KINDS: Sequence[Sequence[KernelKind]] = (
    (
        KernelKind("narrow convolution", narrow_convolution.is_narrow, narrow_convolution.steps),
        KernelKind("convolution to few pixels", small_result.has_small_result, small_result.steps),
        KernelKind("convolution", convolution.is_convolution, convolution.steps),
        KernelKind("contraction", contraction.is_product, pointwise.steps),
        KernelKind("grouped contraction", is_grouped_product, grouped_contraction.steps),
        KernelKind("narrow contraction", is_narrow_product, narrow_contraction.steps),
        KernelKind(
            "integer convolution",
            integer_contraction.is_convolution,
            integer_contraction.convolution_steps,
        ),
        KernelKind(
            "integer contraction", integer_contraction.is_product, integer_contraction.steps
        ),
        KernelKind("pooling", pooling.is_pool, pooling.steps),
    ),
    (
        KernelKind("reduction", reduction.is_reduction, reduction.steps),
        KernelKind("integer reduction", reduction.is_integer_reduction, reduction.integer_steps),
    ),
    (KernelKind("powers", powers.is_power, powers.steps),),
    (KernelKind("elementwise", elementwise.has_steps, elementwise.steps),),
)
"""Kinds that are tried one after the other, in rounds over all ops: expensive ops come first, and fuse
their elementwise epilogue. The first kind that matches an op is used."""
