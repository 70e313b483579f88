"""Modules of other dialects alone, written as MLIR's own tests are: each public function is an entry point.

What the interpreter runs is compiled, with one value; numpy says what the value is where it is one call.
"""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optional import MLIR, UNOPTIMISED, mlir_tool, needs
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    TensorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

import lowering
from relax_dialect import interpret, parse, structural_equal
from relax_dialect.errors import RelaxError
from relax_dialect.interpret.runtime_values import numpy_dtype
from relax_dialect.ir.walk import is_private

FOLDER = Path(__file__).with_name("mixed_programs")
FILES = sorted(path.stem for path in FOLDER.glob("*.mlir"))


def _softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


NUMPY: dict[str, Callable[..., Any]] = {
    "gcd": math.gcd,
    "fact": math.factorial,
    "diamond": lambda c, a, b: a + b if c else a * b,
    "addf": np.add,
    "select_t": np.where,
    "slice": lambda a: a[2:6, 4:12:2],
    "dyn_slice": lambda a, o, n: a[o : o + n],
    "concat": lambda a, b: np.concatenate([a, b]),
    "generate": lambda n: np.add.outer(np.arange(n), np.arange(3)),
    "pad": lambda a, low: np.pad(a, [(low, 1), (1, 1)]),
    "matmul": lambda a, b, c: c + a @ b,
    "transpose": np.transpose,
    "broadcast": lambda a: np.stack([a, a]),
    "reduce": lambda a: a.sum(axis=1),
    "map": np.multiply,
    "batch_matmul": lambda a, b, c: c + a @ b,
    "matvec": lambda a, b, c: c + a @ b,
    "dot": lambda a, b, c: c + a @ b,
    "quant": lambda a, b, z, c: c + (a.astype("i4") - z) @ (b.astype("i4") - z),
    "scaled_rows": lambda a, b, c: np.exp(a * b),
    "chosen": np.where,
    "gram": lambda a, c: c + a @ a.T,
    "softmax": _softmax,
    "matmul_relu": lambda a, b: np.maximum(a @ b, 0),
    "histogram": lambda a: np.bincount(a & 7, minlength=8),
    "nested": np.square,
    "tiled": np.exp,
    "tiled_dyn": np.exp,
    "mutual_even": lambda n: n % 2 == 0,
    "alias": lambda a: a,
    "from_the_end": lambda a: a[::-1],
    "rotated": lambda a: np.stack([np.roll(row, 3 * i) for i, row in enumerate(a)]),
    "tiled_sum": np.sum,
    "transposed": lambda a: a[1, 4],
    "column": lambda a, pad: a[1:, 1].sum() + 2 * pad,
}


def _argument(type: Attribute, rng: np.random.Generator) -> Any:
    shape, is_shaped = [], isinstance(type, TensorType | MemRefType)
    if isinstance(type, TensorType | MemRefType):
        shape = [4 if size == DYNAMIC_INDEX else size for size in type.get_shape()]
        type = type.get_element_type()
    elif isinstance(type, IndexType):
        return int(rng.integers(1, 3))
    dtype = np.dtype(np.int64) if isinstance(type, IndexType) else numpy_dtype(type)
    if isinstance(type, IntegerType | IndexType):
        values = rng.integers(0, 2 if dtype == np.bool_ else 10, shape)
    else:
        values = rng.standard_normal(shape)
    return np.asarray(values, dtype) if is_shaped else dtype.type(values)


def _public(module: ModuleOp) -> Iterator[FuncOp]:
    return (op for op in module.ops if isinstance(op, FuncOp) and not is_private(op))


def _flat(values: Any) -> list[Any]:
    return [v for v in (values if isinstance(values, tuple) else (values,)) if v is not None]


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_interpreter_and_c_agree(name: str) -> None:
    module = parse((FOLDER / f"{name}.mlir").read_text(), f"{name}.mlir")
    model = lowering.compile(module, extra_flags=("-Wall", "-Wextra", "-Werror", *UNOPTIMISED))
    for function in _public(module):
        entry = function.sym_name.data
        for seed in range(3):
            rng = np.random.default_rng(seed)
            mine = [_argument(t, rng) for t in function.function_type.inputs]
            theirs = [np.copy(a) if isinstance(a, np.ndarray) else a for a in mine]
            try:
                expected = interpret.run(module, entry, *theirs)
            except RelaxError:
                with pytest.raises(RelaxError):
                    model[entry](*mine)
                continue
            if entry == "count":  # a global keeps its value between calls of C alone
                continue
            found = _flat(model[entry](*mine))
            for a, b in zip([*found, *mine], [*_flat(expected), *theirs], strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6, err_msg=entry)
            if entry in NUMPY:
                np.testing.assert_allclose(
                    found[0], NUMPY[entry](*theirs), rtol=1e-5, atol=1e-6, err_msg=entry
                )


@needs(MLIR)
@pytest.mark.parametrize("name", FILES)
def test_what_mlir_prints_is_read(name: str) -> None:
    """`mlir-opt` reads what we print, and we read what it prints: the same program."""
    module = parse((FOLDER / f"{name}.mlir").read_text())
    run = subprocess.run(
        [mlir_tool("mlir-opt")], input=str(module), capture_output=True, text=True, check=True
    )
    assert structural_equal(parse(run.stdout), module)
