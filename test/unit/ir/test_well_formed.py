"""The rules of function bodies, on modules that no text gives: built or changed from Python."""

from __future__ import annotations

import sys

import pytest
from xdsl.ir import Block, Region

from relax_dialect.ir.order import CycleError, topological_order
from relax_dialect.ir.purity import is_pure_function
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.well_formed import IllFormedFunctionError
from relax_dialect.ops import blocks, core, unary
from relax_dialect.parsing import parse, parse_unverified

T = TensorType(["n"], "f32")


def function(*ops, arg_type=T):
    block = Block(arg_types=[arg_type])
    return block, core.FuncOp("f", [arg_type], arg_type, Region(block))


def test_a_value_of_a_nested_region_is_invisible_outside():
    block, func = function()
    inner = unary.ExpOp(block.args[0])
    block.add_ops([blocks.DataflowOp(Block([inner, blocks.OutputOp()])), core.ReturnOp(inner)])
    with pytest.raises(IllFormedFunctionError, match="belongs to another region"):
        func.verify_()


def test_a_moved_op_is_found_before_its_operand():
    block, func = function()
    first = unary.ExpOp(block.args[0])
    second = unary.ExpOp(first)
    block.add_ops([second, first, core.ReturnOp(second)])
    with pytest.raises(IllFormedFunctionError, match="further down"):
        func.verify_()


def test_order_of_a_graph_region_follows_values_and_symbols():
    module = parse(
        """
relax.func @f(%x: !relax.tensor<[?], f32>) -> !relax.object {
  %o = relax.dataflow {
    %z = relax.exp %y : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    %b = relax.dataflow {
      %s = relax.shape [m]
      relax.output %s : !relax.shape<[m]>
    }
    %y = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.output %z, %b : !relax.tensor<[m], f32>, !relax.shape<[m]>
  }
  relax.return %x : !relax.tensor<[?], f32>
}""".replace("%o =", "%o, %p =")
    )
    (flow,) = (
        op for op in module.walk() if isinstance(op, blocks.DataflowOp) and len(op.results) == 2
    )
    names = [op.name for op in topological_order(flow.body.block)]
    assert names == ["relax.match_cast", "relax.exp", "relax.dataflow", "relax.output"]


def test_a_cycle_has_no_order():
    module = parse_unverified("""
relax.dataflow {
  %y = relax.exp %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %z = relax.exp %y : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.output
}""")
    with pytest.raises(CycleError, match=r"%y.*%z.*%y"):
        topological_order(module.body.block.first_op.regions[0].block)


CALLS = """
relax.func @a(%x: !relax.object) -> !relax.object {
  %y = relax.call @b(%x) : (!relax.object) -> !relax.object
  relax.return %y : !relax.object
}
relax.func @b(%x: !relax.object) -> !relax.object {
  %y = relax.call @a(%x) : (!relax.object) -> !relax.object
  EFFECT
  relax.return %y : !relax.object
}
"""


@pytest.mark.parametrize("effect", ["", '%e = relax.call_packed "f"() : () -> !relax.object'])
def test_purity_through_mutual_recursion(effect: str):
    module = parse(CALLS.replace("EFFECT", effect))
    for func in module.ops:
        assert is_pure_function(func) == (effect == "")


def test_a_match_is_an_equality_where_the_variable_is_bound():
    parse("""
relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.object) -> !relax.tensor<[n], f32> {
  %z = relax.match_cast %y : !relax.object -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}""")


def test_all_blocks_of_a_foreign_region_are_checked():
    text = """
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  "test.op"() ({
    "test.termop"() : () -> ()
  ^second:
    %s = relax.shape [m]
    "test.termop"() : () -> ()
  }) : () -> ()
  relax.return %x : !relax.tensor<[n], f32>
}"""
    with pytest.raises(Exception, match=r"variables that are defined \(S1\), found 'm'"):
        parse(text)
    parse(text.replace("[m]", "[n]"))


def calls_for(length: int) -> int:
    """The Python calls that verifying a dataflow block of calls takes."""
    line = "  %v{0} = relax.call @g(%x) : (!relax.object) -> !relax.object"
    text = (
        "relax.func @g(%x: !relax.object) -> !relax.object {\n  relax.return %x : !relax.object\n}\n"
        "relax.func @f(%x: !relax.object) -> !relax.object {\n  relax.dataflow {\n"
        + "\n".join(line.format(f"x{i}x") for i in range(length))
        + "\n  relax.output\n  }\n  relax.return %x : !relax.object\n}\n"
        + CALLS.replace("EFFECT", "")
    )
    module = parse(text)
    count = 0

    def profile(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        module.verify()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.long
def test_calls_verify_in_linear_work():
    short, long = calls_for(250), calls_for(1000)
    assert long < 4.4 * short
