"""Effects: the ops allowed in a dataflow block, and the purity of functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

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
from relax_dialect.ir.walk import blocks_of, symbol_name

Function = TypeVar("Function", bound=Operation)

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

    def update(self, function: Operation) -> None:
        """Check the purity of a function again whose ops have changed."""
        name = symbol_name(function)
        self.pure_ops.clear()
        if name in self.pure and not is_pure_function(function, self):
            self.pure.clear()

    @property
    def by_name(self) -> dict[str, Operation]:
        """The ops by their symbols."""
        if self._symbols is None:
            assert self._within is not None
            self._symbols = module_symbols(self._within)
        return self._symbols

    def __call__(self, name: str) -> Operation | None:
        """The op with this symbol."""
        return self.by_name.get(name)


def module_by_module(functions: Iterable[Function]) -> Iterator[tuple[Function, ModuleSymbols]]:
    """Yield functions with symbols that all of the same module share."""
    found = dict[Operation | None, ModuleSymbols]()
    for function in functions:
        yield function, found.setdefault(function.parent_op(), ModuleSymbols(function))


_SHARED: ContextVar[dict[Operation | None, ModuleSymbols] | None] = ContextVar(
    "_SHARED", default=None
)


@contextmanager
def unchanged_symbols() -> Iterator[None]:
    """Collect the symbols of a module, and the purity of its functions, once for the context, in which no
    op changes."""
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def symbols_around(op: Operation) -> ModuleSymbols:
    """Return the symbols of the module around `op`, which the functions of `unchanged_symbols` share."""
    shared = _SHARED.get()
    if shared is None:
        return ModuleSymbols(op)
    table = _table_around(op)
    if table not in shared:
        shared[table] = ModuleSymbols(op, _symbols_of(table))
    return shared[table]


def module_symbols(op: Operation) -> dict[str, Operation]:
    """Return the symbols of the module around `op`, by name."""
    return _symbols_of(_table_around(op)) if _SHARED.get() is None else symbols_around(op).by_name


def _table_around(op: Operation) -> Operation | None:
    table: Operation | None = op
    while table is not None and not has_trait(table, SymbolTable):
        table = table.parent_op()
    return table


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
    return op in symbols.pure_ops or _reaches_no_effect(op, symbols, skip_root=False)


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
    pending: list[tuple[str, Operation]] = [("", root)]
    callers: dict[str, list[str]] = {}
    branching: list[Operation] = []
    while pending:
        caller, function = pending.pop()
        for op in _evaluated_with(function):
            if has_trait(op, RecursiveMemoryEffect):
                branching.append(op)
            if op.name == "relax.call":
                name: str = op.callee_name  # pyright: ignore[reportAttributeAccessIssue]
                if name in symbols.impure:
                    symbols.impure |= _with_callers(caller, callers)
                    return False
                callee = symbols(name)
                if callee is None or callee.name == "func.func" or name in symbols.pure:
                    continue  # a prim func has no effect
                if name not in callers:
                    skipped.add(callee)
                    pending.append((name, callee))
                callers.setdefault(name, []).append(caller)
            elif not (op in skipped or has_trait(op, RecursiveMemoryEffect) or has_no_effect(op)):
                symbols.impure |= _with_callers(caller, callers)
                return False
    symbols.pure |= callers.keys()
    symbols.pure_ops.update(branching)
    return True


def _with_callers(name: str, callers: Mapping[str, Sequence[str]]) -> set[str]:
    """Return a function and all that call it, but for the root of the walk, which has no name."""
    found: set[str] = set()
    work = [name]
    while work:
        each = work.pop()
        if each and each not in found:
            found.add(each)
            work += callers[each]
    return found
