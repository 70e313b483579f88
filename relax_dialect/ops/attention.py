"""Attention, and rotary position embeddings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, guarded, one_or, refuse_unmet
from relax_dialect.ops.fields import Operand, OptionalOperand, flag, integer, real, string, tensor
from relax_dialect.ops.kinds import ALWAYS, FOLLOW, K_INJECTIVE, K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype, shared_dtype
from relax_dialect.ops.type_rules import FLOAT, INTEGER, Rank, is_bool, tensor_type
from relax_dialect.prim.run_time_checks import demanded, hole
from relax_dialect.symbolic import Expr

UNKNOWN: Dims = (None,) * 4
FOUR = Rank(4, "C2", "reshape it, or add dimensions of size 1")


class AttendingOp(OperatorOp):
    """The common base of attention: the keys that a causal mask leaves, and groups of heads."""

    PATTERN_KIND: ClassVar = K_OPAQUE
    PRECISION: ClassVar = ALWAYS

    @property
    @abstractmethod
    def causal_mask(self) -> str | None:
        """The alignment of the causal mask, None for no mask."""

    @property
    @abstractmethod
    def window_size(self) -> int | None:
        """The maximum number of keys a query attends to."""

    def last_key(self, queries: Expr, keys: Expr) -> Expr | None:
        """Return the last key that the first query sees, None if it sees all."""
        if self.causal_mask is None:
            return None
        if self.causal_mask == "TopLeft":
            return symbolic.const(0)
        return symbolic.maximum(queries - keys, keys - queries)

    def group(self, heads: Expr, own: Expr, name: str = "key") -> Expr:
        """Return the number of query heads that share a head of key or value."""
        try:
            found = symbolic.exact_quotient(heads, own)
        except SymbolicError:
            found = None
        if found is None:
            expected = f"the heads of '{name}' to divide those of 'query', provably (C4)"
            mend = "narrow the types by a relax.match_cast, or reshape"
            self.fail(expected, f"{own} and {heads}", mend)
        return found

    def refuse_window_alone(self, constraint: str) -> None:
        """Refuse a window without a causal mask."""
        if self.window_size is not None and self.causal_mask is None:
            mend = 'write causal_mask = "TopLeft" or "BottomRight"'
            self.fail(f"a causal mask where there is a window ({constraint})", "none", mend)


@operator("relax.attention")
class AttentionOp(AttendingOp):
    """`softmax(scale * query @ transpose(key) + bias) @ value` for every head (Vaswani and others, 2017),
    computed in f32 for f16 and bf16.

    The operands are query [batch, queries, heads, depth], key [batch, keys, key heads, depth], value
    [batch, keys, value heads, width], and the result is [batch, queries, heads, width]. With fewer heads of
    key or value, groups of neighbouring query heads share one (Ainslie and others, 2023). The scale is
    `1 / sqrt(depth)` by default. A bias is added; a boolean bias is a mask that excludes the keys where it
    is false.

    With a causal mask query i attends to the keys j <= i + k, where k is 0 (`TopLeft`) or the number of
    keys minus that of queries (`BottomRight`); with a window only to the last `window_size` of them. A
    query without keys, or with scores of minus infinity alone, yields zeros.

    (C1) The operands have one floating-point element type, that of the result; `bias` may be i1.
    (C2) query, key and value have rank 4, and `bias` too.
    (C3) batch, keys and depth are the same for all operands that have them.
    (C4) The numbers of heads of key and value divide that of query, provably.
    (C5) `bias` broadcasts to [batch, heads, queries, keys].
    (C6) `causal_mask` is "TopLeft" or "BottomRight", or left out.
    (C7) `window_size` is 1 or more, and requires a causal mask.
    """

    query: Operand = tensor(FLOAT, FOUR)
    key: Operand = tensor(FLOAT, FOUR)
    value: Operand = tensor(FLOAT, FOUR)
    bias: OptionalOperand = tensor(FOUR, default=None)
    scale: float | None = real(default=None)
    causal_mask: str | None = string(
        default=None, among=("TopLeft", "BottomRight"), constraint="C6", quoted=True
    )
    window_size: int | None = integer(default=None, least=1, constraint="C7", quoted=True)

    def demands(
        self, query: Dims, key: Dims, value: Dims, bias: Dims | None = None
    ) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        batch, queries, heads, depth = query
        pairs = {
            "query and key to have one batch size": (batch, key[0]),
            "query and value to have one batch size": (batch, value[0]),
            "query and key to have one depth": (depth, key[3]),
            "key and value to have one length": (key[1], value[1]),
        }
        for expected, (wanted, size) in pairs.items():
            yield from equal(f"{expected} (C3)", size, wanted, "reshape or slice one of them")
        expected = "'bias' to broadcast to [batch, heads, queries, keys] (C5)"
        for size, wanted in zip(bias or (), (batch, heads, queries, key[1])):
            yield from one_or(expected, size, wanted, "make each size of it 1 or that size")

    def infer(self) -> Sequence[Attribute]:
        factors = [tensor_type(x) for x in (self.query, self.key, self.value)]
        dtype, bias = shared_dtype(self, factors), self._bias_type(factors[0])
        types = [*factors, *([bias] if bias else [])]
        shapes = [UNKNOWN if type.shape is None else type.shape for type in types]
        for name, shape in zip(("key", "value"), shapes[1:]):
            if shapes[0][2] is not None and shape[2] is not None:
                self.group(shapes[0][2], shape[2], name)
        self.refuse_window_alone("C7")
        refuse_unmet(self, self.demands(*shapes))
        (batch, queries, heads, _), _, value = shapes[:3]
        return (TensorType.get((batch, queries, heads, value[3]), dtype),)

    def _bias_type(self, query: TensorType) -> TensorType | None:
        """Return the type of the bias; refuses an element type that is neither i1 nor that of the
        others."""
        if self.bias is None:
            return None
        type = tensor_type(self.bias)
        if type.dtype is None or not is_bool(type.dtype):
            common_dtype(self, query, type)
        return type


@operator("relax.rotary_embedding", K_INJECTIVE, FOLLOW)
class RotaryEmbeddingOp(OperatorOp):
    """Pairs of elements (u, v) of every head, rotated by an angle that depends on the position: they become
    `u * cos - v * sin` and `u * sin + v * cos` (Su and others, 2021), computed in f32 for f16 and bf16.

    x is [batch, sequence, heads, depth], as for `relax.attention`. A pair is formed by the elements i and i
    + half of a head, or 2 * i and 2 * i + 1 if `interleaved`; where `half`, the last size of cos and sin,
    is less than half of the depth, the rest is unchanged. cos and sin are [batch, sequence, half], or
    [positions, half] with the row of each position in `position_ids` [batch, sequence].

    (C1) x, `cos` and `sin` have one floating-point element type, that of the result; `position_ids` are
         integers.
    (C2) The operands have these ranks.
    (C3) `cos` and `sin` have one shape; batch and sequence are the same for all that have them.
    (C4) `cos` is at most half as wide as the heads.
    """

    x: Operand = tensor(FLOAT, Rank(4, "C2"))
    cos: Operand = tensor(FLOAT)
    sin: Operand = tensor(FLOAT)
    position_ids: OptionalOperand = tensor(INTEGER, Rank(2, "C2"), default=None)
    interleaved: bool = flag(default=False)

    @staticmethod
    def wrong_position(found: object, rows: object) -> str:
        """Return the message for a position that the tables have no row for."""
        return demanded(
            "positions that the rows of 'cos' are for",
            f"{found} for {rows} rows",
            "correct the positions, or compute more rows",
        )

    def demands(
        self, x: Dims | None, cos: Dims | None, sin: Dims | None, positions: Dims | None = None
    ) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        mend = "reshape or slice one of them"
        for size, wanted in zip(sin or (), cos or ()):
            yield from equal("'cos' and 'sin' of one shape (C3)", size, wanted, mend)
        for places in (cos if self.position_ids is None else None, positions):
            for size, wanted in zip((places or ())[:2], x or ()):
                yield from equal("x and angles of one batch and sequence (C3)", size, wanted, mend)
        depth, half = x[-1] if x else None, cos[-1] if cos else None
        if depth is not None and half is not None:
            expected = "'cos' to be at most half as wide as the heads (C4)"
            widest = guarded(lambda: symbolic.maximum(depth, half * 2))
            if widest is not None:
                yield Demand(
                    expected,
                    widest,
                    depth,
                    f"{hole(half)} for {hole(depth)}",
                    "correct 'cos' and 'sin'",
                )

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(operand) for operand in self.operands]
        dtype = shared_dtype(self, types[:3])
        width = Rank(
            3 if self.position_ids is None else 2, "C2", "reshape it, or correct the operands"
        )
        for name, type in zip(("cos", "sin"), types[1:]):
            width.check(self, name, type)
        refuse_unmet(self, self.demands(*(type.shape for type in types)))
        return (TensorType.get(types[0].shape, dtype),)


OPS = operators_in(globals())
