"""Attention by its formula, for tensors of [batch, heads, length, depth], of rank 3 and of rank 2.

    softmax(q @ permute_dims(k) * scale + mask) @ v      ->  permute_dims(attention(permute_dims(q), ...))
    attention(q, permute_dims(repeat(k)), v)             ->  attention(q, permute_dims(k), v)
    permute_dims(permute_dims(x))                        ->  permute_dims(x), or x
    reshape(permute_dims(reshape(x)))                    ->  permute_dims(x), if that is all it is
    broadcast_to(x, shape_of(x))                         ->  x
    scores + broadcast_to(mask)                          ->  scores + mask
    attention(q, k, v, a causal mask)                    ->  attention(q, k, v) {causal_mask}

* The products may be `einsum`, in any order of the axes, see `einsums.py`.
* The scale may be a factor or divisor of the scores, of q, of k, or of both q and k. If it is
  1 / sqrt(depth) it is omitted, as the default of the operator.
* The mask may be added, or select, as in `where(mask, scores, -inf)` or its inverse, or `masked_fill`; a
  causal one of `causal.py` becomes an attribute. It must not change the shape of the scores.
* The products may be of tensors with batch and heads merged, reshaped to rank 4 afterwards.
* Half precision may be cast to f32 for the softmax, since the operator computes in f32. A dropout for
  inference may follow, or zeros for NaN, or for rows of minus infinity, as in PyTorch; TVM writes `any`
  as `max` of integers.
* k and v may have one head for all of q, or be repeated for groups of heads: by `repeat` or by
  `reshape(broadcast_to(expand_dims(k)))`.

For a query all of whose scores are minus infinity the operator returns zeros, the formula NaN. If another
number, -1e4 or lower, hides scores, a row of hidden scores has equal shares. So it becomes an added -1e30,
which absorbs the score in their sum; f16 has no such number, and keeps its formula. A causal mask leaves a
key to each row, and needs none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product as combinations
from typing import Any, NamedTuple

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
from relax_dialect.dpl.search.aliases import owner
from relax_dialect.ops.activation import SoftmaxOp
from relax_dialect.ops.manipulate import PermuteDimsOp
from relax_dialect.ops.statistical import KeepdimsOp
from relax_dialect.rewrites.algebra.rule_sets import (
    broadcast_operands,
    slice_rules,
    view_rules,
)
from relax_dialect.rewrites.algebra.rule_sets.rule_predicates import known_shape
from relax_dialect.rewrites.recognition.recognize import einsums, grouped_heads, masks
from relax_dialect.rewrites.recognition.recognize.formula_numbers import (
    FormulaNumbers,
    is_close,
    number,
    shortest,
)
from relax_dialect.rewrites.recognition.recognize.masks import Mask
from relax_dialect.symbolic import Expr
from relax_dialect.symbolic import product as size_of

HEADS_LAST = [0, 2, 1, 3]
MISSING_AXES = {3: [2], 2: [0, 2]}
"""The axes of size 1 that tensors of rank 3 and 2 lack to be [batch, length, heads, depth]."""

Sizes = tuple[Expr, ...]

matmul, reshape, astype, where = is_op("matmul"), is_op("reshape"), is_op("astype"), is_op("where")
softmax, logical_not = is_op("softmax"), is_op("logical_not")


class Product:
    """A product of two tensors, or a product with batch and heads merged that is reshaped to rank 4.

    The factors of the latter are reshaped from rank 4, or have batch and heads merged themselves.
    """

    def __init__(self, a: Pattern, b: Pattern):
        self.factors = a, b
        self.flat = tuple(reshape(x.has_shape([None] * 4), wildcard()) for x in self.factors)
        self.joined = matmul(*(flat | x for flat, x in zip(self.flat, self.factors)))
        self.form = matmul(a, b) | reshape(self.joined, wildcard())

    def batch(self, m: Match) -> Sizes | None:
        """Return batch and heads, if factors have them merged; else None."""
        return tuple(known_shape(m[self.form]) or ())[:2] if self.joined in m else None

    def holds(self, m: Match) -> bool:
        """Return whether the reshapes, if there are any, join batch and heads, and part them again."""
        if self.joined not in m:
            return True
        whole = tuple(known_shape(m[self.form]) or ())
        flat = [m[flat if flat in m else x] for flat, x in zip(self.flat, self.factors)]
        (a, b) = shapes = [tuple(known_shape(x) or ()) for x in flat]
        if [len(shape) for shape in (whole, *shapes)] != [4, 3, 3]:
            return False
        joined = size_of(whole[:2])
        if whole[2:] != (a[1], b[2]) or a[2] != b[1] or not a[0] == b[0] == joined:
            return False
        given = [tuple(known_shape(m[x]) or ()) for x in self.factors]
        return all(
            sizes[-2:] == shape[1:] and size_of(sizes[:-2]) == joined
            for sizes, shape in zip(given, shapes)
        )


class Scaled:
    """A value times a number, or over one."""

    def __init__(self, p: Pattern, by: Pattern):
        self.by = by
        self.over = p / by
        self.form = p * by | self.over

    def factor(self, m: Match, other: Value) -> float:
        """Return the factor: 1 where the pattern took no part, NaN where it is no number."""
        if self.by not in m:
            return 1.0
        found = number(m[self.by], other)
        if not found:
            return float("nan")
        return 1 / found if self.over in m else found


def fixed() -> Pattern:
    """Return a node for a constant, or the root of one."""
    return is_constant() | is_op("sqrt")(is_constant())


class AttentionRule(FunctionRule):
    """Attention, with or without numbers that q and k are scaled by."""

    def __init__(self, scales_query: bool, scales_key: bool):
        self.numbers = FormulaNumbers()
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
        """Return the softmax of the scores, with casts of half precision, safe guards, and a dropout."""
        seen = self.mask.form
        self.wide = astype(seen)
        self.softmax = softmax(seen | self.wide)
        plain = astype(self.softmax) | self.softmax
        hidden = self.numbers(float("-inf"))
        finite = logical_not(is_op("equal")(seen, hidden)) | is_op("not_equal")(seen, hidden)
        self.any, self.most = is_op("any")(finite), is_op("max")(astype(finite))
        empty = logical_not(self.any | astype(self.most)) | is_op("isnan")(plain)
        zero = self.numbers(0.0)
        safe = where(empty, is_op("full_like")(plain, zero) | zero, plain)
        return is_op("dropout")(safe | plain)[0] | safe | plain

    def _recognized(self, root: Value, m: Match) -> object | None:
        operands = self._operands(m)
        shapes = [x.shape for x in operands]
        if not fit_together(*shapes):
            return None
        q_dims, k_dims, v_dims = shapes
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
        if depth is None or not is_close(scale, depth**-0.5, root.dtype):
            options["scale"] = shortest(scale, root.dtype)
        query, key, value = (x.laid_out() for x in operands)
        found = op.attention(query, key, value, **options)
        if len(dims) == 4:
            return op.permute_dims(found, HEADS_LAST)
        return op.squeeze(found, MISSING_AXES[len(dims)])

    def _operands(self, m: Match) -> list[OrderedTensor]:
        """Queries, keys and values; the keys in the order of the others."""
        turn = next(owner(m[node].value) for node in self.turns if node in m)
        assert isinstance(turn, PermuteDimsOp)
        found: list[OrderedTensor] = []
        for node, product in ((self.q, self.scores), (self.k, self.scores), (self.v, self.result)):
            rank = len(known_shape(m[node]) or ())
            order = list(range(rank))
            if node is self.k and rank > 1:
                *batch, depth, keys = turn.permutation(rank)
                order = [*batch, keys, depth]
            found.append(OrderedTensor(m[node], order, product.batch(m)))
        return found

    def _is_softmax(self, root: Value, m: Match) -> bool:
        """Return whether the softmax is along the keys, and computed in the types that the operator has."""
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
        for node in (self.any, self.most):
            some = owner(m[node].value) if node in m else None
            if isinstance(some, KeepdimsOp) and (
                not some.keepdims or some.axes(rank) != (rank - 1,)
            ):
                return False
        return along.axis_of(rank) == rank - 1 and self.numbers.hold(m, m[self.mask.form])


class OrderedTensor(NamedTuple):
    """A tensor, and the order of its axes [batch, heads, length, depth], or fewer of them."""

    value: Value
    order: list[int]
    batch: Sizes | None
    """Batch and heads, where the axes in front are these in another form, or may be."""

    @property
    def shape(self) -> Sizes:
        """The sizes in that order."""
        shape = known_shape(self.value) or ()
        found = tuple(shape[axis] for axis in self.order)
        return found if self.batch is None else (*self.batch, *found[-2:])

    def laid_out(self) -> Any:
        """Return the tensor as [batch, length, heads, depth]."""
        rank, given = len(self.order), known_shape(self.value) or ()
        if rank == 4 and tuple(given[axis] for axis in self.order) == self.shape:
            return op.permute_dims(self.value, [self.order[axis] for axis in HEADS_LAST])
        in_order = self.order == sorted(self.order)
        value = self.value if in_order else op.permute_dims(self.value, self.order)
        if self.batch is None:
            return op.expand_dims(value, MISSING_AXES[rank])
        return op.permute_dims(op.reshape(value, list(self.shape)), HEADS_LAST)


def fit_together(q: Sizes, k: Sizes, v: Sizes) -> bool:
    """Return whether batch, heads, depth and number of keys are the same, but for one head of k and v."""
    if len(q) not in (2, 3, 4):
        return False
    if not len(q) == len(k) == len(v) or q[-1] != k[-1] or k[-2] != v[-2]:
        return False
    if len(q) > 2 and not q[0] == k[0] == v[0]:
        return False
    return len(q) < 4 or all(x[1] == q[1] or x[1].value == 1 for x in (k, v))


def rules() -> Iterable[PatternRule]:
    """Return the rules; rules with more scales come first."""
    for scales_query, scales_key in combinations((True, False), repeat=2):
        yield AttentionRule(scales_query, scales_key)
    yield from einsums.rules()
    yield from grouped_heads.rules()
    yield masks.causal_rule()
    turns = ("permute_dims twice", "permute_dims between views", "broadcast_to the own shape")
    simplifying = (*turns, "strided_slice that changes nothing")
    given = (*view_rules.rules(), *slice_rules.rules())
    yield from (rule for rule in given if rule.name in simplifying)
    yield from broadcast_operands.rules()
