"""Copies of function bodies: whole, or given up without a trace."""

from __future__ import annotations

import pytest
from xdsl.ir import Block, Operation

import relax_dialect
from relax_dialect.ir.walk import discard, walk_ops
from relax_dialect.ops.binary import AddOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.transform.cloning import Cloner

BRANCHES = """
relax.func @f(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %a = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
      relax.yield %x : !relax.tensor<[n], f32>
    } else {
      %s = relax.add %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %s : !relax.tensor<[n], f32>
    }
    relax.yield %a : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
"""


def branches() -> FuncOp:
    func = relax_dialect.parse(BRANCHES).body.block.first_op
    assert isinstance(func, FuncOp)
    return func


def test_every_copy_is_seen_in_its_block_with_its_regions_filled():
    func, target, seen = branches(), Block(), list[str]()

    def check(copy: Operation, op: Operation) -> None:
        assert copy.parent is not None
        assert [o.name for o in walk_ops(copy)] == [o.name for o in walk_ops(op)]
        seen.append(copy.name.removeprefix("relax."))

    arguments = [target.insert_arg(a.type, a.index) for a in func.body.block.args]
    cloner = Cloner(dict(zip(func.body.block.args, arguments)), {}, check)
    cloner.copy_body(func, target, flatten=False)
    assert seen == ["yield", "add", "yield", "if", "yield", "yield", "if"]


@pytest.mark.parametrize("kind", [AddOp.name, "relax.if", "relax.yield"])
def test_a_copy_that_is_refused_leaves_no_uses_behind(kind: str):
    func, target = branches(), Block()
    values = Block(arg_types=func.body.block.arg_types).args

    def refuse(copy: Operation, op: Operation) -> None:
        if copy.name == kind:
            raise ValueError(kind)

    with pytest.raises(ValueError, match=kind):
        Cloner(dict(zip(func.body.block.args, values)), {}, refuse).copy_body(
            func, target, flatten=False
        )
    discard(target)
    assert [value.first_use for value in values] == [None, None]
