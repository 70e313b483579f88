"""Recursion: the calls that are loop iterations, and the nesting limit of all others.

A call in tail position returns its result as that of the enclosing function: nothing happens after it. If
functions call themselves or each other so, a call replaces the one before it, in the interpreter and by
`relax-tail-calls-to-loops`. All other recursion takes memory at each level, so its depth has a limit, one
for interpreter and compiled code: `relax.recursion_limit` of the module.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph, strongly_connected
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.traits import region_is_graph
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallOp, PackedOp
from relax_dialect.ops.control import CallClosureOp, IfOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import LetOp

LIMIT = "relax.recursion_limit"
"""The attribute of a module with the maximum nesting of calls of recursive functions."""

DEFAULT_LIMIT = 5000
"""The limit of modules that name none: a frame of compiled code takes some 100 to 500 bytes, and may
take 1.6 KB before 8 MB of stack are used up."""

UNCOUNTED = "relax.uncounted"
"""Marks a function that a pass made of parts of others: its calls do not count as levels."""


def recursion_limit(module: ModuleOp) -> int:
    """Return the maximum nesting of calls of recursive functions in a module."""
    given = module.attributes.get(LIMIT, module.properties.get(LIMIT))
    if given is None:
        return DEFAULT_LIMIT
    if not isinstance(given, IntegerAttr) or given.type != i64 or given.value.data < 1:
        raise RelaxError(
            f"builtin.module: expected a {LIMIT} of at least 1, as an i64, found {given}; correct the "
            "attribute"
        )
    return given.value.data


def set_recursion_limit(module: ModuleOp, limit: int, what: str = "recursion limit") -> None:
    """Set the maximum nesting of calls of recursive functions, interpreted and compiled; `what` names the
    limit in errors."""
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit < 2**63:
        raise RelaxError(
            f"{what}: expected a number from 1 to 2^63 - 1, found {limit!r}; pass an int"
        )
    module.attributes[LIMIT] = IntegerAttr(limit, i64)


def too_deep(limit: int) -> str:
    """Return the end of the error, after the name of the function."""
    return (
        f"expected recursive calls nested at most {limit} deep, found deeper ones; is there a recursion "
        f"without end? Make it a loop, by calls in tail position or relax.while, or set {LIMIT}"
    )


@dataclass
class Position:
    """A value that may be the result of a function."""

    value: SSAValue
    call: CallOp | None = None
    """The call in tail position that returns it."""
    branches: tuple[IfOp, int, int] | None = None
    """The `if` that yields it, and the positions of its branches."""


@dataclass
class Tail:
    """The positions of a function's result, each before those of its branches."""

    positions: list[Position] = field(default_factory=list)

    @property
    def calls(self) -> list[CallOp]:
        return [p.call for p in self.positions if p.call is not None]

    @property
    def exits(self) -> list[SSAValue]:
        """The values that end the recursion."""
        return [p.value for p in self.positions if p.call is None and p.branches is None]


def tail_of(function: FuncOp, callees: frozenset[str], symbols: ModuleSymbols) -> Tail:
    """Return the values that a function's result may come from, and the calls of some callees in tail
    position."""
    found = Tail()
    found.positions.append(Position(function.return_op.value))
    places = [(function.body.block, False)]
    for index, position in enumerate(found.positions):  # grows
        block, in_graph = places[index]
        in_graph = region_is_graph(block.parent_op() or function, in_graph)
        value = position.value
        while True:
            owner = value.owner
            if not (isinstance(value, OpResult) and owner.parent is block):
                break
            assert isinstance(owner, Operation)
            if not (value.get_unique_use() is not None and (in_graph or _ends(owner, symbols))):
                break
            position.value = value
            if isinstance(owner, LetOp):
                value = owner.value
                continue
            if isinstance(owner, BlockOp):
                value, block = owner.output.operands[value.index], owner.body.block
                in_graph = region_is_graph(owner, in_graph)
                continue
            if isinstance(owner, CallOp) and owner.callee_name in callees:
                position.call = owner
            elif isinstance(owner, IfOp):
                first = len(found.positions)
                position.branches = (owner, first, first + 1)
                for region, given in zip(owner.regions, owner.yields):
                    found.positions.append(Position(given))
                    places.append((region.block, in_graph))
            break
    return found


def _ends(op: Operation, symbols: ModuleSymbols) -> bool:
    """Return whether nothing happens after an op in its block."""
    following = op.next_op
    while following is not None:
        if isinstance(following, MatchOp) or not is_pure(following, symbols):
            return False
        following = following.next_op
    return True


@dataclass
class Recursion:
    """The recursive functions of a module, and the calls of them that are loop iterations."""

    functions: frozenset[str]
    """The functions whose calls count as levels."""
    turns: frozenset[CallOp]
    loops: list[tuple[str, ...]]
    """The functions that call themselves, or each other, by such tail calls."""
    passing: frozenset[str] = frozenset()
    """The functions reachable from recursive functions that reach one, or call a function that is not
    known."""
    calls_out: bool = False
    """Whether external functions, or function values, are called."""

    @staticmethod
    def of(module: ModuleOp) -> Recursion:
        """Return the recursive functions of a module."""
        return Recursion.within(CallGraph.of(module), ModuleSymbols(module))

    @staticmethod
    def within(graph: CallGraph, symbols: ModuleSymbols) -> Recursion:
        """Return the recursive functions of a call graph: a module's, or the part of it that can be
        reached."""
        recursive = graph.recursive()
        tails: dict[str, Tail] = {}
        for component in graph.components:
            for name in component:
                function = graph.symbols[name]
                if name in recursive and isinstance(function, FuncOp):
                    tails[name] = tail_of(function, frozenset(component), symbols)
        edges = {
            name: tuple(
                c for c in dict.fromkeys(call.callee_name for call in tail.calls) if c in tails
            )
            for name, tail in tails.items()
        }
        turns: set[CallOp] = set()
        loops: list[tuple[str, ...]] = []
        for members in strongly_connected(edges):
            calls = [c for m in members for c in tails[m].calls if c.callee_name in members]
            has_exit = any(
                tails[m].exits
                or len([c for c in tails[m].calls if c in calls]) < len(tails[m].calls)
                for m in members
            )
            if calls and has_exit:  # without one it is an error, that of the limit
                turns.update(calls)
                loops.append(members)
        counted = (n for n in tails if UNCOUNTED not in graph.symbols[n].attributes)
        calling_out = {
            name
            for name, symbol in graph.symbols.items()
            if isinstance(symbol, FuncOp)
            and any(isinstance(op, PackedOp | CallClosureOp) for op in walk_ops(symbol))
        }
        passing = graph.reachable(recursive) & graph.reaching(recursive | calling_out)
        return Recursion(frozenset(counted), frozenset(turns), loops, passing, bool(calling_out))


def mark_uncounted(function: FuncOp) -> None:
    """Do not count the calls of a function that a pass made of a part of another."""
    function.attributes[UNCOUNTED] = UnitAttr()
