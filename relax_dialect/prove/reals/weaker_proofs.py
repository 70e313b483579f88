"""Verdicts over the real numbers, for rewrites that change rounding.

x + y        ->  y + x           proved: bit for bit
(x + y) + z  ->  x + (y + z)     equal over the reals: floats differ, as a program shows
x * 2        ->  x * 3           refuted: by more than rounding
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.core import FuncOp
from relax_dialect.prove import equivalence
from relax_dialect.prove.counterexamples import Found, confirmed, moderate_difference
from relax_dialect.prove.reals.comparison import no_choice, prove_over_reals
from relax_dialect.prove.scalars.scalar_types import FLOATS
from relax_dialect.prove.verdicts import Limits, Verdict, VerdictKind

ROUNDINGS = 64
"""The number of roundings of the narrowest float that a difference may amount to."""


def prove(before: ModuleOp, after: ModuleOp, limits: Limits | None = None) -> list[Verdict]:
    """Return a verdict for each relax.func that both modules have: bit for bit, else over the reals."""
    limits = limits or Limits()
    exact = equivalence.prove(before, after, limits)
    if all(verdict.kind is VerdictKind.PROVED for verdict in exact):
        return exact
    reals = {verdict.function: verdict for verdict in prove_over_reals(before, after, limits)}
    return [
        found
        if found.kind is VerdictKind.PROVED
        else _weaker(before, after, found, reals[found.function], limits)
        for found in exact
    ]


def _weaker(
    before: ModuleOp, after: ModuleOp, exact: Verdict, reals: Verdict, limits: Limits
) -> Verdict:
    """Return the verdict on a function that is not proved bit for bit."""
    old, new = (_function(each, exact.function) for each in (before, after))
    near = max((_rounding(dtype) for each in (old, new) for dtype in _floats(each)), default=0.0)
    if not near:  # integers are not rounded
        return exact
    if found := moderate_difference(old, new, near):
        return Verdict(exact.function, VerdictKind.REFUTED, found.difference, found.program)
    if reals.kind is VerdictKind.PROVED:
        return _equal_over_reals(old, new, exact)
    if reals.kind is VerdictKind.OUTSIDE:
        return reals
    return _unknown(before, after, exact, limits)


def _equal_over_reals(before: FuncOp, after: FuncOp, exact: Verdict) -> Verdict:
    """Return the verdict on equal functions, with floats for which they differ."""
    kind, name = VerdictKind.EQUAL_OVER_REALS, exact.function
    found = moderate_difference(before, after, 0.0)
    if found is None and exact.kind is VerdictKind.REFUTED:
        found = Found(exact.detail, exact.counterexample)
    if found is None and (found := confirmed(before, after, None)) is None:
        return Verdict(name, kind, f"bit for bit {exact.kind.value}: {exact.detail}")
    return Verdict(
        name, kind, f"not bit for bit for IEEE floats: {found.difference}", found.program
    )


def _unknown(before: ModuleOp, after: ModuleOp, exact: Verdict, limits: Limits) -> Verdict:
    """Return the verdict on functions without a proof: whether one holds in part, or floats differ."""
    below = prove_over_reals(before, after, limits, [no_choice])
    detail = f"no proof over the reals with {limits.milliseconds} ms for a query"
    if any(v.function == exact.function and v.kind is VerdictKind.PROVED for v in below):
        detail = "equal over the reals where no condition holds, as a softplus below its threshold"
    if exact.kind is VerdictKind.REFUTED:
        detail += f"; not bit for bit for IEEE floats: {exact.detail}"
    return Verdict(exact.function, VerdictKind.UNKNOWN, detail, exact.counterexample)


def _function(module: ModuleOp, name: str) -> FuncOp:
    return next(f for f in module.ops if isinstance(f, FuncOp) and f.sym_name.data == name)


def _floats(function: FuncOp) -> Iterator[type]:
    """Yield the floating-point types of the tensors that a function computes."""
    values = [*function.body.block.args, *(r for op in walk_ops(function) for r in op.results)]
    for value in values:
        if isinstance(value.type, TensorType) and type(value.type.dtype) in FLOATS:
            yield type(value.type.dtype)


def _rounding(dtype: type) -> float:
    """Return a relative difference that is no rounding of a type."""
    _, significand = FLOATS[dtype]
    return max(equivalence.ROUNDING, ROUNDINGS * 2.0**-significand)
