"""Contractions of bytes in tiles against numpy, bit for bit: every pair of signs, sizes around tiles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import MLIR, UNOPTIMISED, amount, needs, shortened
from other_cpu import share
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

import lowering
from lowering import lower
from lowering.pipeline import PASSES, optimizations
from lowering.schedule.strategies import contraction
from lowering.schedule.strategies.contraction import TileSizes
from lowering.support.target import Cpu
from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

TYPES: Mapping[str, type[np.integer]] = {"ui8": np.uint8, "i8": np.int8}
PAIRS = list(itertools.product(TYPES, TYPES))


def bytes_of(type: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Random bytes, a third of them at the ends of their type."""
    random, ends = np.random.default_rng(seed), np.iinfo(TYPES[type])
    numbers = random.integers(ends.min, ends.max, shape, endpoint=True)
    chosen = random.choice([ends.min, ends.max, 0], shape)
    return np.where(random.random(shape) < 1 / 3, chosen, numbers).astype(TYPES[type])


@dataclass(frozen=True)
class Case:
    """A product of tensors, what follows it, and the same in numpy."""

    shapes: tuple[str, ...]
    """The shape of both operands, a letter for each size."""
    make: Callable[..., Any]
    numpy: Callable[..., Any]
    is_constant: bool = False
    """Whether the right operand is one."""


def product(a: Any, b: Any) -> Any:
    return op.matmul(a, b, out_dtype="i32")


def followed(a: Any, b: Any) -> Any:
    return op.maximum(op.add(product(a, b), const(BIAS)), const(np.int32(0)))


SIZES = {"K": 11, "L": 12, "N": 13}
BIAS = np.arange(13, dtype=np.int32) * 999 - 5000
CASES = {
    "plain": Case(("mk", "kn"), product, np.matmul),
    "four": Case(("mL", "Ln"), product, np.matmul),
    "batched": Case(("bmk", "bkn"), product, np.matmul),
    "turned": Case(
        ("mk", "nk"), lambda a, b: op.linear(a, b, out_dtype="i32"), lambda a, b: a @ b.T
    ),
    "left_turned": Case(
        ("km", "kn"),
        lambda a, b: op.einsum([a, b], "km,kn->mn", out_dtype="i32"),
        lambda a, b: a.T @ b,
    ),
    "heads": Case(
        ("bmhk", "bnhk"),
        lambda a, b: op.einsum([a, b], "bmhk,bnhk->bhmn", out_dtype="i32"),
        lambda a, b: np.einsum("bmhk,bnhk->bhmn", a, b),
    ),
    "followed": Case(("mK", "KN"), followed, lambda a, b: np.maximum(a @ b + BIAS, 0)),
    "weights": Case(("mK", "KN"), followed, lambda a, b: np.maximum(a @ b + BIAS, 0), True),
    "weights_of_four": Case(("bmL", "LN"), product, np.matmul, True),
    "weights_turned": Case(
        ("mK", "NK"), lambda a, b: op.linear(a, b, out_dtype="i32"), lambda a, b: a @ b.T, True
    ),
}
NAMES = share(
    f"{name}_{a}_{b}"
    for number, name in enumerate(CASES)
    for a, b in (PAIRS if name in ("plain", "weights") else [PAIRS[number % 3 + 1]])
)
"""All pairs of signs for two of them, one for each of the others."""

EXTENTS = {
    "b": (2, 1, 0),
    "m": (1, 3, 4, 5, 9, 17, 0),
    "n": (1, 11, 12, 13, 25, 37, 0),
    "k": (1, 3, 4, 5, 8, 13, 0),
    "h": (1, 3),
}
"""Around tiles of 4 rows and 12 columns and groups of four, and none."""

TINY = Cpu("tiny", None, vector_bytes=16, registers=16, l1=1 << 10, l2=1 << 8)


def tiny(cpu: Cpu, bits: int, columns: int) -> TileSizes:
    return replace(whole_sizes(TINY, bits, columns), block=2, pack_rows=9, least_work=0)


whole_sizes = contraction.tile_sizes


def shape_of(letters: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple({**SIZES, **sizes}[letter] for letter in letters)


def weights_of(name: str) -> np.ndarray:
    case, _, _, type = parts(name)
    return bytes_of(type, shape_of(case.shapes[1], {}), 7)


def parts(name: str) -> tuple[Case, str, str, str]:
    kind, left, right = name.rsplit("_", 2)
    return CASES[kind], kind, left, right


def program(sizes: Mapping[str, int], names: Sequence[str] = NAMES) -> ModuleOp:
    """Cases as one module, the letters in `sizes` known."""
    builder, known = BlockBuilder(), {**SIZES, **sizes}
    for name in names:
        case, _, *types = parts(name)
        shapes = [[known.get(letter, letter) for letter in shape] for shape in case.shapes]
        tensors = [TensorType(shape, type) for shape, type in zip(shapes, types)]
        given = {f"x{i}": t for i, t in enumerate(tensors[: 1 if case.is_constant else 2])}
        with builder.function(name, given) as values:
            operands = [*values, *([const(weights_of(name))] if case.is_constant else [])]
            builder.emit_func_output(builder.emit(case.make(*operands)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return module


def compiled(sizes: Mapping[str, int], names: Sequence[str] = NAMES) -> Any:
    """Cases in tiny tiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contraction, "tile_sizes", tiny)
        flags = UNOPTIMISED
        return lowering.compile(program(sizes, names), "integers", extra_flags=flags, cache=False)


def check(model: Any, name: str, sizes: Mapping[str, int]) -> None:
    case, _, *types = parts(name)
    shapes = [shape_of(letters, sizes) for letters in case.shapes]
    arrays = [bytes_of(t, shape, sum(shape)) for t, shape in zip(types, shapes)]
    if case.is_constant:
        arrays[1] = weights_of(name)
    found = model[name](*arrays[: 1 if case.is_constant else 2])
    expected = case.numpy(*(array.astype(np.int32) for array in arrays))
    np.testing.assert_array_equal(found, expected, err_msg=f"{name} {sizes}")


def combinations(letters: str) -> Iterator[dict[str, int]]:
    names = sorted(set(letters) & set(EXTENTS))
    for number, values in enumerate(itertools.product(*(EXTENTS[n] for n in names))):
        if number % amount(1, 7) == 0:
            yield dict(zip(names, values))


@pytest.mark.slow
@shortened
def test_one_artifact_for_all_sizes():
    model = compiled({})
    for name in NAMES:
        for sizes in combinations("".join(parts(name)[0].shapes)):
            check(model, name, sizes)


STATIC = ({"m": 9, "n": 25, "k": 7}, {"m": 1, "n": 12, "k": 4})


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(STATIC)))
def test_static_sizes(number: int):
    """Of each case with one of them, in turn."""
    sizes, names = STATIC[number], NAMES[number::2]
    model = compiled(sizes, names)
    for name in names:
        check(model, name, {"b": 2, "h": 3, **sizes})


@pytest.mark.slow
def test_tiles_of_this_machine():
    names = [name for name in NAMES if parts(name)[1] in ("followed", "weights")]
    model = lowering.compile(program({}, names), "integers", extra_flags=UNOPTIMISED, cache=False)
    for name in names:
        for m, n, k in ((1, 1, 1), (17, 50, 40), (7, 97, 5), (130, 33, 67)):
            check(model, name, {"m": m, "n": n, "k": k, "b": 2, "h": 2})


def test_long_sums_wrap_around():
    """70,000 products of 255 * 127 are more than i32 holds."""
    builder, k = BlockBuilder(), 70_000
    types = {"x": TensorType([1, k], "ui8"), "w": TensorType([k, 16], "i8")}
    with builder.function("main", types) as (x, w):
        builder.emit_func_output(builder.emit(product(x, w)))
    model: Any = lowering.compile(builder.get(), "sums", extra_flags=UNOPTIMISED, cache=False)
    found = model.main(np.full((1, k), 255, "u1"), np.full((k, 16), 127, "i1"))
    assert found.tolist() == [[(255 * 127 * k + 2**31) % 2**32 - 2**31] * 16]


@needs(MLIR)
def test_mlir_accepts_the_tiles(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(contraction, "tile_sizes", tiny)
    module = program({"h": 3}, NAMES[::2])
    passes = [*optimizations(), *PASSES]
    for name in passes[: passes.index("relax-lower-functions")]:
        lower(module, [name])
        if name in ("relax-schedule", "relax-linalg-to-loops", "relax-split-reductions"):
            functions = [op.clone() for op in module.ops if isinstance(op, func.FuncOp)]
            check_accepted(ModuleOp(functions))
