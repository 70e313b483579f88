"""Communication between ranks: types, what is refused, and effects that passes keep."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.device_grid import Grouping, coordinates
from relax_dialect.ir.purity import is_pure
from relax_dialect.ir.types import ShapeType, TensorType
from relax_dialect.ops import ccl
from relax_dialect.ops.base import IllFormedOpError

from .inputs import shape, x

GRID = {"grid": [-1, 4], "grid_axes": [1]}


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (ccl.AllreduceOp(x("n", 4), "max"), TensorType(["n", 4], "f32")),
        (ccl.AllgatherOp(x("n", 4), shape("r")), TensorType(["n * r", 4], "f32")),
        (ccl.AllgatherOp(x("n", 4), 3, axis=-1), TensorType(["n", 12], "f32")),
        (ccl.AllgatherOp(x("n"), shape(None)), TensorType([None], "f32")),
        (ccl.ReduceScatterOp(x("n * r", 4), shape("r")), TensorType(["n", 4], "f32")),
        (ccl.ReduceScatterOp(x("n"), shape("r")), TensorType(["n floordiv r"], "f32")),
        (ccl.ScatterFromWorker0Op(x("n", 8), 2, 1), TensorType(["n", 4], "f32")),
        (ccl.BroadcastFromWorker0Op(x("n", dtype="i1")), TensorType(["n"], "i1")),
        (ccl.AllToAllOp(x("n", 8), 2, 1, 0), TensorType(["2 * n", 4], "f32")),
        (ccl.AllToAllOp(x(8), 2), TensorType([8], "f32")),
        (ccl.RecvOp(0, ["n", 2], "f16"), TensorType(["n", 2], "f16")),
        (ccl.WorldSizeOp(), ShapeType([None])),
        (ccl.WorldSizeOp(**GRID), ShapeType([4])),
        (ccl.WorkerRankOp(**GRID), ShapeType([None])),
    ],
)
def test_types(made: Operation, expected: object):
    assert made.results[0].type == expected
    assert not is_pure(made)


REFUSED = {
    "sums of booleans": (lambda: ccl.AllreduceOp(x(2, dtype="i1")), "a numeric element type (C1)"),
    "averages of integers": (
        lambda: ccl.AllreduceOp(x(2, dtype="i32"), "avg"),
        '"avg" (C1), found i32',
    ),
    "other reductions": (
        lambda: ccl.AllreduceOp(x(2), "xor"),
        '"sum", "prod", "min", "max", "avg" (C2)',
    ),
    "two open axes": (lambda: ccl.AllreduceOp(x(2), grid=[-1, -1]), "one of them -1 at most (G1)"),
    "an axis twice": (lambda: ccl.AllreduceOp(x(2), grid=[2, 2], grid_axes=[0, 0]), "found [0, 0]"),
    "an axis of no grid": (lambda: ccl.AllreduceOp(x(2), grid_axes=[0]), "of 0 axes (G1)"),
    "other ranks than the grid": (
        lambda: ccl.AllgatherOp(x(2), 3, **GRID),
        "the 4 ranks of a group",
    ),
    "two numbers of ranks": (lambda: ccl.AllgatherOp(x(2), [2, 3]), "a shape of one size (C1)"),
    "no ranks": (lambda: ccl.AllgatherOp(x(2), 0), "at least one rank (C1), found 0"),
    "a missing axis": (lambda: ccl.AllgatherOp(x(2), 2, axis=1), "an axis from -1 to 0"),
    "unequal parts": (lambda: ccl.ReduceScatterOp(x(3), 2), "along axis 0 (C4), found 3"),
    "unequal parts of both axes": (lambda: ccl.AllToAllOp(x(2, 3), 2, 1), "along axis 1 (C4)"),
    "two peers": (lambda: ccl.SendOp(x(2), [0, 1]), "the number of one rank (C1)"),
    "large tags": (lambda: ccl.SendOp(x(2), 0, tag=1 << 15), "a tag from 0 to 32767 (C2)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str):
    make, expected = REFUSED[case]
    with pytest.raises(IllFormedOpError) as caught:
        make()
    assert expected in str(caught.value)


def test_the_builder_takes_numbers_and_shapes_of_ranks():
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n", 4], "f32")}) as (value,):
        ranks = builder.match_shape(op.ccl.world_size(), ["r"])
        gathered = builder.emit(op.ccl.allgather(value, ranks))
        assert gathered.type == TensorType(["n * r", 4], "f32")
        found = builder.emit(op.ccl.allgather(gathered, 2, axis=1))
        assert builder.emit(op.ccl.send(found, 0)) is None
        builder.emit_func_output(found)
    builder.get().verify()
    assert {"allreduce", "all_to_all", "rank"} <= set(dir(op.ccl))


def test_groups_of_a_grid():
    rows, columns = Grouping((2, 3), (1,)), Grouping((2, 3), (0,))
    assert [rows.group(r, 6) for r in (0, 4)] == [[0, 1, 2], [3, 4, 5]]
    assert columns.group(4, 6) == [1, 4]
    assert Grouping((-1, 3), (0, 1)).group(2, 6) == Grouping().group(2, 6) == [*range(6)]
    assert Grouping((2, 3), ()).group(2, 6) == [2]
    assert [coordinates(r, (2, 3)) for r in (2, 5)] == [[0, 2], [1, 2]]
