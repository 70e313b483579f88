"""The policies of mixed precision are TVM's, but for operators that round nothing, and contractions."""

from __future__ import annotations

import pytest
from operators import entries
from optional import package

from relax_dialect.frontends.tvmscript.operators import TABLE, Operator
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.kinds import ALWAYS, FOLLOW, NEVER, MixedPrecisionPolicy

ROUND_NOTHING = (
    "clip max min where take gather_elements gather_nd index_tensor flip tile repeat reverse_sequence "
    "nn.pad nn.pixel_shuffle slice_scatter tril triu"
)
"""Each element of the result is one of an operand, or a number that is given."""
ELEMENTWISE = "nn.leakyrelu nn.prelu nn.softplus zeros_like ones_like eye_like"
"""As relu, gelu and full_like in TVM."""
OTHERS: dict[str, MixedPrecisionPolicy] = {
    **dict.fromkeys(f"{ROUND_NOTHING} {ELEMENTWISE}".split(), FOLLOW),
    "einsum": ALWAYS,  # a contraction, as matmul
}
"""Those that TVM never computes in f16."""
COMPOSED = ("linear", "nn.relu6")
"""Functions of TVM's that make several operators."""


@pytest.mark.parametrize(
    "operator",
    [o for o in TABLE if issubclass(o.op, OperatorOp) and o.name not in COMPOSED],
    ids=lambda o: o.name,
)
def test_the_policy_is_that_of_tvm(operator: Operator):
    package("tvm")
    from tvm.ir import Op  # pyright: ignore

    theirs = Op.get(f"relax.{operator.name}").get_attr("TMixedPrecisionPolicy")
    policy = NEVER if theirs is None else MixedPrecisionPolicy(int(theirs))
    assert operator.op.PRECISION is OTHERS.get(operator.name, policy)
    assert operator.name not in OTHERS or policy is NEVER


def test_what_adds_up_or_reinterprets_bits_is_in_f32():
    never = {e.name for e in entries() if issubclass(e.op, OperatorOp) and e.op.PRECISION is NEVER}
    assert {"sum", "mean", "softmax", "batch_norm", "cumsum", "view", "lstm", "mse_loss"} <= never
    always = {
        e.name for e in entries() if issubclass(e.op, OperatorOp) and e.op.PRECISION is ALWAYS
    }
    assert {"matmul", "linear", "tensordot", "conv2d", "attention"} <= always
