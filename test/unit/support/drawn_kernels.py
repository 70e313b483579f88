"""Random kernels that schedules are about, of random shapes: what `test_random_shapes.py` and the search of
`fuzz/schedules.py` run.

Sizes are none, one, around those of a tile, and primes; each is static or a variable. A new kind of kernel is a
function in `KINDS`, which draws its operands and returns how its value is computed. `drawn_followers.py` draws what
follows a kernel.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

import numpy as np

from relax_dialect.builder import const, op
from relax_dialect.symbolic import Expr

EXTENTS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17)
"""Around tiles of 4 rows and 8 columns, and blocks of two tiles of rows."""

LANES = (24, 31, 32, 33, 40)
"""Around the vectors of all CPUs."""

MOST_ELEMENTS = 1 << 15
"""The product of all sizes of a kernel is at most about this: sanitized code is slow."""

FEW_ELEMENTS = 1 << 10
"""The same for what is interpreted as loops."""

DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "i8": np.int8, "ui8": np.uint8}


Dim: TypeAlias = int | str | Expr
"""A size: static, the name of a variable, or an expression of variables."""

Make: TypeAlias = Callable[[Sequence[Any]], Any]
"""From the values of the parameters to the result."""


@dataclass
class Kernel:
    """A function in the making: its parameters, and the sizes that they have in one call."""

    random: random.Random
    dtype: str = "f32"
    static: float = 0.5
    """The share of sizes that are static."""
    extents: Sequence[int] = EXTENTS
    most: int = MOST_ELEMENTS
    elements: int = 1
    """The product of the sizes so far."""
    shapes: list[list[Dim]] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)

    def one_of(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def size(self, least: int = 0, most: int = 40) -> Dim:
        """A size, static or by a name."""
        most = min(most, max(least, 1, self.most // self.elements))
        extent = self.one_of(*(e for e in self.extents if least <= e <= most))
        self.elements *= max(extent, 1)
        if self.random.random() < self.static:
            return extent
        name = f"n{len(self.sizes)}"
        self.sizes[name] = extent
        return name

    def tensor(self, *shape: Dim) -> int:
        """The number of a new parameter."""
        self.shapes.append([*shape])
        return len(self.shapes) - 1

    def weights(self, *shape: Dim) -> Make:
        """A new parameter, or a constant where all sizes are known."""
        known = [size for size in shape if isinstance(size, int)]
        if len(known) == len(shape) and self.one_of(True, False):
            constant = const(random_array(np.random.default_rng(0), known, self.dtype))
            return lambda v: constant
        number = self.tensor(*shape)
        return lambda v: v[number]


def contraction(k: Kernel) -> Make:
    """A product, its operands in any order of axes, the right one constant at times."""
    equation = k.one_of(
        *("mk,kn->mn", "mk,nk->mn", "km,kn->mn", "km,nk->mn", "bmk,bkn->bmn", "bmk,kn->bmn"),
        *("mk,bkn->bmn", "mk,khn->mhn", "bmhk,bnhk->bhmn", "bhmn,bnhk->bmhk", "mjk,jkn->mn"),
        *("mk,k->m", "k,kn->n", "mk,kn->nm", "mn,mn->m", "m,n->mn"),
    )
    inputs, _ = equation.split("->")
    letters = {letter: k.size() for letter in dict.fromkeys(inputs.replace(",", ""))}
    left, right = ([letters[letter] for letter in part] for part in inputs.split(","))
    a = k.tensor(*left)
    b = k.weights(*right)
    return lambda v: op.einsum([v[a], b(v)], equation)


def convolution(k: Kernel) -> Make:
    """A convolution with steps, padding, dilation and groups; an image is as large as its filters."""
    if k.one_of(True, False, False):
        return transposed_convolution(k)
    positions = k.one_of(1, 2, 2, 3) if k.most > FEW_ELEMENTS else k.one_of(1, 2)
    groups = k.one_of(1, 2, 4)
    channels, filters = groups * k.one_of(1, 2, 3, 5), groups * k.one_of(1, 3, 4, 5, 8)
    places = [k.one_of(1, 1, 2, 3) for _ in range(positions)]
    attributes = {
        "strides": [k.one_of(1, 1, 2, 3) for _ in places],
        "padding": [k.one_of(0, 1, 2) for _ in places],
        "dilation": [k.one_of(1, 1, 2) for _ in places],
        "groups": groups,
    }
    k.elements *= max(1, filters * channels // groups * prod(places) // 4)
    shape = [k.size(most=3), channels, *(k.size(5, 40 if positions < 3 else 9) for _ in places)]
    if positions == 2 and groups == 1 and k.one_of(True, False, False):
        return channels_last_convolution(k, shape, filters, places, attributes)
    image, other = k.tensor(*shape), k.tensor(*shape)
    weights = k.weights(filters, channels // groups, *places)
    bias = k.weights(filters, *[1] * positions)
    apply = (op.conv1d, op.conv2d, op.conv3d)[positions - 1]
    convolved: Make = lambda v: apply(v[image], weights(v), **attributes)  # noqa: E731
    make: Make = k.one_of(
        convolved,
        lambda v: op.relu(op.add(convolved(v), bias(v))),
        lambda v: op.add(convolved(v), apply(v[other], weights(v), **attributes)),
        lambda v: op.permute_dims(convolved(v), [0, *range(2, positions + 2), 1]),
    )
    return make


def channels_last_convolution(
    k: Kernel, shape: Sequence[Dim], filters: int, places: Sequence[int], attributes: Any
) -> Make:
    batch, channels, *positions = shape
    image = k.tensor(batch, *positions, channels)
    weights, bias = k.weights(filters, channels, *places), k.weights(filters)
    layout = {"data_layout": "NHWC", **attributes}
    make: Make = k.one_of(
        lambda v: op.conv2d(v[image], weights(v), **layout),
        lambda v: op.relu(op.add(op.conv2d(v[image], weights(v), **layout), bias(v))),
    )
    return make


def transposed_convolution(k: Kernel) -> Make:
    """One with as many or more phases than its kernel has places, some of which are cut off."""
    positions, groups = k.one_of(1, 2), k.one_of(1, 2, 4)
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
    k.elements *= max(1, filters * channels * prod((*places, *strides)) // 4)
    image = k.tensor(k.size(most=3), channels, *(k.size(least=5, most=9) for _ in places))
    weights = k.weights(channels, filters, *places)
    bias = k.weights(groups * filters, *[1] * positions)
    apply = (op.conv1d_transpose, op.conv2d_transpose)[positions - 1]
    convolved: Make = lambda v: apply(v[image], weights(v), **attributes)  # noqa: E731
    return k.one_of(convolved, lambda v: op.relu(op.add(convolved(v), bias(v))))


def pooling(k: Kernel) -> Make:
    places = [k.one_of(1, 2, 3) for _ in range(2)]
    attributes = {
        "pool_size": places,
        "strides": [k.one_of(1, 2, 3) for _ in places],
        "padding": [k.one_of(*range(place // 2 + 1)) for place in places],
    }
    image = k.tensor(k.size(most=3), k.size(most=5), *(k.size(least=3) for _ in places))
    pool = k.one_of(op.max_pool2d, op.avg_pool2d)
    return lambda v: pool(v[image], **attributes)


def moving(k: Kernel) -> Make:
    """Copies: axes in another order, padding, joining."""
    rank = k.one_of(2, 3, 4)
    shape = [k.size(most=40 if rank < 4 else 9) for _ in range(rank)]
    x, order = k.tensor(*shape), k.random.sample(range(rank), rank)
    kind = k.one_of("turn", "turn", "join", "pad")
    if kind == "turn":
        return lambda v: op.permute_dims(v[x], order)
    if kind == "pad":
        width = [k.one_of(0, 1, 3) for _ in range(2 * rank)]
        return lambda v: op.permute_dims(op.pad(v[x], width), order)
    axis = k.one_of(*range(rank))
    turned = [shape[d] for d in order]
    y = k.tensor(*(k.size() if d == axis else size for d, size in enumerate(turned)))
    return lambda v: op.concat([op.permute_dims(v[x], order), v[y]], axis)


def joining(k: Kernel) -> Make:
    """A concatenation of several tensors, some of them computed."""
    rank = k.one_of(1, 2, 3, 4)
    shape, axis = [k.size(most=40 if rank < 4 else 9) for _ in range(rank)], k.one_of(*range(rank))
    parts = [
        k.tensor(*(k.size() if d == axis else size for d, size in enumerate(shape)))
        for _ in range(k.one_of(1, 2, 3))
    ]
    kinds = [k.one_of("plain", "plain", "tanh", "twice") for _ in parts]
    computed = {"plain": lambda x: x, "tanh": op.tanh, "twice": lambda x: op.add(x, x)}
    return lambda v: op.concat([computed[kind](v[x]) for kind, x in zip(kinds, parts)], axis)


def elementwise(k: Kernel) -> Make:
    """A computation of tensors, some of which are repeated along some axes."""
    shape = [k.size() for _ in range(k.one_of(1, 2, 3, 4))]
    x = k.tensor(*shape)
    others = [
        k.tensor(*(k.one_of(size, 1) for size in shape[k.one_of(*range(len(shape))) :]))
        for _ in range(k.one_of(1, 2, 3))
    ]
    apply = [k.one_of(op.add, op.multiply, op.subtract, op.maximum) for _ in others]

    def make(v: Sequence[Any]) -> Any:
        value = v[x]
        for function, other in zip(apply, others):
            value = function(v[other], value)
        return value

    return make


def reduction(k: Kernel) -> Make:
    """A sum, a largest element or its location, over some axes."""
    rank = k.one_of(1, 2, 3, 4)
    x = k.tensor(*(k.size(least=1) for _ in range(rank)))
    axes = sorted(k.random.sample(range(rank), k.one_of(*range(1, rank + 1))))
    keep = k.one_of(True, False)
    if k.one_of(True, False, False):
        find = k.one_of(op.argmax, op.argmin)
        return lambda v: op.astype(find(v[x], axes[0], keep), k.dtype)
    reduce = k.one_of(op.sum, op.max, op.mean, op.min, op.variance)
    return lambda v: reduce(v[x], axes, keep)


def rows(k: Kernel) -> Make:
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
    return make


def attention(k: Kernel) -> Make:
    batch, heads = k.size(most=2), k.one_of(1, 2, 3)
    queries, keys, width = k.size(), k.size(least=1), k.size(least=1, most=9)
    q = k.tensor(batch, queries, heads, width)
    key, value = (k.tensor(batch, keys, heads, width) for _ in range(2))
    options = k.one_of({}, {"causal_mask": "TopLeft"})
    return lambda v: op.attention(v[q], v[key], v[value], **options)


def integers(k: Kernel) -> Make:
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
    return make


def integer_convolution(k: Kernel) -> Make:
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
    return make


KINDS: Mapping[str, Callable[[Kernel], Make]] = {
    function.__name__: function
    for function in (
        *(contraction, convolution, pooling, moving, joining, elementwise, reduction, rows),
        *(attention, integers),
    )
}


def random_array(random: np.random.Generator, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Small numbers, any for integers."""
    if dtype in ("i8", "ui8"):
        return random.integers(0, 255, shape, np.uint8, endpoint=True).view(DTYPES[dtype])
    return random.uniform(-0.7, 0.7, shape).astype(DTYPES[dtype])
