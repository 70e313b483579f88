"""Conversion of a function to bindings alone, each in the scope and order of its evaluation."""

from __future__ import annotations

from xdsl.ir import Block, Operation

from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.walk import blocks_of
from relax_dialect.normal_forms.blocks import graph_regions
from relax_dialect.normal_forms.flat import (
    EVERYTHING,
    flatten,
    pass_names_on,
    rewrite_operands,
    write,
)
from relax_dialect.normal_forms.lca_scopes import place_graph, sort_block
from relax_dialect.ops.graph import GraphOp
from relax_dialect.transform.liveness import remove_dead_ops


def to_a_normal_form(func: Operation, symbols: ModuleSymbols | None = None) -> None:
    """Convert a function to A-normal form, in place; `symbols` are needed if it is in no module."""
    remove_dead_ops(func, symbols)
    for block, bound in graph_regions(func):
        if isinstance(block, GraphOp):
            place_graph(block, bound, lets=False)
        else:
            sort_block(block, bound)
    pending = blocks_of(func)
    while pending:
        pending.extend(_dissolve_blocks(pending.pop()))


def _dissolve_blocks(body: Block) -> list[Block]:
    """Inline blocks into the enclosing regions; return the bodies of other dialects' ops."""
    flat = flatten(body, EVERYTHING)
    pass_names_on(flat)
    rewrite_operands(flat, flat.ops, lambda value, user: value)
    if flat.shells:
        write(flat, flat.order())
    return [block for op in flat.opaque for block in blocks_of(op)]
