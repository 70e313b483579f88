"""What a rewrite does to the program: new ops put in their place, uses replaced, unused ops erased."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import is_side_effect_free

from relax_dialect.dpl.epochs import Epochs
from relax_dialect.dpl.placing import Placement
from relax_dialect.dpl.wholeness import Extent
from relax_dialect.purity import ModuleSymbols, is_pure
from relax_dialect.rewrites.regions import erase


def put_after_roots(
    found: Extent, new: Sequence[Operation], lookup: ModuleSymbols, epochs: Epochs | None
) -> Operation:
    """Put new ops that use the roots after them, the roots in a row; gives the op that follows."""
    others = [] if found.in_graph else [root for root in found.roots if root is not found.before]
    move(found.hoisted, found.before)
    following = found.before.next_op
    while following is not None and following in others:
        following = following.next_op
    assert following is not None, "a block ends in a terminator"
    move([*others, *new], following)
    if epochs is not None and not all(is_pure(root, lookup) for root in others):
        epochs.forget(following)
    return following


def replace_uses(olds: Sequence[SSAValue], placement: Placement, rewriter: PatternRewriter) -> None:
    """Let the values be used in the place of the old ones, but not by the new ops."""
    if not placement.keeps:
        for old, new in zip(olds, placement.values):
            rewriter.replace_all_uses_with(old, new)
        return
    fresh = set(placement.ops)
    uses = [(use, new) for old, new in zip(olds, placement.values) for use in list(old.uses)]
    for use, new in uses:
        if use.operation not in fresh:
            use.operation.operands[use.index] = new
            rewriter.handle_operation_modification(use.operation)


def move(ops: Sequence[Operation], before: Operation) -> None:
    """Put ops in front of another one of their block."""
    block = before.parent
    assert block is not None
    for op in ops:
        op.detach()
        block.insert_op_before(op, before)


def erase_unused(found: Extent, rewriter: PatternRewriter) -> None:
    """Erase the ops of a match, but for those that are still used or define a symbolic variable."""
    within = {*found.roots, *found.inner}
    work = [*reversed(found.inner), *reversed(found.roots)]
    while work:
        op = work.pop()
        if op in within and _is_unused(op, op in found.roots):
            within.discard(op)
            made_by = [operand.owner for operand in op.operands]
            rewriter.handle_operation_removal(op)
            erase(op)
            work.extend(other for other in made_by if isinstance(other, Operation))


def _is_unused(op: Operation, is_root: bool) -> bool:
    if any(r.first_use is not None for r in op.results):
        return False
    return getattr(op, "candidates", None) is None if is_root else is_side_effect_free(op)


__all__ = ["erase_unused", "move", "put_after_roots", "replace_uses"]
