"""`te.pad`: what it makes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from te_programs import TePrograms
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import te
from relax_dialect.errors import RelaxError


def padded(shape: tuple, before: tuple[int, ...], source: tuple = ("n", 3)) -> ModuleOp:
    """A function that pads and calls."""
    x = te.placeholder(source, name="x")
    y = te.pad(x, shape, before, 7.0, name="y")
    return ModuleOp([te.create_prim_func([x, y], name="pad")])


def test_padding_is_a_fill_and_a_slice():
    text = str(padded((te.var("n") + 2, 8), (1, 4)))
    assert "linalg.fill" in text and "tensor.insert_slice" in text
    assert "scf.for" not in text and "cf.assert" not in text


@pytest.mark.parametrize(
    ("shape", "before"), [((4, 8), (0, 6)), ((4, 8), (-1, 0)), ((4,), (0,)), ((4, 8), (0,))]
)
def test_a_shape_that_does_not_hold_the_tensor_is_refused(shape, before):
    with pytest.raises(RelaxError, match=r"te.pad 'y': expected a shape in which x: \[n, 3\]"):
        padded(shape, before)


def test_what_is_not_proved_to_fit_is_checked():
    assert "te.pad 'y': dimension 0 of 'x' sticks out" in str(padded((9, 3), (4, 0)))


def test_it_is_right_in_every_way():
    x = te.placeholder((te.var("n"), 3), name="x")
    y = te.pad(x, (te.var("n") + 3, 5), (1, 0), 7.0, name="y")
    programs = TePrograms({"pad": [x, y]})
    for count in (0, 1, 4):
        given = np.arange(count * 3, dtype=np.float32).reshape(count, 3)
        (found,) = programs.run("pad", given)
        np.testing.assert_array_equal(found, np.pad(given, [(1, 2), (0, 2)], constant_values=7))
