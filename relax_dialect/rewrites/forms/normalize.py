"""relax-normalize: bindings are enclosed in blocks, and types are the inferred ones.

```mlir
relax.func @f(%x: T) -> T {                    relax.func @f(%x: T) -> T {
  %a = relax.exp %x : (T) -> U                   %y = relax.binding_block {
  %y = relax.tanh %a : (U) -> U                    %a = relax.exp %x : (T) -> T
  relax.return %y : U                   ->         %y = relax.tanh %a : (T) -> T
}                                                  relax.output %y : T
                                                 }
                                                 relax.return %y : T
                                               }
```

Each run of ops between the blocks of a function body, branch or closure becomes a
`relax.binding_block`; ops never enter or leave an existing block, which could reorder them with an effect.
Graph regions are unchanged: their nodes are unordered.

A declared result type becomes the inferred one if that is narrower. Ops that a narrower operand would
contradict (they fail at run time, if reached) get the old type back through a `relax.let`; other dialects'
ops see no change. The types of functions and closures are fixed by their users.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype, join
from relax_dialect.ir.purity import ModuleSymbols, module_by_module
from relax_dialect.ir.symbol_scopes import escaping_symbols
from relax_dialect.ir.traits import has_trait, region_is_graph
from relax_dialect.ir.type_variables import free_variables, substitute
from relax_dialect.ops.base import MatchOp, RelaxOp
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, OutputOp
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import IfOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.transform.regions import (
    Body,
    bodies,
    enclose,
    functions,
    holds_bindings,
    is_relax,
    set_type,
)


@dataclass
class _Region:
    """The regions of an op being walked."""

    owner: Operation
    is_graph: bool
    remaining: Iterator[Operation]
    pinned: frozenset[str]
    """The variables that a graph region around defines: a type must not newly name them, as the
    edge to the definition could close a cycle."""


@dataclass
class TypeNarrower:
    """Sets the types of the values of a function to the inferred ones, in order of evaluation."""

    lookup: ModuleSymbols
    original: dict[SSAValue, Attribute] = field(default_factory=dict)
    """The former types of the values that were narrowed."""

    def run(self, function: FuncOp) -> None:
        """Narrow the types in one walk, which does not recurse."""
        stack = [self._enter(function, False, frozenset())]
        while stack:
            region = stack[-1]
            op = next(region.remaining, None)
            if op is None:
                stack.pop()
                if stack:
                    self._narrow(region.owner, stack[-1].pinned)
                continue
            self._fit(op)
            if op.regions and holds_bindings(op):
                stack.append(self._enter(op, region.is_graph, region.pinned))
            else:
                self._narrow(op, region.pinned)

    def _enter(self, op: Operation, in_graph: bool, pinned: frozenset[str]) -> _Region:
        is_graph = region_is_graph(op, in_graph)
        blocks = [r.first_block for r in op.regions if r.first_block is not None]
        if is_graph:
            pinned = pinned.union(s for b in blocks for o in b.ops for s in escaping_symbols(o))
        ops = (o for block in blocks for o in Body(block, is_graph, op).ops())
        return _Region(op, is_graph, ops, pinned)

    def _fit(self, op: Operation) -> None:
        """Widen operands that were narrowed to types that an op does not accept."""
        narrowed = [o for o in op.operands if o in self.original]
        if not narrowed:
            return
        if isinstance(op, OutputOp):
            block = op.parent_op()
            assert isinstance(block, BlockOp)
            results = [r for r, o in zip(block.results, op.operands) if o in self.original]
            if not all(self._may_change(result) for result in results):
                self._widen(op)
        elif not accepts(op, self.lookup):
            self._widen(op)

    def _widen(self, op: Operation) -> None:
        operands: list[SSAValue] = []
        block = op.parent
        assert block is not None
        for operand in op.operands:
            if (type := self.original.get(operand)) is not None:
                if isinstance(operand.owner, LetOp) and operand.has_one_use():
                    set_type(operand, type)
                    del self.original[operand]
                else:
                    let = LetOp.create(operands=[operand], result_types=[type])
                    let.result.name_hint = operand.name_hint
                    block.insert_op_before(let, op)
                    operand = let.result
            operands.append(operand)
        op.operands = operands

    @staticmethod
    def _may_change(value: SSAValue) -> bool:
        return all(is_relax(use.operation) for use in value.uses)

    def _narrow(self, op: Operation, pinned: frozenset[str]) -> None:
        for result, type in zip(op.results, self._inferred(op)):
            declared = result.type
            if type is declared or type == declared:
                continue
            if isinstance(op, BlockOp):  # `_fit` made sure that these may change
                self.original[result] = declared
                set_type(result, type)
            elif is_subtype(type, declared) and self._may_change(result):
                if pinned and not pinned.isdisjoint(free_variables(type)):
                    continue
                self.original[result] = declared
                set_type(result, type)

    def _inferred(self, op: Operation) -> Sequence[Attribute]:
        if isinstance(op, BlockOp):
            return op.output.operand_types
        if isinstance(op, IfOp):
            return (_joined(op),)
        if isinstance(op, SymbolCallOp):
            callee = self.lookup(op.callee_name)
            return op.infer_with(callee)[1] if callee is not None else op.result_types
        if isinstance(op, RelaxOp) and not isinstance(op, MatchOp):
            return op.checked_types()
        return op.result_types


def accepts(op: Operation, lookup: ModuleSymbols) -> bool:
    """Return whether the types of its operands do not contradict an op."""
    try:
        if isinstance(op, RelaxOp):
            op.check_operands()
            op.verify_()
        if isinstance(op, SymbolCallOp):
            op.verify_call(lookup)
    except (RelaxError, VerifyException):
        return False
    return True


def _joined(op: IfOp) -> Attribute:
    """Return the least type of both branches, without the variables that they define."""
    types: list[Attribute] = []
    for region, value in zip(op.regions, op.yields):
        hidden = {s: None for inner in region.block.ops for s in escaping_symbols(inner)}
        types.append(substitute(value.type, hidden))
    return join(*types)


def make_blocks_explicit(function: FuncOp) -> None:
    """Put the ops between the blocks of every sequence into binding blocks."""
    for body in list(bodies(function)):
        if not body.is_sequence:
            continue
        ops = [op for op in body.block.ops if not has_trait(op, IsTerminator)]
        for is_block, run in groupby(ops, lambda op: isinstance(op, BlockOp)):
            if not is_block:
                enclose(list(run), BindingBlockOp)


def normalize(module: ModuleOp) -> None:
    """Narrow types and make binding blocks explicit in all functions."""
    for function, lookup in module_by_module(functions(module)):
        TypeNarrower(lookup).run(function)
        make_blocks_explicit(function)


class NormalizePass(ModulePass):
    """Enclose bindings in blocks, and narrow types to the inferred ones."""

    name = "relax-normalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        normalize(op)
