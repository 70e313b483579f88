"""Recognition of reductions from the values of accumulators: the reduced elements, and the combination."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from relax_dialect.te.adjoint.derivatives import substituted
from relax_dialect.te.emit.access import walk
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.scalar import Apply, Choice, Element, IterVar, Scalar, ScalarConstant

NAMES = {
    "add": "sum", "mul": "prod", "maximum": "max", "minimum": "min", "fmax": "nanmax",
    "fmin": "nanmin", "and": "all", "or": "any",
}  # fmt: skip
"""The names of reductions by the operation that joins."""


def joined_reduction(
    befores: Sequence[Element],
    values: Sequence[Scalar],
    axes: Sequence[IterVar],
    start: Callable[[int, str], ScalarConstant],
    fail: Callable[[], Exception],
    **how: Any,
) -> Reduction:
    """Return the reduction of accumulators whose values after one more element are `values`.

    The reduced elements are found as the other operands of the accumulators. `start(i, name)` is the
    initial value of accumulator `i`; `fail()` is raised if the values are no reduction.
    """
    sources = tuple(_source(b, v, set(befores), fail) for b, v in zip(befores, values))
    elements = tuple(Element(s.dtype, "an element") for s in sources)
    joined = tuple(substituted(v, dict(zip(sources, elements))) for v in values)
    inside = {*befores, *elements}
    for node in walk(*joined):
        if not node.operands and not isinstance(node, ScalarConstant) and node not in inside:
            raise fail()  # it does not depend on one element alone
    first = joined[0]
    name = NAMES.get(first.name, "reduce") if isinstance(first, Apply) else "reduce"
    return Reduction(
        name, sources, tuple(axes), tuple(start(i, name) for i in range(len(values))),
        accumulated=tuple(befores), elements=elements, joined=joined, **how,
    )  # fmt: skip


def _source(
    before: Element, value: Scalar, befores: set[Element], fail: Callable[[], Exception]
) -> Scalar:
    parts = value.operands[1:] if isinstance(value, Choice) else value.operands
    others = [part for part in parts if part is not before]
    joins = isinstance(value, Apply | Choice) and len(parts) == 2 and len(others) == 1
    if not joins or befores & set(walk(others[0])):
        raise fail()
    return others[0]
