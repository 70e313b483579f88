"""`te.assemble`: what it makes, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from te_programs import TePrograms
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import te
from relax_dialect.errors import RelaxError

N = te.var("n")


def rolled(parts: list[te.Part] | None = None, shape: tuple = (N, 6)) -> list[te.Tensor]:
    """x with its last two columns in front, or other parts of it, and what makes them."""
    x = te.placeholder((N, 6), name="x")
    own = [te.part(x, (0, 0), (0, 4), (N, 2)), te.part(x, (0, 2), (0, 0), (N, 4))]
    return [x, te.assemble(shape, own if parts is None else parts, name="y")]


def bordered() -> list[te.Tensor]:
    """x after its columns 2 and 1, and before three times its last one."""
    x = te.placeholder((N, 6), name="x")
    parts = [
        te.part(x, (0, 0), (0, 2), (N, 2), (1, -1)),
        te.part(x, (0, 2)),
        te.part(x, (0, 8), (0, 5), (N, 3), (1, 0)),
    ]
    return [x, te.assemble((N, 11), parts, name="y")]


def framed() -> list[te.Tensor]:
    """x between a column of sevens and two."""
    x, seven = te.placeholder((N, 6), name="x"), te.const(7, "f32")
    parts = [te.part(seven, (0, 0), shape=(N, 1)), te.part(x, (0, 1))]
    return [x, te.assemble((N, 9), [*parts, te.part(seven, (0, 7), shape=(N, 2))], name="y")]


def text(*tensors: te.Tensor) -> str:
    return str(ModuleOp([te.create_prim_func(tensors, name="f")]))


def test_parts_are_slices():
    found = text(*rolled())
    assert found.count("tensor.insert_slice") == found.count("tensor.extract_slice") == 2
    assert "scf.for" not in found and "cf.assert" not in found


def test_a_whole_tensor_is_inserted_as_it_is():
    x, y = (te.placeholder((N, size), name=name) for name, size in (("x", 3), ("y", 2)))
    parts = [te.part(x, (0, 0)), te.part(y, (0, 3))]
    assert "extract_slice" not in text(x, y, te.assemble((N, 5), parts, name="z"))


def test_numbers_are_filled_in():
    found = text(*framed())
    assert found.count("linalg.fill") == 2 and found.count("tensor.insert_slice") == 3
    assert "cf.assert" not in found


def test_what_is_not_proved_to_fit_is_checked():
    x = te.placeholder((N,), name="x")
    part = te.part(x, 0, 0, te.var("m"))
    assert "a part of {m} from {0} on sticks out of dimension 0 of 'x', whose size is {n}" in text(
        x, te.assemble(te.var("m"), [part], name="y")
    )
    assert "parts of {2 * n} elements together, found {n}" in text(
        x, te.assemble(2 * N, [te.part(x, 0)], name="y")
    )
    backwards = te.part(x, 0, 0, N, (-1,))
    assert "sticks out of dimension 0 of 'x'" in text(x, te.assemble(N, [backwards], name="y"))
    whole = te.part(x, 0, N - 1, N, (-1,))
    assert "sticks out" not in text(x, te.assemble(N, [whole], name="y"))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (lambda x: [], "expected parts, found none"),
        (lambda x: [te.part(te.reshape(x, (N * 6,)), 0)], "expected parts of rank 2"),
        (
            lambda x: [
                te.part(x, (0, 0)),
                te.part(te.compute(x.shape, lambda *i: x[i].astype("i32")), (0, 0)),
            ],
            "element type f32",
        ),
        (lambda x: [te.part(x, 0)], "expected an offset, a start, a shape and steps of 2 sizes"),
        (lambda x: [te.part(te.const(7, "f32"), (0, 0))], "pass the shape alone"),
        (
            lambda x: [te.part(x, (0, 0)), te.part(te.const(7, "i8"), (0, 0), shape=(1, 1))],
            "element type f32, found one of i8",
        ),
    ],
    ids=["none", "rank", "type", "place", "number", "number's type"],
)
def test_refuses(parts, message):
    x = te.placeholder((N, 6), name="x")
    with pytest.raises(RelaxError, match=message):
        rolled(parts(x))


@pytest.mark.slow
def test_it_is_right_in_every_way():
    programs = TePrograms({"rolled": rolled(), "bordered": bordered(), "framed": framed()})
    for count in (0, 1, 5):
        given = np.arange(count * 6, dtype=np.float32).reshape(count, 6)
        (found,) = programs.run("rolled", given)
        np.testing.assert_array_equal(found, np.roll(given, 2, axis=1))
        (found,) = programs.run("bordered", given)
        np.testing.assert_array_equal(found, given[:, [2, 1, 0, 1, 2, 3, 4, 5, 5, 5, 5]])
        (found,) = programs.run("framed", given)
        np.testing.assert_array_equal(found, np.pad(given, [(0, 0), (1, 2)], constant_values=7))
