"""Decision trees, as tables of nodes: blocks of rows and trees go down level by level.

The next node of one row depends on a load that depends on the one before; the rows and trees of a block are
independent, so their loads overlap, and no branch is mispredicted.
"""

from __future__ import annotations

from collections.abc import Sequence

from lowering.legalize.demands import requirements
from lowering.legalize.registry import legalize
from relax_dialect import te
from relax_dialect.ops.trees import TreeLeavesOp
from relax_dialect.te.kernels.kernel_builder import KernelBuffer, KernelBuilder

ROWS = 64
"""Rows of a block: their features and the nodes of a tree stay in the first-level cache."""
TREES = 16
"""Trees of a block: enough independent loads for one row."""


@legalize(TreeLeavesOp)
def tree_leaves(
    op: TreeLeavesOp,
    x: te.Tensor,
    nodes: te.Tensor,
    roots: te.Tensor,
    missing_first: te.Tensor | None,
) -> te.Tensor:
    """Return the node of each row and tree, in blocks."""
    more = [] if missing_first is None else [missing_first]
    given = [x, nodes, roots, *more]
    demands = op.demands(*(each.shape for each in (x, nodes, *more)))
    rows, trees = (te.cast(each.shape[0], "index") for each in (x, roots))

    def kernel(ib: KernelBuilder, ins: Sequence[te.Tensor], outs: Sequence[KernelBuffer]) -> None:
        (out,), last = outs, te.cast(nodes.shape[0], "index") - 1
        reached = ib.allocate((TREES, ROWS), "index", name="reached")
        with ib.for_(0, rows, ROWS, name="r") as r, ib.for_(0, trees, TREES, name="t") as t:
            high, wide = te.minimum(rows - r, ROWS), te.minimum(trees - t, TREES)
            with ib.for_(wide, name="j") as j, ib.for_(high, name="i") as i:
                reached[j, i] = _bounded(ins[2][t + j], last)
            with (
                ib.for_(op.depth, name="step"),
                ib.for_(wide, name="j") as j,
                ib.for_(high, name="i") as i,
            ):
                reached[j, i] = _child(ins, r + i, reached[j, i], last)
            with ib.for_(high, name="i") as i, ib.for_(wide, name="j") as j:
                out[r + i, t + j] = te.cast(reached[j, i], out.dtype)

    shape, requires = (x.shape[0], roots.shape[0]), requirements(op, demands)
    return te.extern(shape, given, kernel, dtype=nodes.dtype, name="out", requires=requires)


def _child(ins: Sequence[te.Tensor], row: te.Scalar, node: te.Scalar, last: te.Scalar) -> te.Scalar:
    """Return the number of the node that follows another."""
    x, nodes, _, *missing = ins
    value = x[row, _bounded(nodes[node, 0], te.cast(x.shape[1], "index") - 1)]
    is_first = value <= te.reinterpret(nodes[node, 1], x.dtype)
    if missing:
        is_first = is_first | (te.isnan(value) & missing[0][node])
    column = 3 - te.cast(is_first, "index")  # no select, which compilers make a branch of
    return _bounded(nodes[node, column], last)


def _bounded(number: te.Scalar, last: te.Scalar) -> te.Scalar:
    """Return a number within 0..last."""
    return te.minimum(te.maximum(te.cast(number, "index"), 0), last)
