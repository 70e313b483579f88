"""Names that others may call: TVM's own cases, what C exports, and names that are taken."""

from __future__ import annotations

import pytest
from optional import package

from lowering import lower, to_c
from relax_dialect import RelaxError, assert_structural_equal
from relax_dialect.frontends.tvmscript import dump, from_tvm, loads
from relax_dialect.rewrites.calls.attach_global_symbol import attach_global_symbol

SCRIPT = """
@I.ir_module
class Module:
    I.module_attrs({"system_lib_prefix": "hello_"})
    @T.prim_func(private=True, s_tir=True)
    def tir_zeros(x: T.Buffer((2,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(2):
            with T.sblock("x"):
                v = T.axis.spatial(2, i)
                x[v] = T.float32(0)
    @R.function(private=True)
    def main() -> R.Tensor((2,), "float32"):
        cls = Module
        gv = R.call_tir(cls.tir_zeros, R.tuple(), out_ty=R.Tensor((2,), "float32"))
        return gv
"""


def test_public_functions():
    module = loads(SCRIPT)
    assert attach_global_symbol(module) == 2
    assert attach_global_symbol(module) == 0
    assert "model_hello_tir_zeros(" in to_c(module.clone(), cpu="generic").h
    text = dump(module)
    assert "private" not in text
    assert_structural_equal(loads(text), module)


def test_tvm_gives_the_same():
    tvm = package("tvm")
    for script in (SCRIPT, SCRIPT.replace("system_lib_prefix", "other")):
        module = loads(script)
        attach_global_symbol(module)
        theirs = tvm.relax.transform.AttachGlobalSymbol()(tvm.script.from_source(script))
        assert_structural_equal(module, from_tvm(theirs))
        tvm.ir.assert_structural_equal(tvm.script.from_source(dump(module)), theirs)


def test_names_that_are_taken():
    taken = SCRIPT.replace("def main", "def q_tir_zeros")
    with pytest.raises(RelaxError, match="expected @q_tir_zeros to be free"):
        lower(loads(taken), ["relax-attach-global-symbol{prefix=q_}"])
