"""Random programs before and after passes: z3 proves that they give the same, or finds what does not."""

from __future__ import annotations

import random

from random_terms import program

import lowering
from relax_dialect.prove import Limits, VerdictKind, prove

from .cases import Fault

PIPELINES = (
    ("relax-simplify-algebra",),
    ("relax-simplify-algebra", "relax-legalize"),
    ("relax-legalize", "relax-fuse-elementwise"),
    ("relax-optimize", "relax-legalize", "relax-fuse-elementwise", "relax-deduplicate-prim-funcs"),
)
LIMITS = Limits(milliseconds=1500)


def proved(source: random.Random) -> VerdictKind | None:
    """What is known of a pipeline on a program; None where it changes nothing or there is no program."""
    before = program(source)
    if before is None:
        return None
    after = before.clone()
    passes = source.choice(PIPELINES)
    lowering.lower(after, passes)
    if str(after) == str(before):
        return None
    (verdict,) = prove(before, after, LIMITS)
    if verdict.kind is VerdictKind.REFUTED:
        raise Fault(f"{', '.join(passes)}: {verdict}\n{verdict.counterexample}", str(before))
    return verdict.kind


def case(source: random.Random) -> bool:
    """Whether a random program is proved to keep its meaning."""
    return proved(source) is VerdictKind.PROVED
