"""relax-prove{before="p.mlir"}: z3 proves that the program is equivalent to the one in a file.

```mlir
relax.func @f(%x: ...) {                       relax.func @f(%x: ...) {
  %a = relax.multiply %x, %one    // p.mlir       relax.return %x                @f: proved
  relax.return %a                              }
```

A verdict for each relax.func common to both is written to standard error: proved, refuted with a
counterexample as a program, unknown (`limit` is the time for a query in milliseconds), or outside of the
fragment, with the uninterpreted operators. With `over=reals` results that are not equal bit for bit may be
equal over the real numbers. The pass fails if one is refuted, and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import load
from relax_dialect.prove import Limits, Over, checked_over, hint, prove, report, require_z3


def checked_limit(name: str, milliseconds: int) -> Limits:
    """Return the option `limit` of a pass."""
    if milliseconds < 1:
        raise RelaxError(
            f"{name}: limit: expected a number of milliseconds, 1 or more, found {milliseconds}; "
            "pass another one"
        )
    return Limits(milliseconds)


@dataclass(frozen=True)
class ProvePass(ModulePass):
    """Prove that a program is equivalent to another one."""

    name = "relax-prove"

    before: str
    limit: int = Limits().milliseconds
    over: str = Over.FLOATS.value

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_z3(self.name)
        limits = checked_limit(self.name, self.limit)
        over = checked_over(f"{self.name}: over", self.over)
        refuted = report(self.name, prove(load(self.before), op, limits, over))
        if refuted:
            raise RelaxError(
                f"{self.name}: expected the results of {self.before}, found counterexamples to "
                f"{', '.join(refuted)}; run the programs that are printed above{hint(over, 'over=reals')}"
            )
