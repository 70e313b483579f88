"""Proofs by z3 that a rewrite preserves the semantics of a program, for all inputs (docs/proofs.md)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from xdsl.dialects.builtin import ModuleOp

from relax_dialect.errors import RelaxError
from relax_dialect.prove.verdicts import Limits, Over, Verdict, VerdictKind


def require_z3(what: str) -> None:
    """Refuse to prove without the package z3."""
    if find_spec("z3") is None:
        raise RelaxError(
            f"{what}: expected the package z3, which proves, found none; install it with "
            "pip install 'relax-xdsl[prove]'"
        )


def prove(
    before: ModuleOp, after: ModuleOp, limits: Limits | None = None, over: Over = Over.FLOATS
) -> list[Verdict]:
    """Return a verdict for each relax.func that both modules have: whether its results are the same, bit
    for bit but for the bits of a NaN, or else over the real numbers."""
    require_z3("prove")
    if over is Over.FLOATS:
        from relax_dialect.prove import equivalence

        return equivalence.prove(before, after, limits)
    from relax_dialect.prove.reals import weaker_proofs

    return weaker_proofs.prove(before, after, limits)


def checked_over(option: str, name: str) -> Over:
    """Return the numbers that an option names."""
    names = [each.value for each in Over]
    if name not in names:
        raise RelaxError(
            f"{option}: expected {' or '.join(names)}, found {name!r}; pass another one"
        )
    return Over(name)


def hint(over: Over, option: str) -> str:
    """Return the end of an error about counterexamples: the option that ignores rounding."""
    return f", or prove with {option} if only rounding may differ" if over is Over.FLOATS else ""


def prove_accesses(module: ModuleOp, limits: Limits | None = None) -> list[Verdict]:
    """Return a verdict for each func.func: whether all elements that it accesses are within the bounds,
    for all sizes."""
    require_z3("prove_accesses")
    from relax_dialect.prove import access_bounds

    return list(access_bounds.prove_accesses(module, limits))


def report(name: str, verdicts: Sequence[Verdict]) -> list[str]:
    """Print the verdicts on a pass to standard error; returns the functions that are refuted."""
    for verdict in verdicts:
        print(f"{name}: {verdict}", file=sys.stderr)
        if verdict.counterexample:
            print(verdict.counterexample, file=sys.stderr)
    return [f"@{verdict.function}" for verdict in verdicts if verdict.kind is VerdictKind.REFUTED]


__all__ = [
    "Limits",
    "Over",
    "Verdict",
    "VerdictKind",
    "checked_over",
    "hint",
    "prove",
    "prove_accesses",
    "report",
    "require_z3",
]
