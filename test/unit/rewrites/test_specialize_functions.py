"""relax-specialize-functions: what polymorphic programs compute, interpreted, specialised and in C."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lowering
from relax_dialect import interpret, parse
from relax_dialect.errors import RelaxError

ANY = "!relax.tensor<*, f32>"
N = "!relax.tensor<[n], f32>"
NM = "!relax.tensor<[n, m], f32>"

ONCE = f"""
relax.func private @once(%v: {ANY}) -> {ANY} {{
  %r = relax.exp %v : ({ANY}) -> {ANY}
  relax.return %r : {ANY}
}}
"""


def recursion(step: str) -> str:
    """A function that calls itself three times, and gives what it is given in the end."""
    return f"""
relax.func private @down(%v: {ANY}, %i: !relax.tensor<[], i64>) -> {ANY} {{
  %more = relax.greater %i, 0 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  %r = relax.if %more : (!relax.tensor<[], i1>) -> {ANY} {{
    %w = {step.format(ANY=ANY)}
    %j = relax.subtract %i, 1 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %d = relax.call @down(%w, %j) : ({ANY}, !relax.tensor<[], i64>) -> {ANY}
    relax.yield %d : {ANY}
  }} else {{
    relax.yield %v : {ANY}
  }}
  relax.return %r : {ANY}
}}
relax.func @main(%x: {NM}) -> {ANY} {{
  %i = relax.constant dense<3> : tensor<i64>
  %a = relax.call @down(%x, %i) : ({NM}, !relax.tensor<[], i64>) -> {ANY}
  relax.return %a : {ANY}
}}
"""


PROGRAMS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "the result of one call in another": (
        ONCE
        + f"""
relax.func @main(%x: {NM}) -> {ANY} {{
  %a = relax.call @once(%x) : ({NM}) -> {ANY}
  %b = relax.call @once(%a) : ({ANY}) -> {ANY}
  relax.return %b : {ANY}
}}
""",
        ((2, 3),),
    ),
    "several ranks by one function": (
        ONCE
        + f"""
relax.func @main(%x: {NM}, %y: {N}) -> tuple<{ANY}, {ANY}> {{
  %a = relax.call @once(%x) : ({NM}) -> {ANY}
  %b = relax.call @once(%y) : ({N}) -> {ANY}
  %r = relax.tuple %a, %b : ({ANY}, {ANY}) -> tuple<{ANY}, {ANY}>
  relax.return %r : tuple<{ANY}, {ANY}>
}}
""",
        ((2, 3), (2,)),
    ),
    "two parameters of equal sizes, with names that the function has": (
        f"""
relax.func private @both(%v: {ANY}, %w: {ANY}, %n: !relax.tensor<[n, 2], f32>) -> {ANY} {{
  %s = relax.add %v, %w : ({ANY}, {ANY}) -> {ANY}
  relax.return %s : {ANY}
}}
relax.func @main(%x: {N}, %y: {N}, %z: !relax.tensor<[k, 2], f32>) -> {N} {{
  %a = relax.call @both(%x, %y, %z) : ({N}, {N}, !relax.tensor<[k, 2], f32>) -> {ANY}
  %b = relax.match_cast %a : {ANY} -> {N}
  relax.return %b : {N}
}}
""",
        ((3,), (3,), (5, 2)),
    ),
    "a size that is an expression": (
        ONCE
        + f"""
relax.func @main(%x: {N}, %y: !relax.tensor<[m], f32>) -> {ANY} {{
  %c = relax.concat %x, %y {{axis = 0 : i64}} : ({N}, !relax.tensor<[m], f32>) -> !relax.tensor<[m + n], f32>
  %a = relax.call @once(%c) : (!relax.tensor<[m + n], f32>) -> {ANY}
  relax.return %a : {ANY}
}}
""",
        ((3,), (2,)),
    ),
    "a recursion with a result of known type": (
        f"""
relax.func private @down(%v: {ANY}, %i: !relax.tensor<[], i64>) -> !relax.tensor<[], f32> {{
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %more = relax.greater %i, %zero : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  %r = relax.if %more : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {{
    %w = relax.tanh %v : ({ANY}) -> {ANY}
    %j = relax.subtract %i, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %d = relax.call @down(%w, %j) : ({ANY}, !relax.tensor<[], i64>) -> !relax.tensor<[], f32>
    %two = relax.add %d, %d : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.yield %two : !relax.tensor<[], f32>
  }} else {{
    %s = relax.sum %v : ({ANY}) -> !relax.tensor<[], f32>
    relax.yield %s : !relax.tensor<[], f32>
  }}
  relax.return %r : !relax.tensor<[], f32>
}}
relax.func @main(%x: {NM}) -> !relax.tensor<[], f32> {{
  %i = relax.constant dense<3> : tensor<i64>
  %a = relax.call @down(%x, %i) : ({NM}, !relax.tensor<[], i64>) -> !relax.tensor<[], f32>
  relax.return %a : !relax.tensor<[], f32>
}}
""",
        ((2, 3),),
    ),
    "a recursion whose result is that of its argument": (
        recursion("relax.tanh %v : ({ANY}) -> {ANY}"),
        ((2, 3),),
    ),
    "a recursion that doubles its argument": (
        recursion("relax.concat %v, %v {{axis = 0 : i64}} : ({ANY}, {ANY}) -> {ANY}"),
        ((2, 3),),
    ),
    "an unknown element type, known by a match": (
        """
relax.func @main(%x: !relax.tensor<[n]>) -> !relax.tensor<[n], f32> {
  %y = relax.match_cast %x : !relax.tensor<[n]> -> !relax.tensor<[n], f32>
  %z = relax.exp %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
""",
        ((3,),),
    ),
    "a closure": (
        ONCE
        + f"""
relax.func @main(%x: {NM}) -> {ANY} {{
  %f = relax.make_closure @once() : () -> !relax.func<({ANY}) -> {ANY}>
  %a = relax.call_closure %f, %x : (!relax.func<({ANY}) -> {ANY}>, {NM}) -> {ANY}
  relax.return %a : {ANY}
}}
""",
        ((2, 3),),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_mean_the_same(name: str):
    text, shapes = PROGRAMS[name]
    rng = np.random.default_rng(0)
    arguments = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    expected = interpret.run(parse(text), "main", *arguments)
    module = parse(text)
    lowering.lower(module, ["relax-specialize-functions"], verify_each=True)
    agree(interpret.run(parse(str(module)), "main", *arguments), expected)
    with lowering.compile(parse(text), "poly", extra_flags=["-O0"]) as compiled:
        agree(compiled.main(*arguments), expected)


def agree(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            agree(a, b)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-5)


CAST = f"""
relax.func @main(%x: {ANY}) -> !relax.tensor<[?, ?], f32> {{
  %y = relax.match_cast %x : {ANY} -> {NM}
  %z = relax.exp %y : ({NM}) -> {NM}
  relax.return %z : {NM}
}}
"""


@pytest.mark.slow
def test_another_rank_is_refused_at_the_entry():
    with lowering.compile(parse(CAST), "cast", extra_flags=["-O0"]) as compiled:
        assert np.array_equal(compiled.main(np.zeros((2, 3), np.float32)), np.ones((2, 3)))
        with pytest.raises(RelaxError, match=r"argument 'x': expected 2 dimensions.*found 1"):
            compiled.main(np.zeros(3, np.float32))


def test_ranks_that_grow_without_end_are_left_alone():
    """A function that calls itself with a higher rank each time has no end of copies."""
    text = f"""
relax.func private @up(%v: {ANY}, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {{
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {{
    %w = relax.expand_dims %v {{axis = [0]}} : ({ANY}) -> {ANY}
    %d = relax.call @up(%w, %c) : ({ANY}, !relax.tensor<[], i1>) -> !relax.tensor<[], f32>
    relax.yield %d : !relax.tensor<[], f32>
  }} else {{
    %s = relax.sum %v : ({ANY}) -> !relax.tensor<[], f32>
    relax.yield %s : !relax.tensor<[], f32>
  }}
  relax.return %r : !relax.tensor<[], f32>
}}
relax.func @main(%x: {N}, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {{
  %a = relax.call @up(%x, %c) : ({N}, !relax.tensor<[], i1>) -> !relax.tensor<[], f32>
  relax.return %a : !relax.tensor<[], f32>
}}
"""
    module = parse(text.replace("axis = [0]", "axis = array<i64: 0>"))
    lowering.lower(module, ["relax-specialize-functions"], verify_each=True)
    assert len(list(module.ops)) < 70
