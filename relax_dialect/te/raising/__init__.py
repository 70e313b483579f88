"""`raised`: the tensor expressions that a prim func computes, the inverse of `te.create_prim_func`.

`prim_func.py` reads the ops of a function, `generic.py` those of linalg, `scalars.py` elementwise
computations.
"""

from relax_dialect.te.raising.prim_func import raised
from relax_dialect.te.raising.scalars import RaisingError

__all__ = ["RaisingError", "raised"]
