"""Whether a match may be replaced: it is whole, of one block, and no effect happens inside it.

* Its ops are in one block. (Its inputs may come from anywhere.)
* The results of its ops, except for the roots, are used by the ops of the match only.
* Its ops except for the root have no effect, and in an ordered block no op with an effect is between them:
  an op evaluated before an effect is not moved after it.
* No input of the match depends on one of several roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

from relax_dialect.dpl.search.aliases import owner, users
from relax_dialect.dpl.search.effect_epochs import Epochs
from relax_dialect.dpl.search.match import Match
from relax_dialect.ir.order import describe
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import (
    escaping_symbols,
    free_symbols,
)
from relax_dialect.ir.traits import has_trait, stands_in_graph
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.graph import LetOp


@dataclass
class Extent:
    """The ops of a match that may be replaced."""

    roots: list[Operation]
    inner: list[Operation]
    """The other ops of its block, from the root on; some are the lets between them."""
    before: Operation
    """The insertion point of new ops: before the first root."""
    in_graph: bool
    hoisted: Sequence[Operation] = ()
    """Ops that inputs of the match need and that must move in front of the first root."""


def extent(
    match: Match,
    lookup: ModuleSymbols,
    outside_uses: bool = False,
    epochs: Epochs | None = None,
) -> Extent | str:
    """Return the ops of a match, or why it may not be replaced.

    With `outside_uses` results of inner ops may be used elsewhere; the op then remains next to the new
    ones. Without `epochs` the ops between those of the match are scanned.
    """
    roots = [root.op for root in match.roots if isinstance(root, OpResult)]
    block = roots[0].parent if roots else None
    if block is None or len(roots) < len(match.roots):
        return "its root is a parameter"
    inner: dict[Operation, None] = {}
    within = set(roots)
    for op in match.ops():
        if op.parent is block:
            within.add(op)
            if op not in roots:
                inner[op] = None
        elif not _is_inside(op, within) and not _is_callee(op, block):
            return f"{describe(op)} is in another block"
    if any(root.parent is not block for root in roots):
        return "its roots are in different blocks"
    if not outside_uses:
        for op in list(inner):
            if (outsider := _outside_user(op, within, inner)) is not None:
                return f"{describe(outsider)} uses a result of {describe(op)}"
    for op in inner:
        if not is_pure(op, lookup):
            return f"{describe(op)} has an effect"
    found = Extent(roots, list(inner), roots[0], stands_in_graph(block))
    if not (found.in_graph or (epochs is not None and epochs.are_one({*roots, *inner}))):
        effect = _effect_between(found, lookup)
        if effect is not None:
            return f"{describe(effect)}, which has an effect, is between its ops"
    if len(roots) > 1:
        return _several_roots(found, match)
    return found


def _is_inside(op: Operation, ops: set[Operation]) -> bool:
    parent = op.parent_op()
    while parent is not None:
        if parent in ops:
            return True
        parent = parent.parent_op()
    return False


def _is_callee(op: Operation, block: Block) -> bool:
    """Return whether an op belongs to another function, which the match calls."""
    return _function(op) is not _function(block.parent_op())


def _function(op: Operation | None) -> Operation | None:
    while op is not None and not has_trait(op, IsolatedFromAbove):
        op = op.parent_op()
    return op


def _outside_user(
    op: Operation, within: set[Operation], inner: dict[Operation, None]
) -> Operation | None:
    """Return a user outside of the match; the lets between its ops become part of it."""
    if all(use.operation in within for result in op.results for use in result.uses):
        return None
    for result in op.results:
        for user in users(result):
            if user not in within and not _is_inside(user, within):
                return user
    work = list(op.results)
    while work:
        for use in work.pop().uses:
            if isinstance(use.operation, LetOp) and use.operation.parent is op.parent:
                inner[use.operation] = None
                work.append(use.operation.result)
    return None


def _effect_between(found: Extent, lookup: ModuleSymbols) -> Operation | None:
    """In an ordered block the first op with an effect between the first and the last op of a match."""
    missing = {*found.inner, *found.roots}
    op = found.roots[0]
    if len(found.roots) > 1:
        order = _order(op)
        op = max(missing, key=order.__getitem__)
    missing.discard(op)
    while missing and (op := op.prev_op) is not None:
        missing.discard(op)
        if not is_pure(op, lookup):
            return op
    return None


def _order(op: Operation) -> dict[Operation, int]:
    """Return the positions of the ops of a block."""
    assert op.parent is not None
    return {other: place for place, other in enumerate(op.parent.ops)}


def _several_roots(found: Extent, match: Match) -> Extent | str:
    """Order the roots, and find the ops to hoist so that all inputs precede the first root."""
    block = found.before.parent
    assert block is not None
    ops = tuple(dict.fromkeys((*found.roots, *found.inner)))
    inputs = [v for op in ops for v in op.operands if owner(v) not in found.inner]
    needed = slice_of(inputs, block, set(found.roots))
    if needed is None:
        return "an input of one root is computed from another"
    order = _order(found.before)
    found.before = min(found.roots, key=order.__getitem__)
    if not found.in_graph:
        moved = {*needed, *found.inner}
        late = sorted((o for o in moved if order[o] > order[found.before]), key=order.__getitem__)
        if any(op.regions for op in late):
            return "an input of one root is computed after another"
        if (name := _defined_between(found, [*ops, *late], order)) is not None:
            return f"the symbolic variable {name!r} is defined between its roots"
        found.hoisted = late
    return found


def _defined_between(
    found: Extent, ops: Iterable[Operation], order: dict[Operation, int]
) -> str | None:
    """Return a symbolic variable that ops need and that is defined after the first root."""
    start, end = order[found.before], max(order[root] for root in found.roots)
    defined = {
        name for op, place in order.items() if start < place < end for name in escaping_symbols(op)
    }
    needed = chain.from_iterable(free_symbols(op) for op in ops) if defined else ()
    return next((name for name in needed if name in defined), None)


def slice_of(
    values: Iterable[SSAValue], block: Block, roots: set[Operation]
) -> set[Operation] | None:
    """Return the backward slice of values in a block; None if it contains a root."""
    found: set[Operation] = set()
    work = list(values)
    while work:
        op = work.pop().owner  # a block or let that passes the value on is needed too
        if not isinstance(op, Operation) or op.parent is not block or op in found:
            continue
        if op in roots:
            return None
        found.add(op)
        for inner in walk_ops(op):
            work.extend(inner.operands)
    return found
