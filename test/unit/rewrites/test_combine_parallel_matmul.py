"""relax-combine-parallel-matmul: all of a group at once, never a cycle, linear work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from effort import effort

from relax_dialect import BlockBuilder
from relax_dialect.builder import op
from relax_dialect.dpl import is_op, rewrite, together, wildcard
from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.dce import eliminate_dead_code
from relax_dialect.rewrites.algebra.fold_constant import fold_constants
from relax_dialect.rewrites.matmul.combine_parallel_matmul import combine_parallel_matmuls

from .rewritten import assert_kept, function, names, outcome, special

RANDOM = np.random.default_rng(0)


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype("f")


def three(bb: BlockBuilder, x: Any, q: Any, k: Any, v: Any) -> Any:
    return op.matmul(x, q), op.matmul(x, k), op.matmul(x, v)


def test_a_group_becomes_one_product():
    module = function(three, ["n", 8], [8, 4], [8, 2], [8, "m"])
    arguments = [numbers(3, 8), numbers(8, 4), numbers(8, 2), numbers(8, 5)]
    assert assert_kept(module, combine_parallel_matmuls, *arguments) == 1
    assert names(module).count("matmul") == 1


def test_two_by_the_pattern_language():
    """The pass on two products is one rule with two roots."""
    x, a, b = wildcard(), wildcard(), wildcard()
    pair = together(is_op("matmul")(x, a), is_op("matmul")(x, b))

    def joined(root: Any, m: Any) -> Any:
        width = m[a].shape[1]
        y = op.matmul(m[x], op.concat([m[a], m[b]], axis=1))
        ends = [width, width + m[b].shape[1]]
        return [
            op.strided_slice(y, [1], [0], [ends[0]], assume_inbound=True),
            op.strided_slice(y, [1], [ends[0]], [ends[1]], assume_inbound=True),
        ]

    def make(bb: BlockBuilder, x: Any, q: Any, k: Any) -> Any:
        return op.matmul(x, q), op.matmul(x, k)

    arguments = [numbers(3, 8), numbers(8, 4), numbers(8, 2)]
    by_rule = function(make, ["n", 8], [8, "m"], [8, "p"])
    assert assert_kept(by_rule, lambda m: rewrite(pair, joined, m), *arguments) == 1
    by_pass = function(make, ["n", 8], [8, "m"], [8, "p"])
    combine_parallel_matmuls(by_pass)
    assert sorted(names(by_rule)) == sorted(names(by_pass))
    for left, right in zip(outcome(by_rule, *arguments), outcome(by_pass, *arguments)):
        assert np.array_equal(left, right)


T = "!relax.tensor<[4, 4], f32>"


def test_two_groups_that_would_wait_for_each_other():
    """a2 needs b1 and b2 needs a1: joining both pairs by their input would be a cycle."""
    module = parse(f"""
relax.func @main(%x: {T}, %y: {T}, %w: {T}) -> !relax.object {{
  %o, %p, %q, %r = relax.dataflow {{
    %b2 = relax.matmul %y, %a1 : ({T}, {T}) -> {T}
    %a1 = relax.matmul %x, %w : ({T}, {T}) -> {T}
    %a2 = relax.matmul %x, %b1 : ({T}, {T}) -> {T}
    %b1 = relax.matmul %y, %w : ({T}, {T}) -> {T}
    relax.output %a1, %a2, %b1, %b2 : {T}, {T}, {T}, {T}
  }}
  %t = relax.tuple %o, %p, %q, %r : ({T}, {T}, {T}, {T}) -> tuple<{T}, {T}, {T}, {T}>
  relax.return %t : tuple<{T}, {T}, {T}, {T}>
}}""")
    arguments = [numbers(4, 4) for _ in range(3)]
    assert assert_kept(module, combine_parallel_matmuls, *arguments) == 0
    assert names(module).count("matmul") == 4


def test_one_that_needs_another_of_its_group_stays_out():
    def make(bb: BlockBuilder, x: Any, w: Any, v: Any) -> Any:
        a = bb.emit(op.matmul(x, w))
        return a, op.matmul(x, a), op.matmul(x, v)

    module = function(make, [4, 4], [4, 4], [4, 4])
    assert assert_kept(module, combine_parallel_matmuls, *(numbers(4, 4) for _ in range(3))) == 1
    assert names(module).count("matmul") == 2


def test_a_graph_with_branches_is_left_alone():
    """Only one of the two is ever computed."""
    module = parse(f"""
relax.func @main(%c: !relax.tensor<[], i1>, %x: {T}, %v: {T}, %w: {T}) -> {T} {{
  %y = relax.graph {{
    %a = relax.matmul %x, %v : ({T}, {T}) -> {T}
    %b = relax.matmul %x, %w : ({T}, {T}) -> {T}
    %z = relax.if %c : (!relax.tensor<[], i1>) -> {T} {{
      relax.yield %a : {T}
    }} else {{
      relax.yield %b : {T}
    }}
    relax.output %z : {T}
  }}
  relax.return %y : {T}
}}""")
    before = str(module)
    assert combine_parallel_matmuls(module) == 0
    assert str(module) == before


def test_special_values_stay():
    module = function(three, ["n", 8], [8, 4], [8, 2], [8, 3])
    arguments = [special(RANDOM, 6, 8), numbers(8, 4), numbers(8, 2), numbers(8, 3)]
    assert assert_kept(module, combine_parallel_matmuls, *arguments) == 1


def test_constant_matrices_become_one_constant():
    def make(bb: BlockBuilder, x: Any) -> Any:
        parts = [(numbers(8, 4), numbers(4)), (numbers(8, 2), numbers(2))]
        return tuple(op.matmul(x, bb.emit(w)) + bb.emit(b) for w, b in parts)

    module = function(make, ["n", 8])
    x = numbers(3, 8)

    def apply(module: Any) -> int:
        count = combine_parallel_matmuls(module)
        fold_constants(module)
        eliminate_dead_code(module)
        return count

    assert assert_kept(module, apply, x) == 1
    assert names(module)[:3] == ["matmul", "add", "split"]


@pytest.mark.parametrize("least", [1, 0, -3])
def test_min_branches(least: int):
    module = function(three, ["n", 8], [8, 4], [8, 2], [8, 3])
    assert combine_parallel_matmuls(module, min_branches=4) == 0
    with pytest.raises(RelaxError, match="expected min-branches of at least 2"):
        combine_parallel_matmuls(module, min_branches=least)
    verify(module)


@pytest.mark.long
@pytest.mark.parametrize("wide", [False, True])
def test_work_is_linear(wide: bool):
    def work(length: int) -> int:
        def make(bb: BlockBuilder, x: Any, w: Any) -> Any:
            made = []
            for _ in range(length):
                made = [bb.emit(op.matmul(x, w)), bb.emit(op.matmul(x, w))]
                x = x if wide else bb.emit(op.tanh(made[0] + made[1]))
            return op.tanh(made[0] + made[1])

        module = function(make, ["n", 4], [4, 4])
        return effort(lambda: combine_parallel_matmuls(module))

    work(2)
    assert work(200) < 2.5 * work(100)
