"""Adjoints of communication against finite differences of the sum of what all simulated ranks return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.gradient import gradient
from relax_dialect.gradient.errors import GradientError
from relax_dialect.interpret import PerRank, run_spmd
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse

RANKS = 3
EXPRESSIONS = {
    "allreduce": op.ccl.allreduce,
    "average": lambda x: op.ccl.allreduce(x, "avg"),
    "largest": lambda x: op.ccl.allreduce(x, "max"),
    "smallest of a group": lambda x: op.ccl.allreduce(x, "min", grid=[-1, 1], grid_axes=[0]),
    "allgather": lambda x: op.ccl.allgather(x, RANKS, axis=1),
    "reduce_scatter": lambda x: op.ccl.reduce_scatter(x, RANKS, axis=1),
    "averages scattered": lambda x: op.ccl.reduce_scatter(x, op.ccl.world_size(), "avg"),
    "broadcast": op.ccl.broadcast_from_worker0,
    "scatter": lambda x: op.ccl.scatter_from_worker0(x, RANKS, 1),
    "all_to_all": lambda x: op.ccl.all_to_all(x, RANKS, 0, 1),
}


def loss_of(expression: Any) -> Any:
    """A module whose loss weighs the elements of an expression differently on every rank."""
    builder = BlockBuilder()
    weight = TensorType([], "f64")
    with builder.function("loss", {"x": TensorType([3, 6], "f64"), "w": weight}) as (x, w):
        y = builder.emit(expression(x))
        builder.emit_func_output(builder.emit(op.sum(op.sin(y * (y + w)))))
    return builder.get()


@pytest.mark.parametrize("case", EXPRESSIONS)
def test_adjoints(case: str):
    module, rng = loss_of(EXPRESSIONS[case]), np.random.default_rng(3)
    gradient(module, "loss", ["x"])
    x, along = rng.standard_normal((2, RANKS, 3, 6))
    weights = PerRank(list(rng.standard_normal(RANKS)))

    def total(step: float) -> float:
        moved = PerRank(list(x + step * along))
        return float(sum(run_spmd(module, "loss", moved, weights, ranks=RANKS)))

    found = run_spmd(module, "loss_adjoint", PerRank(list(x)), weights, ranks=RANKS)
    slope = sum(np.sum(gx * t) for (_, (gx,)), t in zip(found, along))
    np.testing.assert_allclose(slope, (total(1e-5) - total(-1e-5)) / 2e-5, rtol=1e-6)


def test_adjoints_of_a_column_and_a_row_parallel_product_are_those_of_one_rank():
    text = """
relax.func @loss(%x: !relax.tensor<[4, 6], f64>, %a: !relax.tensor<[6, h], f64>, %b: !relax.tensor<[h, 5], f64>) -> !relax.tensor<[], f64> {
  %0 = relax.matmul %x, %a : (!relax.tensor<[4, 6], f64>, !relax.tensor<[6, h], f64>) -> !relax.tensor<[4, h], f64>
  %1 = relax.relu %0 : (!relax.tensor<[4, h], f64>) -> !relax.tensor<[4, h], f64>
  %2 = relax.matmul %1, %b : (!relax.tensor<[4, h], f64>, !relax.tensor<[h, 5], f64>) -> !relax.tensor<[4, 5], f64>
  %3 = relax.ccl.allreduce %2 : (!relax.tensor<[4, 5], f64>) -> !relax.tensor<[4, 5], f64>
  %4 = relax.multiply %3, %3 : (!relax.tensor<[4, 5], f64>, !relax.tensor<[4, 5], f64>) -> !relax.tensor<[4, 5], f64>
  %5 = relax.sum %4 : (!relax.tensor<[4, 5], f64>) -> !relax.tensor<[], f64>
  relax.return %5 : !relax.tensor<[], f64>
}
"""
    module, rng = parse(text), np.random.default_rng(4)
    gradient(module, "loss")
    x, a, b = (rng.standard_normal(s) for s in ((4, 6), (6, 8), (8, 5)))
    ((_, (dx, da, db)),) = run_spmd(module, "loss_adjoint", x, a, b, ranks=1)
    shares = PerRank(np.split(a, 2, 1)), PerRank(np.split(b, 2, 0))
    found = [grads for _, grads in run_spmd(module, "loss_adjoint", x, *shares, ranks=2)]
    np.testing.assert_allclose(
        sum(g[0] for g in found) / 2, dx
    )  # each of the two ranks counts the loss
    np.testing.assert_allclose(np.concatenate([g[1] for g in found], 1) / 2, da)
    np.testing.assert_allclose(np.concatenate([g[2] for g in found], 0) / 2, db)


@pytest.mark.parametrize("kind", ["prod", "min"])
def test_other_reductions_are_refused(kind: str):
    scattered = kind == "min"
    module = loss_of(
        lambda x: op.ccl.reduce_scatter(x, RANKS, kind) if scattered else op.ccl.allreduce(x, kind)
    )
    with pytest.raises(GradientError, match=f'to differentiate it, found "{kind}"; gather the'):
        gradient(module, "loss")
