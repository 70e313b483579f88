"""`ExprMutator` and `DataflowMutator`: handlers return the replacement of an op.

class FuseMulAdd(DataflowMutator):
    def visit_add(self, op):
        product = self.builder.lookup_binding(op.lhs)
        if isinstance(product, MultiplyOp):
            return builder.op.call_pure_packed("fma", [*product.operands, op.rhs], op.result.type)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove, IsTerminator, is_side_effect_free

from relax_dialect.builder import BlockBuilder, BuildError, Value
from relax_dialect.builder.open_regions import OpenRegion
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import contradict, is_subtype, join
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import CycleError, describe, topological_order
from relax_dialect.ir.symbol_scopes import candidate_symbols, entry_symbols, escaping_symbols
from relax_dialect.ir.traits import Straight, SymbolsEscape, has_trait, region_is_graph
from relax_dialect.ir.type_variables import defined_variables, substitute
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.walk import blocks_of
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import ClosureOp, IfOp
from relax_dialect.ops.core import FuncOp, MatchCastOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.visitor.expr_functor import ExprFunctor
from relax_dialect.visitor.result_types import (
    changed_type,
    is_only_returned,
    recursive_functions,
    retype_callers,
)
from relax_dialect.visitor.value_retyping import inferred_types, is_exact, types_before, types_now


class ExprMutator(ExprFunctor):
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

    builder: BlockBuilder

    def __init__(self) -> None:
        super().__init__()
        self.builder = BlockBuilder()
        self.changed = False
        """Whether anything was replaced so far."""
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._old_types: dict[SSAValue, Attribute] = {}
        self._doomed: list[list[Operation]] = []
        """The replaced ops of each region being walked: they are erased at its end."""
        self._orphans: dict[Block, list[Operation]] = {}
        """The ops that lost a use, by their block."""
        self._dirty: set[Operation] = set()
        """The ops with a region whose value has changed."""
        self._wide: set[Operation] = set()
        """The ops among them with a declared result type wider than their regions imply."""
        self._retyped: set[str] = set()
        """The functions whose result type has changed; calls of them are inferred anew."""

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

    # Walking ----------------------------------------------------------------------------------

    @property
    def _scopes(self):
        return self.builder._scopes  # pyright: ignore[reportPrivateUsage]

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
        self._doomed.append([])
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
        self._erase_doomed()
        for block in region.blocks:
            self._erase_dead(block)

    def _visit_statement(self, op: Operation) -> None:
        self._stand_before(op)
        self._retype_call(op)
        self._remap(op)
        if has_trait(op, IsTerminator):
            self._finish_terminator(op)
        elif isinstance(op, BlockOp):
            self.visit_expr(op)
            self.schedule(self._finish, [op])
        elif op.regions and not has_trait(op, IsolatedFromAbove):
            if isinstance(op, IfOp) and not is_exact(op):
                self._wide.add(op)
            self.schedule(self.visit_seq, op.regions)
            self.schedule(self._finish, [op])
        else:
            self._finish(op)

    def _stand_before(self, op: Operation) -> None:
        """Set the builder's insertion point before an op."""
        scope = self._scopes.top
        assert op.parent is not None
        scope.block, scope.before = op.parent, op

    def visit_block(self, block: BlockOp) -> Any:
        self.schedule(self.visit_seq, [block.body])

    def visit_op(self, op: Operation) -> Any:
        """Keep the op."""

    def visit_var(self, var: SSAValue) -> Any:
        """Return the replacement of a use of a variable."""
        return self._replaced.get(var, var)

    def rewrites_here(self) -> bool:
        """Return whether ops at the insertion point are dispatched to the handlers."""
        return True

    # Operands and types -----------------------------------------------------------------------

    def _remap(self, op: Operation) -> None:
        """Replace an op's operands and infer its result types again."""
        old = op.operands
        new = [self._value(self._use(operand)) for operand in old]
        same = all(a is b for a, b in zip(old, new))
        if same and not (self._old_types and any(o in self._old_types for o in old)):
            return
        lookup = self._scopes.top.lookup
        before = types_before(op, self._old_types, lookup) if op.results else ()
        if not same:
            op.operands = new
        if has_trait(op, IsTerminator):
            parent = op.parent_op()
            assert parent is not None
            self._dirty.add(parent)
        if op.results and not op.regions:
            self._set_types(op, types_now(op, before, lookup))

    def _retype_call(self, op: Operation) -> None:
        """Infer the results of a call anew if those of the function have changed."""
        if isinstance(op, SymbolCallOp) and op.callee_name in self._retyped:
            callee = self._scopes.top.lookup(op.callee_name)
            assert callee is not None
            self._set_types(op, op.infer_with(callee)[1])

    def _set_types(self, op: Operation, types: Sequence[Attribute]) -> None:
        for result, type in zip(op.results, types):
            if result.type != type:
                self._old_types.setdefault(result, result.type)
                result._type = type  # pyright: ignore[reportPrivateUsage]

    @staticmethod
    def _value(value: Any) -> SSAValue:
        return value.value if isinstance(value, Value) else value

    def _finish_terminator(self, op: Operation) -> None:
        """Cast returned values that no longer fit the signature, or the state of a loop."""
        self.visit_expr(op)
        parent = op.parent_op()
        if parent not in self._dirty and not self._has_new_output(parent):
            return
        found: Sequence[Attribute] = op.operand_types
        match parent:
            case FuncOp():
                if self._change_output(parent, op.operands[0]):
                    return
                types = [parent.function_type.output]
            case ClosureOp():
                self._change_closure(parent, op.operands[0])
                types = [parent.type.output]
            case WhileOp() if op.parent is parent.body.block:
                types = parent.result_types
                own = dict.fromkeys(self._scopes.top.symbols)
                found = [substitute(type, own) for type in found]
            case _:
                return
        self._cast_operands(op, found, types)

    def _has_new_output(self, op: Operation | None) -> bool:
        return isinstance(op, FuncOp) and op.sym_name.data in self._retyped

    def _change_output(self, function: FuncOp, value: SSAValue) -> bool:
        """Change the result type of a function if its returned value cannot be cast to it.

        Whether it did: what returns a recursive function is then inferred with its calls.
        """
        declared, name = function.function_type.output, function.sym_name.data
        bound = [v.data for v in function.function_type.variables]
        own = dict.fromkeys(s for s in self._scopes.top.symbols if s not in bound)
        if changed_type(value, declared, own, False) is None:
            return False
        is_first = not self._has_new_output(function) and name in recursive_functions(function)
        output = changed_type(value, declared, own, is_first)
        assert output is not None
        kind = function.function_type
        function.properties["function_type"] = FuncType(kind.inputs, output, bound)
        self._retyped.add(name)
        return True

    def _change_closure(self, closure: ClosureOp, value: SSAValue) -> None:
        """The same for a closure, whose callers see its type."""
        kind, names = closure.type, closure.entry_symbols()
        own = dict.fromkeys(s for s in self._scopes.top.symbols if s not in names)
        if (output := changed_type(value, kind.output, own, False)) is not None:
            changed = FuncType(kind.inputs, output, list(names), pure=kind.is_pure)
            self._set_types(closure, [changed])

    def _cast_operands(
        self, op: Operation, found: Sequence[Attribute], types: Sequence[Attribute]
    ) -> None:
        """Cast the operands of an op whose types, as `found`, do not fit those that are asked for."""
        for value, seen, type in zip(op.operands, found, types):
            if contradict(seen, type):
                parent = op.parent_op()
                assert parent is not None
                raise BuildError(
                    f"{describe(parent)}: expected a value of type {type}, which it keeps, found "
                    f"{value.type}; convert the value, or replace the whole op"
                )
        if not all(map(is_subtype, found, types)):
            op.operands = [
                value if is_subtype(seen, type) else self.builder.operand(MatchCastOp(value, type))
                for value, seen, type in zip(op.operands, found, types)
            ]

    # Replacing --------------------------------------------------------------------------------

    def _finish(self, op: Operation) -> None:
        """Visit an op whose operands and regions are done, and replace it by the handler's return value."""
        if op in self._dirty:
            found = inferred_types(op, self._scopes.top.lookup)
            wide = op in self._wide
            if found is not None and len(found) == len(op.results):
                self._set_types(
                    op, [join(r.type, t) if wide else t for r, t in zip(op.results, found)]
                )
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
        single = not isinstance(replacement, list | tuple)
        given = [replacement] if single else list(replacement)
        if len(given) != len(op.results):
            raise BuildError(
                f"{describe(op)}: expected a replacement for each of {len(op.results)} results, found "
                f"{len(given)}; return one value, or a list of as many as the op has results"
            )
        values = [self.builder.operand(value) for value in given]
        values = [self._replaced.get(value, value) for value in values]
        for old, new in zip(op.results, values):
            is_other = type(old.type) is not type(new.type) and contradict(old.type, new.type)
            if is_other and not is_only_returned(old):
                raise BuildError(
                    f"{describe(op)}: expected a replacement of type {old.type}, found {new.type}; "
                    "return a value of the same kind"
                )
        if values and all(old is new for old, new in zip(op.results, values)):
            self._keep(op)
            return
        self.changed = True
        fresh = set(placed)
        inherit(placed, op.location)
        for old, new in zip(op.results, values):
            self._replaced[old] = new
            if isinstance(new, OpResult) and new.op in fresh and old.name_hint is not None:
                new.name_hint = old.name_hint
        for made in placed:
            if isinstance(made.location, UnknownLoc):
                made.location = op.location
        used = (operand for made in placed for operand in made.operands)
        if any(value.owner is op for value in (*values, *used)):  # it is wrapped: it stays
            if placed:
                op.detach()
                assert placed[0].parent is not None
                placed[0].parent.insert_op_before(op, placed[0])
            self._scopes.define(candidate_symbols(op))
        else:
            self._give_up(op)

    def _give_up(self, op: Operation) -> None:
        """Drop the uses of an op to be erased at once: later handlers must not count them."""
        stack = [op]
        while stack:
            current = stack.pop()
            for operand in current.operands:
                self._lost_use(operand)
            current.operands = ()
            stack.extend(o for b in blocks_of(current) for o in b.ops)
        self._doomed[-1].append(op)

    def _lost_use(self, value: SSAValue) -> None:
        if isinstance(value, OpResult) and (block := value.op.parent) is not None:
            self._orphans.setdefault(block, []).append(value.op)

    def _erase_doomed(self) -> None:
        """Erase the replaced ops of the region just left."""
        doomed = self._doomed.pop()
        for op in doomed:
            for result in op.results:
                if result.first_use is not None:  # in a part that a handler skipped
                    result.replace_all_uses_with(self._replaced[result])
        for op in doomed:
            op.detach()
            op.erase()

    def _erase_dead(self, block: Block) -> None:
        """Erase the pure ops of a block that nothing uses any more, after a rewrite."""
        work = self._orphans.pop(block, [])
        while work:
            op = work.pop()
            if op.parent is not block or not self._is_dead(op):
                continue
            operands = tuple(op.operands)
            op.detach()
            op.erase()
            for operand in operands:
                self._lost_use(operand)
            work.extend(self._orphans.pop(block, []))

    def _clean_up(self) -> None:
        """Reset the state of one function; a handler that raised may have left it half done."""
        while self._doomed:
            self._erase_doomed()
        self._orphans.clear()
        self._replaced.clear()
        self._old_types.clear()
        self._dirty.clear()
        self._wide.clear()
        self._scopes.stack.clear()

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
