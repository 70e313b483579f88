"""Symbolic variables of a function, and of its branches and closures."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation

from relax_dialect.ir.symbol_scopes import escaping_symbols, needed_symbols
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.control import ClosureOp, IfOp
from relax_dialect.ops.core import FuncOp


def defined_in(block: Block) -> Iterable[str]:
    """Return the variables that the ops of a branch define, some perhaps known before."""
    return dict.fromkeys(v for op in block.ops for v in escaping_symbols(op))


def _bound_inside(op: Operation) -> Iterable[str]:
    """Return the variables that an op's regions bind."""
    if isinstance(op, ClosureOp):
        return op.entry_symbols()
    return (
        [v for region in op.regions for v in defined_in(region.block)]
        if isinstance(op, IfOp)
        else ()
    )


def symbolic_variables(func: FuncOp) -> tuple[str, ...]:
    """Return the variables that a function names, but for those that branches and closures bind, within
    them."""
    found = dict.fromkeys(v for arg in func.body.block.args for v in free_variables(arg.type))
    bound: dict[Operation, frozenset[str]] = {}
    for op in walk_ops(func):
        if op is func:
            continue
        around = bound.get(op.parent_op() or func, frozenset())
        inside = bound[op] = around.union(_bound_inside(op))
        named = [v for type in op.result_types for v in free_variables(type)]
        found |= dict.fromkeys(v for v in (*named, *needed_symbols(op)) if v not in around)
        args = (arg for region in op.regions for arg in region.block.args)
        found |= dict.fromkeys(
            v for arg in args for v in free_variables(arg.type) if v not in inside
        )
    return tuple(found)
