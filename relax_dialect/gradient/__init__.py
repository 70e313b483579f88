"""Gradients: functions of the language differentiated, as programs that every pass and the C target know.

```python
from relax_dialect.gradient import gradient

gradient(module, "loss", wrt=["w", "b"])    # adds @loss_adjoint: the value, and a gradient for each
```

| | |
|---|---|
| `gradient(module, name, wrt)` | the value of a function of one float, and its gradients |
| `vjp(module, name, wrt)` | the same of any function, from cotangents of its results |
| `jvp(module, name, wrt)` | the value, and the tangents of the results from those of the targets |
| `check_gradient(module, name, *args)` | gradients against forward dual numbers, which know no rule |
| `checkpoint(builder, function, *args)` | what a function emits, of which only what goes in is kept |
| `adjoint`, `expansion`, `constant` | how an operator of one's own is differentiated |
| `register_te_gradient` | how a prim func is differentiated that `relax.call_tir_with_grad` calls |

`reverse.py` goes through a sequence of ops, forward and back; `control.py` through branches and calls,
`loops.py` and `recursion.py` through loops and functions that call themselves, `tensor_programs.py` through
prim funcs; `forms.py` says what is kept of a call; `adjoints/` has the operators' rules, a file for each
family; `registry.py` says what a rule is.
"""

from relax_dialect.gradient.checking import check_gradient
from relax_dialect.gradient.checkpoints import checkpoint
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.registry import (
    Applied,
    adjoint,
    constant,
    expansion,
    register_te_gradient,
)
from relax_dialect.gradient.transform import gradient, jvp, vjp

__all__ = [
    "Applied",
    "GradientError",
    "adjoint",
    "check_gradient",
    "checkpoint",
    "constant",
    "expansion",
    "gradient",
    "jvp",
    "register_te_gradient",
    "vjp",
]
