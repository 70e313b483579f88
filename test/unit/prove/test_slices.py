"""Slices and attention's bias as proofs see them: the elements of numpy's slices, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from optional import package
from proof_cases import made
from xdsl.dialects.builtin import f32

from relax_dialect.builder import const, op
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.prove import VerdictKind, prove
from relax_dialect.symbolic import const as size

package("z3", "prove")

from relax_dialect.prove.scalars.terms import Terms  # noqa: E402
from relax_dialect.prove.slice_terms import sliced  # noqa: E402
from relax_dialect.prove.value_terms import Keys, TensorTerm  # noqa: E402

ROWS, COLUMNS = 7, 3
NUMBERS = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)
X = TensorTerm(
    0, (size(ROWS), size(COLUMNS)), f32, lambda terms, index: (index[0] * COLUMNS + index[1]).value
)
"""A tensor whose elements are numbers from 0."""


def elements(build: Callable[[Any], Any]) -> list[np.ndarray]:
    """The results of an operator on `X`."""
    module = made([TensorType([ROWS, COLUMNS], "f32")], build)
    assert module is not None
    (slicing,) = (each for each in walk_ops(module) if each.name in NAMES)
    found, arrays = sliced(slicing, [X], 1, Keys()), []
    assert found is not None
    for each in found:
        assert isinstance(each, TensorTerm)
        shape, terms = [s.value or 0 for s in each.shape], Terms(exact=True)
        numbers = [each.at(terms, tuple(map(size, index))) for index in np.ndindex(*shape)]
        arrays.append(np.array(numbers, int).reshape(shape))
    return arrays


NAMES = ("relax.strided_slice", "relax.split", "relax.take")


def same(found: list[np.ndarray], wanted: list[np.ndarray]) -> bool:
    return len(found) == len(wanted) and all(map(np.array_equal, found, wanted))


@pytest.mark.parametrize("stride", [1, 3, -1, -2])
def test_strided_slices(stride: int):
    for begin in (None, 0, 2, 6, 9, -1, -7, -9):
        for end in (None, 0, 3, 7, 9, -2, -7, -9):
            found = elements(lambda x, b=begin, e=end: op.strided_slice(x, [0], [b], [e], [stride]))
            assert same(found, [NUMBERS[begin:end:stride]]), (begin, end)


def test_slices_of_two_axes():
    found = elements(lambda x: op.strided_slice(x, [-1, 0], [1, -2], [3, -9], [1, -3]))
    assert same(found, [NUMBERS[-2:-9:-3, 1:3]])


@pytest.mark.parametrize("sections", [2, 3, 7, 9])
def test_sections(sections: int):
    length = -(-ROWS // sections)
    pieces = [NUMBERS[i * length : (i + 1) * length] for i in range(sections)]
    assert same(elements(lambda x: op.split(x, sections, 0)[0]), pieces)


def test_pieces():
    for cuts in ([2], [0, 5], [3, 1, 9]):
        found = elements(lambda x, cuts=cuts: op.split(x, cuts, 0)[0])
        assert same(found, np.split(NUMBERS, cuts))


def test_rows():
    for axis, count in enumerate(NUMBERS.shape):
        for at in range(-count, count):
            found = elements(lambda x, at=at, axis=axis: op.take(x, const(at, "i64"), axis))
            assert same(found, [NUMBERS.take(at, axis)])


X2, MASK = TensorType(["n", 6], "f32"), TensorType(["b", 1, 1, "n"], "f32")
HEADS = TensorType(["b", "n", 2, 4], "f32")


def attended(*shape: Any) -> Callable[..., Any]:
    return lambda x, mask: op.attention(x, x, x, op.reshape(mask, list(shape)))


DIFFERENT: dict[str, tuple[list[TensorType], Callable[..., Any], Callable[..., Any]]] = {
    "another begin": (
        [X2],
        lambda x: op.strided_slice(x, [1], [1], [3]),
        lambda x: op.strided_slice(x, [1], [2], [4]),
    ),
    "another stride": (
        [X2],
        lambda x: op.strided_slice(x, [1], [0], [3], [1]),
        lambda x: op.strided_slice(x, [1], [0], [6], [2]),
    ),
    "the other way": (
        [X2],
        lambda x: op.strided_slice(x, [0], [None], [None], [-1]),
        lambda x: op.strided_slice(x, [0], [None], [None]),
    ),
    "another piece": ([X2], lambda x: op.split(x, 3, 1)[0], lambda x: op.split(x, 3, 1)[1]),
    "another row": (
        [X2],
        lambda x: op.take(x, const(1, "i64"), 1),
        lambda x: op.take(x, const(-1, "i64"), 1),
    ),
    "a bias of queries": ([HEADS, MASK], attended("b", 1, 1, "n"), attended("b", 1, "n", 1)),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str):
    types, *builds = DIFFERENT[name]
    before, after = (made(types, build) for build in builds)
    assert before is not None and after is not None
    (verdict,) = prove(before, after)
    wanted = VerdictKind.OUTSIDE if "bias" in name else VerdictKind.REFUTED
    assert verdict.kind is wanted, verdict
