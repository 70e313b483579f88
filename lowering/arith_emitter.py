"""Python arithmetic that emits `arith` ops: `a * b + 1.0` on f32 values, scalars or vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.constants import ConstantPool


@dataclass(frozen=True)
class ArithEmitter:
    """Inserts ops before `anchor`; constants go to the pool of its function."""

    anchor: Operation
    constants: ConstantPool
    shape: VectorType | None
    """The vector type that everything is made for, None for scalars."""

    def emit(self, op: Operation) -> SSAValue:
        """Insert an op and return its result."""
        block = self.anchor.parent
        assert block is not None
        block.insert_op_before(op, self.anchor)
        return op.results[0]

    def typed(self, element: Attribute) -> Attribute:
        """The type of values with this element type."""
        if self.shape is None:
            return element
        return VectorType(element, self.shape.shape, self.shape.scalable_dims)

    def float(self, value: float) -> Float:
        """An f32 constant, in every lane."""
        type_ = self.typed(f32)
        attribute = (
            DenseIntOrFPElementsAttr.from_list(type_, [value])
            if isinstance(type_, VectorType)
            else FloatAttr(value, f32)
        )
        return Float(self, self.constants.get(attribute))

    def int(self, value: int) -> Int:
        """An i32 constant, in every lane."""
        type_ = self.typed(i32)
        attribute = (
            DenseIntOrFPElementsAttr.from_list(type_, [value])
            if isinstance(type_, VectorType)
            else IntegerAttr(value, i32)
        )
        return Int(self, self.constants.get(attribute))


@dataclass(frozen=True)
class Float:
    """An f32 value; operators emit ops."""

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

    def clamp(self, low: float, high: float) -> Float:
        """The nearest value in [low, high]; NaN stays NaN."""
        return self._binary(arith.MaximumfOp, low)._binary(arith.MinimumfOp, high)

    def polynomial(self, coefficients: Sequence[float]) -> Float:
        """Horner's rule, the constant term first."""
        *rest, last = coefficients
        result = self.emitter.float(last)
        for coefficient in reversed(rest):
            result = result * self + coefficient
        return result

    def bits(self) -> Int:
        """The bit pattern."""
        type_ = self.emitter.typed(i32)
        return Int(self.emitter, self.emitter.emit(arith.BitcastOp(self.ssa, type_)))


@dataclass(frozen=True)
class Int:
    """An i32 value that wraps around; operators emit ops."""

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

    def __lshift__(self, other: int) -> Int:
        return self._binary(arith.ShLIOp, other)

    def __rshift__(self, other: int) -> Int:
        return self._binary(arith.ShRSIOp, other)

    def as_float(self) -> Float:
        """The f32 value with this bit pattern."""
        type_ = self.emitter.typed(f32)
        return Float(self.emitter, self.emitter.emit(arith.BitcastOp(self.ssa, type_)))
