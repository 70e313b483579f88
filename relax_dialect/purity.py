"""Effects: which ops may stand in a dataflow block, and which functions are pure."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    RecursiveMemoryEffect,
    SymbolTable,
    get_effects,
)

SYMBOLIC_VARIABLES = "relax.symbolic_variables"
"""The name of the one resource that a pure op may write: see `ops.base.DefinesSymbols`."""


def module_symbols(op: Operation) -> dict[str, Operation]:
    """The symbols of the module around `op`, by name."""
    table: Operation | None = op
    while table is not None and not table.has_trait(SymbolTable):
        table = table.parent_op()
    if table is None:
        return {}
    found: dict[str, Operation] = {}
    for symbol in table.regions[0].block.ops:
        name = symbol.get_attr_or_prop("sym_name")
        if name is not None:
            found[name.data] = symbol  # pyright: ignore[reportAttributeAccessIssue]
    return found


def has_no_effect(op: Operation) -> bool:
    """Whether an op by itself has no effect but on the symbolic variables."""
    if op.has_trait(IsTerminator):
        return True
    effects = get_effects(op)
    return effects is not None and all(e.resource.name() == SYMBOLIC_VARIABLES for e in effects)


def is_pure(op: Operation) -> bool:
    """Whether an op has no effect, where a `relax.call` has those of the functions it reaches."""
    if op.name == "relax.call":
        return _reaches_no_effect([op], module_symbols(op))
    return has_no_effect(op)


def is_pure_function(func: Operation) -> bool:
    """Whether nothing in a function, or in those it calls, has an effect."""
    return _reaches_no_effect([func], module_symbols(func))


def _reaches_no_effect(roots: list[Operation], symbols: dict[str, Operation]) -> bool:
    """Walk the ops inside `roots` and inside every function they call."""
    pending = list(roots)
    seen: set[str] = set()
    while pending:
        root = pending.pop()
        for op in root.walk():
            if op.name == "relax.call":
                name: str = op.callee_name  # pyright: ignore[reportAttributeAccessIssue]
                if name not in seen and name in symbols:
                    seen.add(name)
                    pending.append(symbols[name])
            elif op is not root and not op.has_trait(RecursiveMemoryEffect):
                if not has_no_effect(op):
                    return False
    return True
