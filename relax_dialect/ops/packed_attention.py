"""Attention of sequences of several lengths that lie one after the other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.attention import UNKNOWN, AttendingOp
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.fields import Operand, OptionalOperand, integer, real, string, tensor
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dtype
from relax_dialect.ops.type_rules import FLOAT, INTEGER, Rank, tensor_type


class PackedAttentionOp(AttendingOp):
    """An operator on sequences that lie one after the other."""

    queries: Operand = tensor(FLOAT, Rank(4, "C2"))
    keys: Operand = tensor(FLOAT, Rank(4, "C2"))
    values: Operand = tensor(FLOAT, Rank(4, "C2"))
    seqstart_q: Operand = tensor(INTEGER, Rank(1, "C2"))
    max_seqlen_q: Operand = tensor(INTEGER, Rank(0, "C2"))
    seqstart_k: OptionalOperand = tensor(INTEGER, Rank(1, "C2"), default=None, part_of="of_keys")
    max_seqlen_k: OptionalOperand = tensor(INTEGER, Rank(0, "C2"), default=None, part_of="of_keys")

    @property
    @abstractmethod
    def of_keys(self) -> Sequence[SSAValue]:
        """The starts and the maximum length of the keys, as far as they are present."""


@operator("relax.attention_var_len")
class AttentionVarLenOp(PackedAttentionOp):
    """`relax.attention` of each of several sequences with itself, or with a sequence of other keys.

    queries is [1, all queries, heads, depth], keys [1, all keys, key heads, depth], values [1, all keys,
    value heads, width], and the result is [1, all queries, heads, width]. Sequence s is formed by the
    queries from `seqstart_q[s]` to before `seqstart_q[s + 1]` (lengths 2, 5, 3 are [0, 2, 7, 10]), and by
    keys from `seqstart_k` likewise, which is `seqstart_q` by default. Scale, causal mask and window are
    those of `relax.attention`, for each sequence. Queries of no sequence, or without keys, yield zeros.

    No sequence has more queries than `max_seqlen_q`, or more keys than `max_seqlen_k`.

    (C1) queries, keys and values have one floating-point element type, that of the result; starts and
    maximum lengths are integers.
    (C2) queries, keys and values have rank 4, starts rank 1, maximum lengths rank 0.
    (C3) The first sizes are 1; depth, number of keys and number of starts are the same for all operands
         that have them; checked at run time unless proved.
    (C4) The numbers of heads of keys and values divide that of queries, provably.
    (C5) `causal_mask` is "TopLeft" or "BottomRight", or left out.
    (C6) `window_size` is 1 or more, and requires a causal mask.
    (C7) There are at most two operands after `max_seqlen_q`.

    Starts ascend from 0 or more to at most the number of queries or keys, and no sequence is longer than
    its maximum, which is checked at run time.
    """

    scale: float | None = real(default=None)
    causal_mask: str | None = string(
        default=None, among=("TopLeft", "BottomRight"), constraint="C5", quoted=True
    )
    window_size: int | None = integer(default=None, least=1, constraint="C6", quoted=True)

    @staticmethod
    def ascending(name: str) -> str:
        """Return the demand on the starts, for errors."""
        whose = "queries" if name == "seqstart_q" else "keys"
        return f"'{name}' to ascend from 0 or more to at most the number of {whose}"

    @staticmethod
    def not_longer(name: str) -> str:
        """Return the demand on the lengths, for errors."""
        starts = name.replace("max_seqlen", "seqstart")
        return f"no sequence of '{starts}' to be longer than '{name}'"

    def demands(
        self, queries: Dims, keys: Dims, values: Dims, starts: Dims, _: Dims, *of_keys: Dims
    ) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        mend, one = "reshape or slice one of them", symbolic.const(1)
        for name, shape in (("queries", queries), ("keys", keys), ("values", values)):
            expected = f"'{name}' of batch size 1 (C3)"
            yield from equal(expected, shape[0], one, "let the sequences follow one another")
        yield from equal("queries and keys of one depth (C3)", keys[3], queries[3], mend)
        yield from equal("keys and values of one length (C3)", values[1], keys[1], mend)
        for shape in of_keys[:1]:
            expected = "as many starts of keys as of queries (C3)"
            yield from equal(expected, shape[0], starts[0], "correct the starts")

    def infer(self) -> Sequence[Attribute]:
        if (count := len(self.of_keys)) > 2:
            expected = "at most two operands after 'max_seqlen_q' (C7)"
            self.fail(expected, str(count), "leave out the rest")
        types = [tensor_type(operand) for operand in self.operands]
        dtype = shared_dtype(self, types[:3])
        ranks = (4, 4, 4, 1, 0, 1, 0)
        shapes = [UNKNOWN[:n] if t.shape is None else t.shape for n, t in zip(ranks, types)]
        heads = shapes[0][2]
        for name, shape in zip(("keys", "values"), shapes[1:3]):
            if heads is not None and shape[2] is not None:
                self.group(heads, shape[2], name)
        self.refuse_window_alone("C6")
        refuse_unmet(self, self.demands(*shapes))
        result = (symbolic.const(1), shapes[0][1], heads, shapes[2][3])
        return (TensorType.get(result, dtype),)


OPS = operators_in(globals())
