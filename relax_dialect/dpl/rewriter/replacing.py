"""Application of rewrites to the program: ops are inserted, uses replaced, unused ops erased."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from relax_dialect.dpl.rewriter.insertion_points import Insertions
from relax_dialect.dpl.search.effect_epochs import Epochs
from relax_dialect.dpl.search.match_region import Extent
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.transform.regions import erase


def put_after_roots(
    found: Extent, new: Sequence[Operation], lookup: ModuleSymbols, epochs: Epochs | None
) -> Operation:
    """Move new ops that use the roots after them, and the roots next to each other; returns the
    following op."""
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


def replace_uses(
    olds: Sequence[SSAValue], placement: Insertions, rewriter: PatternRewriter
) -> None:
    """Replace the uses of the old values by the new ones, except for uses by the new ops."""
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


def repeats(olds: Sequence[SSAValue], placement: Insertions) -> bool:
    """Return whether new ops compute the old values as the old ops do, so that nothing would change."""
    fresh = set(placement.ops)
    pending = list(zip(olds, placement.values))
    seen: set[tuple[SSAValue, SSAValue]] = set()
    while pending:
        pair = old, new = pending.pop()
        if old is new or pair in seen:
            continue
        seen.add(pair)
        if not isinstance(old, OpResult) or not isinstance(new, OpResult) or new.op not in fresh:
            return False
        a, b = old.op, new.op
        same = (
            type(a) is type(b)
            and old.index == new.index
            and (a.properties, a.attributes) == (b.properties, b.attributes)
            and a.result_types == b.result_types
            and len(a.operands) == len(b.operands)
        )
        if not same or a.regions or b.regions:
            return False
        pending.extend(zip(a.operands, b.operands))
    return True


def move(ops: Sequence[Operation], before: Operation) -> None:
    """Put ops in front of another one of their block."""
    block = before.parent
    assert block is not None
    for op in ops:
        op.detach()
        block.insert_op_before(op, before)


def erase_unused(found: Extent, rewriter: PatternRewriter, lookup: ModuleSymbols) -> None:
    """Erase the ops of a match that have become unused, and the ops used only by them.

    Definitions of symbolic variables are kept, and so are ops with an effect that are no root.
    """
    roots = set(found.roots)
    work = [*reversed(found.inner), *reversed(found.roots)]
    while work:
        op = work.pop()
        if op.parent is None or any(r.first_use is not None for r in op.results):
            continue
        defines = getattr(op, "candidates", None) is not None
        if defines or isinstance(op, BlockOp) or not (op in roots or is_pure(op, lookup)):
            continue
        made_by = [operand.owner for inner in walk_ops(op) for operand in inner.operands]
        rewriter.handle_operation_removal(op)
        erase(op)
        work.extend(other for other in made_by if isinstance(other, Operation))
