"""Symbolic sizes as `arith` ops on `index` values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect import run_time_checks
from relax_dialect.run_time_checks import demanded
from relax_dialect.symbolic import LARGE_PRODUCT, MAX_EXTENT, SMALL_FACTOR, Expr

BROADCAST = demanded(run_time_checks.BROADCAST, "{%min} and {%max}")
"""What a user is told whose sizes do not; the sides of a comparison of the two are its holes."""


class SizeEmitter:
    """Computes symbolic sizes from the values of their variables, each size once.

    `add` places an op and gives its result; `variable` gives the value of a symbolic variable.
    `require` places a run-time check, of a condition that must hold for a size to be defined; without
    it sizes are computed that are known to be defined.
    """

    def __init__(
        self,
        add: Callable[[Operation], SSAValue],
        variable: Callable[[str], SSAValue],
        require: Callable[[SSAValue, str], None] | None = None,
    ):
        self._add = add
        self._variable = variable
        self._require = require
        self._constants: dict[int, SSAValue] = {}
        self._sizes: dict[Expr, SSAValue] = {}

    @staticmethod
    def over(
        add: Callable[[Operation], SSAValue],
        values: Mapping[str, SSAValue],
        require: Callable[[SSAValue, str], None] | None = None,
    ) -> SizeEmitter:
        """An emitter for variables whose values are known already."""
        return SizeEmitter(add, lambda name: values[name], require)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is computed inside is forgotten behind: its values are not visible there."""
        before = len(self._constants), len(self._sizes)
        yield
        for known, count in zip((self._constants, self._sizes), before):
            while len(known) > count:
                known.popitem()

    def constant(self, value: int) -> SSAValue:
        """An `index` constant."""
        if value not in self._constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            result = self._add(op)
            if value >= 0:
                result.name_hint = f"c{value}"
            self._constants[value] = result
        return self._constants[value]

    def size(self, expr: Expr) -> SSAValue:
        """The value of a size. Division by a size that may be zero divides by one instead: a size of
        zero must not trap."""
        if expr not in self._sizes:
            self._sizes[expr] = expr.fold(self.constant, self._variable, self._apply)
        return self._sizes[expr]

    def _apply(self, op: str, a: SSAValue, b: SSAValue) -> SSAValue:
        add = self._add
        match op:
            case "+":
                return add(arith.AddiOp(a, b))
            case "*":
                self._require_room(a, b)
                return add(arith.MuliOp(a, b))
            case "min":
                return add(arith.MinSIOp(a, b))
            case "max":
                return add(arith.MaxSIOp(a, b))
            case "broadcast":
                return self._broadcast(a, b)
        if not isinstance(b.owner, arith.ConstantOp):
            b = self._at_least_one(b)
        quotient = add(arith.FloorDivSIOp(a, b))
        if op == "floordiv":
            return quotient
        return add(arith.SubiOp(a, add(arith.MuliOp(quotient, b))))

    def _require_room(self, a: SSAValue, b: SSAValue) -> None:
        """Check that a product is no larger than sizes may be, which is far from overflow."""
        if self._require is None:
            return
        a, b = self._magnitude(a), self._magnitude(b)
        if (factor := _constant(a)) is None:
            limit = self._add(arith.DivSIOp(self.constant(MAX_EXTENT), self._at_least_one(a)))
        elif factor <= SMALL_FACTOR:
            return
        else:
            limit = self.constant(MAX_EXTENT // factor)
        self._require(self._add(arith.CmpiOp(b, limit, "sle")), LARGE_PRODUCT)

    def _magnitude(self, value: SSAValue) -> SSAValue:
        """The absolute value of what may be negative: sums and the lesser of two."""
        if not isinstance(value.owner, arith.AddiOp | arith.SubiOp | arith.MinSIOp):
            return value
        return self._add(arith.MaxSIOp(value, self._add(arith.SubiOp(self.constant(0), value))))

    def _at_least_one(self, value: SSAValue) -> SSAValue:
        return self._add(arith.MaxSIOp(value, self.constant(1)))

    def _broadcast(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """The size that is not 1: `b` if `a` is 1, else `a`."""
        add, one = self._add, self.constant(1)
        a_is_one = add(arith.CmpiOp(a, one, "eq"))
        if self._require is not None:
            equal = add(arith.CmpiOp(a, b, "eq"))
            either = add(arith.OrIOp(a_is_one, add(arith.CmpiOp(b, one, "eq"))))
            self._require(add(arith.OrIOp(either, equal)), BROADCAST)
        return add(arith.SelectOp(a_is_one, b, a))


def _constant(value: SSAValue) -> int | None:
    """The absolute value of a constant."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return abs(op.value.value.data)
    return None
