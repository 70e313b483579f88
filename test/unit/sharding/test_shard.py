"""relax-shard on layers of a transformer: results of one device, and as few collectives as by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i64

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.gradient import gradient
from relax_dialect.interpret import run, run_spmd
from relax_dialect.interpret.tensor_files import write_tensors
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse
from relax_dialect.sharding import Grid, ShardingError, shard
from relax_dialect.sharding.rank_weights import arguments_by_rank, parameters, read_parts
from relax_dialect.sharding.shard_report import grown, report, sent
from sharding.models import LAYER, MEGATRON, annotate, arrays, layers, sharded


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
    weights = 4 * sum(int(np.prod(shape)) for shape in LAYER.values())
    assert [*traffic.sent.values()] == [4 + weights] * 2  # twice half of them


def test_the_report_counts_the_bytes_that_the_simulator_sends():
    module = layers(vocabulary=10)
    sharding = MEGATRON | {"x": ["dp", ""], "table": ["", "tp"]}
    grid = {"dp": 2, "tp": 2}
    moves, traffic, _ = sharded(module, arrays(module, b=4, s=4), grid, sharding)
    counted = sent(moves, grid, {"b": 2, "s": 4})  # b is that of a rank
    assert {*traffic.sent.values()} == {counted}
    text = report("main", moves, Grid(grid), {"b": 2, "s": 4})
    assert "@main on 4 ranks: dp = 2, tp = 2; sizes b = 2, s = 4\n" in text
    assert f"a rank sends {counted:.0f} bytes in {len(moves)} collectives" in text
    assert text.count("\n         1024 ") == 2


TRAINING = """
relax.func @main(%x: !relax.tensor<[n, 6], f64>, %y: !relax.tensor<[n, 4], f64>, %w: !relax.tensor<[6, 4], f64>, %m: !relax.tensor<[6, 4], f64>) -> !relax.object {
  %z = relax.matmul %x, %w : (!relax.tensor<[n, 6], f64>, !relax.tensor<[6, 4], f64>) -> !relax.tensor<[n, 4], f64>
  %e = relax.subtract %z, %y : (!relax.tensor<[n, 4], f64>, !relax.tensor<[n, 4], f64>) -> !relax.tensor<[n, 4], f64>
  %g = relax.einsum %x, %e {subscripts = "ni,nj->ij"} : (!relax.tensor<[n, 6], f64>, !relax.tensor<[n, 4], f64>) -> !relax.tensor<[6, 4], f64>
  %k = relax.multiply %m, 0.9 : (!relax.tensor<[6, 4], f64>) -> !relax.tensor<[6, 4], f64>
  %momentum = relax.add %k, %g : (!relax.tensor<[6, 4], f64>, !relax.tensor<[6, 4], f64>) -> !relax.tensor<[6, 4], f64>
  %step = relax.multiply %momentum, 0.01 : (!relax.tensor<[6, 4], f64>) -> !relax.tensor<[6, 4], f64>
  %weight = relax.subtract %w, %step : (!relax.tensor<[6, 4], f64>, !relax.tensor<[6, 4], f64>) -> !relax.tensor<[6, 4], f64>
  %r = relax.tuple %weight, %momentum : (!relax.tensor<[6, 4], f64>, !relax.tensor<[6, 4], f64>) -> tuple<!relax.tensor<[6, 4], f64>, !relax.tensor<[6, 4], f64>>
  relax.return %r : tuple<!relax.tensor<[6, 4], f64>, !relax.tensor<[6, 4], f64>>
}
"""  # fmt: skip


def test_a_cut_state_of_the_optimizer_scatters_gradients_and_gathers_weights():
    module = parse(TRAINING)
    args = [a.astype("f8") for a in arrays(module, n=8)]
    weight, momentum = run(module, "main", *args)
    rows = ["dp", ""]
    annotate(module, {"dp": 2}, {"x": rows, "y": rows, "m": rows, "momentum": rows})
    moves = shard(module, "main")
    assert [m.kind for m in moves] == ["reduce_scatter", "allgather"]
    parts = arguments_by_rank(module, "main", args)
    for rank, (own, state) in enumerate(run_spmd(module, "main", *parts, ranks=2)):
        np.testing.assert_allclose(own, weight)
        np.testing.assert_allclose(state, np.split(momentum, 2)[rank])


def test_biases_are_added_after_the_sum_of_a_row_parallel_product():
    text = """
relax.func @main(%x: !relax.tensor<[n, 64], f32>, %w: !relax.tensor<[64, 64], f32>, %b: !relax.tensor<[64], f32>) -> !relax.tensor<[n, 64], f32> {
  %y = relax.linear %x, %w, %b : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 64], f32>, !relax.tensor<[64], f32>) -> !relax.tensor<[n, 64], f32>
  relax.return %y : !relax.tensor<[n, 64], f32>
}
"""
    module = parse(text)
    moves, _, _ = sharded(
        module, arrays(module, n=3), {"tp": 4}, {"w": ["", "tp"], "x": ["", "tp"]}
    )
    assert [m.kind for m in moves] == ["allreduce"]


def test_control_flow_and_other_ops_are_computed_whole():
    text = """
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n, 4], f32> {
  %0 = relax.tanh %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 4], f32> {
    %a = relax.exp %0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.yield %a : !relax.tensor<[n, 4], f32>
  } else {
    relax.yield %x : !relax.tensor<[n, 4], f32>
  }
  %z = relax.cumsum %y {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %z : !relax.tensor<[n, 4], f32>
}
"""
    module, x = parse(text), np.ones((6, 4), "f4")
    for chosen in (True, False):
        moves, _, _ = sharded(module, [x, np.array(chosen)], {"tp": 2}, {"x": ["tp", ""]})
        assert {m.kind for m in moves} == {"allgather"}


WRONG = {
    "no grid": (None, {"x": ["tp", ""]}, "expected relax.grid = {tp = 2 : i64} on the module"),
    "an empty axis": ({"tp": 0}, {"x": ["tp", ""]}, "the sizes of the axes, found {tp = 0 : i64}"),
    "an axis of no grid": ({"tp": 2}, {"x": ["dp", ""]}, "'x': expected a grid axis (tp) or an empty text"),
    "an axis twice": ({"tp": 2}, {"x": ["tp", "tp"]}, "for each of 2 dimensions, each axis once"),
    "other ranks": ({"tp": 2}, {"x": ["tp"]}, "for each of 2 dimensions"),
    "a name of nothing": ({"tp": 2}, {"q": ["tp"]}, "found 'q', which no tensor has; correct the name"),
    "an odd size": ({"tp": 4}, {"w": ["tp", ""]}, "that the 4 ranks of 'tp' divide, found 6; pad it, or"),
    "an odd value": ({"tp": 4}, {"g": ["tp", ""]}, "'g': expected sizes that the grid divides, found"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong(case: str):
    grid, sharding, expected = WRONG[case]
    module = parse(TRAINING)
    annotate(module, grid or {}, sharding)
    with pytest.raises(ShardingError) as caught:
        shard(module, "main")
    assert expected in str(caught.value)


def test_wrong_functions_and_programs():
    module = parse(TRAINING)
    module.attributes["relax.grid"] = DictionaryAttr({"tp": IntegerAttr(2, i64)})
    with pytest.raises(ShardingError, match="found none; write attributes"):
        shard(module, "main")
    with pytest.raises(RelaxError, match="relax-shard: expected the name of a function"):
        shard(module, "other")
    text = """
relax.func @main(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> {
  %y = relax.ccl.allreduce %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %y : !relax.tensor<[4], f32>
}
"""
    module = parse(text)
    annotate(module, {"tp": 2}, {"x": ["tp"]})
    with pytest.raises(ShardingError, match="expected a program of one rank, found communication"):
        shard(module, "main")


def test_each_rank_reads_its_part_of_a_file(tmp_path: Path):
    module = layers()
    annotate(module, {"tp": 2}, MEGATRON)
    shard(module, "main")
    weights = {
        n: np.random.default_rng(1).standard_normal(s).astype("f4") for n, s in LAYER.items()
    }
    write_tensors(tmp_path / "model.safetensors", weights)
    placements, grid = parameters(module, "main"), Grid.of(module)
    whole = sum(w.nbytes for w in weights.values())
    for rank in range(2):
        parts = read_parts(tmp_path / "model.safetensors", placements, grid, rank)
        np.testing.assert_array_equal(parts["up"], np.split(weights["up"], 2, 1)[rank])
        np.testing.assert_array_equal(parts["gamma"], weights["gamma"])
        assert sum(p.nbytes for p in parts.values()) <= 1.05 * whole / 2
    with pytest.raises(ShardingError, match="that the 3 ranks of 'tp' divide, found 64 of"):
        read_parts(tmp_path / "model.safetensors", placements, Grid({"tp": 3}), 0)


def test_the_report_foretells_larger_grids():
    text = """
relax.func @main(%x: !relax.tensor<[n, 64], f32>, %a: !relax.tensor<[64, 64], f32>, %b: !relax.tensor<[64, 64], f32>) -> !relax.tensor<[n, 64], f32> {
  %h = relax.matmul %x, %a : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 64], f32>) -> !relax.tensor<[n, 64], f32>
  %y = relax.matmul %h, %b : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 64], f32>) -> !relax.tensor<[n, 64], f32>
  relax.return %y : !relax.tensor<[n, 64], f32>
}
"""
    module, columns = parse(text), {"a": ["", "tp"], "b": ["tp", ""], "x": ["tp", ""]}
    args = arrays(module, n=64)
    small, _, _ = sharded(module, args, {"tp": 2}, columns)
    for ranks in (8, 16):
        _, traffic, _ = sharded(module, args, {"tp": ranks}, columns)
        told = sent(grown(small, Grid({"tp": 2}), "tp", ranks), {"tp": ranks}, {"n": 32})
        assert {*traffic.sent.values()} == {told}


def test_graphs_and_other_element_types():
    text = """
relax.func @main(%x: !relax.tensor<[n, 4], i32>, %c: !relax.tensor<[n, 4], i1>) -> tuple<!relax.tensor<[4], i32>, !relax.tensor<[n], i1>> {
  %s, %m = relax.graph {
    %m = relax.any %c {axis = array<i64: 1>} : (!relax.tensor<[n, 4], i1>) -> !relax.tensor<[n], i1>
    %s = relax.sum %d {axis = array<i64: 0>} : (!relax.tensor<[n, 4], i32>) -> !relax.tensor<[4], i32>
    %d = relax.add %x, %x : (!relax.tensor<[n, 4], i32>, !relax.tensor<[n, 4], i32>) -> !relax.tensor<[n, 4], i32>
    relax.output %s, %m : !relax.tensor<[4], i32>, !relax.tensor<[n], i1>
  }
  %t = relax.tuple %s, %m : (!relax.tensor<[4], i32>, !relax.tensor<[n], i1>) -> tuple<!relax.tensor<[4], i32>, !relax.tensor<[n], i1>>
  relax.return %t : tuple<!relax.tensor<[4], i32>, !relax.tensor<[n], i1>>
}
"""  # fmt: skip
    args = [np.arange(24, dtype="i4").reshape(6, 4), np.arange(24).reshape(6, 4) % 5 > 3]
    moves, _, _ = sharded(parse(text), args, {"tp": 3}, {"x": ["tp", ""], "c": ["tp", ""]})
    assert [m.kind for m in moves] == ["allgather", "allreduce"]


def test_calls_checks_and_unknown_sizes_are_kept():
    text = """
relax.func @helper(%a: !relax.tensor<[k, 4], f32>) -> !relax.tensor<[k, 4], f32> {
  %b = relax.exp %a : (!relax.tensor<[k, 4], f32>) -> !relax.tensor<[k, 4], f32>
  relax.return %b : !relax.tensor<[k, 4], f32>
}
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %u: !relax.tensor<*, f32>, %s: !relax.shape<[n]>, %t: tuple<!relax.tensor<[n], f32>, !relax.tensor<[4], f32>>) -> !relax.object {
  %h = relax.call @helper(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %v = relax.add %h, %u : (!relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  %w = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[4], f32>>) -> !relax.tensor<[4], f32>
  %z = relax.multiply %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
  %q = relax.nonzero %z : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[2, ?], i64>
  %r = relax.match_cast %q : !relax.tensor<[2, ?], i64> -> !relax.tensor<[2, m], i64>
  %o = relax.astype %r {dtype = f32} : (!relax.tensor<[2, m], i64>) -> !relax.tensor<[2, m], f32>
  %e = relax.symbolic_value [n + m]
  %f = relax.scalar_to_tensor %e : (i64) -> !relax.tensor<[], i64>
  %p = relax.tuple %v, %z, %o, %f : (!relax.tensor<*, f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[2, m], f32>, !relax.tensor<[], i64>) -> tuple<!relax.tensor<*, f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[2, m], f32>, !relax.tensor<[], i64>>
  relax.return %p : tuple<!relax.tensor<*, f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[2, m], f32>, !relax.tensor<[], i64>>
}
"""  # fmt: skip
    x = np.arange(24, dtype="f4").reshape(6, 4) / 20
    args = [x, x[:1], (6,), (x[:, 0].copy(), x[0])]
    moves, _, _ = sharded(parse(text), args, {"tp": 3}, {"x": ["tp", ""]})
    assert [m.kind for m in moves] == ["allgather"] * 2


@pytest.mark.parametrize("ranks", [2, 4])
def test_groups_of_heads(ranks: int):
    builder = BlockBuilder()
    query, keys = TensorType(["b", "s", 4, 8], "f32"), TensorType(["b", "s", 2, 8], "f32")
    with builder.function("main", {"q": query, "k": keys, "v": keys}) as values:
        builder.emit_func_output(builder.emit(op.attention(*values, causal_mask="TopLeft")))
    module = builder.get()
    heads = {key: ["", "", "tp", ""] for key in ("q" if ranks == 4 else "qkv")}
    moves, _, _ = sharded(module, arrays(module, b=2, s=5), {"tp": ranks}, heads)
    assert [m.kind for m in moves] == [
        "allgather"
    ]  # of the result, or of queries that no key head is for
