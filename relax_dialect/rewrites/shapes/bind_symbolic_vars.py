"""relax-bind-symbolic-vars{vars=n,m sizes=4,8}: symbolic variables of signatures become sizes.

```mlir
relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n * m], f32> {
  %y = relax.flatten %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n * m], f32>
->
relax.func @main(%x: !relax.tensor<[4, 8], f32>) -> !relax.tensor<[32], f32> {
  %y = relax.flatten %x : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[32], f32>
```

Every public signature that names the variables changes, or with `{func=f}` that of one function, and with
it the results of its calls; a size that contradicts an op is an error. Ops remain in their blocks: a
variable means the same in all of a function's blocks, so nothing has to move. A variable defined by the
body does not belong to the signature.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import is_not

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.purity import ModuleSymbols
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.binding import FunctionRemaker, retyped
from relax_dialect.transform.regions import function_named, functions, replace_uses, set_type


def _signature_variables(func: FuncOp) -> set[str]:
    return {v.data for v in func.function_type.variables}


def _functions(module: ModuleOp, names: Iterable[str], func: str | None) -> list[FuncOp]:
    """Return the functions to change; every variable must be in one of them."""
    if func is None:
        chosen = [f for f in functions(module) if not f.is_private]
    else:
        chosen = [function_named(module, func, "relax-bind-symbolic-vars")]
    known = {v: None for f in chosen for v in sorted(_signature_variables(f))}
    for name in names:
        if name not in known:
            raise RelaxError(
                "relax-bind-symbolic-vars: expected variables of the parameters "
                f"({', '.join(known) or 'there are none'}), found '{name}'; correct the name"
            )
    return [f for f in chosen if not _signature_variables(f).isdisjoint(names)]


def _update_calls(module: ModuleOp, changed: set[str]) -> None:
    """Update the result types of calls of changed functions."""
    for caller in functions(module):
        lookup = ModuleSymbols(caller)
        calls = [o for o in walk_ops(caller) if isinstance(o, CallOp)]
        for call in calls:
            if call.callee_name not in changed or (callee := lookup(call.callee_name)) is None:
                continue
            (type,) = call.infer_with(callee)[1]
            declared, block = call.result.type, call.parent
            if is_subtype(type, declared):
                continue
            assert block is not None
            set_type(call.result, type)
            cast = retyped(call.result, declared)
            block.insert_op_after(cast, call)
            replace_uses({call.result: cast.results[0]}, partial(is_not, cast))


def bind_symbolic_vars(module: ModuleOp, sizes: Mapping[str, int], func: str | None = None) -> None:
    """Replace variables of public signatures (or of one function's) by sizes."""
    for name, size in sizes.items():
        if size < 0:
            raise RelaxError(
                f"relax-bind-symbolic-vars: expected a size of at least 0 for '{name}', found "
                f"{size}; correct it"
            )
    values = {name: symbolic.const(size) for name, size in sizes.items()}
    chosen = _functions(module, values, func)
    for function in chosen:
        own = {n: v for n, v in values.items() if n in _signature_variables(function)}
        remaker = FunctionRemaker(function, own, ModuleSymbols(function))
        for param in function.body.block.args:
            remaker.keep_parameter(param)
        remaker.finish()
    try:
        _update_calls(module, {f.sym_name.data for f in chosen})
        for function in chosen:
            function.verify_()
    except VerifyException as error:
        raise RelaxError(f"relax-bind-symbolic-vars: {error}") from None


@dataclass(frozen=True)
class BindSymbolicVarsPass(ModulePass):
    """Replace symbolic variables of signatures by sizes."""

    name = "relax-bind-symbolic-vars"

    vars: tuple[str, ...]
    sizes: tuple[int, ...]
    func: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if len(self.vars) != len(self.sizes) or len(set(self.vars)) != len(self.vars):
            raise RelaxError(
                f"relax-bind-symbolic-vars: expected one size for each variable, found "
                f"vars={','.join(self.vars)} sizes={','.join(map(str, self.sizes))}; "
                "write as in {vars=n,m sizes=4,8}"
            )
        bind_symbolic_vars(op, dict(zip(self.vars, self.sizes)), self.func)
