"""Sums of products."""

from __future__ import annotations

from relax_dialect.builder import op

from .case import Case, case

CASES: dict[str, Case] = {}

CASES |= {
    "linear": case(op.linear, (2, 3), (4, 3), (4,)),
    "linear_vector": case(op.linear, (2, 3), (3,)),
    "outer": case(op.outer, (2,), (3,)),
    "tensordot": case(lambda x, y: op.tensordot(x, y, [[1, 2], [0, 2]]), (2, 3, 4), (3, 2, 4)),
    "einsum": case(
        lambda x, y, z: op.einsum([x, y, z], "bi,ijd,bj->bd"), (2, 3), (3, 4, 5), (2, 4)
    ),
    "einsum_alone": case(lambda x, y: op.einsum([x, y], "bij,b->b"), (2, 3, 4), (1,)),
    "einsum_dots": case(lambda x, y: op.einsum([x, y], "...i,i...->..."), (2, 3), (3, 1)),
    "linear_batch": case(op.linear, (2, 5, 3), (4, 3)),
}
for left, right in (
    ((2, 3), (3, 4)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((3,), (3,)),
    ((2, 2, 3), (3, 4)),
    ((2, 1, 2, 3), (3, 3, 4)),
    ((3,), (2, 3, 4)),
    ((2, 4, 3), (3,)),
):
    CASES[f"matmul_{len(left)}_{len(right)}_{left[0]}"] = case(op.matmul, left, right)
CASES |= {
    "det": case(op.det, (3, 3)),
    "det_batch": case(op.det, (2, 2, 2)),
    "det_singular": case(lambda x: op.det(op.outer(x, x)), (2,)),
}
CASES |= {
    "einsum_diagonal": case(lambda x, y: op.einsum([x, y], "iij,ik->jk"), (3, 3, 2), (3, 4)),
    "einsum_diagonals": case(lambda x: op.einsum([x], "ijij->j"), (2, 3, 2, 3)),
}
