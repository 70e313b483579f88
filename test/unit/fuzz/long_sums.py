"""Sums of f32 with very many terms, against numpy's in f64."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import lowering
from relax_dialect import interpret
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

from .cases import Fault

BOUND = 1e-6
"""The largest relative error, as docs/operators.md has it."""

OFFSETS = (0, 1, 10, 1000)
"""What is added to numbers between 0 and 1."""

CPUS = ("generic", "x86-64-v3", "native")


@dataclass(frozen=True)
class Case:
    """An operator, the shapes of its arguments, and what numpy makes of them in f64."""

    emit: Callable[..., Any]
    shapes: Sequence[Sequence[int | str]]
    expected: Callable[..., Any]

    def sizes(self, length: int) -> Mapping[str, int]:
        """The sizes with which so many terms are added up."""
        side = round(length**0.5)
        return {"n": length, "a": side, "b": length // side}


def _normed(x: Any) -> Any:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


def _softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


ROWS, COLUMNS = [(2, "n")], [("n", 3)]

CASES: Mapping[str, Case] = {
    "sum": Case(op.sum, [("n",)], np.sum),
    "sum_rows": Case(lambda x: op.sum(x, axis=[1]), ROWS, lambda x: x.sum(1)),
    "sum_columns": Case(lambda x: op.sum(x, axis=[0]), COLUMNS, lambda x: x.sum(0)),
    "sum_middle": Case(lambda x: op.sum(x, axis=[1]), [(2, "n", 2)], lambda x: x.sum(1)),
    "sum_ends": Case(lambda x: op.sum(x, axis=[0, 2]), [("a", 3, "b")], lambda x: x.sum((0, 2))),
    "sum_planes": Case(lambda x: op.sum(x, axis=[0, 1]), [("a", "b", 3)], lambda x: x.sum((0, 1))),
    "mean_rows": Case(lambda x: op.mean(x, axis=[1]), ROWS, lambda x: x.mean(1)),
    "mean_columns": Case(lambda x: op.mean(x, axis=[0]), COLUMNS, lambda x: x.mean(0)),
    "variance_rows": Case(lambda x: op.variance(x, axis=[1]), ROWS, lambda x: x.var(1)),
    "variance_columns": Case(lambda x: op.variance(x, axis=[0]), COLUMNS, lambda x: x.var(0)),
    "std": Case(lambda x: op.std(x, axis=[1]), ROWS, lambda x: x.std(1)),
    "l1": Case(lambda x: op.reduce_l1(x, axis=[1]), ROWS, lambda x: np.abs(x).sum(1)),
    "l2": Case(lambda x: op.reduce_l2(x, axis=[0]), COLUMNS, lambda x: np.sqrt((x * x).sum(0))),
    "logsumexp": Case(
        lambda x: op.logsumexp(x, axis=[0]),
        COLUMNS,
        lambda x: np.log(np.exp(x - x.max(0)).sum(0)) + x.max(0),
    ),
    "softmax": Case(op.softmax, ROWS, _softmax),
    "layer_norm": Case(
        lambda x, one, zero: op.layer_norm(x, one * 0.0 + 1.0, zero * 0.0, axes=[1]),
        [(2, "n"), ("n",), ("n",)],
        lambda x, *_: _normed(x),
    ),
    "mse_loss": Case(
        lambda x, y: op.mse_loss(x, y * 0.0), [*ROWS, *ROWS], lambda x, _: (x * x).mean()
    ),
    "adaptive_pool": Case(
        lambda x: op.adaptive_avg_pool2d(x, output_size=[1, 1]),
        [(1, 2, "a", "b")],
        lambda x: x.mean((2, 3), keepdims=True),
    ),
    "matmul": Case(op.matmul, [(3, "n"), ("n", 16)], np.matmul),
    "matrix_vector": Case(op.matmul, [(3, "n"), ("n",)], np.matmul),
    "vector_matrix": Case(op.matmul, [("n",), ("n", 5)], np.matmul),
    "dot": Case(op.matmul, [("n",), ("n",)], np.dot),
    "transposed": Case(
        lambda x, y: op.matmul(op.permute_dims(x), y), [("n", 3), ("n", 4)], lambda x, y: x.T @ y
    ),
    "einsum": Case(
        lambda x, y: op.einsum((x, y), subscripts="abi,abj->ij"),
        [("a", "b", 2), ("a", "b", 3)],
        lambda x, y: np.einsum("abi,abj->ij", x, y),
    ),
    "conv1d": Case(
        op.conv1d,
        [(1, 2, "n"), (8, 2, "n")],
        lambda x, w: np.einsum("bcn,ocn->bo", x, w)[..., None],
    ),
    "conv2d": Case(
        op.conv2d,
        [(2, 1, "a", "b"), (8, 1, "a", "b")],
        lambda x, w: np.einsum("ncab,ocab->no", x, w)[..., None, None],
    ),
    "cumsum": Case(lambda x: op.cumsum(x, axis=0), [("n",)], np.cumsum),
    "cumsum_rows": Case(lambda x: op.cumsum(x, axis=1), ROWS, lambda x: x.cumsum(1)),
    "cumsum_columns": Case(lambda x: op.cumsum(x, axis=0), COLUMNS, lambda x: x.cumsum(0)),
    "collapse": Case(
        lambda x: op.collapse_sum_to(x, shape=[1, 3]), COLUMNS, lambda x: x.sum(0, keepdims=True)
    ),
}


def module(names: Sequence[str], lengths: Sequence[int | None]) -> Any:
    """A function of each name and length, `None` for one that is not known: `sum_1000`, `sum_None`."""
    builder = BlockBuilder()
    for name in names:
        for length in lengths:
            case = CASES[name]
            known = {} if length is None else case.sizes(length)
            shapes = [[known.get(str(size), size) for size in shape] for shape in case.shapes]
            types = {f"x{i}": TensorType(shape, "f32") for i, shape in enumerate(shapes)}
            with builder.function(f"{name}_{length}", types) as values:
                builder.emit_func_output(builder.emit(case.emit(*values)))
    return builder.get()


def arguments(name: str, length: int, offset: float, seed: int) -> list[np.ndarray]:
    """Random arguments of a case."""
    case, rng = CASES[name], np.random.default_rng(seed)
    sizes = case.sizes(length)
    shapes = [[sizes.get(str(size), size) for size in shape] for shape in case.shapes]
    return [rng.random(shape, np.float32) + np.float32(offset) for shape in shapes]


def error(name: str, found: np.ndarray, given: Sequence[np.ndarray]) -> float:
    """The largest relative error; where the mean is subtracted, relative to its own rounding."""
    wide = [x.astype(np.float64) for x in given]
    expected = np.asarray(CASES[name].expected(*wide))
    assert found.shape == expected.shape
    size = np.abs(expected)
    if name == "layer_norm":
        size = 1 + np.abs(wide[0]).max() / wide[0].std()
    return float(np.max(np.abs(found - expected) / size))


def case(rng: random.Random) -> bool:
    """An operator and an offset at ten million terms, for a CPU or by the interpreter."""
    name, offset = rng.choice([*CASES]), rng.choice(OFFSETS)
    length, cpu = rng.choice((10**6, 10**7)), rng.choice((*CPUS, None))
    known = rng.choice((None, length))
    program = module([name], [known])
    given = arguments(name, length, offset, rng.randrange(1 << 30))
    if cpu is None:
        found = interpret.run(program, f"{name}_{known}", *given)
    else:
        found = lowering.compile(program, "sums", cpu=cpu)[f"{name}_{known}"](*given)
    wrong = error(name, np.asarray(found), given)
    if not wrong <= BOUND:
        raise Fault(
            f"{name}: {length} terms from {offset} on, {cpu}: error {wrong:.1e}", str(program)
        )
    return True
