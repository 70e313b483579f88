"""Document 001, Introduction to Relay IR: graphs, modules, recursion, lets, scopes and closures on both levels."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from levels import Levels, logged, message, refused, spelled

import lowering
from relax_dialect import interpret
from relax_dialect.dpl import is_op, wildcard
from relax_dialect.gradient import gradient
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import parse, verify
from relax_dialect.structural import structural_equal

PROGRAM = """
// A graph of two nodes: %1 is used twice and computed once.
relax.func @shared(%x: V) -> V {
  %r = relax.graph {
    %1 = relax.call_pure_packed "log"(%x) : (V) -> V
    %2 = relax.add %1, %1 : (V, V) -> V
    relax.output %2 : V
  }
  relax.return %r : V
}
// A module of functions that call each other, with numbers as arguments.
relax.func private @muladd(%x: S, %y: S, %z: S) -> S {
  %1 = relax.multiply %x, %y : (S, S) -> S
  %2 = relax.add %1, %z : (S, S) -> S
  relax.return %2 : S
}
relax.func @muladd_twice(%x: S) -> S {
  %1 = relax.call @muladd(%x, 1, 2) : (S) -> S
  %2 = relax.call @muladd(%1, 2, 3) : (S) -> S
  relax.return %2 : S
}
// Recursion through the name of the function.
relax.func @myfunc(%x: S) -> S {
  %1 = relax.equal %x, 1 : (S) -> B
  %r = relax.if %1 : (B) -> S {
    relax.yield %x : S
  } else {
    %2 = relax.subtract %x, 1 : (S) -> S
    %3 = relax.call @myfunc(%2) : (S) -> S
    %4 = relax.add %3, %3 : (S, S) -> S
    relax.yield %4 : S
  }
  relax.return %r : S
}
// Delayed declaration: each calls the other, which stands before or after it.
relax.func @is_even(%x: I) -> B {
  %z = relax.equal %x, 0 : (I) -> B
  %r = relax.if %z : (B) -> B {
    relax.yield %z : B
  } else {
    %p = relax.subtract %x, 1 : (I) -> I
    %o = relax.call @is_odd(%p) : (I) -> B
    relax.yield %o : B
  }
  relax.return %r : B
}
relax.func @is_odd(%x: I) -> B {
  %e = relax.call @is_even(%x) : (I) -> B
  %n = relax.logical_not %e : (B) -> B
  relax.return %n : B
}
// Lets in sequence, the same as a graph.
relax.func @lets(%x: V, %y: V) -> V {
  %r = relax.graph {
    %a = relax.exp %x : (V) -> V
    %v1 = relax.let %a : (V) -> V
    %b = relax.add %v1, %y : (V, V) -> V
    %v2 = relax.let %b : (V) -> V
    relax.output %v2 : V
  }
  relax.return %r : V
}
// A node that one branch needs, with a let and without.
relax.func @scope(%x: S, %c: B) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "log"(%x) : (S) -> S
    %2 = relax.if %c : (B) -> S {
      %3 = relax.add %1, %x : (S, S) -> S
      relax.yield %3 : S
    } else {
      relax.yield %x : S
    }
    relax.output %2 : S
  }
  relax.return %r : S
}
relax.func @scope_of_a_let(%x: S, %c: B) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "log"(%x) : (S) -> S
    %v1 = relax.let %1 : (S) -> S
    %2 = relax.if %c : (B) -> S {
      %3 = relax.add %v1, %x : (S, S) -> S
      relax.yield %3 : S
    } else {
      relax.yield %x : S
    }
    relax.output %2 : S
  }
  relax.return %r : S
}
// A closure that uses a node from around it, which is called twice.
relax.func @closure(%x: S, %y: S) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "log"(%x) : (S) -> S
    %2 = relax.closure (%z: S) -> S {
      %s = relax.add %z, %1 : (S, S) -> S
      relax.return %s : S
    }
    %3 = relax.call_closure %2, %y : (F, S) -> S
    %4 = relax.call_closure %2, %3 : (F, S) -> S
    relax.output %4 : S
  }
  relax.return %r : S
}
relax.func @closure_of_a_let(%x: S, %y: S) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "log"(%x) : (S) -> S
    %v1 = relax.let %1 : (S) -> S
    %2 = relax.closure (%z: S) -> S {
      %s = relax.add %z, %v1 : (S, S) -> S
      relax.return %s : S
    }
    %3 = relax.call_closure %2, %y : (F, S) -> S
    %4 = relax.call_closure %2, %3 : (F, S) -> S
    relax.output %4 : S
  }
  relax.return %r : S
}
// The closure itself is returned.
relax.func @adder(%x: S) -> F {
  %1 = relax.log %x : (S) -> S
  %2 = relax.closure (%y: S) -> S {
    %s = relax.add %y, %1 : (S, S) -> S
    relax.return %s : S
  }
  relax.return %2 : F
}
// Both styles in one function.
relax.func @mixed(%x: V, %c: B) -> V {
  %a = relax.dataflow {
    %0 = relax.exp %x : (V) -> V
    relax.output %0 : V
  }
  %l = relax.let %a : (V) -> V
  %r = relax.if %c : (B) -> V {
    %g = relax.graph {
      %1 = relax.add %l, %l : (V, V) -> V
      relax.output %1 : V
    }
    relax.yield %g : V
  } else {
    relax.yield %l : V
  }
  relax.return %r : V
}
// Polymorphic: of any rank and element type.
relax.func private @twice(%x: !relax.tensor<*>) -> !relax.tensor<*> {
  %y = relax.add %x, %x : (!relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<*>
  relax.return %y : !relax.tensor<*>
}
// A recursion of any rank.
relax.func private @power(%x: !relax.tensor<*, f32>, %k: I) -> !relax.tensor<*, f32> {
  %c = relax.less_equal %k, 0 : (I) -> B
  %r = relax.if %c : (B) -> !relax.tensor<*, f32> {
    relax.yield %x : !relax.tensor<*, f32>
  } else {
    %k1 = relax.subtract %k, 1 : (I) -> I
    %y = relax.add %x, %x : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
    %z = relax.call @power(%y, %k1) : (!relax.tensor<*, f32>, I) -> !relax.tensor<*, f32>
    relax.yield %z : !relax.tensor<*, f32>
  }
  relax.return %r : !relax.tensor<*, f32>
}
relax.func @powers(%x: V, %s: S, %k: I) -> tuple<V, S> {
  %a = relax.call @power(%x, %k) : (V, I) -> !relax.tensor<*, f32>
  %b = relax.call @power(%s, %k) : (S, I) -> !relax.tensor<*, f32>
  %c = relax.match_cast %a : !relax.tensor<*, f32> -> V
  %d = relax.match_cast %b : !relax.tensor<*, f32> -> S
  %t = relax.tuple %c, %d : (V, S) -> tuple<V, S>
  relax.return %t : tuple<V, S>
}
// Closures in closures.
relax.func @curried(%x: S) -> S {
  %f = relax.closure (%a: S) -> F {
    %g = relax.closure (%b: S) -> S {
      %1 = relax.add %a, %b : (S, S) -> S
      %2 = relax.add %1, %x : (S, S) -> S
      relax.return %2 : S
    }
    relax.return %g : F
  }
  %h = relax.call_closure %f, %x : (!relax.func<(S) -> F>, S) -> F
  %r = relax.call_closure %h, %x : (F, S) -> S
  relax.return %r : S
}
// Numbers beside a tensor.
relax.func private @muladd_all(%x: V, %y: S, %z: S) -> V {
  %1 = relax.multiply %x, %y : (V, S) -> V
  %2 = relax.add %1, %z : (V, S) -> V
  relax.return %2 : V
}
relax.func @muladd_of_all(%x: V) -> V {
  %1 = relax.call @muladd_all(%x, 1, 2) : (V) -> V
  %2 = relax.call @muladd_all(%1, 2.5, -3) : (V) -> V
  relax.return %2 : V
}
relax.func @polymorphic(%x: M, %y: I) -> tuple<M, I> {
  %a = relax.call @twice(%x) : (M) -> !relax.tensor<*>
  %b = relax.call @twice(%y) : (I) -> !relax.tensor<*>
  %c = relax.match_cast %a : !relax.tensor<*> -> M
  %d = relax.match_cast %b : !relax.tensor<*> -> I
  %t = relax.tuple %c, %d : (M, I) -> tuple<M, I>
  relax.return %t : tuple<M, I>
}
"""
INTEGER, F = (
    "!relax.tensor<[], i64>",
    "!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>",
)


def build(*passes: str) -> Levels:
    return Levels(PROGRAM, passes=list(passes), I=INTEGER, F=F)


@cache
def program() -> Levels:
    return build()


def number(value: float) -> Any:
    return np.float32(value)


def called(name: str, *args: Any) -> tuple[Any, int]:
    """What a function gives, and how often it calls @log on each level."""
    with logged({"log": lambda x: np.log(x).astype(np.float32)}) as calls:
        found = program()(name, *args)
    assert len(calls) % 2 == 0
    return found, len(calls) // 2


# Graphs --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("size", [0, 1, 7])
def test_a_shared_node_is_computed_once(size: int):
    x = np.arange(1, size + 1, dtype=np.float32)
    found, calls = called("shared", x)
    np.testing.assert_allclose(found, 2 * np.log(x), rtol=1e-6)
    assert calls == 1


def test_one_node_a_line_with_temporary_names():
    lines = [line.strip() for line in str(program().module).splitlines()]
    at = lines.index(next(line for line in lines if line.startswith("%r = relax.graph")))
    assert lines[at + 1].startswith('%0 = relax.call_pure_packed "log"(%x)')
    assert lines[at + 2].startswith("%1 = relax.add %0, %0")


def test_a_deep_dag_is_linear():
    """Forty nodes of which each uses the one before twice: 2^40 paths, forty additions in every form."""
    lines = "\n".join(f"%v{i + 1}x = relax.add %v{i}x, %v{i}x : (S, S) -> S" for i in range(40))
    text = f"relax.func @main(%v0x: S) -> S {{\n%r = relax.graph {{\n{lines}\nrelax.output %v40x : S }}\nrelax.return %r : S }}"
    for form in ("graph", "a", "basic-block"):
        levels = Levels(text, passes=[f"relax-to-{form}-normal-form"])
        assert sum(o.name == "relax.add" for o in levels.module.walk()) == 40
        assert interpret.run(levels.module, "main", number(1)) == 2.0**40
    # the types of its text must not matter: add(x, x) is no path through both operands
    found = wildcard()
    (ret,) = [o for o in levels.module.walk() if o.name == "relax.return"]
    assert is_op("add")(found, found).match(ret.operands[0])


# Modules -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("x", [0, 1, -2.5])
def test_functions_call_each_other(x: float):
    assert program()("muladd_twice", number(x)) == 2 * (x * 1 + 2) + 3


@pytest.mark.slow
@pytest.mark.parametrize("x", [1, 2, 5, 12])
def test_recursion(x: int):
    assert program()("myfunc", number(x)) == x * 0 + 2.0 ** (x - 1)


@pytest.mark.slow
@pytest.mark.parametrize("x", [0, 1, 6, 31])
def test_mutual_recursion(x: int):
    assert program()("is_even", np.int64(x)) == (x % 2 == 0)
    assert program()("is_odd", np.int64(x)) == (x % 2 == 1)


@pytest.mark.slow
def test_a_recursion_without_end_is_an_error():
    """`@myfunc(0)` never meets 1: both levels say so."""
    for run in (
        lambda: interpret.run(program().module, "myfunc", number(0)),
        lambda: program().compiled.myfunc(number(0)),
    ):
        assert "@myfunc" in message(run)


def test_inlining_and_dead_functions():
    """Functions in a module are optimised together."""
    inlined = build("relax-inline-private-functions", "relax-dce")
    names = [f.sym_name.data for f in inlined.module.ops if isinstance(f, FuncOp)]
    assert "muladd" not in names and "myfunc" in names
    assert interpret.run(inlined.module, "muladd_twice", number(4)) == 15


MISTAKES = {
    "relax.func @f(%x: S) -> S { %y = relax.call @g(%x) : (S) -> S\n relax.return %y : S }": "found @g",
    "relax.func @f(%x: S) -> S { %y = relax.call @f(%x, %x) : (S, S) -> S\n relax.return %y : S }": "found 2",
    "relax.func @f(%x: S) -> S { relax.return %x : S }\nrelax.func @f(%x: S) -> S { relax.return %x : S }": "(M2)",
    "relax.func @f(%x: V) -> V { %y = relax.call @g(%x) : (V) -> V\n relax.return %y : V }\n"
    "relax.func @g(%x: !relax.tensor<[n], i64>) -> !relax.tensor<[n], i64> { relax.return %x : !relax.tensor<[n], i64> }": "f32",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_calls_that_do_not_fit(text: str):
    assert MISTAKES[text] in refused(text)


# Lets and scopes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 4])
def test_lets_in_sequence(size: int):
    x = np.linspace(0, 1, size, dtype=np.float32)
    np.testing.assert_allclose(program()("lets", x, x), np.exp(x) + x, rtol=1e-6)


@pytest.mark.slow
def test_both_forms_of_one_program():
    """From the graph to A-normal form and back: the same up to names; each gives what the other does."""
    source = build()
    for name in ("lets", "mixed", "scope_of_a_let", "closure_of_a_let", "myfunc"):
        module = parse(str(source.module))
        lowering.lower(module, ["relax-to-a-normal-form"])
        normal = str(module)
        lowering.lower(module, ["relax-to-graph-normal-form", "relax-to-a-normal-form"])
        assert structural_equal(parse(normal), module), name
    assert "relax.let" not in normal and "relax.graph" not in normal


def test_a_pattern_in_both_forms():
    """`add(log(x), y)` is found in a graph and behind the variables of A-normal form."""
    text = spelled(
        "relax.func @main(%x: V, %y: V) -> V { %r = relax.graph { %a = relax.log %x : (V) -> V\n"
        "%b = relax.add %a, %y : (V, V) -> V\n relax.output %b : V }\n relax.return %r : V }"
    )
    pattern = is_op("add")(is_op("log")(wildcard()), wildcard())
    for passes in ([], ["relax-to-a-normal-form"], ["relax-to-basic-block-normal-form"]):
        module = parse(text)
        lowering.lower(module, passes)
        function = next(iter(module.ops))
        assert pattern.match(function.regions[0].block.last_op.operands[0])


@pytest.mark.parametrize(
    ("name", "taken", "calls"),
    [
        ("scope", True, 1),
        ("scope", False, 0),
        ("scope_of_a_let", True, 1),
        ("scope_of_a_let", False, 1),
    ],
)
def test_where_a_node_is_evaluated(name: str, taken: bool, calls: int):
    """Inside the branch that needs it, unless a let says that it is outside."""
    found, count = called(name, number(2), np.array(taken))
    np.testing.assert_allclose(found, np.log(2) + 2 if taken else 2, rtol=1e-6)
    assert count == calls


@pytest.mark.parametrize(("name", "calls"), [("closure", 2), ("closure_of_a_let", 1)])
def test_where_a_closure_evaluates(name: str, calls: int):
    """At each call, unless a let says that it is outside of the closure."""
    found, count = called(name, number(3), number(1))
    np.testing.assert_allclose(found, 1 + 2 * np.log(3), rtol=1e-6)
    assert count == calls


def test_a_closure_is_returned():
    for functions in (
        interpret.run(program().module, "adder", number(3)),
        program().compiled.adder(number(3)),
    ):
        np.testing.assert_allclose(functions(number(2)), 2 + np.log(3), rtol=1e-6)


@pytest.mark.parametrize("taken", [True, False])
def test_both_styles_mix(taken: bool):
    x = np.float32([0, 1])
    np.testing.assert_allclose(
        program()("mixed", x, np.array(taken)), (1 + taken) * np.exp(x), rtol=1e-6
    )


@pytest.mark.parametrize("shape", [(2, 3), (0, 1), (1, 1)])
def test_polymorphic_functions(shape: tuple[int, int]):
    first, second = program()("polymorphic", np.ones(shape, np.float32), np.int64(4))
    assert first.tolist() == np.full(shape, 2.0).tolist() and second == 8


@pytest.mark.parametrize("size", [0, 1, 6])
def test_recursion_of_any_rank(size: int):
    x = np.arange(size, dtype=np.float32)
    for depth in (0, 1, 4):
        first, second = program()("powers", x, number(3), np.int64(depth))
        assert first.tolist() == (x * 2**depth).tolist() and second == 3 * 2**depth
    np.testing.assert_allclose(program()("muladd_of_all", x), (x + 2) * 2.5 - 3)


def test_closures_in_closures():
    assert program()("curried", number(2)) == 6


def test_the_language_is_differentiable():
    """Through lets, functions, branches and recursion."""
    levels = build()
    for name, x, value, slope in (
        ("muladd_twice", 4, 15, 2),
        ("myfunc", 5, 16, 16),
    ):
        gradient(levels.module, name)
        verify(levels.module, "test")
        found, (derivative,) = interpret.run(levels.module, f"{name}_adjoint", number(x))
        assert (float(found), float(derivative)) == (value, slope)
