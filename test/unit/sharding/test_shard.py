"""relax-shard on layers of a transformer: results of one device, and as few collectives as by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from relax_dialect.gradient import gradient
from sharding.models import LAYER, MEGATRON, arrays, layers, sharded


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_layer_has_one_allreduce_for_attention_and_one_for_the_mlp(ranks: int):
    module = layers(2)
    moves, traffic, many = sharded(module, arrays(module, b=2, s=3), {"tp": ranks}, MEGATRON)
    assert [move.kind for move in moves] == ["allreduce"] * 4
    assert traffic.ops == {"relax.ccl.allreduce": 4}
    (function,) = many.ops
    shapes = {a.name_hint: str(a.type) for a in function.body.block.args}  # pyright: ignore
    assert shapes["q"] == f"!relax.tensor<[64, {64 // ranks}], f32>"
    assert shapes["down"] == f"!relax.tensor<[{128 // ranks}, 64], f32>"


def test_batches_cut_over_ranks_reduce_the_loss_alone():
    module = layers()
    moves, _, _ = sharded(module, arrays(module, b=4, s=3), {"dp": 2}, {"x": ["dp", "", ""]})
    assert [(m.kind, str(m.bytes)) for m in moves] == [("allreduce", "4")]


def test_two_axes():
    module = layers(vocabulary=10)
    args = arrays(module, b=4, s=3)
    moves, _, _ = sharded(module, args, {"dp": 2, "tp": 2}, MEGATRON | {"x": ["dp", ""]})
    kinds = Counter((move.kind, move.axis) for move in moves)
    assert kinds == {("allreduce", "tp"): 2, ("allreduce", "dp"): 1}
    columns = MEGATRON | {"table": ["", "tp"]}  # a table cut by columns cuts what is added to it
    moves, _, _ = sharded(module, args, {"tp": 2}, columns)
    kinds = Counter(move.kind for move in moves)
    assert kinds == {"allgather": 2, "reduce_scatter": 2, "allreduce": 1}
    assert sharded(module, args, {"tp": 1, "dp": 1}, columns)[0] == []


def test_gradients_of_a_tensor_parallel_layer():
    module = layers()
    gradient(module, "main")
    args = arrays(module, b=2, s=3)
    (main, _) = module.ops
    main.detach()
    moves, _, _ = sharded(module, args, {"tp": 2}, MEGATRON, "main_adjoint")
    inside = [m for m in moves if m.kind == "allreduce"]
    assert len(inside) == 4  # two forward, two backward: as Megatron's


def test_gradients_of_data_parallel_layers_are_one_flat_sum():
    module = layers()
    gradient(module, "main", list(LAYER))
    args = arrays(module, b=4, s=3)
    (main, _) = module.ops
    main.detach()
    moves, traffic, _ = sharded(module, args, {"dp": 2}, {"x": ["dp", "", ""]}, "main_adjoint")
    assert [m.kind for m in moves] == ["allreduce"] * 2, (
        moves
    )  # the loss, a mean, and all gradients
    assert np.max([*traffic.sent.values()]) <= 2200
