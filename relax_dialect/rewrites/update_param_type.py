"""relax-update-param-type{params=w types="!relax.tensor<[64, 16], f32>"}: parameters get other types.

```mlir
relax.func @main(%w: !relax.tensor<[32, 16], f32>, %x: A) -> !relax.tensor<[32], f32> {
  %y = relax.matmul %w, %x : (!relax.tensor<[32, 16], f32>, A) -> !relax.tensor<[32], f32>
->
relax.func @main(%w: !relax.tensor<[64, 16], f32>, %x: A) -> !relax.tensor<[64], f32> {
  %y = relax.matmul %w, %x : (!relax.tensor<[64, 16], f32>, A) -> !relax.tensor<[64], f32>
```

The parameters called so change in every function, or with `{func=f}` in one. Types are inferred anew
through the functions: what they return, what their calls give, and the state of loops that begin with
what has changed. A type that was declared wider than inferred stays as wide as it must be; the result of
a recursion becomes as wide as what it gives before and after. What no longer fits is an error: a call
whose arguments are of other types, an op that cannot take its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from relax_dialect.dpl.type_text import read_type
from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import CallGraph
from relax_dialect.ir.lattice import join
from relax_dialect.ir.order import describe
from relax_dialect.ir.symbol_scopes import escaping_symbols
from relax_dialect.ir.type_variables import bare_variables, substitute
from relax_dialect.ir.types import FuncType
from relax_dialect.ir.upper_bounds import keep_bounds
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import CallClosureOp, ClosureOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import verify
from relax_dialect.text.diagnostics import op_named
from relax_dialect.transform.binding import signature
from relax_dialect.transform.regions import function_named, functions, set_type
from relax_dialect.visitor import ExprMutator

ROUNDS = 4
"""How often the types of functions that call each other are inferred until they stay."""

NAME = "relax-update-param-type"


def update_param_type(
    module: ModuleOp,
    type_of: Callable[[BlockArgument], Attribute | None],
    func: str | None = None,
) -> int:
    """Give parameters of functions, or of one, other types; tells how many changed.

    `type_of` is asked once for each parameter, which has a `name_hint` and a `type`, and gives its new type
    or None. What no longer fits is an error, and the module is then of no use.
    """
    chosen = functions(module) if func is None else [function_named(module, func, NAME)]
    types: dict[SSAValue, Attribute] = {}
    for function in chosen:
        for param in function.body.block.args:
            type = type_of(param)
            if type is not None and type != param.type:
                types[param] = type
    count = len(types)
    retyping = _Retyping(types)
    graph = CallGraph.of(module)
    for component in graph.components if types else ():
        members = [f for f in map(graph.symbols.get, component) if isinstance(f, FuncOp)]
        for _ in range(ROUNDS):
            changed = [f for f in members if retyping.changes(f)]
            if not changed:
                break
        else:
            raise RelaxError(
                f"{NAME}: @{members[0].sym_name.data}: expected types that stay as they are once they are "
                "inferred, found a recursion that changes them each time; declare its result as unknown"
            )
    if count:
        verify(module, NAME)
    return count


class _blamed:
    """Names the function in an error, which gets the place of its op."""

    def __init__(self, func: FuncOp):
        self.func = func

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, RelaxError | VerifyException):
            message = f"@{self.func.sym_name.data}: {error}"
            blamed = RelaxError(f"{NAME}: {message}")
            module = self.func.parent_op()
            assert isinstance(module, ModuleOp)
            blamed.op = getattr(error, "op", None) or op_named(module, message)
            raise blamed from None


class _Retyping(ExprMutator):
    """Infers types anew, from parameters on and from calls of functions that give something else."""

    def __init__(self, types: dict[SSAValue, Attribute]):
        super().__init__()
        self.types = types
        self.updated: set[str] = set()
        """The functions whose results have changed."""

    def changes(self, func: FuncOp) -> bool:
        """Infer the types of one function; tells whether its result has changed."""
        before = func.function_type.output
        with _blamed(func):
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
        keep_bounds(function, {n for t in block.arg_types for n in bare_variables(t)})
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
        """What a function gives: as inferred, and where it was declared wider, wide enough."""
        assert op.parent is not None
        own = dict.fromkeys(s for inner in op.parent.ops for s in escaping_symbols(inner))
        (value,) = op.operands
        new = substitute(value.type, own)
        before = substitute(self._old_types.get(value, value.type), own)
        return new if before == declared else join(declared, new)


@dataclass(frozen=True)
class UpdateParamTypePass(ModulePass):
    """Give parameters other types, by their names."""

    name = NAME

    params: tuple[str, ...]
    types: tuple[str, ...]
    func: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if len(self.params) != len(self.types) or len(set(self.params)) != len(self.params):
            raise RelaxError(
                f"{NAME}: expected one type for each parameter, found params={','.join(self.params)} and "
                f'{len(self.types)} types; write as in {{params=x,w types="!relax.tensor<[4], f32>","i64"}}'
            )
        types = {n: read_type(t, f"{NAME}: types") for n, t in zip(self.params, self.types)}
        found = {p.name_hint or "": None for f in functions(op) for p in f.body.block.args}
        for name in types:
            if name not in found:
                raise RelaxError(
                    f"{NAME}: expected names of parameters ({', '.join(found) or 'there are none'}), "
                    f"found '{name}'; correct the name"
                )
        update_param_type(op, lambda param: types.get(param.name_hint or ""), self.func)
