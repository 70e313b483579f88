"""The driver of local rewrites: each op once, locations, errors without the module."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from xdsl.dialects import arith
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from relax_dialect import parse
from relax_dialect.errors import RelaxError
from relax_dialect.transform.pattern_driver import apply_patterns, replace

PROGRAM = """
func.func @f(%x: i32, %c: i1) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = scf.if %c -> (i32) {
    %d = arith.addi %a, %x : i32
    scf.yield %d : i32
  } else {
    scf.yield %a : i32
  }
  %dead = arith.subi %x, %b : i32
  return %b : i32
}
"""


class TwiceToProduct(RewritePattern):
    """`x + y` -> `x * y + y`, which matches again."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddiOp, rewriter: PatternRewriter) -> None:
        product = arith.MuliOp(op.lhs, op.rhs)
        total = arith.AddiOp(product, op.rhs)
        replace(rewriter, op, [product, total], [total.result])


@dataclass
class Visited(RewritePattern):
    """Notes the ops that it is asked about."""

    names: list[str] = field(default_factory=list[str])

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.names.append(op.name.partition(".")[2])


class Refused(RewritePattern):
    """Finds a mistake in every subtraction."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SubiOp, rewriter: PatternRewriter) -> None:
        raise RelaxError("expected none")


def test_each_op_is_visited_once_and_dead_ones_stay():
    module = parse(PROGRAM)
    assert apply_patterns(module, [TwiceToProduct()])
    module.verify()
    assert [op.name for op in module.walk()].count("arith.addi") == 2
    assert [op.name for op in module.walk()].count("arith.muli") == 2
    assert "%dead = arith.subi" in str(module)


def test_new_ops_have_the_location_and_the_name_of_the_old_one():
    module = parse(PROGRAM, "f.mlir")
    before = [op.location for op in module.walk() if isinstance(op, arith.AddiOp)]
    apply_patterns(module, [TwiceToProduct()])
    for kind in (arith.MuliOp, arith.AddiOp):
        assert [op.location for op in module.walk() if isinstance(op, kind)] == before
    assert [op.result.name_hint for op in module.walk() if isinstance(op, arith.AddiOp)] == [
        "a",
        "d",
    ]
    assert all(op.result.name_hint is None for op in module.walk() if isinstance(op, arith.MuliOp))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["func", "addi", "if", "addi", "yield", "yield", "subi", "return"]),
        ({"inner_first": True}, ["addi", "addi", "yield", "yield", "if", "subi", "return", "func"]),
        ({"last_first": True}, ["func", "return", "subi", "if", "yield", "yield", "addi", "addi"]),
    ],
)
def test_orders(options: dict[str, bool], expected: list[str]):
    visited = Visited()
    apply_patterns(parse(PROGRAM), [visited], **options)
    assert visited.names == expected


def test_errors_do_not_carry_the_module():
    with pytest.raises(RelaxError, match=r"^expected none$") as error:
        apply_patterns(parse(PROGRAM), [Refused()])
    assert not getattr(error.value, "__notes__", [])
