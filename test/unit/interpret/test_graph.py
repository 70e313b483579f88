"""Graphs: what is evaluated, how often, and where a let changes that."""

import numpy as np
import pytest
from optional import amount, shortened

from relax_dialect import parsing
from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import run

from .programs import numbers, packed, parse, run_text, spell


def one(x: np.ndarray) -> np.ndarray:
    """The results of the functions called for their count."""
    return np.asarray(x + 1, x.dtype)


def names(calls: list) -> list[str]:
    return [name for name, *_ in calls]


GRAPH_FORM = """
relax.func @main(%x: S, %k: S) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "first"(%x) : (S) -> S
    %v1 = LET
    %2 = relax.equal %x, %k : (S, S) -> B
    %3 = relax.if %2 : (B) -> S {
      %m = relax.add %v1, %v1 : (S, S) -> S
      relax.yield %m : S
    } else {
      %n = relax.call_pure_packed "second"(%x) : (S) -> S
      relax.yield %n : S
    }
    relax.output %3 : S
  }
  relax.return %r : S
}
"""
LET = "relax.let %1 : (S) -> S"


def graph_form(let: bool) -> str:
    """The program of the documents; without a let, `%v1` stands for `%1` itself."""
    text = GRAPH_FORM.replace("LET", LET)
    return spell(text if let else text.replace(f"%v1 = {LET}", "").replace("%v1", "%1"))


@pytest.mark.parametrize(
    ("let", "taken", "expected"),
    [
        (True, True, ["first"]),
        (True, False, ["first", "second"]),
        (False, True, ["first"]),
        (False, False, ["second"]),
    ],
)
def test_a_let_fixes_the_place_of_evaluation(let: bool, taken: bool, expected: list[str]):
    """Without it, a node that one branch needs is evaluated in this branch."""
    with packed(first=one, second=one) as calls:
        result = run_text(graph_form(let), np.float32(3), np.float32(3 if taken else 4))
    assert names(calls) == expected
    assert result == (8 if taken else 4)


def test_basic_block_normal_form_of_the_document():
    text = spell("""
relax.func @main(%x: S) -> S {
  %c1 = relax.constant dense<1.0> : tensor<f32>
  %c2 = relax.constant dense<2.0> : tensor<f32>
  %r = relax.graph {
    %4 = relax.if %2 : (B) -> S {
      %t = relax.add %3, %3 : (S, S) -> S
      %3 = relax.multiply %v1, %c2 : (S, S) -> S
      relax.yield %t : S
    } else {
      relax.yield %v1 : S
    }
    %2 = relax.equal %x, %c2 : (S, S) -> B
    %v1 = relax.let %1 : (S) -> S
    %1 = relax.add %x, %c1 : (S, S) -> S
    relax.output %4 : S
  }
  relax.return %r : S
}""")
    assert run_text(text, np.float32(2)) == 12
    assert run_text(text, np.float32(5)) == 6


def test_a_value_of_the_condition_and_both_branches_is_evaluated_once():
    text = spell("""
relax.func @main(%x: S, %y: S, %zero: S) -> S {
  %r = relax.graph {
    %0 = relax.call_pure_packed "sum"(%x, %y) : (S, S) -> S
    %1 = relax.less %0, %zero : (S, S) -> B
    %2 = relax.if %1 : (B) -> S {
      %a = relax.multiply %0, %x : (S, S) -> S
      relax.yield %a : S
    } else {
      %b = relax.multiply %0, %y : (S, S) -> S
      relax.yield %b : S
    }
    relax.output %2 : S
  }
  relax.return %r : S
}""")
    with packed(sum=np.add) as calls:
        assert run_text(text, np.float32(-5), np.float32(2), np.float32(0)) == 15
        assert run_text(text, np.float32(5), np.float32(2), np.float32(0)) == 14
    assert names(calls) == ["sum", "sum"]


def test_a_shared_node_is_evaluated_once_and_a_dead_one_never():
    text = spell("""
relax.func @main(%x: S) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "used"(%x) : (S) -> S
    %2 = relax.add %1, %1 : (S, S) -> S
    %3 = relax.call_pure_packed "dead"(%1) : (S) -> S
    %4 = relax.call_pure_packed "let"(%1) : (S) -> S
    %5 = relax.let %4 : (S) -> S
    relax.output %2 : S
  }
  relax.return %r : S
}""")
    with packed(used=one, dead=one, let=one) as calls:
        assert run_text(text, np.float32(2)) == 6
    assert names(calls) == ["used"]


def test_recursion_in_a_branch_ends():
    """The node that calls the function again stands outside of the branch which alone needs it."""
    text = spell("""
relax.func @myfunc(%x: S) -> S {
  %r = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %1 = relax.equal %x, %one : (S, S) -> B
    %2 = relax.subtract %x, %one : (S, S) -> S
    %3 = relax.call @myfunc(%2) : (S) -> S
    %4 = relax.add %3, %3 : (S, S) -> S
    %5 = relax.if %1 : (B) -> S {
      relax.yield %x : S
    } else {
      relax.yield %4 : S
    }
    relax.output %5 : S
  }
  relax.return %r : S
}""")
    assert run_text(text, np.float32(10), entry="myfunc") == 512
    assert run(parse(text), "myfunc", np.float32(3000)) == np.inf


def test_a_node_that_two_nested_branches_need_is_evaluated_before_both():
    """In the region around them, whichever are taken: the least common ancestor of its uses."""
    text = spell("""
relax.func @main(%c: B, %d: B, %x: S) -> S {
  %r = relax.graph {
    %n = relax.call_pure_packed "node"(%x) : (S) -> S
    %1 = relax.if %c : (B) -> S {
      %a = relax.add %n, %x : (S, S) -> S
      relax.yield %a : S
    } else {
      relax.yield %x : S
    }
    %2 = relax.if %d : (B) -> S {
      %b = relax.add %n, %n : (S, S) -> S
      relax.yield %b : S
    } else {
      relax.yield %x : S
    }
    %3 = relax.add %1, %2 : (S, S) -> S
    relax.output %3 : S
  }
  relax.return %r : S
}""")
    for c in (True, False):
        for d in (True, False):
            with packed(node=one) as calls:
                result = run_text(text, np.array(c), np.array(d), np.float32(10))
            assert result == (21 if c else 10) + (22 if d else 10)
            assert len(calls) == 1


CLOSURE = """
relax.func @main(%x: S) -> tuple<S, S> {
  %p, %q = relax.graph {
    %1 = relax.call_pure_packed "captured"(%x) : (S) -> S
    LET
    %f = relax.closure (%y: S) -> S {
      %2 = relax.call_pure_packed "inside"(%y) : (S) -> S
      %3 = relax.add %2, %v1 : (S, S) -> S
      %4 = relax.add %3, %v1 : (S, S) -> S
      relax.return %4 : S
    }
    %a = relax.call_closure %f, %x : (!relax.func<(S) -> S>, S) -> S
    %b = relax.call_closure %f, %a : (!relax.func<(S) -> S>, S) -> S
    relax.output %a, %b : S, S
  }
  %t = relax.tuple %p, %q : (S, S) -> tuple<S, S>
  relax.return %t : tuple<S, S>
}
"""


@pytest.mark.parametrize(("let", "captured"), [(True, 1), (False, 2)])
def test_a_closure_evaluates_at_each_call_what_only_it_needs(let: bool, captured: int):
    text = CLOSURE.replace("LET", f"%v1 = {LET}" if let else "")
    text = spell(text if let else text.replace("%v1", "%1"))
    with packed(captured=one, inside=one) as calls:
        result = run_text(text, np.float32(1))
    assert result == (2 + 2 * 2, 7 + 2 * 2)
    assert sorted(names(calls)) == ["captured"] * captured + ["inside"] * 2


def test_a_node_that_two_closures_need_is_evaluated_outside_of_them():
    """Unless both are used in a third one only: then at each call of this one."""
    text = spell(
        """
relax.func @main(%x: S) -> S {
  %r = relax.graph {
    %n = relax.call_pure_packed "node"(%x) : (S) -> S
    %f = relax.closure (%y: S) -> S {
      %1 = relax.add %y, %n : (S, S) -> S
      relax.return %1 : S
    }
    %g = relax.closure (%y: S) -> S {
      %1 = relax.multiply %y, %n : (S, S) -> S
      relax.return %1 : S
    }
    %h = relax.closure (%y: S) -> S {
      %1 = relax.call_closure %f, %y : (F, S) -> S
      %2 = relax.call_closure %g, %1 : (F, S) -> S
      relax.return %2 : S
    }
    %a = relax.call_closure %h, %x : (F, S) -> S
    %b = relax.call_closure %h, %a : (F, S) -> S
    OTHER
    relax.output %c : S
  }
  relax.return %r : S
}""",
        F="!relax.func<(S) -> S>",
    )
    only = text.replace("OTHER", "").replace("output %c", "output %b")
    other = text.replace("OTHER", spell("%c = relax.add %b, %n : (S, S) -> S"))
    with packed(node=one) as calls:
        assert run_text(only, np.float32(1)) == 16
        assert len(calls) == 2
        assert run_text(other, np.float32(1)) == 18
        assert len(calls) == 3


def test_a_closure_of_a_graph_may_be_called_after_it():
    text = spell("""
relax.func @main(%x: V) -> O {
  %r = relax.graph {
    %e = relax.exp %v : (V) -> V
    %f = relax.closure (%y: V) -> V {
      %1 = relax.add %y, %e : (V, V) -> V
      relax.return %1 : V
    }
    %v = relax.let %x : (V) -> V
    relax.output %f : !relax.func<(V) -> V>
  }
  relax.return %r : !relax.func<(V) -> V>
}""")
    x, y = numbers((3,)), numbers((3,), seed=1)
    add = run_text(text, x)
    np.testing.assert_allclose(add(y), np.exp(x) + y, rtol=1e-6)


def test_casts_are_evaluated_where_they_stand_and_before_what_names_their_variables():
    text = spell(
        """
relax.func @main(%x: U, %y: U) -> O {
  %r = relax.graph {
    %s = relax.shape [m, n]
    %b = relax.match_cast %y : U -> !relax.tensor<[n + m], f32>
    %a = relax.match_cast %x : U -> !relax.tensor<[n], f32>
    %c = relax.match_cast %t : !relax.shape<[2 * n]> -> !relax.shape<[m]>
    %t = relax.shape [2 * n]
    relax.output %s : !relax.shape<[m, n]>
  }
  %q = relax.shape [m * n]
  %p = relax.tuple %r, %q : (!relax.shape<[m, n]>, !relax.shape<[m * n]>) -> W
  relax.return %p : W
}""",
        U="!relax.tensor<[?], f32>",
        W="tuple<!relax.shape<[m, n]>, !relax.shape<[m * n]>>",
    )
    assert run_text(text, numbers((3,)), numbers((9,))) == ((6, 3), (18,))
    with pytest.raises(
        ExecutionError, match=r"match_cast \(%b\): expected size .* = 9 .*, found 8"
    ):
        run_text(text, numbers((3,)), numbers((8,)))


def test_blocks_inside_a_graph_take_what_they_need_from_it():
    text = spell("""
relax.func @main(%c: B, %x: S) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "node"(%x) : (S) -> S
    %2 = relax.if %c : (B) -> S {
      %3 = relax.binding_block {
        %4 = relax.add %1, %1 : (S, S) -> S
        %5 = relax.dataflow {
          %6 = relax.add %4, %1 : (S, S) -> S
          relax.output %6 : S
        }
        relax.output %5 : S
      }
      %7 = relax.graph {
        %8 = relax.add %3, %1 : (S, S) -> S
        relax.output %8 : S
      }
      relax.yield %7 : S
    } else {
      relax.yield %x : S
    }
    relax.output %2 : S
  }
  relax.return %r : S
}""")
    with packed(node=one) as calls:
        assert run_text(text, np.array(True), np.float32(1)) == 8
        assert run_text(text, np.array(False), np.float32(1)) == 1
    assert names(calls) == ["node"]


def test_closures_in_dataflow_blocks_are_free_of_order_too():
    text = spell("""
relax.func @main(%x: S) -> S {
  %r = relax.dataflow {
    %a = relax.call_closure %f, %x : (!relax.func<(S) -> S>, S) -> S
    %f = relax.closure (%y: S) -> S {
      %2 = relax.add %1, %y : (S, S) -> S
      %1 = relax.multiply %y, %n : (S, S) -> S
      relax.return %2 : S
    }
    %n = relax.call_pure_packed "node"(%x) : (S) -> S
    %b = relax.call_closure %f, %a : (!relax.func<(S) -> S>, S) -> S
    relax.output %b : S
  }
  relax.return %r : S
}""")
    with packed(node=one) as calls:
        assert run_text(text, np.float32(2)) == 32
    assert names(calls) == ["node"]  # a value of a dataflow block has its place


STEPS = amount(2_500, 2_000)
BRANCHES = amount(900, 600)
LETS = amount(700, 500)


@pytest.mark.slow
@shortened
def test_a_long_diamond_chain():
    steps = [f"%x{i + 1} = relax.add %x{i}, %x{i} : (S, S) -> S" for i in range(STEPS)]
    for lines in (steps, steps[::-1]):
        text = "\n".join(lines)
        program = f"""relax.func @main(%x0: S, %c: B) -> S {{
  %r = relax.graph {{
    {text}
    %y = relax.if %c : (B) -> S {{
      relax.yield %x{STEPS} : S
    }} else {{
      relax.yield %x1 : S
    }}
    relax.output %y : S
  }}
  relax.return %r : S
}}"""
        module = parsing.parse(spell(program))
        assert run(module, "main", np.float32(0), np.array(True)) == 0
        assert run(module, "main", np.float32(1), np.array(True)) == np.inf
        assert run(module, "main", np.float32(1), np.array(False)) == 2


@pytest.mark.slow
@shortened
def test_a_long_chain_of_branches():
    """Each `if` is needed in a branch of the next one only."""
    steps = "\n".join(
        f"""%x{i + 1} = relax.if %c : (B) -> S {{
  %a{i} = relax.add %x{i}, %y : (S, S) -> S
  relax.yield %a{i} : S
}} else {{
  relax.yield %y : S
}}"""
        for i in range(BRANCHES)
    )
    program = f"""relax.func @main(%c: B, %x0: S, %y: S) -> S {{
  %r = relax.graph {{
    {steps}
    relax.output %x{BRANCHES} : S
  }}
  relax.return %r : S
}}"""
    module = parsing.parse(spell(program))
    assert run(module, "main", np.array(True), np.float32(0), np.float32(1)) == BRANCHES
    assert run(module, "main", np.array(False), np.float32(0), np.float32(1)) == 1


@shortened
def test_many_lets():
    steps = "\n".join(
        f"%a{i} = relax.add %x{i}, %x0 : (S, S) -> S\n%x{i + 1} = relax.let %a{i} : (S) -> S"
        for i in range(LETS)
    )
    program = f"""relax.func @main(%x0: S) -> S {{
  %r = relax.graph {{
    {steps}
    relax.output %x{LETS} : S
  }}
  relax.return %r : S
}}"""
    assert run(parsing.parse(spell(program)), "main", np.float32(1)) == LETS + 1


def test_errors_name_the_node_and_the_function():
    text = spell("""
relax.func @main(%c: B) -> S {
  %r = relax.graph {
    %n = relax.call_pure_packed "not registered"() : () -> S
    %i = relax.if %c : (B) -> S {
      relax.yield %n : S
    } else {
      relax.yield %n : S
    }
    relax.output %i : S
  }
  relax.return %r : S
}""")
    with pytest.raises(
        ExecutionError, match=r"^@main: relax\.call_pure_packed \(%n\): expected the name of"
    ):
        run_text(text, np.array(True))
