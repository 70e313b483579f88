"""`partition`: the matches of a pattern become private functions, as by Relay's `partition`.

    x, w, b = wildcard(), wildcard(), wildcard()
    partition(is_op("add")(is_op("matmul")(x, w), b), module, name="cblas.matmul_bias")

    %0 = relax.matmul %x, %w : (...) -> ...
    %1 = relax.add %0, %b : (...) -> ...
->
    %1 = relax.call @fused_matmul_add(%x, %w, %b) : (...) -> ...
    relax.func private @fused_matmul_add(...) -> ... attributes {Composite = "cblas.matmul_bias"} { ... }

A match is outlined if it is whole (see `extent`: one block, nothing inside used elsewhere, no effect
between), if its root has no effect either and is no constant, and if nothing in it defines a symbolic
variable. Ops are visited from the last one up, so that of two matches that overlap the larger is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from xdsl.dialects.builtin import FloatAttr, ModuleOp, StringAttr, f64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from relax_dialect.dpl.errors import PatternError
from relax_dialect.dpl.matching import matches_at
from relax_dialect.dpl.rewriter.outlined_matches import (
    CODEGEN,
    COMPOSITE,
    PARTITIONED,
    Outliner,
    in_order,
    told_name,
    why_not,
)
from relax_dialect.dpl.rewriter.partition_parameters import (
    Order,
    embedded_constants,
    order_of_pattern,
)
from relax_dialect.dpl.search.match import Check, Match
from relax_dialect.dpl.search.match_region import Extent, extent
from relax_dialect.dpl.search.satisfiability import root_kinds
from relax_dialect.dpl.syntax.nodes import Node, TogetherNode
from relax_dialect.errors import RelaxError
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import escaping_symbols
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import to_attribute
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import ConstantOp, FuncOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.transform.regions import bodies, erase, functions

Root = FuncOp | ModuleOp
Attributes = Mapping[str, Attribute | str | int | float | bool]

RESERVED = ("sym_name", "sym_visibility", "function_type", COMPOSITE, PARTITIONED)
"""Attributes reserved for functions, which users cannot set."""


def outline_matches(
    pattern: Node,
    func_or_module: Root,
    attrs: Attributes | None = None,
    check: Check | None = None,
    name: str | None = None,
    *,
    bind_constants: bool | None = None,
) -> list[CallOp]:
    """Outline every whole match of a pattern that overlaps no other; returns the calls. See `partition`."""
    if name is not None and (not isinstance(name, str) or not name):
        raise PatternError(f"partition: expected a name for the functions, found {name!r}")
    if check is not None and not callable(check):
        raise PatternError(
            f"partition: expected a function of a match as the check, found {check!r}; leave it out to "
            "take every match"
        )
    given = as_attributes("partition", attrs)
    if name is not None:
        given[COMPOSITE] = StringAttr(name)
    found = Partitioner("partition", func_or_module)
    return found.run(pattern, given, check, bind_constants, by_pattern=True)


def as_attributes(what: str, attrs: Attributes | None) -> dict[str, Attribute]:
    """Convert the attributes of a function from Python values, such as strings, numbers and booleans."""
    found: dict[str, Attribute] = {}
    if not isinstance(attrs or {}, Mapping):
        raise PatternError(
            f"{what}: expected the attributes as a mapping of names to values, found {attrs!r}"
        )
    for name, value in (attrs or {}).items():
        if not isinstance(name, str) or name in RESERVED:
            raise PatternError(
                f"{what}: expected attributes other than {', '.join(RESERVED)}, found {name!r}; a "
                "composite is named by the argument name"
            )
        found[name] = _attribute(what, name, value)
    return found


def _attribute(what: str, name: str, value: object) -> Attribute:
    if isinstance(value, str):
        return StringAttr(value)
    if isinstance(value, float):
        return FloatAttr(value, f64)
    try:
        if (attribute := to_attribute(value)) is not None:
            return attribute
    except (RelaxError, TypeError, ValueError):
        pass
    raise PatternError(
        f"{what}: expected text, a number or an attribute for {name!r}, found {value!r}; make an "
        "attribute of it"
    )


@dataclass
class _Ops:
    """The ops of a function at which patterns may match, from the last one up, found by name."""

    function: FuncOp
    lookup: ModuleSymbols
    ops: list[Operation] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, function: FuncOp) -> _Ops:
        found = cls(function, ModuleSymbols(function))
        for body in bodies(function):
            for op in reversed(body.ops()):
                if op.results and not isinstance(op, BlockOp | LetOp):
                    found.places.setdefault(op.name, []).append(len(found.ops))
                    found.ops.append(op)
        return found

    def candidates(self, pattern: Node) -> list[Operation]:
        """Return the ops at which a pattern may match."""
        kinds = root_kinds(pattern)
        if kinds is None:
            return self.ops
        return [self.ops[i] for i in sorted(chain(*(self.places.get(k, ()) for k in kinds)))]


class Partitioner:
    """Outlines the matches of one pattern after another."""

    def __init__(self, what: str, where: Root):
        if not isinstance(where, ModuleOp | FuncOp):
            raise PatternError(
                f"{what}: expected a relax.func or a module, found {where!r}; pass the function around it"
            )
        if isinstance(where, FuncOp) and not isinstance(where.parent_op(), ModuleOp):
            raise PatternError(
                f"{what}: expected a function of a module, which the new functions are put into, found "
                f"@{where.sym_name.data} without one; put it into a module"
            )
        self._functions = functions(where) if isinstance(where, ModuleOp) else [where]
        self._functions = [f for f in self._functions if not is_marked(f)]
        self._outliners: dict[Block, Outliner] = {}
        self._known: dict[FuncOp, _Ops] = {}

    def run(
        self,
        pattern: Node,
        attributes: Mapping[str, Attribute],
        check: Check | None = None,
        bind_constants: bool | None = True,
        by_pattern: bool = False,
    ) -> list[CallOp]:
        """Outline the matches of a pattern; returns the calls in the order of evaluation.

        `by_pattern`: parameters are in the pattern's order, not in that of their first use.
        """
        calls: list[CallOp] = []
        for function in self._functions:
            ops = self._known.get(function)
            if ops is None:
                ops = self._known[function] = _Ops.of(function)
            selected = _select(pattern, ops, check)
            if selected:
                del self._known[function]
            orders: dict[Match, Order] = {}
            if by_pattern:
                orders = {m: order_of_pattern(m, in_order(_ops(found))) for m, found in selected}
            for match, found in reversed(selected):
                if len(found.roots) > 1:
                    again = _extent(match, ops.lookup)
                    if again is None:
                        continue
                    found = again
                bound = embedded_constants(match) if bind_constants is None else bind_constants
                order = orders.get(match)
                calls.append(self._outline(function, found, attributes, bound, order))
        return calls

    def outliner(self, function: FuncOp) -> Outliner:
        """Return the outliner that makes functions in the module of a function."""
        block, module = function.parent, function.parent_op()
        assert block is not None and isinstance(module, ModuleOp)
        if block not in self._outliners:
            self._outliners[block] = Outliner(module)
        return self._outliners[block]

    def _outline(
        self,
        function: FuncOp,
        found: Extent,
        attributes: Mapping[str, Attribute],
        bind_constants: bool | Collection[SSAValue],
        order: Order | None,
    ) -> CallOp:
        block = found.before.parent
        assert block is not None
        for op in found.hoisted:
            op.detach()
            block.insert_op_before(op, found.before)
        for op in reversed(found.inner):
            if isinstance(op, LetOp) and op.result.first_use is None:
                erase(op)
        ops = [op for op in _ops(found) if op.parent is block]
        marks = dict(attributes)
        if COMPOSITE not in marks:
            marks[PARTITIONED] = StringAttr(told_name(in_order(ops)))
        return self.outliner(function).outline(
            function, ops, found.before, marks, bind_constants=bind_constants, order=order
        )


def is_marked(function: FuncOp) -> bool:
    """Return whether a function was outlined, or is for a code generator."""
    return any(mark in function.attributes for mark in (COMPOSITE, CODEGEN, PARTITIONED))


def _ops(found: Extent) -> list[Operation]:
    return [*found.roots, *found.inner]


def _extent(match: Match, lookup: ModuleSymbols) -> Extent | None:
    """Return the ops of a match that can be outlined; None if it must be kept."""
    found = extent(match, lookup)
    if isinstance(found, str) or why_not(_ops(found)) is not None:
        return None
    roots = found.roots
    if any(isinstance(op, ConstantOp) or not is_pure(op, lookup) for op in roots):
        return None
    return None if len(roots) > 1 and _defines_between(found) else found


def _defines_between(found: Extent) -> bool:
    """Return whether a symbolic variable is defined between the roots, which move to the first."""
    missing = set() if found.in_graph else {*found.roots} - {found.before}
    op = found.before.next_op
    while missing and op is not None:
        if escaping_symbols(op):
            return True
        missing.discard(op)
        op = op.next_op
    return False


def _select(pattern: Node, ops: _Ops, check: Check | None) -> Sequence[tuple[Match, Extent]]:
    """Return the matches to outline, from the last one up; the program does not change meanwhile."""
    memo: dict[Any, Any] = {}
    taken: set[Operation] = set()
    selected: list[tuple[Match, Extent]] = []
    candidates = ops.candidates(pattern)
    if several := isinstance(pattern, TogetherNode):
        candidates = candidates[::-1]  # so that roots are found in their order
    for op in candidates:
        if op in taken:
            continue
        for match in chain.from_iterable(matches_at(pattern, r, memo, taken) for r in op.results):
            found = _extent(match, ops.lookup)
            if found is None or not taken.isdisjoint(_ops(found)):
                continue
            if check is not None and not check(match):
                continue
            selected.append((match, found))
            taken.update(inner for o in _ops(found) for inner in walk_ops(o))
            break
    return selected[::-1] if several else selected
