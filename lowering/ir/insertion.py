"""Insertion of ops and loops while passes rewrite loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from relax_dialect.prim.signature import PARALLEL


class Inserter:
    """An inserter of ops before another one, or at the end of a block; calling it returns the result."""

    def __init__(self, *, before: Operation | None = None, end: Block | None = None):
        self.before, self.end = before, end

    def place(self, op: Operation) -> None:
        if self.before is not None:
            assert self.before.parent is not None
            self.before.parent.insert_op_before(op, self.before)
        else:
            assert self.end is not None
            self.end.add_op(op)

    def __call__(self, op: Operation, hint: str | None = None) -> SSAValue:
        self.place(op)
        op.results[0].name_hint = hint
        return op.results[0]


class OpenLoop(Inserter):
    """A loop whose body is being filled, until it is closed."""

    def __init__(self, loop: scf.ForOp):
        super().__init__(end=loop.body.block)
        self.loop = loop
        self.counter, *self.carried = loop.body.block.args

    def close(self, *yielded: SSAValue) -> Sequence[SSAValue]:
        """End the body; the results of the loop."""
        self.place(scf.YieldOp(*yielded))
        return self.loop.results


def open_loop(
    insert: Inserter,
    start: SSAValue,
    stop: SSAValue,
    step: SSAValue,
    counter: str | None = "l",
    carried: Sequence[SSAValue] = (),
    *,
    parallel: bool = False,
) -> OpenLoop:
    """Insert a loop and open its body; a `parallel` one is marked as such."""
    body = Block(arg_types=[IndexType(), *(value.type for value in carried)])
    body.args[0].name_hint = counter
    op = scf.ForOp(start, stop, step, carried, body)
    if parallel:
        op.attributes[PARALLEL] = UnitAttr()
    insert.place(op)
    return OpenLoop(op)


def when_if(
    insert: Inserter,
    condition: SSAValue | None,
    then: Callable[[Inserter], Sequence[SSAValue]],
    otherwise: Sequence[SSAValue] = (),
) -> Sequence[SSAValue]:
    """Return the values of a branch if a condition holds, else others; None is a condition that always
    holds."""
    if condition is None:
        return then(insert)
    some, none = Block(), Block([scf.YieldOp(*otherwise)])
    within = Inserter(end=some)
    within.place(scf.YieldOp(*then(within)))
    types = [value.type for value in otherwise]
    insert.place(branch := scf.IfOp(condition, types, Region(some), Region(none)))
    return branch.results
