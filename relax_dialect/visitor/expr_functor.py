"""The common base of visitors and mutators: handlers, handler lookup and the worklist.

A handler never recurses into the inside of an op: it schedules it. The scheduled items run in order, before
anything scheduled earlier, so the walk is depth first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp as PrimFuncOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from relax_dialect.dialect import OPERATOR_FAMILIES
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp, OutputOp
from relax_dialect.ops.control import ClosureOp, IfOp, YieldOp
from relax_dialect.ops.core import (
    ConstantOp,
    FuncOp,
    MatchCastOp,
    MatchShapeOp,
    ReturnOp,
    ShapeOfOp,
    ShapeOp,
    TupleGetItemOp,
    TupleOp,
)
from relax_dialect.ops.graph import GraphOp, LetOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.ops.shape_value import PrimValueOp, SymbolicValueOp

Step: TypeAlias = tuple[Callable[[Any], Any], Any]

_OPERATORS = frozenset(op.name for family in OPERATOR_FAMILIES for op in family.OPS)
_SPECIAL = {
    "builtin.module": "visit_module",
    "relax.func": "visit_function",
    "func.func": "visit_prim_func",
    "relax.dataflow": "visit_dataflow_block",
    "relax.graph": "visit_graph_block",
}


def handler_names(op_name: str) -> tuple[str, ...]:
    """Return the handlers of an op by its name, the most specific first.

    `relax.add` has visit_add, visit_operator and visit_op; `relax.call_packed` has
    visit_call_packed, visit_call and visit_op; `arith.addf` has visit_arith_addf and visit_op.
    """
    own = _SPECIAL.get(op_name) or "visit_" + op_name.removeprefix("relax.").replace(".", "_")
    if op_name in _OPERATORS:
        return own, "visit_operator", "visit_op"
    if op_name.startswith("relax.call"):
        return own, "visit_call", "visit_op"
    return own, "visit_op"


class ExprFunctor:
    """Handlers for every kind of op, and the dispatch between them."""

    def __init__(self) -> None:
        self._stack: list[Iterator[Step]] = []
        self._later: list[Iterable[Step]] = []
        self._handlers: dict[str, Callable[[Any], Any]] = {}
        self._outputs: dict[Block, frozenset[SSAValue]] = {}

    # The work ---------------------------------------------------------------------------------

    def schedule(self, method: Callable[[Any], Any], items: Iterable[Any]) -> None:
        """Schedule a method call for each item, after the running handler has returned."""
        self._later.append((method, item) for item in items)

    def _run(self, method: Callable[[Any], Any], item: Any) -> None:
        """Call a method, and all that it schedules."""
        stack = self._stack
        stack.append(iter([(method, item)]))
        try:
            while stack:
                step = next(stack[-1], None)
                if step is None:
                    stack.pop()
                    continue
                step[0](step[1])
                if self._later:
                    stack.append(iter(chain.from_iterable(self._later)))
                    self._later = []
        finally:
            stack.clear()
            self._later = []
            self._outputs.clear()

    def visit_expr(self, op: Operation) -> Any:
        """Visit an op by its handler; called from outside, walk everything in it."""
        if self._stack:
            return self._handler(op)(op)
        self._run(self._handler(op), op)
        return None

    def _handler(self, op: Operation) -> Callable[[Any], Any]:
        found = self._handlers.get(op.name)
        if found is None:
            names = handler_names(op.name)
            found = next(h for h in (getattr(self, n, None) for n in names) if h is not None)
            self._handlers[op.name] = found
        return found

    # Modules, functions, sequences ------------------------------------------------------------

    def visit_module(self, module: ModuleOp) -> Any:
        self.schedule(self.visit_expr, list(module.ops))

    def visit_function(self, function: FuncOp) -> Any:
        self.schedule(self.visit_seq, [function.body])

    def visit_prim_func(self, function: PrimFuncOp) -> Any:
        """Visit a prim func. It is no part of the graph: by default its body is not visited."""

    def visit_seq(self, region: Region) -> Any:
        """Visit a function's body, a branch, the inside of a block, or a region of another dialect."""
        for block in region.blocks:
            for argument in block.args:
                self._define(argument)
            self.schedule(self._visit_statement, block.ops)

    @abstractmethod
    def _visit_statement(self, op: Operation) -> None:
        """Visit an op of a sequence: a block, a binding or the terminator."""

    # Blocks -----------------------------------------------------------------------------------

    @abstractmethod
    def visit_block(self, block: BlockOp) -> Any:
        """Visit a block of a kind without its own handler."""

    def visit_binding_block(self, block: BindingBlockOp) -> Any:
        return self.visit_block(block)

    def visit_dataflow_block(self, block: DataflowOp) -> Any:
        return self.visit_block(block)

    def visit_graph_block(self, block: GraphOp) -> Any:
        return self.visit_block(block)

    # Bindings ---------------------------------------------------------------------------------

    def visit_binding(self, op: Operation) -> Any:
        """Visit an op of a sequence that is neither block nor terminator."""
        return (
            self.visit_match_binding(op) if isinstance(op, MatchOp) else self.visit_var_binding(op)
        )

    def visit_var_binding(self, op: Operation) -> Any:
        return self.visit_expr(op)

    def visit_match_binding(self, op: MatchOp) -> Any:
        """Visit a match_shape or match_cast, which also defines symbolic variables."""
        return self.visit_expr(op)

    # Expressions ------------------------------------------------------------------------------

    @abstractmethod
    def visit_op(self, op: Operation) -> Any:
        """Visit an op without a more specific handler."""

    def visit_operator(self, op: Operation) -> Any:
        """Visit an operator of any family, such as relax.add."""
        return self.visit_op(op)

    def visit_call(self, op: Operation) -> Any:
        """Visit a call of any kind: a function, prim func, packed function or closure."""
        return self.visit_op(op)

    def visit_constant(self, op: ConstantOp) -> Any:
        return self.visit_op(op)

    def visit_tuple(self, op: TupleOp) -> Any:
        return self.visit_op(op)

    def visit_tuple_get_item(self, op: TupleGetItemOp) -> Any:
        return self.visit_op(op)

    def visit_shape(self, op: ShapeOp) -> Any:
        return self.visit_op(op)

    def visit_symbolic_value(self, op: SymbolicValueOp) -> Any:
        return self.visit_op(op)

    def visit_prim_value(self, op: PrimValueOp) -> Any:
        return self.visit_op(op)

    def visit_shape_of(self, op: ShapeOfOp) -> Any:
        return self.visit_op(op)

    def visit_match_shape(self, op: MatchShapeOp) -> Any:
        return self.visit_op(op)

    def visit_match_cast(self, op: MatchCastOp) -> Any:
        return self.visit_op(op)

    def visit_let(self, op: LetOp) -> Any:
        return self.visit_op(op)

    def visit_if(self, op: IfOp) -> Any:
        return self.visit_op(op)

    def visit_while(self, op: WhileOp) -> Any:
        return self.visit_op(op)

    def visit_closure(self, op: ClosureOp) -> Any:
        return self.visit_op(op)

    def visit_output(self, op: OutputOp) -> Any:
        return self.visit_op(op)

    def visit_yield(self, op: YieldOp) -> Any:
        return self.visit_op(op)

    def visit_return(self, op: ReturnOp) -> Any:
        return self.visit_op(op)

    # Variables --------------------------------------------------------------------------------

    def visit_var_def(self, var: SSAValue) -> Any:
        """Visit the definition of a variable; dataflow variables too, unless they have their handler."""

    def visit_dataflow_var_def(self, var: SSAValue) -> Any:
        """Visit the definition of a variable that does not leave its dataflow block."""
        return self.visit_var_def(var)

    def visit_dataflow_var(self, var: SSAValue) -> Any:
        """Visit a use of a variable that does not leave its dataflow block."""
        return self.visit_var(var)

    @abstractmethod
    def visit_var(self, var: SSAValue) -> Any:
        """Visit a use of a variable; dataflow variables too, unless they have their handler."""

    def is_dataflow_var(self, value: SSAValue) -> bool:
        """Return whether a value is defined in a dataflow (or graph) block and not passed out of it."""
        if isinstance(value, BlockArgument):
            return False
        assert isinstance(value, OpResult)
        block = value.op.parent
        if block is None or not isinstance(block.parent_op(), DataflowOp | GraphOp):
            return False
        if (outputs := self._outputs.get(block)) is None:
            last = block.last_op
            outputs = frozenset(() if last is None else last.operands)
            self._outputs[block] = outputs
        return value not in outputs

    def _define(self, value: SSAValue) -> Any:
        if self.is_dataflow_var(value):
            return self.visit_dataflow_var_def(value)
        return self.visit_var_def(value)

    def _use(self, value: SSAValue) -> Any:
        if self.is_dataflow_var(value):
            return self.visit_dataflow_var(value)
        return self.visit_var(value)
