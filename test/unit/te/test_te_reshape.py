"""`te.reshape`: what it makes, that it is right for any sizes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from te_programs import TePrograms
from xdsl.dialects.builtin import ModuleOp

from lowering.pipeline import lower
from relax_dialect import te
from relax_dialect.errors import RelaxError
from relax_dialect.symbolic import as_expr
from relax_dialect.te.reshape import reassociation

N, M = te.var("n"), te.var("m")

SHAPES = {
    "split": ((2 * N, 4), (N, 2, 4)),
    "split_unknown": ((N * M,), (N, M)),
    "merge": ((N, M, 3), (N * M, 3)),
    "both": ((N, 2, 3, M), (2 * N, 3 * M)),
    "regroup": ((2 * N, 3, 5), (N, 6, 5)),
    "static": ((6, 4), (8, 3)),
    "units": ((1, N, 1, M), (N, 1, 1, M, 1)),
    "leading_unit": ((N,), (1, 1, N)),
    "to_scalar": ((1, 1), ()),
    "from_scalar": ((), (1, 1, 1)),
    "same": ((N, M), (N, M)),
    "nothing": ((N, 0, M), (0, 5)),
}


def copied(before: tuple, after: tuple) -> list[te.Tensor]:
    """An element read through a view, and the view of what is computed."""
    x = te.placeholder(before, name="x")
    seen = te.reshape(x, after, name="seen")
    more = te.compute(seen.shape, lambda *i: seen[i] + 1, name="more")
    return [x, more, te.reshape(more, before, name="back")]


@pytest.fixture(scope="module")
def programs() -> TePrograms:
    return TePrograms({name: copied(*shapes) for name, shapes in SHAPES.items()})


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("sizes", [{"n": 3, "m": 5}, {"n": 1, "m": 1}, {"n": 0, "m": 2}])
def test_elements_keep_their_order(programs: TePrograms, name: str, sizes: dict[str, int]):
    before, after = (
        tuple(as_expr(size).evaluate(sizes) for size in shape) for shape in SHAPES[name]
    )
    x = np.arange(np.prod(before, dtype=int), dtype=np.float32).reshape(before)
    more, back = programs.run(name, x, **sizes)
    np.testing.assert_array_equal(more, x.reshape(after) + 1)
    np.testing.assert_array_equal(back, x + 1)


def test_dimensions_are_matched_in_the_smallest_groups():
    old, new = ((as_expr(s) for s in shape) for shape in ((N, 6, 1, M), (2 * N, 3, M, 1)))
    groups = reassociation(list(old), list(new))
    assert groups == [(range(3), range(2)), (range(3, 4), range(2, 4))]


def test_it_is_a_view_on_both_sides():
    """A tensor that is split, computed and merged is neither copied nor divided."""
    x = te.placeholder((N, 6), name="x")
    split = te.reshape(x, (N, 3, 2))
    out = te.compute((N, 3, 2), lambda i, j, k: split[i, j, 1 - k], name="out")
    function = te.create_prim_func([x, te.reshape(out, (N, 6))], name="swap")
    text = str(lower(ModuleOp([function]), ["relax-bufferize"]))
    assert text.count("memref.expand_shape") == 2
    assert "memref.alloc" not in text and "memref.copy" not in text and "div" not in text


def test_a_buffer_of_two_shapes_is_not_the_result():
    """A stage computed in place through a view has its sizes from there."""
    x = te.placeholder((N, M), name="x")
    first = te.compute((N, M), lambda i, j: x[i, j] * 2, name="first")
    turned = te.reshape(te.reshape(first, (N * M,)), (M, N))
    second = te.compute((M, N), lambda i, j: turned[i, j] + 1, name="second")
    programs = TePrograms({"twice": [x, second]})
    given = np.arange(15, dtype=np.float32).reshape(3, 5)
    (found,) = programs.run("twice", given)
    np.testing.assert_array_equal(found, given.reshape(5, 3) * 2 + 1)


def test_another_number_of_elements_is_refused():
    x = te.placeholder((N, 4), name="x")
    with pytest.raises(RelaxError, match=r"te.reshape 'y': expected a shape of as many elements"):
        te.reshape(x, (4 * N + 1,), name="y")


def test_what_is_not_proved_is_checked():
    x = te.placeholder((N, 4), name="x")
    y = te.reshape(x, (M, 2), name="y")
    out = te.compute((M, 2), lambda i, j: y[i, j], name="out")
    text = str(te.create_prim_func([x, out], name="f"))
    assert "te.reshape 'y': expected a shape of as many elements as" in text
