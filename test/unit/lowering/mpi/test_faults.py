"""Errors of one rank are errors of all ranks, and none waits for another forever."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.mpi_ranks import RankCall, launch, run_ranks
from support.optional import MPI, UNOPTIMISED, needs

import lowering
from relax_dialect import parse
from relax_dialect.errors import RelaxError

PROGRAM = """
relax.func @sum(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.ccl.allreduce %x : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
relax.func @checked(%x: !relax.tensor<[n, 2], f32>, %c: !relax.tensor<[], i1>, %d: !relax.tensor<[], i1>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.ccl.allreduce %x : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.assert_op %c {format = "in the middle"} : (!relax.tensor<[], i1>) -> ()
  %z = relax.ccl.allreduce %y : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.assert_op %d {format = "at the end"} : (!relax.tensor<[], i1>) -> ()
  relax.return %z : !relax.tensor<[n, 2], f32>
}
relax.func @rows(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[2 * n, 2], f32> {
  %q = relax.shape [2]
  %y = relax.ccl.allgather %x, %q : (!relax.tensor<[n, 2], f32>, !relax.shape<[2]>) -> !relax.tensor<[2 * n, 2], f32>
  relax.return %y : !relax.tensor<[2 * n, 2], f32>
}
relax.func @grid(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.ccl.allreduce %x {grid = array<i64: 2, 2>, grid_axes = array<i64: 1>} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
"""

NO, YES = np.array(False), np.array(True)


def matrix(n: int = 3) -> np.ndarray:
    return np.ones((n, 2), np.float32)


def expect(results: list[Any], *texts: str) -> None:
    """Compare the errors of the ranks with parts of them; None for no error."""
    for found, text in zip(results, texts):
        assert text in found if isinstance(found, str) else text == "", (found, text)


@needs(MPI)
@pytest.mark.slow
def test_an_error_of_one_rank_is_one_of_all():
    fine = [[matrix()], [matrix()], [matrix()]]
    calls = [
        RankCall("sum", [[matrix()], [np.ones((3, 5), np.float32)], [matrix()]]),
        RankCall("sum", [[matrix()], [matrix().astype(np.float64)], [matrix()]]),
        RankCall("sum", [[matrix()], [], [matrix()]]),
        RankCall("sum", [[matrix(3)], [matrix(3)], [matrix(4)]]),
        RankCall("checked", [[matrix(), YES, YES], [matrix(), YES, YES], [matrix(), NO, YES]]),
        RankCall("checked", [[matrix(), YES, NO], [matrix(), YES, YES], [matrix(), YES, YES]]),
        RankCall("checked", [[matrix(), YES, NO], [matrix(), NO, YES], [matrix(), YES, YES]]),
        RankCall("rows", fine),
        RankCall("grid", fine),
        RankCall("sum", fine),
    ]
    found = run_ranks(PROGRAM, calls, 3)
    size = "expected size 2 in dimension 1, found 5"
    expect(found[0], f"rank 1: @sum: argument 'x': {size}", f"@sum: argument 'x': {size}", "rank 1")
    expect(found[1], *["expected element type f32, found f64"] * 3)
    expect(found[2], *["expected 1 argument"] * 3)
    shapes = "[3, 2] on rank 0 and relax.ccl.allreduce (sum of f32) [4, 2] on rank 2; pass all"
    expect(found[3], *[shapes] * 3)
    expect(found[4], *["rank 2: @checked: relax.assert_op: in the middle"] * 2, "in the middle")
    expect(found[5], "at the end", *["rank 0: @checked: relax.assert_op: at the end"] * 2)
    expect(found[6], *["in the middle"] * 3)
    expect(
        found[7], *["expected 18 elements, 6 for each of 3 ranks, found 12; correct the number"] * 3
    )
    expect(found[8], *["expected 4 ranks for its grid, found 3; start as many, or correct"] * 3)
    for result in found[9]:
        np.testing.assert_array_equal(result, 3 * matrix())


@needs(MPI)
@pytest.mark.slow
def test_an_error_in_one_group_is_one_of_all():
    fine = [[matrix()]] * 4
    calls = [
        RankCall("grid", [[matrix()], [matrix()], [matrix(4)], [matrix()]]),
        RankCall("grid", fine),
    ]
    different, same = run_ranks(PROGRAM, calls, 4)
    step = "found relax.ccl.allreduce (sum of f32) [4, 2] on rank 2 and relax.ccl.allreduce (sum of f32) [3, 2] on"
    expect(different, *[f"rank 2: expected the same step on all ranks, {step}"] * 2, step, step)
    for result in same:
        np.testing.assert_array_equal(result, 2 * matrix())


RUN = """
import os, signal, sys
import numpy as np
import lowering
model = lowering.load(sys.argv[1])
x = np.ones((3, 2), np.float32)
model.sum(x)
if model.rank == 1:
    {end}
model.sum(x)
print("finished", flush=True)
"""


@needs(MPI)
@pytest.mark.slow
@pytest.mark.parametrize(
    "end", ["os.kill(os.getpid(), signal.SIGKILL)", "raise ValueError('of the user')"]
)
def test_a_rank_that_ends_ends_the_others(tmp_path: Any, end: str):
    lowering.compile(parse(PROGRAM), "program", directory=tmp_path, extra_flags=UNOPTIMISED)
    (tmp_path / "run.py").write_text(RUN.format(end=end))
    ended = launch(2, tmp_path / "run.py", tmp_path / "program")
    assert ended.returncode != 0 and "finished" not in ended.stdout
    assert "SIGKILL" not in end or "signal 9" in ended.stdout + ended.stderr
    assert "ValueError" not in end or "of the user" in ended.stderr


@needs(MPI)
@pytest.mark.slow
def test_ranks_with_different_artifacts_refuse(tmp_path: Any):
    for name, text in (("a", PROGRAM), ("b", PROGRAM.replace(", 2]", ", 3]"))):
        folder = tmp_path / name
        lowering.compile(parse(text), "program", directory=folder, extra_flags=UNOPTIMISED)
    run = tmp_path / "run.py"
    rank = 'int(os.environ.get("PMI_RANK", os.environ.get("OMPI_COMM_WORLD_RANK")))'
    run.write_text(
        "import os, sys\nimport numpy as np\nimport lowering\n"
        f"model = lowering.load(sys.argv[1 + {rank}])\n"
        f"try:\n    model.sum(np.ones((3, 2 + {rank}), np.float32))\n"
        "except Exception as error:\n    print(error, flush=True)\n"
    )
    ended = launch(2, run, tmp_path / "a" / "program", tmp_path / "b" / "program")
    assert ended.returncode == 0, ended.stderr
    wanted = "program: expected the same artifact on all ranks, found"
    assert ended.stdout.count(wanted) == 2, ended.stdout + ended.stderr


def test_a_missing_mpicc_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MPICC", "no-such-mpicc")
    wanted = "expected no-such-mpicc, since the program communicates .* install MPI with mpicc"
    with pytest.raises(RelaxError, match=wanted):
        lowering.compile(parse(PROGRAM), "without_mpicc", extra_flags=UNOPTIMISED)
