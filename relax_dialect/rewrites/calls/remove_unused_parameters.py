"""relax-remove-unused-parameters: private functions lose the parameters that their bodies do not use.

```mlir
relax.func private @f(%x: T, %y: T) -> T {     relax.func private @f(%x: T) -> T {
  %z = relax.exp %x : (T) -> T                   %z = relax.exp %x : (T) -> T
  ...                                    ->      ...
%r = relax.call @f(%a, %b) : (T, T) -> T       %r = relax.call @f(%a) : (T) -> T
```

If a parameter was the only definition of a size that the function names, it is replaced by a `!relax.shape`
of such sizes. A parameter is kept if a call checks it at run time, and if the function is referenced
otherwise than by calls. A parameter passed on only to the function itself counts as used. The ops that
computed the arguments are left to relax-dce.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.lattice import is_subtype
from relax_dialect.ir.symbol_scopes import own_symbols
from relax_dialect.ir.type_variables import (
    bare_variables,
    defined_variables,
    free_variables,
    sizes_in,
)
from relax_dialect.ir.types import PrimType, ShapeType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.shape_value import ShapeOp
from relax_dialect.symbolic import var
from relax_dialect.transform.binding import signature
from relax_dialect.transform.private_signatures import changeable_functions, replace_call

ValueT = TypeVar("ValueT", bound=SSAValue)


def remove_unused_parameters(module: ModuleOp) -> None:
    """Remove unused parameters of private functions and of their calls, until a fixpoint."""
    found = changeable_functions(module)
    changed = True
    while changed:
        changed = False
        for func, calls in found.items():
            changed |= _shorten(func, calls)


def _shorten(func: FuncOp, calls: list[CallOp]) -> bool:
    """Remove parameters of one function; returns whether there were any."""
    found = [call.infer_with(func)[0] for call in calls]
    unused = [
        param
        for index, param in enumerate(func.body.block.args)
        if not param.uses
        and all(f.proved or _is_any(c.args[index], param) for c, f in zip(calls, found))
    ]
    known = {n for n in func.function_type.bound if all(f.bindings.get(n) for f in found)}
    while True:
        missing = missing_sizes(func, unused)
        telling = telling_parameters(unused, missing)
        kept = [
            p for p in telling if isinstance(p.type, ShapeType | PrimType) or not missing <= known
        ]
        if not kept:
            break
        unused = [param for param in unused if param not in kept]
    if not unused:
        return False
    names = [n.data for n in func.function_type.variables if n.data in missing]
    keep = [i for i, param in enumerate(func.body.block.args) if param not in unused]
    for i, (call, unification) in enumerate(zip(calls, found)):
        args = [call.args[k] for k in keep]
        if names:
            sizes = [size for n in names if (size := unification.bindings[n]) is not None]
            shape = ShapeOp(sizes)
            assert call.parent is not None
            call.parent.insert_op_before(shape, call)
            args.append(shape.result)
        calls[i] = replace_call(call, args)
    for param in unused:
        func.body.block.erase_arg(param)
    if names:
        type = ShapeType([var(name) for name in names])
        func.body.block.insert_arg(type, len(keep)).name_hint = "sizes"
    output = func.function_type.output
    func.properties["function_type"] = signature(func.body.block.arg_types, output)
    return True


def _is_any(arg: SSAValue, param: SSAValue) -> bool:
    """Return whether an argument is one of the parameter's type, whatever the sizes."""
    return not free_variables(param.type) and is_subtype(arg.type, param.type)


def missing_sizes(func: FuncOp, unused: Sequence[SSAValue]) -> set[str]:
    """Return the variables of the parameters that the function names and the other parameters do not
    define."""
    types = [p.type for p in func.body.block.args if p not in unused]
    named = {name for type in (*types, func.function_type.output) for name in free_variables(type)}
    for op in walk_ops(func):
        if op is not func:
            named.update(own_symbols(op))
    return (named & func.function_type.bound).difference(defined_variables(types))


def telling_parameters(unused: Sequence[ValueT], missing: Set[str]) -> list[ValueT]:
    """Return the unused parameters that may define a missing variable, bare sizes first."""
    telling = [
        p
        for p in unused
        if any(not missing.isdisjoint(d.free_variables) for d in sizes_in(p.type) if d is not None)
    ]
    return sorted(telling, key=lambda p: missing.isdisjoint(bare_variables(p.type)))


class RemoveUnusedParametersPass(ModulePass):
    """Remove the parameters that private functions do not use."""

    name = "relax-remove-unused-parameters"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        remove_unused_parameters(op)
