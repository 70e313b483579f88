"""Contractions in tiles against numpy: every way to read the operands, sizes around those of a tile."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from mlir_oracle import check_accepted
from optional import LONG, MLIR, UNOPTIMISED, amount, needs, shortened
from other_cpu import share
from tiny_tiles import use_tiny_tiles
from xdsl.dialects import func
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp, f32
from xdsl.dialects.builtin import TensorType as tensor

import lowering
from lowering import lower
from lowering.pipeline import PASSES, optimizations
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType

WEIGHTS = np.random.default_rng(3).standard_normal((11, 13)).astype(np.float32)


def dense(array: np.ndarray) -> DenseIntOrFPElementsAttr:
    return DenseIntOrFPElementsAttr(tensor(f32, array.shape), BytesAttr(array.tobytes()))


DENSE, BATCHES = dense(WEIGHTS), dense(np.stack([WEIGHTS, -WEIGHTS]))


@dataclass(frozen=True)
class Case:
    """A program of symbolic sizes, and what it is in numpy."""

    shapes: tuple[str, ...]
    """The shape of every parameter, a letter for each size."""
    make: Callable[..., Any]
    numpy: Callable[..., Any]
    dtype: str = "f32"

    def sizes(self, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
        known = {**KNOWN, **sizes}
        return [tuple(known[letter] for letter in shape) for shape in self.shapes]


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


def convolved(
    x: np.ndarray, w: np.ndarray, step: int = 1, border: int = 1, dilation: int = 1
) -> np.ndarray:
    """The convolution of images, the sum over every window written out."""
    x = np.pad(x, [(0, 0), (0, 0), (border, border), (border, border)])
    rows, columns = w.shape[2:]
    reach = [(size - 1) * dilation + 1 for size in (rows, columns)]
    high, wide = ((x.shape[2 + d] - reach[d]) // step + 1 for d in range(2))
    out = np.zeros((x.shape[0], w.shape[0], high, wide), x.dtype)
    for r, s in itertools.product(range(rows), range(columns)):
        top, left = r * dilation, s * dilation
        seen = x[:, :, top : top + step * high : step, left : left + step * wide : step]
        out += np.einsum("nchw,kc->nkhw", seen[:, :, :high, :wide], w[:, :, r, s])
    return out


KNOWN = {"K": 11, "N": 13, "C": 3, "F": 9, "R": 3, "1": 1, "2": 2, "M": 14, "W": 12}

CASES = {
    "images": Case(
        ("bCmn", "FCRR"),
        lambda x, w: op.conv2d(x, w, padding=[1, 1]),
        convolved,
    ),
    "steps": Case(
        ("bCmn", "FCRR", "F11"),
        lambda x, w, c: op.relu(op.add(op.conv2d(x, w, strides=[2, 2], padding=[2, 2]), c)),
        lambda x, w, c: relu(convolved(x, w, 2, 2) + c),
    ),
    "points": Case(
        ("bCmn", "FC11", "bFmn"),
        lambda x, w, y: op.add(op.conv2d(x, w), y),
        lambda x, w, y: convolved(x, w, border=0) + y,
    ),
    "strips": Case(
        ("bCMW", "FCRR", "bFMW"),
        lambda x, w, y: op.tanh(op.add(op.conv2d(x, w, padding=[2, 2], dilation=[2, 2]), y)),
        lambda x, w, y: np.tanh(convolved(x, w, border=2, dilation=2) + y),
    ),
    "line": Case(
        ("bCn", "FCR"),
        lambda x, w: op.conv1d(x, w, padding=[1, 1]),
        lambda x, w: convolved(x[:, :, None], w[:, :, None], border=1)[:, :, 1],
    ),
    "plain": Case(("mk", "kn"), op.matmul, np.matmul),
    "double": Case(("mk", "kn"), op.matmul, np.matmul, "f64"),
    "turned": Case(("mk", "nk"), lambda a, b: op.linear(a, b), lambda a, b: a @ b.T),
    "left_turned": Case(
        ("km", "kn"), lambda a, b: op.einsum([a, b], "km,kn->mn"), lambda a, b: a.T @ b
    ),
    "both_turned": Case(
        ("km", "nk"), lambda a, b: op.einsum([a, b], "km,nk->mn"), lambda a, b: (b @ a).T
    ),
    "batched": Case(("bmk", "bkn"), op.matmul, np.matmul),
    "shared_right": Case(("bmk", "kn"), op.matmul, np.matmul),
    "shared_right_relu": Case(
        ("bmk", "kn", "bmn", "n"),
        lambda a, b, c, d: op.relu(op.multiply(op.add(op.matmul(a, b), c), d)),
        lambda a, b, c, d: relu((a @ b + c) * d),
    ),
    "shared_right_rows": Case(
        ("bmk", "kn", "mn"),
        lambda a, b, c: op.add(op.matmul(a, b), c),
        lambda a, b, c: a @ b + c,
    ),
    "shared_left": Case(("mk", "bkn"), op.matmul, np.matmul),
    "gates": Case(
        ("mk", "khn"),
        lambda a, b: op.einsum([a, b], "mk,khn->mhn"),
        lambda a, b: np.einsum("mk,khn->mhn", a, b),
    ),
    "heads": Case(
        ("bmhk", "bnhk"),
        lambda a, b: op.einsum([a, b], "bmhk,bnhk->bhmn"),
        lambda a, b: np.einsum("bmhk,bnhk->bhmn", a, b),
    ),
    "bias_relu": Case(
        ("mk", "kn", "n"),
        lambda a, b, c: op.relu(op.add(op.matmul(a, b), c)),
        lambda a, b, c: relu(a @ b + c),
    ),
    "row_bias": Case(
        ("bmk", "bkn", "m"),
        lambda a, b, c: op.tanh(op.add(op.matmul(a, b), op.expand_dims(c, [1]))),
        lambda a, b, c: np.tanh(a @ b + c[:, None]),
    ),
    "residual": Case(
        ("mk", "kn", "mn"),
        lambda a, b, c: op.multiply(op.add(op.matmul(a, b), c), c),
        lambda a, b, c: (a @ b + c) * c,
    ),
    "used_twice": Case(
        ("mk", "kn"),
        lambda a, b: op.add(op.matmul(a, b), op.exp(op.negative(op.abs(op.matmul(a, b))))),
        lambda a, b: a @ b + np.exp(-np.abs(a @ b)),
    ),
    "square": Case(("mm", "mm"), op.matmul, np.matmul),
    "weights": Case(
        ("mK", "N"),
        lambda a, c: op.relu(op.add(op.matmul(a, op.constant(DENSE)), c)),
        lambda a, c: relu(a @ WEIGHTS + c),
    ),
    "weights_of_batches": Case(
        ("2mK", "N"),
        lambda a, c: op.relu(op.add(op.matmul(a, op.constant(BATCHES)), c)),
        lambda a, c: relu(a @ np.stack([WEIGHTS, -WEIGHTS]) + c),
    ),
    "weights_turned": Case(
        ("bmN",),
        lambda a: op.linear(a, op.constant(DENSE)),
        lambda a: a @ WEIGHTS.T,
    ),
}

OWN = tuple(share(CASES))
"""Those that are tried on this CPU."""

EXTENTS = {
    "b": (2, 1, 0),
    "m": (1, 3, 4, 5, 9, 17, 0),
    "n": (1, 7, 8, 9, 17, 25, 0),
    "k": (1, 2, 7, 0),
    "h": (1, 3),
}
"""Around tiles of 4 rows and 8 columns, and none."""


def program(sizes: Mapping[str, int], names: Sequence[str] = tuple(CASES)) -> ModuleOp:
    """Cases as one module, the letters in `sizes` known."""
    known = {**KNOWN, **sizes}
    builder = BlockBuilder()
    for name in names:
        case = CASES[name]
        types = {
            f"x{i}": TensorType([known.get(letter, letter) for letter in shape], case.dtype)
            for i, shape in enumerate(case.shapes)
        }
        with builder.function(name, types) as values:
            builder.emit_func_output(builder.emit(case.make(*values)))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return module


@cache
def compiled(sizes: tuple[tuple[str, int], ...] = (), names: Sequence[str] = OWN) -> Any:
    """Cases as one library, in tiny tiles."""
    with pytest.MonkeyPatch.context() as patch:
        use_tiny_tiles(patch)
        return build(program(dict(sizes), names))


def build(module: ModuleOp) -> Any:
    return lowering.compile(module, "contractions", extra_flags=UNOPTIMISED, cache=False)


def combinations(letters: str) -> Iterator[dict[str, int]]:
    """Sizes for letters: pairs of rows and columns, the others in turn."""
    names = sorted(set(letters) & set(EXTENTS))
    for number, values in enumerate(itertools.product(*(EXTENTS[n] for n in names))):
        if number % amount(1, 5) == 0:
            yield dict(zip(names, values))


def check(model: Any, name: str, sizes: Mapping[str, int]) -> None:
    case = CASES[name]
    random = np.random.default_rng(sum(sizes.values()))
    type = {"f32": np.float32, "f64": np.float64}[case.dtype]
    arrays = [random.standard_normal(shape).astype(type) for shape in case.sizes(sizes)]
    result, expected = model[name](*arrays), case.numpy(*arrays)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4, err_msg=f"{name} {sizes}")


@pytest.mark.slow
@shortened
@pytest.mark.parametrize("name", OWN)
def test_one_artifact_for_all_sizes(name: str):
    letters = "".join(CASES[name].shapes)
    for sizes in combinations(letters):
        is_empty_image = "F" in letters and 0 in (sizes.get("m"), sizes.get("n"))
        if not is_empty_image:  # which convolutions refuse
            check(compiled(), name, sizes)


STATIC = ({"m": 9, "n": 25, "k": 7}, {"m": 1, "n": 8, "k": 3}, {"m": 4, "n": 13, "k": 1})


@pytest.mark.slow
@pytest.mark.parametrize(
    "sizes", [STATIC[0], *(pytest.param(s, marks=needs(LONG)) for s in STATIC[1:])], ids=str
)
def test_static_sizes(sizes: dict[str, int]):
    """All cases with the first sizes, each with one of the others too."""
    number = STATIC.index(sizes)
    names = OWN[number - 1 :: 2] if number else OWN
    model = compiled(tuple(sizes.items()), names)
    for name in names:
        check(model, name, {"b": 2, "h": 3, **sizes})


@pytest.mark.long
@needs(MLIR)
@pytest.mark.parametrize(
    ("sizes", "names"),
    [({}, [*CASES][::4]), (STATIC[0], [*CASES][2::4])],
    ids=["symbolic", "static"],
)
def test_mlir_accepts_what_stands_after_every_pass(
    sizes: dict[str, int], names: list[str], monkeypatch: pytest.MonkeyPatch
):
    use_tiny_tiles(monkeypatch)
    module = program(sizes, names)
    passes = [*optimizations(), *PASSES]
    for number, name in enumerate(passes):
        lower(module, [name])
        if number >= passes.index("relax-legalize"):
            is_lowered = number >= passes.index("relax-lower-functions")
            text = str(module) if is_lowered else prim_funcs(module)
            check_accepted(text)
            assert number < passes.index("relax-schedule") or "memref.copy" not in text


def prim_funcs(module: ModuleOp) -> str:
    """The functions of a module that MLIR knows the types of."""
    return "\n".join(str(op) for op in module.ops if isinstance(op, func.FuncOp))


@needs(LONG)
def test_tiles_of_this_machine():
    """Every other case: how operands are read does not depend on the tiles."""
    names = [*CASES][::2]
    model = build(program({}, names))
    for name in names:
        for m, n, k in ((1, 1, 1), (17, 50, 40), (7, 96, 5), (130, 33, 65)):
            check(model, name, {"m": m, "n": n, "k": k, "b": 2, "h": 2})
