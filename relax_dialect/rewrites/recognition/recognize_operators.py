"""relax-recognize-operators: expanded forms of operators become the operators.

```mlir
%a = relax.divide %x, %root2 : (T, T0) -> T
%b = relax.erf %a : (T) -> T
%c = relax.add %b, %one : (T, T0) -> T               ->      %e = relax.gelu %x : (T) -> T
%d = relax.multiply %x, %c : (T, T) -> T
%e = relax.multiply %d, %half : (T, T0) -> T
```

The rules are in tables, by the operators that they recognise:

| file                       | operators                                        |
|----------------------------|--------------------------------------------------|
| `recognize/activations.py` | gelu, gelu_tanh, quick_gelu, silu, hard_swish,   |
|                            | softplus, mish                                   |
| `recognize/softmax.py`     | softmax, log_softmax                             |
| `recognize/norms.py`       | layer_norm, rms_norm                             |
| `recognize/products.py`    | matmul of matrices that are repeated for a batch |
| `recognize/attention.py`   | attention, with its scales and masks             |

`{only=norms,attention}` applies these tables only. The operator computes the same as the form, up to the
rounding of the element type: it rounds once, the form after every step. A form is kept if an inner value is
used elsewhere, and unless types prove that shapes broadcast as in the operator. Unused constants and masks
are left to relax-dce.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.dpl import PatternRule, RuleTable, apply_rules
from relax_dialect.errors import RelaxError
from relax_dialect.rewrites.recognition.recognize import (
    activations,
    attention,
    norms,
    products,
    softmax,
)

TABLES: Mapping[str, Callable[[], Iterable[PatternRule]]] = MappingProxyType(
    {
        "activations": activations.rules,
        "softmax": softmax.rules,
        "norms": norms.rules,
        "products": products.rules,
        "attention": attention.rules,
    }
)


@cache
def rules(only: Sequence[str] = ()) -> RuleTable:
    """Return the rules of some tables, or of all."""
    for name in only:
        if name not in TABLES:
            raise RelaxError(
                f"relax-recognize-operators: expected tables of rules, found {name!r}; there are "
                f"{', '.join(TABLES)}"
            )
    return RuleTable(rule for name in only or TABLES for rule in TABLES[name]())


def recognize_operators(module: ModuleOp, only: Sequence[str] = ()) -> int:
    """Replace expanded forms until none is left; returns the number of rewrites."""
    return apply_rules(rules(tuple(only)), module)


@dataclass(frozen=True)
class RecognizeOperatorsPass(ModulePass):
    """Make expanded forms of gelu, norms and attention the operators that they are."""

    name = "relax-recognize-operators"

    only: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        recognize_operators(op, self.only)
