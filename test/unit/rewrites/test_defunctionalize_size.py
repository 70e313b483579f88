"""relax-defunctionalize on many functions at one call, and on closures that capture each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from effort import effort
from optional import LONG, UNOPTIMISED, needs
from xdsl.dialects.builtin import ModuleOp

import lowering
from relax_dialect.interpret import run
from relax_dialect.parsing import parse
from relax_dialect.rewrites.calls.defunctionalize import defunctionalize
from relax_dialect.rewrites.calls.lambda_lift import lambda_lift
from relax_dialect.transform.regions import functions

from .structure import depth_of, ops_of

S = "!relax.tensor<[], f32>"
B = "!relax.tensor<[], i1>"
F = f"!relax.func<({S}) -> {S}>"

CALL = f"""
relax.func private @apply(%f: {F}, %x: {S}) -> {S} {{
  %r = relax.call_closure %f, %x : ({F}, {S}) -> {S}
  relax.return %r : {S}
}}"""


def closure(number: int, body: str) -> str:
    """A closure %f0, %f1, ... that adds its argument, or what `body` makes of it, to %x."""
    taken = f"%c{number}" if body else f"%a{number}"
    return f"""
  %f{number} = relax.closure (%a{number}: {S}) -> {S} {{
    {body}
    %s{number} = relax.add {taken}, %x : ({S}, {S}) -> {S}
    relax.return %s{number} : {S}
  }}"""


def main(lines: list[str], result: str) -> str:
    body = "\n".join(lines)
    return f"relax.func @main(%x: {S}) -> {S} {{{body}\n  relax.return {result} : {S}\n}}"


def passed(count: int) -> str:
    """Each of some closures is passed to one function, which calls it."""
    lines: list[str] = []
    value = "%x"
    for i in range(count):
        lines.append(closure(i, ""))
        lines.append(f"  %r{i} = relax.call @apply(%f{i}, {value}) : ({F}, {S}) -> {S}")
        value = f"%r{i}"
    return CALL + main(lines, value)


def chosen(count: int) -> str:
    """Branches in a row choose the one of some closures that is called."""
    lines = [f"  %c = relax.less %x, %x : ({S}, {S}) -> {B}", closure(0, "")]
    value = "%f0"
    for i in range(1, count):
        lines.append(closure(i, ""))
        lines.append(
            f"  %g{i} = relax.if %c : ({B}) -> {F} {{\n    relax.yield %f{i} : {F}\n"
            f"  }} else {{\n    relax.yield {value} : {F}\n  }}"
        )
        value = f"%g{i}"
    lines.append(f"  %r = relax.call_closure {value}, %x : ({F}, {S}) -> {S}")
    return main(lines, "%r")


def chained(count: int) -> str:
    """Each closure captures the one before, and calls it."""
    lines = [closure(0, "")]
    for i in range(1, count):
        call = f"%c{i} = relax.call_closure %f{i - 1}, %a{i} : ({F}, {S}) -> {S}"
        lines.append(closure(i, call))
    lines.append(f"  %r = relax.call_closure %f{count - 1}, %x : ({F}, {S}) -> {S}")
    return main(lines, "%r")


Shape: TypeAlias = Callable[[int], str]

SHAPES: list[Shape] = [passed, chosen, chained]


def expected(shape: Shape, count: int) -> int:
    """The result of @main for one."""
    return 2 if shape is chosen else count + 1


def without_functions(text: str) -> ModuleOp:
    module = parse(text)
    lambda_lift(module)
    defunctionalize(module)
    return module


ONE = np.array(1, np.float32)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [2, 3, 7])
def test_few_closures_keep_their_meaning_in_c(shape: Shape, count: int):
    result = expected(shape, count)
    module = parse(shape(count))
    assert run(module, "main", ONE) == result
    assert lowering.compile(module, extra_flags=UNOPTIMISED).main(ONE) == result
    assert run(without_functions(shape(count)), "main", ONE) == result


def test_captures_of_one_type_share_a_place():
    """A value is one function at a time: the captures of three scalars need one field, not three."""
    function = next(
        f for f in functions(without_functions(passed(3))) if f.sym_name.data == "apply"
    )
    held = function.function_type.inputs.data[0]
    assert str(held) == f"tuple<!relax.tensor<[], i64>, tuple<{S}>>"


@pytest.mark.slow
@pytest.mark.parametrize("shape", [passed, chosen])
def test_many_targets_take_ops_in_proportion_and_branches_of_logarithmic_depth(shape: Shape):
    def size(count: int) -> tuple[int, int]:
        ops = ops_of(without_functions(shape(count)))
        return len(ops), sum(len(op.operands) for op in ops)

    small, large = size(40), size(80)
    assert all(b < 2.1 * a for a, b in zip(small, large))
    count = 80
    module = without_functions(shape(count))
    assert max(map(depth_of, functions(module))) <= 2 + count.bit_length()
    assert run(module, "main", ONE) == expected(shape, count)


@pytest.mark.long
@pytest.mark.parametrize("shape", [passed, chosen])
def test_cost_of_many_targets_is_linear(shape: Shape):
    """Four times the targets take less than eight times the work, far from the sixteen of a square."""

    def work(count: int) -> int:
        module = parse(shape(count))
        lambda_lift(module)
        return effort(lambda: defunctionalize(module))

    assert work(100) < 8 * work(25)


@needs(LONG)
def test_closures_that_capture_each_other_150_deep_become_loops():
    """Tuple types as deep as that pass every step under the limit of recursion that Python starts with."""
    module = parse(chained(150))
    assert run(module, "main", ONE) == 151
    lowered = lowering.lower(module)
    assert not [op.name for op in lowered.walk() if op.name.startswith("relax.")]
    assert run(lowered, "main", ONE) == 151
