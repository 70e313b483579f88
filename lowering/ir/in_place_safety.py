"""In-place safety: whether a prim func may write a result over an argument, each element once it has been
read."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from lowering.ir.accesses import Access, accesses
from lowering.ir.constants import known_integer
from lowering.ir.integer_ranges import range_of_sum
from lowering.ir.linear_forms import LinearForm, is_inside

MOST_PAIRS = 4096
"""The most pairs of loads and stores that are analysed; unrolled loops have more."""


def may_overwrite(source: SSAValue, target: SSAValue) -> bool:
    """Return whether two memref arguments of a function on loops may be one buffer.

    They may if the source is only read, and every element is read for the last time before the target is
    written there. For a load and a store this holds if the load precedes the store in the loops around
    both, and each of these loops accesses other elements in every iteration:

        scf.for %t = %c0 to %n step %c32 {
          %from = memref.subview %source[%t, 0] [%rows, 1000] ...     // %rows <= 32
          %to = memref.subview %target[%t, 0] [%rows, 1000] ...
          scf.for %i = %c0 to %rows step %c1 {
            ... memref.load %from[%i, %j]
          }
          scf.for %i = %c0 to %rows step %c1 {
            ... memref.store %b, %to[%i, %j]
    """
    used, changed = accesses(source), accesses(target)
    if used is None or changed is None or any(access.is_write for access in used):
        return False
    writes = [access for access in changed if access.is_write]
    if len(used) * len(writes) > MOST_PAIRS:
        return False
    if len({access.groups for access in (*used, *writes)}) > 1:
        return False
    return all(_is_read_first(read, write) for read in used for write in writes)


def _is_read_first(read: Access, write: Access) -> bool:
    """Return whether a load of an element comes before every store to it."""
    loops, stores = _around(read.op), _around(write.op)
    if loops is None or stores is None:
        return False
    common = [a for a, b in zip(loops, stores) if a is b]
    if not all(_is_apart(read, write, loop) for loop in common):
        return False
    depth = len(common)
    first = loops[depth] if depth < len(loops) else read.op
    second = stores[depth] if depth < len(stores) else write.op
    return first.is_before_in_block(second)


def _around(op: Operation) -> list[scf.ForOp] | None:
    """Return the loops around an op up to its function, outermost first; None if other ops are there."""
    found: list[scf.ForOp] = []
    parent = op.parent_op()
    while not isinstance(parent, FuncOp):
        if not isinstance(parent, scf.ForOp):
            return None
        found.append(parent)
        parent = parent.parent_op()
    return found[::-1]


def _is_apart(read: Access, write: Access, loop: scf.ForOp) -> bool:
    """Return whether two iterations of a loop never access the same element, for equal iterations of the
    loops around it."""
    step = known_integer(loop.step)
    if step is None:
        return False
    pairs = zip(read.subscripts, write.subscripts, read.lengths, write.lengths)
    return any(
        _are_apart(a, b, a_length, b_length, loop.body.block, step)
        for a, b, a_length, b_length in pairs
    )


def _are_apart(
    read: LinearForm, write: LinearForm, read_length: int, write_length: int, body: Block, step: int
) -> bool:
    """Return whether subscripts differ whenever the counter of a loop does: apart from the same multiple of
    it, they differ by less than the effect of one step."""
    counter = body.args[0]
    times = read.terms.get(counter, 0)
    if times < 1 or write.terms.get(counter, 0) != times:
        return False
    reach: list[tuple[int, int]] = []
    around: list[dict[SSAValue, int]] = []
    for subscript, length in ((read, read_length), (write, write_length)):
        inner = {
            v: n for v, n in subscript.terms.items() if is_inside(v, body) and v is not counter
        }
        around.append({v: n for v, n in subscript.terms.items() if not is_inside(v, body)})
        low, high = range_of_sum(LinearForm(inner, subscript.constant))
        if isinstance(low, float) or isinstance(high, float):
            return False
        reach.append((low, high + length - 1))
    (low, high), (other_low, other_high) = reach
    return around[0] == around[1] and max(other_high - low, high - other_low) < times * step
