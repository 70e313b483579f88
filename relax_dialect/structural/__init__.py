"""Equality of functions, blocks and modules up to names.

```python
structural_equal(a, b)              # whether they are the same program
assert_structural_equal(a, b)       # raises, with the first difference
structural_hash(a)                  # equal for equal programs, in every process
```

Names do not count: those of values, of symbolic variables, of private functions, and of the two functions
compared themselves. All else does: ops, attributes by value (a NaN equals itself, 0.0 is not -0.0), types,
which values are shared, and the order of ordered regions. The order of a graph region does not count, nor
that of the functions of a module. Values, variables and functions defined outside of the compared programs
must be the same; with `map_free_vars` they correspond like all others.
"""

from relax_dialect.structural.compare import (
    StructuralDifference,
    assert_structural_equal,
    structural_equal,
)
from relax_dialect.structural.hashing import structural_hash

__all__ = [
    "StructuralDifference",
    "assert_structural_equal",
    "structural_equal",
    "structural_hash",
]
