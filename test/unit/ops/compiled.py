"""What the tests of the operators share: a family's cases in one module, compiled once, and numpy."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region

import lowering
from lowering.runtime import CompiledModule
from relax_dialect.interpret.values import numpy_dtype
from relax_dialect.ops.core import FuncOp, ReturnOp
from relax_dialect.parsing import verify
from relax_dialect.types import ShapeType, TensorType

Sizes = Mapping[str, int]

SIZES: Sequence[Sizes] = (
    {"n": 7, "m": 5, "k": 3, "b": 2},
    {"n": 1, "m": 1, "k": 1, "b": 1},
    {"n": 0, "m": 3, "k": 2, "b": 3},
    {"n": 2, "m": 0, "k": 9, "b": 1},
    {"n": 3, "m": 17, "k": 0, "b": 0},
)
"""Odd sizes, one and zero for the symbolic variables."""

STATIC: Sequence[Sizes] = ({},)
"""For cases whose shapes name no variable."""

TOLERANCE = {"f": 1e-5, "d": 1e-12}
"""The error allowed in elements of f32 and f64, relative and absolute; other types are exact."""


def tensor(*dims: object, dtype: str = "f32") -> TensorType:
    """`tensor("n", 3)` is `!relax.tensor<[n, 3], f32>`."""
    return TensorType(dims, dtype)  # pyright: ignore[reportArgumentType]


def shape(*dims: object) -> ShapeType:
    """`shape("n", 3)` is `!relax.shape<[n, 3]>`."""
    return ShapeType(dims)  # pyright: ignore[reportArgumentType]


def keep(x: np.ndarray) -> np.ndarray:
    return x


def special(x: np.ndarray) -> np.ndarray:
    """NaN, infinities, zeros of both signs and large numbers among others."""
    flat = x.reshape(-1)
    for step, value in enumerate((np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4)):
        flat[step::9] = value
    return x


def large(x: np.ndarray) -> np.ndarray:
    return x * np.asarray(1000, x.dtype)


@dataclass(frozen=True)
class Case:
    """An operator on parameters of some types, and numpy's word for it.

    Numpy's function takes one array for every tensor and a tuple of ints for every shape.
    """

    operator: Callable[..., Operation]
    types: Sequence[TensorType | ShapeType]
    meaning: Callable[..., Any]
    sizes: Sequence[Sizes] = SIZES
    values: Callable[[np.ndarray], np.ndarray] = keep

    def function(self, name: str) -> FuncOp:
        """A function that returns the operator's result."""
        block = Block(arg_types=self.types)
        op = self.operator(*block.args)
        block.add_ops([op, ReturnOp(op.results[0])])
        return FuncOp(name, list(self.types), op.results[0].type, Region(block))

    def arguments(self, sizes: Sizes, seed: int) -> Iterator[Any]:
        """Random arrays and shapes of the parameters' types."""
        random = np.random.default_rng(seed)
        for type in self.types:
            assert type.shape is not None
            actual = tuple(d.evaluate(sizes) for d in type.shape if d is not None)
            if isinstance(type, ShapeType):
                yield actual
            else:
                assert type.dtype is not None
                yield self.values(numbers(random, actual, type.dtype))


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: Attribute) -> np.ndarray:
    wanted = numpy_dtype(dtype)
    if wanted.kind == "f":
        return np.asarray(random.standard_normal(shape)).astype(wanted)
    low, high = (0, 2) if wanted.kind == "b" else (-50, 50)
    return np.asarray(random.integers(low, high, shape)).astype(wanted)


def compile_cases(cases: Mapping[str, Case]) -> CompiledModule:
    """The functions of all cases, in one C file and one run of the C compiler."""
    module = ModuleOp([case.function(name) for name, case in cases.items()])
    verify(module)
    return lowering.compile(module, extra_flags=("-Wall", "-Wextra", "-Werror"))


def call(model: CompiledModule, name: str, *arguments: Any, sizes: Sizes) -> Any:
    """Call the C with arrays; symbols that no array has as a size are passed as numbers."""
    function = model[name]
    arrays = iter([a for a in arguments if not isinstance(a, tuple)])
    passed = [sizes[p.name] if p.kind == "scalar" else next(arrays) for p in function.entry.params]
    assert next(arrays, None) is None
    return function(*passed)


def check(model: CompiledModule, cases: Mapping[str, Case], name: str, sizes: Sizes) -> None:
    """The C and numpy agree on a case: shape, element type, and every element."""
    case = cases[name]
    arguments = list(case.arguments(sizes, zlib.crc32(name.encode())))
    before = [np.copy(a) for a in arguments]
    result = call(model, name, *arguments, sizes=sizes)
    with np.errstate(all="ignore"):
        expected = np.asarray(case.meaning(*before))
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    for argument, copy in zip(arguments, before):
        np.testing.assert_array_equal(argument, copy, "the C has written to its argument")
    tolerance = TOLERANCE.get(expected.dtype.char, 0)
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


def over(cases: Mapping[str, Case]) -> pytest.MarkDecorator:
    """Run a test with `name` and `sizes` of every case."""
    runs = [(name, sizes) for name, case in cases.items() for sizes in case.sizes]
    return pytest.mark.parametrize(
        ("name", "sizes"), runs, ids=[f"{n}-{'-'.join(map(str, s.values()))}" for n, s in runs]
    )
