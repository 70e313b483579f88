"""Mixed precision: operators one by one, random networks within the bounds of their roundings, and beside TVM."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operators import Entry, entries
from optional import LIGHTLY, amount, examples, package, shortened
from random_programs import Program, programs
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Attribute, Operation

import lowering
from examples.models.models import MODELS
from lowering.support.target import NATIVE
from relax_dialect.builder import op
from relax_dialect.builder.constant_values import const
from relax_dialect.errors import RelaxError
from relax_dialect.frontends import tvmscript
from relax_dialect.interpret import run
from relax_dialect.interpret.runtime_values import from_dense, numpy_dtype
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.core import ConstantOp
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.kinds import ALWAYS, FOLLOW, NEVER
from relax_dialect.parsing import parse, verify
from relax_dialect.rewrites.algebra.fold_constant import constant_of
from relax_dialect.rewrites.quantization.to_mixed_precision import dtype_of, to_mixed_precision
from relax_dialect.transform.regions import functions, set_type, sort_regions

from .narrow_networks import LEAST, NARROW, UNIT, drawn, within
from .quantizable import Array, images, network, normal

CANCELS = {"lerp": 16.0, "ewise_fma": 2.0, "resize2d": 2.0, "affine_grid": 2.0}
"""Operators of several steps, each of which rounds, and how many roundings of the result their error is here."""


def round_to(array: Array, dtype: str) -> Array:
    return array.astype(numpy_dtype(TensorType((), dtype).dtype))  # pyright: ignore[reportArgumentType]


NARROWED = [e for e in entries() if issubclass(e.op, OperatorOp) and e.op.PRECISION is not NEVER]


@pytest.mark.parametrize("entry", NARROWED, ids=lambda e: e.name)
@pytest.mark.parametrize("dtype", NARROW)
def test_an_operator_rounds_once(dtype: str, entry: Entry):
    """On narrow operands an operator gives what it gives in f32 on the same numbers, rounded."""
    for case in entry.cases:
        if all(getattr(type, "dtype", None) != f32 for type in case.types):
            continue
        wide = ModuleOp([case.function("f")])
        (function,) = functions(wide)
        for number, param in enumerate(function.body.block.args):
            param.name_hint = f"p{number}"
        names = [p.name_hint or "" for p in function.body.block.args if dtype_of(p) == f32]
        narrow = wide.clone()
        to_mixed_precision(narrow, dtype, names)
        verify(narrow)
        arguments = [*zip(case.arguments(case.sizes[0], 0), case.types)]
        is_wide = [getattr(type, "dtype", None) == f32 for _, type in arguments]
        given = [
            round_to(np.asarray(a), dtype) if w else a for (a, _), w in zip(arguments, is_wide)
        ]
        with np.errstate(all="ignore"):
            found = run(narrow, "f", *given)
            exact = run(wide, "f", *(a.astype("f4") if w else a for a, w in zip(given, is_wide)))
        for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, exact))):
            assert_rounded(a, b, dtype, CANCELS.get(entry.name, 1.0))


def assert_rounded(found: Any, exact: Any, dtype: str, roundings: float) -> None:
    assert found.dtype == exact.dtype
    if exact.dtype != np.float32:
        np.testing.assert_array_equal(found, exact)
        return
    with np.errstate(all="ignore"):
        wanted = round_to(exact, dtype).astype(np.float32)
        is_same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
        allowed = roundings * (2 * UNIT[dtype] * np.abs(wanted) + 2 * LEAST[dtype])
        is_near = np.abs(found - wanted) <= allowed
    assert (is_same | is_near).all()


def ops_of(module: ModuleOp) -> list[Operation]:
    return [op for op in walk_ops(module) if op.name.startswith("relax.")]


def round_constants(module: ModuleOp, dtype: str) -> None:
    """Replace the numbers of f32 constants by the nearest ones of a narrow type."""
    for each in ops_of(module):
        if isinstance(each, ConstantOp) and dtype_of(each.result) == f32:
            array = round_to(from_dense(each.value), dtype).astype(np.float32)
            type = each.result.type
            assert isinstance(type, TensorType)
            each.properties["value"] = constant_of(np.ascontiguousarray(array), type).value


def without_casts(module: ModuleOp, before: dict[Operation, Any], dtype: Attribute) -> None:
    """Undo what the pass may do: casts between both types, narrow constants, `out_dtype`, element types."""
    for each in ops_of(module):
        if isinstance(each, AstypeOp) and each not in before:
            each.result.replace_all_uses_with(each.x)
            each.detach()
            each.erase()
        elif each in before:
            each.properties = before[each]
        for result in each.results if each.parent is not None else ():
            if dtype_of(result) == dtype and isinstance(result.type, TensorType):
                set_type(result, TensorType.get(result.type.shape, f32))
        if isinstance(each, ConstantOp) and dtype_of(each.result) == f32:
            array = np.ascontiguousarray(from_dense(each.value)).astype(np.float32)
            each.properties["value"] = constant_of(array, each.result.type).value  # pyright: ignore


@examples(100)
@given(programs(), st.sampled_from(NARROW))
def test_without_its_casts_a_program_is_as_before(program: Program, dtype: str):
    """The pass changes element types alone, and obeys the policies of the operators."""
    module = program.module.clone()
    narrow = TensorType((), dtype).dtype
    assert narrow is not None
    round_constants(module, dtype)
    for function in functions(module):
        sort_regions(function)
    expected, before = without_constants(module), {op: dict(op.properties) for op in ops_of(module)}
    was_narrow = {r for op in before for r in op.results if dtype_of(r) == narrow}
    to_mixed_precision(module, dtype)
    verify(module)
    for each in ops_of(module):
        if isinstance(each, OperatorOp) and each in before:
            obeys(each, narrow, [v for v in each.operands if v not in was_narrow])
    types = [f.function_type for f in functions(module)]
    assert types == [f.function_type for f in functions(program.module)]
    if not was_narrow:
        without_casts(module, before, narrow)
        assert without_constants(module) == expected


def obeys(each: OperatorOp, narrow: Attribute, operands: Sequence[Any]) -> None:
    """An operator has narrow operands as its policy demands."""
    dtypes = {dtype_of(v) for v in operands}
    if each.PRECISION is NEVER:
        assert narrow not in dtypes
    if each.PRECISION is FOLLOW:
        assert not {narrow, f32} <= dtypes
    if each.PRECISION is ALWAYS and f32 in dtypes and each.name != "relax.linear":
        assert any(isinstance(v.owner, ConstantOp) for v in operands)


def without_constants(module: ModuleOp) -> list[str]:
    """The ops of a module in order, without the constants, which may be copied."""
    found: list[str] = []
    for each in ops_of(module):
        if not isinstance(each, ConstantOp) and not each.regions:
            found.append(f"{each.name} {each.properties} {[str(t) for t in each.operand_types]}")
    return found


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from(NARROW))
def test_the_error_of_a_network_is_that_of_its_roundings(seed: int, dtype: str):
    module, [(name, rows, bounded)] = drawn([seed], dtype)
    to_mixed_precision(module, dtype)
    verify(module)
    found = run(module, name, rows)
    assert found.dtype == np.float32
    assert within(found, bounded)


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("cpu", ["generic", NATIVE])
@pytest.mark.parametrize("dtype", NARROW)
def test_compiled_networks_are_within_the_bounds(dtype: str, cpu: str, tmp_path: Path):
    module, calls = drawn(range(100, amount(106, 103)), dtype)
    to_mixed_precision(module, dtype)
    model = lowering.compile(module, "drawn", directory=tmp_path, cpu=cpu, extra_flags=LIGHTLY)
    for name, rows, bounded in calls:
        assert within(model[name](rows), bounded), name


ERRORS = {"f16": 0.0006, "bf16": 0.004}
"""Of a result of the models below, as a part of the largest."""


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", NARROW)
def test_a_model_keeps_its_results(dtype: str, name: str, tmp_path: Path):
    model, random = MODELS[name], np.random.default_rng(9)
    module = model.build(model.weights())
    narrow = module.clone()
    to_mixed_precision(narrow, dtype)
    verify(narrow)
    compiled = lowering.compile(narrow, name, directory=tmp_path, extra_flags=LIGHTLY)
    for sizes in model.sizes:
        call = model.inputs(random, *sizes)
        exact, found = run(module, "main", *call), run(narrow, "main", *call)
        largest = np.abs(exact).max(initial=1e-30)
        assert np.abs(found - exact).max(initial=0) <= ERRORS[dtype] * largest
        assert np.abs(compiled.main(*call) - exact).max(initial=0) <= ERRORS[dtype] * largest


@pytest.mark.slow
def test_weights_are_stored_narrow(tmp_path: Path):
    """Files of weights, and of the program as text, are half as large."""
    module = network(
        ["n", 256], lambda x: op.relu(x @ const(normal(1, 256, 512))) @ const(normal(2, 512, 256))
    )
    sizes: dict[str, int] = {}
    for dtype in ("f32", *NARROW):
        narrow = module.clone()
        if dtype != "f32":
            to_mixed_precision(narrow, dtype)
        folder = tmp_path / dtype
        lowering.compile(narrow, "net", directory=folder, extra_flags=("-O0",))
        sizes[dtype] = sum(f.stat().st_size for f in folder.glob("*weights*"))
    assert sizes["f32"] >= 2**20
    assert sizes["f16"] <= 0.51 * sizes["f32"] and sizes["bf16"] <= 0.51 * sizes["f32"]


def layers() -> ModuleOp:
    """Products with biases, on a constant and a value that others read too."""

    def body(x: Any) -> Any:
        y = op.tanh(x @ const(normal(1, 6, 9)) + const(normal(2, 9)))
        y = op.concat([y, op.exp(x)], -1) @ const(normal(3, 15, 6)) + const(normal(4, 6))
        return op.log_softmax(op.maximum(y, x) @ const(normal(5, 6, 4)), -1)

    return network(["n", 6], body)


def attention() -> ModuleOp:
    """One head of attention by plain operators, between norms."""

    def body(x: Any) -> Any:
        ones, zeros = const(np.ones(8, "f4")), const(np.zeros(8, "f4"))
        h = op.layer_norm(x, ones, zeros, -1)
        q, k, v = (h @ const(normal(seed, 8, 8, scale=0.3)) for seed in (1, 2, 3))
        scores = op.softmax(q @ op.permute_dims(k) * const(np.full(1, 0.25, "f4")), -1)
        y = op.layer_norm(x + scores @ v, ones, zeros, -1)
        return y + op.gelu(y @ const(normal(4, 8, 16))) @ const(normal(5, 16, 8))

    return network(["n", 8], body)


def residual() -> ModuleOp:
    return MODELS["residual_block"].build(MODELS["residual_block"].weights())


def heads() -> ModuleOp:
    def body(x: Any) -> Any:
        parts = [x @ const(normal(seed, 8, 8)) for seed in (1, 2, 3)]
        y = op.attention(*(op.reshape(part, ["n", 4, 2, 4]) for part in parts))
        return op.reshape(y, ["n", 4, 8]) @ const(normal(4, 8, 3))

    return network(["n", 4, 8], body)


BESIDE_TVM = {f.__name__: f for f in (layers, images, attention, residual, heads)}


@pytest.mark.parametrize("name", BESIDE_TVM)
def test_the_program_is_that_of_tvm(name: str):
    """Equal up to the order of bindings, after TVM folds constants, which it casts by operators, and keeps one of
    equal values."""
    tvm, transform = package("tvm"), package("tvm.relax").transform
    cleaning = [
        transform.FoldConstant(),
        transform.EliminateCommonSubexpr(),
        transform.DeadCodeElimination(),
        transform.TopologicalSort("depth-first", "from-outputs"),
    ]
    module = BESIDE_TVM[name]()
    theirs = transform.ToMixedPrecision()(tvm.script.from_source(tvmscript.dump(module)))
    to_mixed_precision(module)
    ours = tvm.script.from_source(tvmscript.dump(module))
    clean = tvm.transform.Sequential(cleaning)
    tvm.ir.assert_structural_equal(clean(ours), clean(theirs))


BAD = {
    "dtype": ("f32", [], "expected dtype f16 or bf16, found f32"),
    "unknown": ("f16", ["q"], r"expected names of parameters \(x, i, y\), found 'q'"),
    "integer": ("f16", ["i"], "@main: expected %i to be a tensor of f32, found"),
    "called": ("f16", ["y"], "@called: expected a function that the module does not call"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_options(name: str):
    dtype, params, message = BAD[name]
    module = parse("""
relax.func @main(%x: !relax.tensor<[n], f32>, %i: !relax.tensor<[n], i32>) -> !relax.tensor<[n], f32> {
  %z = relax.call @called(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
relax.func private @called(%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %y : !relax.tensor<[n], f32>
}
""")
    with pytest.raises(RelaxError, match=message):
        to_mixed_precision(module, dtype, params)
