"""Random ops that follow a kernel, and modules of kernels with theirs.

A new kind of follower is a function in `FOLLOWERS`, which draws its operands for a value of some shape; it may be
asked for shapes of any rank, and returns None where it does not fit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from drawn_kernels import (
    EXTENTS,
    FEW_ELEMENTS,
    KINDS,
    LANES,
    MOST_ELEMENTS,
    Dim,
    Kernel,
    Make,
    random_array,
)
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, op
from relax_dialect.ir.types import TensorType
from relax_dialect.symbolic import Expr

Step: TypeAlias = Callable[[Any, Sequence[Any]], Any]
"""From a value and those of the parameters to the value that follows."""

Shape: TypeAlias = Sequence[Expr]

FOLLOWED = (0, 1, 2, 2, 3, 3)
"""By how many ops kernels are followed: schedules go wrong where several meet."""

COMMON = (*KINDS, *["convolution"] * 4)
"""Convolutions have the most schedules."""


def plain(k: Kernel, shape: Shape) -> Step:
    return k.one_of(
        lambda x, v: op.relu(x),
        lambda x, v: op.tanh(x),
        lambda x, v: op.multiply(x, 0.5),
        lambda x, v: op.multiply(x, op.tanh(x)),
    )


def binary(k: Kernel, shape: Shape) -> Step:
    """With a tensor of the same shape, or one that is repeated along some axes."""
    dims = k.one_of(
        list(shape),
        list(shape[-1:]),
        [*shape[:-1], 1][: len(shape)],
        [1 if k.one_of(True, False) else size for size in shape],
        [*shape[1:2], *[1] * (len(shape) - 2)],
    )
    y, function = k.tensor(*dims), k.one_of(op.add, op.multiply, op.subtract)
    return lambda x, v: function(v[y], x)


def turned(k: Kernel, shape: Shape) -> Step:
    order = k.random.sample(range(len(shape)), len(shape))
    return lambda x, v: op.permute_dims(x, order)


def joined(k: Kernel, shape: Shape) -> Step | None:
    """Side by side with a tensor, or with a value that is computed of it."""
    if not shape:
        return None
    axis = k.one_of(*range(len(shape)))
    if k.one_of(True, False):
        return lambda x, v: op.concat([x, op.tanh(x)], axis)
    y = k.tensor(*(k.size(most=17) if d == axis else size for d, size in enumerate(shape)))
    return lambda x, v: op.concat([v[y], x], axis)


def padded(k: Kernel, shape: Shape) -> Step | None:
    width = [k.one_of(0, 0, 1, 3) for _ in range(2 * len(shape))]
    return (lambda x, v: op.pad(x, width)) if shape else None


def sliced(k: Kernel, shape: Shape) -> Step | None:
    """A part along an axis whose size is known."""
    known = [d for d, size in enumerate(shape) if size.is_constant and size.evaluate({}) > 1]
    if not known:
        return None
    axis = k.one_of(*known)
    end, step = shape[axis].evaluate({}), k.one_of(1, 1, 2)
    begin = k.one_of(*range(end))
    return lambda x, v: op.strided_slice(x, [axis], [begin], [end], [step])


def collapsed(k: Kernel, shape: Shape) -> Step | None:
    """Two neighbouring axes as one."""
    if len(shape) < 2:
        return None
    d = k.one_of(*range(len(shape) - 1))
    dims = [*shape[:d], shape[d] * shape[d + 1], *shape[d + 2 :]]
    return lambda x, v: op.reshape(x, dims)


def expanded(k: Kernel, shape: Shape) -> Step | None:
    """One axis as two."""
    pairs = [(d, n) for d, size in enumerate(shape) for n in (1, 2, 4) if size.divisible_by(n)]
    if not pairs:
        return None
    d, factor = k.one_of(*pairs)
    dims = [*shape[:d], factor, shape[d] // factor, *shape[d + 1 :]]
    return lambda x, v: op.reshape(x, dims)


def reduced(k: Kernel, shape: Shape) -> Step | None:
    if not shape:
        return None
    axis, keep, reduce = (
        k.one_of(*range(len(shape))),
        k.one_of(True, False),
        k.one_of(op.sum, op.mean),
    )
    return lambda x, v: reduce(x, [axis], keep)


def centred(k: Kernel, shape: Shape) -> Step | None:
    """Less the mean of a row, as in a norm."""
    return (lambda x, v: op.subtract(x, op.mean(x, [-1], True))) if shape else None


def product(k: Kernel, shape: Shape) -> Step | None:
    if len(shape) < 2:
        return None
    y = k.weights(shape[-1], k.size(most=17))
    return lambda x, v: op.matmul(x, y(v))


FOLLOWERS: Sequence[Callable[[Kernel, Shape], Step | None]] = (
    *(plain, plain, plain, plain, binary, binary, binary, turned, turned, turned, turned),
    *(joined, padded, sliced, collapsed, expanded, reduced, centred, product),
)


@dataclass
class Case:
    """A function in the making."""

    kernel: Kernel
    make: Make
    steps: list[Step]
    kept: list[bool]
    """Whether the value before each step is a result too."""

    def types(self) -> Mapping[str, TensorType]:
        kernel = self.kernel
        return {f"x{i}": TensorType(dims, kernel.dtype) for i, dims in enumerate(kernel.shapes)}

    def values(self, builder: BlockBuilder, parameters: Sequence[Any]) -> Iterator[Any]:
        """The value of the kernel and those after it."""
        yield (value := builder.emit(self.make(parameters)))
        for step in self.steps:
            yield (value := builder.emit(step(value, parameters)))

    def emit(self, builder: BlockBuilder, name: str) -> None:
        with builder.function(name, self.types()) as parameters:
            *values, last = self.values(builder, list(parameters))
            results = [value for value, kept in zip(values, self.kept) if kept]
            builder.emit_func_output((*results, last) if results else last)

    def shape(self) -> Shape:
        """The sizes of the last value."""
        builder = BlockBuilder()
        with builder.function("f", self.types()) as parameters:
            *_, last = self.values(builder, list(parameters))
            builder.emit_func_output(last)
        return last.type.shape

    def arguments(self, random: np.random.Generator) -> list[np.ndarray]:
        kernel = self.kernel
        extents = [[_extent(size, kernel.sizes) for size in dims] for dims in kernel.shapes]
        return [random_array(random, shape, kernel.dtype) for shape in extents]


def _extent(size: Dim, sizes: Mapping[str, int]) -> int:
    if isinstance(size, int):
        return size
    return sizes[size] if isinstance(size, str) else size.evaluate(sizes)


def drawn_case(
    random: random.Random, kind: str, extents: Sequence[int] = EXTENTS, most: int = FEW_ELEMENTS
) -> Case:
    """A kernel of a kind and what follows it."""
    dtype = random.choice(("f32", "f32", "f32", "f32", "f64", "f16"))
    kernel = Kernel(random, dtype, random.choice((0, 0.5, 1, 1)), extents, most)
    case = Case(kernel, KINDS[kind](kernel), [], [])
    if kernel.dtype in ("i8", "ui8"):
        return case
    for _ in range(random.choice(FOLLOWED)):
        if (step := random.choice(FOLLOWERS)(kernel, case.shape())) is not None:
            case.steps.append(step)
            case.kept.append(random.random() < 0.1)
    return case


@dataclass
class Programs:
    """A module of several kernels, and arguments for each."""

    module: ModuleOp
    arguments: dict[str, list[np.ndarray]]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """A failing example as hypothesis shows it."""
        shapes = {name: [a.shape for a in arrays] for name, arrays in self.arguments.items()}
        printer.text(f"{shapes}\n{self.module}")


def module_of(cases: Sequence[Case]) -> Programs:
    builder, arguments = BlockBuilder(), dict[str, list[np.ndarray]]()
    for number, case in enumerate(cases):
        case.emit(builder, name := f"f{number}")
        arguments[name] = case.arguments(np.random.default_rng(number))
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return Programs(module, arguments)


def drawn_cases(random: random.Random, count: int) -> Sequence[Case]:
    """Kernels of all kinds, of sizes up to `LANES`."""
    extents = (*EXTENTS, *LANES)
    return [drawn_case(random, random.choice(COMMON), extents, MOST_ELEMENTS) for _ in range(count)]


@st.composite
def programs(draw: st.DrawFn, kind: str, count: int = 2) -> Programs:
    """Some kernels of a kind, small enough to be interpreted."""
    source = random.Random(draw(st.integers(0, 2**32 - 1)))
    cases = iter(lambda: drawn_case(source, kind), None)
    small = (case for case in cases if case.kernel.elements <= FEW_ELEMENTS)
    return module_of([next(small) for _ in range(draw(st.integers(1, count)))])
