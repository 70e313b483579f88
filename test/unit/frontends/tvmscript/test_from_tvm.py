"""Modules of the installed TVM, read with their constants."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import package

from relax_dialect import interpret
from relax_dialect.frontends.tvmscript import ScriptError, from_tvm, loads


def constant(relax: Any, *values: float) -> Any:
    return relax.const(np.array(values, "float32"))


def test_constants_are_those_that_the_script_numbers():
    relax = package("tvm.relax")
    builder, shared = relax.BlockBuilder(), constant(relax, 3, 5)
    for name, base in (("zeta", 1), ("alpha", 10)):
        x = relax.Var("x", relax.TensorType((2,), "float32"))
        with builder.function(name, [x]):
            with builder.dataflow():
                y = builder.emit(relax.op.multiply(x, constant(relax, base, base + 1)))
                y = builder.emit(relax.op.ewise_fma(y, shared, constant(relax, base + 2, 7)))
                y = builder.emit(relax.op.add(y, relax.const(0.5, "float32")))
                z = builder.emit_output(relax.op.concat([y, shared, constant(relax, base)]))
            builder.emit_func_output(z)
    theirs = builder.get()
    module = from_tvm(theirs)
    x = np.array([1, 2], "float32")
    for name, base in (("zeta", 1), ("alpha", 10)):
        expected = [base * 3 + base + 2.5, 2 * (base + 1) * 5 + 7.5, 3, 5, base]
        np.testing.assert_array_equal(interpret.run(module, name, x), expected)
    with pytest.raises(ScriptError, match="expected an entry of the metadata"):
        loads(theirs.script())


def test_weights_that_a_function_carries_are_parameters():
    tvm, relax = package("tvm"), package("tvm.relax")
    builder = relax.BlockBuilder()
    x, w = (relax.Var(name, relax.TensorType((2,), "float32")) for name in "xw")
    with builder.function("main", [x, w], {"num_input": 1}):
        builder.emit_func_output(builder.emit(relax.op.multiply(x, w)))
    theirs, weight = builder.get(), np.array([3, 5], "float32")
    carried = theirs["main"].with_attr("params", [tvm.runtime.tensor(weight)])
    theirs.update_func(theirs.get_global_var("main"), carried)
    module = from_tvm(theirs)
    assert "attributes {num_input = 1 : i64}" in str(module)
    np.testing.assert_array_equal(interpret.run(module, "main", weight, weight), weight**2)
    assert "params" in theirs["main"].attrs  # what is given stays


def test_what_is_no_module_of_tvm():
    with pytest.raises(ScriptError, match="expected an IRModule of TVM's, found str"):
        from_tvm("module")
