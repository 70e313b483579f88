"""Estimates of the work of loops."""

from __future__ import annotations

from effort import effort
from xdsl.dialects.func import FuncOp
from xdsl.dialects.scf import ForOp

from lowering.parallel.loop_cost import LoopCosts
from relax_dialect import parse
from relax_dialect.ir.walk import walk_ops

KERNEL = """
func.func private @kernel(%n: index, %x: memref<?xf32>) attributes {{relax.noinline}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {{
    %v0 = memref.load %x[%i] : memref<?xf32>
    {ops}
  }}
  func.return
}}
func.func @main(%n: index {{relax.symbol = "n"}}, %x: memref<?xf32> {{relax.dims = ["n"]}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.divui %n, %c1 : index
  scf.for %i = %c0 to %n step %c1 {{
    {calls}
  }}
  func.return
}}
"""


def program(calls: int) -> tuple[LoopCosts, FuncOp, ForOp]:
    """A loop with so many calls of a kernel of 100 ops, half of them with another size."""
    ops = "\n".join(f"%v{i + 1} = arith.addf %v{i}, %v{i} : f32" for i in range(100))
    sizes = ("%n", "%half")
    called = "\n".join(
        f"func.call @kernel({sizes[i % 2]}, %x) : (index, memref<?xf32>) -> ()"
        for i in range(calls)
    )
    module = parse(KERNEL.format(ops=ops, calls=called))
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
    (loop,) = (op for op in walk_ops(functions["main"]) if isinstance(op, ForOp))
    return LoopCosts(functions), functions["main"], loop


def test_calls_of_a_kernel_cost_the_same_each():
    for calls in (2, 6):
        costs, function, loop = program(calls)
        cost = costs.of(function, loop)
        assert cost is not None
        assert cost.substitute({"n": 10}).value == calls * 10 * 10 * 101


def test_a_kernel_is_estimated_once_for_its_arguments():
    def work(calls: int) -> int:
        costs, function, loop = program(calls)
        return effort(lambda: costs.of(function, loop))

    assert work(40) < 2 * work(4)
