"""Type inference through functions whose parameter types have changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import join
from relax_dialect.ir.order import describe
from relax_dialect.ir.symbol_scopes import escaping_symbols
from relax_dialect.ir.type_variables import defined_variables, substitute
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.upper_bounds import keep_bounds
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.text.diagnostics import op_named
from relax_dialect.transform.binding import signature
from relax_dialect.transform.regions import set_type
from relax_dialect.visitor import ExprMutator


@contextmanager
def _blamed(name: str, func: FuncOp) -> Iterator[None]:
    """Name the pass and the function in an error, and attach its op."""
    try:
        yield
    except (RelaxError, VerifyException) as error:
        message = f"@{func.sym_name.data}: {error}"
        blamed = RelaxError(f"{name}: {message}")
        module = func.parent_op()
        assert isinstance(module, ModuleOp)
        blamed.op = getattr(error, "op", None) or op_named(module, message)
        raise blamed from None


class Retyping(ExprMutator):
    """Infers types again, from parameters on and from calls of functions whose result type has changed."""

    def __init__(self, name: str, types: dict[SSAValue, Attribute]):
        super().__init__()
        self.name = name
        """The pass that errors name."""
        self.types = types
        self.updated: set[str] = set()
        """The functions whose results have changed."""

    def changes(self, func: FuncOp) -> bool:
        """Infer the types of one function; return whether its result has changed."""
        before = func.function_type.output
        with _blamed(self.name, func):
            self.visit_expr(func)
        is_changed = func.function_type.output != before
        if is_changed:
            self.updated.add(func.sym_name.data)
        return is_changed

    def visit_function(self, function: FuncOp) -> None:
        block = function.body.block
        for param in block.args:
            if param in self.types:
                self._retype(param, self.types.pop(param))
        function.properties["function_type"] = signature(
            block.arg_types, function.function_type.output
        )
        keep_bounds(function, defined_variables(block.arg_types))
        super().visit_function(function)

    def _retype(self, value: SSAValue, type: Attribute) -> None:
        self._old_types.setdefault(value, value.type)
        set_type(value, type)

    def _remap(self, op: Operation) -> None:
        if isinstance(op, CallClosureOp) and not isinstance(op.callee.type, FuncType):
            raise RelaxError(
                f"{describe(op)}: expected a value that is known to be a function, found {op.callee.type}: "
                "what it may be takes parameters of different types now; change those, too"
            )
        super()._remap(op)
        if isinstance(op, SymbolCallOp) and op.callee_name in self.updated:
            callee = self._scopes.top.lookup(op.callee_name)
            assert callee is not None
            self._set_types(op, op.infer_with(callee)[1])
        elif isinstance(op, WhileOp):
            for index, (value, result) in enumerate(zip(op.inits, op.results)):
                if self._old_types.get(value) == result.type:
                    for inner in op.carried(index):
                        self._retype(inner, value.type)
                    self._retype(result, value.type)

    def _finish_terminator(self, op: Operation) -> None:
        parent = op.parent_op()
        if isinstance(parent, FuncOp) and parent in self._dirty:
            output = self._output(op, parent.function_type.output)
            inputs = parent.body.block.arg_types
            parent.properties["function_type"] = signature(inputs, output)
        elif isinstance(parent, ClosureOp) and parent in self._dirty:
            old = parent.type
            output = self._output(op, old.output)
            names = parent.entry_symbols()
            self._retype(parent.result, FuncType(old.inputs, output, list(names), pure=old.is_pure))
        super()._finish_terminator(op)

    def _output(self, op: Operation, declared: Attribute) -> Attribute:
        """Return the result type of a function: as inferred, joined with the declared type if that was
        wider."""
        assert op.parent is not None
        own = dict.fromkeys(s for inner in op.parent.ops for s in escaping_symbols(inner))
        (value,) = op.operands
        new = substitute(value.type, own)
        before = substitute(self._old_types.get(value, value.type), own)
        return new if before == declared else join(declared, new)
