"""Messages between two ranks of compiled programs."""

from __future__ import annotations

import numpy as np
import pytest
from support.mpi_ranks import RankCall, run_ranks
from support.optional import MPI, needs

pytestmark = [needs(MPI), pytest.mark.slow]

PROGRAM = """
relax.func @send(%x: !relax.tensor<[n], T>, %to: !relax.shape<[to]>, %from: !relax.shape<[from]>, %first: !relax.tensor<[], i1>,
    %fine: !relax.tensor<[], i1>, %m: !relax.shape<[m]>) -> !relax.tensor<[m], T> {
  relax.assert_op %fine {format = "before the message"} : (!relax.tensor<[], i1>) -> ()
  %r = relax.if %first : (!relax.tensor<[], i1>) -> !relax.tensor<[m], T> {
    relax.ccl.send %x, %to {tag = 7 : i64} : (!relax.tensor<[n], T>, !relax.shape<[to]>) -> ()
    %a = relax.ccl.recv %from, %m {dtype = T, tag = 7 : i64} : (!relax.shape<[from]>, !relax.shape<[m]>) -> !relax.tensor<[m], T>
    relax.yield %a : !relax.tensor<[m], T>
  } else {
    %b = relax.ccl.recv %from, %m {dtype = T, tag = 7 : i64} : (!relax.shape<[from]>, !relax.shape<[m]>) -> !relax.tensor<[m], T>
    relax.ccl.send %x, %to {tag = 7 : i64} : (!relax.tensor<[n], T>, !relax.shape<[to]>) -> ()
    relax.yield %b : !relax.tensor<[m], T>
  }
  relax.return %r : !relax.tensor<[m], T>
}
"""

YES, NO = np.array(True), np.array(False)
LARGE = 300_000
"""The elements of a message that is not sent before it is received."""


def row(rank: int, n: int) -> np.ndarray:
    return np.full(n, 10 * rank, np.float32) + np.arange(n, dtype=np.float32)


def ring(
    n: int, fine: tuple[np.ndarray, ...] = (YES, YES, YES), received: int | None = None
) -> RankCall:
    """Each of 3 ranks sends a row to the next one; the last one receives first."""
    sizes = (n if received is None else received,)
    given = [
        [row(r, n), ((r + 1) % 3,), ((r - 1) % 3,), NO if r == 2 else YES, fine[r], sizes]
        for r in range(3)
    ]
    return RankCall("send", given)


def test_messages_arrive_and_errors_end_who_waits_for_them():
    calls = [ring(5), ring(LARGE), ring(0)]
    for n in (5, LARGE):
        calls += [
            ring(n, (YES, NO, YES)),
            ring(n, (NO, NO, YES)),
            ring(n),
            ring(n, received=n + 1),
            ring(n),
        ]
    itself = [[row(r, 2), (r,), (r,), YES, YES, (2,)] for r in range(3)]
    calls += [RankCall("send", itself), ring(5)]
    for call, results in zip(calls, run_ranks(PROGRAM.replace("T", "f32"), calls, 3)):
        fine = [bool(given[4]) for given in call.arguments]
        sizes = [len(given[0]) == given[5][0] for given in call.arguments]
        for rank, (given, result) in enumerate(zip(call.arguments, results)):
            if given[1] == (rank,):
                assert "expected another of the 3 ranks of its group, found" in result
            elif not all(fine):
                assert "before the message" in result
            elif not all(sizes):
                n = len(given[0])
                assert (
                    f"expected (f32) [{n + 1}] from rank" in result
                    and f"found (f32) [{n}]" in result
                )
            else:
                np.testing.assert_array_equal(result, row((rank - 1) % 3, len(given[0])))
