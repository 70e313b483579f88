"""Gradients: differentiation of functions into ordinary programs, for every pass and the C target.

```python
from relax_dialect.gradient import gradient

gradient(module, "loss", wrt=["w", "b"])    # adds @loss_adjoint: the value, and a gradient for each
```

| | |
|---|---|
| `gradient(module, name, wrt)` | the value of a function of one float, and its gradients |
| `vjp(module, name, wrt)` | the same for any function, from cotangents of its results |
| `jvp(module, name, wrt)` | the value, and the tangents of the results from those of the targets |
| `check_gradient(module, name, *args)` | comparison of gradients with forward dual numbers, without rules |
| `checkpoint(builder, function, *args)` | a block of which only the operands are kept |
| `adjoint`, `expansion`, `constant` | registration of the derivatives of custom operators |
| `register_te_gradient` | registration of the gradient of a prim func for `relax.call_tir_with_grad` |

`reverse.py` goes through a sequence of ops, forward and back; `control.py` through branches and calls,
`loops.py` and `recursion.py` through loops and recursive functions, `tensor_programs.py` through prim
funcs; `forms.py` describes the values kept by a call; `adjoints/` has the operators' rules, a file for
each family; `registry.py` defines the rules.
"""

from relax_dialect.gradient.checkpointed_blocks import checkpoint
from relax_dialect.gradient.errors import GradientError
from relax_dialect.gradient.gradient_check import check_gradient
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
