"""The scopes of symbolic variables: the variables that an op names, binds and defines, and the enclosing
scopes.

A match defines the variables that are bare sizes of its type, the parameters of a function those and the
solutions of affine sizes. A closure binds the variables in its brackets, for its body alone. The variables
of a block are visible after it; variables of a branch, a loop or a closure are not. In a graph region they
are visible everywhere. This is the only file that decides it.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, Operation

from relax_dialect.ir.traits import SymbolsEscape, kind_has, stands_in_graph
from relax_dialect.ir.type_variables import defined_variables, free_variables
from relax_dialect.ir.walk import blocks_of, walk_ops


def needed_symbols(op: Operation) -> tuple[str, ...]:
    """Return the symbolic variables an op of any dialect needs to be defined before it runs."""
    if (needed := getattr(op, "needed_symbols", None)) is not None:
        return needed()
    if len(op.results) == 1:
        return free_variables(op.results[0].type)
    return tuple(v for t in op.result_types for v in free_variables(t))


def candidate_symbols(op: Operation) -> tuple[str, ...]:
    """Return the symbolic variables an op defines itself unless they are bound before it."""
    candidates = getattr(op, "candidates", None)
    return () if candidates is None else candidates()


def entry_symbols(op: Operation) -> tuple[str, ...]:
    """Return the symbolic variables that an op binds on entry to its region: those of a closure in
    brackets."""
    entry = getattr(op, "entry_symbols", None)
    return () if entry is None else entry()


def escaping_symbols(op: Operation) -> tuple[str, ...]:
    """Return the variables defined once `op` has run: its own, and any that escape the block it holds."""
    if not kind_has(type(op), SymbolsEscape):
        return candidate_symbols(op)
    found: dict[str, None] = {}
    stack = [op]
    while stack:
        current = stack.pop()
        found.update(dict.fromkeys(candidate_symbols(current)))
        if kind_has(type(current), SymbolsEscape):
            stack.extend(reversed(list(current.regions[0].block.ops)))
    return tuple(found)


def own_symbols(op: Operation) -> Iterator[str]:
    """Yield all symbolic variables that an op itself names, binds or defines."""
    yield from needed_symbols(op)
    yield from candidate_symbols(op)
    yield from entry_symbols(op)
    for type in op.result_types:
        yield from free_variables(type)
    for block in blocks_of(op):
        for argument in block.args:
            yield from free_variables(argument.type)


def named_symbols(root: Operation) -> set[str]:
    """Return all symbolic variables that an op and those in its regions name, bind or define."""
    return {symbol for op in walk_ops(root) for symbol in own_symbols(op)}


def free_symbols(op: Operation) -> dict[str, None]:
    """Return the symbolic variables that an op and everything in its regions name, except in the closures
    that bind them. A match inside counts: it checks against an outer definition, if there is one."""
    found: dict[str, None] = {}
    stack: list[tuple[Operation, frozenset[str]]] = [(op, frozenset())]
    while stack:
        current, bound = stack.pop()
        own = (*needed_symbols(current), *candidate_symbols(current))
        found.update(dict.fromkeys(name for name in own if name not in bound))
        if current.regions:
            bound = bound.union(entry_symbols(current))
            inner = [o for b in blocks_of(current) for o in b.ops]
            stack.extend((each, bound) for each in reversed(inner))
    return found


def bound_around(block: Block) -> set[str]:
    """Return the symbolic variables that are bound before a block is entered: in a graph region around it,
    all that other ops of that define."""
    bound: set[str] = set()
    inside: Operation | None = None
    around: Block | None = block
    while around is not None:
        if inside is not None:
            in_graph = stands_in_graph(around)
            for op in around.ops:
                if op is not inside:
                    bound.update(escaping_symbols(op))
                elif not in_graph:
                    break
        bound.update(defined_variables(around.arg_types))
        inside = around.parent_op()
        if inside is not None:
            bound.update(entry_symbols(inside))
        around = None if inside is None else inside.parent
    return bound


def visible_symbols(before: Operation, in_graph: bool) -> set[str]:
    """Return the symbolic variables that may be named in front of an op; anywhere in its block if
    `in_graph`."""
    block = before.parent
    assert block is not None
    visible = bound_around(block)
    for op in block.ops:
        if op is before and not in_graph:
            break
        visible.update(escaping_symbols(op))
    return visible
