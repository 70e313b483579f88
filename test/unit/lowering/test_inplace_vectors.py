"""Whether a result may be written over an argument that vectors are read from."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from lowering.functions.inplace import may_overwrite
from relax_dialect import parse

LOOP = """
func.func @f(%x: memref<4x64xf32>, %out: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %step = arith.constant 8 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c64 step %step {
      %v = vector.load %x[%i, %j] : memref<4x64xf32>, vector<8xf32>
      %n = arith.negf %v : vector<8xf32>
      vector.store %n, %out[%i, %j] : memref<4x64xf32>, vector<8xf32>
    }
  }
  func.return
}"""
VIEW = """%s = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
      %v = vector.load %s[%c0, %j] : memref<1x64xf32, strided<[64, 1], offset: ?>>,"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", True),
        ("constant 8", "constant 4", False),  # vectors overlap
        ("constant 8", "constant 16", True),
        ("vector.store %n, %out[%i, %j]", "vector.store %n, %out[%i, %c0]", False),
        (
            "%v = vector.load %x[%i, %j] : memref<4x64xf32>,",
            VIEW,
            False,
        ),  # views are not looked through
        (
            "vector.store %n, %out[%i, %j] : memref<4x64xf32>, vector<8xf32>",
            "vector.store %n, %out[%i, %j] : memref<4x64xf32>, vector<8xf32>\n"
            "%w = vector.load %x[%i, %j] : memref<4x64xf32>, vector<8xf32>",
            False,  # read behind the write
        ),
    ],
)
def test_vectors(old: str, new: str, expected: bool):
    module = parse(LOOP.replace(old, new) if old else LOOP)
    function = next(iter(module.ops))
    assert isinstance(function, FuncOp)
    source, target = function.body.block.args
    assert may_overwrite(source, target) is expected


JOINED = """
func.func @f(%x: memref<4x4x4xf32>, %out: memref<4x4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.collapse_shape %x [[0], [1, 2]] : memref<4x4x4xf32> into memref<4x16xf32>
  %b = memref.collapse_shape %out [[0], [1, 2]] : memref<4x4x4xf32> into memref<4x16xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %v = memref.load %a[%i, %j] : memref<4x16xf32>
      memref.store %v, %b[%i, %j] : memref<4x16xf32>
    }
  }
  func.return
}"""


@pytest.mark.parametrize("alike", [True, False])
def test_all_of_an_array_seen_with_fewer_dimensions(alike: bool):
    text = JOINED
    if not alike:
        text = text.replace("%out [[0], [1, 2]]", "%out [[0, 1], [2]]")
        text = text.replace(
            "4x4x4xf32> into memref<4x16xf32>\n  scf", "4x4x4xf32> into memref<16x4xf32>\n  scf"
        )
        text = text.replace("%b[%i, %j] : memref<4x16xf32>", "%b[%i, %j] : memref<16x4xf32>")
    function = next(iter(parse(text).ops))
    assert isinstance(function, FuncOp)
    assert may_overwrite(*function.body.block.args) is alike
