"""Values and symbols of functions of other dialects, built without a parser."""

from __future__ import annotations

import pytest

from relax_dialect.errors import RelaxError
from relax_dialect.parsing import parse, verify


def test_other_dialects_may_use_what_is_around():
    parse("""
    func.func @f(%x: memref<4xf32>, %n: index) {
      %zero = arith.constant 0 : index
      scf.for %i = %zero to %n step %n {
        %v = memref.load %x[%i] : memref<4xf32>
        scf.for %j = %i to %n step %n {
          memref.store %v, %x[%j] : memref<4xf32>
        }
      }
      func.return
    }""")


def test_several_blocks_may_stand_in_any_order():
    parse("""
    func.func @f(%x: index) -> index {
      cf.br ^first
    ^second:
      func.return %y : index
    ^first:
      %y = arith.addi %x, %x : index
      cf.br ^second
    }""")


def test_a_graph_region_has_no_order():
    parse("""
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = relax.from_builtin %x : (tensor<4xf32>) -> !relax.tensor<[4], f32>
      %o = relax.dataflow {
        %b = relax.exp %a : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
        %a = relax.exp %r : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
        relax.output %b : !relax.tensor<[4], f32>
      }
      %y = relax.to_builtin %o : (!relax.tensor<[4], f32>) -> tensor<4xf32>
      func.return %y : tensor<4xf32>
    }""")


def test_what_a_pass_put_in_a_wrong_place_is_found():
    module = parse("""
    func.func @f(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      %z = arith.addf %y, %y : f32
      func.return %z : f32
    }""")
    (func,) = module.ops
    first, second, _ = func.regions[0].block.ops
    first.detach()
    func.regions[0].block.insert_op_after(first, second)
    with pytest.raises(RelaxError, match=r"@f: arith.addf \(%z\): .* %y, which arith.addf defines"):
        verify(module)


def test_deep_regions_are_checked():
    depth = 300
    text = "func.func @f(%c: i1, %x: f32) {\n"
    text += "scf.if %c {\n" * depth + "%y = arith.addf %x, %x : f32\n" + "}\n" * depth
    parse(text + "func.return\n}")
