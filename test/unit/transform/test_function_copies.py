"""Functions that pass function values through them several times get a copy for each place."""

from __future__ import annotations

import numpy as np
import pytest
from optional import UNOPTIMISED

import lowering
from relax_dialect.interpret import run
from relax_dialect.ops.control import MakeClosureOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.calls.defunctionalize import defunctionalize
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift
from relax_dialect.transform.function_values.function_copies import MAX_COPIES
from relax_dialect.transform.regions import functions

S = "!relax.tensor<[], f32>"
F = f"!relax.func<({S}) -> {S}>"

COMPOSE = f"""
relax.func private @compose(%f: {F}, %g: {F}) -> {F} {{
  %h = relax.closure (%y: {S}) -> {S} {{
    %1 = relax.call_closure %g, %y : ({F}, {S}) -> {S}
    %2 = relax.call_closure %f, %1 : ({F}, {S}) -> {S}
    relax.return %2 : {S}
  }}
  relax.return %h : {F}
}}"""

CLOSURES = f"""
  %double = relax.closure (%y: {S}) -> {S} {{
    %1 = relax.add %y, %y : ({S}, {S}) -> {S}
    relax.return %1 : {S}
  }}
  %plus = relax.closure (%y: {S}) -> {S} {{
    %1 = relax.add %y, %x : ({S}, {S}) -> {S}
    relax.return %1 : {S}
  }}"""


def main(body: str, function: str) -> str:
    return f"""
relax.func @main(%x: {S}) -> {S} {{{CLOSURES}{body}
  %r = relax.call_closure {function}, %x : ({F}, {S}) -> {S}
  relax.return %r : {S}
}}"""


def composed(names: list[str]) -> str:
    """main(x) applies closures to x, the last one first: compose(a, compose(b, compose(c, d)))."""
    *before, value = names
    lines: list[str] = []
    for i, name in enumerate(reversed(before)):
        lines.append(f"  %h{i} = relax.call @compose({name}, {value}) : ({F}, {F}) -> {F}")
        value = f"%h{i}"
    return COMPOSE + main("\n" + "\n".join(lines), value)


@pytest.mark.parametrize("count", [3, 4, 10])
def test_compositions_of_compositions_compile(count: int):
    names = ["%double" if i % 3 == 0 else "%plus" for i in range(count)]
    expected = x = 1.5
    for name in reversed(names):
        expected = expected * 2 if name == "%double" else expected + x
    module, argument = parse(composed(names)), np.array(x, np.float32)
    assert run(module, "main", argument) == expected
    assert lowering.compile(module, extra_flags=UNOPTIMISED).main(argument) == expected
    lambda_lift(module)
    defunctionalize(module)
    verify(module)
    assert run(module, "main", argument) == expected
    assert len(functions(module)) == 3 + 2 * (count - 1)
    assert [f.sym_name.data for f in functions(module) if not f.is_private] == ["main"]


def repeated(levels: int) -> str:
    """Each level calls the one below twice, so that `2 ** levels` places compose."""
    text = (
        COMPOSE
        + f"""
relax.func private @level0(%f: {F}) -> {F} {{
  %h = relax.call @compose(%f, %f) : ({F}, {F}) -> {F}
  relax.return %h : {F}
}}"""
    )
    for i in range(1, levels + 1):
        text += f"""
relax.func private @level{i}(%f: {F}) -> {F} {{
  %g = relax.call @level{i - 1}(%f) : ({F}) -> {F}
  %h = relax.call @level{i - 1}(%g) : ({F}) -> {F}
  relax.return %h : {F}
}}"""
    return text + main(f"\n  %h = relax.call @level{levels}(%plus) : ({F}) -> {F}", "%h")


def test_places_are_told_apart_through_functions_between_them():
    module = parse(repeated(2))
    assert run(module, "main", np.array(1, np.float32)) == 1 + 2**4
    assert (
        lowering.compile(module, extra_flags=UNOPTIMISED).main(np.array(1, np.float32)) == 1 + 2**4
    )


def test_copies_are_limited():
    """They would double at each level: function values are handles before that takes long."""
    module = parse(repeated(12))
    assert MAX_COPIES < 2**12
    lambda_lift(module)
    defunctionalize(module)
    verify(module)
    assert len(module.body.block.ops) < MAX_COPIES + 40
    assert any(isinstance(op, MakeClosureOp) for op in module.walk())
