"""relax-topological-sort: the text of graph regions in an order of evaluation.

```mlir
%y = relax.dataflow {                          %y = relax.dataflow {
  %b = relax.exp %a : (T) -> T                   %a = relax.tanh %x : (T) -> T
  %a = relax.tanh %x : (T) -> T         ->       %b = relax.exp %a : (T) -> T
  relax.output %b : T                            relax.output %b : T
}                                              }
```

`relax-topological-sort{order=depth-first direction=from-inputs}`: one of four orders, in which a traversal
of the graph visits its ops.

* from-inputs: an op follows the last of its operands. breadth-first takes the users of each value in turn,
  depth-first follows a value to its last use first, so that few other values are live meanwhile.
* from-outputs: an op precedes the first of its users, so that values are computed late; depth-first
  finishes one operand after another, breadth-first goes up level by level.

Symbolic variables count as edges: an op follows the `match_cast` that defines the variables it names.
Without options, the order of the text is kept where possible. No op leaves its block: its region is an
upper bound of the region of its evaluation, and its symbolic variables are defined there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from relax_dialect.ir.order import requirements
from relax_dialect.ir.symbol_scopes import bound_around
from relax_dialect.ir.walk import walk_ops
from relax_dialect.transform.regions import functions, sort_regions

Order: TypeAlias = Literal["depth-first", "breadth-first"]
Direction: TypeAlias = Literal["from-inputs", "from-outputs"]
Node: TypeAlias = Operation | SSAValue
"""An op of the block, or a value from outside of it."""


def traversal_order(block: Block, order: Order, direction: Direction) -> list[Operation]:
    """Return the ops of a graph region in traversal order; the terminator is last."""
    *ops, last = block.ops
    needs = requirements(block, bound_around(block))
    required = {op: list(dict.fromkeys(needs(op))) for op in (*ops, last)}
    if direction == "from-outputs":
        users: dict[Node, list[Node]] = {op: [] for op in ops}
        for op, found in required.items():
            for needed in found:
                users[needed].append(op)
        unused = [op for op in ops if not users[op]]
        for op in unused:
            users[op].append(last)
        first = unused if order == "depth-first" else reversed(unused)  # both keep the text's order
        required[last] = [*first, *required[last]]
        met = _traverse([last], required, users, order)
        return [op for op in reversed(met) if isinstance(op, Operation)]
    # a value from outside is a node as well: an op follows the last value that it needs
    before: dict[Node, list[Node]] = {}
    after: dict[Node, list[Node]] = {}
    for op in ops:
        before[op] = [*required[op], *_from_outside(op, block)]
        for node in before[op]:
            after.setdefault(node, []).append(op)
    values = [node for node in after if isinstance(node, SSAValue)]
    values.sort(key=lambda v: (0, v.index) if isinstance(v, BlockArgument) else (1, 0))
    roots = [*values, *(op for op in ops if not before[op])]
    if order == "depth-first":
        roots.reverse()
        after = {node: found[::-1] for node, found in after.items()}
    met = _traverse(roots, after, before, order)
    return [*(op for op in met if isinstance(op, Operation)), last]


def _from_outside(root: Operation, block: Block) -> list[SSAValue]:
    """Return the values from outside of a block that an op of it uses, also inside its regions."""
    found: dict[SSAValue, None] = {}
    for op in walk_ops(root):
        for value in op.operands:
            holder = value.owner
            if not _lies_in(holder, block):
                found[value] = None
    return list(found)


def _lies_in(place: Operation | Block, block: Block) -> bool:
    current: Block | None = place.parent if isinstance(place, Operation) else place
    while current is not None and current is not block:
        op = current.parent_op()
        current = None if op is None else op.parent
    return current is block


def _traverse(
    roots: list[Node],
    following: Mapping[Any, Sequence[Node]],
    preceding: Mapping[Any, Sequence[Node]],
    order: Order,
) -> list[Node]:
    """Return the nodes from some roots on, each once all that precede it are met."""
    waiting = {node: len(found) for node, found in preceding.items()}
    pending = deque(roots)
    met: list[Node] = []
    while pending:
        node = pending.pop() if order == "depth-first" else pending.popleft()
        met.append(node)
        for next_node in following.get(node, ()):
            waiting[next_node] -= 1
            if waiting[next_node] == 0:
                pending.append(next_node)
    return met


def topological_sort(
    module: ModuleOp, order: Order | None = None, direction: Direction | None = None
) -> None:
    """Sort the graph regions of all functions: by the text, or by a traversal.

    If only one is specified, the order of a traversal is depth-first and the direction from-inputs.
    """

    def chosen(block: Block) -> list[Operation]:
        return traversal_order(block, order or "depth-first", direction or "from-inputs")

    as_written = order is None and direction is None
    for function in functions(module):
        sort_regions(function, order=None if as_written else chosen)


@dataclass(frozen=True)
class TopologicalSortPass(ModulePass):
    """Write the ops of graph regions in an order of evaluation."""

    name = "relax-topological-sort"

    order: Order | None = None
    direction: Direction | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        topological_sort(op, self.order, self.direction)
