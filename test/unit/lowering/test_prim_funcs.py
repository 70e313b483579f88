"""Prim funcs from tensors to loops, run by MLIR and compared with numpy."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from mlir_oracle import Oracle, check_accepted, lower_and_load, parse
from optional import MLIR, needs
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from lowering.loops.expand_math import ExpandMathPass
from lowering.loops.linalg_to_loops import LinalgToLoopsPass
from lowering.memory.bufferize.relax_bufferize import BufferizePass

SOURCE = Path(__file__).with_name("prim_funcs.mlir").read_text()
LEVELS = {
    "memrefs": [BufferizePass],
    "loops": [BufferizePass, LinalgToLoopsPass],
    "arithmetic": [BufferizePass, LinalgToLoopsPass, ExpandMathPass],
}
"""The passes before the text is handed to MLIR, which lowers the rest by itself."""

Arrays = Sequence[np.ndarray]


@cache
def module_at(level: str) -> ModuleOp:
    module = parse(SOURCE)
    for pass_ in LEVELS[level]:
        pass_().apply(Context(), module)
        module.verify()
    return module


@cache
def compiled(level: str) -> Oracle:
    return lower_and_load(module_at(level))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    return e / e.sum(axis=1, keepdims=True)


def max_pool(x: np.ndarray) -> np.ndarray:
    n, w = (x.shape[0] - 1) // 2, x.shape[1] - 1
    windows = [x[p : p + 2 * n : 2, q : q + w] for p in range(3) for q in range(2)]
    return np.max(windows, axis=0)


def cyclic(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    i = np.arange(12)
    return x[(i - 7) % 5] + y[i // 4]


REFERENCES: dict[str, Callable[..., Arrays]] = {
    "matmul": lambda a, b: [a @ b],
    "matmul_transposed": lambda a, b: [a @ b.T],
    "matmul_bias_relu": lambda a, b, bias: [np.maximum(a @ b + bias, 0)],
    "softmax": lambda x: [softmax(x)],
    "add_broadcast": lambda x, row, s: [x + row + s],
    "transpose": lambda x: [x.T],
    "antisymmetric": lambda x: [x.T - x],
    "column_sums": lambda x, start: [x.sum(axis=0) + start],
    "sums_and_total": lambda x: [x.sum(axis=1), x.sum(), 2 * x.sum(axis=1)],
    "returns_twice": lambda x: [x * x, x, x * x],
    "max_pool": lambda x: [max_pool(x)],
    "gather": lambda x, at: [x[at]],
    "reverse_of_double": lambda x: [2 * x[::-1] - 2 * x],
    "reshape": lambda x: [2 * x.reshape(-1, 2, 3), x.reshape(-1)],
    "cast": lambda x: [x * x],
    "copy": lambda x: [x],
    "cyclic": lambda x, y: [cyclic(x, y)],
    "pad": lambda x: [np.pad(x, [(0, 0), (1, 1)])],
}

CASES = [
    ("matmul", [(5, 3), (3, 17)]),
    ("matmul", [(1, 1), (1, 17)]),
    ("matmul", [(0, 3), (3, 17)]),
    ("matmul", [(4, 0), (0, 17)]),
    ("matmul_transposed", [(5, 7), (3, 7)]),
    ("matmul_transposed", [(5, 0), (3, 0)]),
    ("matmul_bias_relu", [(9, 13), (13, 8), (8,)]),
    ("matmul_bias_relu", [(0, 13), (13, 8), (8,)]),
    ("softmax", [(3, 7)]),
    ("softmax", [(1, 129)]),
    ("softmax", [(0, 4)]),
    ("softmax", [(4, 0)]),
    ("add_broadcast", [(3, 5), (1, 5), ()]),
    ("add_broadcast", [(3, 0), (1, 0), ()]),
    ("antisymmetric", [(5, 5)]),
    ("column_sums", [(6, 5), (5,)]),
    ("column_sums", [(0, 5), (5,)]),
    ("sums_and_total", [(4, 3)]),
    ("sums_and_total", [(0, 3)]),
    ("returns_twice", [(7,)]),
    ("max_pool", [(7, 5)]),
    ("max_pool", [(3, 2)]),
    ("reverse_of_double", [(7,)]),
    ("reshape", [(5, 6)]),
    ("cast", [(4, 3)]),
    ("copy", [(5, 3)]),
    ("cyclic", [(5,), (3,)]),
    ("pad", [(3, 4)]),
    ("pad", [(2, 0)]),
]


def check(level: str, name: str, inputs: Arrays, expected: Arrays, **symbols: int) -> None:
    """Run a prim func into buffers full of rubbish; inputs must stay as they were."""
    kept = [array.copy() for array in inputs]
    outputs = [np.full(array.shape, 77, array.dtype) for array in expected]
    compiled(level).call_entry(name, *inputs, *outputs, symbols=symbols)
    for output, array in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(output, array, rtol=2e-5, atol=2e-5)
    for array, before in zip(inputs, kept):
        np.testing.assert_array_equal(array, before)


def ids(cases: Sequence[tuple[str, Sequence[Sequence[int]]]]) -> list[str]:
    return ["-".join([name, *("x".join(map(str, s)) for s in shapes)]) for name, shapes in cases]


@needs(MLIR)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name, shapes", CASES, ids=ids(CASES))
def test_against_numpy(level: str, name: str, shapes: Sequence[Sequence[int]]):
    rng = np.random.default_rng(len(name))
    inputs = [np.array(rng.standard_normal(shape), "f4") for shape in shapes]
    expected = [np.asarray(array, "f4") for array in REFERENCES[name](*inputs)]
    symbols = {"n": expected[0].shape[0]} if name == "max_pool" else {}
    check(level, name, inputs, expected, **symbols)


@needs(MLIR)
@pytest.mark.parametrize("level", LEVELS)
def test_integers(level: str):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 3)).astype("f4")
    at = rng.integers(0, 6, 11)
    check(level, "gather", [x, at], [x[at]])
    check(level, "transpose", [np.arange(15).reshape(3, 5)], [np.arange(15).reshape(3, 5).T.copy()])
    check(level, "argmax", [x], [x.max(axis=1), x.argmax(axis=1)])
    check(level, "arange", [], [np.arange(9)], m=9)


@needs(MLIR)
@pytest.mark.parametrize("level", LEVELS)
def test_text_is_common_ground(level: str):
    """The printed text parses back to the same one, and MLIR accepts it as it stands."""
    text = str(module_at(level))
    assert str(parse(text)) == text
    check_accepted(text)


def test_epilogue_needs_no_memory():
    text = str(module_at("memrefs"))
    fused = text[text.index("@matmul_bias_relu") : text.index("@softmax")]
    assert "alloc" not in fused and "copy" not in fused
    assert text.count("memref.alloc(") == text.count("memref.dealloc")


def test_loop_level_reads_only_sizes_without_a_name():
    module = module_at("loops")
    assert "linalg." not in str(module)
    dims = [op for op in module.walk() if isinstance(op, memref.DimOp)]
    assert [op.source.name_hint for op in dims] == [
        "y",
        "y",
    ]  # max_pool gives [n, w - 1], pad [n, m + 2]
