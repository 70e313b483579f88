"""Relax, the graph level: dialect, symbolic shapes, tensor expressions, builder, interpreter.

>>> module = relax_dialect.parse(text)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from relax_dialect.threads import rare_collection

with rare_collection():  # imported objects stay alive
    from relax_dialect import notebooks, xdsl_fast_paths
    from relax_dialect.errors import RelaxError
    from relax_dialect.ir.affine import affine_ops, affine_rules, semi_affine
    from relax_dialect.ir.mlir import (
        linalg_categories,
        linalg_map,
        linalg_ops,
        memref_transpose,
        mlir_ops,
        tensor_ops,
    )
    from relax_dialect.ops.canonicalization import canonicalize_by
    from relax_dialect.parsing import load, parse, verify
    from relax_dialect.text import (
        affine_syntax,
        arith_syntax,
        float_syntax,
        func_syntax,
        linalg_syntax,
        memref_syntax,
        scf_syntax,
    )

if TYPE_CHECKING:
    from relax_dialect.builder import BlockBuilder
    from relax_dialect.structural import (
        assert_structural_equal,
        structural_equal,
        structural_hash,
    )

for syntax in (
    affine_ops,
    affine_rules,
    affine_syntax,
    arith_syntax,
    float_syntax,
    func_syntax,
    linalg_categories,
    linalg_map,
    linalg_ops,
    linalg_syntax,
    memref_syntax,
    memref_transpose,
    mlir_ops,
    scf_syntax,
    semi_affine,
    tensor_ops,
    xdsl_fast_paths,
):
    syntax.install()
notebooks.install()

canonicalize_by(lambda: import_module("relax_dialect.rewrites.algebra.simplify_algebra").rule_set())

__all__ = [
    "BlockBuilder",
    "RelaxError",
    "assert_structural_equal",
    "load",
    "parse",
    "structural_equal",
    "structural_hash",
    "verify",
]

_LATER = {
    "BlockBuilder": "builder",
    "assert_structural_equal": "structural",
    "structural_equal": "structural",
    "structural_hash": "structural",
}
"""Names that are imported on first access, with their modules: reading programs needs none of them."""


def __getattr__(name: str) -> Any:
    """Load the names of `_LATER` on first access."""
    if name in _LATER:
        return getattr(import_module(f"relax_dialect.{_LATER[name]}"), name)
    raise AttributeError(f"module 'relax_dialect' has no attribute '{name}'")
