"""Names: as in the program where C allows it, and nothing that a function refers to is hidden."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lowering.emit_c import emit
from lowering.emit_c.helpers.used_helpers import helper_names
from relax_dialect.errors import RelaxError

LIBRARY_NAMES = ("tanh", "exp", "erf", "max", "free", "main", "printf", "errno", "int", "memcpy")
MACRO_NAMES = (
    "INT64_C",
    "UINTMAX_C",
    "va_copy",
    "DLDataTypeCode",
    "MODEL_API",
    "RELAX_DLTENSOR",
    "M_PI",
)
EMITTERS_NAMES = (
    "check_tensor",
    "allocate",
    "set_error",
    "live",
    "status",
    "last_error",
    "max_i64",
)


def add_one(symbol: str) -> str:
    """A prim func that adds one to its input, with a computation by libm on the way."""
    return f"""
func.func private @{symbol}(%n: index {{relax.symbol = "n"}},
    %x: memref<?xf32> {{relax.dims = ["n"]}}, %out: memref<?xf32> {{relax.dims = ["n"], relax.result}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %n step %c1 {{
    %0 = memref.load %x[%i] : memref<?xf32>
    %exp = math.exp %0 : f32
    %log = math.log %exp : f32
    %1 = arith.addf %log, %one : f32
    memref.store %1, %out[%i] : memref<?xf32>
  }}
  func.return
}}"""


def chain(symbols: tuple[str, ...]) -> str:
    """An entry point that calls the prim funcs in turn."""
    calls = ""
    last = "x"
    for i, symbol in enumerate(symbols):
        calls += f"""
  %b{i} = memref.alloc(%n) : memref<?xf32>
  func.call @{symbol}(%n, %{last}, %b{i}) : (index, memref<?xf32>, memref<?xf32>) -> ()"""
        last = f"b{i}"
    return f"""
func.func @main(%n: index {{relax.symbol = "n"}}, %x: memref<?xf32> {{relax.dims = ["n"]}})
    -> (memref<?xf32> {{relax.dims = ["n"]}}) attributes {{relax.entry}} {{{calls}
  func.return %{last} : memref<?xf32>
}}""" + "".join(add_one(s) for s in symbols if s != "main")


@pytest.mark.parametrize(
    "symbols", [(*LIBRARY_NAMES, *MACRO_NAMES), EMITTERS_NAMES, ("model_main", "model_load")]
)
def test_prim_funcs_named_as_something_of_c(build, cc, symbols):
    """Keywords, library functions, macros, helpers and API names, under every warning."""
    symbols = tuple(s for s in symbols if s != "main")  # the entry point itself is @main
    x = np.array([0.5, 1.0, 2.0], "float32")
    np.testing.assert_allclose(build(chain(symbols), cc=cc).main(x), x + len(symbols), rtol=1e-5)


def test_what_helpers_declare_is_not_taken():
    """Functions, with attributes too, variables, types and macros."""
    declared = {"help", "end_threads", "pool", "wanted_threads", "parts_function", "EMPTY_POOL"}
    assert declared <= helper_names()


def test_a_prim_func_called_main(build, cc):
    """C's own `main` must be left to the program that links the model."""
    text = chain(("main",)).replace(
        "@main(%n: index {relax.symbol", "@start(%n: index {relax.symbol"
    )
    module = build(text + add_one("main"), cc=cc)
    assert module.start(np.zeros(2, "float32")).tolist() == [1, 1]


@pytest.mark.parametrize("name", ["load", "threads", "use_arena", "last_error"])
def test_an_entry_point_named_as_the_api(parse, name):
    text = f"func.func @{name}() attributes {{relax.entry}} {{ func.return }}"
    message = (
        f"@{name} would be called model_{name}, which is a function that models have themselves"
    )
    with pytest.raises(RelaxError, match=f"{message}; rename it"):
        emit(parse(text), "model")


SHADOW = """
"memref.global"() <{sym_name = "w", sym_visibility = "private", type = memref<2xf32>,
  initial_value = dense<[1.0, 2.0]> : tensor<2xf32>, constant}> : () -> ()
func.func private @scale(%w: memref<2xf32>, %gamma: memref<2xf32>, %index: index, %y: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %scale_by = memref.load %gamma[%c0] : memref<2xf32>
  %live = memref.load %w[%index] : memref<2xf32>
  %status = arith.mulf %live, %scale_by : f32
  memref.store %status, %y[%index] : memref<2xf32>
  memref.store %status, %y[%c0] : memref<2xf32>
  func.return
}
func.func @main(%gamma: memref<2xf32> {relax.name = "gamma"}, %scale: memref<2xf32> {relax.name = "weights"})
    -> (memref<2xf32>) attributes {relax.entry} {
  %c1 = arith.constant 1 : index
  %w = memref.get_global @w : memref<2xf32>
  %y = memref.alloc() : memref<2xf32>
  func.call @scale(%scale, %gamma, %c1, %y) : (memref<2xf32>, memref<2xf32>, index, memref<2xf32>) -> ()
  %live = memref.load %w[%c1] : memref<2xf32>
  memref.store %live, %y[%c1] : memref<2xf32>
  func.return %y : memref<2xf32>
}
"""


def test_local_names_are_the_programs(parse, build, cc):
    """A parameter may hide a constant or a library function that its function does not use."""
    c = emit(parse(SHADOW), "model").c
    head = re.search(r"static void scale\((.*?)\)\n", c, re.S)
    assert head is not None
    names = [p.split()[-1].lstrip("*") for p in head[1].split(",")]
    assert names == ["w", "gamma", "index", "y"]
    assert "int model_main(const DLTensor *gamma, const DLTensor *weights, DLTensor *out0)" in c
    y = build(SHADOW, cc=cc).main(np.array([3, 0], "float32"), np.array([0, 5], "float32"))
    assert y.tolist() == [15, 2]


def test_what_a_function_uses_is_not_hidden(build, cc):
    """Here the names clash: a constant, a callee, a function of libm and an own variable."""
    text = SHADOW.replace(
        '%gamma: memref<2xf32> {relax.name = "gamma"}', '%w_: memref<2xf32> {relax.name = "w"}'
    )
    text = text.replace("@scale(%scale, %gamma, %c1", "@scale(%scale, %w_, %c1")
    text = text.replace('{relax.name = "weights"}', '{relax.name = "scale"}').replace(
        "%y", "%status"
    )
    text = text.replace("%status = arith.mulf %live", "%p = arith.mulf %live").replace(
        "memref.store %status, %status[", "memref.store %p, %status["
    )
    y = build(text, cc=cc).main(np.array([3, 0], "float32"), np.array([0, 5], "float32"))
    assert y.tolist() == [15, 2]


def test_a_buffer_without_a_name_is_called_after_the_call_that_fills_it(parse):
    text = chain(("softmax",)).replace("%b0", "%0")
    assert "float *const softmax_out = allocate(" in emit(parse(text), "model").c
