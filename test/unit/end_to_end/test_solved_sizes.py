"""Sizes of parameters that occur in expressions alone: solved on entry, interpreted and compiled, by calls and
after passes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from fuzz import programs
from levels import Levels, message
from optional import SANITIZED, amount, shortened
from sanitizers import run_sanitized

import lowering
from relax_dialect import interpret
from relax_dialect.parsing import parse

PROGRAM = """
relax.func private @halves(%x: !relax.tensor<[2 * n], f32>) -> !relax.tensor<[n, 2], f32> {
  %s = relax.shape [n, 2]
  %0 = relax.reshape %x, %s : (!relax.tensor<[2 * n], f32>, !relax.shape<[n, 2]>) -> !relax.tensor<[n, 2], f32>
  relax.return %0 : !relax.tensor<[n, 2], f32>
}
relax.func private @number(%a: !relax.prim<2 * k - 5>, %s: !relax.shape<[3 * j + k, 7]>) -> !relax.shape<[k, j]> {
  %r = relax.shape [k, j]
  relax.return %r : !relax.shape<[k, j]>
}
relax.func @tensors(%y: !relax.tensor<[h + k], f32>, %x: !relax.tensor<[n, 4 * h], f32>) -> !relax.shape<[n, h, k]> {
  %s = relax.shape [n, h, k]
  relax.return %s : !relax.shape<[n, h, k]>
}
relax.func @rest(%x: !relax.tensor<[10 - n], f32>, %t: tuple<!relax.tensor<[m, b, m * b + q - 3], f32>>) -> !relax.shape<[n, q]> {
  %s = relax.shape [n, q]
  relax.return %s : !relax.shape<[n, q]>
}
relax.func @twice(%x: !relax.tensor<[2 * n], f32>, %y: !relax.tensor<[3 * n + 1], f32>) -> !relax.shape<[n]> {
  %s = relax.shape [n]
  relax.return %s : !relax.shape<[n]>
}
relax.func @numbers(%a: !relax.prim<2 * k - 5>, %s: !relax.shape<[3 * j + k, 7]>) -> !relax.shape<[k, j]> {
  %r = relax.shape [k, j]
  relax.return %r : !relax.shape<[k, j]>
}
relax.func @shapes(%s: !relax.shape<[m]>, %x: !relax.tensor<[m + n], f32>, %t: !relax.shape<[2 * p]>) -> !relax.shape<[n, p]> {
  %r = relax.shape [n, p]
  relax.return %r : !relax.shape<[n, p]>
}
relax.func @call_static(%x: !relax.tensor<[8], f32>) -> !relax.tensor<[4, 2], f32> {
  %0 = relax.call @halves(%x) : (!relax.tensor<[8], f32>) -> !relax.tensor<[4, 2], f32>
  relax.return %0 : !relax.tensor<[4, 2], f32>
}
relax.func @call_multiple(%x: !relax.tensor<[6 * k], f32>) -> !relax.tensor<[3 * k, 2], f32> {
  %0 = relax.call @halves(%x) : (!relax.tensor<[6 * k], f32>) -> !relax.tensor<[3 * k, 2], f32>
  relax.return %0 : !relax.tensor<[3 * k, 2], f32>
}
relax.func @call_symbolic(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k floordiv 2, 2], f32> {
  %0 = relax.call @halves(%x) : (!relax.tensor<[k], f32>) -> !relax.tensor<[k floordiv 2, 2], f32>
  relax.return %0 : !relax.tensor<[k floordiv 2, 2], f32>
}
relax.func @call_unknown(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?, 2], f32> {
  %0 = relax.call @halves(%x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?, 2], f32>
  relax.return %0 : !relax.tensor<[?, 2], f32>
}
relax.func @call_number(%a: i64, %s: !relax.shape<[?, ?]>) -> !relax.shape<[?, ?]> {
  %r = relax.call @number(%a, %s) : (i64, !relax.shape<[?, ?]>) -> !relax.shape<[?, ?]>
  relax.return %r : !relax.shape<[?, ?]>
}
relax.func @closure(%x: !relax.tensor<[m], f32>, %y: !relax.tensor<[?], f32>) -> !relax.shape<[m, ?]> {
  %f = relax.closure [k] (%z: !relax.tensor<[m + 2 * k], f32>) -> !relax.shape<[m, k]> {
    %s = relax.shape [m, k]
    relax.return %s : !relax.shape<[m, k]>
  }
  %r = relax.call_closure %f, %y : (!relax.func<[k] (!relax.tensor<[m + 2 * k], f32>) -> !relax.shape<[m, k]>>, !relax.tensor<[?], f32>) -> !relax.shape<[m, ?]>
  relax.return %r : !relax.shape<[m, ?]>
}
relax.func @value(%x: !relax.tensor<[p], f32>, %s: !relax.shape<[?]>) -> !relax.object {
  %f = relax.closure [m, k] (%y: !relax.tensor<[2 * k + p], f32>, %t: !relax.shape<[2 * m + k]>) -> !relax.shape<[m, k]> {
    %q = relax.shape [m, k]
    relax.return %q : !relax.shape<[m, k]>
  }
  %r = relax.call_packed "solved_sizes"(%f, %x, %s) : (!relax.func<[m, k] (!relax.tensor<[2 * k + p], f32>, !relax.shape<[2 * m + k]>) -> !relax.shape<[m, k]>>, !relax.tensor<[p], f32>, !relax.shape<[?]>) -> !relax.object
  relax.return %r : !relax.object
}
relax.func @recursive(%x: !relax.tensor<[2 * n + 1], f32>, %i: !relax.tensor<[], i64>) -> !relax.tensor<[?], f32> {
  %z = relax.less %i, 1 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  %r = relax.if %z : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %w = relax.let %x : (!relax.tensor<[2 * n + 1], f32>) -> !relax.tensor<[?], f32>
    relax.yield %w : !relax.tensor<[?], f32>
  } else {
    %j = relax.subtract %i, 1 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %c = relax.concat %x, %x {axis = 0} : (!relax.tensor<[2 * n + 1], f32>, !relax.tensor<[2 * n + 1], f32>) -> !relax.tensor<[4 * n + 2], f32>
    %d = relax.strided_slice %c {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: -1>} : (!relax.tensor<[4 * n + 2], f32>) -> !relax.tensor<[4 * n + 1], f32>
    %q = relax.call @recursive(%d, %j) : (!relax.tensor<[4 * n + 1], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[?], f32>
    relax.yield %q : !relax.tensor<[?], f32>
  }
  relax.return %r : !relax.tensor<[?], f32>
}
"""

PASSES = {
    "none": [],
    "called": ["relax-lambda-lift", "relax-specialize-functions", "relax-remove-unused-parameters"],
    "inlined": [
        "relax-inline-private-functions",
        "relax-tail-calls-to-loops",
        "relax-propagate-shapes",
    ],
    "recursive": [
        "relax-tail-calls-to-loops",
        "relax-while-to-recursion",
        "relax-bind-dynamic-dims",
    ],
}

found: list[object] = []
interpret.register_packed("solved_sizes", lambda f, x, s: found.append(f(z(len(x) + 4), tuple(s))))


def z(*sizes: int) -> np.ndarray:
    return np.zeros(sizes, np.float32)


@cache
def levels(passes: str) -> Levels:
    return Levels(PROGRAM, passes=PASSES[passes])


@pytest.mark.slow
@pytest.mark.parametrize("passes", PASSES)
def test_solutions(passes: str):
    both = levels(passes)
    assert both("tensors", z(5), z(2, 8)) == (2, 2, 3)
    assert both("tensors", z(0), z(3, 0)) == (3, 0, 0)
    assert both("rest", z(3), (z(2, 3, 5),)) == (7, 2)
    assert both("twice", z(6), z(10)) == (3,)
    assert both("numbers", np.int64(3), (7, 7)) == (4, 1)
    assert both("shapes", (3,), z(5), (4,)) == (2, 2)
    assert both("call_static", z(8)).shape == (4, 2)
    assert both("call_multiple", z(12)).shape == (6, 2)
    assert both("call_symbolic", z(8)).shape == (4, 2)
    assert both("call_unknown", z(8)).shape == (4, 2)
    assert both("call_number", np.int64(3), (7, 7)) == (4, 1)
    assert both("closure", z(3), z(7)) == (3, 2)
    assert both("recursive", np.arange(3, dtype="f"), np.array(2)).tolist() == [
        0,
        1,
        2,
        0,
        1,
        0,
        1,
        2,
        0,
    ]
    both("value", z(3), (8,))
    assert found[-2:] == [(3, 2), (3, 2)]


ODD = "for an integer n of at least 0, such as 6, found 7"
REFUSED = {
    (
        "tensors",
        (5,),
        (2, 7),
    ): "@tensors: argument 'x': expected size 4 * h in dimension 1 for an integer h of "
    "at least 0, such as 4, found 7",
    (
        "tensors",
        (1,),
        (2, 8),
    ): "argument 'y': expected size h + k in dimension 0 for an integer k of at least 0, "
    "such as 2, found 1",
    (
        "twice",
        (6,),
        (9,),
    ): "@twice: argument 'y': expected size 3 * n + 1 = 10 in dimension 0, found 9",
    (
        "twice",
        (5,),
        (10,),
    ): "argument 'x': expected size 2 * n in dimension 0 for an integer n of at least 0",
    (
        "rest",
        (12,),
        ((2, 3, 5),),
    ): "expected size -n + 10 in dimension 0 for an integer n of at least 0, such as 10, found 12",
    ("call_symbolic", (7,)): f"expected size 2 * n in dimension 0 {ODD}",
    ("call_unknown", (7,)): f"expected size 2 * n in dimension 0 {ODD}",
    ("closure", (3,), (8,)): "in dimension 0 for an integer k of at least 0, such as 7, found 8",
    ("closure", (3,), (2,)): "in dimension 0 for an integer k of at least 0, such as 3, found 2",
}


def made(shape: object) -> object:
    if isinstance(shape, tuple) and shape and isinstance(shape[0], tuple):
        return tuple(map(made, shape))
    return z(*shape)  # pyright: ignore[reportGeneralTypeIssues]


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_sizes_without_a_solution(case: tuple[str, ...]):
    name, *shapes = case
    assert REFUSED[case] in fails(levels("none"), name, *map(made, shapes))


def fails(both: Levels, name: str, *args: object) -> str:
    """The message on both levels, without the file that C says."""
    said = [
        re.sub(r"^\S+:\d+:\d+: ", "", message(run))
        for run in (
            lambda: interpret.run(both.module, name, *args),
            lambda: both.compiled[name](*args),
        )
    ]
    assert said[0] == said[1]
    return said[0]


@pytest.mark.parametrize(
    ("number", "shape", "expected"),
    [
        (
            4,
            (7, 7),
            "'a': expected the number 2 * k - 5 for an integer k of at least 0, such as 3, found 4",
        ),
        (3, (6, 7), "'s': expected size 3 * j + k in dimension 0 for an integer j of at least 0"),
        (-(2**63), (7, 7), "of at least 0, such as -5, found -9223372036854775808"),
        (2**63 - 1, (7, 7), "expected a size of 0 to 281474976710656, found"),
    ],
)
@pytest.mark.parametrize("name", ["numbers", "call_number"])
def test_numbers_without_a_solution(name: str, number: int, shape: tuple[int, ...], expected: str):
    both, args = levels("none"), (np.int64(number), shape)
    for run in (
        lambda: interpret.run(both.module, name, *args),
        lambda: both.compiled[name](*args),
    ):
        assert expected in message(run)


@pytest.mark.slow
@pytest.mark.parametrize("passes", ["inlined", "recursive"])
def test_checks_remain_after_passes(passes: str):
    both = levels(passes)
    for name, args in (
        ("call_symbolic", (z(7),)),
        ("call_unknown", (z(7),)),
        ("recursive", (z(4), np.array(1))),
    ):
        assert "found" in fails(both, name, *args)


NUMBERS = """
relax.func private @number(%a: !relax.prim<3 - 2 * k>, %b: !relax.prim<3 * j + k - 7>) -> !relax.shape<[k, j]> {
  %r = relax.shape [k, j]
  relax.return %r : !relax.shape<[k, j]>
}
relax.func @solved(%a: !relax.prim<3 - 2 * k>, %b: !relax.prim<3 * j + k - 7>) -> !relax.shape<[k, j]> {
  %r = relax.shape [k, j]
  relax.return %r : !relax.shape<[k, j]>
}
relax.func @called(%a: i64, %b: i64) -> !relax.shape<[?, ?]> {
  %r = relax.call @number(%a, %b) : (i64, i64) -> !relax.shape<[?, ?]>
  relax.return %r : !relax.shape<[?, ?]>
}
"""
DRIVER = """
#include "model.h"
#include <stdio.h>
int main(void)
{
    const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -8, -7, -1, 0, 1, 2, 3, 4, INT64_MAX - 1, INT64_MAX};
    for (int i = 0; i < 12; ++i)
        for (int j = 0; j < 12; ++j)
            for (int called = 0; called < 2; ++called) {
                int64_t x = -1, y = -1;
                if ((called ? model_called : model_solved)(ends[i], ends[j], &x, &y) == 0)
                    printf("%lld %lld %lld %lld\\n", (long long)ends[i], (long long)ends[j], (long long)x, (long long)y);
            }
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_numbers_at_the_ends_of_64_bits(tmp_path: Path, cc: str):
    """No difference overflows, and what is accepted is a solution."""
    lowering.to_c(parse(NUMBERS)).write(tmp_path)
    lines = run_sanitized(cc, tmp_path, DRIVER).splitlines()
    assert lines[::2] == lines[1::2]
    found = [tuple(map(int, line.split())) for line in lines[::2]]
    values = (-8, -7, -1, 0, 1, 2, 3, 4)
    expected = [(3 - 2 * k, 3 * j + k - 7, k, j) for k in range(6) for j in range(6)]
    assert sorted(found) == sorted(e for e in expected if e[0] in values and e[1] in values)


def test_gradients():
    """Those of a function whose sizes are solved are those of the same function of other sizes."""
    text = """
    relax.func @main(%x: !relax.tensor<[n, {h}], f32>, %w: !relax.tensor<[{m}, m], f32>) -> !relax.tensor<[], f32> {{
      %0 = relax.exp %x : (!relax.tensor<[n, {h}], f32>) -> !relax.tensor<[n, {h}], f32>
      %1 = relax.sum %0 : (!relax.tensor<[n, {h}], f32>) -> !relax.tensor<[], f32>
      %2 = relax.sin %w : (!relax.tensor<[{m}, m], f32>) -> !relax.tensor<[{m}, m], f32>
      %3 = relax.sum %2 : (!relax.tensor<[{m}, m], f32>) -> !relax.tensor<[], f32>
      %4 = relax.multiply %1, %3 : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %4 : !relax.tensor<[], f32>
    }}"""
    args = np.ones((2, 8), "f"), np.full((5, 3), 0.5, "f")
    values = []
    for h, m in (("h", "k"), ("4 * h", "m + h")):
        module = parse(text.format(h=h, m=m))
        lowering.lower(module, ["relax-gradient"])
        _, (dx, dw) = interpret.run(module, "main_adjoint", *args)
        values.append((dx, dw))
    for one, other in zip(*values):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
@shortened
def test_random_programs():
    count = amount(6, 4)
    assert programs.affine_graphs(Random("affine graphs"), count) > count // 2
    programs.affine_scopes(Random("affine scopes"), count)
