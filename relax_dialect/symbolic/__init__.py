"""The algebra of symbolic shapes: sizes such as `2 * (m floordiv 2)`, and the facts provable about them.

Sizes are canonical and interned, so `a is b` tests equality: `n * m` and `m * n` are one object.
"""

from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic.broadcasting import broadcast, broadcast_parts
from relax_dialect.symbolic.c import C_HELPERS, SizeCondition, demands, to_c
from relax_dialect.symbolic.caps import (
    MAX_COEFFICIENT,
    MAX_DEPTH,
    MAX_EXTENT,
    MAX_SIZE,
    MAX_SUM,
    MAX_TERMS,
    SMALL_FACTOR,
    SymbolicOverflow,
)
from relax_dialect.symbolic.checks import (
    BROADCAST,
    LARGE_PRODUCT,
    LARGE_SUM,
    is_small,
    product_limit,
    zero_divisor,
)
from relax_dialect.symbolic.division import ceildiv, exact_quotient, floordiv, floormod
from relax_dialect.symbolic.expr import (
    RESERVED_WORDS,
    Atom,
    Expr,
    Term,
    const,
    product,
    total,
    var,
)
from relax_dialect.symbolic.extremum import maximum, minimum
from relax_dialect.symbolic.parse import MAX_NESTING, as_expr, parse, parse_dims
from relax_dialect.symbolic.relations import (
    differ_unless_empty,
    provably_at_least,
    provably_different,
    provably_equal,
    under_bounds,
)
from relax_dialect.symbolic.solving import (
    Affine,
    Solution,
    affine_in,
    defined_by,
    definitions,
    solve,
    solved_sizes,
)

__all__ = [
    "BROADCAST",
    "C_HELPERS",
    "LARGE_PRODUCT",
    "LARGE_SUM",
    "MAX_COEFFICIENT",
    "MAX_DEPTH",
    "MAX_EXTENT",
    "MAX_NESTING",
    "MAX_SIZE",
    "MAX_SUM",
    "MAX_TERMS",
    "RESERVED_WORDS",
    "SMALL_FACTOR",
    "Affine",
    "Atom",
    "Expr",
    "SizeCondition",
    "Solution",
    "SymbolicError",
    "SymbolicOverflow",
    "Term",
    "affine_in",
    "as_expr",
    "broadcast",
    "broadcast_parts",
    "ceildiv",
    "const",
    "defined_by",
    "definitions",
    "demands",
    "differ_unless_empty",
    "exact_quotient",
    "floordiv",
    "floormod",
    "is_small",
    "maximum",
    "minimum",
    "parse",
    "parse_dims",
    "product",
    "product_limit",
    "provably_at_least",
    "provably_different",
    "provably_equal",
    "solve",
    "solved_sizes",
    "to_c",
    "total",
    "under_bounds",
    "var",
    "zero_divisor",
]
