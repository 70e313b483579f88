"""Attention by its formula, for tensors of [batch, heads, places, depth], of rank 3 and of rank 2.

    softmax(q @ permute_dims(k) * scale + mask) @ v      ->  permute_dims(attention(permute_dims(q), ...))
    attention(q, permute_dims(repeat(k)), v)             ->  attention(q, permute_dims(k), v)
    permute_dims(permute_dims(x))                        ->  permute_dims(x), or x
    reshape(permute_dims(reshape(x)))                    ->  permute_dims(x), if that is all it is

* The products may be `einsum`, in any order of the axes, see `einsums.py`.
* The scale may be a factor or divisor of the scores, of q, of k, or of both q and k. Where it is
  1 / sqrt(depth) it is left out, as the operator has it.
* The mask may be added; chosen by, `where(mask, scores, -inf)` or the other way round, or
  `masked_fill`; a causal one of `causal.py` becomes an attribute. It has to leave the shape of the scores.
* The products may be of tensors with batch and heads as one, reshaped from rank 4 and back.
* Half precision may be cast to f32 for the softmax, since the operator computes in f32. A dropout of a
  network that is no longer trained may follow, or zeros for what is NaN, or
  for rows of minus infinity, as PyTorch has them.
* k and v may have one head for all of q, or be repeated for groups of heads: by `repeat` or by
  `reshape(broadcast_to(expand_dims(k)))`.

The operator gives zeros to a query all of whose scores are minus infinity, where the formula has NaN.
A number other than -inf that stands for hidden scores, -1e4 or lower, gives a row of them equal shares. So
it becomes an added -1e30, which alone is left of its sum with a score; f16 has no such number, and keeps
its formula. A causal mask leaves a key to each row, and needs none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product as combinations
from typing import NamedTuple

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type

from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.dpl import (
    FunctionRule,
    Match,
    Pattern,
    PatternRule,
    is_constant,
    is_op,
    wildcard,
)
from relax_dialect.dpl.view import owner
from relax_dialect.ops.activation import SoftmaxOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.statistical import KeepdimsOp
from relax_dialect.rewrites.recognize import einsums, grouped_heads
from relax_dialect.rewrites.recognize.masks import Mask
from relax_dialect.rewrites.recognize.numbers import Numbers, is_close, number, shortest
from relax_dialect.rewrites.rule_sets import views
from relax_dialect.rewrites.rule_sets.values import known_shape
from relax_dialect.symbolic import Expr
from relax_dialect.symbolic import product as size_of

HEADS_LAST = [0, 2, 1, 3]
MISSING_AXES = {3: [2], 2: [0, 2]}
"""Where tensors of rank 3 and 2 get sizes of 1 to be [batch, places, heads, depth]."""

Sizes = tuple[Expr, ...]

matmul, reshape, astype, where = is_op("matmul"), is_op("reshape"), is_op("astype"), is_op("where")
softmax, logical_not = is_op("softmax"), is_op("logical_not")


class Product:
    """A product of two tensors, or of both with batch and heads as one, reshaped from rank 4 and back."""

    def __init__(self, a: Pattern, b: Pattern):
        self.factors = a, b
        self.flat = reshape(a, wildcard()), reshape(b, wildcard())
        self.form = matmul(a, b) | reshape(matmul(*self.flat), wildcard())

    def holds(self, m: Match) -> bool:
        """Whether the reshapes, if there are any, join batch and heads, and part them again."""
        if self.flat[0] not in m:
            return True
        shapes = [known_shape(m[node]) for node in (*self.factors, *self.flat, self.form)]
        if [len(shape or ()) for shape in shapes] != [4, 4, 3, 3, 4]:
            return False
        a, b, *found = (tuple(shape or ()) for shape in shapes)
        rows, columns, joined = a[2:], b[2:], size_of(a[:2])
        expected = [(joined, *rows), (joined, *columns), (*a[:2], rows[0], columns[1])]
        return found == expected and a[:2] == b[:2]


class Scaled:
    """A value times a number, or over one."""

    def __init__(self, p: Pattern, by: Pattern):
        self.by = by
        self.over = p / by
        self.form = p * by | self.over

    def factor(self, m: Match, beside: Value) -> float:
        """The factor: 1 where the pattern took no part, NaN where it is no number."""
        if self.by not in m:
            return 1.0
        found = number(m[self.by], beside)
        if not found:
            return float("nan")
        return 1 / found if self.over in m else found


def fixed() -> Pattern:
    """A node for a constant, or the root of one."""
    return is_constant() | is_op("sqrt")(is_constant())


class AttentionRule(FunctionRule):
    """Attention, with or without numbers that q and k are scaled by."""

    def __init__(self, scales_query: bool, scales_key: bool):
        self.numbers = Numbers()
        self.q, self.k, self.v = wildcard(), wildcard(), wildcard()
        of_query = Scaled(self.q, fixed())
        inside = Scaled(self.k, fixed())
        self.turns = [is_op("permute_dims")(inside.form if scales_key else self.k)]
        key = self.turns[0]
        self.scales = [of_query, inside]
        if scales_key:
            self.turns.append(is_op("permute_dims")(self.k))
            self.scales.append(Scaled(self.turns[1], fixed()))
            key |= self.scales[-1].form
        self.scores = Product(of_query.form if scales_query else self.q, key)
        of_scores = Scaled(self.scores.form, wildcard())
        self.scales.append(of_scores)
        self.mask = Mask(of_scores.form | self.scores.form)
        self.result = Product(self._shares(), self.v)
        super().__init__(self.result.form, self._recognized, "recognize attention")

    def _shares(self) -> Pattern:
        """The softmax of the scores; cast from half precision and back, safe, and before a dropout."""
        seen = self.mask.form
        self.wide = astype(seen)
        self.softmax = softmax(seen | self.wide)
        plain = astype(self.softmax) | self.softmax
        finite = logical_not(is_op("equal")(seen, self.numbers(float("-inf"))))
        self.any = is_op("any")(finite)
        empty = logical_not(self.any) | is_op("isnan")(plain)
        zero = self.numbers(0.0)
        safe = where(empty, is_op("full_like")(plain, zero) | zero, plain)
        return is_op("dropout")(safe | plain)[0] | safe | plain

    def _recognized(self, root: Value, m: Match) -> object | None:
        q, k, v = m[self.q], self._key(m), m[self.v]
        shapes = [known_shape(q), None if k is None else k.shape, known_shape(v)]
        if k is None or not fit_together(*shapes):
            return None
        q_dims, k_dims, v_dims = (tuple(shape or ()) for shape in shapes)
        dims = (*q_dims[:-1], k_dims[-2])
        same = known_shape(m[self.scores.form]) == dims == known_shape(m[self.mask.form])
        if not same or known_shape(root) != (*q_dims[:-1], v_dims[-1]):
            return None
        if not (self.scores.holds(m) and self.result.holds(m) and self._is_softmax(root, m)):
            return None
        scale = math.prod(scaled.factor(m, m[self.scores.form]) for scaled in self.scales)
        options = self.mask.options(m, dims)
        if options is None or math.isnan(scale):
            return None
        depth = k_dims[-1].value
        if depth is None or not is_close(scale, depth**-0.5, q.dtype):
            options["scale"] = shortest(scale, q.dtype)
        bias = [options.pop("bias")] if "bias" in options else []
        found = op.attention(laid_out(q), k.laid_out(), laid_out(v), *bias, **options)
        if len(dims) == 4:
            return op.permute_dims(found, HEADS_LAST)
        return op.squeeze(found, MISSING_AXES[len(dims)])

    def _key(self, m: Match) -> Key | None:
        """The key in the order of the other operands, None unless its rank is known."""
        shape = known_shape(m[self.k])
        turn = next(owner(m[node].value) for node in self.turns if node in m)
        assert isinstance(turn, PermuteDimsOp)
        if shape is None or len(shape) not in (2, 3, 4):
            return None
        *batch, depth, keys = turn.permutation(len(shape))
        return Key(m[self.k], [*batch, keys, depth])

    def _is_softmax(self, root: Value, m: Match) -> bool:
        """Whether the softmax is along the keys, and computed in the types that the operator has."""
        along, rank = owner(m[self.softmax].value), len(root.shape or ())
        assert isinstance(along, SoftmaxOp)
        dtype = root.dtype
        if dtype is None or any(
            m[x].dtype != dtype for x in (self.q, self.k, self.v, self.mask.form)
        ):
            return False
        if self.wide in m:
            halved = isinstance(dtype, Float16Type | BFloat16Type)
            if not halved or not isinstance(m[self.wide].dtype, Float32Type):
                return False
        if self.any in m:
            some = owner(m[self.any].value)
            assert isinstance(some, KeepdimsOp)
            if not some.keepdims or some.axes(rank) != (rank - 1,):
                return False
        return along.place(rank) == rank - 1 and self.numbers.hold(m, m[self.mask.form])


class Key(NamedTuple):
    """A key, and in which order its axes are [batch, heads, keys, depth]."""

    value: Value
    order: list[int]

    @property
    def shape(self) -> Sizes:
        """The sizes in that order."""
        shape = known_shape(self.value) or ()
        return tuple(shape[axis] for axis in self.order)

    def laid_out(self) -> object:
        """The key as the operator wants it."""
        if self.order == sorted(self.order):
            return laid_out(self.value)
        if len(self.order) == 4:
            return op.permute_dims(self.value, [self.order[axis] for axis in HEADS_LAST])
        return op.expand_dims(
            op.permute_dims(self.value, self.order), MISSING_AXES[len(self.order)]
        )


def laid_out(x: Value) -> object:
    """A tensor [batch, heads, places, depth], or of lower rank, as [batch, places, heads, depth]."""
    rank = len(x.shape or ())
    return op.permute_dims(x, HEADS_LAST) if rank == 4 else op.expand_dims(x, MISSING_AXES[rank])


def fit_together(q: Sizes | None, k: Sizes | None, v: Sizes | None) -> bool:
    """Whether batch, heads, depth and number of keys are the same, but for one head of k and v."""
    if q is None or k is None or v is None or len(q) not in (2, 3, 4):
        return False
    if not len(q) == len(k) == len(v) or q[-1] != k[-1] or k[-2] != v[-2]:
        return False
    if len(q) > 2 and not q[0] == k[0] == v[0]:
        return False
    return len(q) < 4 or all(x[1] == q[1] or x[1].value == 1 for x in (k, v))


def rules() -> Iterable[PatternRule]:
    """The rules; those with more scales come first."""
    for scales_query, scales_key in combinations((True, False), repeat=2):
        yield AttentionRule(scales_query, scales_key)
    yield from einsums.rules()
    yield from grouped_heads.rules()
    turns = ("permute_dims twice", "permute_dims between views")
    yield from (rule for rule in views.rules() if rule.name in turns)


__all__ = ["AttentionRule", "rules"]
