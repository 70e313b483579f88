"""The order of evaluation of a block: SSA edges and symbolic variables together."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult
from xdsl.traits import IsTerminator

from relax_dialect.ir.locations import written_names
from relax_dialect.ir.symbol_scopes import bound_around, escaping_symbols, free_symbols
from relax_dialect.ir.traits import has_trait


class CycleError(Exception):
    """Some ops of a graph region need each other's results."""

    def __init__(self, ops: list[Operation]):
        self.ops = ops
        super().__init__(" -> ".join(describe(op) for op in ops))


def describe(op: Operation) -> str:
    """Return an op as a message names it: `relax.add (%y)`."""
    names = ", ".join(f"%{r.name_hint}" for r in op.results if r.name_hint)
    name = op_name(op)
    return f"{name} ({names})" if names else name


def describe_written(op: Operation) -> str:
    """Return the same, with the numbers of the text for results that have no names: `relax.add (%2)`."""
    if not op.results or any(r.name_hint for r in op.results):
        return describe(op)
    names = ", ".join(written_names(op))
    return f"{op_name(op)} ({names})" if names else op_name(op)


def op_name(op: Operation) -> str:
    """Return the name of an op as it is written, also of an unregistered op."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _needs_of_regions(block: Block) -> dict[Operation, dict[Operation, None]]:
    """Map each op with regions to the ops of its block whose results are used inside.

    Walks up from the uses of each value, not through every region of every enclosing block.
    """
    found: dict[Operation, dict[Operation, None]] = {}
    if not any(op.regions for op in block.ops):
        return found
    for op in block.ops:
        for result in op.results:
            for use in result.uses:
                holder = use.operation
                if holder.parent is block:
                    continue
                while holder is not None and holder.parent is not block:
                    holder = holder.parent_op()
                if holder is not None:
                    found.setdefault(holder, {})[op] = None
    return found


def topological_order(block: Block, bound: Container[str] = ()) -> list[Operation]:
    """Sort the ops of a block topologically; ties keep the textual order.

    An op depends on the ops of the block that define its operands and the operands of its nested ops, and
    on the first op of the block that defines a symbolic variable it or a nested op names. Variables in
    `bound` are defined before the block, so matching one of them is only a check. The terminator stays
    last. Linear in the number of uses. Raises `CycleError` if no order exists.
    """
    try:
        return _topological_order(block, bound)
    except CycleError:
        # a variable bound outside may have been mistaken for a definition of the block
        return _topological_order(block, bound_around(block))


def requirements(
    block: Block, bound: Container[str] = ()
) -> Callable[[Operation], list[Operation]]:
    """Return the ops of a block that an op needs, as `topological_order` says it, operands first."""
    definers: dict[str, Operation] = {}
    for op in block.ops:
        for symbol in escaping_symbols(op):
            if symbol not in bound:
                definers.setdefault(symbol, op)

    inside = _needs_of_regions(block)

    def needs(op: Operation) -> list[Operation]:
        found = [
            operand.op
            for operand in op.operands
            if isinstance(operand, OpResult) and operand.op.parent is block
        ]
        found += inside.get(op, ())
        if op in found:
            raise CycleError([op, op])
        if definers:
            for symbol in free_symbols(op):
                definer = definers.get(symbol)
                if definer is not None and definer is not op:
                    found.append(definer)
        return found

    return needs


def _topological_order(block: Block, bound: Container[str]) -> list[Operation]:
    order = in_order(block.ops, requirements(block, bound))
    if order and not has_trait(order[-1], IsTerminator):
        order.sort(key=lambda op: has_trait(op, IsTerminator))
    return order


def in_order(
    roots: Iterable[Operation], needs: Callable[[Operation], Iterable[Operation]]
) -> list[Operation]:
    """Sort ops and everything they need topologically; ties keep the order of `roots`.

    Raises `CycleError` for ops that need each other.
    """
    order: list[Operation] = []
    done: dict[Operation, bool] = {}  # False while the op waits for what it needs
    for root in roots:
        if root in done:
            continue
        done[root] = False
        stack = [(root, iter(needs(root)))]
        while stack:
            op, pending = stack[-1]
            for needed in pending:
                state = done.get(needed)
                if state is None:
                    done[needed] = False
                    stack.append((needed, iter(needs(needed))))
                    break
                if not state:
                    waiting = [o for o, _ in stack]
                    raise CycleError([*waiting[waiting.index(needed) :], needed])
            else:
                stack.pop()
                done[op] = True
                order.append(op)
    return order
