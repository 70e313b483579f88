"""Which loop becomes the innermost one."""

import pytest
from xdsl.ir.affine import AffineMap

from lowering.loops.loop_order import LoopNest

DYNAMIC = -1

CASES = {
    "matmul is i-k-j": (
        [lambda i, j, k: (i, k), lambda i, j, k: (k, j)], [lambda i, j, k: (i, j)], {2}, [0, 2, 1],
    ),
    "transposed weights are walked along k": (
        [lambda i, j, k: (i, k), lambda i, j, k: (j, k)], [lambda i, j, k: (i, j)], {2}, [0, 1, 2],
    ),
    "row sum": ([lambda i, j: (i, j)], [lambda i, j: (i,)], {1}, [0, 1]),
    "column sum": ([lambda i, j: (i, j)], [lambda i, j: (j,)], {0}, [0, 1]),
    "column sum, written the other way": (
        [lambda j, i: (i, j)], [lambda j, i: (j,)], {1}, [1, 0],
    ),
    "transpose writes contiguously": ([lambda i, j: (j, i)], [lambda i, j: (i, j)], set(), [0, 1]),
    "output in the wrong order": ([lambda i, j: (i, j)], [lambda i, j: (j, i)], set(), [1, 0]),
    "total sum keeps its order": ([lambda i, j: (j, i)], [lambda i, j: ()], {0, 1}, [0, 1]),
    "convolution runs along the row": (
        [
            lambda n, f, y, x, c, p, q: (n, c, y + p, x + q),
            lambda n, f, y, x, c, p, q: (f, c, p, q),
        ],
        [lambda n, f, y, x, c, p, q: (n, f, y, x)],
        {4, 5, 6},
        [0, 1, 2, 4, 5, 6, 3],
    ),
    "strided convolution runs along the window": (
        [lambda y, x, p, q: (y * 2 + p, x * 2 + q), lambda y, x, p, q: (p, q)],
        [lambda y, x, p, q: (y, x)],
        {2, 3},
        [0, 1, 2, 3],
    ),
    "scalar": ([], [lambda: ()], set(), []),
}  # fmt: skip


@pytest.mark.parametrize("inputs, outputs, reductions, expected", CASES.values(), ids=list(CASES))
def test_order(inputs: list, outputs: list, reductions: set[int], expected: list[int]):
    inputs, outputs = ([AffineMap.from_callable(f) for f in fs] for fs in (inputs, outputs))
    extents = [DYNAMIC] * outputs[0].num_dims
    assert LoopNest(inputs, outputs, frozenset(reductions), extents).order() == expected


def test_a_loop_of_one_step_is_never_innermost():
    maps = [AffineMap.from_callable(f) for f in (lambda i, j: (i, j), lambda i, j: (i, j))]
    assert LoopNest(maps[:1], maps[1:], frozenset(), [DYNAMIC, DYNAMIC]).order() == [0, 1]
    assert LoopNest(maps[:1], maps[1:], frozenset(), [DYNAMIC, 1]).order() == [1, 0]
