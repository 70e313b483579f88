"""Symbolic expressions computed by functions of their own: values, TVM's cases, and the way to TVM and back."""

from __future__ import annotations

from itertools import product

import numpy as np
from optional import package

from relax_dialect import parse
from relax_dialect.frontends.tvmscript import dump, from_tvm, loads
from relax_dialect.interpret import run
from relax_dialect.parsing import verify
from relax_dialect.rewrites.calls.inline_private_functions import inline_private_functions
from relax_dialect.rewrites.shapes.compute_prim_value import compute_prim_value
from relax_dialect.transform.regions import functions

PROGRAM = """
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %c: !relax.tensor<[], i1>)
    -> tuple<!relax.prim<3 * n - m>, i64, i64, !relax.prim<n>> {
  %v = relax.prim_value [3 * n - m]
  %w = relax.if %c : (!relax.tensor<[], i1>) -> i64 {
    %a = relax.symbolic_value [(n + 1) floordiv 2]
    relax.yield %a : i64
  } else {
    %b = relax.symbolic_value [7]
    relax.yield %b : i64
  }
  %again = relax.symbolic_value [(n + 1) floordiv 2]
  %n = relax.prim_value [n]
  %t = relax.tuple %v, %w, %again, %n : (!relax.prim<3 * n - m>, i64, i64, !relax.prim<n>)
      -> tuple<!relax.prim<3 * n - m>, i64, i64, !relax.prim<n>>
  relax.return %t : tuple<!relax.prim<3 * n - m>, i64, i64, !relax.prim<n>>
}
"""
TVMS = """
@I.ir_module
class Module:
    @R.function(pure=False)
    def main(A: R.Tensor(["N"], "float32")):
        N = T.int64()
        _ = R.assert_op(N % 4 == 0)
        if R.prim_value(N % 8 == 0):
            out = R.add(A, A)
        else:
            out = R.exp(A)
        return out
"""


def test_values() -> None:
    module = parse(PROGRAM)
    before = module.clone()
    assert compute_prim_value(module) == 3
    assert compute_prim_value(module) == 0
    verify(module)
    assert len(functions(module)) == 3  # two expressions
    for n, m, c in product((1, 4), (0, 5), (True, False)):
        given = np.ones(n, "f"), np.ones(m, "f"), np.array(c)
        assert run(module, "main", *given) == run(before, "main", *given)
    assert dump(module).count("@T.prim_func") == 2
    inline_private_functions(module)
    assert len(functions(module)) == 1


def test_sizes_in_computations_stay() -> None:
    """A region of `relax.compute` has no calls."""
    module = parse("""relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], i64> {
      %y = relax.compute (%i) in [n] (%e = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], i64> {
        %s = relax.index_size [2 * n]
        %r = arith.index_cast %s : index to i64
        relax.yield %r : i64
      }
      relax.return %y : !relax.tensor<[n], i64>
    }""")
    assert compute_prim_value(module) == 0
    verify(module)
    np.testing.assert_array_equal(run(module, "main", np.ones(3, "f")), [6, 6, 6])


def test_prim_funcs_of_numbers_are_read() -> None:
    module = parse(PROGRAM)
    compute_prim_value(module)
    again = loads(dump(module))
    given = np.ones(4, "f"), np.ones(3, "f"), np.array(True)
    assert run(again, "main", *given) == run(module, "main", *given)
    assert sum(f.is_private for f in functions(again)) == 2


def test_tvms_own_cases() -> None:
    """Conditions of branches and assertions, which TVM computes by prim funcs that give a bool."""
    tvm = package("tvm")
    module = loads(TVMS)
    theirs = from_tvm(tvm.relax.transform.ComputePrimValue()(tvm.script.from_source(TVMS)))
    assert len(functions(theirs)) == 3
    compute_prim_value(module)
    for n in (4, 8):
        x = np.arange(n, dtype="f")
        np.testing.assert_array_equal(run(module, "main", x), run(theirs, "main", x))


def test_tvm_runs_ours() -> None:
    tvm = package("tvm")
    script = TVMS.split("        _ =")[0].replace("(pure=False)", "")
    module = loads(script + "        v = R.prim_value(N * 3 + 2)\n        return v\n")
    assert compute_prim_value(module) == 1
    built = tvm.compile(tvm.script.from_source(dump(module)), "llvm")
    given = tvm.runtime.tensor(np.ones(5, "f"))
    assert tvm.relax.VirtualMachine(built, tvm.cpu())["main"](given) == 17
