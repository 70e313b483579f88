"""Random programs of operators that have rules of sharding, and random placements of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, Value, op
from relax_dialect.ir.types import TensorType

GRIDS = ({"tp": 2}, {"tp": 3}, {"dp": 2, "tp": 2}, {"dp": 2, "tp": 3})
SIZES = (12, 6, 24, "n")
NUMBERS = {"n": 12}


def number(size: Any) -> int:
    return size.evaluate(NUMBERS)


@dataclass
class Programs:
    """A source of programs."""

    rng: np.random.Generator
    values: list[Value] = field(default_factory=list[Value])

    def pick(self, *ranks: int) -> Value | None:
        """A value of one of some ranks, rather a late one."""
        found = [v for v in self.values if len(v.shape or ()) in ranks]
        weights = np.arange(1, len(found) + 1)
        return found[self.rng.choice(len(found), p=weights / weights.sum())] if found else None

    def axis(self, x: Value) -> int:
        return int(self.rng.integers(len(x.shape or ())))

    def program(self, steps: int = 8) -> ModuleOp:
        """A function of random ops of random tensors."""
        self.builder = BlockBuilder()
        rng = self.rng
        shapes = [
            [SIZES[i] for i in rng.integers(len(SIZES), size=rng.integers(1, 4))] for _ in range(4)
        ]
        types = {f"p{i}": TensorType(shape, "f64") for i, shape in enumerate(shapes)}
        types["indices"] = TensorType(["n", 6][: rng.integers(1, 3)], "i64")
        with self.builder.function("main", types) as values:
            self.indices, self.values = values[-1], list(values[:-1])
            for step in range(steps):
                made = self.step()
                for each in made if isinstance(made, tuple) else (made,):
                    value = self.builder.emit(each, f"v{step}")
                    if np.prod([number(s) for s in value.shape]) <= 20000:
                        self.values.append(value)
            self.builder.emit_func_output(self.builder.emit(op.tuple(*self.values[-3:])))
        return self.builder.get()

    def step(self) -> Any:
        """A random expression of the values so far."""
        while True:
            name = KINDS[self.rng.integers(len(KINDS))]
            x = self.pick(1, 2, 3)
            assert x is not None
            found = getattr(self, name)(x)
            if found is not None:
                return found

    def unary(self, x: Value) -> Any:
        kinds: list[Callable[[Any], Any]] = [op.tanh, op.sigmoid, op.negative, op.sin]
        return kinds[self.rng.integers(len(kinds))](x)

    def binary(self, x: Value) -> Any:
        kinds = [op.add, op.subtract, op.multiply, op.maximum]
        ys = [y for y in self.values if y.shape and x.shape and y.shape == x.shape[-len(y.shape) :]]
        y = ys[self.rng.integers(len(ys))] if ys else x
        return kinds[self.rng.integers(len(kinds))](x, y)

    def matmul(self, x: Value) -> Any:
        ys = [
            y
            for y in self.values
            if len(y.shape) == 2 and len(x.shape) >= 2 and y.shape[0] is x.shape[-1]
        ]
        return op.multiply(op.matmul(x, ys[self.rng.integers(len(ys))]), 0.1) if ys else None

    def linear(self, x: Value) -> Any:
        ys = [y for y in self.values if len(y.shape) == 2 and y.shape[1] is x.shape[-1]]
        if not ys:
            return None
        y = ys[self.rng.integers(len(ys))]
        biases = [b for b in self.values if len(b.shape) == 1 and b.shape[0] is y.shape[0]]
        return op.multiply(op.linear(x, y, *biases[:1]), 0.1)

    def reduce(self, x: Value) -> Any:
        kinds = [op.sum, op.mean, op.max, op.min]
        keeps = bool(self.rng.integers(2)) or len(x.shape) == 1
        found = kinds[self.rng.integers(len(kinds))](x, axis=[self.axis(x)], keepdims=keeps)
        return op.multiply(found, 0.2)

    def softmax(self, x: Value) -> Any:
        return op.softmax(x, axis=self.axis(x))

    def norm(self, x: Value) -> Any:
        gains = [g for g in self.values if len(g.shape) == 1 and g.shape[0] is x.shape[-1]]
        return op.rms_norm(x, gains[0], axes=[len(x.shape) - 1]) if gains else None

    def permute(self, x: Value) -> Any:
        return op.permute_dims(x, axes=[int(a) for a in self.rng.permutation(len(x.shape))])

    def merge(self, x: Value) -> Any:
        if len(x.shape) < 2:
            return None
        at = int(self.rng.integers(len(x.shape) - 1))
        shape = [*x.shape[:at], x.shape[at] * x.shape[at + 1], *x.shape[at + 2 :]]
        return op.reshape(x, shape)

    def split_dim(self, x: Value) -> Any:
        axis = self.axis(x)
        size = x.shape[axis]
        if size.value not in (6, 12, 24) or len(x.shape) > 2:
            return None
        first = [f for f in (2, 3, 4, 6) if size.value % f == 0][self.rng.integers(2)]
        return op.reshape(x, [*x.shape[:axis], first, size.value // first, *x.shape[axis + 1 :]])

    def expand(self, x: Value) -> Any:
        return op.expand_dims(x, [self.axis(x)]) if len(x.shape) < 3 else None

    def concat(self, x: Value) -> Any:
        return op.concat([x, op.tanh(x)], axis=self.axis(x))

    def split(self, x: Value) -> Any:
        axis = self.axis(x)
        if x.shape[axis].value is None or x.shape[axis].value % 2:
            return None
        left, right = self.builder.emit(op.split(x, 2, axis))
        return (left, op.sin(right))

    def take(self, x: Value) -> Any:
        axis = self.axis(x)
        return op.take(x, self.indices, axis=axis) if x.shape[axis].value in (6, 12, 24) else None

    def slice(self, x: Value) -> Any:
        axis = self.axis(x)
        size = x.shape[axis].value
        return op.strided_slice(x, [axis], [size // 3], [size]) if size else None

    def loss(self, x: Value) -> Any:
        if len(x.shape) != 2 or x.shape[1].value not in (6, 12, 24):
            return None
        targets = op.take(self.indices, 0, 1) if len(self.indices.shape) == 2 else self.indices
        fits = x.shape[0] is self.indices.shape[0]
        return op.nll_loss(x, targets, ignore_index=1) if fits else None

    def broadcast(self, x: Value) -> Any:
        return op.broadcast_to(x, [6, *x.shape]) if len(x.shape) < 3 else None

    def sharding(
        self, module: ModuleOp, axes: list[str], name: str = "main"
    ) -> dict[str, list[str]]:
        """Random placements of half of the parameters, and of some other values."""
        found: dict[str, list[str]] = {}
        (function,) = (f for f in module.ops if f.sym_name.data == name)  # pyright: ignore
        results = [r for o in function.body.block.ops for r in o.results]  # pyright: ignore
        names = Counter(r.name_hint for r in results)
        results = [r for r in results if names[r.name_hint] == 1]
        for value in [*function.body.block.args, *results]:  # pyright: ignore
            hint, shape = value.name_hint, getattr(value.type, "shape", None)
            is_parameter = value.owner is function.body.block  # pyright: ignore
            if (
                not hint
                or not shape
                or is_returned(value)
                or self.rng.random() > (0.5 if is_parameter else 0.15)
            ):
                continue
            dims = [""] * len(shape)
            for axis in axes:
                free = [
                    d for d, size in enumerate(shape) if not dims[d] and is_cut(size, is_parameter)
                ]
                if free and self.rng.random() < 0.7:
                    dims[free[self.rng.integers(len(free))]] = axis
            found[hint] = dims
        return found


def is_returned(value: Any) -> bool:
    """Whether a value is part of the result: annotated ones are returned in parts."""
    return any(use.operation.name in ("relax.tuple", "relax.return") for use in value.uses)


def is_cut(size: Any, is_parameter: bool) -> bool:
    """Whether every axis of the grids divides a size."""
    is_variable = is_parameter and size is not None and str(size) == "n"
    return is_variable or (size is not None and size.value is not None and size.value % 6 == 0)


KINDS = (
    *("unary", "binary", "binary", "matmul", "matmul", "linear", "linear", "reduce", "reduce"),
    *("softmax", "norm", "permute", "merge", "split_dim", "expand", "concat", "split", "take"),
    *("broadcast", "slice", "loss", "loss", "loss"),
)
