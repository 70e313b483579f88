"""Elementwise operators and reductions on a million elements, compared with numpy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import lowering
from bench.measuring import Table, side_by_side
from lowering.runtime.loading import CompiledModule
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

LEAST_RATIO = 0.5
"""Of numpy's speed, for every kernel."""

ROWS, COLUMNS = 1000, 1000

DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt", "power"), (0.1, 9)),
    **dict.fromkeys(("asin", "acos", "atanh", "log1p"), (-0.99, 0.99)),
    "acosh": (1, 9),
}
"""The range of a function's arguments."""

TRUE = {"all": 1, "any": 0}
"""The share of a function's booleans that are true: no result is known before the last of them."""

NUMPY_TYPES = {
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}

TOLERANCE = {"f16": 2e-2}
"""The tolerance of a result's difference from numpy's, if it is not the default."""


@dataclass(frozen=True)
class Kernel:
    """An operator on arrays of some shapes, and its numpy equivalent."""

    name: str
    attributes: dict[str, Any]
    numpy: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...] = ((ROWS, COLUMNS),)
    dtype: str = "f32"
    label: str = field(default="")
    via: str = ""
    """The element type to convert to first, if any."""

    @property
    def title(self) -> str:
        return self.label or self.name

    def compiled(self, *, symbolic: bool) -> CompiledModule:
        """Compile the operator as a separate program, its sizes known or not."""
        names = {ROWS: "n", COLUMNS: "m"} if symbolic else {}
        bb = BlockBuilder()
        types = [TensorType([names.get(d, d) for d in shape], self.dtype) for shape in self.shapes]
        with bb.function("main", {f"x{i}": type for i, type in enumerate(types)}) as values:
            if self.via:
                values = [bb.emit(op.astype(value, self.via)) for value in values]
            bb.emit_func_output(bb.emit(getattr(op, self.name)(*values, **self.attributes)))
        module = bb.get()
        assert isinstance(module, ModuleOp)
        return lowering.compile(module)

    def arrays(self) -> list[np.ndarray]:
        rng = np.random.default_rng(0)
        dtype = NUMPY_TYPES[self.dtype]
        if self.dtype == "i1":
            return [rng.random(shape) < TRUE.get(self.name, 0.5) for shape in self.shapes]
        if self.dtype.startswith("i"):
            return [rng.integers(-99, 99, shape).astype(dtype) for shape in self.shapes]
        low, high = DOMAINS.get(self.name, (-4, 4))
        return [rng.uniform(low, high, shape).astype(dtype) for shape in self.shapes]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


BOTH = ((ROWS, COLUMNS), (ROWS, COLUMNS))
ROW = ((ROWS, COLUMNS), (COLUMNS,))
COLUMN = ((ROWS, COLUMNS), (ROWS, 1))

UNARY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    **{
        name: getattr(np, name)
        for name in re.findall(
            r"\w+",
            """negative abs sign square ceil floor trunc reciprocal exp exp2 expm1 log log2 log10 log1p sqrt
            cbrt sin cos tan sinh cosh tanh isnan isinf isfinite""",
        )
    },
    **{
        f"a{name}": getattr(np, f"arc{name}")
        for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
    },
    "round": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": sigmoid,
}
"""Operators as one or two functions of numpy, which has none for `erf` and `erfc`."""

BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    **{
        name: getattr(np, name)
        for name in re.findall(
            r"\w+",
            """add subtract multiply divide floor_divide maximum minimum power
            equal not_equal less less_equal greater greater_equal""",
        )
    },
    "atan2": np.arctan2,
    "floor_mod": np.remainder,
    "mod": np.fmod,
    "log_add_exp": np.logaddexp,
}
INTEGER: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    **{name: BINARY[name] for name in ("add", "multiply", "floor_divide", "floor_mod", "maximum")},
    "bitwise_and": np.bitwise_and,
    "less": np.less,
}

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "leakyrelu": lambda x: np.where(x > 0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "celu": lambda x: np.maximum(x, 0) + np.minimum(np.expm1(x), 0),
    "selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "silu": lambda x: x * sigmoid(x),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x))),
    "quick_gelu": lambda x: x * sigmoid(1.702 * x),
    "hard_sigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hard_swish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "softplus": lambda x: np.log1p(np.exp(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "log_sigmoid": lambda x: -np.log1p(np.exp(-x)),
    "thresholded_relu": lambda x: np.where(x > 1, x, 0),
    "hard_shrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "soft_shrink": lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0),
    "tanh_shrink": lambda x: x - np.tanh(x),
}


def elementwise(dtype: str) -> Iterator[Kernel]:
    """Yield every operator that maps one or two elements of a type to one."""
    floats = ((UNARY, BOTH[:1]), (BINARY, BOTH), (ACTIVATIONS, BOTH[:1]))
    for functions, shapes in floats if dtype.startswith("f") else ((INTEGER, BOTH),):
        for name, function in functions.items():
            yield Kernel(name, {}, function, shapes, dtype, label=f"{name}, {dtype}")


ELEMENTWISE = (
    Kernel("add", {}, np.add, ROW, label="add a row"),
    Kernel("add", {}, np.add, COLUMN, label="add a column"),
    Kernel("permute_dims", {}, lambda x: np.ascontiguousarray(x.T), label="transpose"),
    *elementwise("f32"),
    *elementwise("f64"),
    *elementwise("f16"),
    *elementwise("i32"),
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
    Kernel("count_nonzero", {}, np.count_nonzero, dtype="i1", label="count_nonzero, i1"),
    Kernel("count_nonzero", {}, np.count_nonzero, dtype="i8", label="count_nonzero, i8"),
    Kernel(
        "count_nonzero",
        {"axis": -1},
        partial(np.count_nonzero, axis=-1),
        dtype="i1",
        label="count_nonzero, i1, rows",
    ),
    *(
        Kernel(
            "sum", {}, partial(np.sum, dtype=NUMPY_TYPES[wide]), dtype=narrow, via=wide, label=label
        )
        for narrow, wide in (("i1", "i32"), ("i1", "i64"), ("i8", "i32"), ("i8", "i64"))
        for label in (f"sum, {narrow} as {wide}",)
    ),
    Kernel("mean", {}, np.mean, dtype="i1", via="f32", label="mean, i1 as f32"),
    Kernel("all", {}, np.all, dtype="i1", label="all, every one true"),
    Kernel("any", {}, np.any, dtype="i1", label="any, none true"),
    Kernel("argmax", {}, np.argmax, label="argmax, all"),
    Kernel("argmax", {"axis": -1}, partial(np.argmax, axis=-1), label="argmax, rows"),
    Kernel("variance", {"axis": -1}, partial(np.var, axis=-1), label="variance, rows"),
    Kernel("cumsum", {"axis": -1}, partial(np.cumsum, axis=-1), label="cumsum, rows"),
    Kernel("softmax", {"axis": -1}, softmax, label="softmax, rows"),
)


def speeds(title: str, kernels: tuple[Kernel, ...]) -> Table:
    """Measure microseconds per call of numpy and of our C, the sizes known and symbolic."""
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
                np.testing.assert_allclose(
                    model(*arrays), expected, rtol=TOLERANCE.get(kernel.dtype, 2e-4), atol=2e-3
                )
            actions = [partial(kernel.numpy, *arrays), *(partial(m, *arrays) for m in models)]
            numpy, static, symbolic = side_by_side(actions, budget=0.2)
        ratios = numpy / static, numpy / symbolic
        met = table.limit(f"{kernel.title}: speed by numpy's", min(ratios), at_least=LEAST_RATIO)
        times = (t * 1e6 for t in (numpy, static, symbolic))
        table.rows.append((kernel.title, *times, *ratios, met))
    return table
