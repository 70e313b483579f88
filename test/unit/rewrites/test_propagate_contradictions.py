"""relax-propagate-shapes where checks contradict each other: that is for the run to tell."""

from __future__ import annotations

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect.errors import RelaxError
from relax_dialect.interpret import run
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.shapes.propagate_shapes import propagate_shapes

N, FOUR, FIVE, ANY = (f"!relax.tensor<[{size}], f32>" for size in ("n", 4, 5, "?"))
BOOL = "!relax.tensor<[], i1>"


def cast(result: str, value: str, source: str, target: str) -> str:
    return f"%{result} = relax.match_cast %{value} : {source} -> {target}"


def add(result: str, a: str, b: str, result_type: str, a_type: str = N, b_type: str = N) -> str:
    return f"%{result} = relax.add %{a}, %{b} : ({a_type}, {b_type}) -> {result_type}"


BRANCHES = {
    "of the same value": (cast("b", "x", N, FIVE), "b", FIVE),
    "of a value that is narrower by now": (cast("b", "e", N, FIVE), "b", FIVE),
    "by an operator": (
        "\n".join((cast("u", "y", "!relax.tensor<[m], f32>", FIVE),
                   add("b", "x", "y", ANY, N, "!relax.tensor<[m], f32>"))), "b", ANY,
    ),
    "in a block": (
        f"""%b = relax.dataflow {{
          {cast("i", "x", N, FIVE)}
          {add("j", "i", "e", ANY, FIVE, N)}
          relax.output %j : {ANY}
        }}""", "b", ANY,
    ),
    "before others": (
        "\n".join((cast("b", "x", N, FIVE), cast("k", "b", FIVE, "!relax.tensor<[p], f32>"),
                   add("l", "k", "e", ANY, "!relax.tensor<[p], f32>", N))), "l", ANY,
    ),
}  # fmt: skip


def program(branch: str, value: str, type: str) -> str:
    """A function that is told n = 4, and has a branch that is told otherwise."""
    return f"""
relax.func @main(%c: {BOOL}, %x: {N}, %y: !relax.tensor<[m], f32>) -> {ANY} {{
  {cast("a", "x", N, FOUR)}
  {add("e", "x", "x", N)}
  {cast("w", "a", FOUR, ANY)}
  %r = relax.if %c : ({BOOL}) -> {ANY} {{
    {branch}
    relax.yield %{value} : {type}
  }} else {{
    {add("s", "e", "x", N)}
    relax.yield %s : {N}
  }}
  relax.return %r : {ANY}
}}"""


@pytest.mark.parametrize("case", BRANCHES)
def test_a_branch_is_left_alone(case: str):
    """The branch that contradicts stays as it was written, and fails where it is taken, as before."""
    before = parse(program(*BRANCHES[case]))
    after = before.clone()
    propagate_shapes(after)
    verify(after)
    assert f"%s = relax.add %e, %a : ({FOUR}, {FOUR}) -> {FOUR}" in str(after)
    x = np.arange(4, dtype=np.float32)
    y = np.ones(5, np.float32)
    for module in (before, after):
        for function in (
            lambda *a, m=module: run(m, "main", *a),
            lowering.compile(module, extra_flags=UNOPTIMISED).main,
        ):
            np.testing.assert_array_equal(function(np.array(False), x, y), 3 * x)
            with pytest.raises(RelaxError):
                function(np.array(True), x, y)


def test_a_proved_check_that_such_a_branch_uses():
    """It stays where its type keeps the branch valid."""
    module = parse(program(cast("b", "w", ANY, FIVE), "b", FIVE))
    propagate_shapes(module)
    verify(module)
    assert cast("w", "a", FOUR, ANY) in str(module)
    with pytest.raises(RelaxError, match="expected size 5 in dimension 0, found 4"):
        run(module, "main", np.array(True), *[np.zeros(4, np.float32)] * 2)


def test_both_branches_and_what_comes_after():
    """Nothing runs after branches that both fail."""
    text = program(cast("b", "e", N, FIVE), "b", FIVE)
    text = text.replace(add("s", "e", "x", N), cast("s", "e", N, FIVE))
    module = parse(
        text.replace(f"%s : {N}", f"%s : {FIVE}")
        .replace(ANY, FIVE)
        .replace(f"a : {FOUR} -> {FIVE}", f"a : {FOUR} -> {ANY}")
    )
    propagate_shapes(module)
    verify(module)
    assert str(module).count(f"-> {FIVE}") == 4


def test_a_node_of_a_graph():
    """A graph in whose branch sizes contradict is left alone as a whole: its nodes have no order."""
    module = parse(f"""
relax.func @main(%c: {BOOL}, %x: {N}, %y: !relax.tensor<[m], f32>) -> !relax.object {{
  {cast("a", "x", N, FOUR)}
  %g = relax.graph {{
    {cast("q", "y", "!relax.tensor<[m], f32>", "!relax.tensor<[p], f32>")}
    {cast("h", "y", "!relax.tensor<[m], f32>", FIVE)}
    %r = relax.if %c : ({BOOL}) -> {ANY} {{
      {cast("b", "x", N, FIVE)}
      relax.yield %b : {FIVE}
    }} else {{
      {add("s", "x", "x", N)}
      relax.yield %s : {N}
    }}
    relax.output %r : {ANY}
  }}
  {add("t", "x", "x", N)}
  %u = relax.tuple %g, %t : ({ANY}, {N}) -> tuple<{ANY}, {N}>
  relax.return %u : tuple<{ANY}, {N}>
}}""")
    graph = str(module)[str(module).index("%g = ") : str(module).index("%t = ")]
    propagate_shapes(module)
    verify(module)
    assert graph in str(module)
    assert f"%t = relax.add %a, %a : ({FOUR}, {FOUR}) -> {FOUR}" in str(module)


@pytest.mark.long
def test_many_branches_are_linear():
    """400 branches, each of which contradicts."""
    count = 400
    branches = "\n".join(
        f"""%r{i} = relax.if %c : ({BOOL}) -> {ANY} {{
          {cast("b", "x", N, FIVE)}
          relax.yield %b : {FIVE}
        }} else {{
          relax.yield %x : {N}
        }}"""
        for i in range(count)
    )
    module = parse(
        f"relax.func @main(%c: {BOOL}, %x: {N}) -> !relax.object {{ {cast('a', 'x', N, FOUR)}\n{branches}\n"
        f"relax.return %r{count - 1} : {ANY} }}"
    )
    propagate_shapes(module)
    verify(module)
    assert str(module).count(f"= relax.match_cast %x : {N} -> {FIVE}") == count
    assert str(module).count(f"relax.yield %a : {FOUR}") == count
