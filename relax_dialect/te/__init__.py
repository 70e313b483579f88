"""Tensor expressions: write an operator element by element, get the prim func that computes it.

```python
n = te.var("n")
A = te.placeholder((n, 64), name="A")
B = te.placeholder((64, 128), name="B")
k = te.reduce_axis((0, 64), name="k")
C = te.compute((n, 128), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
func = te.create_prim_func([A, B, C], name="matmul")
```
"""

from relax_dialect.te.compute import compute, reduce_axis
from relax_dialect.te.intrinsics import (
    abs,
    cast,
    ceil,
    cos,
    equal,
    erf,
    exp,
    expm1,
    floor,
    floordiv,
    floormod,
    if_then_else,
    log,
    log1p,
    log2,
    maximum,
    minimum,
    power,
    round,
    rsqrt,
    select,
    sin,
    sqrt,
    tan,
    tanh,
    trunc,
)
from relax_dialect.te.prim_func import create_prim_func
from relax_dialect.te.reduction import Reducer, max, min, prod, sum
from relax_dialect.te.scalar import IterVar, Scalar, const
from relax_dialect.te.tensor import Requirement, Stage, Tensor, placeholder, var

__all__ = [
    "IterVar",
    "Reducer",
    "Requirement",
    "Scalar",
    "Stage",
    "Tensor",
    "abs",
    "cast",
    "ceil",
    "compute",
    "const",
    "cos",
    "create_prim_func",
    "equal",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "if_then_else",
    "log",
    "log1p",
    "log2",
    "max",
    "maximum",
    "min",
    "minimum",
    "placeholder",
    "power",
    "prod",
    "reduce_axis",
    "round",
    "rsqrt",
    "select",
    "sin",
    "sqrt",
    "sum",
    "tan",
    "tanh",
    "trunc",
    "var",
]
