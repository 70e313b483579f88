"""Operators in their expanded forms, written in every way that relax-recognize-operators knows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from relax_dialect import BlockBuilder, symbolic
from relax_dialect.builder import op, var
from relax_dialect.builder.constant_values import const
from relax_dialect.ir.types import TensorType
from relax_dialect.parsing import verify

MASKS = [
    "none",
    "added",
    "keeps",
    "hides",
    "filled",
    "causal added",
    "causal keeps",
    "causal hides",
    "causal constant",
    "causal places",
]
DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16"}
SIZES = {"n": 3, "m": 5, "b": 2, "d": 4}
"""The sizes that symbolic variables have in the arguments."""


def size_of(size: str | int) -> int:
    """A size, as the arguments have it."""
    return SIZES[size] if isinstance(size, str) else size


@dataclass
class Form:
    """A module whose function @main is one operator, written out, with arguments for it."""

    module: ModuleOp
    arguments: list[np.ndarray]
    operator: str
    dtype: str

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(f"{self.operator} of {self.dtype}\n{self.module}")


def function(
    make: Callable[..., Any],
    types: Sequence[tuple[Sequence[Any], str]],
    writer: Writer | None = None,
) -> ModuleOp:
    """A function @main of tensors of these shapes and element types; the writer may emit into it."""
    params = [var(f"x{i}", TensorType(shape, dtype)) for i, (shape, dtype) in enumerate(types)]
    builder = BlockBuilder()
    if writer is not None:
        writer.emit = builder.emit
    with builder.function("main", params):
        with builder.dataflow():
            result = builder.emit_output(make(*params))
        builder.emit_func_output(result)
    verify(builder.module)
    return builder.module


def arguments(types: Sequence[tuple[Sequence[Any], str]], seed: int) -> list[np.ndarray]:
    """Normal numbers for parameters of these types; bits for booleans, one of them set in each row."""
    random = np.random.default_rng(seed)
    found = []
    for shape, dtype in types:
        sizes = [size_of(size) for size in shape]
        numbers = random.standard_normal(sizes)
        if dtype == "i1":
            bits = numbers > 0
            bits[..., 0] = True
            found.append(bits)
        else:
            found.append(np.asarray(numbers, DTYPES[dtype]))
    return found


@dataclass
class Writer:
    """Writes formulas in one of their ways, which `choose` selects."""

    choose: Callable[[Sequence[Any]], Any]
    dtype: str = "f32"
    dtypes: Sequence[str] = tuple(DTYPES)
    """The element types of forms that have no casts."""
    masks: Sequence[str] = tuple(MASKS)
    activations: Sequence[str] = ()
    """The activations to choose from; all if empty."""
    types: list[tuple[Sequence[Any], str]] = field(default_factory=list)
    emit: Callable[[Any], Any] = field(init=False)

    def one(self, *choices: Any) -> Any:
        return self.choose(choices)

    def number(self, value: float) -> Any:
        """A number, as a constant or made by an operator."""
        scalar = const(value, self.dtype)
        one = const(np.full([1], value, DTYPES[self.dtype]))
        return self.one(scalar, scalar, one, op.full([], scalar), op.broadcast_to(scalar, [1]))

    def constant(self, value: float) -> Any:
        """A number that is no op, or the root of one."""
        if self.dtype != "f16" and self.one(True, False):
            return op.sqrt(const(value * value, self.dtype))
        return self.one(const(value, self.dtype), const(np.full([1], value, DTYPES[self.dtype])))

    def add(self, a: Any, b: Any) -> Any:
        return self.one(op.add(a, b), op.add(b, a))

    def times(self, *factors: Any) -> Any:
        """The product of factors in any order, associated in any way."""
        order = self.one(*itertools.permutations(factors))
        if len(order) == 2:
            return op.multiply(*order)
        first = op.multiply(order[0], order[1])
        return self.one(op.multiply(first, order[2]), op.multiply(order[2], first))

    def halved(self, a: Any, b: Any) -> Any:
        """a * b / 2."""
        if self.one(True, False):
            return self.times(a, b, self.number(0.5))
        two = self.number(2.0)
        a, b = self.one((a, b), (b, a))
        return self.one(self.times(a, b) / two, self.times(a / two, b))

    def gated(self, x: Any, gate: Any) -> Any:
        """x * (1 + gate) / 2."""
        if self.one(True, True, False):
            return self.halved(x, self.add(gate, self.number(1.0)))
        half = self.one(self.times(gate, self.number(0.5)), gate / self.number(2.0))
        return self.times(x, self.add(half, self.number(0.5)))

    def mean(self, x: Any, axes: Sequence[int], count: int | None) -> Any:
        """The mean along axes that are kept, of so many elements if that is known."""
        if count is None or self.one(True, False):
            return op.mean(x, axes, keepdims=True)
        total = op.sum(x, axes, keepdims=True)
        return self.one(total / self.number(count), self.times(total, self.number(1 / count)))

    def square(self, x: Any) -> Any:
        return self.one(x * x, op.square(x), op.power(x, self.number(2.0)))

    def cube(self, x: Any, factor: Any) -> Any:
        """factor * x * x * x."""
        scaled = self.one(self.times(factor, self.square(x)), self.times(self.times(factor, x), x))
        cube = self.one(op.power(x, self.number(3.0)), self.times(self.square(x), x))
        apart = self.times(self.times(factor, x), self.square(x))
        return self.one(self.times(factor, cube), self.times(scaled, x), apart)

    def root(self, x: Any) -> Any:
        return self.one(op.sqrt(x), op.power(x, self.number(0.5)))

    def over_root(self, a: Any, x: Any, factor: Any = None) -> Any:
        """a / sqrt(x), or the product with a factor."""
        inverse = self.one(
            op.rsqrt(x),
            op.divide(self.number(1.0), self.root(x)),
            op.reciprocal(self.root(x)),
            op.power(x, self.number(-0.5)),
        )
        if factor is None:
            return self.one(a / self.root(x), self.times(a, inverse))
        return self.times(a, self.times(inverse, factor))

    def form(self, make: Callable[..., Any], operator: str) -> Form:
        """The form of a formula of parameters of the writer's types."""
        seed = self.one(*range(100))
        module = function(make, self.types, self)
        return Form(module, arguments(self.types, seed), operator, self.dtype)


def gelu(w: Writer, x: Any) -> Any:
    inner = w.one(x / w.number(math.sqrt(2)), w.times(x, w.number(math.sqrt(0.5))))
    return w.gated(x, op.erf(inner))


def gelu_tanh(w: Writer, x: Any) -> Any:
    steepness, cubic = w.number(w.one(math.sqrt(2 / math.pi), 0.797885)), w.number(0.044715)
    flat = w.add(w.number(1.0), w.times(cubic, w.square(x)))
    inner = w.one(
        w.times(steepness, w.add(x, w.cube(x, cubic))),
        w.times(x, steepness, flat),
    )
    return w.gated(x, op.tanh(inner))


def quick_gelu(w: Writer, x: Any) -> Any:
    return silu(w, x, 1.702)


def silu(w: Writer, x: Any, steepness: float = 1.0) -> Any:
    steep = x if steepness == 1 else w.times(x, w.number(steepness))
    minus = w.one(-steep, w.times(x, w.number(-steepness)))
    below = w.add(op.exp(minus), w.number(1.0))
    gate = w.one(op.sigmoid(steep), w.number(1.0) / below, op.reciprocal(below))
    return w.one(w.times(x, gate), x / below)


def hard_swish(w: Writer, x: Any) -> Any:
    shifted = w.add(x, w.number(3.0))
    above = w.one(op.relu(shifted), op.maximum(shifted, w.number(0.0)), op.clip(shifted, 0.0, None))
    gate = w.one(
        op.minimum(above, w.number(6.0)),
        op.clip(above, None, 6.0),
        op.clip(shifted, 0.0, 6.0),
        op.relu6(shifted),
    )
    six = w.number(6.0)
    return w.one(
        w.times(x, gate, w.number(1 / 6)),
        w.times(x, gate) / six,
        w.times(x, gate / six),
        w.times(x, op.hard_sigmoid(x)),
    )


def softplus(w: Writer, x: Any) -> Any:
    inner = w.one(op.log1p(op.exp(x)), op.log(w.add(op.exp(x), w.number(1.0))))
    if w.one(True, False):
        return inner
    limit = w.number(w.one(20.0, 20.0, 1.5))
    return above(w, x, limit, x, inner)


def above(w: Writer, scaled: Any, limit: Any, x: Any, log: Any) -> Any:
    """x where a number is above the threshold, else the logarithm."""
    over = w.one(op.greater(scaled, limit), op.less(limit, scaled))
    within = w.one(op.less_equal(scaled, limit), op.greater_equal(limit, scaled))
    return w.one(op.where(over, x, log), op.where(within, log, x))


def steep_softplus(w: Writer, x: Any) -> Any:
    beta, limit = w.number(2.0), w.number(w.one(20.0, 0.5))
    scaled = w.times(x, beta)
    power = op.exp(scaled)
    log = w.one(op.log1p(power), op.log(w.add(power, w.number(1.0)))) / beta
    return above(w, scaled, limit, x, log)


def softmax(w: Writer, x: Any) -> Any:
    axis = w.one([0], [-1])
    power = op.exp(x - op.max(x, axis, keepdims=True))
    total = op.sum(power, axis, keepdims=True)
    return w.one(power / total, w.times(power, op.reciprocal(total)))


def log_softmax(w: Writer, x: Any) -> Any:
    axis = w.one([0], [-1])
    difference = x - op.max(x, axis, keepdims=True)
    return difference - op.log(op.sum(op.exp(difference), axis, keepdims=True))


def mish(w: Writer, x: Any) -> Any:
    inner = op.log1p(op.exp(x))
    limited = op.where(op.greater(x, w.number(20.0)), x, inner)
    return w.times(x, op.tanh(w.one(op.softplus(x), inner, limited)))


ACTIVATIONS = {
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "quick_gelu": quick_gelu,
    "hard_swish": hard_swish,
    "softplus": softplus,
    "mish": mish,
    "steep softplus": steep_softplus,
    "softmax": softmax,
    "log_softmax": log_softmax,
}


def drawn(write: Callable[[Writer], Form]) -> Callable[[], st.SearchStrategy[Form]]:
    """A strategy of the forms that a function writes."""

    @st.composite
    def forms(draw: st.DrawFn) -> Form:
        return write(Writer(lambda choices: draw(st.sampled_from(choices))))

    return forms


def activation(w: Writer) -> Form:
    """An activation, written out."""
    w.dtype = w.one(*w.dtypes)
    name = w.one(*(w.activations or ACTIVATIONS))
    w.types = [(w.one(["n", 4], [3], ["n", "m", 2]), w.dtype)]
    return w.form(lambda x: ACTIVATIONS[name](w, x), name.removeprefix("steep "))


def norm(w: Writer) -> Form:
    """A layer norm or rms norm, with its parameters or without, in half precision with casts or without."""
    name, parameters = w.one("layer_norm", "rms_norm"), w.one(0, 1, 2)
    scales = w.one(True, False)
    casts = w.one("none", "none", "before", "after")
    own = "f16" if casts != "none" else w.one(*w.dtypes)
    w.dtype = "f32" if casts != "none" else own
    shape: list[Any] = w.one(["n", 4], ["n", "m", "d"], [2, 3, "d"], [5])
    count = w.one(1, len(shape))
    axes = (
        w.one(*itertools.permutations(range(len(shape) - count, len(shape)))) if count < 3 else None
    )
    axes = list(range(-count, 0)) if axes is None else list(axes)
    sizes = shape[len(shape) - count :]
    wide = w.one(sizes, [*([1] * (len(shape) - count)), *sizes])
    if name == "rms_norm":
        parameters = min(parameters, 1)
    w.types = [(shape, own), *[(wide, own)] * parameters]

    def make(x: Any, *given: Any) -> Any:
        x = x if casts == "none" else x.astype("f32")
        if casts == "after":
            given = tuple(p.astype("f32") for p in given)
        count = None
        if all(isinstance(size, int) for size in sizes):
            count = math.prod(sizes)
        d = x
        if name == "layer_norm":
            own_mean = w.mean(x, axes, count)
            d = op.subtract(x, own_mean)
        moment = w.mean(w.square(d), axes, count)
        if name == "layer_norm":
            apart = w.mean(w.square(x), axes, count) - w.square(own_mean)
            moment = w.one(
                moment,
                op.variance(x, axes, keepdims=True),
                apart,
                w.one(op.maximum(apart, w.number(0.0)), op.relu(apart)),
            )
        spread = w.add(moment, w.number(w.one(1e-5, 1e-3)))
        is_scaled = bool(given) and (name == "rms_norm" or len(given) == 2 or scales)
        if is_scaled and casts != "before" and w.one(True, False, False):
            found, given = w.over_root(d, spread, given[0]), (None, *given[1:])
        else:
            found = w.over_root(d, spread)
        if casts == "before":
            found = found.astype("f16")
        if given and not is_scaled:
            found = w.add(found, given[0])
        elif given and given[0] is not None:
            found = w.times(found, given[0])
        if len(given) == 2:
            found = w.add(found, given[1])
        return found.astype("f16") if casts == "after" else found

    form = w.form(make, name)
    form.dtype = own
    return form


def low_number(w: Writer, causal: bool) -> float:
    """The number that stands for a hidden score."""
    if w.dtype == "f16":
        return w.one(-math.inf, -65504.0) if causal else -math.inf
    lowest = float(np.finfo("f").min)
    return w.one(-math.inf, lowest, -1e9)


def mask_of(w: Writer, kind: str, score: Any, given: Sequence[Any], queries: Any, keys: Any) -> Any:
    """The scores with a mask of a kind."""
    if kind == "none":
        return score
    if kind == "added":
        return w.add(score, given[0])
    number = low_number(w, kind.startswith("causal"))
    low = w.number(number)
    if kind == "keeps":
        return op.where(given[0], score, low)
    if kind == "hides":
        return op.where(given[0], low, score)
    if kind == "filled":
        return op.masked_fill(score, given[0], number)
    if kind == "causal constant":
        tri = np.tri(size_of(queries), size_of(keys), dtype=bool)
        bias = np.where(tri, 0, number).astype(DTYPES[w.dtype])
        return w.one(op.where(const(tri), score, low), w.add(score, const(bias)))
    if kind == "causal places":
        if isinstance(queries, int) and queries < keys and w.one(True, False):
            last = op.less_equal(
                op.arange(keys), op.expand_dims(op.arange(queries), 1) + (keys - queries)
            )
            return op.where(last, score, low)
        places = op.arange(keys)
        along = w.one(places, op.expand_dims(places, 0))
        down = op.expand_dims(op.arange(queries), 1)
        if w.one(True, False):
            keeps = w.one(
                op.less_equal(along, down),
                op.greater_equal(down, along),
                op.less_equal(along - down, 0),
                op.logical_and(op.greater(down - along, -1), const(np.array(True))),
            )
            return op.where(keeps, score, low)
        hides = w.one(
            op.greater(along, down), op.less(down, along), op.greater_equal(along - down, 1)
        )
        return op.where(hides, low, score)
    ones = op.ones([queries, keys], w.dtype)
    lower, upper = op.tril(ones).astype("i1"), op.triu(ones, 1).astype("i1")
    lower, upper = w.one(
        (lower, upper),
        (op.logical_not(upper), op.logical_not(lower)),
        (op.equal(op.triu(ones, 1), 0.0), op.equal(op.tril(ones), w.number(0.0))),
    )
    if kind == "causal keeps":
        return op.where(lower, score, low)
    if kind == "causal hides":
        return w.one(op.where(upper, low, score), op.masked_fill(score, upper, number))
    zero = w.number(0.0)
    full = op.full([queries, keys], const(number, w.dtype))
    if math.isfinite(number) and w.one(True, False):
        rest = w.one(op.triu(ones, 1), w.number(1.0) - op.tril(ones))
        return w.add(score, w.times(rest, low))
    return w.add(
        score, w.one(op.triu(full, 1), op.where(lower, zero, low), op.where(upper, low, zero))
    )


def scaled(w: Writer, x: Any, by: float, number: Callable[[float], Any]) -> Any:
    return w.one(w.times(x, number(by)), x / number(1 / by))


def matmul(
    w: Writer, a: Any, b: Any, left: Sequence[Any], right: Sequence[Any], parameter: int
) -> Any:
    """A product of rank 4, with batch and heads as one or not, in one of its factors perhaps before it."""
    if len(left) != 4 or left[:2] != right[:2] or w.one(True, False):
        return op.matmul(a, b)
    joined = symbolic.product([symbolic.var(s) if isinstance(s, str) else s for s in left[:2]])
    flat = [op.reshape(a, [joined, *left[2:]]), op.reshape(b, [joined, *right[2:]])]
    if w.one(True, False):
        shape = (left, right)[parameter]
        flat[parameter] = op.reshape(op.expand_dims(flat[parameter], 0), [joined, *shape[2:]])
    return op.reshape(op.matmul(*flat), [*left[:3], right[3]])


def turned_by_views(key: Any, shape: Sequence[Any]) -> Any:
    """The last two axes exchanged with batch and heads as one."""
    batch, heads, keys, depth = (symbolic.var(s) if isinstance(s, str) else s for s in shape)
    flat = op.reshape(key, [symbolic.product([batch, heads]), keys, depth])
    return op.reshape(op.permute_dims(flat, [0, 2, 1]), [batch, heads, depth, keys])


SCALED = (
    (), ("scores",), ("q",), ("k",), ("q", "k"), ("q", "scores"), ("k", "scores"), ("q", "k", "scores"),
)  # fmt: skip
"""The tensors of attention that numbers scale."""

EINSUMS = {
    (4, "heads first"): ("bhqd,bhkd->bhqk", "bhqk,bhkd->bhqd"),
    (4, "heads last"): ("bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd"),
    (3, "heads first"): ("bqd,bkd->bqk", "...qk,...kd->...qd"),
    (2, "heads first"): ("qd,kd->qk", "qk,kd"),
}
"""The products of attention, by the rank of the tensors and by where the heads are."""


def attention(w: Writer) -> Form:
    """Attention with a mask of any kind, scaled anywhere."""
    w.dtype = w.one(*w.dtypes)
    kind, where, rank = (
        w.one(*w.masks),
        w.one(*SCALED),
        w.one(4, 4, 4, 3, 2),
    )
    batch = {4: ["b", 2], 3: ["b"], 2: []}[rank]
    queries, keys = w.one(("n", "m"), ("n", "n"), (3, 5), (4, 4))
    if kind == "causal constant":
        queries, keys = w.one((3, 5), (4, 4))
    depth, width = w.one(4, "d"), w.one(3, 4)
    layout = w.one("heads first", "heads last") if rank == 4 else "heads first"
    one_head = rank == 4 and w.one(True, False, False)
    few = ["b", 1] if one_head else batch
    q, k, v = ([*batch, queries, depth], [*few, keys, depth], [*few, keys, width])
    mask = w.one(*[[queries, keys], [*([1] * len(batch)), 1, keys], [*batch, queries, keys]])
    given = kind in ("added", "keeps", "hides", "filled")
    swapped = [[s[0], s[2], s[1], s[3]] if layout == "heads last" else s for s in (q, k, v)]
    w.types = [(shape, w.dtype) for shape in swapped]
    if given:
        w.types.append((mask, w.dtype if kind == "added" else "i1"))
    factor = w.one(0.5, 0.3)
    casts, safe, drops = w.dtype == "f16" and w.one(True, False), w.one(True, False), w.one(0, 0, 1)

    einsums = not one_head and where in ((), ("scores",)) and w.one(True, False)

    def make(q0: Any, k0: Any, v0: Any, *rest: Any) -> Any:
        last = layout == "heads last"
        scores_of, result_of = EINSUMS[rank, layout]
        order = [*range(rank - 2), rank - 1, rank - 2]
        inner = k0
        if "k" in where and w.one(True, False):
            by = factor if "q" not in where else math.sqrt(factor)
            inner = scaled(w, k0, by, w.constant)
        turned = op.permute_dims(inner, [0, 2, 3, 1] if last else order)
        if "k" in where and inner is k0:
            by = factor if "q" not in where else math.sqrt(factor)
            if rank == 4 and not last and w.one(True, False):
                turned = turned_by_views(k0, k)
            turned = scaled(w, turned, by, w.constant)
        q1, v1 = (op.permute_dims(t, [0, 2, 1, 3]) if last else t for t in (q0, v0))
        if "q" in where:
            by = factor if "k" not in where else math.sqrt(factor)
            q1 = scaled(w, q1, by, w.constant)
        if einsums:
            score = op.einsum([q0, k0], scores_of)
        else:
            score = matmul(w, q1, turned, q, [*k[:-2], depth, keys], 0)
        if "scores" in where:
            score = scaled(w, score, factor if len(where) == 1 else 2.0, w.number)
        seen = mask_of(w, kind, score, rest, queries, keys)
        shares = op.softmax(seen.astype("f32") if casts else seen, w.one(-1, rank - 1))
        shares = shares.astype("f16") if casts else shares
        if safe:
            hidden = w.number(-math.inf)
            finite = w.one(op.logical_not(op.equal(seen, hidden)), op.not_equal(seen, hidden))
            some = op.any(finite, [-1], keepdims=True)
            empty = w.one(op.logical_not(some), op.isnan(shares))
            zero = w.number(0.0)
            zero = w.one(zero, op.full_like(shares, const(0.0, w.dtype)))
            shares = op.where(empty, zero, shares)
        if drops:
            shares = w.emit(op.dropout(shares))[0]
        if einsums:
            return op.einsum([shares, v0], result_of)
        found = matmul(w, shares, v1, [*q[:-1], keys], v, 1)
        return op.permute_dims(found, [0, 2, 1, 3]) if last else found

    form = w.form(make, "attention")
    if kind in ("hides", "filled"):
        form.arguments[3] = ~form.arguments[3]
    return form


activations, norms, attentions = drawn(activation), drawn(norm), drawn(attention)
