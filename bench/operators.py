"""Elementwise operators and reductions on a million elements, beside numpy's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from bench.measuring import Table, side_by_side
from lowering.runtime import CompiledModule
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.types import TensorType

LEAST_RATIO = 0.5
"""Of numpy's speed, for every kernel."""

ROWS, COLUMNS = 1000, 1000


@dataclass(frozen=True)
class Kernel:
    """An operator on arrays of some shapes, and what it is in numpy."""

    name: str
    attributes: dict[str, Any]
    numpy: Callable[..., np.ndarray]
    shapes: tuple[tuple[int, ...], ...] = ((ROWS, COLUMNS),)
    dtype: str = "f32"
    label: str = field(default="")

    @property
    def title(self) -> str:
        return self.label or self.name

    def compiled(self, *, symbolic: bool) -> CompiledModule:
        """The operator as a program of its own, its sizes known or not."""
        names = {ROWS: "n", COLUMNS: "m"} if symbolic else {}
        bb = BlockBuilder()
        types = [TensorType([names.get(d, d) for d in shape], self.dtype) for shape in self.shapes]
        with bb.function("main", {f"x{i}": type for i, type in enumerate(types)}) as values:
            bb.emit_func_output(bb.emit(getattr(op, self.name)(*values, **self.attributes)))
        module = bb.get()
        assert isinstance(module, ModuleOp)
        return lowering.compile(module)

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        dtype = {"f32": np.float32, "f64": np.float64, "i32": np.int32}[self.dtype]
        if self.dtype.startswith("i"):
            return [rng.integers(-99, 99, shape).astype(dtype) for shape in self.shapes]
        return [rng.standard_normal(shape).astype(dtype) for shape in self.shapes]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


BOTH = ((ROWS, COLUMNS), (ROWS, COLUMNS))
ROW = ((ROWS, COLUMNS), (COLUMNS,))
COLUMN = ((ROWS, COLUMNS), (ROWS, 1))

ELEMENTWISE = (
    Kernel("add", {}, np.add, BOTH),
    Kernel("add", {}, np.add, ROW, label="add a row"),
    Kernel("add", {}, np.add, COLUMN, label="add a column"),
    Kernel("add", {}, np.add, BOTH, "i32", label="add, i32"),
    Kernel("divide", {}, np.divide, BOTH),
    Kernel("maximum", {}, np.maximum, BOTH),
    Kernel("less", {}, np.less, BOTH),
    Kernel("negative", {}, np.negative),
    Kernel("sqrt", {}, np.sqrt),
    Kernel("exp", {}, np.exp),
    Kernel("log", {}, np.log),
    Kernel("tanh", {}, np.tanh),
    Kernel("sin", {}, np.sin),
    Kernel("sigmoid", {}, sigmoid),
    Kernel("relu", {}, lambda x: np.maximum(x, np.float32(0))),
    Kernel("permute_dims", {}, lambda x: np.ascontiguousarray(x.T), label="transpose"),
)
_AXES = tuple(
    Kernel(
        name, {"axis": axis} if axis is not None else {}, partial(function, axis=axis), label=where
    )
    for name, function in (("sum", np.sum), ("max", np.max), ("mean", np.mean))
    for axis, where in ((None, f"{name}, all"), (-1, f"{name}, rows"), (0, f"{name}, columns"))
)
REDUCTIONS = (
    *_AXES,
    Kernel("sum", {}, np.sum, dtype="f64", label="sum, f64"),
    Kernel("sum", {}, lambda x: np.sum(x, dtype=np.int32), dtype="i32", label="sum, i32"),
    Kernel("argmax", {"axis": -1}, partial(np.argmax, axis=-1), label="argmax, rows"),
    Kernel("variance", {"axis": -1}, partial(np.var, axis=-1), label="variance, rows"),
    Kernel("cumsum", {"axis": -1}, partial(np.cumsum, axis=-1), label="cumsum, rows"),
    Kernel("softmax", {"axis": -1}, softmax, label="softmax, rows"),
)


def speeds(title: str, kernels: tuple[Kernel, ...]) -> Table:
    """Microseconds per call of numpy and of our C, the sizes known and symbolic."""
    columns = (
        "kernel",
        "numpy us",
        "C us",
        "C symbolic us",
        "numpy / C",
        "numpy / symbolic",
        "met",
    )
    table = Table(f"{title}, a million elements", columns)
    for kernel in kernels:
        arrays = kernel.arrays()
        models = [kernel.compiled(symbolic=s).main for s in (False, True)]
        with np.errstate(all="ignore"):
            expected = kernel.numpy(*arrays)
            for model in models:
                np.testing.assert_allclose(model(*arrays), expected, rtol=2e-4, atol=2e-3)
            actions = [partial(kernel.numpy, *arrays), *(partial(m, *arrays) for m in models)]
            numpy, static, symbolic = side_by_side(actions, budget=0.2)
        ratios = numpy / static, numpy / symbolic
        met = table.limit(f"{kernel.title}: speed by numpy's", min(ratios), at_least=LEAST_RATIO)
        times = (t * 1e6 for t in (numpy, static, symbolic))
        table.rows.append((kernel.title, *times, *ratios, met))
    return table
