"""Refusals of bufferization and of the passes on loops, in whose words; and what they must leave alone."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from effort import effort
from mlir_oracle import lower_and_load, parse
from optional import MLIR, needs
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

import relax_dialect
from lowering.loops.linalg_to_loops import LinalgToLoopsPass
from lowering.memory.bufferize.relax_bufferize import BufferizePass
from lowering.pipeline import lower
from relax_dialect.errors import RelaxError

SIGNATURE = """
func.func @f(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
"""


def bufferize(text: str) -> ModuleOp:
    module = parse(text)
    BufferizePass().apply(Context(), module)
    module.verify()
    return module


REFUSED = {
    r"@f: cannot bufferize tensor.splat; rewrite it as linalg.generic": """
func.func @f(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<4xf32> {relax.dims = ["4"]}) {
  %s = arith.constant 0.0 : f32
  %y = tensor.splat %s : tensor<4xf32>
  func.return %y : tensor<4xf32>
}""",
    r"@f: cannot bufferize scf.while; pass on the initial values of the loop": SIGNATURE
    + """
  %true = arith.constant true
  %y = scf.while () : () -> (tensor<?xf32>) {
    scf.condition(%true) %x : tensor<?xf32>
  } do {
  ^bb0(%z: tensor<?xf32>):
    scf.yield
  }
  func.return %y : tensor<?xf32>
}""",
    r"@f: cannot bufferize scf.if; let both branches change one tensor": SIGNATURE
    + """
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %true = arith.constant true
  %y = scf.if %true -> (tensor<?xf32>) {
    %z = tensor.empty(%n) : tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  } else {
    %z = tensor.empty(%n) : tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  func.return %y : tensor<?xf32>
}""",
    r"@f: cannot bufferize tensor.extract_slice; take the slice of a whole tensor": """
func.func private @f(%x: tensor<8xf32> {relax.dims = ["8"]}) -> (tensor<2xf32> {relax.dims = ["2"]}) {
  %a = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %b = tensor.extract_slice %a[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  func.return %b : tensor<2xf32>
}""",
    r"@f: cannot bufferize tensor.expand_shape; reshape the whole tensor": """
func.func private @f(%x: tensor<8xf32> {relax.dims = ["8"]})
    -> (tensor<2x2xf32> {relax.dims = ["2", "2"]}) {
  %a = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %b = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  func.return %b : tensor<2x2xf32>
}""",
    r"@f: cannot bufferize func.call": SIGNATURE
    + """
  %y = func.call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}""",
    r"@f: cannot bufferize func.return; a prim func returns tensors only, found f32": """
func.func @f(%x: tensor<f32> {relax.dims = []}) -> f32 {
  %y = tensor.extract %x[] : tensor<f32>
  func.return %y : f32
}""",
    r"@f: expected a body of one block, found 2; run relax-convert-cf-to-scf first": SIGNATURE
    + """
  cf.br ^1
^1:
  func.return %x : tensor<?xf32>
}""".replace("^1", "^next"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_bufferize_refuses(message: str):
    with pytest.raises(RelaxError, match=message):
        bufferize(REFUSED[message])


def test_loops_refuse_tensors():
    module = parse("""
func.func @g(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %y = linalg.fill ins(%s : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}""")
    with pytest.raises(RelaxError, match=r"@g: linalg.fill works on tensors.*bufferize first"):
        LinalgToLoopsPass().apply(Context(), module)


@needs(MLIR)
def test_linalg_inside_scheduled_loops():
    """linalg on subviews within loops, as a schedule leaves it, takes its bounds from there."""
    module = parse("""
!tile = memref<?x6xf32, strided<[6, 1], offset: ?>>
func.func @f(%n: index {relax.symbol = "n"}, %x: memref<?x6xf32> {relax.dims = ["n", "6"]},
    %y: memref<?x6xf32> {relax.dims = ["n", "6"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %left = arith.subi %n, %i : index
    %size = arith.minsi %left, %c4 : index
    %a = memref.subview %x[%i, 0] [%size, 6] [1, 1] : memref<?x6xf32> to !tile
    %b = memref.subview %y[%i, 0] [%size, 6] [1, 1] : memref<?x6xf32> to !tile
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                    iterator_types = ["parallel", "parallel"]} ins(%a : !tile) outs(%b : !tile) {
    ^bb0(%v: f32, %o: f32):
      %r = arith.negf %v : f32
      linalg.yield %r : f32
    }
  }
  func.return
}""")
    LinalgToLoopsPass().apply(Context(), module)
    module.verify()
    assert "memref.dim" not in str(module) and "linalg" not in str(module)
    x = np.arange(42, dtype="f4").reshape(7, 6)
    y = np.zeros_like(x)
    lower_and_load(module).call_entry("f", x, y)
    np.testing.assert_array_equal(y, -x)


def chain(length: int) -> str:
    """A prim func of many steps, each on the result of the one before."""
    ops = [
        f"""
  %v{i + 1}x = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%v{i}x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %a : f32
    linalg.yield %r : f32
  }} -> tensor<?xf32>"""
        for i in range(length)
    ]
    return f"""
func.func @f(%v0x: tensor<?xf32> {{relax.dims = ["n"]}})
    -> (tensor<?xf32> {{relax.dims = ["n"]}}) {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %v0x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>{"".join(ops)}
  func.return %v{length}x : tensor<?xf32>
}}"""


def test_a_chain_lives_in_one_buffer():
    assert "alloc" not in str(bufferize(chain(5)))


@pytest.mark.long
@pytest.mark.parametrize("pass_", [BufferizePass, LinalgToLoopsPass])
def test_work_is_linear(pass_: Callable):
    """Four times the length takes little more than four times the work."""

    def work(length: int) -> int:
        module = parse(chain(length))
        if pass_ is LinalgToLoopsPass:
            BufferizePass().apply(Context(), module)
        return effort(lambda: pass_().apply(Context(), module))

    assert work(300) < 5 * work(75)


TIR = """relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call_tir @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}
"""


@pytest.mark.parametrize(
    ("prim_func", "message"),
    [
        *(
            (
                f"""func.func private @f(%x: tensor<?xf32> {{relax.dims = ["n"]}})
                -> (tensor<?xf32> {{relax.dims = ["n"]}}) {{
              %c = arith.constant {dimension} : index
              %n = tensor.dim %x, %c : tensor<?xf32>
              %e = tensor.empty(%n) : tensor<?xf32>
              func.return %e : tensor<?xf32>
            }}""",
                f"cannot bufferize tensor.dim; expected a dimension below 1, found {dimension}",
            )
            for dimension in (2, 1, -1)
        ),
        (
            """func.func private @f(%x: tensor<?xf32>) -> (tensor<?xf32> {relax.dims = ["n"]}) {
              func.return %x : tensor<?xf32>
            }""",
            "expected the sizes of its results from its arguments, found 'n' in no relax.dims",
        ),
    ],
)
def test_prim_funcs_without_a_size(prim_func: str, message: str):
    with pytest.raises(RelaxError, match=re.escape(message)):
        lower(relax_dialect.parse(TIR + prim_func))
