"""Type inference along a walk: results whose operands have other types get the inferred ones.

%y = relax.add %x, %x : T          ->  %y = relax.add %x, %x : U, for an %x of type U
relax.return %y : U  in  -> T      ->  a cast of %y to T, or a function that returns U
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsTerminator

from relax_dialect.builder import BuildError, Value
from relax_dialect.ir.lattice import contradict, is_subtype, join
from relax_dialect.ir.order import describe
from relax_dialect.ir.traits import has_trait
from relax_dialect.ir.type_variables import substitute
from relax_dialect.ir.types import FuncType
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import ClosureOp, IfOp
from relax_dialect.ops.core import FuncOp, MatchCastOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.visitor.region_walk import RegionWalk
from relax_dialect.visitor.result_types import changed_type, recursive_functions
from relax_dialect.visitor.value_retyping import inferred_types, is_exact, types_before, types_now


class TypedWalk(RegionWalk):
    """A walk that infers the types of results again after their operands have changed.

    The state of a loop keeps its types, and so does the result of a function if the returned value may
    still have its type: it is cast there. Any other value changes the result type (`result_types.py`).
    """

    def __init__(self) -> None:
        super().__init__()
        self._old_types: dict[SSAValue, Attribute] = {}
        self._dirty: set[Operation] = set()
        """The ops with a region whose value has changed."""
        self._wide: set[Operation] = set()
        """The ops among them with a declared result type wider than their regions imply."""
        self._retyped: set[str] = set()
        """The functions whose result type has changed; calls of them are inferred anew."""

    def _forget_types(self) -> None:
        self._old_types.clear()
        self._dirty.clear()
        self._wide.clear()

    # Operands ---------------------------------------------------------------------------------

    def _remap(self, op: Operation) -> None:
        """Replace an op's operands and infer its result types again."""
        self._retype_call(op)
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

    # Regions and terminators ------------------------------------------------------------------

    def _enter_regions(self, op: Operation) -> None:
        if isinstance(op, IfOp) and not is_exact(op):
            self._wide.add(op)
        super()._enter_regions(op)

    def _retype_parent(self, op: Operation) -> None:
        """Infer the results of an op again whose regions yield other values."""
        if op not in self._dirty:
            return
        found = inferred_types(op, self._scopes.top.lookup)
        if found is not None and len(found) == len(op.results):
            is_wide = op in self._wide
            self._set_types(
                op, [join(r.type, t) if is_wide else t for r, t in zip(op.results, found)]
            )

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
