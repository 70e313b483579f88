"""Index arithmetic written into a program, constants folded."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lowering.ir.constants import ConstantPool, known_integer

Term = SSAValue | int
"""A value, or a constant that need not be in the program."""


class IndexWriter:
    """An emitter of index arithmetic at an insertion point."""

    def __init__(self, constants: ConstantPool, insert: Callable[[Operation], None]):
        self.constants = constants
        self.insert = insert

    def value(self, term: Term) -> SSAValue:
        return self.constants.index(term) if isinstance(term, int) else term

    def _op(self, kind: Callable[..., Operation], a: Term, b: Term) -> SSAValue:
        self.insert(op := kind(self.value(a), self.value(b)))
        return op.results[0]

    def plus(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return a if b == 0 else b if a == 0 else self._op(arith.AddiOp, a, b)

    def minus(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        if a is b:
            return 0
        return a if b == 0 else self._op(arith.SubiOp, a, b)

    def times(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        return a if b == 1 else b if a == 1 else self._op(arith.MuliOp, a, b)

    def quotient(self, a: Term, divisor: int) -> Term:
        if isinstance(a, int):
            return a // divisor
        return a if divisor == 1 else self._op(arith.FloorDivSIOp, a, divisor)

    def remainder(self, a: Term, divisor: int) -> Term:
        """Return the remainder of a non-negative value."""
        return 0 if divisor == 1 else self.unsigned_remainder(a, divisor)

    def unsigned_remainder(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        return self._op(arith.RemUIOp, a, b)

    def unsigned_quotient(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return a if b == 1 else self._op(arith.DivUIOp, a, b)

    def ceil_quotient(self, a: Term, divisor: Term) -> Term:
        if isinstance(a, int) and isinstance(divisor, int):
            return -(-a // divisor)
        return a if divisor == 1 else self._op(arith.CeilDivUIOp, a, divisor)

    def smaller(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return self._op(arith.MinSIOp, a, b)

    def larger(self, a: Term, b: Term) -> Term:
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return self._op(arith.MaxSIOp, a, b)

    def compared(self, a: Term, predicate: str, b: Term) -> SSAValue:
        """Return whether `a` is `slt`, `sge` or `ne` of `b`."""
        self.insert(op := arith.CmpiOp(self.value(a), self.value(b), predicate))
        return op.result

    def chosen(self, condition: SSAValue, a: Term, b: Term) -> Term:
        if a == b:
            return a
        self.insert(op := arith.SelectOp(condition, self.value(a), self.value(b)))
        return op.result

    def reached(self, a: Term, bound: int) -> Term:
        """1 if a value is a bound or above, otherwise 0."""
        if isinstance(a, int):
            return int(a >= bound)
        self.insert(compared := arith.CmpiOp(a, self.value(bound), "sge"))
        return self.chosen(compared.result, 1, 0)


def term(value: SSAValue) -> Term:
    """Return a value, as a number if it is one."""
    known = known_integer(value)
    return value if known is None else known


def before(op: Operation | None) -> Callable[[Operation], None]:
    """Puts ops in front of another."""
    assert op is not None and op.parent is not None
    block = op.parent
    return lambda new: block.insert_op_before(new, op)
