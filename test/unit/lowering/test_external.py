"""The code generator `cblas`: its kernels compared with our own, the interpreter and numpy.

Results are compared to 1e-5 in f32 and to 1e-13 in f64, relative and absolute: over at most 65 summands of
size 1, which a library adds up in another order.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from external_programs import PRODUCTS, arrays, program
from hypothesis import given
from hypothesis import strategies as st
from mlir_oracle import check_accepted
from optional import COMPILERS, MLIR, OPENBLAS, UNOPTIMISED, needs
from sanitizers import STRICT
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

import lowering
from bench import external
from lowering.external import (
    CKernel,
    CodeGenerator,
    ExternalLibrary,
    Offload,
    operators,
    register_codegen,
    registered_codegens,
    registry,
)
from lowering.external.cblas_patterns import cblas_patterns, takes
from lowering.external.library_kernel import codegen_of, options_of
from lowering.external.run_codegen import run_codegen
from lowering.pipeline import PASSES, lower
from lowering.runtime import loading as runtime
from lowering.tools.relax_compile import main as relax_compile
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.core import FuncOp
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.partition.fuse_ops_by_pattern import fuse_ops_by_pattern

TOLERANCES = {"f32": 1e-5, "f64": 1e-13}
NUMPY = {"f32": "float32", "f64": "float64"}
LETTERS = "nkmbc"

SIZES = (
    {"n": 3, "k": 5, "m": 7, "b": 2, "c": 3},
    {"n": 1, "k": 1, "m": 1, "b": 1, "c": 1},
    {"n": 33, "k": 65, "m": 17, "b": 3, "c": 1},
    {"n": 4, "k": 0, "m": 5, "b": 2, "c": 2},
    {"n": 0, "k": 3, "m": 4, "b": 2, "c": 2},
    {"n": 3, "k": 4, "m": 0, "b": 2, "c": 2},
    {"n": 3, "k": 4, "m": 5, "b": 0, "c": 2},
)


@cache
def compiled(sizes: tuple[tuple[str, int], ...], dtype: str, codegen: str | None = "cblas") -> Any:
    """All products as one library; letters without a size are symbolic."""
    module = program(dict(sizes), dtype, codegen)
    return lowering.compile(module, extra_flags=[*STRICT, *UNOPTIMISED])


def check(model: Any, name: str, sizes: Mapping[str, int], dtype: str) -> None:
    product, t = PRODUCTS[name], TOLERANCES[dtype]
    inputs = arrays(product, sizes, NUMPY[dtype])
    result = model[name](*inputs)
    assert result.dtype == NUMPY[dtype]
    np.testing.assert_allclose(result, product.numpy(*inputs), rtol=t, atol=t)


def kernels(module: ModuleOp) -> list[func.FuncOp]:
    return [op for op in module.ops if isinstance(op, func.FuncOp) and codegen_of(op)]


@needs(OPENBLAS)
@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_one_artifact_for_all_sizes(name: str, dtype: str):
    for sizes in SIZES:
        check(compiled((), dtype), name, sizes, dtype)


@needs(OPENBLAS)
@pytest.mark.parametrize("sizes", [SIZES[i] for i in (0, 1, 3, 4)], ids=str)
def test_static_sizes(sizes: Mapping[str, int]):
    """Usual sizes, ones, nothing to sum and no rows; the artifact above runs with all."""
    for name in PRODUCTS:
        check(compiled(tuple(sizes.items()), "f32"), name, sizes, "f32")


@pytest.mark.slow
@needs(OPENBLAS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_results_are_those_of_our_own_kernels(name: str):
    ours, theirs = compiled((), "f32", None), compiled((), "f32")
    for sizes in SIZES:
        inputs = arrays(PRODUCTS[name], sizes, "float32")
        np.testing.assert_allclose(theirs[name](*inputs), ours[name](*inputs), rtol=1e-5, atol=1e-5)


@needs(OPENBLAS)
@given(st.sampled_from(sorted(PRODUCTS)), st.tuples(*[st.integers(0, 9)] * len(LETTERS)))
def test_any_sizes(name: str, sizes: tuple[int, ...]):
    check(compiled((), "f64"), name, dict(zip(LETTERS, sizes)), "f64")


@cache
def with_kernels() -> ModuleOp:
    module = program({}, "f32")
    run_codegen(module)
    verify(module, "after relax-run-codegen")
    return module


@pytest.mark.parametrize("name", PRODUCTS)
def test_kernels_are_chosen(name: str):
    """Each product is one kernel, which takes a bias, a relu and transpositions where it can."""
    module = with_kernels()
    own = [k for k in kernels(module) if re.fullmatch(rf"{name}_cblas(_\d+)?", k.sym_name.data)]
    assert [options_of(kernel) for kernel in own] == list(PRODUCTS[name].kernels)
    assert "Codegen" not in str(module) and "relax.not_offloaded" not in str(module)


@pytest.mark.parametrize("level", [*PASSES][3:8])
@pytest.mark.parametrize("name", PRODUCTS)
def test_the_interpreter_runs_every_level(name: str, level: str):
    """A kernel has a body at every level, which says what it means."""
    sizes = SIZES[0]
    product = PRODUCTS[name]
    inputs = arrays(product, sizes, "float32")
    result = interpret.run(lowered(level), name, *inputs)
    np.testing.assert_allclose(result, product.numpy(*inputs), rtol=1e-5, atol=1e-5)


@cache
def lowered(level: str) -> ModuleOp:
    names = [*PASSES]
    return lower(program({}, "f32"), names[: names.index(level) + 1], verify_each=True)


@needs(MLIR)
def test_mlir_accepts_the_module():
    check_accepted(lower(program({}, "f32")))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [{}, SIZES[0]], ids=["symbolic", "static"])
def test_every_kernel_is_a_call_of_the_library(sizes: Mapping[str, int]):
    """No pass makes a kernel part of a function of ours, whatever stands around it."""
    source = lowering.to_c(program(sizes, "f32"), cpu="generic")
    kernels = source.c.split("by cblas */")[1:]
    assert len(kernels) == sum(len(product.kernels) for product in PRODUCTS.values())
    assert all(re.search(r"cblas_sgem[mv]\(Cblas", kernel) for kernel in kernels)


# What a kernel must not change


@needs(OPENBLAS)
def test_special_values():
    """NaN and infinities come through the product, the bias and the relu."""
    model = compiled((), "f32")
    x = np.array([[np.nan, 0], [1, 0], [np.inf, 0], [-np.inf, 0]], "f4")
    w, b = np.eye(2, dtype="f4"), np.array([-1, np.nan], "f4")
    with np.errstate(invalid="ignore"):
        expected = np.maximum(x @ w + b, 0)
    np.testing.assert_array_equal(model.row_relu(x, w, b), expected)
    assert np.isnan(expected).any() and not np.isnan(expected).all()
    for row, result in zip(x, expected):
        np.testing.assert_array_equal(model.row_relu(row[None], w, b), result[None])


@needs(OPENBLAS)
@pytest.mark.parametrize("name", ["vector_by_matrix", "matrix_by_vector", "plain", "linear"])
def test_zero_times_infinity_is_nan(name: str):
    """No function of the library skips zeros, not even for one row."""
    sizes = {"n": 1, "k": 3, "m": 3}
    x, w, *bias = (np.zeros_like(a) for a in arrays(PRODUCTS[name], sizes, "float32"))
    assert np.isnan(compiled((), "f32")[name](x, np.full_like(w, np.inf), *bias)).all()


@needs(OPENBLAS)
def test_what_stood_in_the_result_does_not_count():
    """Memory that is used again holds the NaN of the call before; with beta = 0 nobody reads it."""
    model = compiled((), "f32")
    nan, zero = np.full((64, 64), np.nan, "f4"), np.zeros((64, 64), "f4")
    for _ in range(3):
        for rows in (64, 1):
            assert np.isnan(model.plain(nan[:rows], nan)).all()
            assert (model.plain(zero[:rows], zero) == 0).all()
            assert (model.plain(zero[:rows, :0], zero[:0]) == 0).all()


@needs(OPENBLAS)
def test_sizes_beyond_int_are_refused():
    """The library's sizes are of type int: nothing is read or written before the check."""
    number = np.zeros(1, "f4")

    class Long:
        __array_interface__ = {
            "shape": (1, 2**31),
            "typestr": "<f4",
            "data": (number.ctypes.data, False),
            "version": 3,
        }

    x = np.asarray(Long())
    with pytest.raises(RelaxError, match="cblas_sgemm: expected sizes up to 2147483647"):
        compiled((), "f32").linear(x, x)


# What is left to the compiler


def refused(types: list[TensorType], compute: Any) -> tuple[str, ModuleOp]:
    """The reason against a function, and the module with it."""
    builder = BlockBuilder()
    params = {f"p{i}": type for i, type in enumerate(types)}
    with builder.function("main", params, {"Codegen": "cblas"}) as values:
        builder.emit_func_output(builder.emit(compute(*values)))
    module = builder.get()
    chosen = module.clone()
    run_codegen(chosen)
    verify(chosen, "after relax-run-codegen")
    assert not kernels(chosen)
    (reason,) = re.findall(r'relax.not_offloaded = "cblas: (.*?)"', str(chosen))
    return reason, module


T = TensorType
REFUSED = {
    "relax.matmul: expected elements of f32 or of f64, found i32": (
        [T(["n", 3], "i32"), T([3, 4], "i32")], op.matmul,
    ),
    "relax.matmul: expected elements of f32 or of f64, found f16": (
        [T(["n", 3], "f16"), T([3, 4], "f16")], op.matmul,
    ),
    "relax.matmul: expected elements of f32 or of f64, found f32, f64": (
        [T(["n", 3], "f32"), T([3, 4], "f32")], lambda x, w: op.matmul(x, w, out_dtype="f64"),
    ),
    "relax.matmul: expected sizes to sum over that are proved equal, found k and j": (
        [T(["n", "k"], "f32"), T(["j", 4], "f32")], op.matmul,
    ),
    "relax.matmul: expected equal batches, or one operand without, found [a, 1] and [1, b]": (
        [T(["a", 1, 3, 2], "f32"), T([1, "b", 2, 3], "f32")], op.matmul,
    ),
    "relax.matmul: expected equal batches, or one operand without, found [a] and [b]": (
        [T(["a", 3, 2], "f32"), T(["b", 2, 3], "f32")], op.matmul,
    ),
    "relax.linear: expected a weight of rank 2, found rank 1": (
        [T(["n", 3], "f32"), T([3], "f32")], op.linear,
    ),
    "relax.matmul: expected sizes up to 2147483647, found 2147483648": (
        [T([0, 2**31], "f32"), T([2**31, 1], "f32")], op.matmul,
    ),
    "relax.linear: expected sizes that are proved to fit, found some that are checked at run time": (
        [T(["n", 3], "f32"), T(["m", 3], "f32"), T(["b"], "f32")], op.linear,
    ),
    "expected a relax.matmul or relax.linear, found none": (
        [T(["n", 3], "f32"), T(["n", 3], "f32")], op.add,
    ),
}  # fmt: skip


@pytest.mark.parametrize("reason", REFUSED)
def test_what_is_not_supported_is_compiled_as_ever(reason: str):
    types, compute = REFUSED[reason]
    found, module = refused(types, compute)
    assert found == reason
    source = lowering.to_c(module, cpu="generic")
    assert source.libraries == () and "cblas" not in source.c


def test_unknown_sizes_are_refused():
    text = """
    relax.func @main(%x: !relax.tensor<[?, 3], f32>, %w: !relax.tensor<[3, 4], f32>)
        -> !relax.tensor<[?, 4], f32> attributes {Codegen = "cblas"} {
      %0 = relax.matmul %x, %w : (!relax.tensor<[?, 3], f32>, !relax.tensor<[3, 4], f32>)
          -> !relax.tensor<[?, 4], f32>
      relax.return %0 : !relax.tensor<[?, 4], f32>
    }"""
    module = parse(text)
    run_codegen(module)
    assert not kernels(module)
    assert "expected operands of known sizes, found !relax.tensor<[?, 3], f32>" in str(module)


# Functions and names

COMPOSITES = """
relax.func private @layer(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>)
    -> !relax.tensor<[n, 4], f32> attributes {Composite = "cblas.matmul_relu"} {
  %gv = relax.dataflow {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>)
        -> !relax.tensor<[n, 4], f32>
    %1 = relax.relu %0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
    relax.output %1 : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4], f32>
}
relax.func private @other(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>)
    -> !relax.tensor<[n, 4], f32> attributes {Composite = "ours.matmul"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>)
      -> !relax.tensor<[n, 4], f32>
  relax.return %0 : !relax.tensor<[n, 4], f32>
}
relax.func private @region(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>)
    -> !relax.tensor<[n, 4], f32> attributes {Codegen = "cblas"} {
  %gv = relax.dataflow {
    %0 = relax.call @layer(%x, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>)
        -> !relax.tensor<[n, 4], f32>
    %1 = relax.call @layer(%0, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>)
        -> !relax.tensor<[n, 4], f32>
    relax.output %1 : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4], f32>
}
relax.func @main(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[4, 4], f32>)
    -> !relax.tensor<[n, 4], f32> {
  %gv = relax.dataflow {
    %0 = relax.call @region(%x, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>)
        -> !relax.tensor<[n, 4], f32>
    %1 = relax.call @other(%0, %w) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 4], f32>)
        -> !relax.tensor<[n, 4], f32>
    relax.output %1 : !relax.tensor<[n, 4], f32>
  }
  relax.return %gv : !relax.tensor<[n, 4], f32>
}
"""


@needs(OPENBLAS)
def test_a_function_of_composites():
    """The composite functions that a marked function calls have kernels; others have not."""
    module = parse(COMPOSITES)
    x, w = np.random.default_rng(0).uniform(-1, 1, (2, 4, 4)).astype("f4")
    expected = np.maximum(np.maximum(x @ w, 0) @ w, 0) @ w
    np.testing.assert_allclose(interpret.run(module, "main", x, w), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        lowering.compile(module, extra_flags=UNOPTIMISED).main(x, w), expected, rtol=1e-5, atol=1e-6
    )
    run_codegen(module)
    verify(module, "after relax-run-codegen")
    assert [kernel.sym_name.data for kernel in kernels(module)] == ["layer_cblas"]
    again = str(module)
    run_codegen(module)
    assert str(module) == again


def test_a_composite_alone_is_an_ordinary_function():
    source = lowering.to_c(
        parse(COMPOSITES.replace('Codegen = "cblas"', 'Composite = "x.y"')), cpu="generic"
    )
    assert "cblas" not in source.c and source.libraries == ()


@needs(OPENBLAS)
@pytest.mark.parametrize("cc", COMPILERS)
def test_names_of_the_library(cc: str):
    """Functions, parameters and a model called like something in cblas.h or complex.h."""
    names = ("cblas_sgemm", "conj", "openblas_config", "blasint", "CblasTrans", "layer_cblas")
    builder = BlockBuilder()
    params = {"I": T(["complex", "rows"], "f32"), "columns": T(["rows", "depth"], "f32")}
    for name in names:
        with builder.function(name, params, {"Codegen": "cblas"}, private=True) as (x, w):
            builder.emit_func_output(builder.emit(op.gelu(op.matmul(x, w))))
    with builder.function("main", params) as (x, w):
        total = builder.emit(op.add(*(builder.call(n, x, w) for n in names[:2])))
        for name in names[2:]:
            total = builder.emit(total + builder.call(name, x, w))
        builder.emit_func_output(total)
    module = builder.get()
    model = lowering.compile(module, "cblas_model", cc=cc, extra_flags=STRICT)
    x, w = np.random.default_rng(0).uniform(-1, 1, (2, 3, 3)).astype("f4")
    expected = interpret.run(module, "main", x, w)
    np.testing.assert_allclose(model.main(x, w), expected, rtol=1e-5, atol=1e-5)


# The library


@pytest.mark.slow
def test_what_the_generator_needs_is_stated():
    source = lowering.to_c(program({}, "f32"), cpu="generic")
    assert "#include <cblas.h>" in source.c
    (library,) = source.libraries
    assert library.flags() == ["-lopenblas"]


def test_a_library_that_is_missing(monkeypatch: pytest.MonkeyPatch):
    source = lowering.to_c(parse(COMPOSITES), cpu="generic")
    (library,) = source.libraries
    broken = source.c.replace("<cblas.h>", "<no_such_cblas.h>")
    assert broken != source.c
    with pytest.raises(RelaxError) as error:
        runtime.build(replace(source, c=broken))
    assert "no_such_cblas.h" in str(error.value)
    assert str(error.value).endswith(f"the code generator 'cblas' needs {library.install}")
    assert "libopenblas-dev" in library.install


THREADS = """
import ctypes, sys
import lowering, relax_dialect
lowering.compile(relax_dialect.load(sys.argv[1]), extra_flags=["-O0"])
print(ctypes.CDLL("libopenblas.so.0").openblas_get_num_threads())
import os
print(os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@needs(OPENBLAS)
@pytest.mark.parametrize("wanted", [None, "2"])
def test_one_thread_unless_asked_for_more(wanted: str | None, tmp_path: Path):
    (tmp_path / "program.mlir").write_text(COMPOSITES)
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    environment |= {} if wanted is None else {"OPENBLAS_NUM_THREADS": wanted}
    command = [sys.executable, "-c", THREADS, str(tmp_path / "program.mlir")]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    threads, left = out.stdout.split()
    most = len(os.sched_getaffinity(0))
    assert (int(threads), left) == (min(int(wanted or 1), most), str(wanted))


@needs(OPENBLAS)
def test_relax_compile_links_the_library(tmp_path: Path):
    (tmp_path / "program.mlir").write_text(COMPOSITES)
    assert relax_compile([str(tmp_path / "program.mlir"), "-o", str(tmp_path / "out")]) == 0
    source = lowering.to_c(parse(COMPOSITES), "program")
    model = runtime.load(tmp_path / "out" / "program.so", source.entries)
    x = np.eye(4, dtype="f4")
    np.testing.assert_array_equal(model.main(x, x), x)


# Patterns and generators of one's own


def test_the_patterns_find_what_is_taken():
    """The first pattern of the table that matches at the end of a function is the largest one."""
    module = program({}, "f32", None)
    shared = {
        "used_twice",
        "doubled",
    }  # whose product must stay whole, which is not the pattern's word
    found: dict[str, str] = {}
    for function in module.ops:
        assert isinstance(function, FuncOp)
        for row in cblas_patterns():
            match = row.pattern.extract(function.return_op.value)
            if match is not None and takes(match) and function.sym_name.data not in shared:
                found.setdefault(function.sym_name.data, row.name.removeprefix("cblas."))
    biased = "row row_2d full turned_both own_bias wider turned_batch_by_matrix matrix_by_batch"
    rectified = "row_relu column batch_by_matrix batch_by_batch"
    assert found == {
        **{name: "matmul" for name in PRODUCTS if name not in shared},
        **dict.fromkeys([*biased.split(), "vector_by_matrix", "matrix_by_vector"], "matmul_bias"),
        **dict.fromkeys(rectified.split(), "matmul_bias_relu"),
        "relu": "matmul_relu",
        "full_gelu": "matmul_bias_gelu",
        "linear": "linear",
        "linear_row_relu": "linear_relu",
    }


def test_the_patterns_leave_what_is_refused():
    for types, compute in REFUSED.values():
        builder = BlockBuilder()
        with builder.function("main", {f"p{i}": t for i, t in enumerate(types)}) as values:
            builder.emit_func_output(builder.emit(compute(*values)))
        module = builder.get()
        matches = [match for row in cblas_patterns() for match in row.pattern.find_all(module)]
        sizes_are_unproved = len(types) == 3
        assert sizes_are_unproved or not any(map(takes, matches))


@needs(OPENBLAS)
@pytest.mark.parametrize("merged", [False, True], ids=["apart", "merged"])
def test_partitioned_by_patterns(merged: bool):
    """Marked by patterns, alone or put together with their neighbours, the products mean the same."""
    module = program({}, "f32", None)
    fuse_ops_by_pattern(module, cblas_patterns(), annotate_codegen=not merged)
    if merged:
        lower(module, ["relax-merge-composite-functions"])
    verify(module, "after partitioning")
    source = lowering.to_c(module, cpu="generic")
    assert source.libraries != ()
    model = lowering.compile(module, extra_flags=UNOPTIMISED)
    for name in PRODUCTS:
        for sizes in SIZES[:4]:
            check(model, name, sizes, "f32")


@needs(OPENBLAS)
def test_constant_weights():
    """Weights that a composite function holds itself."""
    weights = np.random.default_rng(0).uniform(-1, 1, (5, 4)).astype("f4")
    builder = BlockBuilder()
    with builder.function("main", {"x": T(["n", 5], "f32")}) as (x,):
        builder.emit_func_output(builder.emit(op.relu(op.matmul(x, const(weights)))))
    module = builder.get()
    fuse_ops_by_pattern(module, cblas_patterns(), annotate_codegen=True)
    run_codegen(module)
    assert len(kernels(module)) == 1
    x = np.random.default_rng(1).uniform(-1, 1, (3, 5)).astype("f4")
    model = lowering.compile(module, extra_flags=UNOPTIMISED)
    np.testing.assert_allclose(model.main(x), np.maximum(x @ weights, 0), rtol=1e-5, atol=1e-6)


class Wrong(CodeGenerator):
    """A generator whose kernels are what a test wants."""

    library = ExternalLibrary("wrong")

    def __init__(self, choose: Any):
        self.choose = choose

    def offloads(self, function: FuncOp) -> list[Offload]:
        return [self.choose(list(operators(function)))]

    def c_body(self, kernel: CKernel) -> Iterator[str]:
        yield "return 0;"


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda ops: Offload([], []), "expected a kernel of operators, the last with one result, found none"),
        (lambda ops: Offload(ops, []), "relax.relu: expected operands that are inputs of the kernel or made in it, found %p0; name them"),
    ],
)  # fmt: skip
def test_mistakes_of_a_generator(choose: Any, message: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(registry, "_REGISTERED", {})
    register_codegen("wrong", Wrong(choose))
    builder = BlockBuilder()
    with builder.function("main", {"p0": T(["n"], "f32")}, {"Codegen": "wrong"}) as (x,):
        builder.emit_func_output(builder.emit(op.relu(x)))
    with pytest.raises(RelaxError, match=re.escape(f'code generator "wrong": {message}')):
        run_codegen(builder.get())


def test_names_of_generators():
    with pytest.raises(RelaxError, match="expected a name of letters, digits and '_'"):
        register_codegen("my.blas", Wrong(None))
    assert registered_codegens() == ["cblas"]


@needs(OPENBLAS)
def test_the_benchmark_measures_the_same_in_all():
    rng = np.random.default_rng(0)
    x, w, b = (rng.standard_normal(s, dtype=np.float32) for s in ((3, 5), (5, 4), (4,)))
    for name, (_, expected) in external.LAYERS.items():
        for codegen in (None, "cblas"):
            result = external.layer(name, codegen)(x, w, b)
            np.testing.assert_allclose(result, expected(x, w, b), rtol=1e-5, atol=1e-5)
