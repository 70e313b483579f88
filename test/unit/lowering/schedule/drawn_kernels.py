"""Random kernels that schedules are about, of random shapes: what `test_random_shapes.py` runs.

Sizes are none, one, around those of a tile, and primes; each is static or a variable. A new kind of kernel is a
function in `KINDS`, which draws what it needs and gives the value that it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from relax_dialect.builder import BlockBuilder, const, op
from relax_dialect.ir.types import TensorType

EXTENTS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17)
"""Around tiles of 4 rows and 8 columns, and blocks of two tiles of rows."""

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "ui8": np.uint8}


Make = Callable[[Sequence[Any]], Any]
"""From the values of the parameters to the result."""


@dataclass
class Kernel:
    """A function in the making: its parameters, and the sizes that they have in one call."""

    draw: st.DrawFn
    dtype: str = "f32"
    shapes: list[list[int | str]] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def one_of(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def size(self, least: int = 0, most: int = 17) -> int | str:
        """A size, static or by a name."""
        extent = self.one_of(*(e for e in EXTENTS if least <= e <= most))
        if self.one_of(True, False):
            return extent
        name = f"n{len(self.sizes)}"
        self.sizes[name] = extent
        return name

    def tensor(self, *shape: int | str) -> int:
        """The number of a new parameter."""
        self.shapes.append([*shape])
        return len(self.shapes) - 1

    def weights(self, *shape: int | str) -> Make:
        """A new parameter, or a constant where all sizes are known."""
        known = [size for size in shape if isinstance(size, int)]
        if len(known) == len(shape) and self.one_of(True, False):
            constant = const(random_array(np.random.default_rng(0), known, self.dtype))
            return lambda v: constant
        number = self.tensor(*shape)
        return lambda v: v[number]


def contraction(k: Kernel) -> tuple[Make, list[int | str]]:
    """A product, its operands in any order of axes, the right one constant at times."""
    equation = k.one_of(
        *("mk,kn->mn", "mk,nk->mn", "km,kn->mn", "km,nk->mn", "bmk,bkn->bmn", "bmk,kn->bmn"),
        *("mk,bkn->bmn", "mk,khn->mhn", "bmhk,bnhk->bhmn", "bhmn,bnhk->bmhk", "mjk,jkn->mn"),
        *("mk,k->m", "k,kn->n", "mk,kn->nm", "mn,mn->m", "m,n->mn"),
    )
    inputs, output = equation.split("->")
    letters = {letter: k.size() for letter in dict.fromkeys(inputs.replace(",", ""))}
    left, right = ([letters[letter] for letter in part] for part in inputs.split(","))
    a, shape = k.tensor(*left), [letters[letter] for letter in output]
    b = k.weights(*right)
    return (lambda v: op.einsum([v[a], b(v)], equation)), shape


def convolution(k: Kernel) -> tuple[Make, list[int | str]]:
    """A convolution with steps, padding, dilation and groups; an image is as large as its filters."""
    if k.one_of(True, False, False):
        return transposed_convolution(k)
    positions = k.one_of(1, 2)
    groups = k.one_of(1, 1, 2)
    channels, filters = groups * k.one_of(1, 2, 3, 5), groups * k.one_of(1, 3, 4, 5, 8)
    places = [k.one_of(1, 1, 2, 3) for _ in range(positions)]
    attributes = {
        "strides": [k.one_of(1, 1, 2, 3) for _ in places],
        "padding": [k.one_of(0, 1, 2) for _ in places],
        "dilation": [k.one_of(1, 1, 2) for _ in places],
        "groups": groups,
    }
    shape = (k.size(most=3), channels, *(k.size(least=5) for _ in places))
    image, other = k.tensor(*shape), k.tensor(*shape)
    weights = k.weights(filters, channels // groups, *places)
    bias = k.weights(filters, *[1] * positions)
    apply = (op.conv1d, op.conv2d)[positions - 1]
    convolved: Make = lambda v: apply(v[image], weights(v), **attributes)  # noqa: E731
    make: Make = k.one_of(
        convolved,
        lambda v: op.relu(op.add(convolved(v), bias(v))),
        lambda v: op.add(convolved(v), apply(v[other], weights(v), **attributes)),
        lambda v: op.permute_dims(convolved(v), [0, *range(2, positions + 2), 1]),
    )
    return make, []


def transposed_convolution(k: Kernel) -> tuple[Make, list[int | str]]:
    """One with as many or more phases than its kernel has places, some of which are cut off."""
    positions, groups = k.one_of(1, 2), k.one_of(1, 1, 2)
    channels, filters = groups * k.one_of(1, 2, 3, 9), k.one_of(1, 3, 4, 8)
    places = [k.one_of(1, 2, 3, 4) for _ in range(positions)]
    strides = [k.one_of(1, 2, 2, 3, 4) for _ in places]
    attributes = {
        "strides": strides,
        "padding": [k.one_of(0, 0, 1, 2) for _ in places],
        "output_padding": [k.one_of(*range(min(stride, 3))) for stride in strides],
        "dilation": [k.one_of(1, 1, 2, 3) for _ in places],
        "groups": groups,
    }
    image = k.tensor(k.size(most=3), channels, *(k.size(least=5, most=9) for _ in places))
    weights = k.weights(channels, filters, *places)
    bias = k.weights(groups * filters, *[1] * positions)
    apply = (op.conv1d_transpose, op.conv2d_transpose)[positions - 1]
    convolved: Make = lambda v: apply(v[image], weights(v), **attributes)  # noqa: E731
    return k.one_of(convolved, lambda v: op.relu(op.add(convolved(v), bias(v)))), []


def pooling(k: Kernel) -> tuple[Make, list[int | str]]:
    places = [k.one_of(1, 2, 3) for _ in range(2)]
    attributes = {
        "pool_size": places,
        "strides": [k.one_of(1, 2, 3) for _ in places],
        "padding": [k.one_of(*range(place // 2 + 1)) for place in places],
    }
    image = k.tensor(k.size(most=3), k.size(most=5), *(k.size(least=3) for _ in places))
    pool = k.one_of(op.max_pool2d, op.avg_pool2d)
    return (lambda v: pool(v[image], **attributes)), []


def moving(k: Kernel) -> tuple[Make, list[int | str]]:
    """Copies: axes in another order, padding, joining."""
    rank = k.one_of(2, 3, 4)
    shape = [k.size(most=17 if rank < 4 else 9) for _ in range(rank)]
    x, order = k.tensor(*shape), k.draw(st.permutations(range(rank)))
    turned = [shape[d] for d in order]
    kind = k.one_of("turn", "turn", "join", "pad")
    if kind == "turn":
        return (lambda v: op.permute_dims(v[x], [*order])), turned
    if kind == "pad":
        width = [k.one_of(0, 1, 3) for _ in range(2 * rank)]
        return (lambda v: op.permute_dims(op.pad(v[x], width), [*order])), []
    axis = k.one_of(*range(rank))
    y = k.tensor(*(k.size() if d == axis else size for d, size in enumerate(turned)))
    return (lambda v: op.concat([op.permute_dims(v[x], [*order]), v[y]], axis)), []


def rows(k: Kernel) -> tuple[Make, list[int | str]]:
    """Several stages over each row."""
    shape = [k.size() for _ in range(k.one_of(1, 2, 3))]
    shape[-1] = k.size(least=1)
    x, w, b = k.tensor(*shape), k.tensor(shape[-1]), k.tensor(shape[-1])
    make: Make = k.one_of(
        lambda v: op.softmax(v[x], -1),
        lambda v: op.log_softmax(v[x], -1),
        lambda v: op.layer_norm(v[x], v[w], v[b], [-1]),
        lambda v: op.rms_norm(v[x], v[w], [-1]),
        lambda v: op.subtract(v[x], op.max(v[x], [-1], True)),
        lambda v: op.multiply(v[x], op.rsqrt(op.add(op.sum(op.square(v[x]), [-1], True), 1.0))),
    )
    return make, shape


def attention(k: Kernel) -> tuple[Make, list[int | str]]:
    batch, heads = k.size(most=2), k.one_of(1, 2, 3)
    queries, keys, width = k.size(), k.size(least=1), k.size(least=1, most=9)
    q = k.tensor(batch, queries, heads, width)
    key, value = (k.tensor(batch, keys, heads, width) for _ in range(2))
    masked = k.one_of(True, False)
    if masked:
        return (
            lambda v: op.attention(v[q], v[key], v[value], causal_mask="TopLeft")
        ), [batch, queries, heads, width]  # fmt: skip
    return (lambda v: op.attention(v[q], v[key], v[value])), [batch, queries, heads, width]


def integers(k: Kernel) -> tuple[Make, list[int | str]]:
    """A product of 8-bit integers, which is exact, or a convolution."""
    if k.one_of(True, False, False):
        return integer_convolution(k)
    k.dtype = k.one_of("i8", "ui8")
    batch, rows, depth, columns = k.size(most=3), k.size(), k.size(), k.size()
    equation = k.one_of("mk,kn->mn", "mk,nk->mn", "km,kn->mn", "bmk,bkn->bmn", "bmk,kn->bmn")
    letters = {"b": batch, "m": rows, "k": depth, "n": columns}
    left, right = ([letters[n] for n in part] for part in equation.split("->")[0].split(","))
    a, b = k.tensor(*left), k.weights(*right)
    other = k.one_of("i8", "ui8")
    make: Make = lambda v: op.einsum([v[a], op.astype(b(v), other)], equation, out_dtype="i32")  # noqa: E731
    return make, []


def integer_convolution(k: Kernel) -> tuple[Make, list[int | str]]:
    """A convolution of 8-bit integers."""
    k.dtype = k.one_of("i8", "ui8")
    channels, filters = k.one_of(1, 3, 5, 8), k.one_of(3, 8, 9, 17)
    places = [k.one_of(1, 2, 3) for _ in range(2)]
    attributes = {
        "strides": [k.one_of(1, 1, 2) for _ in places],
        "padding": [k.one_of(0, 1) for _ in places],
        "dilation": [k.one_of(1, 1, 2) for _ in places],
    }
    image = k.tensor(k.size(most=3), channels, *(k.size(least=5) for _ in places))
    weights, other = k.weights(filters, channels, *places), k.one_of("i8", "ui8")
    make: Make = lambda v: op.conv2d(  # noqa: E731
        v[image], op.astype(weights(v), other), out_dtype="i32", **attributes
    )
    return make, []


KINDS: Mapping[str, Callable[[Kernel], tuple[Make, list[int | str]]]] = {
    function.__name__: function
    for function in (contraction, convolution, pooling, moving, rows, attention, integers)
}


def epilogue(k: Kernel, make: Make, shape: Sequence[int | str]) -> Make:
    """An epilogue: element by element, with vectors and tensors as further operands, a product, sums."""
    for _ in range(k.one_of(0, 1, 2, 3)):
        before, kinds = make, ["relu", "tanh", "scale", "twice"]
        if shape:
            kinds += ["tensor", "column", "row", "sum", "turned", "product"]
        match k.one_of(*kinds):
            case "relu":
                make = lambda v, f=before: op.relu(f(v))  # noqa: E731
            case "tanh":
                make = lambda v, f=before: op.tanh(f(v))  # noqa: E731
            case "scale":
                make = lambda v, f=before: op.multiply(f(v), 0.5)  # noqa: E731
            case "twice":
                make = lambda v, f=before: _twice(f(v))  # noqa: E731
            case "tensor":
                y = k.tensor(*shape)
                make = lambda v, f=before, y=y: op.add(f(v), v[y])  # noqa: E731
            case "row":
                y = k.tensor(shape[-1])
                make = lambda v, f=before, y=y: op.add(v[y], f(v))  # noqa: E731
            case "column":
                y = k.tensor(*shape[:-1], 1)
                make = lambda v, f=before, y=y: op.subtract(f(v), v[y])  # noqa: E731
            case "turned":
                order = [*range(len(shape))][::-1]
                shape = shape[::-1]
                make = lambda v, f=before, o=order: op.permute_dims(f(v), o)  # noqa: E731
            case "product" if len(shape) > 1:
                columns = k.size()
                y = k.weights(shape[-1], columns)
                shape = [*shape[:-1], columns]
                make = lambda v, f=before, y=y: op.matmul(f(v), y(v))  # noqa: E731
            case "sum":
                shape = shape[:-1]
                make = lambda v, f=before: op.sum(f(v), [-1])  # noqa: E731
            case _:
                pass
    return make


def _twice(value: Any) -> Any:
    return op.multiply(value, op.tanh(value))


@dataclass
class Programs:
    """A module of several kernels, and arguments for each."""

    module: ModuleOp
    arguments: dict[str, list[np.ndarray]]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """A failing example as hypothesis shows it."""
        shapes = {name: [a.shape for a in arrays] for name, arrays in self.arguments.items()}
        printer.text(f"{shapes}\n{self.module}")


@st.composite
def programs(draw: st.DrawFn, kind: str, count: int = 4) -> Programs:
    """Some kernels of a kind."""
    builder, random, arguments = BlockBuilder(), np.random.default_rng(0), {}
    for number in range(draw(st.integers(1, count))):
        kernel = Kernel(draw, draw(st.sampled_from(("f32", "f32", "f32", "f64", "f16"))))
        make, shape = KINDS[kind](kernel)
        if kernel.dtype not in ("i8", "ui8"):
            make = epilogue(kernel, make, shape)
        types = {f"x{i}": TensorType(dims, kernel.dtype) for i, dims in enumerate(kernel.shapes)}
        with builder.function(name := f"f{number}", types) as values:
            builder.emit_func_output(builder.emit(make(values)))
        arguments[name] = [
            random_array(random, [kernel.sizes.get(d, d) for d in dims], kernel.dtype)  # pyright: ignore
            for dims in kernel.shapes
        ]
    module = builder.get()
    assert isinstance(module, ModuleOp)
    return Programs(module, arguments)


def random_array(random: np.random.Generator, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Small numbers, any for integers."""
    if dtype in ("i8", "ui8"):
        return random.integers(0, 255, shape, np.uint8, endpoint=True).view(DTYPES[dtype])
    return random.uniform(-0.7, 0.7, shape).astype(DTYPES[dtype])
