"""Programs of several simulated ranks: values against numpy, what ranks wait for, and the bytes they send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import PerRank, Traffic, run, run_spmd
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse

RNG = np.random.default_rng(7)


def spmd(expression: Any, parts: Sequence[np.ndarray], traffic: Traffic | None = None) -> list[Any]:
    """The results of an expression of one tensor by rank."""
    builder = BlockBuilder()
    dtype = {"float32": "f32", "int64": "i64", "float16": "f16"}[str(parts[0].dtype)]
    names = ["n", "m", "k"][: parts[0].ndim]
    with builder.function("main", {"x": TensorType(names, dtype)}) as (x,):
        builder.emit_func_output(builder.emit(expression(x)))
    module = builder.get()
    ranks = len(parts)
    return run_spmd(module, "main", PerRank(parts), ranks=ranks, check_types=True, traffic=traffic)


def floats(*shape: int, ranks: int) -> list[np.ndarray]:
    return [RNG.standard_normal(shape).astype("f4") for _ in range(ranks)]


REDUCED = {
    "sum": lambda parts: np.sum(parts, 0),
    "prod": lambda parts: np.prod(parts, 0),
    "min": lambda parts: np.min(parts, 0),
    "max": lambda parts: np.max(parts, 0),
    "avg": lambda parts: np.mean(parts, 0),
}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", REDUCED)
def test_allreduce(kind: str, ranks: int):
    parts = floats(3, 2, ranks=ranks)
    for found in spmd(lambda x: op.ccl.allreduce(x, kind), parts):
        np.testing.assert_allclose(found, REDUCED[kind](parts), rtol=1e-6)


def test_narrow_floats_are_reduced_in_f32():
    parts = [np.full(1, v, "f2") for v in (2048, 1, 1, 1)]
    assert spmd(op.ccl.allreduce, parts)[0] == np.float16(
        2052
    )  # 2051 rounded once; 2048 step by step


def test_whole_numbers_wrap():
    parts = [np.array([2**62], "i8")] * 4
    assert spmd(op.ccl.allreduce, parts)[2] == 0


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_scatter_and_all_to_all(axis: int):
    parts = floats(6, 3, ranks=3)
    whole = np.concatenate(parts, axis)
    for found in spmd(lambda x: op.ccl.allgather(x, 3, axis=axis), parts):
        np.testing.assert_array_equal(found, whole)
    for rank, found in enumerate(spmd(lambda x: op.ccl.scatter_from_worker0(x, 3, axis), parts)):
        np.testing.assert_array_equal(found, np.split(parts[0], 3, axis)[rank])
    for rank, found in enumerate(spmd(lambda x: op.ccl.all_to_all(x, 3, axis, 0), parts)):
        wanted = np.concatenate([np.split(x, 3, axis)[rank] for x in parts], 0)
        np.testing.assert_array_equal(found, wanted)
    for rank, found in enumerate(spmd(lambda x: op.ccl.reduce_scatter(x, 3, axis=axis), parts)):
        wanted = np.split(np.sum(parts, 0), 3, axis)[rank]
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)
    for found in spmd(op.ccl.broadcast_from_worker0, parts):
        np.testing.assert_array_equal(found, parts[0])


def test_groups_of_a_grid_communicate_on_their_own():
    parts = [np.array([2.0**r], "f4") for r in range(6)]
    rows = spmd(lambda x: op.ccl.allreduce(x, grid=[-1, 3], grid_axes=[1]), parts)
    assert [int(y[0]) for y in rows] == [7] * 3 + [56] * 3
    columns = spmd(lambda x: op.ccl.allgather(x, 2, grid=[2, 3], grid_axes=[0]), parts)
    assert [list(y) for y in columns] == [[2.0**r, 2.0 ** (r + 3)] for r in range(3)] * 2
    everyone = spmd(lambda x: op.ccl.allreduce(x, "sum", False, [2, 3], [0]), parts)
    assert [int(y[0]) for y in everyone] == [63] * 6
    firsts = spmd(lambda x: op.ccl.broadcast_from_worker0(x, [2, 3], [1]), parts)
    assert [int(y[0]) for y in firsts] == [1] * 3 + [8] * 3


def test_sizes_of_zero_and_special_values():
    assert [y.shape for y in spmd(lambda x: op.ccl.allgather(x, 2), floats(0, 3, ranks=2))] == [
        (0, 3)
    ] * 2
    parts = [np.array([np.nan, 1, -np.inf], "f4"), np.array([0, np.inf, np.inf], "f4")]
    np.testing.assert_array_equal(
        spmd(lambda x: op.ccl.allreduce(x, "max"), parts)[0], [np.nan, np.inf, np.inf]
    )
    np.testing.assert_array_equal(spmd(op.ccl.allreduce, parts)[1], [np.nan, np.inf, np.nan])


def test_results_of_ranks_share_no_memory():
    first, second = spmd(op.ccl.allreduce, floats(2, ranks=2))
    first[:] = 0
    assert second.any()


def test_bytes_are_those_of_rings():
    n, ranks = 24 * 4, 4
    parts = floats(n // 4, ranks=ranks)
    sent = {
        "allreduce": (op.ccl.allreduce, [2 * n * 3 // 4] * 4),
        "allgather": (lambda x: op.ccl.allgather(x, 4), [3 * n] * 4),
        "reduce_scatter": (lambda x: op.ccl.reduce_scatter(x, 4), [n * 3 // 4] * 4),
        "broadcast_from_worker0": (op.ccl.broadcast_from_worker0, [n, n, n, 0]),
        "scatter_from_worker0": (
            lambda x: op.ccl.scatter_from_worker0(x, 4),
            [n * 3 // 4, 0, 0, 0],
        ),
        "all_to_all": (lambda x: op.ccl.all_to_all(x, 4), [n * 3 // 4] * 4),
    }
    for name, (expression, wanted) in sent.items():
        traffic = Traffic()
        spmd(expression, parts, traffic)
        assert [traffic.sent[r] for r in range(4)] == wanted, name
        assert traffic.ops == {f"relax.ccl.{name}": 1}


MESSAGES = parse("""
relax.func @ring(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %p = relax.ccl.rank : () -> !relax.shape<[?]>
  %r = relax.match_shape %p [r] : (!relax.shape<[?]>) -> !relax.shape<[r]>
  %q = relax.ccl.world_size : () -> !relax.shape<[?]>
  %w = relax.match_shape %q [ranks] : (!relax.shape<[?]>) -> !relax.shape<[ranks]>
  %next = relax.shape [(r + 1) mod ranks]
  %last = relax.shape [(r + ranks - 1) mod ranks]
  %size = relax.shape [n]
  %rank = relax.symbolic_value [r]
  %zero = arith.constant 0 : i64
  %first = arith.cmpi eq, %rank, %zero : i64
  %y = relax.if %first : (i1) -> !relax.tensor<[n], f32> {
    relax.ccl.send %x, %next : (!relax.tensor<[n], f32>, !relax.shape<[(r + 1) mod ranks]>) -> ()
    %a = relax.ccl.recv %last, %size : (!relax.shape<[(r + ranks - 1) mod ranks]>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
    relax.yield %a : !relax.tensor<[n], f32>
  } else {
    %a = relax.ccl.recv %last, %size : (!relax.shape<[(r + ranks - 1) mod ranks]>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
    relax.ccl.send %x, %next : (!relax.tensor<[n], f32>, !relax.shape<[(r + 1) mod ranks]>) -> ()
    relax.yield %a : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @greedy(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %p = relax.ccl.rank : () -> !relax.shape<[?]>
  %r = relax.match_shape %p [r] : (!relax.shape<[?]>) -> !relax.shape<[r]>
  %other = relax.shape [(r + 1) mod 2]
  %size = relax.shape [n]
  relax.ccl.send %x, %other {tag = 5 : i64} : (!relax.tensor<[n], f32>, !relax.shape<[(r + 1) mod 2]>) -> ()
  %y = relax.ccl.recv %other, %size : (!relax.shape<[(r + 1) mod 2]>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @sometimes(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %a = relax.ccl.allreduce %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %a : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  %b = relax.ccl.broadcast_from_worker0 %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %b : !relax.tensor<[n], f32>
}
relax.func @ends(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %a = relax.ccl.allreduce %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %a : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @sized(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %r = relax.shape [2]
  %y = relax.ccl.allgather %x, %r : (!relax.tensor<[n], f32>, !relax.shape<[2]>) -> !relax.tensor<[2 * n], f32>
  %z = relax.ccl.reduce_scatter %x, %r : (!relax.tensor<[n], f32>, !relax.shape<[2]>) -> !relax.tensor<[n floordiv 2], f32>
  relax.return %y : !relax.tensor<[2 * n], f32>
}
relax.func @grid(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.ccl.allreduce %x {grid = array<i64: -1, 2>, grid_axes = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @nobody(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.shape [0]
  relax.ccl.send %x, %r : (!relax.tensor<[n], f32>, !relax.shape<[0]>) -> ()
  relax.return %x : !relax.tensor<[n], f32>
}
""".replace("@nobody", "@itself"))  # fmt: skip
X = np.arange(2, dtype="f4")
YES, NO = np.array(True), np.array(False)


def test_messages_around_a_ring():
    traffic = Traffic()
    parts = PerRank([X + r for r in range(4)])
    found = run_spmd(MESSAGES, "ring", parts, ranks=4, traffic=traffic)
    assert [list(y) for y in found] == [list(X + (r - 1) % 4) for r in range(4)]
    assert [traffic.sent[r] for r in range(4)] == [8] * 4


WRONG = {
    "ranks that both send first": (
        ("greedy", 2, X),
        "expected a rank that can continue, found all waiting: rank 0 in @greedy: relax.ccl.send for rank 1; "
        "rank 1 in @greedy: relax.ccl.send for rank 0; run the same collectives on every rank, and let one of "
        "two ranks send first",
    ),
    "collectives of different kinds": (
        ("sometimes", 2, X, PerRank([YES, NO])),
        "rank 1: @sometimes: relax.ccl.broadcast_from_worker0 (%b): expected all ranks of a group to run the "
        "same op, found it on rank 1 and @sometimes: relax.ccl.allreduce (%a) on rank 0; run them in the same "
        "order on every rank",
    ),
    "a rank that has returned": (
        ("ends", 3, X, PerRank([YES, NO, YES])),
        "rank 2: @ends: relax.ccl.allreduce (%a): expected a rank that can continue, found all waiting: rank 0 "
        "in @ends: relax.ccl.allreduce (%a) for rank 1 (returned); rank 2 in",
    ),
    "unequal sizes": (
        ("ends", 2, PerRank([X, X[:1]]), YES),
        "rank 1: @ends: relax.ccl.allreduce (%a): expected the shape to be equal on all ranks of a group, found "
        "[2] on rank 0 and [1] on rank 1; pass values of equal types and sizes",
    ),
    "other ranks than the program counts on": (
        ("sized", 3, X),
        "relax.ccl.allgather (%y): expected the 3 ranks of the group as num_workers, found 2; pass "
        "relax.ccl.world_size, or start as many ranks",
    ),
    "a size that ranks do not divide": (
        ("sized", 2, X[:1]),
        "relax.ccl.reduce_scatter (%z): expected a size that the number of ranks divides, along axis 0 (C4), "
        "found 1 for 2 ranks; pad the axis first",
    ),
    "ranks that do not fill a grid": (
        ("grid", 3, X),
        "expected a multiple of 2 ranks for a grid of ? x 2, found 3; start as many, or correct 'grid'",
    ),
    "a message to itself": (
        ("itself", 2, X),
        "rank 0: @itself: relax.ccl.send: expected another rank of the group, from 0 to 1, as worker, found 0",
    ),
    "other values than ranks": (
        ("ring", 3, PerRank([X, X])),
        "@ring: expected a value for each of 3 ranks, found 2; pass a value that is not PerRank for all",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_ranks_that_do_not_fit_get_an_error_and_no_hang(case: str):
    (name, ranks, *args), expected = WRONG[case]
    with pytest.raises(ExecutionError) as caught:
        run_spmd(MESSAGES, name, *args, ranks=ranks)
    assert expected in str(caught.value)


def test_a_program_by_itself_is_one_rank():
    np.testing.assert_array_equal(run(MESSAGES, "ends", X, YES), X)
    with pytest.raises(ExecutionError, match="from 0 to 0, as worker, found 0"):
        run(MESSAGES, "itself", X)


def test_the_error_of_one_rank_stops_all():
    with pytest.raises(ExecutionError, match=r"^rank 1: @ends: argument 'x'"):
        run_spmd(MESSAGES, "ends", PerRank([X, X.astype("f8"), X]), YES, ranks=3)
