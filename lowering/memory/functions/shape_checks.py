"""Sizes that patterns name or compare: a variable is bound to a bare size, or to the solution of an affine
one; any other size is checked at run time."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from xdsl.ir import SSAValue

from lowering.memory.functions.body import FunctionLowering
from lowering.memory.functions.emission import Told
from lowering.memory.functions.lowered_signature import ShapeSizes
from relax_dialect.errors import RelaxError
from relax_dialect.ir.facts import ContradictionError
from relax_dialect.ir.types import Dim, Dims
from relax_dialect.prim.size_ops import SizeEmitter
from relax_dialect.symbolic import Expr, SymbolicOverflow, affine_in, definitions


@dataclass
class SizeMatch:
    """A size to be bound or checked: the name of the value in messages, the size expected, the size as far
    as it is known, and the value and dimension to read it from; a scalar has no dimensions."""

    what: str
    pattern: Expr
    dim: Dim
    value: Told
    index: int


def size_matches(
    what: str, patterns: Dims | None, known: Dims | None, value: Told
) -> list[SizeMatch]:
    """Return one match per size of the pattern."""
    return [
        SizeMatch(what, pattern, known[i] if known is not None else None, value, i)
        for i, pattern in enumerate(patterns or ())
        if pattern is not None
    ]


def match(
    body: FunctionLowering,
    entries: Sequence[SizeMatch],
    bound: dict[str, SSAValue],
    sizes: SizeEmitter,
    *,
    own_scope: bool,
) -> None:
    """Bind bare variables that are not yet bound and solve for others, then check every other size.

    `bound` and `sizes` are the variables of the patterns: those of this function (`own_scope`) or those of
    a callee, whose names mean nothing here.
    """
    known: dict[str, Expr] = {}
    rest: list[SizeMatch] = []
    for entry in entries:
        name = entry.pattern.name
        if name is None or name in bound:
            rest.append(entry)
            continue
        bound[name] = body.actual_size(entry.value, entry.index)
        bound[name].name_hint = bound[name].name_hint or name
        if isinstance(entry.value, ShapeSizes):
            body.require_extent(entry.what, entry.index, bound[name])
        elif isinstance(entry.value, SSAValue):
            body.require_size_of(entry.what, bound[name])
        if entry.dim is not None:
            known[name] = entry.dim
            if own_scope:
                _learn(body, entry.dim, entry.pattern)
    solved = _solve(body, rest, bound, known, sizes)
    for index, entry in enumerate(rest):
        variables = entry.pattern.free_variables
        for variable in variables:
            if variable not in bound:
                raise RelaxError(
                    f"{entry.what}: expected a size for '{variable}', which no argument defines; pass it "
                    f"through a parameter of type !relax.shape<[{variable}]>"
                )
        comparable = own_scope or all(v in known for v in variables)
        expected = entry.pattern.substitute(known) if comparable else None
        if expected is not None and entry.dim is not None:
            if body.facts.equal(expected, entry.dim):
                continue
            _learn(body, entry.dim, expected)
        actual = body.actual_size(entry.value, entry.index)
        body.matched = entry.what
        size = sizes.size(entry.pattern)
        body.matched = ""
        name = entry.pattern.name if own_scope else None
        definition = body.definitions.get(name or "", "")
        place = None if isinstance(entry.value, SSAValue) else entry.index
        body.check(
            entry.what, place, entry.pattern, size, actual, definition, solved.get(index, "")
        )


def _solve(
    body: FunctionLowering,
    entries: Sequence[SizeMatch],
    bound: dict[str, SSAValue],
    known: dict[str, Expr],
    sizes: SizeEmitter,
) -> dict[int, str]:
    """Bind the variables that affine sizes are solved for; return each by the index of its size."""
    patterns = [entry.pattern for entry in entries]
    if all(v in bound for pattern in patterns for v in pattern.free_variables):
        return {}
    solved: dict[int, str] = {}
    for name, index in definitions(patterns, bound.__contains__).items():
        entry, affine = entries[index], affine_in(patterns[index], name)
        assert affine is not None
        solved[index] = name
        actual = body.actual_size(entry.value, entry.index)
        body.matched = entry.what
        is_number = isinstance(entry.value, SSAValue)
        bound[name] = body.solution(affine, sizes.size(affine.rest), actual, is_number)
        bound[name].name_hint = name
        body.matched = ""
        if is_number or not affine.is_bounded:
            body.require_size_of(entry.what, bound[name])
        if entry.dim is not None and all(v in known for v in affine.rest.free_variables):
            with suppress(SymbolicOverflow):
                known[name] = affine.solution(affine.rest.substitute(known), entry.dim)
    return solved


def _learn(body: FunctionLowering, size: Expr, kept: Expr) -> None:
    """Record that two sizes are equal from here on; if they cannot be, the check will fail."""
    with suppress(ContradictionError):
        body.facts.add(size, kept)
