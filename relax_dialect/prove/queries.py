"""Questions to z3: a time limit for each, fixed seeds, and `unknown` as an answer of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from relax_dialect.prove.verdicts import Limits, VerdictKind
from relax_dialect.prove.z3_package import z3

ATTEMPTS = ((0, 0.25), (1, 0.25), (2, 0.5))
"""Seeds of z3, and their fractions of the time limit: one may succeed quickly where another searches for
long."""


@dataclass(frozen=True)
class Answer:
    """Whether a claim holds for all values, and else values for which it does not."""

    kind: VerdictKind
    model: Any = None


def holds(claim: Any, facts: Sequence[Any], limits: Limits, tactic: str = "qffpbv") -> Answer:
    """Check whether a claim follows from facts: of floats and bits, or of the theory of another tactic
    of z3."""
    claim = z3.simplify(claim)
    if z3.is_true(claim):
        return Answer(VerdictKind.PROVED)
    for seed, part in ATTEMPTS:
        solver = z3.Tactic(tactic).solver()
        solver.set("random_seed", seed)
        solver.set("timeout", int(limits.milliseconds * part))
        solver.add(*facts, z3.Not(claim))
        found = solver.check()
        if found != z3.unknown:
            break
    if found == z3.unsat:
        return Answer(VerdictKind.PROVED)
    return (
        Answer(VerdictKind.REFUTED, solver.model())
        if found == z3.sat
        else Answer(VerdictKind.UNKNOWN)
    )
