"""Recursion: calls in tail position are loops, others nest as deep as the limit, interpreted and compiled."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import COMPILERS, LONG, UNOPTIMISED, amount, needs, shortened
from sanitizers import STRICT

import lowering
from relax_dialect import interpret
from relax_dialect.analysis.recursion import DEFAULT_LIMIT, LIMIT, Recursion, set_recursion_limit
from relax_dialect.errors import RelaxError
from relax_dialect.ops.loops import WhileOp
from relax_dialect.parsing import parse

N, B = "!relax.tensor<[], i64>", "!relax.tensor<[], i1>"
V, M = "!relax.tensor<[n], f32>", "!relax.tensor<[m], f32>"

NUMBERS = """
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
"""

TAILS = f"""
// a counter, an argument that stays, and one that changes
relax.func @count(%i: {N}, %x: {V}, %w: {V}) -> {V} {{ {NUMBERS}
  %more = relax.greater %i, %zero : ({N}, {N}) -> {B}
  %r = relax.if %more : ({B}) -> {V} {{
    %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %y = relax.add %x, %w : ({V}, {V}) -> {V}
    %s = relax.call @count(%j, %y, %w) : ({N}, {V}, {V}) -> {V}
    relax.yield %s : {V}
  }} else {{
    relax.yield %x : {V}
  }}
  relax.return %r : {V}
}}

// sizes that change, and a result that is seldom there: @f(x) with all but its first element
relax.func @shrink(%x: {V}, %s: !relax.shape<[n, m]>) -> tuple<!relax.tensor<[?], f32>, !relax.shape<[m]>> {{
  %e = relax.shape [n]
  %l = relax.shape_to_tensor %e : (!relax.shape<[n]>) -> !relax.tensor<[1], i64>
  %end = relax.shape [m]
  %k = relax.shape_to_tensor %end : (!relax.shape<[m]>) -> !relax.tensor<[1], i64>
  %c = relax.greater %l, %k : (!relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
  %more = relax.squeeze %c : (!relax.tensor<[1], i1>) -> {B}
  %r = relax.if %more : ({B}) -> tuple<!relax.tensor<[?], f32>, !relax.shape<[m]>> {{
    %t = relax.strided_slice %x {{axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 1000>}} : ({V}) -> !relax.tensor<[?], f32>
    %u = relax.match_cast %t : !relax.tensor<[?], f32> -> !relax.tensor<[p], f32>
    %q = relax.shape [p, m]
    %z = relax.call @shrink(%u, %q) : (!relax.tensor<[p], f32>, !relax.shape<[p, m]>) -> tuple<!relax.tensor<[?], f32>, !relax.shape<[m]>>
    relax.yield %z : tuple<!relax.tensor<[?], f32>, !relax.shape<[m]>>
  }} else {{
    %z = relax.tuple %x, %end : ({V}, !relax.shape<[m]>) -> tuple<{V}, !relax.shape<[m]>>
    relax.yield %z : tuple<{V}, !relax.shape<[m]>>
  }}
  relax.return %r : tuple<!relax.tensor<[?], f32>, !relax.shape<[m]>>
}}

// two functions with other parameters and an effect in each turn
relax.func @even(%x: {V}, %i: {N}) -> {N} {{ {NUMBERS}
  %more = relax.greater %i, %zero : ({N}, {N}) -> {B}
  %r = relax.if %more : ({B}) -> {N} {{
    relax.print %i {{format = "even {{}}"}} : ({N}) -> ()
    %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %s = relax.shape_of %x : ({V}) -> !relax.shape<[n]>
    %z = relax.call @odd(%j, %s, %x) : ({N}, !relax.shape<[n]>, {V}) -> {N}
    relax.yield %z : {N}
  }} else {{
    relax.yield %zero : {N}
  }}
  relax.return %r : {N}
}}
relax.func @odd(%i: {N}, %s: !relax.shape<[m]>, %x: {M}) -> {N} {{ {NUMBERS}
  %r = relax.binding_block {{
    %more = relax.greater %i, %zero : ({N}, {N}) -> {B}
    %q = relax.if %more : ({B}) -> {N} {{
      relax.print %i {{format = "odd {{}}"}} : ({N}) -> ()
      %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
      %z = relax.call @even(%x, %j) : ({M}, {N}) -> {N}
      relax.yield %z : {N}
    }} else {{
      relax.yield %one : {N}
    }}
    relax.output %q : {N}
  }}
  relax.return %r : {N}
}}

// Ackermann's function: calls in tail position, and one that is not
relax.func @ackermann(%m: {N}, %n: {N}) -> {N} {{ {NUMBERS}
  %none = relax.equal %m, %zero : ({N}, {N}) -> {B}
  %r = relax.if %none : ({B}) -> {N} {{
    %p = relax.add %n, %one : ({N}, {N}) -> {N}
    relax.yield %p : {N}
  }} else {{
    %q = relax.subtract %m, %one : ({N}, {N}) -> {N}
    %last = relax.equal %n, %zero : ({N}, {N}) -> {B}
    %s = relax.if %last : ({B}) -> {N} {{
      %a = relax.call @ackermann(%q, %one) : ({N}, {N}) -> {N}
      relax.yield %a : {N}
    }} else {{
      %k = relax.subtract %n, %one : ({N}, {N}) -> {N}
      %b = relax.call @ackermann(%m, %k) : ({N}, {N}) -> {N}
      %c = relax.call @ackermann(%q, %b) : ({N}, {N}) -> {N}
      relax.yield %c : {N}
    }}
    relax.yield %s : {N}
  }}
  relax.return %r : {N}
}}

// a graph: the call has no place but its use
relax.func @graph(%i: {N}, %x: {V}) -> {V} {{
  %r = relax.graph {{ {NUMBERS}
    %more = relax.greater %i, %zero : ({N}, {N}) -> {B}
    %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %y = relax.negative %x : ({V}) -> {V}
    %r = relax.if %more : ({B}) -> {V} {{
      %s = relax.call @graph(%j, %y) : ({N}, {V}) -> {V}
      relax.yield %s : {V}
    }} else {{
      relax.yield %x : {V}
    }}
    relax.output %r : {V}
  }}
  relax.return %r : {V}
}}
"""

DEEP = f"""
// one level for each call: the sum comes after the call
relax.func @deep(%i: {N}, %x: {V}) -> {V} {{ {NUMBERS}
  %more = relax.greater %i, %one : ({N}, {N}) -> {B}
  %r = relax.if %more : ({B}) -> {V} {{
    %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %s = relax.call @deep(%j, %x) : ({N}, {V}) -> {V}
    %y = relax.add %s, %x : ({V}, {V}) -> {V}
    relax.yield %y : {V}
  }} else {{
    relax.yield %x : {V}
  }}
  relax.return %r : {V}
}}

// two recursions, one in each turn of the other, with a function between them that is none
relax.func @outer(%i: {N}, %j: {N}, %x: {V}) -> {V} {{ {NUMBERS}
  %more = relax.greater %i, %one : ({N}, {N}) -> {B}
  %r = relax.if %more : ({B}) -> {V} {{
    %k = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %s = relax.call @outer(%k, %j, %x) : ({N}, {N}, {V}) -> {V}
    %y = relax.add %s, %x : ({V}, {V}) -> {V}
    relax.yield %y : {V}
  }} else {{
    %s = relax.call @between(%j, %x) : ({N}, {V}) -> {V}
    relax.yield %s : {V}
  }}
  relax.return %r : {V}
}}
relax.func private @between(%j: {N}, %x: {V}) -> {V} {{
  %y = relax.call @deep(%j, %x) : ({N}, {V}) -> {V}
  relax.return %y : {V}
}}

// a closure that calls the function around it
relax.func @through(%i: {N}, %x: {V}) -> {V} {{ {NUMBERS}
  %f = relax.closure (%j: {N}) -> {V} {{
    %s = relax.call @through(%j, %x) : ({N}, {V}) -> {V}
    %y = relax.add %s, %x : ({V}, {V}) -> {V}
    relax.return %y : {V}
  }}
  %more = relax.greater %i, %one : ({N}, {N}) -> {B}
  %r = relax.if %more : ({B}) -> {V} {{
    %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %s = relax.call_closure %f, %j : (!relax.func<({N}) -> {V}>, {N}) -> {V}
    relax.yield %s : {V}
  }} else {{
    relax.yield %x : {V}
  }}
  relax.return %r : {V}
}}
"""

ENDLESS = f"""
relax.func private @ping(%x: {V}) -> {V} {{
  %y = relax.call @pong(%x) : ({V}) -> {V}
  relax.return %y : {V}
}}
relax.func private @pong(%x: {V}) -> {V} {{
  %y = relax.call @ping(%x) : ({V}) -> {V}
  relax.return %y : {V}
}}
relax.func @main(%x: {V}) -> {V} {{
  %y = relax.call @ping(%x) : ({V}) -> {V}
  relax.return %y : {V}
}}
"""


def executions(text: str, limit: int | None = None) -> list[Callable[..., Any]]:
    """Interpreted, interpreted with loops for calls, compiled."""
    source, loops, module = parse(text), parse(text), parse(text)
    for each in (source, loops, module):
        if limit is not None:
            set_recursion_limit(each, limit)
    lowering.lower(loops, ["relax-tail-calls-to-loops"], verify_each=True)
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)

    def run(each: Any) -> Callable[..., Any]:
        return lambda name, *args: interpret.run(each, name, *args, check_types=True)

    return [run(source), run(loops), lambda name, *args: getattr(compiled, name)(*args)]


@cache
def tails() -> list[Callable[..., Any]]:
    return executions(TAILS)


def number(value: int) -> np.ndarray:
    return np.array(value, np.int64)


X = np.arange(3, dtype=np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("end", [0, 1, 5])
def test_turns_give_what_calls_do(end: int):
    for run in tails():
        np.testing.assert_array_equal(run("count", number(end), X, X + 1), X + end * (X + 1))
        np.testing.assert_array_equal(run("graph", number(end), X), X * (-1) ** end)
        assert run("even", X, number(end)) == end % 2
        assert run("odd", number(end), (3,), X) == 1 - end % 2
        kept, size = run("shrink", X, (3, min(end, 3)))
        np.testing.assert_array_equal(kept, X[3 - min(end, 3) :])
        assert size == (min(end, 3),)


@pytest.mark.slow
def test_calls_that_are_not_in_tail_position_stay_next_to_those_that_are():
    for run in tails():
        assert [run("ackermann", number(2), number(n)) for n in range(4)] == [3, 5, 7, 9]


@pytest.mark.slow
def test_effects_keep_their_order(capfd: pytest.CaptureFixture[str]):
    for run in tails():
        run("even", X, number(3))
        assert capfd.readouterr().out.splitlines() == ["even 3", "odd 2", "even 1"]


def test_the_functions_that_become_loops():
    module = parse(TAILS)
    found = Recursion.of(module)
    assert sorted(map(sorted, found.loops)) == [
        ["ackermann"], ["count"], ["even", "odd"], ["graph"], ["shrink"],
    ]  # fmt: skip
    lowering.lower(module, ["relax-tail-calls-to-loops"])
    assert sum(isinstance(op, WhileOp) for op in module.walk()) == 5
    assert Recursion.of(module).functions == {"ackermann"}


@pytest.mark.slow
@shortened
def test_millions_of_turns_take_no_memory():
    def used() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    run = tails()[-1]

    def growth() -> int:
        before = used()
        run("count", number(amount(4_000_000, 2_000_000)), X, X)
        return used() - before

    run("count", number(10), X, X)
    assert min(growth(), growth()) < 1000  # pages; what others take in the meantime, they take once


@pytest.mark.slow
def test_interpreted_turns_take_no_levels():
    run = tails()[0]
    assert run("count", number(DEFAULT_LIMIT + 10), X[:1], X[:1]).shape == (1,)


MESSAGE = "expected recursive calls nested at most {} deep, found deeper ones"


@pytest.mark.slow
def test_other_recursion_has_one_limit():
    for run in executions(DEEP, limit=20):
        np.testing.assert_array_equal(run("deep", number(20), X), 20 * X)
        np.testing.assert_array_equal(run("through", number(20), X), 20 * X)
        np.testing.assert_array_equal(run("outer", number(12), number(8), X), 19 * X)
        for name, arguments in {
            "deep": (number(21), X),
            "through": (number(21), X),
            "outer": (number(12), number(9), X),
        }.items():
            where = "deep" if name == "outer" else name
            with pytest.raises(RelaxError, match=f"@{where}: {MESSAGE.format(20)}"):
                run(name, *arguments)
        np.testing.assert_array_equal(run("deep", number(20), X), 20 * X)  # nothing is left behind


@needs(LONG)
def test_the_limit_without_and_with_a_word_about_it():
    for run in executions(DEEP):
        np.testing.assert_array_equal(run("deep", number(DEFAULT_LIMIT), X), DEFAULT_LIMIT * X)
        with pytest.raises(RelaxError, match=f"@deep: {MESSAGE.format(DEFAULT_LIMIT)}"):
            run("deep", number(DEFAULT_LIMIT + 1), X)
    interpreted, _, compiled = executions(DEEP, limit=6_000)
    for run in (interpreted, compiled):
        np.testing.assert_array_equal(run("deep", number(6_000), X), 6_000 * X)


def test_recursion_without_an_exit_is_an_error():
    for run in executions(ENDLESS, limit=50):
        with pytest.raises(RelaxError, match=f"@p[io]ng: {MESSAGE.format(50)}"):
            run("main", X)


F = f"!relax.func<({N}) -> {N}, impure>"
G = f"!relax.func<(!relax.object, {N}) -> {N}>"

OUTSIDE = f"""
relax.func @count(%i: {N}) -> {N} {{ {NUMBERS}
  %more = relax.greater %i, %zero : ({N}, {N}) -> {B}
  %r = relax.if %more : ({B}) -> {N} {{
    %f = relax.closure (%a: {N}) -> {N} impure {{
      %b = relax.call @between(%a) : ({N}) -> {N}
      relax.return %b : {N}
    }}
    %j = relax.subtract %i, %one : ({N}, {N}) -> {N}
    %s = relax.call_packed "again"(%f, %j) : ({F}, {N}) -> {N}
    %t = relax.add %s, %one : ({N}, {N}) -> {N}
    relax.yield %t : {N}
  }} else {{
    relax.yield %zero : {N}
  }}
  relax.return %r : {N}
}}
relax.func private @between(%i: {N}) -> {N} {{
  %f = relax.make_closure @count() : () -> {F}
  %r = relax.call @outward(%f, %i) : ({F}, {N}) -> {N}
  relax.return %r : {N}
}}
relax.func private @outward(%f: {F}, %i: {N}) -> {N} {{
  %r = relax.call_packed "again"(%f, %i) : ({F}, {N}) -> {N}
  relax.return %r : {N}
}}
relax.func @itself(%i: {N}) -> {N} {{ {NUMBERS}
  %f = relax.closure (%s: !relax.object, %a: {N}) -> {N} {{
    %more = relax.greater %a, %zero : ({N}, {N}) -> {B}
    %r = relax.if %more : ({B}) -> {N} {{
      %g = relax.match_cast %s : !relax.object -> {G}
      %b = relax.subtract %a, %one : ({N}, {N}) -> {N}
      %n = relax.call_closure %g, %g, %b : ({G}, {G}, {N}) -> {N}
      %t = relax.add %n, %one : ({N}, {N}) -> {N}
      relax.yield %t : {N}
    }} else {{
      relax.yield %zero : {N}
    }}
    relax.return %r : {N}
  }}
  %r = relax.call_closure %f, %f, %i : ({G}, {G}, {N}) -> {N}
  relax.return %r : {N}
}}
"""

AGAIN = r"""
#include "FOLDER/model.h"

/* Calls a function value; the number that it gives is kept here. */
int again(void *context, const DLTensor *const *args, int count, DLTensor *result)
{
    static int64_t number;
    DLTensor given = {0};
    (void)context;
    if (model_call_closure(*(relax_object *)args[0]->data, args + 1, count - 1, &given) != 0)
        return -1;
    number = *(int64_t *)given.data;
    model_release(&given);
    *result = *args[1];
    result->data = &number;
    return 0;
}
"""


@pytest.mark.slow
def test_recursion_through_functions_from_outside_and_function_values(tmp_path: Path):
    """Levels count on where a function value is called from outside, in Python as in C."""
    interpret.register_packed("again", lambda f, x: f(x))
    (tmp_path / "again.c").write_text(AGAIN.replace("FOLDER", str(tmp_path)))

    def linked(limit: int) -> Callable[..., Any]:
        module = parse(OUTSIDE)
        set_recursion_limit(module, limit)
        compiled = lowering.compile(
            module,
            directory=tmp_path,
            packed={"again": "again"},
            link=[tmp_path / "again.c"],
            extra_flags=UNOPTIMISED,
        )
        return lambda name, *args: getattr(compiled, name)(*args)

    small = 20
    for run in (*executions(OUTSIDE, limit=small), linked(small)):
        for _ in range(2):  # nothing is left behind
            assert run("count", number(9)) == 9  # and each but the last calls @between
            with pytest.raises(RelaxError, match=f"^@count: {MESSAGE.format(small)}"):
                run("count", number(10))
            assert run("itself", number(19)) == 19
            where = r"relax.call_closure \(%n\)"
            with pytest.raises(RelaxError, match=f"^@itself.*: {where}: {MESSAGE.format(small)}"):
                run("itself", number(21))  # the first call is one of a known function in C
    run = linked(DEFAULT_LIMIT)
    assert run("count", number(2000)) == 2000
    for name in ("count", "itself"):
        with pytest.raises(RelaxError, match=MESSAGE.format(DEFAULT_LIMIT)):
            run(name, number(10**6))


@pytest.mark.parametrize("cc", COMPILERS)
def test_its_c_compiles_without_a_warning(tmp_path: Path, cc: str):
    lowering.to_c(parse(ENDLESS)).write(tmp_path)
    command = [cc, *STRICT, "-c", "model.c", "-o", "model.o"]
    subprocess.run(command, cwd=tmp_path, check=True)


@pytest.mark.parametrize("limit", [0, -1, True, 2.5, None, 2**63])
def test_a_limit_is_a_number(limit: Any):
    with pytest.raises(RelaxError, match="recursion limit: expected a number from 1 to"):
        set_recursion_limit(parse(ENDLESS), limit)


def test_the_attribute_is_checked():
    module = parse(f'builtin.module attributes {{{LIMIT} = "many"}} {{ {ENDLESS} }}')
    for act in (
        lambda: interpret.run(module, "main", X),
        lambda: lowering.compile(module, extra_flags=UNOPTIMISED),
    ):
        with pytest.raises(RelaxError, match=rf"expected a {LIMIT} of at least 1, as an i64"):
            act()
