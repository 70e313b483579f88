"""Symbolic sizes as `arith` ops on `index` values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect import symbolic
from relax_dialect.prim.run_time_checks import demanded
from relax_dialect.symbolic import (
    LARGE_PRODUCT,
    LARGE_SUM,
    MAX_EXTENT,
    MAX_SUM,
    Expr,
    interval,
    product_limit,
    zero_divisor,
)
from relax_dialect.symbolic.interval import Interval

BROADCAST = demanded(symbolic.BROADCAST, "{%min} and {%max}")
"""The message for sizes that do not broadcast; its holes are the sides of a comparison of the two."""


class _Number(NamedTuple):
    """A part of a size that is computed: its value, and its range."""

    value: SSAValue
    span: Interval

    @property
    def constant(self) -> int | None:
        return int(self.span.low) if self.span.low == self.span.high else None


class SizeEmitter:
    """Computes symbolic sizes from the values of their variables, each size once.

    `add` inserts an op and returns its result; `variable` returns the value of a symbolic variable.
    `require` inserts a run-time check of a condition that must hold for a size to be defined
    (`symbolic.checks`); without it all sizes must be known to be defined.
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
        self.upper_bounds: Mapping[str, int] = {}
        """The greatest values that variables have, if it is less than sizes have."""

    @staticmethod
    def of_known(
        add: Callable[[Operation], SSAValue],
        values: Mapping[str, SSAValue],
        require: Callable[[SSAValue, str], None] | None = None,
    ) -> SizeEmitter:
        """Return an emitter for variables whose values are known already."""
        return SizeEmitter(add, lambda name: values[name], require)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget values computed inside at the end of the context: they are not visible after it."""
        before = len(self._constants), len(self._sizes)
        yield
        for known, count in zip((self._constants, self._sizes), before):
            while len(known) > count:
                known.popitem()

    def constant(self, value: int) -> SSAValue:
        """Return an `index` constant."""
        if value not in self._constants:
            op = arith.ConstantOp(IntegerAttr(value, IndexType()))
            result = self._add(op)
            if value >= 0:
                result.name_hint = f"c{value}"
            self._constants[value] = result
        return self._constants[value]

    def size(self, expr: Expr) -> SSAValue:
        """Return the value of a size."""
        if expr not in self._sizes:
            self._sizes[expr] = _Computation(self, expr).value
        return self._sizes[expr]


class _Computation:
    """The ops and checks of one size."""

    def __init__(self, emitter: SizeEmitter, expr: Expr):
        self.expr = expr
        self.emitter = emitter
        self.add = emitter._add
        self.require = emitter._require
        self.value = expr.fold(self._constant, self._variable, self._apply).value

    def _constant(self, value: int) -> _Number:
        return _Number(self.emitter.constant(value), interval.point(value))

    def _variable(self, name: str) -> _Number:
        most = self.emitter.upper_bounds.get(name, MAX_EXTENT)
        return _Number(self.emitter._variable(name), Interval(0, most))

    def _apply(self, op: str, x: _Number, y: _Number) -> _Number:
        a, b, add = x.value, y.value, self.add
        span = interval.OPERATIONS[op](x.span, y.span)
        match op:
            case "+":
                return self._sum(x, y, span)
            case "*":
                limit = self._check_product(x, y)
                return _Number(add(arith.MuliOp(a, b)), _within(span, limit))
            case "min":
                return _Number(add(arith.MinSIOp(a, b)), span)
            case "max":
                return _Number(add(arith.MaxSIOp(a, b)), span)
            case "broadcast":
                return _Number(self._broadcast(a, b), span)
        b = self._divisor(y)
        quotient = add(arith.FloorDivSIOp(a, b))
        if op == "floordiv":
            return _Number(quotient, _within(span, x.span.magnitude))
        rest = add(arith.SubiOp(a, add(arith.MuliOp(quotient, b))))
        return _Number(rest, _within(span, y.span.magnitude))

    def _sum(self, x: _Number, y: _Number, span: Interval) -> _Number:
        for part in (x, y):
            self._check_magnitude(part)
        result = _Number(self.add(arith.AddiOp(x.value, y.value)), span)
        self._check_magnitude(result)
        return _Number(result.value, _within(span, MAX_SUM))

    def _check_magnitude(self, number: _Number) -> None:
        """Check that a number may be part of a sum."""
        if self.require is not None and number.span.magnitude > MAX_SUM:
            limit = self.emitter.constant(MAX_SUM)
            holds = arith.CmpiOp(self._magnitude(number), limit, "sle")
            self.require(self.add(holds), LARGE_SUM)

    def _check_product(self, x: _Number, y: _Number) -> int:
        """Check that a product is not too large; how large it may be."""
        limit = product_limit(x.constant)
        if self.require is None or x.span.magnitude * y.span.magnitude <= limit:
            return limit
        b = self._magnitude(y)
        if x.constant is not None:
            most = self.emitter.constant(limit // abs(x.constant))
        else:
            one = self._at_least_one(self._magnitude(x))
            most = self.add(arith.DivSIOp(self.emitter.constant(limit), one))
        self.require(self.add(arith.CmpiOp(b, most, "sle")), LARGE_PRODUCT)
        return limit

    def _magnitude(self, number: _Number) -> SSAValue:
        """Return the absolute value."""
        if number.span.low >= 0:
            return number.value
        negated = self.add(arith.SubiOp(self.emitter.constant(0), number.value))
        return self.add(arith.MaxSIOp(number.value, negated))

    def _divisor(self, number: _Number) -> SSAValue:
        """Return a divisor that is checked not to be 0; a 0 is replaced by 1, so that nothing traps."""
        value, span = number
        if span.low > 0 or span.high < 0:
            return value
        other = self.add(arith.CmpiOp(value, self.emitter.constant(0), "ne"))
        if self.require is not None:
            self.require(other, zero_divisor(self.expr))
        if span.low == 0:
            return self._at_least_one(value)
        return self.add(arith.SelectOp(other, value, self.emitter.constant(1)))

    def _at_least_one(self, value: SSAValue) -> SSAValue:
        return self.add(arith.MaxSIOp(value, self.emitter.constant(1)))

    def _broadcast(self, a: SSAValue, b: SSAValue) -> SSAValue:
        """Return the size that is not 1: `b` if `a` is 1, else `a`."""
        add, one = self.add, self.emitter.constant(1)
        a_is_one = add(arith.CmpiOp(a, one, "eq"))
        if self.require is not None:
            equal = add(arith.CmpiOp(a, b, "eq"))
            either = add(arith.OrIOp(a_is_one, add(arith.CmpiOp(b, one, "eq"))))
            self.require(add(arith.OrIOp(either, equal)), BROADCAST)
        return add(arith.SelectOp(a_is_one, b, a))


def _within(span: Interval, most: int | float) -> Interval:
    """Return the part of an interval up to a magnitude."""
    return Interval(max(span.low, -most), min(span.high, most))
