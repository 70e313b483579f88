"""Steps of products with narrow weights: rules with arguments, longer rows, and the end of sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from xdsl.ir import SSAValue

from lowering.legalize.registry import result_dtype
from lowering.legalize.steps import Steps
from relax_dialect import te
from relax_dialect.ops.base import OperatorOp

Rule = Callable[..., "te.Tensor | Sequence[te.Tensor]"]


def partial_named(rule: Rule, name: str, *arguments: object) -> Rule:
    """Return a rule with further arguments, as a step of a name."""
    found = partial(_with, rule, arguments)
    found.__name__ = name  # pyright: ignore[reportAttributeAccessIssue]
    return found


def _with(
    rule: Rule, arguments: Sequence[object], op: OperatorOp, *x: te.Tensor
) -> te.Tensor | Sequence[te.Tensor]:
    return rule(op, *arguments, *x)


def longer(steps: Steps, x: SSAValue, depth: int) -> SSAValue:
    """Return a tensor with zeros after each row, up to a length."""
    return steps.call(partial_named(_padded, f"pad_{depth}", depth), x)[0]


def _padded(op: OperatorOp, depth: int, x: te.Tensor) -> te.Tensor:
    *outer, size = x.shape

    def element(*i: te.IterVar) -> te.Scalar:
        *rows, k = i
        return te.if_then_else(k < size, x[(*rows, k)], te.const(0, x.dtype))

    return te.compute((*outer, depth), element, name="padded")


def ended(op: OperatorOp, sums: te.Tensor, given: Mapping[str, te.Tensor], rank: int) -> te.Tensor:
    """Return the sums `[.., rows, columns]` times the factors of columns, with the bias, rounded once; one
    axis for those of a vector."""
    dtype = result_dtype(op)
    ends = "factor" in given or "bias" in given or sums.dtype != dtype
    out = te.compute(sums.shape, partial(_end, sums, given, dtype), name="out") if ends else sums
    return out if rank > 1 else te.reshape(out, [sums.shape[-1]], name="row")


def _end(
    sums: te.Tensor, given: Mapping[str, te.Tensor], dtype: object, *i: te.IterVar
) -> te.Scalar:
    value, column = sums[i], i[-1]
    if "factor" in given:
        value = value * given["factor"][column]
    if "bias" in given:
        value = value + given["bias"][column].astype("f32")
    return value.astype(dtype)  # pyright: ignore
