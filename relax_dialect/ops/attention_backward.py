"""The gradient of attention as an operator of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import result_def

from relax_dialect.ir.types import TensorType
from relax_dialect.ops.attention import FOUR, AttentionOp
from relax_dialect.ops.backward import BackwardOp
from relax_dialect.ops.fields import Operand, OptionalOperand, integer, real, string, tensor
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import FLOAT, tensor_type


@operator("relax.attention_backward")
class AttentionBackwardOp(BackwardOp):
    """The gradients of `attention` with respect to query, key and value, from `output_grad`, the cotangent
    of its result; all other arguments are those of attention. With its attention probabilities P, and G for
    `output_grad @ transpose(value)`, the scores have `S = P * (G - sum(P * G))`, and the results are `scale
    * S @ key`, `scale * transpose(S) @ query` and `transpose(P) @ output_grad`, for fewer heads of key or
    value summed over the query heads that share one (Dao and others, 2022, appendix B).

    P is recomputed. Compiled code keeps the scores of one batch and head at a time. A query without keys
    contributes nothing.

    (C2) query, key and value have rank 4, and `bias` too.
    (C6) `causal_mask` is "TopLeft" or "BottomRight", or left out.
    (C7) `window_size` is 1 or more, and requires a causal mask.
    """

    FORWARD: ClassVar = AttentionOp

    query: Operand = tensor(FLOAT, FOUR)
    key: Operand = tensor(FLOAT, FOUR)
    value: Operand = tensor(FLOAT, FOUR)
    bias: OptionalOperand = tensor(FOUR, default=None)
    scale: float | None = real(default=None)
    causal_mask: str | None = string(
        default=None, among=("TopLeft", "BottomRight"), constraint="C6", quoted=True
    )
    window_size: int | None = integer(default=None, least=1, constraint="C7", quoted=True)
    query_grad = result_def(TensorType)
    key_grad = result_def(TensorType)
    value_grad = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        super().infer()
        return tuple(tensor_type(x) for x in (self.query, self.key, self.value))


OPS = operators_in(globals())
