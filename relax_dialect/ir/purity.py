"""Effects: the ops allowed in a dataflow block, and the purity of functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolTable,
    get_effects,
)

from relax_dialect.ir.traits import DefersEffects, has_trait
from relax_dialect.ir.walk import blocks_of

SYMBOLIC_VARIABLES = "relax.symbolic_variables"
"""The name of the one resource that a pure op may write: see `ops.base.DefinesSymbols`."""


class ModuleSymbols:
    """The symbols of the module around an op, collected on first use. It caches the purity of functions and
    ops with regions: one instance serves a whole function, as a search for every call and every branch
    would make the check quadratic. It serves all functions of a module as long as nothing but ops without
    effects is removed from them. A builder passes the symbols that it knows.
    """

    def __init__(self, within: Operation | None, symbols: dict[str, Operation] | None = None):
        self._within = within
        self._symbols = symbols
        self.pure: set[str] = set()
        self.impure: set[str] = set()
        self.pure_ops: set[Operation] = set()

    def __call__(self, name: str) -> Operation | None:
        """The op with this symbol."""
        if self._symbols is None:
            assert self._within is not None
            self._symbols = module_symbols(self._within)
        return self._symbols.get(name)


def module_by_module(functions: Iterable[Operation]) -> Iterator[tuple[Operation, ModuleSymbols]]:
    """Yield functions with symbols that all of the same module share."""
    found = dict[Operation | None, ModuleSymbols]()
    for function in functions:
        yield function, found.setdefault(function.parent_op(), ModuleSymbols(function))


_TABLES: ContextVar[dict[Operation | None, dict[str, Operation]] | None] = ContextVar(
    "_TABLES", default=None
)


@contextmanager
def unchanged_symbols() -> Iterator[None]:
    """Collect the symbols of a module once for the context, in which none is added, removed or renamed."""
    token = _TABLES.set({})
    try:
        yield
    finally:
        _TABLES.reset(token)


def module_symbols(op: Operation) -> dict[str, Operation]:
    """Return the symbols of the module around `op`, by name."""
    table: Operation | None = op
    while table is not None and not has_trait(table, SymbolTable):
        table = table.parent_op()
    tables = _TABLES.get()
    if tables is None:
        return _symbols_of(table)
    if table not in tables:
        tables[table] = _symbols_of(table)
    return tables[table]


def _symbols_of(table: Operation | None) -> dict[str, Operation]:
    block = None if table is None else table.regions[0].first_block
    found: dict[str, Operation] = {}
    for symbol in block.ops if block is not None else ():
        name = symbol.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            found[name.data] = symbol
    return found


def has_no_effect(op: Operation) -> bool:
    """Return whether an op by itself has no effect but on the symbolic variables."""
    if has_trait(op, Pure) or has_trait(op, IsTerminator):
        return True
    effects = get_effects(op)
    return effects is not None and all(e.resource.name() == SYMBOLIC_VARIABLES for e in effects)


def is_pure(op: Operation, symbols: ModuleSymbols | None = None) -> bool:
    """Return whether an op and those in its regions have no effect, nor has any function that they call."""
    if op.name != "relax.call" and (not op.regions or has_trait(op, DefersEffects)):
        return has_no_effect(op)
    symbols = symbols or ModuleSymbols(op)
    is_known = op in symbols.pure_ops or _reaches_no_effect(op, symbols, skip_root=False)
    if not is_known and op.name == "relax.call":
        symbols.impure.add(op.callee_name)  # pyright: ignore[reportAttributeAccessIssue]
    return is_known


def is_pure_function(func: Operation, symbols: ModuleSymbols | None = None) -> bool:
    """Return whether nothing in a function or closure, or in the functions it calls, has an effect."""
    return _reaches_no_effect(func, symbols or ModuleSymbols(func), skip_root=True)


def _evaluated_with(root: Operation) -> Iterator[Operation]:
    """Yield an op and the ops in its regions, without closures, whose bodies run only when called."""
    stack = [root]
    while stack:
        op = stack.pop()
        yield op
        if op is root or not has_trait(op, DefersEffects):
            stack.extend(o for b in blocks_of(op) for o in b.ops)


def _reaches_no_effect(root: Operation, symbols: ModuleSymbols, skip_root: bool) -> bool:
    """Walk the ops inside `root` and inside every function they call."""
    skipped = {root} if skip_root else set()
    pending = [root]
    seen: set[str] = set()
    branching: list[Operation] = []
    while pending:
        for op in _evaluated_with(pending.pop()):
            if has_trait(op, RecursiveMemoryEffect):
                branching.append(op)
            if op.name == "relax.call":
                name: str = op.callee_name  # pyright: ignore[reportAttributeAccessIssue]
                if name in symbols.impure:
                    return False
                callee = symbols(name)
                is_prim = callee is not None and callee.name == "func.func"  # which has no effect
                known = is_prim or name in seen or name in symbols.pure
                if callee is not None and not known:
                    seen.add(name)
                    skipped.add(callee)
                    pending.append(callee)
            elif not (op in skipped or has_trait(op, RecursiveMemoryEffect) or has_no_effect(op)):
                return False
    symbols.pure |= seen
    symbols.pure_ops.update(branching)
    return True
