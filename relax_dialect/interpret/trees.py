"""Decision trees, as tables of nodes."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from relax_dialect import symbolic
from relax_dialect.interpret.elementwise import operator_with_attributes
from relax_dialect.interpret.runtime_values import Array
from relax_dialect.ops.demands import require
from relax_dialect.ops.trees import TreeLeavesOp


def tree_leaves(
    op: TreeLeavesOp, x: Array, nodes: Array, roots: Array, missing_first: Array | None = None
) -> Array:
    """Evaluate the trees; all rows and trees take a step at once."""
    given = [x, nodes, *([] if missing_first is None else [missing_first])]
    require(op.demands(*(tuple(map(symbolic.const, array.shape)) for array in given)))
    last = len(nodes) - 1
    features = np.clip(nodes[:, 0], 0, x.shape[1] - 1).astype(np.int64)
    splits = np.ascontiguousarray(nodes[:, 1]).view(x.dtype)
    node = np.broadcast_to(np.clip(roots, 0, last), (len(x), len(roots)))
    for _ in range(op.depth):
        values = np.take_along_axis(x, features[node], 1)
        is_first = values <= splits[node]
        if missing_first is not None:
            is_first |= np.isnan(values) & missing_first[node]
        node = np.clip(np.where(is_first, nodes[node, 2], nodes[node, 3]), 0, last)
    return node.astype(nodes.dtype)


@register_impls
class TreeFunctions(InterpreterFunctions):
    """The operators of `relax_dialect.ops.trees`."""

    tree_leaves = operator_with_attributes(TreeLeavesOp, tree_leaves)
