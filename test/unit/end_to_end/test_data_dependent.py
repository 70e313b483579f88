"""Programs whose sizes depend on data go on with them: interpreted, legalized, lowered, and as C."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering.pipeline import PASSES, lower
from lowering.runtime.loading import CompiledModule
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse

PROGRAM = """
// The places of x that are not zero, doubled: in a dataflow block, whose order is free.
relax.func @dataflow(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], i64> {
  %y = relax.dataflow {
    %2 = relax.add %f, %f : (!relax.tensor<[k], i64>, !relax.tensor<[k], i64>) -> !relax.tensor<[k], i64>
    %f = relax.flatten %q : (!relax.tensor<[1, k], i64>) -> !relax.tensor<[k], i64>
    %q = relax.match_cast %p : !relax.tensor<[1, ?], i64> -> !relax.tensor<[1, k], i64>
    %p = relax.nonzero %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[1, ?], i64>
    relax.output %2 : !relax.tensor<[k], i64>
  }
  relax.return %y : !relax.tensor<[k], i64>
}

// A branch each: the elements that differ, or the places of those that are not zero.
relax.func @branches(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], i64>) -> !relax.tensor<[?], i64> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], i64> {
    %u, %i = relax.unique %x {return_inverse = true} : (!relax.tensor<[n], i64>) -> (!relax.tensor<[?], i64>, !relax.tensor<[n], i64>)
    %v = relax.match_cast %u : !relax.tensor<[?], i64> -> !relax.tensor<[k], i64>
    %w = relax.add %v, %v : (!relax.tensor<[k], i64>, !relax.tensor<[k], i64>) -> !relax.tensor<[k], i64>
    relax.yield %w : !relax.tensor<[k], i64>
  } else {
    %p = relax.nonzero %x : (!relax.tensor<[n], i64>) -> !relax.tensor<[1, ?], i64>
    %q = relax.match_cast %p : !relax.tensor<[1, ?], i64> -> !relax.tensor<[1, k], i64>
    %f = relax.flatten %q : (!relax.tensor<[1, k], i64>) -> !relax.tensor<[k], i64>
    relax.yield %f : !relax.tensor<[k], i64>
  }
  relax.return %y : !relax.tensor<[?], i64>
}

// Sizes of the program that go by the names of those that are computed; two of them at once.
relax.func @names(%x: !relax.tensor<[nonzero, nonzero_1], f32>, %y: !relax.tensor<[nonzero_1, nonzero], f32>) -> tuple<!relax.tensor<[2, ?], i64>, !relax.tensor<[2, ?], i64>> {
  %p = relax.nonzero %x : (!relax.tensor<[nonzero, nonzero_1], f32>) -> !relax.tensor<[2, ?], i64>
  %q = relax.nonzero %y : (!relax.tensor<[nonzero_1, nonzero], f32>) -> !relax.tensor<[2, ?], i64>
  %t = relax.tuple %p, %q : (!relax.tensor<[2, ?], i64>, !relax.tensor<[2, ?], i64>) -> tuple<!relax.tensor<[2, ?], i64>, !relax.tensor<[2, ?], i64>>
  relax.return %t : tuple<!relax.tensor<[2, ?], i64>, !relax.tensor<[2, ?], i64>>
}

// The result goes on without a name, by a type that says nothing, through a call.
relax.func @caller(%x: !relax.tensor<[n], i64>) -> !relax.tensor<[?], i64> {
  %u = relax.unique %x : (!relax.tensor<[n], i64>) -> !relax.tensor<[?], i64>
  %r = relax.call @reversed(%u) : (!relax.tensor<[?], i64>) -> !relax.tensor<[?], i64>
  relax.return %r : !relax.tensor<[?], i64>
}

relax.func private @reversed(%x: !relax.tensor<[m], i64>) -> !relax.tensor<[m], i64> {
  %r = relax.flip %x {axis = 0 : i64} : (!relax.tensor<[m], i64>) -> !relax.tensor<[m], i64>
  relax.return %r : !relax.tensor<[m], i64>
}

// The size that is computed must be the one that the program knows.
relax.func @known(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[k], i64>) -> !relax.tensor<[k], i64> {
  %p = relax.nonzero %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[1, ?], i64>
  %q = relax.match_cast %p : !relax.tensor<[1, ?], i64> -> !relax.tensor<[1, k], i64>
  %f = relax.flatten %q : (!relax.tensor<[1, k], i64>) -> !relax.tensor<[k], i64>
  %s = relax.add %f, %y : (!relax.tensor<[k], i64>, !relax.tensor<[k], i64>) -> !relax.tensor<[k], i64>
  relax.return %s : !relax.tensor<[k], i64>
}

// A tensor of a shape given by numbers, and back to numbers.
relax.func @shapes(%numbers: !relax.tensor<[2], i64>, %one: !relax.tensor<[], f32>) -> tuple<!relax.tensor<[?, ?], f32>, !relax.tensor<[2], i64>> {
  %s = relax.tensor_to_shape %numbers : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  %z = relax.match_shape %s [a, b] : (!relax.shape<[?, ?]>) -> !relax.shape<[a, b]>
  %f = relax.full %z, %one : (!relax.shape<[a, b]>, !relax.tensor<[], f32>) -> !relax.tensor<[a, b], f32>
  %d = relax.shape [b, 2 * a]
  %n = relax.shape_to_tensor %d : (!relax.shape<[b, 2 * a]>) -> !relax.tensor<[2], i64>
  %t = relax.tuple %f, %n : (!relax.tensor<[a, b], f32>, !relax.tensor<[2], i64>) -> tuple<!relax.tensor<[a, b], f32>, !relax.tensor<[2], i64>>
  relax.return %t : tuple<!relax.tensor<[a, b], f32>, !relax.tensor<[2], i64>>
}
"""


@cache
def compiled() -> CompiledModule:
    return lowering.compile(parse(PROGRAM), extra_flags=("-Wall", "-Wextra", "-Werror"))


@cache
def levels() -> dict[str, ModuleOp]:
    """The program at the levels that are interpreted; every pass to loops is verified."""
    module = parse(PROGRAM)
    found = {"as written": module.clone()}
    for level in PASSES:
        lower(module, [level], verify_each=True)
        if level in ("relax-legalize", "relax-fuse-elementwise"):
            found[level] = module.clone()
    return found


def agree(name: str, *arguments: Any, expected: Any) -> None:
    """The program at every level gives what is expected."""
    results = {
        level: run(module, name, *arguments, check_types=True) for level, module in levels().items()
    }
    results["C"] = compiled()[name](*arguments)
    for who, result in results.items():
        found = result if isinstance(result, tuple) else (result,)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other, err_msg=who, strict=True)


VECTORS = ([], [0.0], [3.0, 0.0, 3.0, 0.0, -1.0], [0.0] * 9, [2.0] * 9)


@pytest.mark.slow
@pytest.mark.parametrize("x", VECTORS, ids=len)
def test_in_a_dataflow_block(x: list[float]):
    array = np.array(x, np.float32)
    agree("dataflow", array, expected=2 * np.flatnonzero(array))


@pytest.mark.slow
@pytest.mark.parametrize("which", [True, False])
@pytest.mark.parametrize("x", VECTORS, ids=len)
def test_in_branches(x: list[float], which: bool):
    array = np.array(x, np.int64)
    expected = 2 * np.unique(array) if which else np.flatnonzero(array)
    agree("branches", np.array(which), array, expected=expected)


@pytest.mark.slow
def test_under_names_that_are_not_taken():
    x = np.array([[1, 0, 2], [0, 0, 3]], np.float32)
    expected = tuple(np.argwhere(a).T for a in (x, x.T))
    agree("names", x, x.T.copy(), expected=expected)


@pytest.mark.slow
@pytest.mark.parametrize("x", VECTORS, ids=len)
def test_through_a_call(x: list[float]):
    array = np.array(x, np.int64)
    agree("caller", array, expected=np.unique(array)[::-1].copy())


@pytest.mark.slow
def test_a_size_that_the_program_knows():
    x = np.array([1, 0, 2], np.float32)
    agree("known", x, np.array([10, 20]), expected=np.array([10, 22]))
    for attempt in (lambda *a: run(parse(PROGRAM), "known", *a), compiled().known):
        with pytest.raises(RelaxError, match="match_cast"):
            attempt(x, np.array([1, 2, 3]))


@pytest.mark.slow
def test_what_must_be_known():
    function = "relax.func @f(%x: !relax.tensor<{}>) -> !relax.object {{ {} relax.return %r : {} }}"
    nonzero = "%r = relax.nonzero %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], i64>"
    sizes = (
        "%s = relax.tensor_to_shape %x : (!relax.tensor<[n], i64>) -> !relax.shape<*> "
        "%r = relax.match_shape %s [a] : (!relax.shape<*>) -> !relax.shape<[a]>"
    )
    for text, message in (
        (
            function.format("*, f32", nonzero, "!relax.tensor<[?, ?], i64>"),
            "relax.nonzero: cannot be legalized: expected a known shape and element type of operand "
            "'x', found !relax.tensor<*, f32>",
        ),
        (
            function.format("[n], i64", sizes, "!relax.shape<[a]>"),
            "relax.tensor_to_shape: expected a vector of known length, found one of type",
        ),
    ):
        with pytest.raises(RelaxError, match=re.escape(message)):
            lower(parse(text))


@pytest.mark.slow
def test_numbers_as_sizes():
    ones = np.full((2, 3), 7, np.float32)
    expected = (ones, np.array([3, 4]))
    agree("shapes", np.array([2, 3]), np.array(7, np.float32), expected=expected)


@pytest.mark.slow
def test_sizes_below_zero():
    arguments = np.array([2, -1]), np.array(7, np.float32)
    for attempt in (lambda *a: run(parse(PROGRAM), "shapes", *a), compiled().shapes):
        with pytest.raises(
            RelaxError, match=r"relax\.tensor_to_shape( \(%s\))?: expected sizes of at least 0"
        ):
            attempt(*arguments)
