"""The order of evaluation of a block: SSA edges and symbolic variables together."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation, OpResult
from xdsl.traits import IsTerminator

from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ir.locations import written_names
from relax_dialect.ir.traits import SymbolsEscape, has_trait, kind_has
from relax_dialect.ir.type_variables import bare_variables, free_variables


class CycleError(Exception):
    """Some ops of a graph region need each other's results."""

    def __init__(self, ops: list[Operation]):
        self.ops = ops
        super().__init__(" -> ".join(describe(op) for op in ops))


def describe(op: Operation) -> str:
    """An op as a message names it: `relax.add (%y)`."""
    names = ", ".join(f"%{r.name_hint}" for r in op.results if r.name_hint)
    name = op_name(op)
    return f"{name} ({names})" if names else name


def describe_written(op: Operation) -> str:
    """The same, with the numbers of the text for results that have no names: `relax.add (%2)`."""
    if not op.results or any(r.name_hint for r in op.results):
        return describe(op)
    names = ", ".join(written_names(op))
    return f"{op_name(op)} ({names})" if names else op_name(op)


def op_name(op: Operation) -> str:
    """The name of an op as it is written, also of one that is not registered."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def needed_symbols(op: Operation) -> tuple[str, ...]:
    """The symbolic variables an op of any dialect needs to be defined before it runs."""
    if (needed := getattr(op, "needed_symbols", None)) is not None:
        return needed()
    if len(op.results) == 1:
        return free_variables(op.results[0].type)
    return tuple(v for t in op.result_types for v in free_variables(t))


def candidate_symbols(op: Operation) -> tuple[str, ...]:
    """The symbolic variables an op defines itself where they are not bound before it."""
    candidates = getattr(op, "candidates", None)
    return () if candidates is None else candidates()


def escaping_symbols(op: Operation) -> tuple[str, ...]:
    """The variables defined once `op` has run: its own, and those that escape the block it holds."""
    if not kind_has(type(op), SymbolsEscape):
        return candidate_symbols(op)
    found: dict[str, None] = {}
    stack = [op]
    while stack:
        current = stack.pop()
        found.update(dict.fromkeys(candidate_symbols(current)))
        if kind_has(type(current), SymbolsEscape):
            stack.extend(reversed(list(current.regions[0].block.ops)))
    return tuple(found)


def nested_symbols(op: Operation) -> Iterable[str]:
    """The symbolic variables that an op and everything in its regions name."""
    return (
        s for inner in ops_inside(op) for s in (*needed_symbols(inner), *candidate_symbols(inner))
    )


def _needs_of_regions(block: Block) -> dict[Operation, dict[Operation, None]]:
    """For the ops that hold regions, the ops of the same block whose results are used in there.

    Goes from each value up from its uses, not through every region of every block around it.
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


def bound_around(block: Block) -> set[str]:
    """The symbolic variables that are bound before a block is entered."""
    bound: set[str] = set()
    inside: Operation | None = None
    around: Block | None = block
    while around is not None:
        if inside is not None:
            for op in around.ops:
                if op is inside:
                    break
                bound.update(escaping_symbols(op))
        bound.update(name for a in around.args for name in bare_variables(a.type))
        inside = around.parent_op()
        around = None if inside is None else inside.parent
    return bound


def visible_symbols(before: Operation, in_graph: bool) -> set[str]:
    """The symbolic variables that may be named in front of an op; anywhere in its block if `in_graph`."""
    block = before.parent
    assert block is not None
    visible = bound_around(block)
    for op in block.ops:
        if op is before and not in_graph:
            break
        visible.update(escaping_symbols(op))
    return visible


def topological_order(block: Block, bound: Container[str] = ()) -> list[Operation]:
    """The ops of a block so that each stands after what it needs; textual order where that is free.

    An op needs the ops of the block that define its operands and those of the ops nested in it, and
    the first op of the block that defines a symbolic variable named by it or by one nested in it, but
    for variables that are `bound` before the block: a match of one of those only checks. The
    terminator stays last. Linear in the number of uses. Raises `CycleError` where no order exists.
    """
    try:
        return _topological_order(block, bound)
    except CycleError:
        # a variable bound outside may have been taken for one that the block defines
        return _topological_order(block, bound_around(block))


def requirements(
    block: Block, bound: Container[str] = ()
) -> Callable[[Operation], list[Operation]]:
    """The ops of a block that an op needs, as `topological_order` says it, operands first."""
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
            for symbol in nested_symbols(op):
                definer = definers.get(symbol)
                if definer is not None and definer is not op:
                    found.append(definer)
        return found

    return needs


def _topological_order(block: Block, bound: Container[str]) -> list[Operation]:
    needs = requirements(block, bound)
    order: list[Operation] = []
    done: dict[Operation, bool] = {}  # False while the op waits for what it needs
    for root in block.ops:
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
    if order and not has_trait(order[-1], IsTerminator):
        order.sort(key=lambda op: has_trait(op, IsTerminator))
    return order
