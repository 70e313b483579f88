"""Collectives in TVM's scripts: read, written, and equal to what TVM reads again."""

from __future__ import annotations

import pytest
from optional import package

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.ir.types import TensorType

SCRIPT = """
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32")) -> R.Tensor((4, 4), dtype="float32"):
        with R.dataflow():
            y: R.Tensor((2, 4), dtype="float32") = R.ccl.allreduce(x, op_type="max", in_group=False)
            z: R.Tensor((4, 4), dtype="float32") = R.ccl.allgather(y, num_workers=2, in_group=True)
            w: R.Tensor((4, 4), dtype="float32") = R.add(z, z)
            u: R.Tensor((4, 4), dtype="float32") = R.ccl.broadcast_from_worker0(w)
            v: R.Tensor((4, 2), dtype="float32") = R.ccl.scatter_from_worker0(u, num_workers=2, axis=1)
            k: R.Tensor((4, 4), dtype="float32") = R.ccl.allreduce(u, op_type="sum", in_group=True)
            R.output(v, k)
        return k
"""
WRITTEN = """
        y = R.ccl.allreduce(x, op_type="max", in_group=False)
        z = R.ccl.allgather(y, 2)
        w = R.add(z, z)
        u = R.ccl.broadcast_from_worker0(w)
        v = R.ccl.scatter_from_worker0(u, 2, axis=1)
        k = R.ccl.allreduce(u)
        return k
"""


def test_a_block_with_collectives_keeps_their_order():
    module = tvmscript.loads(SCRIPT)
    names = [o.name for o in module.walk() if o.name.startswith(("relax.ccl", "relax.binding"))]
    kinds = [
        "allreduce",
        "allgather",
        "broadcast_from_worker0",
        "scatter_from_worker0",
        "allreduce",
    ]
    assert names == ["relax.binding_block", *(f"relax.ccl.{kind}" for kind in kinds)]
    assert WRITTEN in tvmscript.dump(module)


def test_tvm_reads_what_is_written():
    tvm = package("tvm", "tvm")
    module = tvmscript.from_tvm(tvm.script.from_source(SCRIPT))
    again = tvm.script.from_source(tvmscript.dump(module))
    assert tvmscript.dump(tvmscript.from_tvm(again)) == tvmscript.dump(module)
    wanted = [line.strip() for line in SCRIPT.splitlines() if "R.Tensor" in line and "= R." in line]
    assert [line for line in wanted if line not in again.script()] == []


def test_numbers_of_ranks_that_tvm_lacks_are_refused():
    builder = BlockBuilder()
    with builder.function("main", {"x": TensorType(["n"], "f32")}) as (x,):
        ranks = builder.match_shape(op.ccl.world_size(), ["r"])
        builder.emit_func_output(builder.emit(op.ccl.allgather(x, ranks)))
    with pytest.raises(RelaxError) as caught:
        tvmscript.dump(builder.get())
    assert "found relax.ccl.world_size; TVM has allreduce" in str(caught.value)
    assert "expected a constant as num_workers, as TVM has no other, found r" in str(caught.value)
