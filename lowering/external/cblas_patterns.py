"""The operators that go to the code generator `cblas`: a name, a pattern and a check for each.

    fuse_ops_by_pattern(module, cblas_patterns(), annotate_codegen=True)

Earlier ones go first: the largest that fits is taken. The check is that of the code generator itself, so
operators that it does not support stay.
"""

from __future__ import annotations

from collections.abc import Callable

from lowering.external.generator import UnsupportedError
from lowering.external.products import product_offload
from relax_dialect.dpl import Match, Pattern, is_op, wildcard
from relax_dialect.dpl.rewriter.pattern_registry import FusionPattern
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp

ACTIVATIONS = ("relu", "gelu")
"""The activations that a composite may end in."""


def takes(match: Match) -> bool:
    """Return whether the product in a match is supported by a gemm."""
    (op,) = (op for op in match.ops() if isinstance(op, MatmulOp | LinearOp))
    try:
        product_offload(op)
    except UnsupportedError:
        return False
    return True


def _matrix() -> Pattern:
    """Return a factor: a value, or one transposed."""
    return is_op("permute_dims")(wildcard()) | wildcard()


def _products() -> dict[str, Callable[[], Pattern]]:
    """Return the products by their names, made anew for each pattern: a pattern object is one node."""

    def matmul() -> Pattern:
        return is_op("matmul")(_matrix(), _matrix())

    def linear() -> Pattern:
        op, x, w = is_op("linear"), wildcard(), wildcard()
        return op(x, w) | op(x, w, wildcard())

    def biased() -> Pattern:
        return is_op("add")(matmul(), wildcard())

    return {"matmul_bias": biased, "linear": linear, "matmul": matmul}


def cblas_patterns() -> list[FusionPattern]:
    """`cblas.matmul_bias_relu` and its like, largest first."""
    products = _products().items()
    rows: list[FusionPattern] = [
        FusionPattern(f"cblas.{name}_{activation}", is_op(activation)(product()), takes)
        for name, product in products
        for activation in ACTIVATIONS
    ]
    return rows + [FusionPattern(f"cblas.{name}", product(), takes) for name, product in products]
