"""Decision trees, as tables of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import Attribute

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, at_least, equal, refuse_unmet
from relax_dialect.ops.fields import Operand, OptionalOperand, integer, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.type_rules import Elements, Rank, is_bool, tensor_type

INTEGERS: Mapping[Attribute, Attribute] = {f32: i32, f64: i64}
"""The element type of tables for rows of a type, whose bits it holds."""

SINGLE = Elements(
    lambda dtype: dtype in INTEGERS,
    "the element type f32 or f64",
    "convert with relax.astype first",
)
WHOLE = Elements(
    lambda dtype: dtype in INTEGERS.values(),
    "the element type i32 or i64",
    "convert with relax.astype first",
)
FLAG = Elements(is_bool, "the element type i1", "compare with relax.not_equal first")
VECTOR = Rank(1, "C2")
MATRIX = Rank(2, "C2")


@operator("relax.tree_leaves", K_OPAQUE)
class TreeLeavesOp(OperatorOp):
    """The leaf that each row of x reaches in each decision tree, by number: [rows, trees].

    Each row of `nodes` is a node of some tree: the number of a feature, the bits of a split, the numbers
    of two children. The first child follows if `x[row, feature] <= split`, else the second one; for NaN
    the second, or the first where `missing_first` holds. The way begins at the tree's root and has
    `depth` steps, so a leaf is its own child. Numbers of features and nodes are cut off at the bounds of
    x and of the table.

    (C1) x has the element type f32, `nodes` and `roots` i32, as the result; or f64 and i64.
         `missing_first` has i1.
    (C2) x and `nodes` have rank 2, `roots` and `missing_first` rank 1.
    (C3) `missing_first` has an element for each node; checked at run time unless proved.
    (C4) `nodes` has four columns; checked at run time unless proved.
    (C5) There is a node and a feature; checked at run time unless proved.
    (C6) `depth` is 0 or more.
    """

    x: Operand = tensor(SINGLE, MATRIX)
    nodes: Operand = tensor(WHOLE, MATRIX)
    roots: Operand = tensor(WHOLE, VECTOR)
    missing_first: OptionalOperand = tensor(FLAG, VECTOR, default=None)
    depth: int = integer(default=0, least=0, constraint="C6")

    def demands(
        self, x: Dims | None, nodes: Dims | None, missing: Dims | None = None
    ) -> Iterator[Demand]:
        """Yield the demands on the sizes, as far as these are known."""
        length, columns = nodes or (None, None)
        for size, wanted, expected, mend in (
            (
                missing[0] if missing else None,
                length,
                "an element of 'missing_first' for each node (C3)",
                "slice it",
            ),
            (columns, symbolic.const(4), "four columns of 'nodes' (C4)", "reshape it"),
        ):
            if size is not None and wanted is not None:
                yield from equal(expected, size, wanted, mend)
        for what, size in (("node", length), ("feature", x[1] if x else None)):
            mend = "leave out empty tables"
            yield from at_least(f"at least one {what} (C5)", size, symbolic.const(1), mend)

    def infer(self) -> Sequence[Attribute]:
        x, nodes, roots, *missing = (tensor_type(operand) for operand in self.operands)
        dtype = common_dtype(self, nodes, roots)
        if x.dtype is not None and dtype not in (None, INTEGERS[x.dtype]):
            expected = f"'nodes' of {INTEGERS[x.dtype]} for x of {x.dtype} (C1)"
            self.fail(expected, str(dtype), "make integers as wide as x")
        refuse_unmet(self, self.demands(x.shape, nodes.shape, *(each.shape for each in missing)))
        shape = (x.shape[0] if x.shape else None, roots.shape[0] if roots.shape else None)
        return (TensorType.get(shape, dtype),)


OPS = operators_in(globals())
