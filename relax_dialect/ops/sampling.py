"""Draws from distributions, by random numbers passed as operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, not_empty, refuse_unmet
from relax_dialect.ops.fields import Dtype, Operand, element_type, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dim
from relax_dialect.ops.sorting import place_type
from relax_dialect.ops.type_rules import FLOAT, INTEGER, Rank, tensor_type

UNKNOWN: Dims = (None, None)


@operator("relax.multinomial_from_uniform", K_OPAQUE)
class MultinomialFromUniformOp(OperatorOp):
    """An index drawn from a distribution for every number of `uniform_sample`, which is uniform in 0..1:
    the first index at which the cumulative probability exceeds the number, or the last index.

    The rows of `prob` are distributions, `sample_indices` has the row for each number. They are accumulated
    in their order, f16 and bf16 in f32.

    (C1) `prob` and `uniform_sample` are floating-point, `sample_indices` integers.
    (C2) `dtype`, the element type of the result, is an integer type.
    (C3) `prob` is a matrix, `uniform_sample` and `sample_indices` are columns of equal length; checked at
         run time unless proved.
    (C4) A distribution has 1 or more elements; checked at run time unless proved.

    Every row is within 0..size-1 of `prob`, which is checked at run time.
    """

    WITHIN: ClassVar = "every row in 'sample_indices' to be within 0..size-1 of 'prob'"

    prob: Operand = tensor(FLOAT, Rank(2, "C3"))
    uniform_sample: Operand = tensor(FLOAT, Rank(2, "C3"))
    sample_indices: Operand = tensor(INTEGER, Rank(2, "C3"))
    dtype: Dtype = element_type(default=i64)

    def demands(self, prob: Dims, sample: Dims, indices: Dims) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        one = symbolic.const(1)
        for name, shape in (("uniform_sample", sample), ("sample_indices", indices)):
            yield from equal(f"'{name}' of one column (C3)", shape[1], one, "reshape it to [n, 1]")
        expected = "one row in 'sample_indices' for each number (C3)"
        yield from equal(expected, indices[0], sample[0], "slice or repeat one of them")
        leave = "leave the operator out where there is nothing to draw"
        yield from not_empty([prob[1]], ["a distribution"], "1 or more elements", "C4", leave)

    def infer(self) -> Sequence[Attribute]:
        shapes = [tensor_type(value).shape or UNKNOWN for value in self.operands]
        refuse_unmet(self, self.demands(*shapes))
        count = shared_dim(self, [shapes[1][0], shapes[2][0]], "of samples", "C3")
        return (TensorType.get((count, symbolic.const(1)), place_type(self, self.dtype)),)


OPS = operators_in(globals())
