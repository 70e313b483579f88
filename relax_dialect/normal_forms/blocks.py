"""The graph regions of a function, outermost first, with the symbolic variables defined before each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation
from xdsl.traits import IsolatedFromAbove

from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols, escaping_symbols
from relax_dialect.ir.traits import SymbolsEscape, kind_has, region_is_graph
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.blocks import BlockOp, DataflowOp
from relax_dialect.ops.graph import GraphOp


@dataclass
class _Visit:
    owner: Operation
    block: Block
    in_graph: bool
    ops: Iterator[Operation] | None = None
    defined: list[str] = field(default_factory=list)


def graph_regions(func: Operation) -> Iterator[tuple[BlockOp, set[str]]]:
    """Yield every `relax.graph` and `relax.dataflow`, and the variables defined there.

    The consumer may change the block before it asks for the next one, and must not keep the set.
    """
    bodies = blocks_of(func)
    bound = {v for block in bodies[:1] for v in defined_variables(block.arg_types)}

    def define(names: Iterator[str] | tuple[str, ...], visit: _Visit) -> None:
        for name in names:
            if name not in bound:
                bound.add(name)
                visit.defined.append(name)

    stack = [_Visit(func, block, False) for block in reversed(bodies)]
    while stack:
        visit = stack[-1]
        if visit.ops is None:  # entering
            visit.ops = iter(visit.block.ops)
            define(entry_symbols(visit.owner), visit)
            visit.in_graph = region_is_graph(visit.owner, visit.in_graph)
            if visit.in_graph:
                define((n for op in visit.block.ops for n in escaping_symbols(op)), visit)
        op = next(visit.ops, None)
        if op is None:
            stack.pop()
            if kind_has(type(visit.owner), SymbolsEscape) and stack:
                stack[-1].defined.extend(visit.defined)
            else:
                bound.difference_update(visit.defined)
            continue
        if op.regions and isinstance(op, GraphOp | DataflowOp):
            yield op, bound
        if names := candidate_symbols(op):
            define(names, visit)
        if op.regions and not kind_has(type(op), IsolatedFromAbove):
            blocks = blocks_of(op)
            stack.extend(_Visit(op, block, visit.in_graph) for block in reversed(blocks))
