"""`ExprMutator` and `DataflowMutator`: handlers return the replacement of an op.

class FuseMulAdd(DataflowMutator):
    def visit_add(self, op):
        product = self.builder.lookup_binding(op.lhs)
        if isinstance(product, MultiplyOp):
            return builder.op.call_pure_packed("fma", [*product.operands, op.rhs], op.result.type)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation, OpResult, Region, SSAValue
from xdsl.traits import is_side_effect_free

from relax_dialect.builder import BlockBuilder, BuildError
from relax_dialect.ir.lattice import contradict
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ir.symbol_scopes import candidate_symbols
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.visitor.replacements import Replacements
from relax_dialect.visitor.result_types import is_only_returned, retype_callers
from relax_dialect.visitor.typed_walk import TypedWalk


class ExprMutator(TypedWalk):
    """Base class of rewrites in place; ops without a replacement are kept.

    Every op is visited once, after those it uses and those in its regions, with its operands already
    replaced. A handler emits ops through `self.builder`, which inserts before the visited op (1 -> n),
    finds the ops that define operands with `self.builder.lookup_binding` (n -> 1), and returns:

    * None: the op is kept, and its result types are inferred again if its operands have changed;
    * a value, expression or op: replaces the only result, and the op is erased;
    * a sequence of these: one for each result (empty for an op without results).

    What is emitted may use the op's own result: the op then stays, wrapped. Pure ops that lose their
    last use go as well. A new op gets the name and location of the one replaced. The state of a loop keeps
    its types, and so does the result of a function if the returned value may still have its type: it is
    cast there. Any other value changes the result type, and the types of calls in all callers
    (`result_types.py`). Parameters keep their types.
    """

    def __init__(self) -> None:
        super().__init__()
        self.changed = False
        """Whether anything was replaced so far."""
        self._replacements = Replacements(self._is_dead)

    def visit_expr(self, op: Operation) -> Any:
        """Dispatch an op to its handler; called from outside, rewrite the functions in it."""
        if self._stack:
            return self._handler(op)(op)
        module = op
        while module is not None and not isinstance(module, ModuleOp):
            module = module.parent_op()
        self.builder = BlockBuilder(module)
        # a replacement inherits the location of the replaced op
        self.builder.notes_call_sites = False
        try:
            if not isinstance(op, ModuleOp | FuncOp):
                raise BuildError(
                    f"{type(self).__name__}: expected a module or a relax.func to rewrite, found "
                    f"{op.name}; pass the function around it"
                )
            self._run(self._handler(op), op)
        finally:
            self._clean_up()
        if isinstance(module, ModuleOp):
            self._retype_callers(module)
        return None

    def _retype_callers(self, module: ModuleOp) -> None:
        """Infer anew what calls functions whose result types have changed, and their callers."""
        if self._retyped:
            plain = ExprMutator()
            plain._retyped = self._retyped
            plain._retype_callers = lambda module: None
            retype_callers(module, self._retyped, plain.visit_expr)
            self._retyped = set()

    def visit_var(self, var: SSAValue) -> Any:
        """Return the replacement of a use of a variable."""
        return self._replacements.get(var)

    def rewrites_here(self) -> bool:
        """Return whether ops at the insertion point are dispatched to the handlers."""
        return True

    def _finish_region(self, region: Region) -> None:
        self._replacements.leave(region)

    def _clean_up(self) -> None:
        self._replacements.clear()
        self._forget_types()
        self._scopes.stack.clear()

    # Replacing --------------------------------------------------------------------------------

    def _finish(self, op: Operation) -> None:
        """Visit an op whose operands and regions are done, and replace it by the handler's return value."""
        self._retype_parent(op)
        if isinstance(op, BlockOp) or not self.rewrites_here():
            self._keep(op)
            return
        self._stand_before(op)
        self._scopes.placed = placed = []
        try:
            replacement = self.visit_binding(op)
            if replacement is None:
                self._keep(op)
            else:
                self._replace(op, replacement, placed)
        finally:
            self._scopes.placed = None

    def _keep(self, op: Operation) -> None:
        self._scopes.define(candidate_symbols(op))
        for result in op.results:
            self._define(result)

    def _replace(self, op: Operation, replacement: Any, placed: list[Operation]) -> None:
        values = self._given(op, replacement)
        if values and all(old is new for old, new in zip(op.results, values)):
            self._keep(op)
            return
        self.changed = True
        self._name(op, values, placed)
        used = (operand for made in placed for operand in made.operands)
        if any(value.owner is op for value in (*values, *used)):  # it is wrapped: it stays
            if placed:
                op.detach()
                assert placed[0].parent is not None
                placed[0].parent.insert_op_before(op, placed[0])
            self._scopes.define(candidate_symbols(op))
        else:
            self._replacements.give_up(op)

    def _given(self, op: Operation, replacement: Any) -> Sequence[SSAValue]:
        """Return the replacements of the results, which are as many and of the same kinds."""
        single = not isinstance(replacement, list | tuple)
        given = [replacement] if single else list(replacement)
        if len(given) != len(op.results):
            raise BuildError(
                f"{describe(op)}: expected a replacement for each of {len(op.results)} results, found "
                f"{len(given)}; return one value, or a list of as many as the op has results"
            )
        values = [self.builder.operand(value) for value in given]
        values = [self._replacements.get(value) for value in values]
        for old, new in zip(op.results, values):
            is_other = type(old.type) is not type(new.type) and contradict(old.type, new.type)
            if is_other and not is_only_returned(old):
                raise BuildError(
                    f"{describe(op)}: expected a replacement of type {old.type}, found {new.type}; "
                    "return a value of the same kind"
                )
        return values

    def _name(self, op: Operation, values: Sequence[SSAValue], placed: Sequence[Operation]) -> None:
        """Record the replacements of an op, which get its names and location."""
        fresh = set(placed)
        inherit(placed, op.location)
        for old, new in zip(op.results, values):
            self._replacements.values[old] = new
            if isinstance(new, OpResult) and new.op in fresh and old.name_hint is not None:
                new.name_hint = old.name_hint
        for made in placed:
            if isinstance(made.location, UnknownLoc):
                made.location = op.location

    def _is_dead(self, op: Operation) -> bool:
        return (
            not op.regions
            and all(result.first_use is None for result in op.results)
            and is_side_effect_free(op)
        )


class DataflowMutator(ExprMutator):
    """An `ExprMutator` that rewrites only the ops of relax.dataflow blocks."""

    def rewrites_here(self) -> bool:
        return self._scopes.top.kind == "relax.dataflow"

    def _is_dead(self, op: Operation) -> bool:
        parent: Operation | None = op.parent_op()
        return parent is not None and parent.name == "relax.dataflow" and super()._is_dead(op)
