"""Walks over the regions of functions with a builder that inserts before the visited op."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from itertools import chain
from typing import Any

from xdsl.ir import Operation, Region
from xdsl.traits import IsolatedFromAbove, IsTerminator

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.errors import RelaxError
from relax_dialect.ir.order import CycleError, topological_order
from relax_dialect.ir.symbol_scopes import entry_symbols, escaping_symbols
from relax_dialect.ir.traits import Straight, SymbolsEscape, has_trait, region_is_graph
from relax_dialect.ir.type_variables import defined_variables
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.visitor.expr_functor import ExprFunctor


class RegionWalk(ExprFunctor):
    """Visits each op once, after those it uses and those in its regions."""

    builder: BlockBuilder

    def __init__(self) -> None:
        super().__init__()
        self.builder = BlockBuilder()

    @property
    def _scopes(self):
        return self.builder._scopes  # pyright: ignore[reportPrivateUsage]

    # What a subclass does with an op ----------------------------------------------------------

    @abstractmethod
    def _remap(self, op: Operation) -> None:
        """Update an op whose operands are done."""

    @abstractmethod
    def _finish_terminator(self, op: Operation) -> None:
        """Visit a terminator."""

    @abstractmethod
    def _finish(self, op: Operation) -> None:
        """Visit an op whose operands and regions are done."""

    @abstractmethod
    def _finish_region(self, region: Region) -> None:
        """Visit a region whose ops are done."""

    @abstractmethod
    def _clean_up(self) -> None:
        """Reset the state of one function."""

    # Functions, regions and statements --------------------------------------------------------

    def visit_function(self, function: FuncOp) -> Any:
        self._scopes.function = function.sym_name.data
        self.schedule(self.visit_seq, [function.body])
        self.schedule(self._leave_function, [function])

    def _leave_function(self, function: FuncOp) -> None:
        self._scopes.function = None
        self._clean_up()

    def visit_seq(self, region: Region) -> Any:
        owner = region.parent
        first = region.first_block
        if owner is None or first is None:
            return
        outer = self._scopes.stack[-1] if self._scopes.stack else None
        scope = OpenRegion(
            owner.name,
            first,
            is_graph=region_is_graph(owner, outer is not None and outer.is_graph),
            is_straight=has_trait(owner, Straight),
            symbols_escape=has_trait(owner, SymbolsEscape),
            others=list(region.blocks),
        )
        self._scopes.push(scope)
        if isinstance(owner, FuncOp):
            self._scopes.define(defined_variables(first.arg_types))
        self._scopes.define(entry_symbols(owner))
        for block in region.blocks:
            for argument in block.args:
                self._define(argument)
        self.schedule(self._visit_statement, self._order(scope, region))
        self.schedule(self._leave_seq, [region])

    def _order(self, scope: OpenRegion, region: Region) -> Iterable[Operation]:
        """Return the ops of a region in topological order."""
        if not scope.is_graph:
            return list(chain.from_iterable(block.ops for block in region.blocks))
        try:
            order = topological_order(scope.block)
        except CycleError as cycle:
            raise RelaxError(
                f"{scope.kind}: expected a graph region without cycles, found {cycle}; verify the "
                "module before rewriting it"
            ) from None
        self._scopes.define(s for op in order for s in escaping_symbols(op))
        return order

    def _leave_seq(self, region: Region) -> None:
        self._scopes.pop()
        self._finish_region(region)

    def _visit_statement(self, op: Operation) -> None:
        self._stand_before(op)
        self._remap(op)
        if has_trait(op, IsTerminator):
            self._finish_terminator(op)
        elif isinstance(op, BlockOp):
            self.visit_expr(op)
            self.schedule(self._finish, [op])
        elif op.regions and not has_trait(op, IsolatedFromAbove):
            self._enter_regions(op)
            self.schedule(self._finish, [op])
        else:
            self._finish(op)

    def _enter_regions(self, op: Operation) -> None:
        self.schedule(self.visit_seq, op.regions)

    def _stand_before(self, op: Operation) -> None:
        """Set the builder's insertion point before an op."""
        scope = self._scopes.top
        assert op.parent is not None
        scope.block, scope.before = op.parent, op

    def visit_block(self, block: BlockOp) -> Any:
        self.schedule(self.visit_seq, [block.body])

    def visit_op(self, op: Operation) -> Any:
        """Keep the op."""
