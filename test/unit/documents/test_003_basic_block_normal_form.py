"""Document 003, Basic Block Normal Form: its three forms, its examples and the cases of its discussion."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from levels import Levels, logged, message, refused, spelled
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect.dpl import is_op, wildcard
from relax_dialect.parsing import parse
from relax_dialect.structural import structural_equal

GRAPH, NORMAL, BLOCKS = (f"relax-to-{form}-normal-form" for form in ("graph", "a", "basic-block"))
CHECK = "relax-check-basic-block-normal-form"

PROGRAM = """
// graph form and A-normal form of one program
relax.func @GraphF(%x: V, %y: V) -> V {
  %r = relax.graph {
    %1 = relax.multiply %x, %x : (V, V) -> V
    %2 = relax.add %1, %y : (V, V) -> V
    relax.output %2 : V
  }
  relax.return %r : V
}
relax.func @ANormalF(%x: V, %y: V) -> V {
  %v1 = relax.multiply %x, %x : (V, V) -> V
  %v2 = relax.add %v1, %y : (V, V) -> V
  relax.return %v2 : V
}
// where is %1 evaluated?
relax.func @Scopes(%x: S) -> S {
  %r = relax.graph {
    %1 = relax.call_pure_packed "add_one"(%x) : (S) -> S
    %2 = relax.equal %x, 2 : (S) -> B
    %i = relax.if %2 : (B) -> S {
      %m = relax.multiply %1, 2 : (S) -> S
      relax.yield %m : S
    } else {
      relax.yield %1 : S
    }
    relax.output %i : S
  }
  relax.return %r : S
}
// block normal form
relax.func @BBlockNF(%x: S) -> S {
  %r = relax.graph {
    %a = relax.add %x, 1 : (S) -> S
    %v1 = relax.let %a : (S) -> S
    %2 = relax.equal %x, 2 : (S) -> B
    %i = relax.if %2 : (B) -> S {
      %3 = relax.multiply %v1, 2 : (S) -> S
      %4 = relax.add %3, %3 : (S, S) -> S
      relax.yield %4 : S
    } else {
      relax.yield %v1 : S
    }
    relax.output %i : S
  }
  relax.return %r : S
}
// the discussion: a let that is not needed
relax.func @Fn(%x: S) -> S {
  %r = relax.graph {
    %a = relax.add %x, 1 : (S) -> S
    %v1 = relax.let %a : (S) -> S
    %b = relax.equal %x, 2 : (S) -> B
    %v2 = relax.let %b : (B) -> B
    %i = relax.if %v2 : (B) -> S {
      %3 = relax.multiply %v1, 2 : (S) -> S
      %4 = relax.add %3, %3 : (S, S) -> S
      relax.yield %4 : S
    } else {
      relax.yield %v1 : S
    }
    relax.output %i : S
  }
  relax.return %r : S
}
// the discussion: %0 is used by the condition and in both branches; and in both branches alone
relax.func @condition(%x: N, %y: N) -> N {
  %r = relax.graph {
    %0 = relax.add %x, %y : (N, N) -> N
    %1 = relax.less %0, 0 : (N) -> B
    %i = relax.if %1 : (B) -> N {
      %2 = relax.multiply %0, %x : (N, N) -> N
      relax.yield %2 : N
    } else {
      %3 = relax.multiply %0, %y : (N, N) -> N
      relax.yield %3 : N
    }
    relax.output %i : N
  }
  relax.return %r : N
}
relax.func @branches(%x: N, %y: N) -> N {
  %r = relax.graph {
    %0 = relax.add %x, %y : (N, N) -> N
    %1 = relax.less %x, 0 : (N) -> B
    %i = relax.if %1 : (B) -> N {
      %2 = relax.multiply %0, %x : (N, N) -> N
      relax.yield %2 : N
    } else {
      %3 = relax.multiply %0, %y : (N, N) -> N
      relax.yield %3 : N
    }
    relax.output %i : N
  }
  relax.return %r : N
}
// constants that several blocks use count as variables
relax.func @constants(%x: S) -> S {
  %r = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %c = relax.less %x, %one : (S, S) -> B
    %i = relax.if %c : (B) -> S {
      %2 = relax.add %x, %one : (S, S) -> S
      relax.yield %2 : S
    } else {
      %3 = relax.subtract %x, %one : (S, S) -> S
      relax.yield %3 : S
    }
    relax.output %i : S
  }
  relax.return %r : S
}
// the same expression in both branches
relax.func @common(%x: V, %c: B) -> V {
  %r = relax.graph {
    %i = relax.if %c : (B) -> V {
      %a = relax.exp %x : (V) -> V
      %b = relax.exp %x : (V) -> V
      %s = relax.add %a, %b : (V, V) -> V
      relax.yield %s : V
    } else {
      %d = relax.exp %x : (V) -> V
      relax.yield %d : V
    }
    relax.output %i : V
  }
  relax.return %r : V
}
// effects are in blocks of their own, in their order
relax.func @effects(%x: S) -> S {
  %1 = relax.call_packed "load"(%x) : (S) -> S
  %2 = relax.add %1, 2 : (S) -> S
  %u = relax.call_packed "store"(%2) : (S) -> S
  %3 = relax.add %1, %1 : (S, S) -> S
  relax.return %3 : S
}
// nested scopes
relax.func @nested(%x: S, %c: B, %d: B) -> S {
  %r = relax.graph {
    %a = relax.call_pure_packed "add_one"(%x) : (S) -> S
    %i = relax.if %c : (B) -> S {
      %j = relax.if %d : (B) -> S {
        %p = relax.add %a, %a : (S, S) -> S
        relax.yield %p : S
      } else {
        relax.yield %a : S
      }
      relax.yield %j : S
    } else {
      relax.yield %x : S
    }
    relax.output %i : S
  }
  relax.return %r : S
}
"""
N = "!relax.tensor<[], i32>"
FORMS = {"as written": [], "graph": [GRAPH], "A-normal": [NORMAL], "blocks": [BLOCKS],
         "there and back": [NORMAL, GRAPH, BLOCKS]}  # fmt: skip


def source() -> ModuleOp:
    return parse(spelled(PROGRAM, N=N))


@cache
def levels(form: str) -> Levels:
    return Levels(PROGRAM, passes=FORMS[form], N=N)


def only(name: str, *passes: str) -> ModuleOp:
    """One function of the program, after passes."""
    module = source()
    for function in list(module.ops):
        if function.properties["sym_name"].data != name:  # pyright: ignore
            function.detach()
    lowering.lower(module, list(passes))
    return module


def lines(module: ModuleOp) -> list[str]:
    return [line.strip() for line in str(module).splitlines()]


def run(form: str, name: str, *args: Any) -> tuple[Any, list[str]]:
    """What a function gives in a form, and the calls that it makes on each level."""
    functions = {
        "add_one": lambda x: x + np.float32(1),
        "load": lambda x: x,
        "store": lambda x: x,
    }
    with logged(functions) as calls:
        found = levels(form)(name, *args)
    half = len(calls) // 2
    assert calls[:half] == calls[half:]
    return found, calls[:half]


# Meaning -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_mean_the_same(form: str):
    for size in (0, 1, 5):
        x, y = np.arange(size, dtype=np.float32), np.ones(size, np.float32)
        for name in ("GraphF", "ANormalF"):
            np.testing.assert_array_equal(run(form, name, x, y)[0], x * x + y)
        for taken in (True, False):
            found, _ = run(form, "common", x, np.array(taken))
            np.testing.assert_allclose(found, (1 + taken) * np.exp(x), rtol=1e-6)
    for x in (2, 3):
        value = np.float32(x)
        assert run(form, "Scopes", value) == ((x + 1) * (2 if x == 2 else 1), ["add_one"])
        for name in ("BBlockNF", "Fn"):
            assert run(form, name, value)[0] == (x + 1) * (4 if x == 2 else 1)
        assert run(form, "constants", np.float32(x - 2))[0] == (1 if x == 2 else 0)
    for x, y in ((1, 2), (-5, 2), (5, -7)):
        a, b = np.int32(x), np.int32(y)
        assert run(form, "condition", a, b)[0] == (x + y) * (x if x + y < 0 else y)
        assert run(form, "branches", a, b)[0] == (x + y) * (x if x < 0 else y)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_effects_keep_their_order(form: str):
    """`load` before `store`, and `%3` of what was loaded before, in every form."""
    assert run(form, "effects", np.float32(4)) == (8, ["load", "store"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("c", "d", "calls"), [(1, 1, 1), (1, 0, 1), (0, 1, 0)])
def test_nodes_sink_as_far_as_all_uses(form: str, c: int, d: int, calls: int):
    """A node that the inner `if` uses in both branches is evaluated before that, inside the outer one."""
    found, called = run(form, "nested", np.float32(1), np.bool_(c), np.bool_(d))
    assert found == (1 if not c else 4 if d else 2)
    assert called == ["add_one"] * calls


# Patterns ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["GraphF", "ANormalF"])
@pytest.mark.parametrize("form", FORMS)
def test_ease_of_pattern_matching(name: str, form: str):
    """`add(?, mul(?, ?))` is found in every form, seen through variables."""
    (function,) = only(name, *FORMS[form]).ops
    result = function.regions[0].block.last_op.operands[0]
    assert is_op("add")(wildcard(), is_op("multiply")(wildcard(), wildcard())).match(result)


def test_the_two_forms_are_one_program():
    graph, normal = only("GraphF", NORMAL), only("ANormalF")
    (one,), (other,) = graph.ops, normal.ops
    assert structural_equal(one, other)


# The form and its checker --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("GraphF", None),
        ("ANormalF", None),
        ("BBlockNF", None),
        ("constants", None),
        ("common", None),
        ("effects", None),
        ("Scopes", "D2"),
        ("condition", "D2"),
        ("branches", "D2"),
        ("nested", "D2"),
    ],
)
def test_the_checker(name: str, rule: str | None):
    """What the document says of its programs; after the conversion all are in the form."""
    if rule is None:
        only(name, CHECK)
    else:
        assert f"({rule})" in message(lambda: only(name, CHECK))
    only(name, BLOCKS, CHECK)


def test_the_form_itself_stays():
    """The example is in the form already: nothing changes, names are kept."""
    assert lines(only("BBlockNF", BLOCKS)) == [
        line.replace("%r =", "%i =").replace("%i = relax.if", "%i_1 = relax.if").replace(
            "relax.output %i", "relax.output %i_1"
        ).replace("relax.return %r", "relax.return %i")
        for line in lines(only("BBlockNF"))
    ]  # fmt: skip


def test_needless_lets_go():
    """The let of the condition is removed, that of the value that the branches use stays."""
    converted = only("Fn", BLOCKS)
    text = str(converted)
    assert text.count("relax.let") == 1 and "%v1 = relax.let %a" in text
    (one,), (other,) = converted.ops, only("BBlockNF", BLOCKS).ops
    assert structural_equal(one.regions[0].block, other.regions[0].block)


@pytest.mark.parametrize("name", ["Scopes", "condition", "branches", "nested"])
def test_values_of_several_blocks_get_a_let(name: str):
    """And a constant gets none; names of the values are those of before."""
    text = str(only(name, BLOCKS))
    assert text.count("relax.let") == 1
    assert "relax.let" not in str(only("constants", BLOCKS))


NAMES = """
relax.func @f(%x: S, %c: B) -> S {
  %first = relax.add %x, 1 : (S) -> S
  %second = relax.multiply %first, %x : (S, S) -> S
  %picked = relax.if %c : (B) -> S {
    %inner = relax.add %second, %first : (S, S) -> S
    relax.yield %inner : S
  } else {
    relax.yield %first : S
  }
  relax.return %picked : S
}
"""


@pytest.mark.parametrize("passes", [[BLOCKS], [GRAPH, BLOCKS], [GRAPH, BLOCKS, NORMAL], [NORMAL]])
def test_conversions_keep_names(passes: list[str]):
    module = parse(spelled(NAMES))
    lowering.lower(module, passes)
    hints = {r.name_hint for o in module.walk() for r in o.results if o.name != "relax.constant"}
    assert hints == {"first", "second", "inner", "picked"}


@pytest.mark.parametrize(
    "name", ["GraphF", "ANormalF", "Scopes", "BBlockNF", "Fn", "condition", "nested", "common"]
)
def test_the_law_of_conversions(name: str):
    """From block form over A-normal form and graph form back, the program is the same."""
    before = only(name, BLOCKS)
    after = only(name, BLOCKS, NORMAL, GRAPH, BLOCKS)
    assert all(map(structural_equal, before.ops, after.ops))


def test_passes_of_blocks_stay_in_their_block():
    """Common subexpressions of one branch are one, those of two branches stay two."""
    text = str(only("common", BLOCKS, "relax-cse", CHECK))
    assert text.count("relax.exp") == 2


def test_the_pipeline_of_the_summary():
    """model -> block form -> optimizations -> block form -> A-normal form -> lowering."""
    module = source()
    lowering.lower(module, ["relax-lower-through-normal-forms"])
    names = {o.name for o in module.walk()}
    assert not any(name in names for name in ("relax.graph", "relax.let", "relax.add"))


ILL_FORMED = """
relax.func @f(%x: S) -> S {
  %r = relax.graph {
    %1 = relax.call_packed "load"(%x) : (S) -> S
    %2 = relax.add %1, 2 : (S) -> S
    %u = relax.call_packed "store"(%2) : (S) -> S
    %3 = relax.add %1, %1 : (S, S) -> S
    relax.output %3 : S
  }
  relax.return %r : S
}
"""


def test_a_graph_with_effects_is_ill_formed():
    assert "(E1)" in refused(ILL_FORMED)
    ordered = ILL_FORMED.replace("relax.graph", "relax.binding_block")
    with logged({"load": lambda x: x, "store": lambda x: x}) as calls:
        assert Levels(ordered)("f", np.float32(3)) == 6
    assert calls == ["load", "store"] * 2
