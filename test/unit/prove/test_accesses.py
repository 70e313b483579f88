"""Bounds of accesses: proved on tensors, on memrefs and in loops, and refuted where they are wrong."""

from __future__ import annotations

import pytest
from optional import package
from proof_cases import made

import lowering
from relax_dialect.builder import op as ops
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import parse
from relax_dialect.prove import Verdict, VerdictKind, prove_accesses

package("z3", "prove")

TENSORS = ("relax-legalize",)
MEMREFS = (*TENSORS, "relax-bufferize")
LOOPS = (*MEMREFS, "relax-linalg-to-loops")
X, W = TensorType(["n", 3, "h", "w"], "f32"), TensorType([8, 3, 3, 3], "f32")

OPERATORS = {
    "conv2d": ([X, W], lambda x, w: ops.conv2d(x, w, strides=[2, 2], padding=[1, 1, 1, 1])),
    "max_pool2d": ([X], lambda x: ops.max_pool2d(x, [3, 3], [2, 2])),
    "concat": ([X, X], lambda x, y: ops.concat([x, y], 2)),
    "strided_slice": ([X], lambda x: ops.strided_slice(x, [2], [1], [7], [2])),
    "adaptive_avg_pool2d": ([X], lambda x: ops.adaptive_avg_pool2d(x, [2, 5])),
    "tile": ([X], lambda x: ops.tile(x, [1, 2, 3, 1])),
    "flip": ([X], lambda x: ops.flip(x, 3)),
    "permute_dims": ([X], lambda x: ops.permute_dims(x, [3, 1, 0, 2])),
}


def verdicts(name: str, passes: tuple[str, ...]) -> list[Verdict]:
    types, build = OPERATORS[name]
    module = made(types, build)
    assert module is not None
    return prove_accesses(lowering.lower(module, passes))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str):
    # in loops the windows of adaptive pools are read from memory
    for passes in (TENSORS,) if name.startswith("adaptive") else (TENSORS, LOOPS):
        found = verdicts(name, passes)
        assert found and [str(v) for v in found if v.kind is not VerdictKind.PROVED] == []


def test_memrefs():
    assert [v.kind for v in verdicts("conv2d", MEMREFS)] == [VerdictKind.PROVED]


GENERIC = """
func.func @f(%x: tensor<?xf32> {{relax.dims = ["{size}"]}}, %w: tensor<3xf32>)
    -> (tensor<?xf32> {{relax.dims = ["n"]}}) {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %s = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.subi %s, %c2 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> ({map})>, affine_map<(d0, d1) -> (d1)>,
      affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}}
      ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %a : f32
  }} -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}}
"""


@pytest.mark.parametrize(
    ("size", "map", "kind"),
    [
        ("n + 2", "d0 + d1", VerdictKind.PROVED),
        ("n + 2", "d0 + d1 + 1", VerdictKind.REFUTED),
        ("n + 2", "d0 + d1 * 2", VerdictKind.REFUTED),
        ("n + 2", "d0 - 1", VerdictKind.REFUTED),
        ("n + 2", "d0 floordiv 2", VerdictKind.PROVED),
    ],
)
def test_maps(size: str, map: str, kind: VerdictKind):
    (found,) = prove_accesses(parse(GENERIC.format(size=size, map=map)))
    assert found.kind is kind, found
    assert kind is VerdictKind.PROVED or "n = " in found.detail


LOAD = """
func.func @f(%x: memref<?xf32> {{relax.dims = ["n"]}}, %i: index) -> f32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %above = arith.cmpi sge, %i, %c0 : index
  %below = arith.cmpi {less}, %i, %n : index
  %in = arith.andi %above, %below : i1
  {check}
  %v = memref.load %x[%i] : memref<?xf32>
  func.return %v : f32
}}
"""


@pytest.mark.parametrize(
    ("less", "check", "kind"),
    [
        ("slt", 'cf.assert %in, "in"', VerdictKind.PROVED),
        ("sle", 'cf.assert %in, "in"', VerdictKind.OUTSIDE),  # of an index that is not known
        ("slt", "", VerdictKind.OUTSIDE),
    ],
)
def test_checks_count(less: str, check: str, kind: VerdictKind):
    (found,) = prove_accesses(parse(LOAD.format(less=less, check=check)))
    assert found.kind is kind


LOOP = """
func.func @f(%x: memref<?xf32> {{relax.dims = ["n"]}}, %z: f32) {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %m = arith.floordivsi %n, %c4 : index
  %end = arith.muli %m, %c4 : index
  scf.for %i = %c0 to {end} step %c4 {{
    %v = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
    vector.store %v, %x[%i] : memref<?xf32>, vector<4xf32>
  }}
  func.return
}}
"""


def test_vectors():
    (found,) = prove_accesses(parse(LOOP.format(end="%end")))
    assert found.kind is VerdictKind.PROVED
    (found,) = prove_accesses(parse(LOOP.format(end="%n")))
    assert found.kind is VerdictKind.REFUTED and "vector.load" in found.detail
