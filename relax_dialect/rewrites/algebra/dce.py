"""relax-dce: unused pure bindings, block outputs and private functions are removed.

```mlir
%y, %z = relax.dataflow {                      %y = relax.dataflow {
  %a = relax.exp %x : (T) -> T                   %a = relax.exp %x : (T) -> T
  %b = relax.tanh %a : (T) -> T         ->       relax.output %a : T
  relax.output %a, %b : T, T                   }
}
```

Ops with effects are kept, and so is every `match_*`, which checks its operand even if its variables are
unused. An unused call of a pure function is removed with the checks of its arguments: in every form, an
unused value is never evaluated (`relax_dialect.transform.liveness`).

`{entry-functions=f,g}` keeps private functions that are called from outside, by name.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.ir.purity import module_symbols
from relax_dialect.text.wording import nearest
from relax_dialect.transform.dead_code import eliminate_dead_code

NAME = "relax-dce"


@dataclass(frozen=True)
class DcePass(ModulePass):
    """Remove unused pure bindings, block outputs and private functions."""

    name = NAME

    entry_functions: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for entry in self.entry_functions:
            _require_symbol(op, entry)
        eliminate_dead_code(op, {*self.entry_functions})


def _require_symbol(module: ModuleOp, name: str) -> None:
    """Raise an error if the module has no function of that name."""
    known = module_symbols(module)
    if name not in known:
        close = nearest(name, known)
        mend = f"the nearest is {close}" if close else "correct the option entry-functions"
        names = ", ".join(f"@{each}" for each in known) or "there are none"
        raise RelaxError(
            f"{NAME}: expected the names of functions ({names}) as entry-functions, found @{name}; {mend}"
        )
