"""relax-attach-global-symbol{prefix=net_}: every function gets an externally callable name.

```mlir
func.func private @add(...)                 func.func @net_add(...)
relax.func private @main(...)           ->  relax.func @main(...)
  relax.call_tir @add(...)                    relax.call_tir @net_add(...)
```

C then exports them all, prim funcs too, and in TVM's form each has its `global_symbol`. The names of prim
funcs begin with the prefix; without the option it is the module's attribute `tvm.system_lib_prefix`,
which a script sets by `I.module_attrs({"system_lib_prefix": "net_"})`. Functions without a body keep
their names: another file defines them; so do prim funcs whose names begin with the prefix.

Passes that remove or change functions by their uses in the module do not affect public functions, so this
pass runs last.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import rename_references
from relax_dialect.ir.walk import is_private, symbol_name
from relax_dialect.ops.core import FuncOp

PREFIX = "tvm.system_lib_prefix"
"""The attribute of a module with the prefix of the names of its prim funcs."""


def attach_global_symbol(module: ModuleOp, prefix: str | None = None) -> int:
    """Make all functions public, and prefix the names of prim funcs; returns the number of changed
    functions.

    A name that is taken already is an error.
    """
    if prefix is None:
        said = module.attributes.get(PREFIX)
        prefix = said.data if isinstance(said, StringAttr) else ""
    found = [op for op in module.ops if isinstance(op, FuncOp) or _is_prim_func(op)]
    names: dict[str, str] = {}
    for function in found:
        name = symbol_name(function) or ""
        if _is_prim_func(function) and not name.startswith(prefix):
            names[name] = prefix + name
    taken = {symbol_name(op) for op in module.ops} - names.keys()
    for name in names.values():
        if name in taken:
            raise RelaxError(
                f"relax-attach-global-symbol: expected @{name} to be free for a prim func, found a "
                "function called so; choose another prefix"
            )
    changed = [f for f in found if is_private(f) or symbol_name(f) in names]
    for function in changed:
        function.properties.pop("sym_visibility", None)
        if (new := names.get(symbol_name(function) or "")) is not None:
            function.properties["sym_name"] = StringAttr(new)
    rename_references(module, names)
    return len(changed)


def _is_prim_func(op: object) -> bool:
    return isinstance(op, func.FuncOp) and bool(op.body.blocks)


@dataclass(frozen=True)
class AttachGlobalSymbolPass(ModulePass):
    """Make every function externally callable."""

    name = "relax-attach-global-symbol"

    prefix: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        attach_global_symbol(op, self.prefix)
