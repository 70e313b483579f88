"""relax-dce: pure bindings, block outputs and private functions that nobody uses are removed.

```mlir
%y, %z = relax.dataflow {                      %y = relax.dataflow {
  %a = relax.exp %x : (T) -> T                   %a = relax.exp %x : (T) -> T
  %b = relax.tanh %a : (T) -> T         ->       relax.output %a : T
  relax.output %a, %b : T, T                   }
}
```

Effects stay, and every `match_*` does: one that defines no variable anybody needs is still a check.
An unused call of a pure function goes, and what it would check of its arguments goes with it.

Uses are counted block by block: that a value is unused is known once the uses behind it are gone, so
blocks are walked from their end, and a block's outputs are pruned before the block is entered. A value
used in another block is kept alive by the output that passes it there.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from relax_dialect.call_graph import CallGraph, is_private, ops_inside
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.purity import ModuleSymbols, is_pure
from relax_dialect.rewrites.regions import Body, erase, functions, is_relax, remake
from relax_dialect.traits import DefersEffects, has_trait, region_is_graph


def _is_dead(op: Operation, lookup: ModuleSymbols) -> bool:
    """Whether an op does nothing that anybody can see."""
    if isinstance(op, MatchOp | BlockOp) or has_trait(op, IsTerminator):
        return False
    if any(result.first_use is not None for result in op.results) or not is_pure(op, lookup):
        return False
    if not op.regions or has_trait(op, DefersEffects):
        return True
    return not any(isinstance(inner, MatchOp) for inner in ops_inside(op))


def _is_empty(block: BlockOp) -> bool:
    return not block.results and block.body.block.first_op is block.output


def _without_unused_outputs(op: Operation) -> Operation:
    if not isinstance(op, BlockOp):
        return op
    kept = [i for i, result in enumerate(op.results) if result.first_use is not None]
    return op if len(kept) == len(op.results) else remake(op, kept)


def _reversed_ops(op: Operation, in_graph: bool) -> Iterator[tuple[Operation, bool]]:
    """The ops in the regions of an op, users before what they use."""
    is_graph = region_is_graph(op, in_graph)
    for region in op.regions:
        if region.first_block is not None:
            for inner in reversed(Body(region.first_block, is_graph, op).ops()):
                yield inner, is_graph


def _clean(function: Operation) -> None:
    """Remove what is dead in a function, from its end to its beginning."""
    lookup = ModuleSymbols(function)
    stack = [(function, _reversed_ops(function, False))]
    while stack:
        owner, remaining = stack[-1]
        following = next(remaining, None)
        if following is None:
            stack.pop()
            # what kept an op may be gone from its regions
            empty = _is_empty(owner) if isinstance(owner, BlockOp) else _is_dead(owner, lookup)
            if owner is not function and empty:
                erase(owner)
            continue
        op, in_graph = following
        op = _without_unused_outputs(op)
        if _is_dead(op, lookup):
            erase(op)
        elif op.regions and is_relax(op):
            stack.append((op, _reversed_ops(op, in_graph)))


def remove_unused_functions(module: ModuleOp) -> None:
    """Remove the private symbols of a module that no public one reaches."""
    graph = CallGraph.of(module)
    reached = graph.reachable_from_public()
    unused = [op for name, op in graph.symbols.items() if name not in reached and is_private(op)]
    for op in unused:
        erase(op)


def eliminate_dead_code(module: ModuleOp) -> None:
    """Remove what nobody uses from all functions, then the functions that nobody uses."""
    for function in functions(module):
        _clean(function)
    remove_unused_functions(module)


class DcePass(ModulePass):
    """Remove unused pure bindings, block outputs and private functions."""

    name = "relax-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_dead_code(op)
