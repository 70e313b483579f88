"""relax-defunctionalize: the same meaning without function values, interpreted and compiled."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import SANITIZED, UNOPTIMISED
from sanitizers import run_sanitized
from xdsl.dialects.builtin import ModuleOp, StringAttr

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import register_packed, run
from relax_dialect.ops.control import CallClosureOp, ClosureOp, MakeClosureOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.calls.defunctionalize import defunctionalize
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift
from relax_dialect.transform.function_values.function_flow import holds_functions
from relax_dialect.transform.regions import functions

NAMES = {
    "S": "!relax.tensor<[], f32>",
    "V": "!relax.tensor<[n], f32>",
    "I": "!relax.tensor<[], i64>",
    "B": "!relax.tensor<[], i1>",
    "F": "!relax.func<(S) -> S>",
    "G": "!relax.func<(V) -> V>",
    "A": "!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>",
}


def spell(text: str) -> str:
    """The program with the short names written out."""
    for _ in range(2):
        text = re.sub(r"(?<![%@\w!])[SVIBFGA](?!\w)", lambda found: NAMES[found[0]], text)
    return text


def vector(*values: float) -> Any:
    return np.array(values, np.float32)


def assert_equal(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            assert_equal(x, y)
    else:
        np.testing.assert_array_equal(a, b)


def without_functions(text: str) -> ModuleOp:
    """The module after lambda lifting and the pass; nobody outside calls what takes or gives functions."""
    module = parse(spell(text))
    for function in functions(module):
        type = function.function_type
        if any(map(holds_functions, (*type.inputs, type.output))):
            function.sym_visibility = StringAttr("private")
    lambda_lift(module)
    verify(module)
    defunctionalize(module)
    verify(module)
    for op in module.walk():
        assert not isinstance(op, ClosureOp | MakeClosureOp | CallClosureOp)
        assert not any(map(holds_functions, op.result_types))
        assert not any(
            holds_functions(a.type) for r in op.regions for b in r.blocks for a in b.args
        )
    return module


def check(text: str, *calls: tuple[list[Any], Any]) -> ModuleOp:
    """Run a program before and after the pass and as C; each call comes with what it gives."""
    original, module = parse(spell(text)), without_functions(text)
    compiled = lowering.compile(module, extra_flags=UNOPTIMISED)
    for args, expected in calls:
        for result in (run(original, "main", *args), run(module, "main", *args)):
            assert_equal(result, expected)
        assert_equal(compiled.main(*args), expected)
    before = str(module)
    defunctionalize(module)
    assert str(module) == before
    return module


def test_a_closure_of_a_tensor_and_a_variable_is_returned_and_called():
    text = """
relax.func @adder(%x: V) -> !relax.func<(!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>> {
  %f = relax.closure (%y: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
    %m = relax.match_cast %y : !relax.tensor<[?], f32> -> V
    %e = relax.exp %x : (V) -> V
    %z = relax.add %m, %e : (V, V) -> V
    relax.return %z : V
  }
  relax.return %f : !relax.func<(!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>>
}
relax.func @main(%x: V, %y: V) -> V {
  %f = relax.call @adder(%x) : (V) -> !relax.func<(!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>>
  %r = relax.call_closure %f, %y : (!relax.func<(!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>>, V) -> !relax.tensor<[?], f32>
  %s = relax.match_cast %r : !relax.tensor<[?], f32> -> V
  relax.return %s : V
}"""
    x, y = vector(0, 0, 0), vector(1, 2, 3)
    module = check(text, ([x, y], y + 1))
    assert [f.sym_name.data for f in functions(module) if not f.is_private] == ["main"]


def test_a_closure_of_only_a_variable():
    text = """
relax.func private @broadcaster(%x: V) -> !relax.func<(S) -> V> {
  %f = relax.closure (%y: S) -> V {
    %s = relax.shape [n]
    %z = relax.broadcast_to %y, %s : (S, !relax.shape<[n]>) -> V
    relax.return %z : V
  }
  relax.return %f : !relax.func<(S) -> V>
}
relax.func @main(%x: V, %y: S) -> V {
  %f = relax.call @broadcaster(%x) : (V) -> !relax.func<(S) -> V>
  %r = relax.call_closure %f, %y : (!relax.func<(S) -> V>, S) -> V
  relax.return %r : V
}"""
    module = check(text, ([vector(1, 2), np.array(7, np.float32)], vector(7, 7)))
    assert "tuple<!relax.shape<[?]>>" in str(module)


TWICE = """
relax.func private @twice(%f: G, %x: V) -> V {
  %y = relax.call_closure %f, %x : (G, V) -> V
  %z = relax.call_closure %f, %y : (G, V) -> V
  relax.return %z : V
}
"""


def test_a_closure_is_passed_to_a_function():
    text = (
        TWICE
        + """
relax.func @main(%a: V, %x: V) -> V {
  %f = relax.closure (%y: V) -> V {
    %z = relax.multiply %a, %y : (V, V) -> V
    relax.return %z : V
  }
  %r = relax.call @twice(%f, %x) : (G, V) -> V
  relax.return %r : V
}"""
    )
    a, x = vector(2, 3), vector(1, 10)
    module = check(text, ([a, x], a * a * x))
    assert "relax.if" not in str(module)


def test_different_closures_from_different_places():
    text = (
        TWICE
        + """
relax.func @main(%a: V, %x: V, %i: I) -> V {
  %f = relax.closure (%y: V) -> V {
    %z = relax.multiply %a, %y : (V, V) -> V
    relax.return %z : V
  }
  %g = relax.closure (%y: V) -> V {
    %c = relax.astype %i {dtype = f32} : (I) -> S
    %z = relax.add %y, %c : (V, S) -> V
    relax.return %z : V
  }
  %r = relax.call @twice(%f, %x) : (G, V) -> V
  %s = relax.call @twice(%g, %r) : (G, V) -> V
  relax.return %s : V
}"""
    )
    a, x = vector(2, 3), vector(1, 10)
    module = check(text, ([a, x, np.array(5)], a * a * x + 10))
    assert str(module).count("relax.if") == 2


CHOICE = """
relax.func private @choose(%c: B, %a: V, %w: !relax.tensor<[n, 3], f32>) -> G {
  %f = relax.closure (%y: V) -> V {
    %z = relax.multiply %a, %y : (V, V) -> V
    relax.return %z : V
  }
  %r = relax.if %c : (B) -> G {
    relax.yield %f : G
  } else {
    %g = relax.closure (%y: V) -> V {
      %u = relax.sum %w {axis = array<i64: 1>} : (!relax.tensor<[n, 3], f32>) -> V
      %z = relax.add %u, %y : (V, V) -> V
      relax.return %z : V
    }
    relax.yield %g : G
  }
  relax.return %r : G
}
relax.func @main(%c: B, %a: V, %w: !relax.tensor<[n, 3], f32>, %x: V) -> V {
  %f = relax.call @choose(%c, %a, %w) : (B, V, !relax.tensor<[n, 3], f32>) -> G
  %r = relax.call_closure %f, %x : (G, V) -> V
  relax.return %r : V
}"""


def test_a_closure_chosen_by_an_if():
    a, w, x = vector(2, 3), np.ones((2, 3), np.float32), vector(1, 10)
    check(CHOICE, ([np.array(True), a, w, x], a * x), ([np.array(False), a, w, x], x + 3))


def test_three_closures_one_in_another_function_value():
    """A closure that captures a choice, among others that are chosen from."""
    text = """
relax.func private @step(%f: G, %i: I, %like: V) -> G {
  %two = relax.constant dense<2> : tensor<i64>
  %c = relax.less %i, %two : (I, I) -> B
  %r = relax.if %c : (B) -> G {
    %g = relax.closure (%y: V) -> V {
      %1 = relax.call_closure %f, %y : (G, V) -> V
      %2 = relax.call_closure %f, %1 : (G, V) -> V
      relax.return %2 : V
    }
    relax.yield %g : G
  } else {
    relax.yield %f : G
  }
  relax.return %r : G
}
relax.func @main(%i: I, %j: I, %x: V) -> V {
  %zero = relax.constant dense<0> : tensor<i64>
  %c = relax.equal %j, %zero : (I, I) -> B
  %one = relax.constant dense<1.0> : tensor<f32>
  %inc = relax.closure (%y: V) -> V {
    %1 = relax.add %y, %one : (V, S) -> V
    relax.return %1 : V
  }
  %dbl = relax.closure (%y: V) -> V {
    %1 = relax.add %y, %y : (V, V) -> V
    relax.return %1 : V
  }
  %f = relax.if %c : (B) -> G {
    relax.yield %inc : G
  } else {
    relax.yield %dbl : G
  }
  %h = relax.call @step(%f, %i, %x) : (G, I, V) -> G
  %r = relax.call_closure %h, %x : (G, V) -> V
  relax.return %r : V
}"""
    x = vector(1, 2, 3)
    expected = {(0, 0): x + 2, (0, 1): 4 * x, (5, 0): x + 1, (5, 1): 2 * x}
    check(text, *(([np.array(i), np.array(j), x], y) for (i, j), y in expected.items()))


def test_functions_in_nested_tuples():
    text = """
relax.func private @pair(%c: B, %a: V) -> tuple<tuple<G, V>, G> {
  %f = relax.closure (%y: V) -> V {
    %z = relax.multiply %a, %y : (V, V) -> V
    relax.return %z : V
  }
  %g = relax.closure (%y: V) -> V {
    %z = relax.call_closure %f, %y : (G, V) -> V
    %u = relax.subtract %z, %y : (V, V) -> V
    relax.return %u : V
  }
  %0 = relax.tuple %f, %a : (G, V) -> tuple<G, V>
  %1 = relax.tuple %0, %g : (tuple<G, V>, G) -> tuple<tuple<G, V>, G>
  %r = relax.if %c : (B) -> tuple<tuple<G, V>, G> {
    relax.yield %1 : tuple<tuple<G, V>, G>
  } else {
    %2 = relax.tuple %g, %a : (G, V) -> tuple<G, V>
    %3 = relax.tuple %2, %f : (tuple<G, V>, G) -> tuple<tuple<G, V>, G>
    relax.yield %3 : tuple<tuple<G, V>, G>
  }
  relax.return %r : tuple<tuple<G, V>, G>
}
relax.func @main(%c: B, %a: V, %x: V) -> tuple<V, V> {
  %p = relax.call @pair(%c, %a) : (B, V) -> tuple<tuple<G, V>, G>
  %q = relax.tuple_get_item %p {index = 0 : i64} : (tuple<tuple<G, V>, G>) -> tuple<G, V>
  %f = relax.tuple_get_item %q {index = 0 : i64} : (tuple<G, V>) -> G
  %b = relax.tuple_get_item %q {index = 1 : i64} : (tuple<G, V>) -> V
  %g = relax.tuple_get_item %p {index = 1 : i64} : (tuple<tuple<G, V>, G>) -> G
  %1 = relax.call_closure %f, %x : (G, V) -> V
  %2 = relax.call_closure %g, %b : (G, V) -> V
  %t = relax.tuple %1, %2 : (V, V) -> tuple<V, V>
  relax.return %t : tuple<V, V>
}"""
    a, x = vector(2, 3), vector(5, 7)
    yes, no = (a * x, a * a - a), (a * x - x, a * a)
    check(text, ([np.array(True), a, x], yes), ([np.array(False), a, x], no))


LOOP = """
relax.func private @repeat(%i: I, %f: G, %x: V) -> V {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %go = relax.greater %i, %zero : (I, I) -> B
  %r = relax.if %go : (B) -> V {
    %j = relax.subtract %i, %one : (I, I) -> I
    %y = relax.call_closure %f, %x : (G, V) -> V
    %q = relax.call @repeat(%j, %f, %y) : (I, G, V) -> V
    relax.yield %q : V
  } else {
    relax.yield %x : V
  }
  relax.return %r : V
}
relax.func @main(%i: I, %a: V, %x: V) -> V {
  %f = relax.closure (%y: V) -> V {
    %z = relax.add %a, %y : (V, V) -> V
    relax.return %z : V
  }
  %r = relax.call @repeat(%i, %f, %x) : (I, G, V) -> V
  relax.return %r : V
}"""


def test_a_loop_whose_body_is_a_closure():
    a, x = vector(2, 3), vector(1, 10)
    check(LOOP, *(([np.array(i), a, x], x + i * a) for i in (0, 1, 100)))


def test_a_closure_that_calls_the_function_that_made_it():
    """Recursion through a closure: countdown makes a closure that calls countdown."""
    text = """
relax.func private @countdown(%i: I, %like: V) -> G {
  %f = relax.closure (%x: V) -> V {
    %zero = relax.constant dense<0> : tensor<i64>
    %one = relax.constant dense<1> : tensor<i64>
    %go = relax.greater %i, %zero : (I, I) -> B
    %r = relax.if %go : (B) -> V {
      %j = relax.subtract %i, %one : (I, I) -> I
      %g = relax.call @countdown(%j, %x) : (I, V) -> G
      %y = relax.call_closure %g, %x : (G, V) -> V
      %z = relax.add %y, %y : (V, V) -> V
      relax.yield %z : V
    } else {
      relax.yield %x : V
    }
    relax.return %r : V
  }
  relax.return %f : G
}
relax.func @main(%i: I, %x: V) -> V {
  %f = relax.call @countdown(%i, %x) : (I, V) -> G
  %r = relax.call_closure %f, %x : (G, V) -> V
  relax.return %r : V
}"""
    x = vector(1, 10)
    check(text, *(([np.array(i), x], x * 2**i) for i in (0, 1, 10)))


def test_each_call_binds_the_variables_of_the_closure():
    text = """
relax.func private @make(%s: S) -> A {
  %f = relax.closure [k] (%y: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
    %z = relax.add %y, %s : (!relax.tensor<[k], f32>, S) -> !relax.tensor<[k], f32>
    relax.return %z : !relax.tensor<[k], f32>
  }
  relax.return %f : A
}
relax.func @main(%s: S, %x: V, %y: !relax.tensor<[m], f32>) -> tuple<V, !relax.tensor<[m], f32>> {
  %f = relax.call @make(%s) : (S) -> A
  %1 = relax.call_closure %f, %x : (A, V) -> V
  %2 = relax.call_closure %f, %y : (A, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %t = relax.tuple %1, %2 : (V, !relax.tensor<[m], f32>) -> tuple<V, !relax.tensor<[m], f32>>
  relax.return %t : tuple<V, !relax.tensor<[m], f32>>
}"""
    x, y = vector(1, 2), vector(1, 2, 3)
    check(text, ([np.array(2, np.float32), x, y], (x + 2, y + 2)))


def test_the_closure_of_the_introduction():
    """The function that returns a closure around `exp(x)`, and a caller of it."""
    text = """
relax.func @fn(%x: V) -> G {
  %r = relax.graph {
    %1 = relax.exp %x : (V) -> V
    %v1 = relax.let %1 : (V) -> V
    %2 = relax.closure (%y: V) -> V {
      %3 = relax.add %y, %v1 : (V, V) -> V
      relax.return %3 : V
    }
    relax.output %2 : G
  }
  relax.return %r : G
}
relax.func @main(%x: V, %y: V) -> V {
  %f = relax.call @fn(%x) : (V) -> G
  %r = relax.call_closure %f, %y : (G, V) -> V
  %s = relax.call_closure %f, %r : (G, V) -> V
  relax.return %s : V
}"""
    check(text, ([vector(0, 0), vector(3, 4)], vector(5, 6)))


def test_effects_stay_in_order(capsys: pytest.CaptureFixture[str]):
    text = spell("""
relax.func private @noisy(%x: S, %y: S) -> S {
  relax.print %x, %y {format = "{} {}"} : (S, S) -> ()
  %z = relax.add %x, %y : (S, S) -> S
  relax.return %z : S
}
relax.func private @quiet(%x: S, %y: S) -> S {
  relax.return %x : S
}
relax.func @main(%c: B, %x: S) -> S {
  %f = relax.make_closure @noisy(%x) : (S) -> !relax.func<(S) -> S, impure>
  %g = relax.make_closure @quiet(%x) : (S) -> F
  relax.print {format = "first"} : () -> ()
  %h = relax.if %c : (B) -> !relax.func<(S) -> S, impure> {
    relax.yield %f : !relax.func<(S) -> S, impure>
  } else {
    relax.yield %g : F
  }
  %1 = relax.call_closure %h, %x : (!relax.func<(S) -> S, impure>, S) -> S
  relax.print {format = "second"} : () -> ()
  %2 = relax.call_closure %f, %1 : (!relax.func<(S) -> S, impure>, S) -> S
  relax.return %2 : S
}""")
    for flag in (True, False):
        args = [np.array(flag), np.array(1, np.float32)]
        expected = run(parse(text), "main", *args), capsys.readouterr().out
        assert (run(without_functions(text), "main", *args), capsys.readouterr().out) == expected
        assert expected[1].startswith("first") and "second" in expected[1]


def test_sizes_are_still_checked():
    text = (
        TWICE
        + """
relax.func @main(%a: !relax.tensor<[m], f32>, %x: V) -> V {
  %f = relax.closure (%y: V) -> V {
    %b = relax.match_cast %a : !relax.tensor<[m], f32> -> V
    %z = relax.add %b, %y : (V, V) -> V
    relax.return %z : V
  }
  %r = relax.call @twice(%f, %x) : (G, V) -> V
  relax.return %r : V
}"""
    )
    x = vector(1, 2)
    module = check(text, ([x, x], 3 * x))
    for broken in (parse(spell(text)), module):
        with pytest.raises(RelaxError, match=r"expected size n = 2 .*found 3"):
            run(broken, "main", vector(1, 2, 3), x)
    with pytest.raises(RelaxError):
        lowering.compile(module, extra_flags=UNOPTIMISED).main(vector(1, 2, 3), x)


def test_programs_without_function_values_stay():
    text = spell("""
relax.func private @unused(%x: V) -> V {
  relax.return %x : V
}
relax.func @main(%x: V) -> V {
  %y = relax.dataflow {
    %0 = relax.add %x, %x : (V, V) -> V
    relax.output %0 : V
  }
  relax.return %y : V
}""")
    module = parse(text)
    before = str(module)
    defunctionalize(module)
    assert str(module) == before


def test_functions_without_function_values_stay_next_to_others():
    plain = """
relax.func @plain(%x: V) -> V {
  %y = relax.dataflow {
    %0 = relax.add %x, %x : (V, V) -> V
    relax.output %0 : V
  }
  relax.return %y : V
}"""
    module = without_functions(plain + LOOP)
    assert str(module.body.block.first_op) == str(parse(spell(plain)).body.block.first_op)


@pytest.mark.parametrize(
    "text, message",
    [
        (
            """
relax.func private @never(%x: S) -> F {
  %f = relax.call @never(%x) : (S) -> F
  relax.return %f : F
}
relax.func @main(%x: S) -> S {
  %f = relax.call @never(%x) : (S) -> F
  %r = relax.call_closure %f, %x : (F, S) -> S
  relax.return %r : S
}""",
            "relax.call_closure.*: expected a function value that something makes, found none",
        ),
        (
            """
relax.func private @first(%a: !relax.tensor<*, f32>, %x: S) -> S {
  relax.return %x : S
}
relax.func private @second(%x: S) -> S {
  relax.return %x : S
}
relax.func @main(%c: B, %x: S) -> S {
  %f = relax.make_closure @first(%x) : (S) -> F
  %g = relax.make_closure @second() : () -> F
  %h = relax.if %c : (B) -> F {
    relax.yield %f : F
  } else {
    relax.yield %g : F
  }
  %r = relax.call_closure %h, %x : (F, S) -> S
  relax.return %r : S
}""",
            r"make_closure.*: expected tensors of known rank .*found !relax.tensor<\*, f32>; declare",
        ),
    ],
)
def test_what_has_no_tuple_is_refused(text: str, message: str):
    register_packed("f", lambda f: f(np.float32(1)))
    with pytest.raises(RelaxError, match=message):
        without_functions(text)


def test_a_closure_that_is_not_lifted_is_refused():
    with pytest.raises(RelaxError, match=r"relax.closure \(%f\): .*; run relax-lambda-lift first"):
        defunctionalize(parse(spell(LOOP)))


def test_a_function_value_that_is_never_called():
    """Nothing reaches the parameter of the closure: its body is gone with it."""
    text = """
relax.func @main(%x: S) -> S {
  %f = relax.closure (%g: F) -> S {
    %r = relax.call_closure %g, %x : (F, S) -> S
    relax.return %r : S
  }
  %t = relax.tuple %f, %x : (!relax.func<(F) -> S>, S) -> tuple<!relax.func<(F) -> S>, S>
  %y = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.func<(F) -> S>, S>) -> S
  relax.return %y : S
}"""
    module = check(text, ([np.array(3, np.float32)], np.array(3, np.float32)))
    assert len(list(module.ops)) == 1


DRIVER = r"""
#include <stdio.h>
#include "model.h"

static int64_t sizes[] = {2, 3}, wrong[] = {3};
static float a[] = {2, 3}, w[] = {1, 1, 1, 1, 1, 1}, x[] = {1, 10, 100};

static DLTensor tensor(void *data, int32_t rank, int64_t *shape, uint8_t code, uint8_t bits)
{
    DLTensor t = {0};
    t.data = data;
    t.device.device_type = kDLCPU;
    t.ndim = rank;
    t.dtype.code = code;
    t.dtype.bits = bits;
    t.dtype.lanes = 1;
    t.shape = shape;
    return t;
}

int main(void)
{
    for (int i = 0; i < 3; ++i) {
        bool flag = i == 0;
        DLTensor c = tensor(&flag, 0, NULL, kDLBool, 8);
        DLTensor ta = tensor(a, 1, sizes, kDLFloat, 32), tw = tensor(w, 2, sizes, kDLFloat, 32);
        DLTensor tx = tensor(x, 1, i == 2 ? wrong : sizes, kDLFloat, 32);
        float y[3] = {0};
        DLTensor out = tensor(y, 1, sizes, kDLFloat, 32);
        int code = model_main(&c, &ta, &tw, &tx, &out);
        printf("%d %g %g\n", code != 0, (double)y[0], (double)y[1]);
    }
    return 0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("cc", SANITIZED)
def test_nothing_leaks(cc: str, tmp_path: Path):
    lowering.to_c(parse(spell(CHOICE)), "model").write(tmp_path)
    assert run_sanitized(cc, tmp_path, DRIVER) == "0 2 30\n0 4 13\n1 0 0\n"
