"""relax-merge-composite-functions: neighbouring calls for one code generator become one function.

    %0 = relax.call @fused_matmul(%x, %w) : (...) -> ...            Composite = "cblas.matmul"
    %1 = relax.call @fused_matmul_add(%0, %v, %b) : (...) -> ...    Composite = "cblas.matmul_bias"
->
    %1 = relax.call @cblas_region(%x, %w, %v, %b) : (...) -> ...
    relax.func private @cblas_region(...) -> ... attributes {Codegen = "cblas"} {
      %0 = relax.call @fused_matmul(%x, %w) : (...) -> ...
      %1 = relax.call @fused_matmul_add(%0, %v, %b) : (...) -> ...
      relax.return %1 : ...
    }

Neighbours are calls of which one uses the result of the other. The code generator is the prefix of a
composite's name before its first dot. Two are not merged if another op is on a path between them, which
would create a cyclic dependence (`composite_groups`); nor across an op with an effect, a block or a branch;
nor in a `relax.graph`, whose nodes are unordered, into a function of several results. A composite whose
call has no neighbour is marked `Codegen` itself, so that every call for a code generator is in a function
marked for it.

TVM copies the composite functions into the merged one; here they remain functions of the module.

A call joins the groups that produce its operands if they have the same code generator and none of its other
operands depends on them: in

    A -> B -> C,  A -> C

C depends on B, which depends on A; were A and C one function, it would wait for B, and B for it. Groups are
formed from the first call on, in an order of evaluation, each time with the transitive dependencies of all
groups so far, including those of calls that have joined meanwhile.

Sets of groups are the bits of an integer, which a union of hundreds takes as one step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass

from relax_dialect.dpl.rewriter.outlined_matches import CODEGEN, COMPOSITE, Outliner, why_not
from relax_dialect.ir.order import topological_order
from relax_dialect.ir.purity import ModuleSymbols, is_pure
from relax_dialect.ir.symbol_scopes import (
    bound_around,
    escaping_symbols,
    free_symbols,
)
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp, TupleGetItemOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.transform.regions import Body, bodies, functions, reorder


def merge_composite_functions(module: ModuleOp) -> None:
    """Merge neighbouring calls of composite functions, in all functions that are not marked themselves."""
    outliners: dict[Operation, Outliner] = {}
    for function in functions(module):
        if COMPOSITE in function.attributes or CODEGEN in function.attributes:
            continue
        around = function.parent_op()
        assert isinstance(around, ModuleOp)
        if around not in outliners:
            outliners[around] = Outliner(around)
        _Merger(function, outliners[around]).run()


class _Merger:
    """Merges the calls of one function."""

    def __init__(self, function: FuncOp, outliner: Outliner):
        self.function = function
        self.outliner = outliner
        self.lookup = ModuleSymbols(function)

    def run(self) -> None:
        for body in list(bodies(self.function)):
            if any(self._codegen(op) is not None for op in body.block.ops):
                self._merge(body)

    def _merge(self, body: Body) -> None:
        groups = composite_groups(body, self._codegen, lambda op: is_pure(op, self.lookup))
        bound = None if body.is_graph else bound_around(body.block)
        moved = False
        for group in groups:
            if group.calls > 1 and why_not(group.ops) is None:
                self._outline(group)
                moved = True
            else:
                self._mark(group)
        if moved and bound is not None:
            order = topological_order(body.block, bound)
            if order != list(body.block.ops):
                reorder(body.block, order)

    def _outline(self, group: CompositeGroup) -> None:
        last = next(op for op in reversed(group.ops) if isinstance(op, CallOp))
        marks = {CODEGEN: StringAttr(group.codegen)}
        self.outliner.outline(
            self.function,
            group.ops,
            last,
            marks,
            name=f"{group.codegen}_region",
            bind_constants=False,
        )

    def _mark(self, group: CompositeGroup) -> None:
        for call in group.ops:
            callee = self.lookup(call.callee_name) if isinstance(call, CallOp) else None
            if callee is not None:
                callee.attributes[CODEGEN] = StringAttr(group.codegen)

    def _codegen(self, op: Operation) -> str | None:
        """Return the code generator of a call of a composite function."""
        callee = self.lookup(op.callee_name) if isinstance(op, CallOp) else None
        name = callee.attributes.get(COMPOSITE) if isinstance(callee, FuncOp) else None
        if not isinstance(name, StringAttr):
            return None
        before, dot, _ = name.data.partition(".")
        return before if dot and before else None


class MergeCompositeFunctionsPass(ModulePass):
    """Merge neighbouring calls of composite functions for one code generator."""

    name = "relax-merge-composite-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        merge_composite_functions(op)


# Groups of composite calls, without cycles ------------------------------------------------------


PASSES_ON = (LetOp, TupleGetItemOp)
"""Ops that join the group of their operand's producer, as they only forward it."""


@dataclass(eq=False)
class CompositeGroup:
    """Calls for one code generator that become one function."""

    codegen: str
    stretch: int
    """The number of ops with an effect before it, if order matters."""
    bits: int
    """The numbers of the groups merged into it, as bits."""
    needs: int = 0
    """The groups it depends on, directly or, as far as then known, through others."""
    ops: list[Operation] = field(default_factory=list)
    calls: int = 0


@dataclass
class _Grouping:
    """The groups of a block as it is walked in an order of evaluation."""

    groups: list[CompositeGroup] = field(default_factory=list)
    """By number; a group that was merged into another is replaced by it."""
    grown: int = 0
    """The groups whose dependencies have grown since the first query."""
    group_of: dict[Operation, CompositeGroup] = field(default_factory=dict)
    needs_of: dict[Operation, int] = field(default_factory=dict)
    """The groups that an op outside of groups depends on."""

    def closed(self, mask: int) -> int:
        """Return a set of groups with all they depend on."""
        done = 0
        while pending := mask & self.grown & ~done:
            group = self.groups[pending.bit_length() - 1]
            done |= group.bits
            mask |= group.bits | group.needs
        return mask

    def reached(self, op: Operation) -> int:
        """Return the groups that a user of an op depends on."""
        group = self.group_of.get(op)
        return self.needs_of.get(op, 0) if group is None else group.bits | group.needs

    def pass_over(self, op: Operation, needed: Iterable[Operation]) -> None:
        """Record the dependencies of an op outside of groups."""
        mask = 0
        for other in needed:
            mask |= self.reached(other)
        self.needs_of[op] = mask

    def follow(self, op: Operation, group: CompositeGroup) -> None:
        """Add an op to the only group it depends on."""
        group.ops.append(op)
        self.group_of[op] = group

    def take(self, call: Operation, needed: list[Operation], codegen: str, stretch: int) -> None:
        """Add a call to the groups it may join, or to a new one."""
        around = {g: None for op in needed if (g := self.group_of.get(op)) is not None}
        wanted = [g for g in around if g.codegen == codegen and g.stretch == stretch]
        mask = 0
        for op in needed:
            group = self.group_of.get(op)
            if group is None:
                mask |= self.needs_of.get(op, 0)
            elif group in wanted:
                mask |= group.needs
            else:
                mask |= group.bits | group.needs
        mask = self.closed(mask)
        joined = [g for g in wanted if not mask & g.bits]
        if not joined:
            joined = [CompositeGroup(codegen, stretch, 1 << len(self.groups))]
            self.groups.append(joined[0])
        target = max(joined, key=lambda g: len(g.ops))
        for group in joined:
            if group is not target:
                self._join(group, target)
        if mask & ~target.needs:
            target.needs |= mask
            if target.calls:
                self.grown |= target.bits
        target.calls += 1
        self.follow(call, target)

    def _join(self, group: CompositeGroup, target: CompositeGroup) -> None:
        target.bits |= group.bits
        target.needs |= group.needs
        target.calls += group.calls
        self.grown |= target.bits
        for op in group.ops:
            self.follow(op, target)
        number = group.bits
        while number:
            self.groups[number.bit_length() - 1] = target
            number &= ~(1 << (number.bit_length() - 1))


def composite_groups(
    body: Body,
    codegen_of: Callable[[Operation], str | None],
    is_pure: Callable[[Operation], bool],
) -> list[CompositeGroup]:
    """Return the groups of a block, each in an order of evaluation.

    `codegen_of` returns the code generator of a call, None for any other op. In an ordered block no op with
    an effect lies between the calls of a group.
    """
    grouping = _Grouping()
    needs = _Needs(body)
    stretch = 0
    for op in body.ops():
        needed = needs.of(op)
        codegen = codegen_of(op)
        if not body.is_graph and not is_pure(op):
            stretch, codegen = stretch + 1, None
        if codegen is not None:
            grouping.take(op, needed, codegen, stretch)
        elif isinstance(op, PASSES_ON) and len(needed) == 1 and needed[0] in grouping.group_of:
            grouping.follow(op, grouping.group_of[needed[0]])
        else:
            grouping.pass_over(op, needed)
    return list(dict.fromkeys(grouping.groups))


class _Needs:
    """The values and symbolic variables that ops of a block need of the others."""

    def __init__(self, body: Body):
        self._block = body.block
        self._definers: dict[str, Operation] = {}
        bound: set[str] | None = None
        for op in body.block.ops:
            for name in escaping_symbols(op):
                bound = bound_around(body.block) if bound is None else bound
                if name not in bound:
                    self._definers.setdefault(name, op)

    def of(self, op: Operation) -> list[Operation]:
        """Return the ops of the block that one needs, each once."""
        found: dict[Operation, None] = {}
        for inner in walk_ops(op) if op.regions else (op,):
            for value in inner.operands:
                if isinstance(value, OpResult) and value.op.parent is self._block:
                    found[value.op] = None
        for name in free_symbols(op) if self._definers else ():
            if (definer := self._definers.get(name)) is not None:
                found[definer] = None
        found.pop(op, None)
        return list(found)
