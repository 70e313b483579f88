"""Private functions whose signature may change: every reference to them is a call."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, SSAValue

from relax_dialect.ir.call_graph import CallGraph, own_references
from relax_dialect.ir.walk import is_private, walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.regions import erase, replace_uses


def calls_and_names(module: ModuleOp) -> tuple[dict[str, list[CallOp]], set[str]]:
    """Return the calls of each function by its name, and the functions that are named otherwise than by
    calls."""
    calls: dict[str, list[CallOp]] = {}
    named: set[str] = set()
    for op in walk_ops(module):
        if isinstance(op, CallOp):
            calls.setdefault(op.callee_name, []).append(op)
        else:
            named.update(own_references(op))
    return calls, named


def changeable_functions(module: ModuleOp) -> dict[FuncOp, list[CallOp]]:
    """Return the private functions that are called and nothing else, with their calls; callees first.

    A function that carries attributes is left alone: they may speak of its parameters.
    """
    calls, named = calls_and_names(module)
    graph = CallGraph.of(module)
    found: dict[FuncOp, list[CallOp]] = {}
    for name in (name for component in graph.components for name in component):
        func = graph.symbols[name]
        is_only_called = name in calls and name not in named
        if isinstance(func, FuncOp) and is_private(func) and not func.attributes and is_only_called:
            found[func] = calls[name]
    return found


def remake_call(call: CallOp, args: Sequence[SSAValue], type: Attribute) -> CallOp:
    """Put a call with other arguments, and a result of another type, before an old one."""
    new = CallOp.create(
        operands=args,
        result_types=[type],
        properties=call.properties,
        attributes=call.attributes,
    )
    new.location = call.location
    new.results[0].name_hint = call.result.name_hint
    assert call.parent is not None
    call.parent.insert_op_before(new, call)
    return new


def replace_call(call: CallOp, args: Sequence[SSAValue]) -> CallOp:
    """Replace a call by one with other arguments and return it."""
    new = remake_call(call, args, call.result.type)
    replace_uses({call.result: new.results[0]})
    erase(call)
    return new
