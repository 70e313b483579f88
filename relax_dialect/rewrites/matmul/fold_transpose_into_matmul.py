"""relax-fold-transpose-into-matmul: a product reads a transposed matrix in place, instead of a copy.

```mlir
%t = relax.permute_dims %w : ([n, k]) -> [k, n]
%y = relax.matmul %x, %t : ([m, k], [k, n]) -> [m, n]    ->    %y = relax.linear %x, %w : ...

%t = relax.permute_dims %w : ([k, n]) -> [n, k]
%y = relax.linear %x, %t : ([m, k], [n, k]) -> [m, n]    ->    %y = relax.matmul %x, %w : ...
%z = relax.linear %x, %t, %b : ...                       ->    %z = relax.add (relax.matmul %x, %w), %b

%w = relax.constant dense<...> : tensor<2x3xf32>
%t = relax.permute_dims %w
%y = relax.matmul %x, %t : ...
    ->
%t = relax.constant dense<...> : tensor<3x2xf32>
%y = relax.matmul %x, %t : ...
```

Each saves the copy of a transposition: `relax.linear` is `x @ transpose(w)`. It takes a matrix, so a right
operand of more than two axes is kept. So is a transposed left operand: only `relax.einsum` reads it in
place, which schedules and attention rules would not recognise. A constant is transposed at compile time if
it has no other use; otherwise it would be in memory twice.

The transposition is kept for its other users. Products are summed in the same order; with a bias, of f16
and bf16, the sum is rounded once more.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.builder.values import Value
from relax_dialect.dpl import (
    FunctionRule,
    Match,
    PatternRule,
    apply_rules,
    is_constant,
    is_op,
    wildcard,
)
from relax_dialect.dpl.search.aliases import owner, source, users
from relax_dialect.interpret.runtime_values import from_dense
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.linear_algebra import LinearOp, MatmulOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.rewrites.algebra.fold_constant import constant_of, static_shape
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import fitting

x, w, bias = wildcard(), wildcard(), wildcard()
transposed = is_op("permute_dims")(w)


def _op(value: Value) -> Any:
    return owner(value.value)


def _swaps(permute: PermuteDimsOp, matrix: Value) -> bool:
    """Return whether it is the transposition of a matrix."""
    return matrix.shape is not None and len(matrix.shape) == 2 and permute.permutation(2) == (1, 0)


def _matmul_to_linear(root: Value, m: Match) -> object | None:
    if not _swaps(_op(m[transposed]), m[w]):
        return None
    dtype = _op(root).out_dtype
    return fitting(root, lambda: LinearOp(m[x].value, m[w].value, None, dtype))


def _linear_to_matmul(root: Value, m: Match) -> object | None:
    if not _swaps(_op(m[transposed]), m[w]):
        return None
    dtype = _op(root).out_dtype
    if bias not in m:
        return fitting(root, lambda: MatmulOp(m[x].value, m[w].value, dtype))
    return fitting(root, lambda: AddOp(MatmulOp(m[x].value, m[w].value, dtype), m[bias].value))


def _transposed_constant(root: Value, m: Match) -> object | None:
    """Return a constant matrix that only this transposition uses, which only products use."""
    permute, type = _op(root), root.type
    if not _swaps(permute, m[w]) or not isinstance(type, TensorType) or not static_shape(type):
        return None
    constant = source(m[w].value)
    if len(list(islice(users(constant), 2))) > 1:
        return None
    if not all(isinstance(user, MatmulOp | LinearOp) for user in users(root.value)):
        return None
    op = constant.owner
    assert isinstance(op, ConstantOp)
    return constant_of(np.transpose(from_dense(op.value)), type)


CONSTANTS: list[PatternRule] = [
    FunctionRule(is_op("permute_dims")(w & is_constant()), _transposed_constant, "constant")
]
PRODUCTS: list[PatternRule] = [
    FunctionRule(pattern, replace, name, outside_uses=True)
    for pattern, replace, name in (
        (is_op("matmul")(x, transposed), _matmul_to_linear, "matmul"),
        (is_op("linear")(x, transposed), _linear_to_matmul, "linear"),
        (is_op("linear")(x, transposed, bias), _linear_to_matmul, "linear with bias"),
    )
]


def fold_transposes(module: ModuleOp) -> int:
    """Make products read transposed matrices in place; returns the number of rewrites."""
    return apply_rules(CONSTANTS, module) + apply_rules(PRODUCTS, module)


class FoldTransposeIntoMatmulPass(ModulePass):
    """Make products read transposed matrices in place."""

    name = "relax-fold-transpose-into-matmul"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        fold_transposes(op)
