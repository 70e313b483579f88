"""relax-emulate-unsupported-floats: arithmetic on f16 and bf16 becomes f32, rounded after every operation.

    %y = arith.addf %a, %b : f16
->
    %a_wide = arith.extf %a : f16 to f32
    %b_wide = arith.extf %b : f16 to f32
    %y_wide = arith.addf %a_wide, %b_wide : f32
    %y = arith.truncf %y_wide : f32 to f16

The remaining ops on the narrow types are constants, selects and bit casts, memory, and the conversions from
and to f32 (and from f64 to f16, which must not round twice). Negation and absolute value are masks on the
bits. For `+ - * / sqrt` the result is that of the exact operation rounded once: f32 has more than twice the
digits of either type. Functions of f16 are marked `fastmath<afn>`: fewer digits than those of f32 will do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, math, vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.ir.constants import ConstantPool
from lowering.loops.narrow_rows import convert_rows
from lowering.support.target import NATIVE, find
from relax_dialect.ir.walk import walk_ops

F16, BF16, F32 = Float16Type(), BFloat16Type(), Float32Type()

COARSE = FastMathFlagsAttr([FastMathFlag.APPROX_FUNC])
"""On an operation whose operands are f16 and whose result is rounded to it."""

AS_THEY_ARE = (arith.ConstantOp, arith.SelectOp, arith.BitcastOp)
"""Ops that move bits and compute nothing."""

JOINING = (vector.FMAOp, vector.ReductionOp)
"""Ops of the vector dialect that compute."""

SIGNS: dict[type[Operation], tuple[type[arith.SignlessIntegerBinaryOperation], int]] = {
    math.AbsFOp: (arith.AndIOp, 0x7FFF),
    arith.NegfOp: (arith.XOrIOp, -0x8000),
}
"""Ops that act on the sign alone: the operation on the bits, and its mask."""


def emulate_unsupported_floats(function: FuncOp) -> None:
    """Rewrite the arithmetic of a function on narrow floats, in place."""
    ops = [op for op in walk_ops(function) if _is_arithmetic(op)]
    if not ops:
        return
    expansion = _FloatEmulation(ConstantPool(function))
    for op in ops:
        expansion.rewrite(op)
    expansion.constants.prune()


def _is_arithmetic(op: Operation) -> bool:
    """Return whether an op computes with narrow floats, and is no conversion that every target has."""
    computes = op.name.startswith(("arith.", "math.")) or isinstance(op, JOINING)
    if not computes or isinstance(op, AS_THEY_ARE):
        return False
    types = [value.type for value in (*op.operands, *op.results)]
    if not any(map(_is_narrow, types)):
        return False
    if isinstance(op, arith.ExtFOp | arith.TruncFOp):
        source, target = map(_element, types)
        return not (F32 in (source, target) or (target == F16 and source not in (F16, BF16)))
    return True


@dataclass
class _FloatEmulation:
    """The rewriting of one function's ops, in order."""

    constants: ConstantPool
    wide: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Narrow values by the f32 they were last widened to."""

    def rewrite(self, op: Operation) -> None:
        """Replace an op on a narrow type by one on f32."""
        (result,) = op.results
        if type(op) in SIGNS:
            self._replace(op, self._masked(op))
            return
        operands = [self._widened(value, op) for value in op.operands]
        if isinstance(op, arith.ExtFOp | arith.TruncFOp):  # of f64 or another narrow type
            computed = self._converted(operands[0], F32, op)
        else:
            new = type(op).create(
                operands=operands,
                result_types=[_wide_type(result.type)],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
            if _element(result.type) == F16 and op.name.startswith("math."):
                new.properties["fastmath"] = COARSE
            computed = _insert(new, op)
        if computed.type != result.type:
            computed.name_hint = computed.name_hint or _hint(result)
            computed = self._converted(computed, result.type, op)
        self._replace(op, computed)

    def _replace(self, op: Operation, computed: SSAValue) -> None:
        (result,) = op.results
        computed.name_hint = computed.name_hint or result.name_hint
        result.replace_all_uses_with(computed)
        op.detach()
        op.erase()

    def _masked(self, op: Operation) -> SSAValue:
        """Return a number with its sign changed in its bits."""
        operation, mask = SIGNS[type(op)]
        (number,) = op.operands
        integer = IntegerType(16)
        if isinstance(number.type, VectorType):
            type_ = VectorType(integer, number.type.shape, number.type.scalable_dims)
            constant = DenseIntOrFPElementsAttr.from_list(type_, [mask])
        else:
            type_, constant = integer, IntegerAttr(mask, integer)
        bits = _insert(arith.BitcastOp(number, type_), op)
        masked = _insert(operation(bits, self.constants.get(constant)), op)
        return _insert(arith.BitcastOp(masked, number.type), op)

    def _widened(self, value: SSAValue, user: Operation) -> SSAValue:
        """Return a value in f32 if it is narrow, as it is known already in the block of its user."""
        if not _is_narrow(value.type):
            return value
        if (number := _constant(value)) is not None:
            return self.constants.get(FloatAttr(number, F32))
        found = self.wide.get(value)
        if found is None or found.owner.parent is not user.parent:  # pyright: ignore
            found = self._converted(value, _wide_type(value.type), user)
            found.name_hint = _hint(value)
            self.wide[value] = found
        return found

    def _converted(self, value: SSAValue, type: Attribute, before: Operation) -> SSAValue:
        """Return a float as another type, itself if it has that."""
        if value.type == type:
            return value
        old, new = (_element(t) for t in (value.type, type))
        widens = old.bitwidth < new.bitwidth  # pyright: ignore[reportAttributeAccessIssue]
        conversion: Any = arith.ExtFOp if widens else arith.TruncFOp
        return _insert(conversion(value, type), before)


def _insert(op: Operation, before: Operation) -> SSAValue:
    block = before.parent
    assert block is not None
    block.insert_op_before(op, before)
    return op.results[0]


def _constant(value: SSAValue) -> float | None:
    """Return the number that a scalar is, if it is a constant."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, FloatAttr):
        return op.value.value.data
    return None


def _hint(value: SSAValue) -> str | None:
    return f"{value.name_hint}_wide" if value.name_hint is not None else None


def _element(type: Attribute) -> Attribute:
    return type.element_type if isinstance(type, VectorType) else type


def _is_narrow(type: Attribute) -> bool:
    return _element(type) in (F16, BF16)


def _wide_type(type: Attribute) -> Attribute:
    """Replace a narrow type by f32; return others unchanged."""
    if not _is_narrow(type):
        return type
    return VectorType(F32, type.shape, type.scalable_dims) if isinstance(type, VectorType) else F32


@dataclass(frozen=True)
class EmulateUnsupportedFloatsPass(ModulePass):
    """f16 and bf16 to f32: see this file's docstring."""

    name = "relax-emulate-unsupported-floats"

    cpu: str = NATIVE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, FuncOp) and function.body.first_block is not None:
                emulate_unsupported_floats(function)
                convert_rows(function, find(self.cpu))
