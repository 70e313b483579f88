"""Python arithmetic that emits `arith` ops: `a * b + 1.0` on floats, scalars or vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    f32,
    f64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.ir.constants import ConstantPool


@lru_cache(maxsize=256)
def _of_shape(element: Attribute, shape: VectorType) -> VectorType:
    return VectorType(element, shape.shape, shape.scalable_dims)


@dataclass(frozen=True)
class ArithEmitter:
    """Inserts ops before `anchor`; constants go to the pool of its function."""

    anchor: Operation
    constants: ConstantPool
    shape: VectorType | None
    """The vector type that everything is made for, None for scalars."""
    real: AnyFloat = f32
    """f32 or f64: the type of floats; integers have the same width."""
    coarse: bool = False
    """Whether arguments come from f16, and results go there."""

    @property
    def whole(self) -> IntegerType:
        """The type of integers."""
        return IntegerType(self.real.bitwidth)

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op and return its result."""
        block = self.anchor.parent
        assert block is not None
        block.insert_op_before(op, self.anchor)
        return op.results[0]

    def typed(self, element: Attribute) -> Attribute:
        """Return the type of values with this element type."""
        return element if self.shape is None else _of_shape(element, self.shape)

    def float(self, value: float) -> Float:
        """Return a float constant, in every lane."""
        type_ = self.typed(self.real)
        if isinstance(type_, VectorType):
            return Float(self, self.constants.splat(type_, value))
        return Float(self, self.constants.get(FloatAttr(value, self.real)))

    def int(self, value: int) -> Int:
        """Return an integer constant, in every lane."""
        type_ = self.typed(self.whole)
        if isinstance(type_, VectorType):
            return Int(self, self.constants.splat(type_, value))
        return Int(self, self.constants.get(IntegerAttr(value, self.whole)))


@dataclass(frozen=True)
class Float:
    """A float; operators emit ops."""

    emitter: ArithEmitter
    ssa: SSAValue

    def _binary(
        self, kind: type[arith.FloatingPointLikeBinaryOperation], other: Float | float
    ) -> Float:
        if not isinstance(other, Float):
            other = self.emitter.float(other)
        return Float(self.emitter, self.emitter.emit(kind(self.ssa, other.ssa)))

    def __add__(self, other: Float | float) -> Float:
        return self._binary(arith.AddfOp, other)

    def __sub__(self, other: Float | float) -> Float:
        return self._binary(arith.SubfOp, other)

    def __mul__(self, other: Float | float) -> Float:
        return self._binary(arith.MulfOp, other)

    def __truediv__(self, other: Float | float) -> Float:
        return self._binary(arith.DivfOp, other)

    def __rtruediv__(self, other: float) -> Float:
        return self.emitter.float(other) / self

    def __rsub__(self, other: float) -> Float:
        return self.emitter.float(other) - self

    def __neg__(self) -> Float:
        return Float(self.emitter, self.emitter.emit(arith.NegfOp(self.ssa)))

    def __lt__(self, other: Float | float) -> Bool:
        return self._compare("olt", other)

    def __gt__(self, other: Float | float) -> Bool:
        return self._compare("ogt", other)

    def __ge__(self, other: Float | float) -> Bool:
        return self._compare("oge", other)

    def not_less(self, other: Float | float) -> Bool:
        """Return whether this is at least the other, or either is NaN."""
        return self._compare("uge", other)

    def equals(self, other: Float | float) -> Bool:
        """Return whether this is a number, of either sign if that is zero."""
        return self._compare("oeq", other)

    def _compare(self, predicate: str, other: Float | float) -> Bool:
        other = other if isinstance(other, Float) else self.emitter.float(other)
        return Bool(self.emitter, self.emitter.emit(arith.CmpfOp(self.ssa, other.ssa, predicate)))

    def sqrt(self) -> Float:
        """Return the square root."""
        return Float(self.emitter, self.emitter.emit(math.SqrtOp(self.ssa)))

    def abs(self) -> Float:
        """Without the sign."""
        return Float(self.emitter, self.emitter.emit(math.AbsFOp(self.ssa)))

    def floor(self) -> Float:
        """Rounded down."""
        return Float(self.emitter, self.emitter.emit(math.FloorOp(self.ssa)))

    def widened(self) -> Float:
        """Return an f32 as f64."""
        wide = replace(self.emitter, real=f64)
        return Float(wide, wide.emit(arith.ExtFOp(self.ssa, wide.typed(f64))))  # pyright: ignore

    def narrowed(self) -> Float:
        """Return an f64 rounded to f32."""
        narrow = replace(self.emitter, real=f32)
        return Float(narrow, narrow.emit(arith.TruncFOp(self.ssa, narrow.typed(f32))))  # pyright: ignore

    def times_plus(self, factor: Float | float, term: Float | float) -> Float:
        """`self * factor + term`, rounded once."""
        factor, term = (
            v if isinstance(v, Float) else self.emitter.float(v) for v in (factor, term)
        )
        return Float(self.emitter, self.emitter.emit(math.FmaOp(self.ssa, factor.ssa, term.ssa)))

    def with_sign_of(self, other: Float) -> Float:
        """Return the value with the sign of another one."""
        return Float(self.emitter, self.emitter.emit(math.CopySignOp(self.ssa, other.ssa)))

    def at_least(self, low: float) -> Float:
        """Return the value, or `low` if that is larger; NaN stays NaN."""
        return self._binary(arith.MaximumfOp, low)

    def at_most(self, high: float) -> Float:
        """Return the value, or `high` if that is less; NaN stays NaN."""
        return self._binary(arith.MinimumfOp, high)

    def clamp(self, low: float, high: float) -> Float:
        """Return the nearest value in [low, high]; NaN stays NaN."""
        return self.at_least(low).at_most(high)

    def polynomial(self, coefficients: Sequence[float]) -> Float:
        """Horner's rule, the constant term first."""
        *rest, last = coefficients
        result = self.emitter.float(last)
        for coefficient in reversed(rest):
            result = result * self + coefficient
        return result

    def bits(self) -> Int:
        """Return the bit pattern."""
        type_ = self.emitter.typed(self.emitter.whole)
        return Int(self.emitter, self.emitter.emit(arith.BitcastOp(self.ssa, type_)))


@dataclass(frozen=True)
class Bool:
    """A truth value."""

    emitter: ArithEmitter
    ssa: SSAValue

    def select(self, a: Float | float, b: Float | float) -> Float:
        """`a` where this holds, else `b`."""
        x, y = (v if isinstance(v, Float) else self.emitter.float(v) for v in (a, b))
        return Float(self.emitter, self.emitter.emit(arith.SelectOp(self.ssa, x.ssa, y.ssa)))


@dataclass(frozen=True)
class Int:
    """An integer of the same width, which wraps around; operators emit ops."""

    emitter: ArithEmitter
    ssa: SSAValue

    def _binary(self, kind: type[arith.SignlessIntegerBinaryOperation], other: Int | int) -> Int:
        if not isinstance(other, Int):
            other = self.emitter.int(other)
        return Int(self.emitter, self.emitter.emit(kind(self.ssa, other.ssa)))

    def __add__(self, other: Int | int) -> Int:
        return self._binary(arith.AddiOp, other)

    def __sub__(self, other: Int | int) -> Int:
        return self._binary(arith.SubiOp, other)

    def __mul__(self, other: Int | int) -> Int:
        return self._binary(arith.MuliOp, other)

    def __lshift__(self, other: int) -> Int:
        return self._binary(arith.ShLIOp, other)

    def __rshift__(self, other: int) -> Int:
        return self._binary(arith.ShRSIOp, other)

    def __and__(self, other: int) -> Int:
        return self._binary(arith.AndIOp, other)

    def __xor__(self, other: Int) -> Int:
        return self._binary(arith.XOrIOp, other)

    def at_most(self, high: int) -> Int:
        """Return the value, or `high` if that is less."""
        return self._binary(arith.MinSIOp, high)

    def at_most_unsigned(self, high: int) -> Int:
        """Return the same of unsigned numbers; `high` is spelled as a signed one."""
        return self._binary(arith.MinUIOp, high)

    def equals(self, other: int) -> Bool:
        """Return whether this is some number."""
        value = self.emitter.int(other).ssa
        return Bool(self.emitter, self.emitter.emit(arith.CmpiOp(self.ssa, value, "eq")))

    def narrowed(self) -> Int:
        """Return the low 32 bits of 64."""
        narrow = replace(self.emitter, real=f32)
        return Int(narrow, narrow.emit(arith.TruncIOp(self.ssa, narrow.typed(narrow.whole))))  # pyright: ignore

    def as_float(self) -> Float:
        """Return the float with this bit pattern."""
        type_ = self.emitter.typed(self.emitter.real)
        return Float(self.emitter, self.emitter.emit(arith.BitcastOp(self.ssa, type_)))

    def to_float(self) -> Float:
        """Return the number as a float."""
        type_ = self.emitter.typed(self.emitter.real)
        return Float(self.emitter, self.emitter.emit(arith.SIToFPOp(self.ssa, type_)))  # pyright: ignore
