"""The kind of computation of an operator in TVM's terms, and its policy of mixed precision.

A pattern matches the kind by `has_attr("TOpPattern", K_ELEMWISE)`. Operators declare it by the class
variables `PATTERN_KIND` and `COMMUTATIVE` (see `ops/base.py`), for all their instances.

Relay registers these kinds for its operators. For an operator that Relay lacks, and for tile, repeat,
one_hot and einsum, it is the kind that Relax's `AnnotateTIROpPattern` finds in the legalised operator.
Two are weaker than Relay's: tril and triu are `INJECTIVE`, since their elements depend on their indices,
and nll_loss is `OPAQUE` like all losses.

The class variable `PRECISION` is the policy of mixed precision, as in Relax's `TMixedPrecisionPolicy`;
operators that only move or select elements follow here as well, and all contractions are narrow.
"""

from __future__ import annotations

from enum import IntEnum

from xdsl.dialects.arith import Arith, ConstantOp
from xdsl.dialects.math import Math
from xdsl.ir import Operation
from xdsl.traits import Commutative

from relax_dialect.ir.traits import kind_has


class OpPatternKind(IntEnum):
    """TVM's kinds with TVM's numbers; up to `OPAQUE`, the larger the number, the less is known."""

    ELEMWISE = 0
    """`out[i, j]` is a function of `x[i, j]` alone, the same for every index."""

    BROADCAST = 1
    """The same for several tensors whose shapes broadcast: `out[i, j]` is made of `x[i, j]` and `y[j]`."""

    INJECTIVE = 2
    """`out[i, j]` is a function of elements whose indices follow from i and j: `x[j, i]`, `x[index[i],
    j]`."""

    COMM_REDUCE = 3
    """A reduction over whole axes: `out[i]` is made of all `x[i, k]`."""

    OUT_ELEMWISE_FUSABLE = 4
    """A contraction, or a reduction over windows: an elementwise operator may follow in its loops."""

    TUPLE = 7
    """A tuple is made."""

    OPAQUE = 8
    """Nothing is known."""


K_ELEMWISE = OpPatternKind.ELEMWISE
K_BROADCAST = OpPatternKind.BROADCAST
K_INJECTIVE = OpPatternKind.INJECTIVE
K_COMM_REDUCE = OpPatternKind.COMM_REDUCE
K_OUT_ELEMWISE_FUSABLE = OpPatternKind.OUT_ELEMWISE_FUSABLE
K_TUPLE = OpPatternKind.TUPLE
K_OPAQUE = OpPatternKind.OPAQUE


class MixedPrecisionPolicy(IntEnum):
    """The element type that `relax-to-mixed-precision` has an operator compute in, with TVM's numbers."""

    ALWAYS = 0
    """The narrow type: a contraction, which adds up in f32."""

    FOLLOW = 1
    """The narrow type if its operands have it."""

    NEVER = 2
    """f32: sums, exponentials that are normalized, and the operators that say nothing."""


ALWAYS = MixedPrecisionPolicy.ALWAYS
FOLLOW = MixedPrecisionPolicy.FOLLOW
NEVER = MixedPrecisionPolicy.NEVER

ELEMENTWISE_OPS = {*Arith.operations, *Math.operations} - {ConstantOp}
"""The ops of other dialects that compute each element by itself, on scalars and on tensors."""


def pattern_kind(op: Operation | type[Operation]) -> OpPatternKind:
    """Return the kind of an op: as declared by its class, `ELEMWISE` for the ops of `arith` and `math`
    except `arith.constant`, else `OPAQUE`."""
    cls = op if isinstance(op, type) else type(op)
    default = K_ELEMWISE if cls in ELEMENTWISE_OPS else K_OPAQUE
    return getattr(cls, "PATTERN_KIND", default)


def is_commutative(op: Operation | type[Operation]) -> bool:
    """Return whether the two operands of an op may be swapped: as declared by its class, by `COMMUTATIVE`
    or xDSL's trait `Commutative`."""
    cls = op if isinstance(op, type) else type(op)
    return getattr(cls, "COMMUTATIVE", False) or kind_has(cls, Commutative)
