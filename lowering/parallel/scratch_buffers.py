"""The buffers of a parallel loop: scratch that each range of iterations needs for itself, and shared ones.

    %row = memref.alloca() : memref<512xf32>           // scratch: every iteration writes what it reads
    scf.for %i = %c0 to %n step %c1 {
      ... memref.store %v, %row[%j]
      ... memref.store %w, %out[%i, %j]                // shared: iterations write different elements
    } {relax.parallel}

Iterations of a parallel loop do not depend on each other: what one reads has been written before the loop,
or by itself. So a buffer of its own, which begins as a copy, is always right unless elements are read after
the loop that it has written. These are shared: the results of the function, and buffers where subscripts
prove that iterations write different elements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import func, memref, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from lowering.ir.accesses import Use, uses
from lowering.ir.constants import known_integer
from lowering.ir.linear_forms import LinearForm
from lowering.ir.memref_views import buffer_of
from lowering.parallel.effects import Effects
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prim.signature import RESULT, attribute_dicts

ALLOCATIONS = (memref.AllocOp, memref.AllocaOp)


@dataclass(frozen=True)
class Scratch:
    """An allocation outside of a loop that iterations use by themselves."""

    allocation: Operation
    is_filled: bool
    """Whether it has been written before the loop."""


def scratch_of(loop: scf.ForOp, effects: Effects) -> list[Scratch] | None:
    """Return the scratch buffers of a loop, None if iterations may write the same elements of another one,
    or have unknown effects."""
    inside = dict.fromkeys(walk_ops(loop))  # in their order
    if (written := _written(inside, effects)) is None:
        return None
    found, varying = list[Scratch](), _varying(loop)
    for buffer in written:
        if _is_result(buffer):
            continue
        used = uses(buffer)
        own, others = ([u for u in used if (u.op in inside) is here] for here in (True, False))
        if _are_apart(own, loop, varying):
            continue
        is_free = _is_fixed(own, effects, varying) or not _is_read(others, effects)
        if not isinstance(buffer.owner, ALLOCATIONS) or not is_free:
            return None
        found.append(Scratch(buffer.owner, any(_writes(use, effects) for use in others)))
    return found


def _written(inside: Collection[Operation], effects: Effects) -> dict[SSAValue, None] | None:
    """Return the buffers from outside that ops write; None if that is not known."""
    found: dict[SSAValue, None] = {}
    for op in inside:
        if (effect := effects.of(op)) is None:
            return None
        for value in effect[1]:
            if (buffer := buffer_of(value)) is None:
                return None
            if buffer.owner not in inside:
                found[buffer] = None
    return found


def _is_result(buffer: SSAValue) -> bool:
    """Return whether a buffer is a result of its function: parallel loops write each element once."""
    function = buffer.owner.parent_op() if isinstance(buffer, BlockArgument) else None
    if not isinstance(buffer, BlockArgument) or not isinstance(function, func.FuncOp):
        return False
    count = len(function.body.block.args)
    return RESULT in attribute_dicts(function.arg_attrs, count)[buffer.index]


def _writes(use: Use, effects: Effects) -> bool:
    """Return whether a use may write elements."""
    effect = effects.of(use.op)
    return effect is None or use.op.operands[use.index] in effect[1]


def _is_read(others: Sequence[Use], effects: Effects) -> bool:
    """Return whether some of the uses may read elements."""
    found = [(use, effects.of(use.op)) for use in others]
    return any(e is None or use.op.operands[use.index] in e[0] for use, e in found)


def _are_apart(own: Sequence[Use], loop: scf.ForOp, varying: set[SSAValue]) -> bool:
    """Return whether an iteration uses other elements than all others: along a dimension it begins at a
    multiple of the counter, and uses no more elements than the multiple advances by in one step."""
    counter, step = loop.body.block.args[0], known_integer(loop.step)
    found = [use for use in own if not isinstance(use.op, memref.DimOp)]
    forms = [use.first for use in found if use.first is not None]
    if step is None or len(forms) < len(found) or not forms:
        return False
    for d, form in enumerate(forms[0]):
        times = form.terms.get(counter, 0)
        is_short = all(0 <= use.lengths[d] <= times * step for use in found)
        is_fixed = varying.isdisjoint({*form.terms} - {counter})
        if is_short and is_fixed and all(other[d] == form for other in forms):
            return True
    return False


def _is_fixed(own: Sequence[Use], effects: Effects, varying: set[SSAValue]) -> bool:
    """Return whether all iterations write the same elements."""
    return all(
        use.first is not None and varying.isdisjoint(_terms(use.first))
        for use in own
        if _writes(use, effects)
    )


def _terms(first: Sequence[LinearForm]) -> Iterator[SSAValue]:
    for form in first:
        yield from form.terms


def _varying(loop: scf.ForOp) -> set[SSAValue]:
    """Return the values in a loop that depend on its counter, except through trip counts."""
    found: set[SSAValue] = {loop.body.block.args[0]}
    for op in walk_ops(loop):
        if isinstance(op, scf.ForOp):
            if op.lb in found:
                found.add(op.body.block.args[0])
        elif not found.isdisjoint(op.operands):
            found.update(op.results)
    return found
