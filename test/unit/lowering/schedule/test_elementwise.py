"""Loops that become one against numpy, and that results are still written over arguments."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, UNOPTIMISED, needs
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import lowering
from lowering import lower
from lowering.ir.in_place_safety import may_overwrite
from lowering.pipeline import PASSES
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

SHAPES: dict[str, tuple[list[int | str], list[int | str]]] = {
    "same": (["n", "m", 3], ["n", "m", 3]),
    "last": (["n", "m", 3], [3]),
    "middle": (["n", "m", 3], ["m", 1]),
    "first": (["n", "m", 3], ["n", 1, 1]),
    "outer": (["n", "m", 3], ["n", 1, 3]),
    "scalar": (["n", 7, 7], []),
}


def program(dtype: str = "f32") -> ModuleOp:
    """Sums of an array and what is broadcast to it, and a transpose of images."""
    builder = BlockBuilder()
    for name, shapes in SHAPES.items():
        types = {f"x{i}": TensorType(shape, dtype) for i, shape in enumerate(shapes)}
        with builder.function(name, types) as (x, y):
            builder.emit_func_output(builder.emit(op.relu(builder.emit(op.add(x, y)))))
    with builder.function("turned", {"x": TensorType(["n", "h", 5, "c"], dtype)}) as (x,):
        builder.emit_func_output(builder.emit(op.permute_dims(x, [0, 3, 1, 2])))
    shapes = (["n", "m", 3], ["n", "k", 3], ["n", 1, 3])
    with builder.function(
        "joined", {f"x{i}": TensorType(s, dtype) for i, s in enumerate(shapes)}
    ) as x:
        builder.emit_func_output(
            builder.emit(
                op.relu(builder.emit(op.add(builder.emit(op.concat(x[:2], axis=1)), x[2])))
            )
        )
    with builder.function("framed", {"x": TensorType(["n", "m"], dtype)}) as (x,):
        for mode in ("reflect", "replicate", "constant"):
            x = builder.emit(op.pad(x, [0, 0, 17, 20], mode))
        builder.emit_func_output(builder.emit(op.relu(x)))
    return builder.get()


@cache
def compiled(dtype: str) -> Any:
    flags = () if dtype == "f32" else UNOPTIMISED
    return lowering.compile(program(dtype), "flat", extra_flags=flags)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f32", "f16", "i8"])
@pytest.mark.parametrize("name", SHAPES)
def test_sums_agree_with_numpy(name: str, dtype: str):
    random = np.random.default_rng(0)
    for n, m in ((0, 3), (1, 1), (5, 7), (16, 17)):
        x, y = (
            random.integers(-9, 9, [{"n": n, "m": m}.get(d, d) for d in shape]).astype(
                {"f32": np.float32, "f16": np.float16, "i8": np.int8}[dtype]
            )
            for shape in SHAPES[name]
        )
        np.testing.assert_array_equal(compiled(dtype)[name](x, y), np.maximum(x + y, 0))


@pytest.mark.slow
def test_a_transpose_of_images_agrees_with_numpy():
    for sizes in ((1, 7, 5, 33), (2, 1, 5, 16), (0, 4, 5, 3), (3, 4, 5, 1)):
        x = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
        np.testing.assert_array_equal(compiled("f32")["turned"](x), x.transpose(0, 3, 1, 2))


@pytest.mark.slow
def test_what_follows_a_concatenation_agrees_with_numpy():
    for n, m, k in ((0, 2, 3), (1, 1, 1), (3, 0, 7), (5, 17, 16)):
        random = np.random.default_rng(0)
        x, y, z = (random.standard_normal((n, size, 3)).astype(np.float32) for size in (m, k, 1))
        expected = np.maximum(np.concatenate([x, y], 1) + z, 0)
        np.testing.assert_array_equal(compiled("f32")["joined"](x, y, z), expected)


@pytest.mark.slow
def test_what_follows_padding_agrees_with_numpy():
    for n, m in ((0, 21), (1, 22), (5, 64)):
        x = np.random.default_rng(0).standard_normal((n, m)).astype(np.float32)
        expected = x
        for mode in ("reflect", "edge", "constant"):
            expected = np.pad(expected, [(0, 0), (17, 20)], mode)
        np.testing.assert_array_equal(compiled("f32")["framed"](x), np.maximum(expected, 0))


def test_results_may_be_written_over_what_is_joined_alike():
    names = tuple(PASSES)[: tuple(PASSES).index("relax-split-reductions") + 1]
    found = {}
    for function in lower(program(), names).ops:
        if isinstance(function, FuncOp) and function.sym_name.data.startswith("add_relu"):
            *_, x, y, out = function.body.block.args
            found[function.sym_name.data] = may_overwrite(x, out), may_overwrite(y, out)
    assert len(found) == len(SHAPES)
    assert found.pop("add_relu") == (True, True)
    assert set(found.values()) == {(True, False)}


@needs(MLIR)
def test_mlir_accepts_one_loop():
    names = tuple(PASSES)[: tuple(PASSES).index("relax-schedule") + 1]
    functions = [f.clone() for f in lower(program(), names).ops if isinstance(f, FuncOp)]
    check_accepted(ModuleOp(functions))


@pytest.mark.parametrize("cpu", ["native", "generic"])
def test_functions_in_vectors_and_after_them(cpu: str):
    """The elements after the last whole vector have the same bits as the same numbers in vectors."""
    builder = BlockBuilder()
    types = {"x": TensorType(["n", 70], "f32"), "y": TensorType([70], "f32")}
    with builder.function("main", types) as (x, y):
        gate = builder.emit(op.multiply(builder.emit(op.tanh(x)), builder.emit(op.sigmoid(y))))
        builder.emit_func_output(builder.emit(op.gelu(gate)))
    model = lowering.compile(builder.get(), "gate", cpu=cpu)
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, -1e-40, 88.8, -104.5, 3.4e38]
    x = np.tile(np.array(special, np.float32), 7)
    found = model.main(x[None], np.full(70, 2.5, np.float32)).reshape(7, 10)
    assert len({row.tobytes() for row in found}) == 1
    gate = np.tanh(x[:10].astype(np.float64)) / (1 + np.exp(-2.5))
    expected = gate / 2 * (1 + np.vectorize(math.erf)(gate / math.sqrt(2)))
    denormal = np.finfo(np.float32).smallest_subnormal  # half of an odd number of them is a tie
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=float(denormal))
    assert np.signbit(found[0][1]) and not np.signbit(found[0][0])
