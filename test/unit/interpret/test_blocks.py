"""Blocks: order, scoping, variables that escape, and the cost of long and deep ones."""

import numpy as np
import pytest
from effort import effort
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from relax_dialect.errors import ExecutionError
from relax_dialect.interpret import run
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.blocks import BindingBlockOp, DataflowOp, OutputOp
from relax_dialect.ops.core import FuncOp, ReturnOp

from .programs import numbers, parse, run_text

T = TensorType((4,), "f32")


def test_a_dataflow_block_has_no_order():
    text = """
    relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.object {
      %r = relax.dataflow {
        %s = relax.shape [n, n + 1]
        %y = relax.match_cast %z : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
        %z = relax.add %x, %x :
          (!relax.tensor<[?], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
        relax.output %s : !relax.shape<[n, n + 1]>
      }
      relax.return %r : !relax.shape<[n, n + 1]>
    }
    """
    assert run_text(text, numbers((3,))) == (3, 4)


def test_variables_escape_a_block():
    text = """
    relax.func @main(%x: !relax.tensor<[?], f32>) -> !relax.object {
      %y = relax.binding_block {
        %z = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
        relax.output %z : !relax.tensor<[n], f32>
      }
      %s = relax.shape [2 * n]
      relax.return %s : !relax.shape<[2 * n]>
    }
    """
    assert run_text(text, numbers((3,))) == (6,)


def test_several_results_and_none():
    text = """
    relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      relax.binding_block {
        relax.output
      }
      %a, %b = relax.dataflow {
        %c = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
        relax.output %c, %x : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
      }
      %d = relax.subtract %a, %b :
        (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.return %d : !relax.tensor<[n], f32>
    }
    """
    x = numbers((3,))
    np.testing.assert_array_equal(run_text(text, x), -2 * x)


def test_an_error_names_function_and_op():
    text = """
    relax.func @main(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>)
        -> !relax.tensor<[?], f32> {
      %r = relax.dataflow {
        %z = relax.add %x, %y :
          (!relax.tensor<[?], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
        relax.output %z : !relax.tensor<[?], f32>
      }
      relax.return %r : !relax.tensor<[?], f32>
    }
    """
    assert run_text(text, numbers((3,)), numbers((1,))).shape == (3,)
    with pytest.raises(ExecutionError, match=r"^@main: relax.add \(%z\): .*found 2 and 3"):
        run_text(text, numbers((3,)), numbers((2,)))


def _sum_of(count: int) -> ModuleOp:
    """`x + x + ... + x` in one dataflow block."""
    body = Block(arg_types=[T])
    ops = [AddOp(body.args[0], body.args[0])]
    for _ in range(count - 1):
        ops.append(AddOp(ops[-1], body.args[0]))
    flow = DataflowOp(Block([*ops, OutputOp(ops[-1])]))
    body.add_ops([flow, ReturnOp(flow)])
    return ModuleOp([FuncOp("main", [T], T, Region(body))])


@pytest.mark.long
def test_long_blocks_are_linear():
    x = np.ones(4, np.float32)

    def work(count: int) -> int:
        module = _sum_of(count)
        assert run(module, "main", x).tolist() == [count + 1] * 4
        return effort(lambda: run(module, "main", x))

    assert work(2000) < 5 * work(500)


def test_deep_blocks():
    depth = 1000
    body = Block(arg_types=[T])
    block = BindingBlockOp(Block([OutputOp(body.args[0])]))
    for _ in range(depth):
        block = BindingBlockOp(Block([block, OutputOp(block)]))
    body.add_ops([block, ReturnOp(block)])
    x = numbers((4,))
    assert run(ModuleOp([FuncOp("main", [T], T, Region(body))]), "main", x) is x


def test_deeper_nesting_than_supported_is_refused():
    text = """
    relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      %y = relax.call @main(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.return %y : !relax.tensor<[n], f32>
    }
    """
    with pytest.raises(ExecutionError, match=r"@main: expected .* nested at most .* recursion"):
        run(parse(text), "main", numbers((2,)))
