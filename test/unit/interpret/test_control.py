"""Branches, recursion and closures: the examples of the documents, and what may go wrong."""

import math

import numpy as np
import pytest
from optional import amount, shortened

from relax_dialect import parsing
from relax_dialect.errors import ExecutionError, RelaxError
from relax_dialect.interpret import Closure, run

from .programs import numbers, packed, parse, run_text, spell

DOUBLING = spell("""
relax.func @myfunc(%x: S) -> S {
  %one = relax.constant dense<1.0> : tensor<f32>
  %1 = relax.equal %x, %one : (S, S) -> B
  %r = relax.if %1 : (B) -> S {
    relax.yield %x : S
  } else {
    %2 = relax.subtract %x, %one : (S, S) -> S
    %3 = relax.call @myfunc(%2) : (S) -> S
    %4 = relax.add %3, %3 : (S, S) -> S
    relax.yield %4 : S
  }
  relax.return %r : S
}
""")
"""The recursive function of the introduction to Relay: x = 1 gives 1, and each step doubles."""


@pytest.mark.parametrize("x", [1, 2, 5, 20])
def test_the_recursive_function_of_the_document(x: int):
    assert run_text(DOUBLING, np.float32(x), entry="myfunc") == 2 ** (x - 1)


COUNTDOWN = spell("""
relax.func @count(%n: I, %sum: I) -> I {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %go = relax.greater %n, %zero : (I, I) -> B
  %r = relax.if %go : (B) -> I {
    %m = relax.subtract %n, %one : (I, I) -> I
    %s = relax.add %sum, %n : (I, I) -> I
    %q = relax.call @count(%m, %s) : (I, I) -> I
    relax.yield %q : I
  } else {
    relax.yield %sum : I
  }
  relax.return %r : I
}
""")


@shortened
def test_recursion_may_be_deep():
    module, n = parse(COUNTDOWN), amount(10_000, 3_000)
    assert run(module, "count", np.int64(n), np.int64(0)) == n * (n + 1) // 2


@pytest.mark.slow
def test_recursion_without_end_is_an_error():
    with pytest.raises(ExecutionError, match=r"nested at most .* is there a recursion without end"):
        run(parse(DOUBLING), "myfunc", np.float32(0.5))


def test_functions_call_functions_declared_later():
    text = spell("""
relax.func @myfunc(%x: S) -> S {
  %c1 = relax.constant dense<1.0> : tensor<f32>
  %c2 = relax.constant dense<2.0> : tensor<f32>
  %c3 = relax.constant dense<3.0> : tensor<f32>
  %1 = relax.call @muladd(%x, %c1, %c2) : (S, S, S) -> S
  %2 = relax.call @muladd(%1, %c2, %c3) : (S, S, S) -> S
  relax.return %2 : S
}
relax.func private @muladd(%x: S, %y: S, %z: S) -> S {
  %1 = relax.multiply %x, %y : (S, S) -> S
  %2 = relax.add %1, %z : (S, S) -> S
  relax.return %2 : S
}
""")
    assert run_text(text, np.float32(5), entry="myfunc") == (5 * 1 + 2) * 2 + 3


MUTUAL = spell(
    "".join(
        f"""
relax.func @{name}(%n: I) -> B {{
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %done = relax.equal %n, %zero : (I, I) -> B
  %r = relax.if %done : (B) -> B {{
    %answer = relax.constant dense<{answer}> : tensor<i1>
    relax.yield %answer : B
  }} else {{
    %m = relax.subtract %n, %one : (I, I) -> I
    %q = relax.call @{other}(%m) : (I) -> B
    relax.yield %q : B
  }}
  relax.return %r : B
}}"""
        for name, other, answer in [("even", "odd", "true"), ("odd", "even", "false")]
    )
)


@pytest.mark.parametrize("n", [0, 1, 6, 7, 1000])
def test_mutual_recursion(n: int):
    assert run_text(MUTUAL, np.int64(n), entry="even") == (n % 2 == 0)
    assert run_text(MUTUAL, np.int64(n), entry="odd") == (n % 2 == 1)


LOOP = spell("""
relax.func @power(%x: V, %n: I) -> V {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %go = relax.greater %n, %zero : (I, I) -> B
  %r = relax.if %go : (B) -> V {
    %m = relax.subtract %n, %one : (I, I) -> I
    %y = relax.binding_block {
      %d = relax.dataflow {
        %t = relax.tanh %x : (V) -> V
        %s = relax.add %t, %x : (V, V) -> V
        relax.output %s : V
      }
      relax.output %d : V
    }
    %q = relax.call @power(%y, %m) : (V, I) -> V
    relax.yield %q : V
  } else {
    relax.yield %x : V
  }
  relax.return %r : V
}
""")


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_a_loop_over_tensors_whose_length_is_an_argument(steps: int):
    x = numbers((5,))
    expected = x.copy()
    for _ in range(steps):
        expected = np.tanh(expected.astype(np.float64)).astype(np.float32) + expected
    result = run_text(LOOP, x, np.int64(steps), entry="power")
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("flag", [True, False])
def test_branches_of_different_sizes_join(flag: bool):
    text = spell(
        """
relax.func @main(%c: B, %x: A4, %y: A8) -> J {
  %r = relax.if %c : (B) -> J {
    relax.yield %x : A4
  } else {
    relax.yield %y : A8
  }
  %e = relax.exp %r : (J) -> J
  relax.return %e : J
}""",
        A4="!relax.tensor<[n, 4], f32>",
        A8="!relax.tensor<[n, 8], f32>",
        J="!relax.tensor<[n, ?], f32>",
    )
    x, y = np.zeros((3, 4), np.float32), np.zeros((3, 8), np.float32)
    result = run_text(text, np.array(flag), x, y)
    np.testing.assert_array_equal(result, np.ones((3, 4 if flag else 8), np.float32))


NESTED_TUPLES = spell(
    """
relax.func @main(%c: B, %d: B, %x: S, %y: S) -> P {
  %r = relax.if %c : (B) -> P {
    %xy = relax.tuple %x, %y : (S, S) -> Q
    %p = relax.tuple %xy, %x : (Q, S) -> P
    relax.yield %p : P
  } else {
    %i = relax.if %d : (B) -> Q {
      %yx = relax.tuple %y, %x : (S, S) -> Q
      relax.yield %yx : Q
    } else {
      %yy = relax.tuple %y, %y : (S, S) -> Q
      relax.yield %yy : Q
    }
    %0 = relax.tuple_get_item %i {index = 1 : i64} : (Q) -> S
    %p = relax.tuple %i, %0 : (Q, S) -> P
    relax.yield %p : P
  }
  relax.return %r : P
}
""",
    P="tuple<Q, S>",
    Q="tuple<S, S>",
)


@pytest.mark.parametrize(
    ("c", "d", "expected"),
    [
        (True, True, ((1, 2), 1)),
        (True, False, ((1, 2), 1)),
        (False, True, ((2, 1), 1)),
        (False, False, ((2, 2), 2)),
    ],
)
def test_nested_tuples_pass_through_branches(c: bool, d: bool, expected: object):
    args = np.array(c), np.array(d), np.float32(1), np.float32(2)
    assert run_text(NESTED_TUPLES, *args) == expected


def test_a_nest_of_branches_may_be_deep():
    depth = 200
    opening = "".join(
        f"%r{i} = relax.if %c : (B) -> S {{\n%x{i + 1} = relax.add %x{i}, %x0 : (S, S) -> S\n"
        for i in range(depth)
    )
    closing = "".join(
        f"relax.yield {value} : S\n}} else {{\nrelax.yield %x0 : S\n}}\n"
        for value in [f"%x{depth}", *(f"%r{i}" for i in reversed(range(1, depth)))]
    )
    text = f"relax.func @main(%c: B, %x0: S) -> S {{\n{opening}{closing}relax.return %r0 : S\n}}"
    module = parsing.parse(spell(text))  # which makes room for deep text
    assert run(module, "main", np.array(True), np.float32(1)) == depth + 1
    assert run(module, "main", np.array(False), np.float32(1)) == 1


BRANCH_VARIABLES = spell(
    """
relax.func @main(%c: B, %x: U) -> PAIR {
  %r = relax.if %c : (B) -> U {
    %a = relax.match_cast %x : U -> !relax.tensor<[m, 2], f32>
    %s = relax.shape [2 * m]
    %z = relax.reshape %a, %s :
      (!relax.tensor<[m, 2], f32>, !relax.shape<[2 * m]>) -> !relax.tensor<[2 * m], f32>
    relax.yield %a : !relax.tensor<[m, 2], f32>
  } else {
    %b = relax.match_cast %x : U -> !relax.tensor<[3, m], f32>
    relax.yield %b : !relax.tensor<[3, m], f32>
  }
  %t = relax.match_cast %r : U -> !relax.tensor<[k, m], f32>
  %s = relax.shape [m, k]
  %p = relax.tuple %t, %s :
    (!relax.tensor<[k, m], f32>, !relax.shape<[m, k]>) ->
    tuple<!relax.tensor<[k, m], f32>, !relax.shape<[m, k]>>
  relax.return %p : tuple<!relax.tensor<[k, m], f32>, !relax.shape<[m, k]>>
}
""",
    U="!relax.tensor<[?, ?], f32>",
    PAIR="tuple<!relax.tensor<[?, ?], f32>, !relax.shape<[?, ?]>>",
)


@pytest.mark.parametrize(("flag", "shape"), [(True, (5, 2)), (False, (3, 7))])
def test_variables_of_a_branch_are_gone_after_it(flag: bool, shape: tuple[int, int]):
    """`m` is the number of rows in one branch and of columns in the other, and bound anew after it."""
    _, sizes = run_text(BRANCH_VARIABLES, np.array(flag), numbers(shape))
    assert sizes == shape[::-1]


def test_a_branch_checks_what_it_casts():
    with pytest.raises(ExecutionError, match=r"^@main: relax\.match_cast \(%b\): expected size 3"):
        run_text(BRANCH_VARIABLES, np.array(False), numbers((4, 7)))


CLOSURE = spell("""
relax.func @main(%x: V) -> !relax.func<(V) -> V> {
  %1 = relax.exp %x : (V) -> V
  %f = relax.closure (%y: V) -> V {
    %3 = relax.add %y, %1 : (V, V) -> V
    relax.return %3 : V
  }
  relax.return %f : !relax.func<(V) -> V>
}
""")
"""The closure of the introduction to Relay, with exp for its log."""


def test_a_closure_is_returned_and_called_from_python():
    x, y = numbers((4,)), numbers((4,), seed=1)
    add = run_text(CLOSURE, x)
    assert isinstance(add, Closure)
    np.testing.assert_allclose(add(y), y + np.exp(x), rtol=1e-6)
    np.testing.assert_allclose(add(add(y)), y + 2 * np.exp(x), rtol=1e-6)


def test_a_closure_keeps_the_variables_it_captured():
    add = run_text(CLOSURE, numbers((4,)))
    with pytest.raises(
        ExecutionError,
        match=r"^@main: relax\.closure \(%f\): argument 'y': expected size n = 4 in dimension 0, "
        "found 5",
    ):
        add(numbers((5,)))
    with pytest.raises(
        ExecutionError, match=r"closure \(%f\): expected 1 arguments \('y'\), found 2"
    ):
        add(numbers((4,)), numbers((4,)))
    with pytest.raises(
        ExecutionError, match=r"argument 'y': expected an array of type .*found a Python"
    ):
        add(1.5)


OWN_VARIABLES = spell(
    """
relax.func @main(%x: V, %a: !relax.tensor<[i, n], f32>, %b: !relax.tensor<[j, n], f32>) -> T {
  %f = relax.closure [k] (%y: M) -> M {
    %z = relax.add %y, %x : (M, V) -> M
    %s = relax.shape [k]
    relax.return %z : M
  }
  %p = relax.call_closure %f, %a :
    (F, !relax.tensor<[i, n], f32>) -> !relax.tensor<[i, n], f32>
  %q = relax.call_closure %f, %b :
    (F, !relax.tensor<[j, n], f32>) -> !relax.tensor<[j, n], f32>
  %t = relax.tuple %p, %q : (!relax.tensor<[i, n], f32>, !relax.tensor<[j, n], f32>) -> T
  relax.return %t : T
}
""",
    M="!relax.tensor<[k, n], f32>",
    F="!relax.func<[k] (M) -> M>",
    T="tuple<!relax.tensor<[i, n], f32>, !relax.tensor<[j, n], f32>>",
)


def test_each_call_of_a_closure_binds_its_own_variables():
    x, a, b = numbers((3,)), numbers((2, 3)), numbers((5, 3))
    p, q = run_text(OWN_VARIABLES, x, a, b)
    np.testing.assert_array_equal(p, a + x)
    np.testing.assert_array_equal(q, b + x)


HIGHER_ORDER = spell(
    """
relax.func private @compose(%f: F, %g: F) -> F {
  %h = relax.closure (%y: S) -> S {
    %1 = relax.call_closure %g, %y : (F, S) -> S
    %2 = relax.call_closure %f, %1 : (F, S) -> S
    relax.return %2 : S
  }
  relax.return %h : F
}
relax.func private @plus(%x: S) -> F {
  %f = relax.closure (%y: S) -> S {
    %1 = relax.add %x, %y : (S, S) -> S
    relax.return %1 : S
  }
  relax.return %f : F
}
relax.func @main(%a: S, %x: S) -> S {
  %f = relax.call @plus(%a) : (S) -> F
  %double = relax.closure (%y: S) -> S {
    %1 = relax.add %y, %y : (S, S) -> S
    relax.return %1 : S
  }
  %g = relax.call @compose(%f, %double) : (F, F) -> F
  %h = relax.call @compose(%double, %g) : (F, F) -> F
  %r = relax.call_closure %h, %x : (F, S) -> S
  relax.return %r : S
}
relax.func @twice(%f: F, %x: S) -> S {
  %y = relax.call_closure %f, %x : (F, S) -> S
  %z = relax.call_closure %f, %y : (F, S) -> S
  relax.return %z : S
}
""",
    F="!relax.func<(S) -> S>",
)


def test_closures_are_passed_on_and_returned():
    assert run_text(HIGHER_ORDER, np.float32(3), np.float32(5)) == 2 * (2 * 5 + 3)


@pytest.mark.parametrize("made", ["closure", "make_closure"])
def test_effects_are_not_hidden_behind_an_object(made: str):
    """A pass may merge or drop calls of a pure function: no function that has effects becomes one."""
    closure = """relax.closure (%a: S) -> S impure {
    relax.print %a : (S) -> ()
    relax.return %a : S
  }"""
    maker = "relax.make_closure @show() : () -> !relax.func<(S) -> S, impure>"
    text = f"""
relax.func @main(%x: S) -> S {{
  %f = {closure if made == "closure" else maker}
  %o = relax.match_cast %f : !relax.func<(S) -> S, impure> -> O
  %p = relax.match_cast %o : O -> !relax.func<(S) -> S>
  %y = relax.call_closure %p, %x : (!relax.func<(S) -> S>, S) -> S
  relax.return %y : S
}}
relax.func private @show(%a: S) -> S {{
  relax.print %a : (S) -> ()
  relax.return %a : S
}}"""
    with pytest.raises(ExecutionError, match=r"relax\.match_cast \(%p\): .*without effects"):
        run_text(spell(text), np.float32(1))
    assert run_text(spell(text.replace("-> S>", "-> S, impure>")), np.float32(1)) == 1


def test_a_python_function_stands_for_a_closure():
    result = run_text(HIGHER_ORDER, lambda x: np.asarray(x * x), np.float32(3), entry="twice")
    assert result == 81
    with pytest.raises(
        ExecutionError, match=r"call_closure \(%y\): result: expected element type f32"
    ):
        run_text(HIGHER_ORDER, lambda x: np.asarray(x, np.int32), np.float32(3), entry="twice")
    with pytest.raises(ExecutionError, match=r"'f': expected a function, found an array"):
        run_text(HIGHER_ORDER, numbers(()), np.float32(3), entry="twice")


RECURSIVE_CLOSURES = spell(
    """
relax.func @main(%n: I, %f: F, %x: S) -> S {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  %go = relax.greater %n, %zero : (I, I) -> B
  %r = relax.if %go : (B) -> S {
    %m = relax.subtract %n, %one : (I, I) -> I
    %g = relax.closure (%y: S) -> S {
      %1 = relax.call_closure %f, %y : (F, S) -> S
      %2 = relax.add %1, %y : (S, S) -> S
      relax.return %2 : S
    }
    %q = relax.call @main(%m, %g, %x) : (I, F, S) -> S
    relax.yield %q : S
  } else {
    %q = relax.call_closure %f, %x : (F, S) -> S
    relax.yield %q : S
  }
  relax.return %r : S
}
""",
    F="!relax.func<(S) -> S>",
)


def test_closures_of_closures_may_be_deep():
    args = np.int64(1000), lambda x: x, np.float32(1)
    assert run(parse(RECURSIVE_CLOSURES), "main", *args) == 1001


def test_programs_and_python_may_call_each_other_but_not_for_ever():
    text = spell(
        """
relax.func @main(%f: F, %x: S) -> S {
  %r = relax.call_closure %f, %x : (F, S) -> S
  relax.return %r : S
}""",
        F="!relax.func<(S) -> S>",
    )
    module = parse(text)

    def count(x: np.ndarray) -> np.ndarray:
        down = np.asarray(x - 1)
        return x if x <= 0 else run(module, "main", count, down)

    assert run(module, "main", count, np.float32(100)) == 0
    with pytest.raises(
        RelaxError, match="Python functions and programs to call each other at most"
    ):
        run(module, "main", count, np.float32(math.inf))


MADE = spell(
    """
relax.func @scaled(%a: S, %x: V, %y: !relax.tensor<[n], f32>) -> V {
  %1 = relax.multiply %x, %a : (V, S) -> V
  %2 = relax.add %1, %y : (V, V) -> V
  relax.return %2 : V
}
relax.func @main(%a: S, %x: V) -> O {
  %f = relax.make_closure @scaled(%a, %x) : (S, V) -> !relax.func<(V) -> V>
  %y = relax.call_closure %f, %x : (!relax.func<(V) -> V>, V) -> V
  %t = relax.tuple %f, %y : (!relax.func<(V) -> V>, V) -> P
  relax.return %t : P
}""",
    P="tuple<!relax.func<(V) -> V>, V>",
)


def test_a_function_with_its_first_arguments_given():
    a, x, y = np.float32(3), numbers((4,)), numbers((4,), seed=1)
    f, first = run_text(MADE, a, x)
    np.testing.assert_allclose(first, 4 * x, rtol=1e-6)
    np.testing.assert_allclose(f(y), 3 * x + y, rtol=1e-6)
    with pytest.raises(
        ExecutionError, match=r"^@scaled: argument 'y': expected size n = 4 .* found 5"
    ):
        f(numbers((5,)))


def test_effects_of_a_closure_happen_at_each_call_and_not_before():
    text = spell(
        """
relax.func @main(%x: S) -> O {
  %f = relax.closure (%y: S) -> O impure {
    %1 = relax.call_packed "called"(%y) : (S) -> O
    relax.return %1 : O
  }
  %0 = relax.call_packed "made"() : () -> O
  %1 = relax.call_closure %f, %x : (F, S) -> O
  %2 = relax.call_closure %f, %x : (F, S) -> O
  relax.return %2 : O
}""",
        F="!relax.func<(S) -> O, impure>",
    )
    with packed(called=lambda x: None, made=lambda: None) as calls:
        run_text(text, np.float32(3))
    assert calls == [("made",), ("called", 3), ("called", 3)]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.zeros((2,), bool), r"an array of i1 of shape \[2\]"),
        (np.zeros((), np.float32), r"an array of f32 of shape \[\]"),
        (True, "a Python bool"),
    ],
)
def test_a_condition_is_one_boolean(value: object, found: str):
    text = spell("""
relax.func @main(%c: O) -> O {
  %r = relax.if %c : (O) -> O {
    relax.yield %c : O
  } else {
    relax.yield %c : O
  }
  relax.return %r : O
}""")
    with pytest.raises(
        ExecutionError,
        match=rf"^@main: relax\.if \(%r\): expected a condition that is one boolean, found {found};",
    ):
        run_text(text, value)
